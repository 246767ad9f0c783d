package spreadsheet

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"fichario/domain/fault"
)

// Bounds on a workbook's parts: a few packed bytes may become gigabytes. Two tables are read at once.
const (
	// maxUnpacked bounds what all parts unpack to, in bytes; maxElements the elements of all parts but the sheets, and
	// maxShared the memory of the shared texts.
	maxUnpacked = 128 << 20
	maxElements = 1_500_000
	maxShared   = 64 << 20
	maxParts    = 10_000
	maxSheets   = 1_000
	maxDepth    = 100
	// maxToken bounds a tag with its attributes, or a text; maxValue a cell or a shared text, and maxRuns its elements.
	// Excel has 32,767 characters in a cell.
	maxToken = 256 << 10
	maxValue = 128 << 10
	maxRuns  = 10_000
)

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

// xlsx is an XLSX file as an archive of parts.
type xlsx struct {
	ctx                context.Context
	parts              map[string]*zip.File // by names in lower case
	unpacked, elements int
	// shared are the texts that cells refer to, and dated says for each style of cells whether it shows a date.
	shared []string
	dated  []bool
	// from1904 says that days count from 1904, as on an old Mac.
	from1904 bool
}

// open finds the parts that a table may be read from.
func open(ctx context.Context, data []byte) (*xlsx, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, unreadable("O arquivo está incompleto ou não é uma planilha .xlsx. Salve-o de novo e envie-o outra vez.")
	}
	if len(archive.File) > maxParts {
		return nil, swollen()
	}
	w, unpacked := &xlsx{ctx: ctx, parts: map[string]*zip.File{}}, uint64(0)
	for _, file := range archive.File {
		name := strings.ToLower(strings.ReplaceAll(file.Name, `\`, "/"))
		if isTable(name) {
			w.parts[name] = file
			unpacked += min(file.UncompressedSize64, maxUnpacked+1)
		}
	}
	if unpacked > maxUnpacked { // read bounds those that do not say so
		return nil, swollen()
	}
	return w, nil
}

// isTable reports whether a table may be read from a part: a picture, chart or comment is none.
func isTable(name string) bool {
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

// part is the progress of reading a part.
type part struct {
	// path are the names of the elements around the current place.
	path []string
	// value collects the text of the cell or shared text around, since its element at depth; runs are its elements.
	value       []byte
	depth, runs int
}

// in reports whether the current place is in these elements, the last of them innermost.
func (p *part) in(names ...string) bool {
	return len(p.path) >= len(names) && slices.Equal(p.path[len(p.path)-len(names):], names)
}

// What is called for each element.
type (
	onBegin func(*part, xml.StartElement) error
	onEnd   func(*part) error
)

// attribute is the value of an attribute; "" where there is none.
func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// read reads a part of this name within the bounds, which for sheets do not count elements, because nothing of them is
// kept. It calls begin for each element, after it is in the path, and end before it leaves it. A part that is not there
// is empty. Faults: BodyTooLarge, InvalidRequest; also those of the functions.
func (w *xlsx) read(name string, sheet bool, begin onBegin, end onEnd) error {
	file := w.parts[strings.ToLower(name)]
	if file == nil {
		return nil
	}
	packed, err := file.Open()
	if err != nil {
		return damaged()
	}
	defer func() { _ = packed.Close() }()
	all := &bounded{Reader: packed, most: maxUnpacked - w.unpacked}
	err = w.tokens(&bounded{Reader: all, most: maxToken}, sheet, begin, end)
	w.unpacked += all.read
	said, malformed := new(fault.Error), new(xml.SyntaxError)
	switch {
	case w.ctx.Err() != nil:
		return w.ctx.Err()
	case err == nil, errors.As(err, &said):
		return err
	case errors.Is(err, errTooMuch):
		return swollen()
	case errors.As(err, &malformed):
		return unreadable(unreadableXLSX)
	}
	return damaged()
}

func (w *xlsx) tokens(from *bounded, sheet bool, begin onBegin, end onEnd) error {
	d, p := xml.NewDecoder(from), &part{}
	d.CharsetReader = charsets
	for n := 0; ; n++ {
		if n%4096 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		token, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF) && len(p.path) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return &xml.SyntaxError{}
		case err != nil:
			return err
		}
		from.read = 0
		switch t := token.(type) {
		case xml.StartElement:
			err = w.begin(p, t.Name.Local, sheet)
			if err == nil {
				err = begin(p, t)
			}
		case xml.CharData:
			err = p.text(t)
		case xml.EndElement:
			if !p.in(t.Name.Local) {
				return &xml.SyntaxError{}
			}
			err = end(p)
			p.path = p.path[:len(p.path)-1]
			if len(p.path) < p.depth {
				p.depth = 0
			}
		}
		if err != nil {
			return err
		}
	}
}

// charsets reads what programs write beside UTF-8, the only one of Excel. Latin-1 is read as Windows-1252, as in pages.
func charsets(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "utf8", "ascii", "us-ascii":
		return in, nil
	case "iso-8859-1", "windows-1252":
		return charmap.Windows1252.NewDecoder().Reader(in), nil
	}
	return nil, errors.New("unknown character set")
}

// begin enters an element within the bounds.
func (w *xlsx) begin(p *part, name string, sheet bool) error {
	p.path = append(p.path, name)
	if !sheet {
		w.elements++
	}
	p.runs++
	if p.depth == 0 && (name == "c" || name == "si") {
		p.value, p.depth, p.runs = p.value[:0], len(p.path), 0
	}
	if len(p.path) > maxDepth || w.elements > maxElements || p.depth > 0 && p.runs > maxRuns {
		return errTooMuch
	}
	return nil
}

// text collects the text of a cell or a shared text, without its reading aids.
func (p *part) text(text []byte) error {
	if p.depth > 0 && (p.in("c", "v") || p.in("is", "t") || p.in("si", "t") || p.in("r", "t")) {
		p.value = append(p.value, text...)
	}
	if len(p.value) > maxValue {
		return errTooMuch
	}
	return nil
}

const unreadableXLSX = "A planilha não pode ser lida. Abra-a no Excel, salve-a de novo como .xlsx, sem senha, e envie-a outra vez."

func swollen() error {
	return tooLarge("A planilha descompactada é grande demais. Deixe só as colunas e linhas que importam, ou salve-a como CSV.")
}

func damaged() error {
	return unreadable("O arquivo está danificado. Salve-o de novo e envie-o outra vez.")
}
