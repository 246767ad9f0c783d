package notifier

import (
	"errors"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	gomail "github.com/wneessen/go-mail"
)

// settings are the parts of a mail server's address.
type settings struct {
	host, port     string
	implicitTLS    bool
	startTLS       gomail.TLSPolicy
	user, password string
	from           netmail.Address
}

const usage = "write smtp://USER:PASSWORD@HOST:587?from=NAME <ADDRESS> (STARTTLS), or smtps:// and port 465 (TLS from the start); " +
	"in USER, PASSWORD and NAME the characters %, @, :, /, ?, #, & and + are written as %25, %40, %3A, %2F, %3F, %23, %26 and %2B"

// wrong is an error that never repeats the address: it holds a password, and in one that does not parse, nobody knows
// where.
func wrong(what string) error { return errors.New("FICHARIO_SMTP_URL: " + what + "; " + usage) }

func parse(address string) (settings, error) {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" {
		return settings{}, wrong("this is no URL")
	}
	s := settings{host: u.Hostname(), port: u.Port(), startTLS: gomail.TLSOpportunistic}
	switch u.Scheme {
	case "smtp":
		s.port = orElse(s.port, "587")
	case "smtps":
		s.port = orElse(s.port, "465")
		// The connection itself uses TLS, so there is no STARTTLS.
		s.implicitTLS, s.startTLS = true, gomail.NoTLS
	default:
		return settings{}, wrong("the scheme is smtp or smtps")
	}
	if n, err := strconv.ParseUint(s.port, 10, 16); err != nil || n == 0 {
		return settings{}, wrong("the port is a number up to 65535, usually 587, 465 or 25")
	}
	if s.host == "" || strings.ContainsFunc(s.host, notInHost) {
		return settings{}, wrong("the name of the mail server is missing or has characters that no name has")
	}
	if u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return settings{}, wrong("nothing but parameters follows the name of the mail server and the port")
	}
	if u.User != nil {
		s.user = u.User.Username()
		s.password, _ = u.User.Password()
		if s.user == "" || s.password == "" || strings.ContainsFunc(s.user+s.password, unicode.IsControl) {
			return settings{}, wrong("user and password come together, or neither")
		}
	}
	return s, s.parameters(u.RawQuery)
}

// parameters parses what follows the question mark.
func (s *settings) parameters(query string) error {
	q, err := url.ParseQuery(query)
	if err != nil {
		return wrong("the parameters cannot be read")
	}
	from := s.user
	if _, err := netmail.ParseAddress(from); err != nil {
		from = "fichario@" + domain(s.host)
	}
	for name, values := range q {
		switch {
		case len(values) != 1:
			return wrong("a parameter is given twice")
		case name == "from":
			from = values[0]
		case name == "tls" && !s.implicitTLS:
			policy, ok := map[string]gomail.TLSPolicy{
				"required": gomail.TLSMandatory, "opportunistic": gomail.TLSOpportunistic, "none": gomail.NoTLS,
			}[values[0]]
			if !ok {
				return wrong("tls is required, opportunistic or none")
			}
			s.startTLS = policy
		default:
			return wrong("the parameters are from and, with smtp://, tls")
		}
	}
	if s.user != "" && !s.implicitTLS && s.startTLS == gomail.NoTLS && !loopback(s.host) {
		return wrong("tls=none would send the password in clear text; without TLS a password goes only to localhost")
	}
	a, err := netmail.ParseAddress(from)
	if err != nil || strings.ContainsFunc(a.Name, unicode.IsControl) || strings.ContainsFunc(a.Address, notASCII) {
		return wrong("from is one e-mail address, without accents, with or without a name before it")
	}
	s.from = *a
	return nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// domain returns a host as the domain of an e-mail address; an IP address cannot be one.
func domain(host string) string {
	if net.ParseIP(host) != nil {
		return "localhost"
	}
	return host
}

// loopback reports whether the mail server is on this machine. The mail library has the same list, and sends a password
// without TLS to no other.
func loopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

func notASCII(r rune) bool { return r > unicode.MaxASCII }

func notInHost(r rune) bool {
	return notASCII(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".-_:", r)
}
