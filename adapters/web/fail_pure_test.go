package web

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
)

// TestADownloadBrokeOff: the log does not have the address of the client, which the error names.
func TestADownloadBrokeOff(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := &Server{Config: Config{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	defer func() {
		err, _ := recover().(error)
		if !errors.Is(err, http.ErrAbortHandler) || !strings.Contains(log.String(), "write: broken pipe") ||
			strings.Contains(log.String(), "203.0.113.7") {
			t.Error(log.String())
		}
	}()
	s.BrokeOff(&Call{Request: httptest.NewRequest(http.MethodGet, "/x.csv", nil)}, &net.OpError{
		Op: "write", Net: "tcp", Source: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 8080},
		Addr: &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 48952}, Err: syscall.EPIPE,
	})
}
