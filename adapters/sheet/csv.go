package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// readCSV reads what spreadsheets save as CSV: in UTF-8, UTF-16 or Windows-1252, with commas, semicolons, tabs or bars.
func (t *table) readCSV(data []byte) error {
	text, err := decode(data)
	if err != nil {
		return unreadable("O arquivo não é um texto que se possa ler. Salve-o como CSV em UTF-8, ou como .xlsx.")
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return unreadable("O arquivo não é CSV nem .xlsx. Salve-o num destes formatos.")
	}
	skipped := 0
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = delimiter(text)
	// Excel's own way to say it.
	if first, rest, _ := bytes.Cut(text, []byte("\n")); len(first) < 8 && bytes.HasPrefix(first, []byte("sep=")) {
		// Of nothing, and of bytes that are no character, it is RuneError.
		if said, _ := utf8.DecodeRune(bytes.TrimRight(first[4:], "\r")); said != utf8.RuneError && said != '"' {
			r = csv.NewReader(bytes.NewReader(rest))
			r.Comma, skipped = said, 1
		}
	}
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord, r.TrimLeadingSpace = -1, true, true, true
	for {
		cells, err := r.Read()
		var wrong *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &wrong):
			return unreadable(fmt.Sprintf("O CSV não pode ser lido perto da linha %d: há aspas abertas que não se fecham.",
				wrong.Line+skipped))
		case err != nil:
			return unreadable("O CSV não pode ser lido. Salve-o como CSV em UTF-8, ou como .xlsx.")
		}
		line, _ := r.FieldPos(0)
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " \t\r\n\u00a0")
		}
		if err := t.add(line+skipped, cells); err != nil {
			return err
		}
	}
}

// decode returns UTF-8.
func decode(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
	case utf8.Valid(data):
		return bytes.TrimPrefix(data, []byte("\ufeff")), nil
	}
	return charmap.Windows1252.NewDecoder().Bytes(data)
}

// delimiter is what the first lines have in equal number, and most of.
func delimiter(text []byte) rune {
	const lines = 20
	best, most := ',', 0
	for _, candidate := range ";,\t|" {
		count, seen := 0, 0
		for line := range bytes.Lines(text) {
			if seen == lines {
				break
			}
			if n := outsideQuotes(line, byte(candidate)); n > 0 {
				count += n
				seen++
			} else if len(bytes.TrimSpace(line)) > 0 {
				seen++
			}
		}
		if count > most {
			best, most = candidate, count
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
