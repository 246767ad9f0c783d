package web

// routes are the pages inside, by method and path. A page that changes something
// answers a POST and leads to a GET.
func (s *server) routes() map[string]handler {
	return map[string]handler{
		"GET /{$}":         s.dashboard,
		"POST /sair-todas": s.signOutEverywhere,
	}
}
