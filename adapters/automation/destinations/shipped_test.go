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

// TestTheGuide holds that the file in the guide is good, and that its table says what each destination asks for.
func TestTheGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/destinations.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(guide)
	_, file, _ := strings.Cut(text, "```yaml\n")
	file, _, _ = strings.Cut(file, "```")
	if _, err := Parse([]byte(file)); err != nil {
		t.Errorf("the guide's file:\n%v", err)
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
