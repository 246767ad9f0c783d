package crm

import (
	"slices"
	"strings"
	"testing"

	"fichario/domain/fault"
)

func TestFunnelEdits(t *testing.T) {
	t.Parallel()
	full := make([]Stage, StagesMax)
	for name, c := range map[string]struct {
		edit func(*Funnel) error
		want string // the stages afterwards, or the code of the fault
	}{
		"rename":              {func(f *Funnel) error { return f.Rename(" Obras ") }, "Obras: a b c"},
		"no name":             {func(f *Funnel) error { return f.Rename(" ") }, "requisicao_invalida"},
		"add":                 {func(f *Funnel) error { return f.AddStage("4", "d") }, "Vendas: a b c d"},
		"a name that is used": {func(f *Funnel) error { return f.AddStage("4", "Á") }, "requisicao_invalida"},
		"too many": {func(f *Funnel) error {
			f.Stages = full
			return f.AddStage("4", "d")
		}, "requisicao_invalida"},
		"rename a stage":       {func(f *Funnel) error { return f.RenameStage("2", "B") }, "Vendas: a B c"},
		"to another's name":    {func(f *Funnel) error { return f.RenameStage("2", "C") }, "requisicao_invalida"},
		"raise":                {func(f *Funnel) error { return f.PlaceStage("2", 0) }, "Vendas: b a c"},
		"lower":                {func(f *Funnel) error { return f.PlaceStage("1", 1) }, "Vendas: b a c"},
		"to the end":           {func(f *Funnel) error { return f.PlaceStage("1", 9) }, "Vendas: b c a"},
		"before the first":     {func(f *Funnel) error { return f.PlaceStage("3", -1) }, "Vendas: c a b"},
		"raise the first":      {func(f *Funnel) error { return f.PlaceStage("1", -1) }, "Vendas: a b c"},
		"remove":               {func(f *Funnel) error { return f.RemoveStage("3") }, "Vendas: a b"},
		"remove the entry":     {func(f *Funnel) error { return f.RemoveStage("1") }, "requisicao_invalida"},
		"outcome":              {func(f *Funnel) error { return f.SetOutcome("3", Won) }, "Vendas: a b c+won"},
		"no such outcome":      {func(f *Funnel) error { return f.SetOutcome("3", "ganho") }, "requisicao_invalida"},
		"a stage of elsewhere": {func(f *Funnel) error { return f.RenameStage("9", "d") }, "nao_encontrado"},
		"remove the last": {func(f *Funnel) error {
			f.Stages, f.Default = f.Stages[:1], false
			return f.RemoveStage("1")
		}, "requisicao_invalida"},
	} {
		before := []Stage{{"1", "a", Open}, {"2", "b", Open}, {"3", "c", Open}}
		kept := slices.Clone(before)
		f := Funnel{Name: "Vendas", Default: true, Stages: before}
		err := c.edit(&f)
		got := string(fault.CodeOf(err))
		if err == nil {
			var names []string
			for _, s := range f.Stages {
				if s.Outcome != Open {
					s.Name += "+" + string(s.Outcome)
				}
				names = append(names, s.Name)
			}
			got = f.Name + ": " + strings.Join(names, " ")
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if !slices.Equal(before, kept) {
			t.Errorf("%s: the stages that somebody else holds were changed to %v", name, before)
		}
	}
}
