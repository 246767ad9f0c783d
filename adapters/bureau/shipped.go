package bureau

import "embed"

//go:embed files/*.yaml
var files embed.FS

// Shipped returns a bureau file that comes with the program: "brasilapi" (public CNPJ data), "minhareceita" (the same,
// from a server of one's own), and examples for the others, with what was never tried in the comment that each begins
// with.
func Shipped(name string) ([]byte, bool) {
	for _, shipped := range ShippedNames() {
		if name == shipped {
			b, err := files.ReadFile("files/" + name + ".yaml")
			return b, err == nil
		}
	}
	return nil, false
}

// ShippedNames lists the bureau files that come with the program.
func ShippedNames() []string {
	return []string{
		"bigdatacorp", "brasilapi", "cnpja", "directdata", "infosimples", "minhareceita", "receitaws", "serpro",
	}
}
