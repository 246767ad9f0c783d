// Package notifier sends e-mail through one mail server over SMTP: plain text, one recipient and one connection for
// each message.
//
// No error contains an address, a credential or an answer of the mail server. A password is sent only over TLS, or to a
// mail server on this machine.
package notifier
