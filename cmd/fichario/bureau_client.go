package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"fichario/adapters/bureau"
	"fichario/adapters/sandbox"
	"fichario/domain/catalog"
	"fichario/ports"
)

// bureauClient is an adapter for a bureau, as the program needs it.
type bureauClient interface {
	ports.Bureau
	// Name is the bureau's in the log and in metrics.
	Name() string
	// Catalog are the products that it offers, with what they cost.
	Catalog() catalog.Catalog
	// Timeout is how long a call takes at most.
	Timeout() time.Duration
	// Rate is how many calls a second the bureau takes; 0 for as many as come.
	Rate() float64
}

// openBureau returns the client of the configured bureau, and what ends it.
func (e *environment) openBureau(log *slog.Logger) (bureauClient, func(), error) {
	ref := e.settings.Bureau
	options := []bureau.Option{bureau.WithLogger(log)}
	stop := func() {}
	src, err := bureauFile(ref)
	if err != nil {
		return nil, nil, err
	}
	file, err := bureau.Parse(ref, src, os.LookupEnv)
	if err != nil {
		return nil, nil, fmt.Errorf("bureau file %s:\n%w", ref, err)
	}
	if e.settings.SandboxScript != "" && ref != "sandbox" {
		return nil, nil, errors.New("FICHARIO_SANDBOX_SCRIPT is for FICHARIO_BUREAU=sandbox; here another bureau is asked")
	}
	if ref == "sandbox" {
		invented, err := e.sandbox()
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

// bureauFile reads a bureau file: the sandbox's, a shipped one, or one on disk.
func bureauFile(ref string) ([]byte, error) {
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
	return src, err
}
