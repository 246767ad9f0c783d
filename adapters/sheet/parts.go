package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// Bounds on a workbook's parts. Excelize decodes most of them as a whole, and a few bytes become a struct, so memory
// counts rather than the unpacked size.
const (
	// maxUnpacked bounds what all parts unpack to, maxMemory what they take in excelize: their bytes and, for parts that
	// it decodes as a whole, twice as many again, for texts and copies, plus elementSize for each element. Two tables are
	// read at once.
	maxUnpacked = 128 << 20
	maxMemory   = 192 << 20
	// elementSize is measured: a text of its own takes 230 bytes and is two elements.
	elementSize = 128
	maxParts    = 10_000
	maxDepth    = 100
	// maxToken bounds a tag with its attributes, or a text; maxValue a cell or a shared text, with its markup, and maxRuns
	// its elements. Excel has 32,767 characters in a cell.
	maxToken = 256 << 10
	maxValue = 128 << 10
	maxRuns  = 10_000
	// maxValues bounds the values and formulas of a row: beyond maxColumns, a formula without a value counts as nothing.
	maxValues = 4 * maxColumns
)

// mostOf limits elements that take more than elementSize in excelize, or that it compares pairwise.
var mostOf = map[string]int{"sheet": 1_000, "Relationship": 1_000, "definedName": 100_000, "xf": 2 * 65_490}

// bounded refuses to read more than most bytes between two rewinds.
type bounded struct {
	io.Reader
	read, most int
}

var errTooMuch = errors.New("more than may be read")

// Read reads within the bound.
func (b *bounded) Read(p []byte) (int, error) {
	if b.read > b.most {
		return 0, errTooMuch
	}
	n, err := b.Reader.Read(p)
	b.read += n
	return n, err
}

// parts checks the parts of a workbook against their bounds.
type parts struct {
	ctx              context.Context
	unpacked, memory int
	named            map[string]int
	// without is the fault of a sheet that was left out, broken that of another part; nil where there is none.
	without, broken error
}

// within returns the archive reduced to the parts that a table is read from, each checked against the bounds, whatever
// the archive's directory says. It unpacks no part into memory. A sheet beyond the bounds is left out, because another
// one may be the wanted one, and without says what is wrong with it.
func within(ctx context.Context, data []byte) (good []byte, without, err error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, unreadable("O arquivo está incompleto ou não é uma planilha .xlsx. Salve-o de novo e envie-o outra vez.")
	}
	if len(archive.File) > maxParts {
		return nil, nil, swollen()
	}
	p := parts{ctx: ctx, named: map[string]int{}}
	out := bytes.NewBuffer(make([]byte, 0, len(data)))
	kept := zip.NewWriter(out)
	for _, file := range archive.File {
		if !ofTable(file.Name) {
			continue
		}
		ok, err := p.unpack(file)
		if err == nil && ok && kept.Copy(file) != nil {
			err = damaged()
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if p.broken == nil && kept.Close() != nil {
		p.broken = damaged()
	}
	return out.Bytes(), p.without, p.broken
}

// ofTable reports whether a table may be read from a part: a picture, chart or comment is none.
func ofTable(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	if kind := path.Ext(name); kind != ".xml" && kind != ".rels" {
		return false
	}
	switch dir := path.Dir(name); {
	case name == "xl/calcchain.xml", strings.HasPrefix(name, "docprops/"), strings.HasPrefix(name, "customxml/"):
		return false
	case strings.HasPrefix(name, "xl/"):
		return dir == "xl" || dir == "xl/_rels" || dir == "xl/worksheets" || dir == "xl/chartsheets"
	}
	return true
}

// unpack reads one part to its end, and reports whether to keep it.
func (p *parts) unpack(file *zip.File) (kept bool, err error) {
	packed, err := file.Open()
	if err != nil {
		return false, damaged()
	}
	defer func() { _ = packed.Close() }()
	all := &bounded{Reader: packed, most: maxUnpacked - p.unpacked}
	streamed, err := p.walk(&bounded{Reader: all, most: maxToken})
	if err != nil && p.ctx.Err() == nil {
		_, _ = io.Copy(io.Discard, all) // unpacked bytes count even beyond unreadable XML
	}
	p.unpacked += all.read
	switch {
	case p.ctx.Err() != nil:
		return false, p.ctx.Err()
	case p.unpacked > maxUnpacked, p.memory > maxMemory:
		return false, swollen()
	case err == nil:
		return true, nil
	}
	wrong, malformed := swollen(), new(xml.SyntaxError)
	switch {
	case errors.As(err, &malformed):
		wrong = unreadable(unreadableXLSX)
	case !errors.Is(err, errTooMuch):
		wrong = damaged()
	}
	if streamed {
		p.without = wrong
	} else {
		p.broken = wrong
	}
	return false, nil // the caller reports the total unpacked size first
}

// walk reads the tokens of a part and counts what excelize would keep of them. It uses the same decoder as excelize, so
// that both see the same. It reports whether excelize streams the part, keeping nothing.
func (p *parts) walk(from *bounded) (streamed bool, err error) {
	d := xml.NewDecoder(from)
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		e, err := htmlindex.Get(label)
		if err != nil {
			return nil, err
		}
		return e.NewDecoder().Reader(in), nil
	}
	w := walked{parts: p}
	for n := 0; ; n++ {
		if n%4096 == 0 && p.ctx.Err() != nil {
			return w.streamed, p.ctx.Err()
		}
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			w.ended(int(d.InputOffset()))
			return w.streamed, nil
		}
		if err != nil {
			return w.streamed, err
		}
		from.read = 0
		switch t := token.(type) {
		case xml.StartElement:
			err = w.start(t, d.InputOffset())
		case xml.EndElement:
			if w.depth--; w.depth < w.valueDepth {
				w.valueDepth = 0
			}
		}
		if err == nil && w.valueDepth > 0 && d.InputOffset()-w.valueFrom > maxValue {
			err = errTooMuch
		}
		if err != nil {
			return w.streamed, err
		}
	}
}

// walked is the progress of a walk through a part.
type walked struct {
	*parts
	depth, elements int
	// streamed says that the part is read row by row, and nothing of it is kept.
	streamed bool
	root     string
	// row is the number of the current row, last the highest so far, and values the number of its values.
	row, last, values int
	// valueDepth is the depth of the cell or shared text being read, 0 outside; valueFrom is its offset, and runs the
	// number of its elements.
	valueDepth, runs int
	valueFrom        int64
}

func (w *walked) start(t xml.StartElement, at int64) error {
	w.depth++
	w.elements++
	if w.root == "" {
		w.root, w.streamed = t.Name.Local, t.Name.Local == "worksheet"
	}
	name := t.Name.Local
	if w.valueDepth > 0 {
		w.runs++
	} else if name == "c" || name == "si" {
		w.valueDepth, w.valueFrom, w.runs = w.depth, at, 0
	}
	switch name {
	case "row":
		w.begin(t)
	case "v", "is", "f":
		if w.valueDepth > 0 {
			w.values++
		}
	}
	most, counted := mostOf[name]
	if counted = counted && !w.streamed; counted {
		w.named[name]++
	}
	if w.depth > maxDepth || w.runs > maxRuns || w.values > maxValues || counted && w.named[name] > most ||
		!w.streamed && w.memory+w.elements*elementSize > maxMemory {
		return errTooMuch
	}
	return nil
}

// begin starts a row.
func (w *walked) begin(row xml.StartElement) {
	w.row++
	for _, a := range row.Attr {
		if n, err := strconv.Atoi(a.Value); a.Name.Local == "r" && err == nil && n != 0 {
			w.row = n
		}
	}
	// Excelize merges a row that does not ascend into the previous one.
	if w.row > w.last {
		w.last, w.values = w.row, 0
	}
}

// ended counts the memory of a part of the given size.
func (w *walked) ended(size int) {
	if w.memory += size; !w.streamed {
		w.memory += 2*size + w.elements*elementSize
	}
}

const unreadableXLSX = "A planilha não pode ser lida. Abra-a no Excel, salve-a de novo como .xlsx, sem senha, e envie-a outra vez."

func swollen() error {
	return tooLarge("A planilha descompactada é grande demais. Deixe só as colunas e linhas que importam, ou salve-a como CSV.")
}

func damaged() error {
	return unreadable("O arquivo está danificado. Salve-o de novo e envie-o outra vez.")
}
