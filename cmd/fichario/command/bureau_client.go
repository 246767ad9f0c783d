package command

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"fichario/adapters/bureau"
	"fichario/adapters/sandbox"
	"fichario/domain/catalog"
	"fichario/ports"
)

// Bureau is a bureau with its own properties.
type Bureau interface {
	ports.Bureau
	// Name is its name in pages and records, Catalog what it sells, Timeout how long it may take to answer, and Rate how
	// many calls per second it allows, 0 for any number.
	Name() string
	Catalog() catalog.Catalog
	Timeout() time.Duration
	Rate() float64
}

// OpenBureau returns the client of the configured bureau, and a function that closes it.
func (e *Environment) OpenBureau(log *slog.Logger) (Bureau, func(), error) {
	ref := e.Settings.Bureau
	options := []bureau.Option{bureau.WithLogger(log)}
	stop := func() {}
	src, err := BureauFile(ref)
	if err != nil {
		return nil, nil, err
	}
	file, err := bureau.Parse(ref, src, func(name string) (string, bool) {
		e.Asked = append(e.Asked, name)
		return os.LookupEnv(name)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("bureau file %s:\n%w", ref, err)
	}
	if e.Settings.SandboxScript != "" && ref != "sandbox" {
		return nil, nil, errors.New("FICHARIO_SANDBOX_SCRIPT requires FICHARIO_BUREAU=sandbox, but another bureau is set")
	}
	if ref == "sandbox" {
		invented, err := e.Sandbox()
		if err != nil {
			return nil, nil, err
		}
		dial, stopSandbox := invented.Start()
		stop = stopSandbox
		options = append(options, bureau.WithDialContext(dial), bureau.WithoutBreaker(),
			bureau.WithRefusals(invented.Refuses))
	}
	client := bureau.New(file, options...)
	return client, func() { client.Close(); stop() }, nil
}

// BureauFile reads a bureau file: the sandbox's, a shipped one, or one on disk.
func BureauFile(ref string) ([]byte, error) {
	if ref == "sandbox" {
		return sandbox.File(), nil
	}
	if src, ok := bureau.Shipped(ref); ok {
		return src, nil
	}
	src, err := os.ReadFile(ref)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("FICHARIO_BUREAU: %q is neither sandbox, brasilapi, nor a file", ref)
	}
	if err != nil {
		return nil, fmt.Errorf("FICHARIO_BUREAU: %w", err)
	}
	return src, nil
}

// Sandbox is the invented bureau, with the script from the settings; always the same instance.
func (e *Environment) Sandbox() (*sandbox.Bureau, error) {
	if e.Invented != nil {
		return e.Invented, nil
	}
	bureau, path := sandbox.New(), e.Settings.SandboxScript
	if path != "" {
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("the script: %w", err)
		}
		folder, err := os.OpenRoot(filepath.Dir(path)) // confines the script to files in its folder
		if err != nil {
			return nil, fmt.Errorf("the script: %w", err)
		}
		if err := bureau.Script(src, folder.FS()); err != nil {
			return nil, fmt.Errorf("%s:\n%w", path, err)
		}
	}
	e.Invented = bureau
	return bureau, nil
}
