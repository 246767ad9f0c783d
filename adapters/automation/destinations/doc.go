// Package destinations turns an event into a request in the format that another system expects, and reads its answer.
// The format is described by a file (a destination) or by the settings of an automation.
//
// Authors of both are untrusted: a filled-in value never changes the form of an address, header or body; jq runs within
// bounds; and no error contains a secret or anything from the answer.
package destinations
