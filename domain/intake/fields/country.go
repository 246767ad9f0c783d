package fields

import (
	"strings"

	"github.com/nyaruka/phonenumbers"

	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// Country returns the two letters of a country that is written in letters, as a name or, after a plus, as the code
// before its phones: "US", "Estados Unidos", "+1". It returns "" for anything else.
func Country(said string) string {
	said = strings.TrimSpace(said)
	if len(said) < 1 || len(said) > 40 {
		return ""
	}
	if digits := text.Digits(said); digits != "" {
		if said[0] != '+' {
			return "" // as often the number of a row
		}
		code := 0
		for i := range min(len(digits), 4) {
			code = 10*code + int(digits[i]-'0')
		}
		if found := phonenumbers.GetRegionCodeForCountryCode(code); found != "ZZ" && found != "001" {
			return found
		}
		return ""
	}
	if found := countries[names.Of(said)]; found != "" {
		return found
	}
	if code := strings.ToUpper(said); len(code) == 2 && phonenumbers.GetCountryCodeForRegion(code) != 0 {
		return code
	}
	return ""
}

// countries are the countries that leads come from, by their names and their codes of three letters, in normal form.
var countries = names.ByWord(map[string]string{
	"BR": `brasil brazil bra`, "US": `usa eua unitedstates unitedstatesofamerica estadosunidos estadosunidosdaamerica`,
	"CA": `canada can`, "PT": `portugal prt`, "ES": `espanha spain espana esp`, "AR": `argentina arg`, "CL": `chile chl`,
	"CO": `colombia col`, "MX": `mexico mex`, "PE": `peru per`, "UY": `uruguai uruguay ury`, "PY": `paraguai paraguay pry`,
	"BO": `bolivia bol`, "EC": `equador ecuador ecu`, "VE": `venezuela ven`, "AO": `angola ago`,
	"MZ": `mocambique mozambique moz`, "GB": `uk reinounido unitedkingdom inglaterra england greatbritain gbr`,
	"FR": `franca france fra`, "DE": `alemanha germany deutschland deu`, "IT": `italia italy ita`,
	"IE": `irlanda ireland irl`, "CH": `suica switzerland che`, "NL": `holanda paisesbaixos netherlands nld`,
	"JP": `japao japan jpn`, "AU": `australia aus`, "IN": `india ind`, "CN": `china chn`,
})
