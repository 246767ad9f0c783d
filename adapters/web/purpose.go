package web

import (
	"cmp"
	"net/http"
	"slices"

	"fichario/domain/crm"
)

// Purposes are the purposes that a page offers for lookups.
type Purposes struct {
	// All are those that the asker may choose.
	All []crm.Purpose
	// Code is the chosen one's code; empty where there is nothing to choose, or nothing was chosen yet.
	Code string
}

// Missing reports whether one must still be chosen.
func (p Purposes) Missing() bool { return p.Asked() && p.Code == "" }

// Asked reports whether there is anything to choose.
func (p Purposes) Asked() bool { return len(p.All) > 1 }

// PurposesOf returns the caller's purposes. The purpose in the request takes precedence over the one that
// the caller chose last; what a form sends is remembered.
func (s *Server) PurposesOf(c *Call, said string) (p Purposes, err error) {
	if p.All, err = s.Purposes.Allowed(c.Ctx(), c.By); err != nil {
		return p, err
	}
	if len(p.All) == 1 {
		p.Code = p.All[0].Code
	}
	if !p.Asked() {
		return p, nil
	}
	mine, err := s.Preferences.Mine(c.Ctx(), c.By)
	if err != nil {
		return p, err
	}
	remembered := mine[crm.AskPurpose]
	offered := func(code string) bool {
		return slices.ContainsFunc(p.All, func(one crm.Purpose) bool { return one.Code == code })
	}
	switch {
	case offered(said):
		p.Code = said
	case offered(remembered):
		p.Code = remembered
	}
	if p.Code == said && said != remembered && c.Method == http.MethodPost {
		err = s.Preferences.Set(c.Ctx(), c.By, crm.AskPurpose, said)
	}
	return p, err
}

// OrSaid is the purpose in a form, or else the chosen one.
func (p Purposes) OrSaid(said string) string { return cmp.Or(said, p.Code) }

// PurposeChoose remembers a purpose, and redirects back to where it was chosen.
func (s *Server) PurposeChoose(c *Call, f struct {
	Purpose string `form:"finalidade"`
}) error {
	if _, err := s.PurposesOf(c, f.Purpose); err != nil {
		return err
	}
	if c.Script() {
		c.Writer.Header().Set("HX-Refresh", "true")
		return nil
	}
	return c.Redirect(c.CameFrom("/consultar"))
}

// PurposeNames are the names of an organisation's purposes, including retired ones, by code.
func (s *Server) PurposeNames(c *Call) (map[string]string, error) {
	all, err := s.Purposes.List(c.Ctx(), c.By, c.By.OrgID())
	names := map[string]string{}
	for _, p := range all {
		names[p.Code] = p.Name
	}
	return names, err
}
