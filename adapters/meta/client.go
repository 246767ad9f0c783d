package meta

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fichario/ports"
)

// Version is the version of the Graph API that every call names. Meta keeps it until July 2028.
const Version = "v25.0"

const (
	// Address is Meta's own, and the default of FICHARIO_META_URL.
	Address = "https://graph.facebook.com"
	// answerMax bounds an answer, in bytes.
	answerMax = 8 << 20
	// callWithin bounds a call.
	callWithin = 15 * time.Second
)

// Client is a LeadSource. It is safe for concurrent use.
type Client struct {
	base string
	http *http.Client
}

// New returns a client of the Graph API at an address without a version, such as https://graph.facebook.com.
func New(address string) *Client {
	transport := &http.Transport{
		TLSHandshakeTimeout: 5 * time.Second, MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second,
	}
	return &Client{strings.TrimRight(address, "/") + "/" + Version + "/", &http.Client{
		Timeout: callWithin, Transport: transport,
		// A redirect would take the token elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
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
	r, err := http.NewRequestWithContext(ctx, method, c.base+path+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return &ports.SourceError{Reason: "o endereço da Meta não serve"}
	}
	r.Header.Set("Authorization", "Bearer "+a.Token)
	r.Header.Set("Accept", "application/json")
	got, err := c.http.Do(r)
	if err != nil {
		return &ports.SourceError{Reason: "a Meta não respondeu"} // the error would quote the address
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(got.Body, answerMax+1))
	if err != nil || len(body) > answerMax {
		return &ports.SourceError{Reason: "a resposta da Meta não chegou inteira"}
	}
	if a.Used != nil {
		a.Used(used(got.Header))
	}
	if failed := failure(got, body); failed != nil {
		return failed
	}
	if json.Unmarshal(body, answer) != nil {
		return &ports.SourceError{Reason: "a resposta da Meta não pode ser lida"}
	}
	return nil
}
