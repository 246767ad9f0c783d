package web

import "net/http"

// allRooms are the rooms of the interface.
func allRooms() []func(*server) pageSet {
	return []func(*server) pageSet{
		lookupsPages, batchesPages, contactsPages, intakePages, automationsPages, teamPages, privacyPages,
	}
}

// NewSite returns the handler of the interface.
func NewSite(c Config) (http.Handler, error) { return New(c, allRooms()...) }

// SiteRoutes lists the method and path of every route of the interface.
func SiteRoutes() []string { return Routes(allRooms()...) }
