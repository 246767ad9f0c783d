// Package destinations turns an event into a request of the form that another system wants, and reads its answer. What
// the form is, a file says (a destination), or the settings of an automation.
//
// Who writes either is not trusted: what is filled in never changes the form of an address, a header or a body; jq runs
// within bounds; and neither a secret nor anything that was answered is in an error.
package destinations
