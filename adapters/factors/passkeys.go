package factors

import (
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"fichario/domain/access"
	"fichario/ports"
)

// Passkeys implements ports.Passkeys for the service's public address.
type Passkeys struct{ web *webauthn.WebAuthn }

// NewPasskeys returns nil for an address at which browsers allow no passkeys: one without a domain name, or without TLS
// outside localhost.
func NewPasskeys(publicURL string) (ports.Passkeys, error) {
	at, err := url.Parse(publicURL)
	if err != nil {
		return nil, err
	}
	host := at.Hostname()
	local := host == "localhost"
	if !local && !strings.Contains(host, ".") || net.ParseIP(host) != nil || at.Scheme != "https" && !local {
		return nil, nil //nolint:nilnil // a valid address, only without passkeys
	}
	web, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: issuer, RPOrigins: []string{at.Scheme + "://" + at.Host},
		AttestationPreference: protocol.PreferNoAttestation,
	})
	if err != nil {
		return nil, err
	}
	return &Passkeys{web}, nil
}

// owner adapts a member to the library.
type owner struct {
	ports.PasskeyOwner
	credentials []webauthn.Credential
}

func ownerOf(of ports.PasskeyOwner) (owner, error) {
	out := owner{PasskeyOwner: of}
	for _, key := range of.Keys {
		var c webauthn.Credential
		if err := json.Unmarshal(key.Content, &c); err != nil {
			return out, err
		}
		out.credentials = append(out.credentials, c)
	}
	return out, nil
}

// WebAuthnID is the member's id.
func (o owner) WebAuthnID() []byte { return []byte(o.ID) }

// WebAuthnName is the member's e-mail address.
func (o owner) WebAuthnName() string { return o.Email }

// WebAuthnDisplayName is the member's name.
func (o owner) WebAuthnDisplayName() string { return o.Name }

// WebAuthnCredentials are the member's passkeys.
func (o owner) WebAuthnCredentials() []webauthn.Credential { return o.credentials }

// asJSON encodes the options for a browser, and the data kept to verify its answer.
func asJSON(options any, kept *webauthn.SessionData, err error) ([]byte, []byte, error) {
	if err != nil {
		return nil, nil, err
	}
	given, err := json.Marshal(options)
	if err != nil {
		return nil, nil, err
	}
	data, err := json.Marshal(kept)
	return given, data, err
}

// BeginAdd makes the challenge for a new passkey; devices that already have one refuse.
func (p *Passkeys) BeginAdd(of ports.PasskeyOwner) (options, challenge []byte, err error) {
	who, err := ownerOf(of)
	if err != nil {
		return nil, nil, err
	}
	made, kept, err := p.web.BeginRegistration(who,
		webauthn.WithExclusions(webauthn.Credentials(who.credentials).CredentialDescriptors()),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationPreferred,
		}))
	return asJSON(made, kept, err)
}

// EndAdd verifies what the browser created.
func (p *Passkeys) EndAdd(of ports.PasskeyOwner, challenge, answer []byte) (access.Passkey, error) {
	who, err := ownerOf(of)
	if err != nil {
		return access.Passkey{}, err
	}
	var kept webauthn.SessionData
	if err := json.Unmarshal(challenge, &kept); err != nil {
		return access.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return access.Passkey{}, err
	}
	made, err := p.web.CreateCredential(who, kept, parsed)
	if err != nil {
		return access.Passkey{}, err
	}
	content, err := json.Marshal(made)
	return access.Passkey{Credential: made.ID, Content: content}, err
}

// BeginUse makes the challenge for a sign-in.
func (p *Passkeys) BeginUse(of *ports.PasskeyOwner) (options, challenge []byte, err error) {
	if of == nil {
		made, kept, err := p.web.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
		return asJSON(made, kept, err)
	}
	who, err := ownerOf(*of)
	if err != nil {
		return nil, nil, err
	}
	made, kept, err := p.web.BeginLogin(who)
	return asJSON(made, kept, err)
}

var errCloned = errors.New("the passkey counts backwards, as a copy does")

// EndUse verifies the browser's answer.
func (p *Passkeys) EndUse(
	of *ports.PasskeyOwner, challenge, answer []byte, find func(memberID string) (ports.PasskeyOwner, error),
) (access.Passkey, error) {
	var kept webauthn.SessionData
	if err := json.Unmarshal(challenge, &kept); err != nil {
		return access.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return access.Passkey{}, err
	}
	var who owner
	var used *webauthn.Credential
	if of != nil {
		if who, err = ownerOf(*of); err == nil {
			used, err = p.web.ValidateLogin(who, kept, parsed)
		}
	} else {
		used, err = p.web.ValidateDiscoverableLogin(func(_, handle []byte) (webauthn.User, error) {
			found, err := find(string(handle))
			if err == nil {
				who, err = ownerOf(found)
			}
			return who, err
		}, kept, parsed)
	}
	switch {
	case err != nil:
		return access.Passkey{}, err
	case used.Authenticator.CloneWarning:
		return access.Passkey{}, errCloned
	}
	for _, key := range who.Keys {
		if string(key.Credential) == string(used.ID) {
			key.Content, err = json.Marshal(used)
			return key, err
		}
	}
	return access.Passkey{}, ports.ErrNotFound
}
