// Package jq runs the jq of files and settings that nobody vouches for: within bounds of steps, memory and time, and
// without an environment, modules or any input but its own.
package jq
