package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"fichario/cmd/fichario/command"
)

// healthWithin bounds a healthcheck, below the limits of Docker and others.
const healthWithin = 4 * time.Second

type healthcheckCmd struct {
	Ready bool `help:"Also check that the database answers and accepts writes."`
}

// Run checks the service with the same settings on this machine. It needs no shell and no database, so that it can be
// the HEALTHCHECK of an otherwise empty image.
func (c *healthcheckCmd) Run(e *command.Environment) error {
	address := command.LocalURL(e.Settings.Listen) + "/healthz"
	if c.Ready {
		address = command.LocalURL(e.Settings.Listen) + "/readyz"
	}
	ctx, cancel := context.WithTimeout(e.Ctx, healthWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return errors.New("FICHARIO_LISTEN is not an address")
	}
	// No proxy from the environment: the service is local.
	res, err := (&http.Transport{Proxy: nil, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return fmt.Errorf("the service does not answer at %s", address)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the service answered %d at %s", res.StatusCode, address)
	}
	return e.Print(struct {
		OK bool `json:"ok"`
	}{true}, "ok\n")
}
