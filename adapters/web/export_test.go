package web

import (
	"errors"
	"fmt"
)

// ReadTemplates reads every page now, and returns why one cannot be.
func (s *Server) ReadTemplates() error {
	var all []error
	for name, page := range s.pages {
		if _, err := page(); err != nil {
			all = append(all, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(all...)
}
