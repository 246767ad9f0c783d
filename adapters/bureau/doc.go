// Package bureau calls a real data bureau over HTTP as a bureau file describes it: its address, the authentication,
// the request of each product, and how jq turns its answer into named fields. Adding or changing a bureau or a
// product needs no code.
//
// A call that may have reached the bureau is charged, so three rules apply throughout the package. No call is
// repeated once a byte of it may have left. A failure says whether the call was sent (ports.NotSent, ports.Failed,
// ports.NoAnswer); in doubt it was. An answer that cannot be trusted, such as an error page, truncated JSON or a
// redirect, is a failure and never an answer.
//
// Documents, credentials and answers never appear in log records or errors.
package bureau
