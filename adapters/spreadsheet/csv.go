package spreadsheet

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// readCSV reads CSV as spreadsheets save it: in UTF-8, UTF-16 or Windows-1252, with commas, semicolons, tabs or bars.
func (t *table) readCSV(ctx context.Context, data []byte) error {
	text, err := decode(data)
	if err != nil {
		return unreadable("O arquivo não é um texto que se possa ler. Salve-o como CSV em UTF-8, ou como .xlsx.")
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return unreadable("O arquivo não é CSV nem .xlsx. Salve-o num destes formatos.")
	}
	if bytes.IndexByte(text, '\n') < 0 {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n")) // line breaks of an old Mac, and of Excel's CSV for it
	}
	skipped, comma := 0, delimiter(text)
	// Excel's own declaration of the separator.
	if first, rest, _ := bytes.Cut(text, []byte("\n")); len(first) < 8 && bytes.HasPrefix(first, []byte("sep=")) {
		// RuneError stands for an empty declaration and for invalid bytes.
		if said, _ := utf8.DecodeRune(bytes.TrimRight(first[4:], "\r")); said != utf8.RuneError && said != '"' {
			text, comma, skipped = rest, said, 1
		}
	}
	// An unclosed quote would put the rest of the file into one cell: so a marker row is appended, which is then missing.
	// No text contains its character, see above.
	const end = "\x00"
	in := &bounded{Reader: io.MultiReader(bytes.NewReader(text), strings.NewReader("\n"+end+"\n")), most: maxRecord}
	r := csv.NewReader(in)
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = comma, -1, true, true
	// Trimming would take tabs for leading space, and drop the empty cells between them.
	r.TrimLeadingSpace = !strings.ContainsRune("\t ", comma)
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		begin := int(r.InputOffset())
		cells, err := r.Read()
		in.read = 0
		switch {
		case errors.Is(err, errTooMuch):
			return unreadable(fmt.Sprintf("A linha %d tem mais de 1 MB, ou há aspas abertas que não se fecham. "+
				"Corrija-a, ou salve o arquivo como .xlsx.", bytes.Count(text[:begin], []byte("\n"))+1+skipped))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return unreadable("O CSV não pode ser lido. Salve-o como CSV em UTF-8, ou como .xlsx.")
		}
		last := len(cells) - 1
		if cells[last] == end {
			return nil
		}
		if strings.Contains(cells[last], end) {
			line, _ := r.FieldPos(last)
			return unreadable(fmt.Sprintf("O CSV não pode ser lido a partir da linha %d: há aspas abertas que não se fecham. "+
				"Feche-as ou tire-as, ou salve-o como .xlsx.", line+skipped))
		}
		line, _ := r.FieldPos(0)
		for i := range cells {
			cells[i] = unquoted(strings.Trim(cells[i], " \t\r\n\u00a0"))
		}
		if err := t.add(line+skipped, cells); err != nil {
			return err
		}
	}
}

// unquoted is the text of a formula that only quotes one, ="00123", as programs write it to keep Excel from reading a
// number.
func unquoted(cell string) string {
	if inner, ok := strings.CutPrefix(cell, `="`); ok && len(inner) > 0 && strings.HasSuffix(inner, `"`) {
		if inner = inner[:len(inner)-1]; !strings.Contains(strings.ReplaceAll(inner, `""`, ""), `"`) {
			return strings.TrimSpace(strings.ReplaceAll(inner, `""`, `"`))
		}
	}
	return cell
}

// decode converts to UTF-8.
func decode(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
	case utf8.Valid(data):
		return bytes.TrimPrefix(data, []byte("\ufeff")), nil
	}
	return charmap.Windows1252.NewDecoder().Bytes(data)
}

// delimiter is the character that occurs equally often in most of the first lines: an address may have more commas than
// its line has semicolons, but the header has none, and the next address another number. Among equally regular ones, it
// is the one less common in texts and amounts.
func delimiter(text []byte) rune {
	const lines = 20
	best, most := ',', 0
	for _, candidate := range ";\t|," {
		same, seen := map[int]int{}, 0
		for line := range bytes.Lines(text) {
			if seen == lines {
				break
			}
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			seen++
			if n := outsideQuotes(line, byte(candidate)); n > 0 {
				if same[n]++; same[n] > most {
					best, most = candidate, same[n]
				}
			}
		}
	}
	return best
}

func outsideQuotes(line []byte, c byte) (n int) {
	quoted := false
	for _, b := range line {
		switch {
		case b == '"':
			quoted = !quoted
		case b == c && !quoted:
			n++
		}
	}
	return n
}
