package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"

	"fichario/domain/document"
)

// maker invents the answers for one document.
type maker struct {
	doc    document.Document
	effect Effect
	// full gives every list at least two elements.
	full bool
	// sure knows of every phone whether it has WhatsApp.
	sure bool
}

func newMaker(name string, d document.Document) maker {
	effect, full := effectOf(name, d)
	return maker{doc: d, effect: effect, full: full, sure: name == Complete}
}

// dice is fresh for each part, so that no part depends on another: a person has the same name in every product.
func (m maker) dice(part string) *dice { return newDice(part + "|" + m.doc.Value()) }

// count is the number of elements of a list.
func (m maker) count(d *dice) int {
	n := 1 + d.n(3)
	switch {
	case m.effect == Single:
		return 1
	case m.full:
		return max(n, 2)
	}
	return n
}

func (m maker) many(d *dice, add func()) {
	for range m.count(d) {
		add()
	}
}

func fullName(d *dice, woman bool) string {
	first := men
	if woman {
		first = women
	}
	return pick(d, first) + " " + pick(d, surname) + " " + pick(d, surname)
}

// name is the name of the person or company.
func (m maker) name() string {
	d := m.dice("name")
	if m.doc.Type() == document.CNPJ {
		return pick(d, trades) + " " + pick(d, surname) + " & " + pick(d, surname) + " LTDA"
	}
	return fullName(d, m.woman())
}

func (m maker) woman() bool { return m.dice("sex").n(2) == 0 }

func (m maker) situation() situation {
	d := m.dice("situation")
	s := situation{Code: 0, Text: "REGULAR", Since: d.day(2012, 2024)}
	if m.doc.Type() == document.CNPJ {
		s.Code, s.Text = 2, "ATIVA"
	}
	switch {
	case m.effect == Nulls:
		return situation{Code: -1, Since: unknownDate}
	case m.effect == Deceased:
		s.Code, s.Text, s.Reason = 3, "TITULAR FALECIDO", "ÓBITO INFORMADO POR CARTÓRIO"
	case m.effect == Irregular && m.doc.Type() == document.CNPJ:
		s.Code, s.Text, s.Reason = 4, "INAPTA", "OMISSÃO DE DECLARAÇÕES"
	case m.effect == Irregular:
		s.Code, s.Text, s.Reason = 2, "SUSPENSA", "CADASTRO INCOMPLETO"
	case m.full:
		s.Reason = "SEM PENDÊNCIAS"
	}
	return s
}

func (m maker) contacts() contacts {
	var c contacts
	if m.effect == Nulls || m.effect == Gaps {
		return c
	}
	d := m.dice("contacts")
	home := pick(d, cities)
	m.many(d, func() { c.Phones = append(c.Phones, m.phone(d, home.ddd)) })
	first, rest, _ := strings.Cut(plain(m.name()), " ")
	last := rest[strings.LastIndexByte(rest, ' ')+1:]
	m.many(d, func() {
		c.Emails = append(c.Emails, fmt.Sprintf("%s.%s%d@correio.example", first, last, 10+d.n(90)))
	})
	m.many(d, func() {
		street := pick(d, streets)
		c.Addresses = append(c.Addresses, address{
			Kind: []string{"RESIDENCIAL", "COMERCIAL"}[d.n(2)], StreetKind: street.kind, Street: street.name,
			Number:     fmt.Sprint(1 + d.n(2999)),
			Complement: []string{"", "APTO 12", "SALA 3", "CASA 2"}[d.n(4)], District: pick(d, districts),
			City:       city{home.name, home.uf},
			PostalCode: fmt.Sprintf("%s%05d", home.cep, d.n(100000)), Latitude: "0.0", Longitude: "0.0",
		})
	})
	return c
}

// phone invents a number in an unassigned range.
func (m maker) phone(d *dice, area string) phone {
	p := phone{Area: area, Number: fmt.Sprintf("90%07d", d.n(10_000_000)), Kind: "MOVEL", Carrier: pick(d, carriers)}
	if d.n(4) == 0 {
		p.Number, p.Kind = fmt.Sprintf("20%06d", d.n(1_000_000)), "FIXO"
	}
	value := d.n(3)
	if m.sure {
		value %= 2
	}
	switch m.effect {
	case WhatsAppYes:
		value = 0
	case WhatsAppNo:
		value = 1
	case WhatsAppUnknown:
		value = 2
	}
	if value < 2 {
		p.Apps.WhatsApp = yes(value == 0)
	}
	return p
}

func (m maker) person() any {
	p := person{Born: unknownDate, Situation: m.situation(), Contacts: m.contacts(), Income: "0.00", Occupation: -1}
	if m.effect == Nulls {
		return p
	}
	d := m.dice("person")
	p.Name, p.Parents.Mother, p.Born = m.name(), fullName(d, true), d.day(1945, 2004)
	if d.n(3) > 0 {
		p.Parents.Father = fullName(d, false)
	}
	if m.effect == Gaps {
		p.Parents = parents{}
	}
	p.Sex, p.Income = "MASCULINO", cents(150050+d.n(900)*1000)
	if m.woman() {
		p.Sex = "FEMININO"
	}
	return p
}

func (m maker) company() any {
	c := company{
		Opened: unknownDate, Situation: m.situation(), Contacts: m.contacts(), Nature: coded{Code: -1}, Capital: "-1",
	}
	if m.effect == Nulls {
		return c
	}
	d := m.dice("company")
	c.Name = m.name()
	c.TradeName, c.Opened = strings.TrimSuffix(c.Name, " LTDA"), d.day(1980, 2023)
	nature, main := pick(d, natures), pick(d, activities)
	c.Nature, c.Size, c.Capital = coded{nature.code, nature.text}, pick(d, sizes), cents(1_000_050+d.n(90_000)*1000)
	c.Trade.Main = activity{main.code, main.text}
	m.many(d, func() {
		other := pick(d, activities)
		c.Trade.Others = append(c.Trade.Others, activity{other.code, other.text})
	})
	if m.effect == NoPartners {
		return c
	}
	m.many(d, func() {
		role := pick(d, roles)
		c.Partners = append(c.Partners, partner{
			Name: fullName(d, d.n(2) == 0), Document: fmt.Sprintf("***%06d**", d.n(1_000_000)),
			Role:       coded{role.code, role.text},
			Occupation: []int{-1, 2124, 2521, 1421}[d.n(4)], Since: d.day(1990, 2024),
		})
	})
	return c
}

func (m maker) status() any {
	if m.effect == Nulls {
		return status{Situation: m.situation()}
	}
	return status{m.name(), m.situation()}
}

func (m maker) death() any {
	switch m.effect {
	case Nulls:
		return death{Date: unknownDate}
	case Deceased:
		return death{yes(true), m.dice("death").day(2015, 2024)}
	}
	return death{yes(false), unknownDate}
}

func (m maker) shares() any {
	var s shares
	if m.effect == Nulls {
		return s
	}
	d := m.dice("shares")
	m.many(d, func() {
		role := pick(d, roles)
		s.Companies = append(s.Companies, share{
			Document: cnpjOf(fmt.Sprintf("99%06d0001", d.n(1_000_000))),
			Name:     pick(d, trades) + " " + pick(d, surname) + " LTDA",
			Role:     coded{role.code, role.text}, Percent: cents(100 + d.n(9901)), Since: d.day(1990, 2024),
		})
	})
	return s
}

func (m maker) protests() any {
	if m.effect == Nulls {
		return protests{Count: -1, Total: "-1"}
	}
	d := m.dice("protests")
	p := protests{}
	n, total := d.n(3), 0
	if m.full || m.effect == Single {
		n = m.count(d)
	}
	for range n {
		where, amount := pick(d, cities), 5050+d.n(500_000)
		total += amount
		p.Items = append(p.Items, protest{
			fmt.Sprintf("%dº TABELIONATO DE PROTESTO", 1+d.n(5)), city{where.name, where.uf}, d.day(2019, 2024), cents(amount),
		})
	}
	p.Count, p.Total = n, cents(total)
	return p
}

func (m maker) score() any {
	if m.effect == Nulls || m.effect == Gaps {
		return score{Points: -1, Risk: "-1"}
	}
	points := m.dice("score").n(1001)
	band := "ALTO RISCO"
	switch {
	case points >= 700:
		band = "BAIXO RISCO"
	case points >= 400:
		band = "MÉDIO RISCO"
	}
	return score{points, band, json.Number(fmt.Sprintf("%d.%d", (1000-points)/10, (1000-points)%10))}
}

func (m maker) vehicle() any {
	if m.effect == Nulls {
		return vehicle{Years: years{-1, -1}, Latitude: "0.0"}
	}
	d := m.dice("vehicle")
	where, year := pick(d, cities), 2005+d.n(19)
	v := vehicle{
		Plate: m.doc.Value(), Chassis: fmt.Sprintf("9BW%09d%05d", d.n(1_000_000_000), d.n(100_000)),
		Renavam: fmt.Sprintf("%011d", d.n(100_000_000)),
		Model:   pick(d, models), Years: years{year, year + d.n(2)}, Color: pick(d, colors), Fuel: pick(d, fuels),
		City: city{where.name, where.uf}, Latitude: "0.0",
	}
	if m.full || d.n(3) == 0 {
		v.Limits = append(v.Limits, pick(d, limits))
	}
	return v
}

func (m maker) mailbox() any {
	if m.effect == Nulls {
		return mailbox{}
	}
	d := m.dice("mailbox")
	deliverable := m.full || d.n(5) > 0
	_, domain, _ := strings.Cut(m.doc.Value(), "@")
	return mailbox{yes(true), yes(deliverable), yes(!m.full && d.n(8) == 0), domain}
}

// plain makes the words of a name usable in an e-mail address.
func plain(s string) string {
	return strings.ToLower(strings.NewReplacer("Á", "A", "Â", "A", "Ã", "A", "É", "E", "Ê", "E", "Í", "I", "Ó", "O", "Ô",
		"O", "Õ", "O", "Ú", "U", "Ç", "C", " LTDA", "", " & ", " ").Replace(s))
}
