package main

import (
	"errors"
	"fmt"
	"strings"

	"fichario/adapters/gormstore"
	"fichario/cmd/fichario/command"
	"fichario/cmd/fichario/lookups"
	"fichario/cmd/fichario/privacy"
)

type doctorCmd struct {
	Deep     bool `help:"Also decrypt every encrypted value; takes a while."`
	Restored bool `help:"No service has run on this copy yet: what is no fault of its data is no failure."`
}

// Run checks the invariants of the data.
func (c *doctorCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		findings, err := store.Check(e.Ctx, command.Now())
		if err == nil {
			var ofWitness []gormstore.Finding
			ofWitness, err = privacy.CheckWitness(e, store)
			findings = append(findings, ofWitness...)
		}
		if err == nil {
			var ofBureaus gormstore.Finding
			ofBureaus, err = lookups.CheckBureaus(e, store)
			findings = append(findings, ofBureaus)
		}
		if err == nil && c.Deep {
			var unreadable []gormstore.Finding
			unreadable, err = store.CheckSealed(e.Ctx)
			findings = append(findings, unreadable...)
		}
		if err != nil {
			return err
		}
		type check struct {
			Name       string   `json:"name"`
			Violations int64    `json:"violations"`
			IDs        []string `json:"ids,omitempty"`
		}
		view := struct {
			OK     bool    `json:"ok"`
			Checks []check `json:"checks"`
			Note   string  `json:"note,omitempty"`
		}{OK: true, Note: store.NoTrigrams()}
		var text strings.Builder
		broken := false
		for _, f := range findings {
			waits := c.Restored && f.Served
			view.OK = view.OK && (f.Violations == 0 || waits)
			broken = broken || f.Violations > 0 && !f.Served
			view.Checks = append(view.Checks, check{f.Name, f.Violations, f.IDs})
			text.WriteString(findingText(f, waits))
		}
		if view.Note != "" {
			fmt.Fprintf(&text, "%-10s  %s\n", "note", view.Note)
		}
		if err := e.Print(view, "%s", text.String()); err != nil || view.OK {
			return err
		}
		if !broken {
			return errors.New("no fault of the data: a service that runs sees to this, or somebody has to; nothing was changed")
		}
		return errors.New("the data is not consistent; nothing was changed")
	})
}

// findingText is what doctor prints of a finding.
func findingText(f gormstore.Finding, waits bool) string {
	word := "ok"
	switch {
	case f.Violations == 0:
	case waits:
		word = fmt.Sprintf("%d waiting", f.Violations)
	default:
		word = fmt.Sprintf("%d BROKEN", f.Violations)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%-10s  %s\n", word, f.Name)
	for _, id := range f.IDs {
		fmt.Fprintf(&text, "%-10s    %s\n", "", id)
	}
	if len(f.IDs) == gormstore.NamedMost && f.Violations > gormstore.NamedMost {
		fmt.Fprintf(&text, "%-10s    and %d more\n", "", f.Violations-gormstore.NamedMost)
	}
	return text.String()
}

type rekeyCmd struct{}

// Run re-encrypts with the first data key what others encrypted.
func (rekeyCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		n, err := store.Rekey(e.Ctx)
		if err != nil { // whose own words do not say it
			fmt.Fprintf(e.ErrOut, "fichario: %d values were re-encrypted; run this again for the others\n", n)
			return err
		}
		view := struct {
			Encrypted int `json:"encrypted"`
		}{n}
		return e.Print(view, "%d values re-encrypted. FICHARIO_DATA_KEY now needs only its first key.\n", n)
	})
}

type migrateCmd struct {
	Distribute string `enum:",citus" default:"" placeholder:"citus" help:"Also divide the tables by organisation among the nodes of Citus; no version before this one may run then."`
}

// Run migrates the database.
func (c *migrateCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		view := struct {
			Migrated bool `json:"migrated"`
			*gormstore.Distribution
		}{Migrated: true}
		if c.Distribute == "" {
			return e.Print(view, "The database is up to date.\n")
		}
		done, err := store.Distribute(e.Ctx)
		if err != nil {
			return err
		}
		view.Distribution = &done
		return e.Print(view, "The database is up to date. Of its tables, %d are divided by organisation among %d nodes, "+
			"each node has a copy of %d, and the coordinator keeps %d.\n",
			len(done.Distributed), done.Nodes, len(done.Directory), len(done.Local))
	})
}
