package bureau

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"os"
	"strings"

	"fichario/adapters/jq"
)

func (p *parser) auth(v at) {
	keys := p.Known(v, "oauth2", "login", "query")
	if len(keys) == 0 {
		p.Fault(v, "must have oauth2, login or query")
	}
	oauth2, hasOAuth2 := keys["oauth2"]
	if hasOAuth2 {
		p.oauth2(oauth2)
	}
	login, hasLogin := keys["login"]
	switch {
	case hasLogin && hasOAuth2:
		p.Fault(login, "the file signs in by oauth2 already: keep one of the two")
	case hasLogin:
		p.login(login)
	}
	if k, ok := keys["query"]; ok {
		for _, pair := range p.Pairs(k) {
			p.file.secretQuery = append(p.file.secretQuery, header{pair.Key, template{{text: p.plain(pair.At)}}})
		}
	}
	for _, h := range p.file.headers {
		if h.name == "Authorization" && p.file.signIn != nil {
			p.Fault(v, "the headers already send an Authorization: keep one of the two")
		}
	}
}

func (p *parser) oauth2(v at) {
	keys := p.Known(v, "token_url", "client_id", "client_secret", "scopes")
	p.Required(v, keys, "token_url", "client_id", "client_secret")
	p.file.signIn = &signIn{}
	if v, ok := keys["token_url"]; ok {
		p.file.signIn.url = p.address(v, true)
	}
	if v, ok := keys["client_id"]; ok {
		p.file.signIn.id = p.plain(v)
	}
	if v, ok := keys["client_secret"]; ok {
		p.file.signIn.secret = p.plain(v)
	}
	if v, ok := keys["scopes"]; ok {
		for _, item := range p.List(v) {
			p.file.signIn.scopes = append(p.file.signIn.scopes, p.Text(item))
		}
	}
}

// login reads how to get a token by a JSON object of names and secrets.
func (p *parser) login(v at) {
	keys := p.Known(v, "url", "body", "token", "expires")
	p.Required(v, keys, "url", "body", "token")
	p.file.signIn = &signIn{}
	if v, ok := keys["url"]; ok {
		p.file.signIn.url = p.address(v, true)
	}
	if v, ok := keys["body"]; ok {
		object := map[string]any{}
		for _, pair := range p.Pairs(v) {
			object[pair.Key] = p.plain(pair.At)
		}
		p.file.signIn.body, _ = jq.Encode(object) // of texts
	}
	if v, ok := keys["token"]; ok {
		p.file.signIn.token = p.JQ(v)
	}
	if v, ok := keys["expires"]; ok {
		p.file.signIn.expires = p.JQ(v)
	}
}

// maxPEM far exceeds any certificate.
const maxPEM = 1 << 20

// tls reads the certificate that the client shows, and the authorities that it trusts. The files are read once, so a
// new certificate needs a restart.
func (p *parser) tls(v at) {
	keys := p.Known(v, "cert", "key", "ca")
	if len(keys) == 0 {
		p.Fault(v, "must have cert and key, or ca")
	}
	if !strings.HasPrefix(p.file.base, "https:") && p.file.base != "" {
		p.Fault(v, "needs a base_url that starts with https://")
	}
	p.file.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	cert, hasCert := keys["cert"]
	key, hasKey := keys["key"]
	if hasCert || hasKey {
		p.Required(v, keys, "cert", "key")
	}
	if hasCert && hasKey {
		certPEM, keyPEM := p.pem(cert), p.pem(key)
		pair, err := tls.X509KeyPair(certPEM, keyPEM)
		if err != nil && certPEM != nil && keyPEM != nil {
			p.Fault(cert, "the two files are not a certificate and its key, in PEM")
		}
		p.file.tls.Certificates = []tls.Certificate{pair}
	}
	if ca, ok := keys["ca"]; ok {
		p.file.tls.RootCAs = x509.NewCertPool()
		if text := p.pem(ca); text != nil && !p.file.tls.RootCAs.AppendCertsFromPEM(text) {
			p.Fault(ca, "the file has no certificate in PEM")
		}
	}
}

// pem reads a file that a value names; nil after a fault. The message does not quote the path, which may be from the
// environment.
func (p *parser) pem(v at) []byte {
	before := len(p.Problems)
	path := p.plain(v)
	if len(p.Problems) > before {
		return nil
	}
	var buf bytes.Buffer
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			_, err = buf.ReadFrom(io.LimitReader(f, maxPEM))
			_ = f.Close()
		}
	}
	if err != nil || buf.Len() == 0 {
		p.Fault(v, "the file cannot be read, or is empty")
		return nil
	}
	return buf.Bytes()
}
