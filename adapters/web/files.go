package web

import (
	"fichario/adapters/download"
	"net/http"
)

// download sends a table as a file. Once it has begun, only a broken connection tells a browser that the file is
// incomplete.
func (s *server) download(c *call, t download.Table, f download.Form) error {
	begun, err := download.CSV(c.w, t, f)
	if begun && err != nil {
		s.brokeOff(c, err)
	}
	return err
}

// brokeOff cuts the connection of a file that has begun, so that it is not taken for a complete one.
func (s *server) brokeOff(c *call, err error) {
	s.Log.WarnContext(c.ctx(), "a download broke off", "route", c.Pattern, "error", err, "request_id", c.id)
	panic(http.ErrAbortHandler)
}
