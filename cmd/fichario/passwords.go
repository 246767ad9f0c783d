package main

import (
	"log/slog"

	"fichario/adapters/factors"
	"fichario/adapters/gormstore"
	"fichario/app/team"
	"fichario/ports"
)

// passwords hashes passwords with Argon2id.
var passwords = team.Passwords{
	Hash: factors.HashPassword, Fits: factors.PasswordFits, Stale: factors.PasswordStale, Decoy: factors.NobodysPassword,
}

func members(store *gormstore.Store) *team.Members {
	return team.NewMembers(store, now, passwords.Hash)
}

// oneTimeCodes are the functions for authenticator apps.
var oneTimeCodes = team.Codes{New: factors.NewSecret, Step: factors.Step}

// codePicture draws an account's secret for such an app.
func codePicture(secret, account string) (string, error) {
	return factors.Picture(factors.Address(secret, account))
}

func links(
	store *gormstore.Store, sessions *team.Sessions, mailer ports.Mailer, publicURL string, log *slog.Logger,
) *team.Links {
	return team.NewLinks(team.LinksConfig{
		Store: store, Clock: now, Sessions: sessions, Hash: passwords.Hash, Mailer: mailer, PublicURL: publicURL, Log: log,
	})
}
