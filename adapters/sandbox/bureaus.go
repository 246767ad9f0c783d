package sandbox

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"fichario/domain/catalog"
)

// The bureaus of the sandbox.
const (
	Plain = "sandbox"
	// Complete is dearer, knows everybody, and never fails.
	Complete = "sandbox-completo"
	// Cheap has gaps; it also refuses some published documents free of charge.
	Cheap = "sandbox-barato"
)

// Names are the names of the sandbox's bureaus.
func Names() []string { return []string{Plain, Complete, Cheap} }

// Is reports whether a name is that of a bureau of the sandbox.
func Is(name string) bool { return slices.Contains(Names(), name) }

//go:embed sandbox.yaml
var file string

var price = regexp.MustCompile(`price: "([0-9.]+)"`)

// File returns the bureau file that maps a bureau of the sandbox: all nine products, with prices in reais. Its base_url
// has a host that resolves nowhere; connections come from the dial function of Start.
func File(name string) []byte {
	const head, cheapBill = "name: sandbox\nbase_url: http://sandbox.invalid/v1\n",
		"not_charged: [429]\nexhausted: { status: 402, until: manual }\n"
	double := func(p catalog.Money) catalog.Money { return p * 2 }
	half := func(p catalog.Money) catalog.Money { return p / 2 }
	own := "name: " + name + "\nbase_url: http://sandbox.invalid" + prefix(name) + "/v1\n"
	switch name {
	case Complete:
		return []byte(priced(strings.Replace(file, head, own, 1), double))
	case Cheap:
		return []byte(priced(strings.Replace(file, head, own+cheapBill, 1), half))
	}
	return []byte(file)
}

// priced changes the prices of a bureau file.
func priced(text string, change func(catalog.Money) catalog.Money) string {
	return price.ReplaceAllStringFunc(text, func(found string) string {
		p, err := catalog.ParseMoney(price.FindStringSubmatch(found)[1])
		if err != nil {
			return found // the file is part of the program, and tested
		}
		return `price: "` + change(p).String() + `"`
	})
}

// prefix is where the paths of a bureau begin.
func prefix(name string) string {
	if name == Plain {
		return ""
	}
	return "/" + name
}
