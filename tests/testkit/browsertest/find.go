// Package browsertest drives a real Chromium through the interface, as a person would.
package browsertest

import (
	"errors"
	"os"
	"os/exec"
)

// EnvPath names a variable with the browser to use instead of the one found.
const EnvPath = "FICHARIO_TEST_CHROMIUM"

// Shell is the Chromium without a window, which takes half the CPU time of the full one.
const Shell = "chromium-headless-shell"

// ErrNone says that there is no Chromium, and what to do.
var ErrNone = errors.New("no Chromium for the tests: install it (on Debian: apt-get install " + Shell + ") or set " +
	EnvPath)

// Path finds the browser, the shell first.
func Path() (string, error) {
	if path := os.Getenv(EnvPath); path != "" {
		return path, nil
	}
	for _, name := range []string{Shell, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNone
}
