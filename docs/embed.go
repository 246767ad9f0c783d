// Package docs embeds the guides of the API, served at /docs.
package docs

import "embed"

// Guides are the guides: a folder for each language, a file of Markdown for each guide; programs are in _code. That of
// the sandbox in English is sandbox.md.
//
//go:embed guides guides/_code sandbox.md
var Guides embed.FS
