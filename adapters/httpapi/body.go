package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"

	"github.com/labstack/echo/v5"

	"fichario/domain/fault"
)

// lookupBodyMax is the largest body of a lookup, in bytes.
const lookupBodyMax = 64 << 10

// binder reads JSON bodies strictly: one object, declared as JSON, with known fields, each once and of its type. All
// lookup bodies go through it.
type binder struct{}

func (binder) Bind(c *echo.Context, into any) error {
	r := c.Request()
	switch into.(type) {
	case *ConfirmBatchJSONRequestBody, *ResumeBatchJSONRequestBody:
		if empty(r) {
			return io.EOF // a body is optional here
		}
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if err != nil || kind != echo.MIMEApplicationJSON {
		return fault.New(fault.UnsupportedMediaType, "Envie o corpo com Content-Type: application/json.")
	}
	if err := compressed(r, fault.UnsupportedMediaType); err != nil {
		return err
	}
	body, err := readBody(c, lookupBodyMax, "64 KiB")
	if err != nil {
		return err
	}
	return decodeStrict(body, into)
}

// empty reports whether a request has no body, peeking into one of unknown length.
func empty(r *http.Request) bool {
	if r.ContentLength >= 0 {
		return r.ContentLength == 0
	}
	ahead := bufio.NewReader(r.Body)
	_, err := ahead.Peek(1)
	r.Body = struct {
		io.Reader
		io.Closer
	}{ahead, r.Body}
	return errors.Is(err, io.EOF)
}

// compressed returns the fault, with the given code, for a body declared as compressed; nil for others.
func compressed(r *http.Request, code fault.Code) *fault.Error {
	encoding := strings.ToLower(r.Header.Get(echo.HeaderContentEncoding))
	if encoding == "" || encoding == "identity" {
		return nil
	}
	return fault.New(code,
		"Corpos comprimidos não são lidos. Envie o corpo sem compressão e sem o cabeçalho Content-Encoding.")
}

// readBody reads a whole body of at most limit bytes.
func readBody(c *echo.Context, limit int64, limitText string) ([]byte, error) {
	r := c.Request()
	tooLarge := fault.New(fault.BodyTooLarge, "O corpo passa de "+limitText+".")
	body, err := io.ReadAll(http.MaxBytesReader(responseOf(c).ResponseWriter, r.Body, limit))
	var (
		over  *http.MaxBytesError
		known *fault.Error
	)
	switch {
	case errors.As(err, &over):
		return nil, tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fault.New(fault.IncompleteRequest,
			"O corpo da requisição não chegou inteiro. Nada foi feito; envie de novo.").Because(err)
	case errors.As(err, &known):
		return nil, known
	case err != nil:
		return nil, fault.New(fault.InvalidRequest, "O corpo da requisição não pode ser lido.").Because(err)
	}
	return body, nil
}

func decodeStrict(body []byte, into any) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return fault.New(fault.InvalidRequest, "O corpo está vazio: envie um objeto JSON.")
	}
	if err := checkKeys(body, fieldNames(into)); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	err := dec.Decode(into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fault.New(fault.InvalidRequest, "O campo "+wrong.Field+" deve ser "+formOf(wrong.Type)+".").At(wrong.Field)
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	if err != nil {
		return notJSON()
	}
	return nil
}

// formOf says in Portuguese what a field of a type holds.
func formOf(t reflect.Type) string {
	if t == reflect.TypeFor[number]() {
		return "um número"
	}
	switch t.Kind() {
	case reflect.String:
		return "texto entre aspas"
	case reflect.Bool:
		return "true ou false"
	case reflect.Int:
		return "um número inteiro"
	case reflect.Slice:
		return "uma lista de textos entre aspas"
	}
	return "um objeto"
}

func notJSON() error {
	return fault.New(fault.InvalidRequest, "O corpo não é um objeto JSON válido.")
}

// checkKeys walks the top level of a body: it must be one object whose keys are known and unique. encoding/json would
// accept unknown and repeated keys, and in any case.
func checkKeys(body []byte, known []string) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return notJSON()
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return notJSON()
		}
		key, _ := t.(string)
		field := ""
		if plainName.MatchString(key) {
			field = key // any other key might be personal data, and is not repeated
		}
		ok := false
		for _, k := range known {
			ok = ok || k == key
		}
		if !ok {
			return fault.New(fault.InvalidRequest,
				"Há um campo desconhecido. Os campos são: "+strings.Join(known, ", ")+".").At(field)
		}
		if seen[key] {
			return fault.New(fault.InvalidRequest, "O campo "+key+" veio mais de uma vez.").At(key)
		}
		seen[key] = true
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return notJSON()
		}
		if string(skip) == "null" {
			return fault.New(fault.InvalidRequest, "O campo "+key+" não pode ser null.").At(key)
		}
	}
	if _, err := dec.Token(); err != nil {
		return notJSON()
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.InvalidRequest, "O corpo tem algo depois do objeto JSON.")
	}
	return nil
}

var plainName = regexp.MustCompile(`^[A-Za-z_]{1,32}$`)

func fieldNames(into any) []string {
	t := reflect.TypeOf(into).Elem()
	names := []string{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
