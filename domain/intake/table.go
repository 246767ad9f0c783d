package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

// The keys under which a table stands in a body, in normal form: the names of its columns, its rows, and rows that are
// never a single one.
var (
	tableHeaders = names.Set(`
		headers header head columns columnnames fields fieldnames keys titles colunas cabecalho cabecalhos titulos campos`)
	tableRows   = names.Set(`rows row values data records lines line cells linhas linha valores dados`)
	severalRows = names.Set(`rows records lines linhas`)
)

// parse makes one tree of a body, in which the rows of tables are records.
func parse(contentType string, body []byte) (tree.Node, error) {
	n, err := tree.Parse(contentType, body)
	if err != nil {
		return n, err
	}
	if n.Kind == tree.Array && isTable(&n) {
		rows := n
		n = tree.Node{Kind: tree.Object, Children: []tree.Node{rows}}
	}
	openTables(&n)
	return n, nil
}

// openTables makes records of the rows of tables: {"headers": ["Nome", …], "rows": [["Ana", …]]}, and lists whose first
// row has the names.
func openTables(n *tree.Node) {
	if n.Kind == tree.Object {
		openTable(n)
	}
	for i := range n.Children {
		if k := &n.Children[i]; !k.Scalar() {
			openTables(k)
		}
	}
}

// openTable makes records of the rows of the first table in an object; nobody sends two in one.
func openTable(n *tree.Node) {
	header := slices.IndexFunc(n.Children, func(k tree.Node) bool {
		return tableHeaders[names.Of(k.Key)] && (isHeader(&k) || emailColumn(&k) >= 0)
	})
	for i := range n.Children {
		k := &n.Children[i]
		switch {
		case k.Kind != tree.Array || i == header:
			continue
		case header >= 0 && tableRows[names.Of(k.Key)] && fitsHeader(k, &n.Children[header]) &&
			ofPeople(k, &n.Children[header]):
			head := n.Children[header]
			k.Children = recordsOf(&head, rowsOf(k))
			asRows(k)
			n.Children[header] = dropped(head)
			return
		case isTable(k):
			head := k.Children[0]
			k.Children = recordsOf(&head, k.Children[1:])
			asRows(k)
			n.Children = append(n.Children, dropped(head))
			return
		}
	}
}

// asRows gives a list of records a name of those that hold people.
func asRows(list *tree.Node) {
	if !peopleLists[names.Of(list.Key)] {
		list.Key = "rows"
	}
}

// dropped puts the names of columns under a name whose contents are dropped: they are the keys of the records.
func dropped(header tree.Node) tree.Node {
	header.Key = ""
	return tree.Node{Kind: tree.Object, Key: "schema", At: header.At, Children: []tree.Node{header}}
}

// isHeader reports whether a node is a list of names for columns.
func isHeader(n *tree.Node) bool {
	return n.Kind == tree.Array && len(n.Children) > 1 && !slices.ContainsFunc(n.Children, func(k tree.Node) bool {
		return k.Kind != tree.String || k.Empty() || isContent(k.Text)
	})
}

// rowsOf returns the rows of a table, which may be a single one without a list around it.
func rowsOf(n *tree.Node) []tree.Node {
	if n.ScalarList() {
		return []tree.Node{*n}
	}
	return n.Children
}

// fitsHeader reports whether a list has rows of scalars, none longer than the header, and a single row as long.
func fitsHeader(n, header *tree.Node) bool {
	if n.ScalarList() {
		return len(n.Children) == len(header.Children)
	}
	return len(n.Children) > 0 && !slices.ContainsFunc(n.Children, func(row tree.Node) bool {
		return !row.ScalarList() || len(row.Children) > len(header.Children)
	})
}

// ofPeople reports whether the rows under a header are records of people, of whom each has an address, or the answers
// of one, in one row or each in its own. Those of a price list stay what they are.
func ofPeople(rows, header *tree.Node) bool {
	if emailColumn(header) >= 0 || rows.ScalarList() && !severalRows[names.Of(rows.Key)] {
		return true
	}
	if rows.ScalarList() {
		return false
	}
	first := recordsOf(header, rows.Children[:1])
	a, ok := dissect(&first[0])
	return ok && (a.title != nil || a.name != nil)
}

// emailColumn returns which of the columns is the e-mail's; -1 for none, and for what is no list of names.
func emailColumn(header *tree.Node) int {
	if header.Kind != tree.Array || len(header.Children) < 2 || !header.ScalarList() {
		return -1
	}
	return slices.IndexFunc(header.Children, func(k tree.Node) bool { return asksEmail(k.Text) })
}

// isTable reports whether the first of several rows has the names of columns, and one of them that of the e-mail, where
// a later row has an address. Two columns may be pairs of a key and a value, so both names must be known.
func isTable(n *tree.Node) bool {
	if len(n.Children) < 2 || !isHeader(&n.Children[0]) || !fitsHeader(n, &n.Children[0]) {
		return false
	}
	header := n.Children[0].Children
	unknown := func(k tree.Node) bool { return namingOf(k.Text).entry.field == noField }
	if len(header) == 2 && slices.ContainsFunc(header, unknown) {
		return false
	}
	at := emailColumn(&n.Children[0])
	return at >= 0 && slices.ContainsFunc(n.Children[1:], func(row tree.Node) bool {
		return at < len(row.Children) && strings.IndexByte(row.Children[at].Text, '@') > 0
	})
}

// recordsOf makes a record of each row.
func recordsOf(header *tree.Node, rows []tree.Node) []tree.Node {
	out := make([]tree.Node, len(rows))
	for i := range rows {
		out[i] = tree.Node{Kind: tree.Object, At: rows[i].At, Children: slices.Clone(rows[i].Children)}
		for j := range out[i].Children {
			out[i].Children[j].Key = header.Children[j].Text
		}
		tree.SortMembers(out[i].Children)
	}
	return out
}
