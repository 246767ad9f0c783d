package destinations

import "testing"

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
