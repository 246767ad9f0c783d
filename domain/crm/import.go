package crm

// Duplicates is what an import does with a row whose e-mail address, phone or document a contact already has.
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

// Import holds the settings of a BulkImport, and its progress.
type Import struct {
	// File is the name of the file.
	File string
	// Columns are the names of the columns, Fields what each becomes: a word of intake.ColumnFields.
	Columns []string
	Fields  []string

	Duplicates Duplicates
	// StageID is the stage that contacts enter, AssigneeID the member that they are assigned to.
	StageID    string
	AssigneeID string
	// Fires triggers automations for every contact that is made or changed.
	Fires bool

	// Made, Filled and Wrong count the rows that made a contact, that completed one, and that do not make one. The others
	// are counted in Bulk.Skipped.
	Made   int
	Filled int
	Wrong  int
}

// ImportRow is a row of the file of an import.
type ImportRow struct {
	// Line is its number in the file; the first is 1.
	Line  int
	Cells []string
}

// Fill returns a contact with its empty fields filled from another one. Name and e-mail address stay.
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
