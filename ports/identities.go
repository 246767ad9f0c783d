package ports

import (
	"context"
	"errors"

	"fichario/domain/access"
)

// Identities stores the accounts that members have at OpenID Connect providers.
type Identities interface {
	// Member returns the id of the member linked to an account, or ErrNotFound.
	Member(ctx context.Context, issuer, subject string) (memberID string, err error)
	// Add returns ErrExists when the subject is already linked, or the member to another subject of the issuer.
	Add(ctx context.Context, i access.Identity) error
	// Drop removes the identities of a member; ErrNotFound when there are none.
	Drop(ctx context.Context, memberID string) error
}

// ErrProviderAway says that a provider does not answer, or not properly: the person signing in is not to blame.
var ErrProviderAway = errors.New("the provider of sign-ins is away")

// IdentityProvider is where people sign in elsewhere, by OpenID Connect. Its errors say what happened, without codes
// and tokens.
type IdentityProvider interface {
	// Issuer is the provider's name for itself.
	Issuer() string
	// Begin returns the address to send a browser to. Error: ErrProviderAway.
	Begin(ctx context.Context, secrets access.ProviderSecrets) (address string, err error)
	// End exchanges the code that the browser returned with, and returns the provider's claims if they are signed by it,
	// for this service, fresh, and of this sign-in. Errors: ErrProviderAway, or why they are not accepted.
	End(ctx context.Context, secrets access.ProviderSecrets, code string) (access.Claims, error)
}
