package contacts

import (
	"testing"

	"fichario/domain/crm"
)

func TestSearchText(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]crm.Contact{
		"joao a@b otica +5511987654321": {
			Name: "JOÃO", Email: "a@b", Company: "Ótica", Phone: "(11) 98765-4321", PhoneE164: "+5511987654321",
		},
		"x y@z 4455": {Name: "x", Email: "y@z", Phone: "ramal 44-55"},
	} {
		if got := searchText(c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
