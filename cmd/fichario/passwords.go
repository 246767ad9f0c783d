package main

import (
	"log/slog"

	"fichario/adapters/factors"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/ports"
)

// passwords hashes passwords with Argon2id.
var passwords = app.Passwords{
	Hash: factors.HashPassword, Fits: factors.PasswordFits, Stale: factors.PasswordStale, Decoy: factors.NobodysPassword,
}

func members(store *gormstore.Store) *app.Members {
	return app.NewMembers(store, now, passwords.Hash)
}

// oneTimeCodes are the functions for authenticator apps.
var oneTimeCodes = app.Codes{New: factors.NewSecret, Step: factors.Step}

// codePicture draws an account's secret for such an app.
func codePicture(secret, account string) (string, error) {
	return factors.Picture(factors.Address(secret, account))
}

func links(
	store *gormstore.Store, sessions *app.Sessions, mailer ports.Mailer, publicURL string, log *slog.Logger,
) *app.Links {
	return app.NewLinks(app.LinksConfig{
		Store: store, Clock: now, Sessions: sessions, Hash: passwords.Hash, Mailer: mailer, PublicURL: publicURL, Log: log,
	})
}
