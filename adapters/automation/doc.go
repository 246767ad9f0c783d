// Package automation calls other systems over HTTP: one signed POST for each attempt of an automation.
//
// The address, the secret and the answer belong to an organisation, and the operator does not trust them. So the
// address is checked when the connection is made, after name resolution; no redirect, proxy or cookie is used; time
// and answer are bounded; and no error contains any of this.
package automation
