package main

import (
	"crypto/sha512"
	"encoding/base64"

	"golang.org/x/crypto/bcrypt"

	"fichario/adapters/gormstore"
	"fichario/app"
)

func hashPassword(password string) (string, error) {
	hash, err := bcrypt.GenerateFromPassword(bcryptInput(password), bcrypt.DefaultCost+2)
	return string(hash), err
}

// bcryptInput is the password, or of one that is longer than what bcrypt takes, its hash: lengths are counted in
// characters, and a character may have four bytes.
func bcryptInput(password string) []byte {
	const bcryptMost = 72
	if len(password) <= bcryptMost {
		return []byte(password)
	}
	sum := sha512.Sum384([]byte(password))
	return []byte(base64.StdEncoding.EncodeToString(sum[:]))
}

// decoyHash is the hash of a password that nobody has, of the same cost as the others.
const decoyHash = "$2a$12$afUiaqdb38zq9LzP7tZVSOkaY20zwrmiwPJq8N1ykd9K2Hmvz.aDK"

func checkPassword(hash, password string) bool {
	return bcrypt.CompareHashAndPassword([]byte(hash), bcryptInput(password)) == nil
}

func members(store *gormstore.Store) *app.Members {
	return app.NewMembers(store, now, hashPassword)
}
