package names

import (
	"bytes"
	"slices"
	"strings"
)

// Products call their secrets what they like, "thrivecart_secret" or "user_activation_key", and people are asked for a
// password in many words. Who reads a note must not see any of them, so a name is told by its words: one that names a
// secret, and beside it nothing but what describes secrets. "Esqueceu a senha?" says more than that.

var (
	// secretWords name a secret by themselves.
	secretWords = Set(`
		password passwords passwd passphrase pwd senha senhas contrasena secret segredo hmac cvv cvc jwt`)
	// keyWords name one only beside a word for what it opens: a "product key" is sold.
	keyWords = Set(`key keys chave sign signature token tokens apikey`)
	// openedWords are what keys open and signatures sign.
	openedWords = Set(`
		api private auth access activation integration webhook app application encryption security secreta session refresh
		verify hub x request payload login`)
	// besideSecrets describe a secret, or ask for one.
	besideSecrets = Set(`
		user usuario account conta client cliente customer acesso admin hash hashed encrypted nova novo new atual current
		crie criar create choose escolha digite informe cadastre cadastrar enter confirme confirmar confirm repita repetir
		repeat uma de da do sua seu su tu your a the`)
	// lastOfSecrets end the keys of machines that name secrets, whatever stands before: a product's own name.
	lastOfSecrets = Set(`secret password passwd tokens`)
	// secretStems are in the normal form of every such name, so that most keys cost one look.
	secretStems = [][]byte{
		[]byte("pass"), []byte("pwd"), []byte("senha"), []byte("contrasena"), []byte("secret"), []byte("segredo"),
		[]byte("hmac"), []byte("cvv"), []byte("cvc"), []byte("jwt"), []byte("key"), []byte("chave"), []byte("sign"),
		[]byte("token"),
	}
)

// Secret reports whether a key or title names a secret.
func Secret(name string) bool {
	if len(name) < 3 || len(name) > 60 {
		return false
	}
	var buf [64]byte
	of := Append(buf[:0], name)
	if !slices.ContainsFunc(secretStems, func(stem []byte) bool { return bytes.Contains(of, stem) }) {
		return false
	}
	if string(of) == "userpass" || string(of) == "apitoken" {
		return true
	}
	words := Words(name)
	machine := strings.IndexByte(name, ' ') < 0
	if machine && len(words) > 1 && lastOfSecrets[words[len(words)-1]] {
		return true
	}
	secret, key, opened := false, false, false
	for _, w := range words {
		switch {
		case secretWords[w] || machine && len(words) > 1 && w == "token":
			secret = true
		case keyWords[w]:
			key = true
		case openedWords[w]:
			opened = true
		case !besideSecrets[w] && CountDigits(w) < len(w):
			return false
		}
	}
	return secret || key && opened
}
