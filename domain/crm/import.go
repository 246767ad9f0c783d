package crm

// Duplicates is what an import does with a row whose e-mail address, phone or document a contact has.
type Duplicates string

// The rules for duplicates.
const (
	// SkipDuplicates leaves the contact as it is.
	SkipDuplicates Duplicates = "pular"
	// FillDuplicates gives the contact what it lacks.
	FillDuplicates Duplicates = "completar"
	// CreateDuplicates makes another contact.
	CreateDuplicates Duplicates = "criar"
)

// Valid reports whether d is a known rule.
func (d Duplicates) Valid() bool {
	return d == SkipDuplicates || d == FillDuplicates || d == CreateDuplicates
}

// Import are the settings of a BulkImport, and how far it is.
type Import struct {
	// File is its name.
	File string `json:"arquivo"`
	// Columns are what the columns are called, Fields what each becomes: a word of intake.ColumnFields.
	Columns []string `json:"colunas"`
	Fields  []string `json:"campos"`

	Duplicates Duplicates `json:"duplicados"`
	// StageID is where contacts enter, AssigneeID whose they are.
	StageID    string `json:"etapa"`
	AssigneeID string `json:"responsavel"`
	// Fires has automations told of every contact that is made or changed.
	Fires bool `json:"automacoes"`

	// Made, Filled and Wrong are rows of which a contact was made, that a contact was filled from, and that are no
	// contact. The others are Bulk.Skipped.
	Made   int `json:"criados"`
	Filled int `json:"completados"`
	Wrong  int `json:"erros"`
}

// ImportRow is a row of the file of an import.
type ImportRow struct {
	// Line is its number in the file; the first is 1.
	Line  int      `json:"linha"`
	Cells []string `json:"celulas"`
}

// Fill returns a contact with what it lacks from another one. The name and the address stay.
func Fill(c, from Contact) Contact {
	if c.Phone == "" {
		c.Phone, c.PhoneE164 = from.Phone, from.PhoneE164
	}
	if c.Company == "" {
		c.Company = from.Company
	}
	if c.Amount == 0 {
		c.Amount = from.Amount
	}
	if len(c.Documents) == 0 {
		c.Documents = from.Documents
	}
	if c.OriginID == "" {
		c.OriginID = from.OriginID
	}
	if c.Note == "" {
		c.Note = from.Note
	}
	return c
}
