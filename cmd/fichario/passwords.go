package main

import (
	"crypto/sha512"
	"encoding/base64"
	"log/slog"
	"strconv"

	"golang.org/x/crypto/bcrypt"

	"fichario/adapters/factors"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/ports"
)

// passwordCost is bcrypt's cost, a binary logarithm. It is a variable so that the linker can lower it in the tests'
// program, which would otherwise spend most of its time hashing.
var passwordCost = "12"

func hashPassword(password string) (string, error) {
	cost, err := strconv.Atoi(passwordCost)
	if err != nil {
		return "", err
	}
	hash, err := bcrypt.GenerateFromPassword(bcryptInput(password), cost)
	return string(hash), err
}

// bcryptInput is the password or, where that exceeds bcrypt's limit, its hash: passwords are limited in characters,
// which take up to four bytes.
func bcryptInput(password string) []byte {
	const bcryptMost = 72
	if len(password) <= bcryptMost {
		return []byte(password)
	}
	sum := sha512.Sum384([]byte(password))
	return []byte(base64.StdEncoding.EncodeToString(sum[:]))
}

// decoyHash is the hash of a password that nobody has, with the usual cost.
const decoyHash = "$2a$12$afUiaqdb38zq9LzP7tZVSOkaY20zwrmiwPJq8N1ykd9K2Hmvz.aDK"

func checkPassword(hash, password string) bool {
	return bcrypt.CompareHashAndPassword([]byte(hash), bcryptInput(password)) == nil
}

func members(store *gormstore.Store) *app.Members {
	return app.NewMembers(store, now, hashPassword)
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
		Store: store, Clock: now, Sessions: sessions, Hash: hashPassword, Mailer: mailer, PublicURL: publicURL, Log: log,
	})
}
