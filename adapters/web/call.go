package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"

	"fichario/adapters/spreadsheet"
	"fichario/app"
	"fichario/domain/crm"
)

// Call is one request, with its caller.
type Call struct {
	*http.Request
	Writer http.ResponseWriter
	Server *Server
	// By is the signed-in member; the zero value outside a session.
	By     app.Caller
	Member crm.Member
	// ID is the request's id, to find it in the log.
	ID string
	// sent is the form where it has a file, until the request ends.
	sent *spreadsheet.Upload
}

// Ctx is the request's context.
func (c *Call) Ctx() context.Context { return c.Context() }

// Script reports whether htmx asks for a part of a page.
func (c *Call) Script() bool { return c.Header.Get("HX-Request") == "true" }

// Manager returns the fault for a caller who may not manage the organisation, for pages that call no use case that
// checks it.
func (c *Call) Manager() error {
	if !c.By.MayManage() {
		return app.Forbidden()
	}
	return nil
}

// errHalfForm is a form that arrived incomplete.
var errHalfForm = errors.New("the form did not arrive whole")

// read reads the posted form. Values must not be asked for before: that would make an unreadable form look empty.
func (c *Call) read(limit int64) error {
	c.Body = http.MaxBytesReader(c.Writer, c.Body, limit)
	err := c.ParseForm()
	if kind, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type")); err == nil && kind == "multipart/form-data" {
		err = c.ParseMultipartForm(limit) // all of it in memory: a temporary file would leave personal data on disk
	}
	if over := new(http.MaxBytesError); errors.As(err, &over) || app.FaultOf(err) != nil {
		return err
	}
	if err != nil && c.Method == http.MethodPost {
		return errHalfForm
	}
	return nil // an address that is readable in part is good enough
}

// File returns the uploaded file and its name; nothing where there is none.
func (c *Call) File() (data []byte, name string, err error) {
	file, head, err := c.FormFile("arquivo")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = file.Close() }()
	data = make([]byte, head.Size)
	_, err = io.ReadFull(file, data)
	delete(c.MultipartForm.File, "arquivo") // free the first copy in memory
	return data, path.Base(head.Filename), err
}

// FileName returns the name of the file that File will read; empty where none was sent.
func (c *Call) FileName() string {
	if c.MultipartForm == nil || len(c.MultipartForm.File["arquivo"]) == 0 {
		return ""
	}
	return path.Base(c.MultipartForm.File["arquivo"][0].Filename)
}
