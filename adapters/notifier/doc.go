// Package notifier sends e-mail through one SMTP server: plain text, with one recipient and one connection per
// message.
//
// Errors contain no addresses, credentials or answers of the mail server. A password is sent only over TLS, or to a
// mail server on this machine.
package notifier
