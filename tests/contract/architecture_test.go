package contract

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const (
	module     = "fichario/"
	everything = "everything"
)

// room is a row of CONTRIBUTING's table: a package, or all below one, and its allowed imports.
type room struct {
	path                string // "domain/*" stands for everything below domain
	own, others, forbid []string
}

var ticked = regexp.MustCompile("`([^`]+)`")

// architecture reads the table.
func architecture(t *testing.T) []room {
	t.Helper()
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var rooms []room
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || !strings.HasPrefix(strings.TrimSpace(cells[0]), "`") {
			continue
		}
		list := func(cell string) (names []string) {
			if strings.TrimSpace(cell) == everything {
				return []string{everything}
			}
			for _, m := range ticked.FindAllStringSubmatch(cell, -1) {
				names = append(names, m[1])
			}
			return names
		}
		rooms = append(rooms, room{list(cells[0])[0], list(cells[2]), list(cells[3]), list(cells[4])})
	}
	if len(rooms) < 10 {
		t.Fatalf("CONTRIBUTING's table has %d rows", len(rooms))
	}
	return rooms
}

// roomOf finds the most specific row for a package.
func roomOf(rooms []room, name string) (found room, ok bool) {
	for _, r := range rooms {
		if covers(r.path, name) && len(r.path) > len(found.path) {
			found, ok = r, true
		}
	}
	return found, ok
}

// covers reports whether a name in the table stands for a path: "a/*" for everything below a, and a library for
// everything below it.
func covers(name, path string) bool {
	if below, ok := strings.CutSuffix(name, "*"); ok {
		return strings.HasPrefix(path, below)
	}
	return name == everything || name == path
}

func anyCovers(names []string, path string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return covers(name, path) || strings.Contains(name, ".") && strings.HasPrefix(path, name+"/")
	})
}

// forbids reports whether a package of the standard library is in a row's last column, or below one in it; net and log
// stand only for themselves.
func forbids(names []string, path string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return path == name || name != "net" && name != "log" && strings.HasPrefix(path, name+"/")
	})
}

// TestWhoImportsWhom uses go list, which knows the program's files on this platform.
func TestWhoImportsWhom(t *testing.T) {
	t.Parallel()
	rooms := architecture(t)
	cmd := exec.CommandContext(t.Context(), "go", "list", "-pgo=off", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		r, ok := roomOf(rooms, name)
		if !ok {
			t.Errorf("%s has no place in the architecture", name)
			continue
		}
		for _, i := range p.Imports {
			own, isOwn := strings.CutPrefix(i, module)
			isLibrary := strings.Contains(strings.Split(i, "/")[0], ".")
			switch {
			case isOwn && own != name && !anyCovers(r.own, own),
				isLibrary && !anyCovers(r.others, i),
				!isOwn && !isLibrary && forbids(r.forbid, i):
				t.Errorf("%s imports %s", name, i)
			}
		}
	}
}

// TestRulesKnowNoFormat: how a value of domain is written, as JSON or in a row, is said where it is written.
func TestRulesKnowNoFormat(t *testing.T) {
	t.Parallel()
	tag := regexp.MustCompile("`[a-z]+:\"")
	err := fs.WalkDir(os.DirFS("../../domain"), ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile("../../domain/" + file)
		if at := tag.Find(text); at != nil {
			t.Errorf("domain/%s has a tag: %s", file, at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhoSearchesEverywhere: whoever searches by an id alone finds what any organisation has. These are all who do,
// in the order of their files; each has only the id.
func TestWhoSearchesEverywhere(t *testing.T) {
	t.Parallel()
	want := []string{
		"adapters/gormstore/contacts/removals.go", // old ones of all are forgotten together
		"adapters/gormstore/engine/conn.go",       // what it means
		"app/caller.go",                           // the operator, who has every organisation
		"app/lookups/later_answers.go",            // an answer that comes later has only its id
		"app/privacy/subject_erase.go",            // the operator awaits an erasure
		"app/team/factors.go",                     // a ticket says which member comes in
		"app/team/links.go", "app/team/oidc.go",   // so does a link, or an identity
		"app/team/passkeys.go", // and a passkey
		"ports/store.go",       // its declaration
	}
	var got []string
	for _, dir := range []string{"adapters", "app", "cmd", "domain", "ports"} {
		err := fs.WalkDir(os.DirFS("../.."), dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
				strings.HasPrefix(name, "ports/portstest/") {
				return err
			}
			text, err := os.ReadFile("../../" + name)
			if strings.Contains(string(text), "AnyOrg") {
				got = append(got, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("these search everywhere:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTheLinterKnowsTheArchitecture: the rules of depguard, which reports violations early, are exactly the table's
// rows.
func TestTheLinterKnowsTheArchitecture(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]struct {
						ListMode string `yaml:"list-mode"`
						Files    []string
						Allow    []string
						Deny     []struct{ Pkg string }
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	rules := config.Linters.Settings.Depguard.Rules
	rows := architecture(t)
	for _, r := range rows {
		if slices.Contains(r.others, everything) || r.path == "openapi" || r.path == "docs" || r.path == "ports/portstest*" {
			continue // tests, and packages of embedded files
		}
		folder, below := strings.CutSuffix(r.path, "/*")
		name := strings.ReplaceAll(folder, "/", "-")
		if below && slices.ContainsFunc(rows, func(other room) bool { return other.path == folder }) {
			name += "-rooms" // the folder itself has a row too
		}
		allow := []string{"$gostd"}
		for _, own := range append(r.own, r.path) {
			allow = append(allow, module+strings.TrimSuffix(own, "/*"))
		}
		var allowed []string
		for _, a := range rules[name].Allow {
			allowed = append(allowed, strings.TrimSuffix(a, "$"))
		}
		sameNames(t, name+", allowed", allowed, append(allow, r.others...))
		var denied []string
		for _, d := range rules[name+"-pure"].Deny {
			denied = append(denied, strings.TrimSuffix(d.Pkg, "$"))
		}
		sameNames(t, name+", denied", denied, r.forbid)
		pattern := "${config-path}/" + strings.TrimSuffix(r.path, "*")
		if !strings.HasPrefix(strings.Join(rules[name].Files, ""), pattern) ||
			!slices.Equal(rules[name].Files, rules[name+"-pure"].Files) {
			t.Errorf("%s is about %v and %v", name, rules[name].Files, rules[name+"-pure"].Files)
		}
		delete(rules, name)
		delete(rules, name+"-pure")
	}
	delete(rules, "no-tests") // for all packages
	for name := range rules {
		t.Errorf("the rule %s has no row in CONTRIBUTING", name)
	}
}

func sameNames(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(slices.Compact(got), slices.Compact(want)) {
		t.Errorf("%s: .golangci.yml says %v, CONTRIBUTING %v", what, got, want)
	}
}
