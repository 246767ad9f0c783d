package main

import (
	"golang.org/x/crypto/bcrypt"

	"fichario/adapters/gormstore"
	"fichario/app"
)

func hashPassword(password string) (string, error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost+2)
	return string(hash), err
}

// decoyHash is the hash of a password that nobody has, of the same cost as the others.
const decoyHash = "$2a$12$afUiaqdb38zq9LzP7tZVSOkaY20zwrmiwPJq8N1ykd9K2Hmvz.aDK"

func checkPassword(hash, password string) bool {
	return bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil
}

func members(store *gormstore.Store) *app.Members {
	return app.NewMembers(store, now, hashPassword)
}
