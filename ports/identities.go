package ports

import (
	"context"
	"errors"

	"fichario/domain/access"
)

// Identities stores who members are at providers of OpenID Connect.
type Identities interface {
	// Member returns the id of the member whom a provider means, or ErrNotFound.
	Member(ctx context.Context, issuer, subject string) (memberID string, err error)
	// Add returns ErrExists when the subject is somebody's, or the member is another subject of the issuer's.
	Add(ctx context.Context, i access.Identity) error
	// Drop removes those of a member; ErrNotFound when he has none.
	Drop(ctx context.Context, memberID string) error
}

// ErrProviderAway is returned where a provider does not answer, or not as it should: nobody who signs in is to blame.
var ErrProviderAway = errors.New("the provider of sign-ins is away")

// IdentityProvider is where people prove elsewhere who they are, by OpenID Connect. Its errors say what happened, and
// nothing of codes and tokens.
type IdentityProvider interface {
	// Issuer is the provider's name for itself.
	Issuer() string
	// Begin returns the address that a browser is led to. Error: ErrProviderAway.
	Begin(ctx context.Context, secrets access.ProviderSecrets) (address string, err error)
	// End gives back the code that the browser returned with, and returns whom the provider means, when what it says is
	// signed by it, for this service, fresh, and of this sign-in. Errors: ErrProviderAway, or why it is not accepted.
	End(ctx context.Context, secrets access.ProviderSecrets, code string) (access.Claims, error)
}
