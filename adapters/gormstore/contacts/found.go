package contacts

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/ports"
)

// searchFront is how many contacts, from the first of the list on, a search looks at before it asks its index: common
// words are found there. It is also up to how many contacts of a filter are looked at directly, and how many may be
// missing from the index.
const searchFront = 5000

// search finds contacts that contain some words.
type search struct {
	db    *gorm.DB
	orgID string
	ports.ContactFilter
	// by is the filter that leaves the fewest contacts, n how many, counted to at most searchFront + 1.
	by engine.Walk
	n  int
	// upTo is the last contact in the index; "" where contacts are looked at one by one, because they are few or the index
	// lacks many.
	upTo string
}

func newSearch(db *gorm.DB, orgID string, f ports.ContactFilter) (s search, err error) {
	s = search{db: db, orgID: orgID, ContactFilter: f}
	if s.by, s.n, err = narrowest(db, orgID, f, searchFront); err != nil || s.n <= searchFront {
		return s, err
	}
	var upTo string
	var late int
	if err := db.Raw("SELECT up_to FROM contact_index").Scan(&upTo).Error; err != nil {
		return s, err
	}
	some := s.late().Page(Inside(db).Select("1"), "contacts", upTo, engine.AfterAll, false, searchFront+1)
	err = db.Raw("SELECT COUNT(*) FROM (?) AS late", some).Scan(&late).Error
	if err == nil && late <= searchFront {
		s.upTo = upTo
	}
	return s, err
}

// late walks the contacts after upTo, which the index does not have yet.
func (s search) late() engine.Walk {
	return engine.WalkOf("contacts_org", "org_id", s.orgID)
}

// page returns the ids of the contacts of a page, and possibly some that follow it.
func (s search) page(in sequence, ascending bool, limit int) (ids []string, err error) {
	// SQLite reads its index in the order of arrival.
	streamed := s.db.Name() == "sqlite" && in.key == "id"
	if !streamed {
		front := s.among(s.front(in, ascending))
		if err := in.cut(front, limit).Pluck("id", &ids).Error; err != nil || len(ids) == limit {
			return ids, err
		}
	}
	late := s.late().Page(Inside(s.db), "contacts", s.upTo, engine.AfterAll, ascending, searchFront)
	if err := in.cut(in.beyondLast(s.among(late)), limit).Pluck("id", &ids).Error; err != nil {
		return nil, err
	}
	var indexed []string
	found := in.beyondLast(s.indexed(in.key == "amount"))
	if streamed {
		found, limit = s.stream(found, in, ascending), limit+displaced
	} else {
		found = found.Order(in.order(true))
	}
	err = found.Limit(limit).Pluck("id", &indexed).Error
	return append(ids, indexed...), err
}

// displaced is the number of places among which contacts may be out of the order of their ids.
const displaced = 64

// stream reads SQLite's index in the order of its places.
func (s search) stream(found *gorm.DB, in sequence, ascending bool) *gorm.DB {
	above, below := in.between(s.Since, ascending)
	if ascending {
		return found.Where("t.rowid >= ?", placeOf(above)).Order("t.rowid")
	}
	if below != engine.AfterAll {
		found = found.Where("t.rowid <= ?", placeOf(below)+displaced)
	}
	return found.Order("t.rowid DESC")
}

// front selects the first contacts of the list.
func (s search) front(in sequence, ascending bool) *gorm.DB {
	if in.key != "id" {
		return in.cut(in.beyondLast(in.indexed(Inside(s.db)).Where("org_id = ?", s.orgID)), searchFront)
	}
	above, below := in.between(s.Since, ascending)
	return s.by.Page(engine.Routed(s.orgID)(Inside(s.db)), "contacts", above, below, ascending, searchFront)
}

// among keeps those of some contacts that the search wants.
func (s search) among(some *gorm.DB) *gorm.DB {
	return filtered(s.orgID, s.ContactFilter)(Inside(s.db).Table("(?) AS contacts", some))
}

// indexed selects the contacts that the index finds, with or without their amounts.
func (s search) indexed(amounts bool) *gorm.DB {
	db := Inside(s.db)
	if db.Name() == "sqlite" {
		// CROSS JOIN fixes the order in which SQLite reads them. Without the name of the index, it reads for each match all
		// contacts that a page by amount may have.
		db = db.Table("contact_trigrams AS t CROSS JOIN contact_words AS w CROSS JOIN contacts INDEXED BY "+contactsByID).
			Where("t.contact_trigrams MATCH ? AND w.place = t.rowid AND id = w.contact_id", matching(s.orgID, s.Words)).
			Where("t.rowid >= ?", placeOf(engine.IDsSince(s.Since)))
		return filtered(s.orgID, s.ContactFilter)(db)
	}
	words := s.db.Session(&gorm.Session{NewDB: true}).Table("contact_words").
		Where("org_id = ? AND contact_id > ?", s.orgID, engine.IDsSince(s.Since))
	for _, word := range s.Words {
		words = words.Where(like(db, word))
	}
	filter := filtered(s.orgID, s.ContactFilter)
	switch {
	case s.Waiting || s.MinAmount != 0 || s.StageID+s.OriginID+s.AssigneeID+s.WebhookID != "":
		// OFFSET 0 is an optimisation fence: PostgreSQL must not plan for the outer order and limit.
		matching := filter(Inside(s.db).Where("id IN (?)", words.Select("contact_id")))
		return db.Table("(? OFFSET 0) AS contacts", matching)
	case amounts || !s.Since.IsZero():
		// Matches are always read by id; without the fence PostgreSQL misjudges how many there are.
		return filter(db.Table("(? OFFSET 0) AS w CROSS JOIN LATERAL "+
			"(SELECT * FROM contacts WHERE id = w.contact_id OFFSET 0) AS contacts", words.Select("contact_id")))
	}
	return db.Table("(? OFFSET 0) AS contacts", words.Select("contact_id AS id, words AS search"))
}

// count counts the matches, up to most; n must be at most searchFront, or upTo set.
func (s search) count(most int) (n int, err error) {
	// PostgreSQL's index reads everything that it has of a word.
	if s.n <= searchFront || s.db.Name() == "postgres" {
		of := engine.Routed(s.orgID)(Inside(s.db))
		front := s.by.Page(of, "contacts", engine.IDsSince(s.Since), engine.AfterAll, false, searchFront)
		if n, err = s.few(s.among(front), most); err != nil || n == most || s.n <= searchFront {
			return n, err
		}
	}
	late := s.late().Page(Inside(s.db), "contacts", s.upTo, engine.AfterAll, false, searchFront)
	if n, err = s.few(s.among(late), most); err != nil || n == most {
		return n, err
	}
	indexed, err := s.few(s.indexed(false).Where("id <= ?", s.upTo), most-n)
	return n + indexed, err
}

// few counts contacts, up to most.
func (s search) few(some *gorm.DB, most int) (n int, err error) {
	err = s.db.Raw("SELECT COUNT(*) FROM (?) AS few", some.Select("1").Limit(most)).Scan(&n).Error
	return n, err
}

// contactsByID is SQLite's index of the primary key.
const contactsByID = "sqlite_autoindex_contacts_1"

// sequence is the order of a list, and where its page begins.
type sequence struct {
	key, index         string
	direction, compare string
	// unindexed, appended to the key, makes an expression that no index has.
	unindexed string
	// after has the key and the id of the contact that the page follows; nil on the first page.
	after []any
}

func sequenceOf(db *gorm.DB, q ports.ContactQuery, last ContactRow) sequence {
	s := sequence{key: "id", index: contactsByID, direction: " DESC", compare: " < "}
	var value any
	switch q.Order {
	case crm.ByName:
		s.key, s.unindexed, s.index, value = byName(db), " || ''", "contacts_name", begin(last.Search, 80)
	case crm.ByAmount:
		s.key, s.unindexed, s.index, value = "amount", " + 0", "contacts_amount", last.Amount
	}
	if q.Ascending {
		s.direction, s.compare = " ASC", " > "
	}
	if last.ID != "" {
		s.after = []any{value, last.ID}
	}
	return s
}

func (s sequence) last() string {
	if s.after == nil {
		return ""
	}
	return string(s.after[1].(engine.UID)) //nolint:forcetypeassert // as sequenceOf made it
}

// between returns two ids, both exclusive, that bound a page in the order of arrival.
func (s sequence) between(since time.Time, ascending bool) (above, below string) {
	if ascending {
		return max(engine.IDsSince(since), s.last()), engine.AfterAll
	}
	return engine.IDsSince(since), cmp.Or(s.last(), engine.AfterAll)
}

// order is the ORDER BY expression; apart from the index, where that must not be walked.
func (s sequence) order(apart bool) string {
	switch {
	case s.key == "id":
		return s.key + s.direction
	case apart:
		return s.key + s.unindexed + s.direction + ", id" + s.direction
	}
	return s.key + s.direction + ", id" + s.direction
}

// apart sorts what few contacts are left, instead of walking the index of the order past all others.
func (s sequence) apart(db *gorm.DB) *gorm.DB {
	switch {
	case s.key != "id":
		return db.Order(s.order(true))
	case db.Name() == "postgres":
		return db.Order(`CAST(id AS text) COLLATE "C"` + s.direction)
	}
	return db.Order("id || ''" + s.direction)
}

func (s sequence) cut(db *gorm.DB, limit int) *gorm.DB { return db.Order(s.order(false)).Limit(limit) }

// beyondLast keeps what comes after the contact that the page follows.
func (s sequence) beyondLast(db *gorm.DB) *gorm.DB {
	switch {
	case s.after == nil:
		return db
	case s.key == "id":
		return db.Where("id"+s.compare+"?", s.after[1])
	}
	return db.Where("("+s.key+", id)"+s.compare+"(?, ?)", s.after...)
}

// indexed tells SQLite, which has no statistics, the index of the order.
func (s sequence) indexed(db *gorm.DB) *gorm.DB {
	if db.Name() != "sqlite" {
		return db
	}
	return db.Table("contacts INDEXED BY " + s.index)
}

// A word of three or more characters is found anywhere, and so are signs. A shorter one is found only where a word
// begins, because nearly every contact has it somewhere; its digits are also found as an area code.
const (
	wordMin  = 3
	areaCode = "+55"
)

// beginnings are the texts that a short word is found as, after a space; nil for a word that is found anywhere.
func beginnings(word string) []string {
	sign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	if utf8.RuneCountInString(word) >= wordMin || strings.TrimFunc(word, sign) == "" {
		return nil
	}
	if strings.Trim(word, "0123456789") == "" {
		return []string{" " + word, " +" + word, " " + areaCode + word}
	}
	return []string{" " + word}
}

// having is the condition that a contact contains a word. Both databases have a function for it, by different names,
// that takes the text literally.
func having(db *gorm.DB, word string) *gorm.DB {
	find := "instr"
	if db.Name() == "postgres" {
		find = "strpos"
	}
	short := beginnings(word)
	if short == nil {
		return db.Where(find+"(search, ?) > 0", word)
	}
	conditions := make([]string, len(short))
	values := make([]any, len(short))
	for i, begins := range short {
		conditions[i], values[i] = find+"(' ' || search, ?) > 0", begins
	}
	return db.Where("("+strings.Join(conditions, " OR ")+")", values...)
}

// like is having for PostgreSQL's index.
func like(db *gorm.DB, word string) *gorm.DB {
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace
	short := beginnings(word)
	db = db.Session(&gorm.Session{NewDB: true})
	if short == nil {
		return db.Where("words LIKE ?", "%"+escape(word)+"%")
	}
	for _, begins := range short {
		begins = escape(begins)
		db = db.Or("words LIKE ?", begins[1:]+"%").Or("words LIKE ?", "%"+begins+"%")
	}
	return db
}

// matching is the query to SQLite's index for all the trigrams of the words.
func matching(orgID string, words []string) string {
	const most = 24 // trigrams per word: enough to leave few other contacts
	trigrams := func(text string) string {
		var all []string
		runes := []rune(text)
		for i := range len(runes) - 2 {
			one := `"` + strings.ReplaceAll(string(runes[i:i+3]), `"`, `""`) + `"`
			if !slices.Contains(all, one) && len(all) < most {
				all = append(all, one)
			}
		}
		return strings.Join(all, " AND ")
	}
	var org [3]rune // encoded as in contact_texts
	for i := range org {
		org[i] = 0xE000 + 1 + rune(strings.IndexByte("0123456789abcdef", orgID[len(orgID)-1-i]))
	}
	all := []string{trigrams(string(org[:]))}
	for _, word := range words {
		short := beginnings(word)
		if short == nil {
			short = []string{word}
		}
		if short[0] == word && utf8.RuneCountInString(word) < wordMin {
			continue // one or two signs, which the index does not distinguish
		}
		for i, begins := range short {
			short[i] = "(" + trigrams(strings.ReplaceAll(begins, " ", "  ")) + ")"
		}
		all = append(all, "("+strings.Join(short, " OR ")+")")
	}
	return strings.Join(all, " AND ")
}
