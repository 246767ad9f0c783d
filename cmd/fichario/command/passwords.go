package command

import (
	"log/slog"

	"fichario/adapters/factors"
	"fichario/adapters/gormstore"
	"fichario/app/team"
	"fichario/ports"
)

// Passwords hashes passwords with Argon2id.
var Passwords = team.Passwords{
	Hash: factors.HashPassword, Fits: factors.PasswordFits, Stale: factors.PasswordStale, Decoy: factors.NobodysPassword,
}

// Members is the use case of members, with the hashing of passwords.
func Members(store *gormstore.Store) *team.Members {
	return team.NewMembers(store, Now, Passwords.Hash)
}

// OneTimeCodes are the functions for authenticator apps.
var OneTimeCodes = team.Codes{New: factors.NewSecret, Step: factors.Step}

// CodePicture draws an account's secret for such an app.
func CodePicture(secret, account string) (string, error) {
	return factors.Picture(factors.Address(secret, account))
}

// Links is the use case of links for invitations and new passwords.
func Links(
	store *gormstore.Store, sessions *team.Sessions, mailer ports.Mailer, publicURL string, log *slog.Logger,
) *team.Links {
	return team.NewLinks(team.LinksConfig{
		Store: store, Clock: Now, Sessions: sessions, Hash: Passwords.Hash, Mailer: mailer, PublicURL: publicURL, Log: log,
	})
}
