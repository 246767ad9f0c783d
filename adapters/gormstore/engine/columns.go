package engine

import (
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"fichario/ports"
)

// UID is a UUID column: uuid on PostgreSQL, text on SQLite. An empty uid is never
// stored; optional columns are *uid.
type UID string

// GormDBDataType names the column type, for the test that compares the rows with
// the migrations.
func (UID) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	if db.Name() == "postgres" {
		return "uuid"
	}
	return "text"
}

// Optional is an id, or nil for none.
func Optional(id string) *UID {
	if id == "" {
		return nil
	}
	u := UID(id)
	return &u
}

// Given drops empty ids; see byID.
func Given(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
}

// Text is the id, or nothing for none.
func (u *UID) Text() string {
	if u == nil {
		return ""
	}
	return string(*u)
}

// TimeOfID is the time in a UUIDv7, to the millisecond.
func TimeOfID(id string) time.Time {
	ms, err := strconv.ParseInt(strings.ReplaceAll(id[:min(len(id), 13)], "-", ""), 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// FirstID is the smallest UUIDv7 of a time: everything made earlier has a smaller id.
func FirstID(at time.Time) string {
	ms := at.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7000-8000-000000000000", ms>>16, ms&0xffff)
}

// Stamp is a time as it is stored: UTC, in whole microseconds, which both databases keep.
func Stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// OptionalTime is a time as it is stored, or nil for none.
func OptionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = Stamp(t)
	return &t
}

// TimeOf is a stored time; zero for none.
func TimeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// Literal writes a constant of the domain into a statement's text; a parameter would hide a partial index from the
// planner.
func Literal[T ~string](constant T) string { return "'" + string(constant) + "'" }

// Blob keeps GORM from expanding bytes after a parenthesis into a list of values.
type Blob []byte

// Value is the bytes.
func (b Blob) Value() (driver.Value, error) { return []byte(b), nil }

// SealJSON seals a value that is stored as JSON.
func (v *Vault) SealJSON(value any, place string) []byte {
	plain, err := json.Marshal(value)
	if err != nil {
		panic(err) // only texts and numbers are stored this way
	}
	return v.Seal(plain, place)
}

// SealTwo seals two values as one: the length of the first, the first, the second.
func (v *Vault) SealTwo(former, latter []byte, place string) []byte {
	plain := binary.AppendUvarint(make([]byte, 0, 4+len(former)+len(latter)), uint64(len(former)))
	return v.Seal(append(append(plain, former...), latter...), place)
}

// OpenTwo opens what SealTwo sealed; ports.ErrUnreadable.
func (v *Vault) OpenTwo(sealed []byte, place string) (former, latter []byte, err error) {
	plain, err := v.Open(sealed, place)
	if err != nil {
		return nil, nil, err
	}
	n, size := binary.Uvarint(plain)
	if size <= 0 || n > uint64(len(plain)-size) {
		return nil, nil, ports.ErrUnreadable
	}
	return plain[size : size+int(n)], plain[size+int(n):], nil
}

// Same is a row as it is, for a query that wants no other form of it.
func Same[Row any](row Row) Row { return row }

// Mapped applies a function to each element.
func Mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}

// OrNotFound returns the error of an update, or ports.ErrNotFound where it matched no row.
func OrNotFound(changed *gorm.DB) error {
	if changed.Error == nil && changed.RowsAffected == 0 {
		return ports.ErrNotFound
	}
	return changed.Error
}

// OrNoID is an id, or NoID for none.
func OrNoID(id *UID) UID {
	if id == nil {
		return NoID
	}
	return *id
}

// Known is an id from a key, empty for NoID.
func (u UID) Known() string {
	if u == NoID {
		return ""
	}
	return string(u)
}

// NoID stands in a key for an absent id.
const NoID = "00000000-0000-0000-0000-000000000000"

// Commas joins a few words, none of which has a comma, for one column.
func Commas[T ~string](words []T) string {
	return strings.Join(Mapped(words, func(w T) string { return string(w) }), ",")
}

// FromCommas are the words that Commas joined.
func FromCommas[T ~string](kept string) (words []T) {
	for word := range strings.SplitSeq(kept, ",") {
		if word != "" {
			words = append(words, T(word))
		}
	}
	return words
}

// IDsSince is an id below all those of entries from a time on.
func IDsSince(at time.Time) string {
	if at = at.Add(-ClockSkew); at.Unix() > 0 {
		return FirstID(at)
	}
	return BeforeAll
}

// ClockSkew is more than the time of an entry and the time in its id may differ by.
const ClockSkew = time.Hour
