package web

import (
	"embed"
	"sync"

	"fichario/adapters/stored"
)

//go:embed static
var staticFiles embed.FS

// Asset is the address of a static file of the interface, such as its stylesheet, for pages outside the interface.
func Asset(name string) string { return readAssets().Address(name) }

var readAssets = sync.OnceValue(func() stored.Files { return stored.ReadFiles(staticFiles, "static", "/") })
