package main

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

// TestPasswordHashes: bcrypt at cost 12, also for the decoy; every character of a long password counts.
func TestPasswordHashes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 72)
	hash, err := hashPassword(long)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{hash, decoyHash} {
		if cost, err := bcrypt.Cost([]byte(h)); err != nil || cost != 12 {
			t.Errorf("cost %d, %v", cost, err)
		}
	}
	if !checkPassword(hash, long) || checkPassword(hash, long[:len(long)-2]+"e") || strings.Contains(hash, long) {
		t.Error("the end of a long password does not count")
	}
}

// TestALineOfTheLogIsOneLine: line breaks and control characters in user data are escaped.
func TestALineOfTheLogIsOneLine(t *testing.T) {
	t.Parallel()
	const forged = "x\r\n{\"level\":\"ERROR\"}\x1b[2J\u2028\x00"
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		log, flush := newLogger(Settings{LogLevel: "info", LogFormat: format}, &out)
		log.Info(forged, "user agent", forged, forged, "x")
		flush()
		if n := strings.Count(out.String(), "\n"); n != 1 || strings.ContainsAny(out.String(), "\r\x1b\x00\u2028") {
			t.Errorf("%s: %d lines: %q", format, n, out.String())
		}
	}
}

// TestLocalURL: a service that listens on all addresses is reached on this machine.
func TestLocalURL(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		":8080": "http://127.0.0.1:8080", "0.0.0.0:8080": "http://127.0.0.1:8080", "[::]:8080": "http://127.0.0.1:8080",
		"10.0.0.7:80": "http://10.0.0.7:80", "fichario.example.com:80": "http://fichario.example.com:80",
		"[::1]:8080": "http://[::1]:8080",
	} {
		if got := localURL(listen); got != want {
			t.Errorf("%s: %s, want %s", listen, got, want)
		}
	}
}
