package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// mobileWords name a phone that its owner carries.
var mobileWords = names.Set(wordsOfMobiles)

const wordsOfMobiles = `whatsapp whats wpp wsp zap celular cel cell mobile movil`

// landlinePenalty ranks other phones after mobiles.
const landlinePenalty = 5

// takePhone takes the best phone, with the area and country beside it.
func (c *chooser) takePhone(d *Draft) {
	a := c.best[fieldPhone].answer
	if a == nil {
		a = c.numberBesideArea()
	}
	if a == nil {
		return
	}
	d.Phone = text.OneLine(a.values[0])
	if a.number != "" {
		d.Phone = fields.PlainNumber(a.number)
	}
	a.taken = len(a.values) == 1
	d.take(fieldPhone, a)
	if names.CountDigits(d.Phone) <= 9 {
		if area := partBeside(c.partsOf(fieldArea), a); area != nil {
			d.Phone = text.Digits(area.values[0]) + d.Phone
			area.taken = true
		}
	}
	if names.CountDigits(d.Phone) <= 11 && !strings.HasPrefix(d.Phone, "+") {
		if country := partBeside(c.partsOf(fieldCountry), a); country != nil {
			whole := "+" + strings.TrimLeft(text.Digits(country.values[0]), "0") + " " + d.Phone
			local := text.Digits(country.values[0]) + d.Phone
			switch isCountry := fields.E164(whole) != "" && (c.nation(a) != brazil || fields.E164(local) == ""); {
			case !isCountry && names.CountDigits(d.Phone) <= 9 && fields.E164(local) != "":
				d.Phone, country.taken = local, true // the "local code" is the area's
			// An extension is some products' word for the country, and most people's for a desk.
			case !strings.HasSuffix(names.Of(country.name()), "extension") || isCountry:
				d.Phone, country.taken = whole, true
			}
		}
	}
	nation := c.nation(a)
	d.PhoneE164 = fields.E164In(d.Phone, nation)
	if nation != "" && nation != brazil && d.PhoneE164 != fields.E164(d.Phone) {
		d.Phone = "+" + strings.TrimPrefix(d.PhoneE164, "+") // what else is read of it has no country beside it
	}
}

// brazil is the country of a number where nothing says which.
const brazil = "BR"

// nationKeys are the keys of a contact's country, in normal form, beside those of its code.
const nationKeys = `
	country pais countryname nomepais countryiso isocountry countryiso2 countrycodeiso countrycodev2 phonecountry
	paisderesidencia paisresidencia countryofresidence billingcountry customercountry addresscountry usercountry`

// nation returns the country that the body states for a phone's person: of several the one nearest to it.
func (c *chooser) nation(phone *answer) string {
	if strings.HasPrefix(phone.values[0], "+") {
		return ""
	}
	found, nearest := "", 4
	for i := range c.answers {
		a := &c.answers[i]
		named := a.entry.nation || a.entry.field == fieldCountry && hasWord(a.values[0])
		if !named || a.staff || a.ofOurs() {
			continue
		}
		around := names.Words(a.prefix)
		if a.shut && !names.HasAny(around, addresses) || names.HasAny(around, elsewhere) || names.HasAny(around, relations) {
			continue
		}
		distance := 3
		switch {
		case a.group == phone.group:
			distance = 0
		case c.encloses(phone.group, a.group):
			distance = 1
		case c.encloses(a.group, phone.group):
			distance = 2
		}
		if said := fields.Country(a.values[0]); said != "" && distance < nearest {
			found, nearest = said, distance
		}
	}
	return found
}

// addresses are the words around what stands in an address of the contact.
var addresses = names.Set(`address addresses endereco enderecos billing shipping`)

// elsewhere are the words around a country that is not that of the contact's phone.
var elsewhere = names.Set(`
	ip geo geoip store shop loja event evento venue account conta device page card cartao location company empresa
	organization organisation organizacao employer business school escola destination destino origin origem product
	produto browser`)

// partBeside returns the area or country beside a phone: the one whose key names that phone, else one that names none,
// else the first.
func partBeside(parts []*answer, phone *answer) *answer {
	var best *answer
	rank, of := 0, names.Of(phone.name())
	for _, p := range parts {
		if p.group != phone.group {
			continue
		}
		its := partMarks.Replace(names.Of(p.name()))
		found := 1
		switch {
		case its == of:
			found = 4
		case its == "":
			found = 2
		case strings.Contains(of, its) || strings.Contains(its, of):
			found = 3
		}
		if found > rank {
			best, rank = p, found
		}
	}
	return best
}

// partMarks takes out of a key, in normal form, what makes it that of a part of a phone.
var partMarks = strings.NewReplacer(
	"ddd", "", "ddi", "", "codigodearea", "", "codigodopais", "", "codigopais", "", "areacode", "", "countrycode", "",
	"dialcode", "", "callingcode", "")

// numberBesideArea finds a number that is a phone only because of the area code beside it.
func (c *chooser) numberBesideArea() *answer {
	areas := c.partsOf(fieldArea)
	for _, area := range areas[:min(len(areas), 4)] { // of a thousand, none is the contact's
		for i := range c.answers {
			a := &c.answers[i]
			if a.group != area.group || a.closed || a.field != noField || len(a.values) > 1 {
				continue
			}
			if n := names.CountDigits(a.values[0]); n != 8 && n != 9 || !phoneLike(a.values[0]) {
				continue
			}
			switch names.Of(a.key) {
			case "numero", "number", "num":
				return a
			}
		}
	}
	return nil
}

// phoneByLook finds a number of ten to thirteen digits: first one under a meaningless key or written as only phones
// are, then a bare Brazilian one under a key that names no other number.
func (c *chooser) phoneByLook() {
	for _, looks := range [...]func(a *answer, v string) bool{surePhone, barePhone} {
		for i := range c.answers {
			a := &c.answers[i]
			if c.best[fieldPhone].answer != nil {
				return
			}
			v := a.values[0]
			if !a.free() || len(a.values) > 1 || len(v) > fields.MaxPhone || !phoneLike(v) {
				continue
			}
			if n := names.CountDigits(v); n < 10 || n > 13 || a.saysNotTheirs() {
				continue
			}
			if looks(a, v) {
				c.claim(a, bid{field: fieldPhone, strength: lookOnly})
				c.settle()
			}
		}
	}
}

// surePhone reports whether a number is surely a phone: its key means nothing, or it is written as only phones are.
func surePhone(a *answer, v string) bool {
	return (a.title == "" && saysNothing(a.key) || strings.ContainsAny(v, "(+")) && fields.E164(v) != ""
}

// barePhone reports whether a number can be a Brazilian phone, and its key names nothing else.
func barePhone(a *answer, v string) bool {
	if strings.IndexByte(a.name(), ' ') >= 0 || isRecentMoment(v) || !strings.HasPrefix(fields.E164(v), "+55") {
		return false // a question's title says what it asks for
	}
	if _, grouped := fields.Ungroup(v); grouped && strings.IndexByte(v, '.') > 0 {
		return false // an amount
	}
	name := names.Of(join(a.prefix, a.key, a.title))
	return !strings.HasSuffix(name, "id") && !names.HasAny(names.Words(join(a.prefix, a.key, a.title)), otherNumbers) &&
		!slices.ContainsFunc(partsOfOtherNumbers, func(part string) bool { return strings.Contains(name, part) })
}

// isRecentMoment reports whether a number is a Unix time of 2017 to 2033, which looks like a phone of the area codes 15
// to 19.
func isRecentMoment(v string) bool {
	return len(v) == 10 && names.CountDigits(v) == 10 && v > "15" && v < "20"
}

// otherNumbers are words in keys whose number is not a phone; partsOfOtherNumbers count even inside a word, as in
// "numeropedido".
var (
	otherNumbers = names.Set(`
		ts conta contas nf nfe ref sku ean gtin cnh cns nis sus ie im crm oab creci lote quadra serie token hash key chave
		data		nit pasep siape uc vin km dia mes ano peso area total count qtd score lat lng renda divida idade
		value`)
	partsOfOtherNumbers = strings.Fields(`
		cpf cnpj pedido order protocol codig code contrat invoice transa fatura boleto nota account agencia banco bank card
		cartao placa matric process apolice registr inscri cadastr ticket chamado rastre track refer serial session sessao
		barra imei renavam chassi titulo document ident postal date time stamp created updated valor amount price
		preco salario income revenue receita custo cost saldo balance quant version visit pixel device build instala
		benefic carteir consumidor medidor
		prontuar passap passport licen`)
)

// phoneLike reports whether a text holds only characters that phones are written with.
func phoneLike(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return !fields.InNumber(c) })
}
