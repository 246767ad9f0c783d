package browsertest

import (
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// Device is a virtual device with passkeys.
type Device struct {
	b  *Browser
	id webauthn.AuthenticatorID
}

// Authenticator gives the browser a virtual device that makes passkeys and confirms the user's presence at once.
func (b *Browser) Authenticator() Device {
	b.tb.Helper()
	if _, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		b.tb.Fatal(err)
	}
	device, err := chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		},
	})
	if err != nil {
		b.tb.Fatal(err)
	}
	return Device{b, device.AuthenticatorID}
}

// Passkeys is how many passkeys the device has.
func (d Device) Passkeys() int {
	d.b.tb.Helper()
	has, err := chromedp.Call(d.b.ctx, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: d.id})
	if err != nil {
		d.b.tb.Fatal(err)
	}
	return len(has.Credentials)
}

// Forget removes the passkeys from the device.
func (d Device) Forget() {
	d.b.tb.Helper()
	_, err := chromedp.Call(d.b.ctx, webauthn.ClearCredentials, webauthn.ClearCredentialsParams{AuthenticatorID: d.id})
	if err != nil {
		d.b.tb.Fatal(err)
	}
}
