package crm

// Preference names something that the interface remembers for each member. A value holds nothing about contacts or
// other persons: a saved view keeps its filters and its order, never the text that was searched for.
type Preference string

// The preferences.
const (
	// ContactDensity is how tall the rows of the list of contacts are.
	ContactDensity Preference = "contatos.densidade"
	// ContactColumns are the columns of that list, in their order.
	ContactColumns Preference = "contatos.colunas"
	// ContactViews are its saved views.
	ContactViews Preference = "contatos.vistas"
	// AskPurpose is the purpose that was last chosen for a lookup.
	AskPurpose Preference = "consultar.finalidade"
)

// PreferenceMax is the length of the longest value, in bytes.
const PreferenceMax = 4096

// Valid reports whether the interface remembers this.
func (p Preference) Valid() bool {
	switch p {
	case ContactDensity, ContactColumns, ContactViews, AskPurpose:
		return true
	}
	return false
}
