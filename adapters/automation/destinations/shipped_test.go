package destinations

import (
	"os"
	"strings"
	"testing"
)

func TestShippedAreGood(t *testing.T) {
	t.Parallel()
	for _, name := range names {
		src, err := files.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(src)
		if err != nil {
			t.Errorf("%s:\n%v", name, err)
		} else if f.Name != name {
			t.Errorf("%s calls itself %s", name, f.Name)
		}
	}
}

// TestTheGuide: the file in the guide is valid, and its table lists the fields of each destination.
func TestTheGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/destinations.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(guide)
	_, file, _ := strings.Cut(text, "```yaml\n")
	file, _, _ = strings.Cut(file, "```")
	f, err := Parse([]byte(file))
	if err != nil {
		t.Fatalf("the guide's file:\n%v", err)
	}
	for team, want := range map[string]string{"": "", "a b": "?equipe=a+b"} {
		form, faults := f.Fill(map[string]string{"token": "t", "account": "loja", "team": team})
		r, _, err := form.Request(t.Context(), event(t, ana))
		if len(faults) > 0 || err != nil || r.Address != "https://loja.crm.example/v1/leads"+want {
			t.Errorf("the guide's request: %+v, %v, %v", r, faults, err)
		}
	}
	for _, d := range All() {
		var needed, optional []string
		for _, f := range d.Fields {
			if f.Optional {
				optional = append(optional, "`"+f.Name+"`")
			} else {
				needed = append(needed, "`"+f.Name+"`")
			}
		}
		row := "| `" + d.Name + "` | " + strings.Join(needed, ", ")
		if len(optional) > 0 {
			row += "; " + strings.Join(optional, ", ")
		}
		if !strings.Contains(text, row+" |") {
			t.Errorf("the guide has no row %s", row)
		}
		if !strings.Contains(text, "--destination "+d.Name) {
			t.Errorf("the guide has no line to paste for %s", d.Name)
		}
	}
}
