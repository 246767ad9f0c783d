package command

import (
	"bytes"
	"strings"
	"testing"
)

// TestALineOfTheLogIsOneLine: line breaks and control characters in user data are escaped.
func TestALineOfTheLogIsOneLine(t *testing.T) {
	t.Parallel()
	const forged = "x\r\n{\"level\":\"ERROR\"}\x1b[2J\u2028\x00"
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		log, flush := NewLogger(Settings{LogLevel: "info", LogFormat: format}, &out)
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
		if got := LocalURL(listen); got != want {
			t.Errorf("%s: %s, want %s", listen, got, want)
		}
	}
}
