package meta

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"fichario/adapters/platform"
	"fichario/domain/intake"
	"fichario/ports"
)

// Version is the version of the Graph API that every call names. Meta keeps it until July 2028.
const Version = "v25.0"

// Address is Meta's own, and the default of FICHARIO_META_URL.
const Address = "https://graph.facebook.com"

// Client is a LeadSource. It is safe for concurrent use.
type Client struct {
	base     string
	platform *platform.Client
}

// New returns a client of the Graph API at an address without a version, such as https://graph.facebook.com.
func New(address string) *Client {
	return &Client{strings.TrimRight(address, "/") + "/" + Version + "/", platform.New(intake.Meta)}
}

// proof shows that whoever has the token also has the app's secret, which Meta lets an app require.
func proof(a ports.SourceAccess) string {
	mac := hmac.New(sha256.New, []byte(a.AppSecret))
	mac.Write([]byte(a.Token))
	return hex.EncodeToString(mac.Sum(nil))
}

// call makes a call and decodes the answer. The token goes in a header, and never into the address.
func (c *Client) call(
	ctx context.Context, a ports.SourceAccess, method, path string, query url.Values, answer any,
) error {
	if query == nil {
		query = url.Values{}
	}
	query.Set("appsecret_proof", proof(a))
	got, err := c.platform.Call(ctx, method, c.base+path+"?"+query.Encode(), a.Token, nil, nil)
	if err != nil {
		return err
	}
	if a.Used != nil {
		a.Used(used(got.Header))
	}
	if failed := failure(got); failed != nil {
		return failed
	}
	return c.platform.Decode(got.Body, answer)
}
