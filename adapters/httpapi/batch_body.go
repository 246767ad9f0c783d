package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"github.com/labstack/echo/v5"

	"fichario/adapters/shape"
	"fichario/adapters/spreadsheet"
	"fichario/app/batches"
	"fichario/app/lookups"
	"fichario/domain/batch"
	"fichario/domain/fault"
)

const (
	// requestKeyHeader carries an idempotency key.
	requestKeyHeader = "Idempotency-Key"
	// purposeHeader names the purpose of a lookup.
	purposeHeader = "X-Finalidade"
)

// batchBody is the JSON body of a batch.
type batchBody struct {
	Name      string  `json:"nome"`
	Product   string  `json:"produto" validate:"required"`
	Documents texts   `json:"documentos" validate:"required"`
	Refresh   bool    `json:"atualizar"`
	Ceiling   *number `json:"teto"`
	Confirm   bool    `json:"confirmar"`
	Purpose   string  `json:"finalidade"`
}

// texts is a list of texts. A []string would take null among them for an empty text.
type texts []string

// UnmarshalJSON accepts a list of nothing but texts.
func (t *texts) UnmarshalJSON(sent []byte) error {
	var list []*string
	if err := json.Unmarshal(sent, &list); err != nil || slices.Contains(list, nil) {
		return &json.UnmarshalTypeError{Type: reflect.TypeFor[texts]()}
	}
	*t = make(texts, len(list))
	for i, text := range list {
		(*t)[i] = *text
	}
	return nil
}

// CreateBatch serves POST /api/v1/lotes (design, section 11): documents as JSON, or a table.
func (s *server) CreateBatch(c *echo.Context) error {
	ctx := c.Request().Context()
	by := callOf(ctx).caller
	sent := s.Tables.Receive(c.Request().Body, by.OrgID())
	c.Request().Body = sent
	defer sent.Done()
	data, err := batchData(c)
	if err != nil {
		return err
	}
	release, err := s.Tables.Turn(ctx)
	if err != nil {
		return err
	}
	defer release()
	n, err := readBatch(c.Request(), data)
	if err != nil {
		return err
	}
	v, err := s.Batches.Quote(ctx, by, n)
	if err != nil {
		return err
	}
	return batchAnswer{http.StatusCreated, v}.write(c.Response())
}

// batchData reads the body of a batch. Faults: InvalidRequest, UnsupportedMediaType, BodyTooLarge, IncompleteRequest,
// ServiceUnavailable.
func batchData(c *echo.Context) ([]byte, error) {
	r := c.Request()
	if kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType)); !isBatchType(kind) {
		return nil, fault.New(fault.UnsupportedMediaType,
			"Envie os documentos em application/json, ou uma tabela em text/csv, .xlsx ou multipart/form-data com um arquivo.")
	}
	if err := compressed(r, fault.UnsupportedMediaType); err != nil {
		return nil, err
	}
	if _, err := requestKey(r); err != nil {
		return nil, err
	}
	return readBody(c, spreadsheet.MaxBytes, "16 MiB")
}

// requestKey is the idempotency key of a request, empty where there is none. Fault: InvalidRequest.
func requestKey(r *http.Request) (string, error) {
	var sent *string
	if lines := r.Header[requestKeyHeader]; len(lines) > 0 {
		sent = &lines[0]
	}
	return lookups.RequestKeyOf(requestKeyHeader, sent)
}

// readBatch parses the batch to quote. Faults: InvalidRequest, BodyTooLarge.
func readBatch(r *http.Request, data []byte) (n batches.NewBatch, err error) {
	kind, parameters, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if n.RequestKey, err = requestKey(r); err != nil {
		return n, err
	}
	query, err := parseQuery(r)
	if err != nil {
		return n, err
	}
	if kind == echo.MIMEMultipartForm {
		if data, err = onlyFile(data, parameters["boundary"]); err != nil {
			return n, err
		}
	}
	header := r.Header.Get(purposeHeader)
	n.RequestBody = requestSum(header, query, data)
	if kind == echo.MIMEApplicationJSON {
		if err := batchOfJSON(&n, data, query); err != nil {
			return n, err
		}
		n.Purpose, err = onePurpose(header, n.Purpose)
		return n, err
	}
	if err := batchOfQuery(&n, query); err != nil {
		return n, err
	}
	if n.Purpose, err = onePurpose(header, n.Purpose); err != nil {
		return n, err
	}
	n.Tabs, err = spreadsheet.Read(r.Context(), data, batch.MaxItems+spreadsheet.Above)
	return n, err
}

// requestSum is equal for a request and its retry under the same Idempotency-Key. Of a multipart form it covers only
// the file, because the boundary differs each time.
func requestSum(purpose string, query url.Values, data []byte) []byte {
	sum := sha256.New()
	if purpose != "" {
		_, _ = io.WriteString(sum, purpose+"\n") // never fails
	}
	_, _ = io.WriteString(sum, query.Encode()+"\n")
	_, _ = sum.Write(data)
	return sum.Sum(nil)
}

func isBatchType(kind string) bool {
	switch kind {
	case echo.MIMEApplicationJSON, echo.MIMEMultipartForm, csvType, xlsxType:
		return true
	}
	return false
}

func batchOfJSON(n *batches.NewBatch, data []byte, query url.Values) (err error) {
	if len(query) > 0 {
		return fault.New(fault.InvalidRequest, "Com um corpo JSON, esta rota não tem parâmetros: envie tudo no corpo.")
	}
	var b batchBody
	if err := decodeStrict(data, &b); err != nil {
		return err
	}
	if err := shape.Check(b); err != nil {
		return err
	}
	n.Name, n.Product, n.Documents, n.Refresh, n.Confirm = b.Name, b.Product, b.Documents, b.Refresh, b.Confirm
	n.Purpose = b.Purpose
	n.Ceiling, err = ceilingOf(b.Ceiling)
	return err
}

// batchOfQuery reads the parameters of a table from the address.
func batchOfQuery(n *batches.NewBatch, query url.Values) (err error) {
	n.Name, n.Product, n.Column = query.Get("nome"), query.Get("produto"), query.Get("coluna")
	if n.Product == "" {
		return fault.New(fault.InvalidRequest, "Falta o parâmetro produto.").At("produto")
	}
	n.Tab = query.Get("aba")
	n.Purpose = query.Get("finalidade")
	for name, into := range map[string]*bool{"atualizar": &n.Refresh, "confirmar": &n.Confirm} {
		switch v, sent := query[name]; {
		case !sent:
		case v[0] != "true" && v[0] != "false":
			return fault.New(fault.InvalidRequest, "O parâmetro "+name+" é true ou false.").At(name)
		default:
			*into = v[0] == "true"
		}
	}
	if sent, ok := query["teto"]; ok {
		ceiling := number(sent[0])
		n.Ceiling, err = ceilingOf(&ceiling)
	}
	return err
}

// onlyFile returns the only file of a form. Fault: InvalidRequest.
func onlyFile(data []byte, boundary string) (file []byte, err error) {
	refusal := fault.New(fault.InvalidRequest,
		"O formulário tem um arquivo e nada mais; produto e coluna vão no endereço.").At("arquivo")
	form := multipart.NewReader(bytes.NewReader(data), boundary)
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) && file != nil {
			return file, nil
		}
		if err != nil || part.FileName() == "" || file != nil {
			return nil, refusal
		}
		if file, err = io.ReadAll(part); err != nil {
			return nil, refusal
		}
	}
}
