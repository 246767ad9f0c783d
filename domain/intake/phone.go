package intake

import (
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// mobileWords name a phone that its owner carries.
var mobileWords = names.Set(`whatsapp whats wpp wsp zap celular cel cell mobile movil`)

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
