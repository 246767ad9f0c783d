package intake

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fichario/domain/intake/tree"
)

// TestOrderOfKeys: a body whose keys are reordered at every level gives the same contact.
func TestOrderOfKeys(t *testing.T) {
	t.Parallel()
	rnd, compared := rand.New(rand.NewPCG(11, 4)), 0
	for name, s := range everySubmission(t) {
		want, err := Read(Options{Kind: Generic}, s.typ, []byte(s.body))
		if err != nil {
			continue
		}
		for range 12 {
			body, ok := shuffledBody(rnd, s)
			if !ok {
				break
			}
			got, err := Read(Options{Kind: Generic}, s.typ, []byte(body))
			if err != nil {
				t.Fatalf("%s: %v in %s", name, err, body)
			}
			if a, b := contactOf(want), contactOf(got); a != b {
				t.Fatalf("%s: another contact by the order of keys\n%s\n%s\nfrom %s", name, a, b, body)
			}
			compared++
		}
	}
	if compared < 1000 {
		t.Errorf("only %d bodies were compared", compared)
	}
}

// submission is a body with its content type.
type submission struct{ typ, body string }

// everySubmission returns the bodies of all tables and files.
func everySubmission(t testing.TB) map[string]submission {
	t.Helper()
	all := map[string]submission{}
	for _, p := range productBodies {
		all[p.name] = submission{p.typ, p.body}
	}
	for _, file := range exampleFiles(t) {
		var e expectation
		if raw, err := os.ReadFile(file); err != nil || json.Unmarshal(raw, &e) != nil {
			t.Fatalf("%s: %v", file, err)
		}
		body, err := os.ReadFile(filepath.Join(filepath.Dir(file), e.File))
		if err != nil {
			t.Fatal(err)
		}
		all[file] = submission{e.ContentType, string(body)}
	}
	return all
}

// contactOf writes a draft independently of the order of its answers: only the note shows that.
func contactOf(d Draft) string {
	slices.Sort(d.Keys)
	byKey := func(a, b Pair) int { return strings.Compare(a.Key+"\x00"+a.Value, b.Key+"\x00"+b.Value) }
	slices.SortFunc(d.Leftover, byKey)
	slices.SortFunc(d.Attribution, byKey)
	raw, _ := json.Marshal(d)
	return string(raw)
}

// shuffledBody reorders the keys of a body. It returns false for a body without keys, or one whose order matters.
func shuffledBody(rnd *rand.Rand, s submission) (string, bool) {
	text := strings.TrimSpace(s.body)
	switch {
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		n, err := tree.ParseJSON(text)
		if err != nil {
			return "", false
		}
		return writeShuffled(rnd, n), true
	case strings.HasPrefix(s.typ, formType):
		// Keys of one group keep their order: "a[]" is a list.
		pairs := strings.Split(text, "&")
		place := map[string]int{}
		for _, p := range pairs {
			place[groupOfPair(p)] = rnd.Int()
		}
		slices.SortStableFunc(pairs, func(a, b string) int { return place[groupOfPair(a)] - place[groupOfPair(b)] })
		return strings.Join(pairs, "&"), true
	}
	return "", false
}

func groupOfPair(pair string) string {
	key, _, _ := strings.Cut(pair, "=")
	key, _ = url.QueryUnescape(key)
	key, _, _ = strings.Cut(key, "[")
	return key
}

// writeShuffled writes a node as JSON, with the members of its objects, and of those in its texts, in random order.
func writeShuffled(rnd *rand.Rand, n tree.Node) string {
	switch n.Kind {
	case tree.Null:
		return "null"
	case tree.Bool, tree.Number:
		return n.Text
	case tree.String:
		text := n.Text
		if inner, ok, err := tree.EmbeddedJSON(text, 1); ok && err == nil {
			text = writeShuffled(rnd, inner)
		}
		raw, _ := json.Marshal(text)
		return string(raw)
	}
	parts := make([]string, len(n.Children))
	for i, k := range n.Children {
		parts[i] = writeShuffled(rnd, k)
		if n.Kind == tree.Object {
			key, _ := json.Marshal(k.Key)
			parts[i] = string(key) + ":" + parts[i]
		}
	}
	if n.Kind == tree.Array {
		return "[" + strings.Join(parts, ",") + "]"
	}
	rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return "{" + strings.Join(parts, ",") + "}"
}
