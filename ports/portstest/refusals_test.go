package portstest

import (
	"fichario/ports/portstest/kit"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryRefusalIsTried: the tables of the suite hold exactly the methods whose comments in package ports say that
// they are only for inside or outside a transaction.
func TestEveryRefusalIsTried(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../*.go")
	kit.Must(t, err)
	var inside, outside []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		kit.Must(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if methods, ok := spec.Type.(*ast.InterfaceType); ok {
				for _, m := range methods.Methods.List {
					op := repository(spec.Name.Name) + "." + lower(m.Names[0].Name)
					comment := strings.Join(strings.Fields(m.Doc.Text()), " ")
					if strings.Contains(comment, "Only inside InTx") {
						inside = append(inside, op)
					}
					if strings.Contains(comment, "Only outside InTx") {
						outside = append(outside, op)
					}
				}
			}
			return false
		})
	}
	slices.Sort(inside)
	slices.Sort(outside)
	kit.Same(t, "only inside", slices.Sorted(maps.Keys(onlyInside)), inside)
	kit.Same(t, "only outside", slices.Sorted(maps.Keys(onlyOutside)), outside)
}

// repository is what errors call the repository of an interface: several interfaces cut one that is large.
func repository(name string) string {
	for prefix, whole := range map[string]string{
		"Batch": "batches", "Contact": "contacts", "Subject": "subjects", "Erasures": "subjects", "Job": "jobs",
		"Audit": "audit",
	} {
		if strings.HasPrefix(name, prefix) {
			return whole
		}
	}
	return lower(name)
}

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }
