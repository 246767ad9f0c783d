// Package bureau asks a real data bureau over HTTP, as a bureau file describes it:
// where it is, how to authenticate, what each product's request looks like, and
// how its answer becomes named fields (by jq). Adding or changing a bureau or a
// product needs no code.
//
// A call that may have reached the bureau is charged, so three rules run through
// the package. No call is ever repeated once a byte of it may have left. A failure
// says whether it was sent (ports.NotSent, ports.Failed, ports.NoAnswer), and in
// doubt it was. And an answer that cannot be trusted, an error page, half a JSON
// text, a redirect, is a failure and never an answer.
//
// Documents, credentials and answers are in no log record and in no error.
package bureau
