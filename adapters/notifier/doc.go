// Package notifier sends e-mail through one mail server over SMTP: plain text, one
// recipient and one connection for each message.
//
// Addresses, credentials and what the mail server answers are in no error. A
// password leaves only through TLS, or to a mail server on this machine.
package notifier
