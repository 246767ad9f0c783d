package command

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fichario/adapters/bureau"
	"fichario/adapters/sandbox"
)

// OpenBureaus returns the configured bureaus, and a function that closes them: those that FICHARIO_BUREAU names,
// separated by commas, or those of the plan at its path.
func (e *Environment) OpenBureaus(log *slog.Logger) (*bureau.Bureaus, func(), error) {
	refs := strings.Split(e.Settings.Bureau, ",")
	for i := range refs {
		refs[i] = strings.TrimSpace(refs[i])
	}
	names, plan, err := refs, bureau.Plan{}, error(nil)
	if len(refs) == 1 {
		if names, refs, plan, err = planned(refs[0]); err != nil {
			return nil, nil, err
		}
	}
	var clients []bureau.Chained
	var stops []func()
	stop := func() {
		for _, stop := range stops {
			stop()
		}
	}
	if slices.ContainsFunc(refs, sandbox.Is) {
		if _, err := e.Sandbox(); err != nil {
			return nil, nil, fmt.Errorf("FICHARIO_SANDBOX_SCRIPT: %w", err)
		}
	}
	for _, ref := range refs {
		client, stopOne, err := e.OpenBureau(ref, log)
		if err != nil {
			stop()
			return nil, nil, fmt.Errorf("FICHARIO_BUREAU: %w", err)
		}
		clients, stops = append(clients, client), append(stops, stopOne)
	}
	if e.Settings.SandboxScript != "" && !slices.ContainsFunc(refs, sandbox.Is) {
		stop()
		return nil, nil, errors.New("FICHARIO_SANDBOX_SCRIPT requires FICHARIO_BUREAU=sandbox, but another bureau is set")
	}
	all, err := bureau.Join(clients, names, plan)
	if err != nil {
		stop()
		return nil, nil, fmt.Errorf("FICHARIO_BUREAU: %w", err)
	}
	return all, stop, nil
}

// planned reads a plan, and returns the names and the files of its bureaus; of any other file, those of itself. Of a
// folder that is its chain.yaml, or else all its files in the order of their names.
func planned(ref string) (names, refs []string, plan bureau.Plan, err error) {
	if at, err := os.Stat(ref); err == nil && at.IsDir() {
		if _, err := os.Stat(filepath.Join(ref, "chain.yaml")); err == nil {
			return planned(filepath.Join(ref, "chain.yaml"))
		}
		files, err := filepath.Glob(filepath.Join(ref, "*.yaml"))
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("FICHARIO_BUREAU: the folder %s has no *.yaml", ref)
		}
		return files, files, plan, err
	}
	if src, err := os.ReadFile(ref); err == nil && bureau.IsPlan(src) {
		if plan, err = bureau.ParsePlan(src); err != nil {
			return nil, nil, plan, fmt.Errorf("%s:\n%w", ref, err)
		}
		for _, of := range plan.Refs {
			if _, shipped := bureau.Shipped(of); !shipped && !sandbox.Is(of) && !filepath.IsAbs(of) {
				of = filepath.Join(filepath.Dir(ref), of)
			}
			refs = append(refs, of)
		}
		return plan.Bureaus, refs, plan, nil
	}
	return []string{ref}, []string{ref}, plan, nil
}

// OpenBureau returns the client of a bureau, and a function that closes it.
func (e *Environment) OpenBureau(ref string, log *slog.Logger) (*bureau.Client, func(), error) {
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
	if sandbox.Is(ref) {
		invented, err := e.Sandbox()
		if err != nil {
			return nil, nil, err
		}
		dial, stopSandbox := invented.Start()
		stop = stopSandbox
		options = append(options, bureau.WithDialContext(dial), bureau.WithoutBreaker(),
			bureau.WithRefusals(invented.Refuses(ref)))
	}
	client := bureau.New(file, options...)
	return client, func() { client.Close(); stop() }, nil
}

// BureauFile reads a bureau file: one of the sandbox, a shipped one, or one on disk.
func BureauFile(ref string) ([]byte, error) {
	if sandbox.Is(ref) {
		return sandbox.File(ref), nil
	}
	if src, ok := bureau.Shipped(ref); ok {
		return src, nil
	}
	src, err := os.ReadFile(ref)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("bureau %q: no file has this path, and those that come with the program are %s", ref,
			strings.Join(append(sandbox.Names(), bureau.ShippedNames()...), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("bureau %q: %w", ref, err)
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
