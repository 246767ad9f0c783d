package integration

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// output is what a program has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// TestSlowReceiversOfTheGuide: the programs of the guide to events accept a real delivery, and refuse a forged one,
// or one whose body was altered.
func TestSlowReceiversOfTheGuide(t *testing.T) {
	t.Parallel()
	env := maps.Clone(testkit.SQLite(t))
	env["FICHARIO_ALLOW_PRIVATE_TARGETS"] = "true"
	p := intaketest.StartProduct(t, env)
	receivers := samplesOf(t, p.Lookups.URL+"/docs/guias/eventos")
	expect(t, "languages", len(receivers), 5)
	written := map[string]*output{}
	for lang, code := range receivers {
		port := freePort(t)
		address := "http://127.0.0.1:" + port + "/fichario"
		_, secret := p.Leads.Automate("Em "+lang, "http", "--url", address)
		var cmd *exec.Cmd
		if lang == "go" {
			cmd = exec.CommandContext(t.Context(), goProgram(t, map[string]string{"receiver": code}), "receiver")
		} else {
			cmd = program(t, t.TempDir(), lang, "receiver", code)
			soon, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			forgetful := exec.CommandContext(soon, cmd.Path, cmd.Args[1:]...)
			forgetful.Env = append(os.Environ(), "PORT="+freePort(t), "FICHARIO_SEGREDO=")
			if out, err := forgetful.CombinedOutput(); err == nil || !strings.Contains(string(out), "FICHARIO_SEGREDO") {
				t.Errorf("%s without its secret: %v, %s", lang, err, out)
			}
		}
		if lang == "php" {
			cmd.Args = []string{cmd.Args[0], "-S", "127.0.0.1:" + port, cmd.Args[1]}
		}
		written[lang] = &output{}
		cmd.Env = append(os.Environ(), "PORT="+port, "FICHARIO_SEGREDO="+secret)
		cmd.Stdout, cmd.Stderr = written[lang], written[lang]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		lookuptest.Eventually(t, lang+" refuses a stranger", func() bool {
			return knockForged(t, address, "") == http.StatusUnauthorized
		})
		expect(t, lang+", a number that is no time", knockForged(t, address, "\xb2"), http.StatusUnauthorized)
		expect(t, lang+", a time beyond all", knockForged(t, address, strings.Repeat("9", 5000)), http.StatusUnauthorized)
		expect(t, lang+", another address", knockForged(t, address+"/outro", ""), http.StatusNotFound)
		if lang == "typescript" { // where an unhandled error ends the program
			knockAndLeave(t, port)
		}
	}
	lead := p.Leads.Accept(p.Leads.NewHook("Site", "generic"), intaketest.Lead("Ana"))
	for lang, out := range written {
		lookuptest.Eventually(t, lang+" takes the delivery", func() bool { return strings.Contains(out.String(), lead) })
	}
	for _, run := range p.Leads.Settled(len(written), "--contact", lead) {
		expect(t, "the run", run.State, "done")
	}
}

// knockAndLeave begins to post, and resets the connection when told to continue.
func knockAndLeave(t *testing.T, port string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(conn, "POST /fichario HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n{\"t")
	answer := make([]byte, len("HTTP/1.1 100"))
	_, err2 := io.ReadFull(conn, answer)
	err3 := conn.(*net.TCPConn).SetLinger(0) //nolint:forcetypeassert // as it was dialled
	if err = errors.Join(err, err2, err3, conn.Close()); err != nil || string(answer) != "HTTP/1.1 100" {
		t.Fatal(err, string(answer))
	}
}

// knockForged posts without a valid signature, dated now or at another time; 0 while there is no answer.
func knockForged(t *testing.T, address, at string) int {
	t.Helper()
	event := strings.NewReader(`{"type":"contact.created"}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, event)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"webhook-id": "msg_1", "webhook-timestamp": cmp.Or(at, strconv.FormatInt(time.Now().Unix(), 10)),
		"webhook-signature": "v1,AAAA v1,\xe9",
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
