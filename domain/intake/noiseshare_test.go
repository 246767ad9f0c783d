package intake

import (
	"fmt"
	"strings"
	"testing"

	"fichario/domain/intake/names"
)

// TestShareOfNoise measures how much of the notes no person wrote. In each line of a note, the answer is noise when it
// is an identifier, a time, the URL of a picture or service, a machine's word, or wordless under a technical key; the
// key is noise when a machine wrote it. Characters are counted, over the bodies of all tables and files.
func TestShareOfNoise(t *testing.T) {
	t.Parallel()
	noise, all := 0, 0
	for _, s := range everySubmission(t) {
		d, err := Read(Options{Kind: Generic}, s.typ, []byte(s.body))
		if err != nil {
			continue
		}
		all += len(d.Message)
		for _, p := range d.Leftover {
			all += len(p.Key) + len(p.Value)
			if machineKey(p.Key) {
				noise += len(p.Key)
			}
			if machineValue(p) {
				noise += len(p.Value)
			}
		}
	}
	if all == 0 {
		t.Fatal("no body was read")
	}
	share := fmt.Sprintf("%.1f %%", 100*float64(noise)/float64(all))
	t.Logf("%s of %d characters in notes are noise", share, all)
	if noise*100 > all*noiseLimit {
		t.Errorf("%s of the notes are noise, more than %d %%", share, noiseLimit)
	}
}

// noiseLimit is a percentage of the text of all notes.
const noiseLimit = 35

// machineKey reports whether a program named the answer: snake_case, camelCase, or a path of keys.
func machineKey(key string) bool {
	words := strings.Fields(key)
	if len(words) == 1 {
		return strings.ContainsAny(key, "_.$:/") || key != strings.ToLower(key) && len(names.Words(key)) > 1 && !accented(key)
	}
	for _, w := range words {
		if strings.ContainsAny(w, "_$") {
			return true
		}
	}
	return false
}

func accented(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) }

// machineValue reports whether a program generated the answer.
func machineValue(p Pair) bool {
	v := p.Value
	switch {
	case isStamp(v), strings.HasPrefix(v, "http") && machineKey(p.Key), strings.HasPrefix(v, "urn:"):
		return true
	case strings.ContainsAny(v, " \n,@"), accented(v):
		return false
	case strings.ContainsAny(v, "_:") || v == strings.ToUpper(v) && hasWord(v):
		return true
	case names.CountDigits(v) > 0 && hasWord(v) && len(v) >= 3 && len(v) <= 40 && strings.IndexByte(v, '.') < 0:
		return machineKey(p.Key) || len(v) >= 16
	case machineKey(p.Key):
		return v == strings.ToLower(v)
	}
	return false
}
