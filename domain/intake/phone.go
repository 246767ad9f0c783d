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
		for _, area := range c.partsOf(fieldArea) {
			if area.group == a.group {
				d.Phone = text.Digits(area.values[0]) + d.Phone
				area.taken = true
				break
			}
		}
	}
	for _, country := range c.partsOf(fieldCountry) {
		if country.group == a.group && names.CountDigits(d.Phone) <= 11 && d.Phone[0] != '+' {
			d.Phone = "+" + strings.TrimLeft(text.Digits(country.values[0]), "0") + " " + d.Phone
			country.taken = true
		}
	}
	d.PhoneE164 = fields.E164(d.Phone)
}

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
