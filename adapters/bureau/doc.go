// Package bureau queries a real data bureau over HTTP, as described by a bureau file: its address, how to authenticate,
// what each product's request looks like, and how the answer becomes named fields (by jq). Adding or changing a bureau
// or a product needs no code.
//
// A call that may have reached the bureau is charged, so three rules apply throughout. No call is ever repeated once a
// byte of it may have left. A failure says whether the call was sent (ports.NotSent, ports.Failed, ports.NoAnswer);
// when in doubt, it was. And an untrustworthy answer (an error page, truncated JSON, a redirect) is a failure, never an
// answer.
//
// Documents, credentials and answers never appear in a log record or an error.
package bureau
