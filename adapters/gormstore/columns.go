package gormstore

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

// uid is a UUID column: uuid on PostgreSQL, text on SQLite. An empty uid is never
// stored; optional columns are *uid.
type uid string

// GormDBDataType names the column type, for the test that compares the rows with
// the migrations.
func (uid) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	if db.Name() == "postgres" {
		return "uuid"
	}
	return "text"
}

func optional(id string) *uid {
	if id == "" {
		return nil
	}
	u := uid(id)
	return &u
}

// given drops empty ids; see byID.
func given(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
}

func (u *uid) text() string {
	if u == nil {
		return ""
	}
	return string(*u)
}

// timeOfID is the time in a UUIDv7, to the millisecond.
func timeOfID(id string) time.Time {
	ms, err := strconv.ParseInt(strings.ReplaceAll(id[:min(len(id), 13)], "-", ""), 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// firstID is the smallest UUIDv7 of a time: everything made earlier has a smaller id.
func firstID(at time.Time) string {
	ms := at.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7000-8000-000000000000", ms>>16, ms&0xffff)
}

// stamp is a time as it is stored: UTC, in whole microseconds, which both databases keep.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = stamp(t)
	return &t
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// literal writes a constant of the domain into a statement's text; a parameter would hide a partial index from the
// planner.
func literal[T ~string](constant T) string { return "'" + string(constant) + "'" }

// blob keeps GORM from expanding bytes after a parenthesis into a list of values.
type blob []byte

func (b blob) Value() (driver.Value, error) { return []byte(b), nil }

// sealJSON seals a value that is stored as JSON.
func (v *vault) sealJSON(value any, place string) []byte {
	plain, err := json.Marshal(value)
	if err != nil {
		panic(err) // only texts and numbers are stored this way
	}
	return v.seal(plain, place)
}

// sealTwo seals two values as one: the length of the first, the first, the second.
func (v *vault) sealTwo(former, latter []byte, place string) []byte {
	plain := binary.AppendUvarint(make([]byte, 0, 4+len(former)+len(latter)), uint64(len(former)))
	return v.seal(append(append(plain, former...), latter...), place)
}

func (v *vault) openTwo(sealed []byte, place string) (former, latter []byte, err error) {
	plain, err := v.open(sealed, place)
	if err != nil {
		return nil, nil, err
	}
	n, size := binary.Uvarint(plain)
	if size <= 0 || n > uint64(len(plain)-size) {
		return nil, nil, ports.ErrUnreadable
	}
	return plain[size : size+int(n)], plain[size+int(n):], nil
}

func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}

// orNotFound returns the error of an update, or ports.ErrNotFound where it matched no row.
func orNotFound(changed *gorm.DB) error {
	if changed.Error == nil && changed.RowsAffected == 0 {
		return ports.ErrNotFound
	}
	return changed.Error
}

func orNoID(id *uid) uid {
	if id == nil {
		return noID
	}
	return *id
}

// known is an id from a key, empty for noID.
func (u uid) known() string {
	if u == noID {
		return ""
	}
	return string(u)
}

// noID stands in a key for an absent id.
const noID = "00000000-0000-0000-0000-000000000000"

// commas joins a few words, none of which has a comma, for one column.
func commas[T ~string](words []T) string {
	return strings.Join(mapped(words, func(w T) string { return string(w) }), ",")
}

func fromCommas[T ~string](kept string) (words []T) {
	for word := range strings.SplitSeq(kept, ",") {
		if word != "" {
			words = append(words, T(word))
		}
	}
	return words
}

// idsSince is an id below all those of entries from a time on.
func idsSince(at time.Time) string {
	if at = at.Add(-clockSkew); at.Unix() > 0 {
		return firstID(at)
	}
	return beforeAll
}

// clockSkew is more than the time of an entry and the time in its id may differ by.
const clockSkew = time.Hour
