// Package team is the suite of the repositories of organisations, members and sign-in.
package team

import "fichario/ports/portstest/kit"

// Suite are the tests, by name.
var Suite = kit.Suite{
	"organisations":       organisations,
	"members":             members,
	"sessions":            sessions,
	"attempts to sign in": attempts,
	"tickets":             tickets,
	"second factors":      factors,
	"identities":          identities,
	"names":               names,
	"notifications":       notifications,
	"pages of them":       pages,
	"preferences":         preferences,
}
