// Package jq runs untrusted jq from files and settings: with limits on steps, memory and time, and without an
// environment, modules or any input but its own.
package jq
