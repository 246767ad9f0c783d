package web

import (
	"net/http"

	"fichario/adapters/download"
	"fichario/adapters/shape"
)

// Download sends a table as a file. Once it has begun, only a broken connection tells a browser that the file is
// incomplete.
func (s *Server) Download(c *Call, t download.Table, f download.Form) error {
	begun, err := download.CSV(c.Writer, t, f)
	if begun && err != nil {
		s.BrokeOff(c, err)
	}
	return err
}

// BrokeOff cuts the connection of a file that has begun, so that it is not taken for a complete one.
func (s *Server) BrokeOff(c *Call, err error) {
	s.Log.WarnContext(c.Ctx(), "a download broke off", "route", c.Pattern, "error", shape.Unaddressed(err),
		"request_id", c.ID)
	panic(http.ErrAbortHandler)
}
