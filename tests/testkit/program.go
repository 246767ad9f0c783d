package testkit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fichario/tests/testkit/internal/guard"
	"fichario/tests/testkit/patience"
)

const (
	// tail is how many lines of the log a failed test shows.
	tail = 60
)

// Options say how to start the program.
type Options struct {
	Env  map[string]string // overrides the defaults: any free port on loopback, the log as JSON
	Args []string          // after "serve"
}

// Program is a running `fichario serve`.
type Program struct {
	URL  string // http://127.0.0.1:port, the same after a Restart; the balancer's where there are two instances
	Addr string // 127.0.0.1:port

	at      string   // its own address
	other   *Program // the second instance, behind the same balancer
	tb      testing.TB
	options Options
	dir     string
	output  output
	mu      sync.Mutex // guards cmd and exited: its output may cause a kill
	cmd     *exec.Cmd
	entry   *guard.Entry
	exited  chan struct{} // closed when the process has ended
	err     error         // how it ended; to be read after exited
}

// personal matches what no log line may contain in any test: e-mail addresses, phones, CPFs and CNPJs as people write
// them, and API keys.
var personal = regexp.MustCompile(`(?i)[\w.+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,}\b|\+55\d{10,11}|\b\d{3}\.\d{3}\.\d{3}-\d\d\b|` +
	`\b\d\d\.\d{3}\.\d{3}/\d{4}-\d\d\b|\bfic_\w{20,}`)

// StartProgram starts `fichario serve` in its own directory and waits until it listens. When the test ends the program
// is killed, its log must contain nothing personal, and if the test failed the end of the log is shown.
func StartProgram(tb testing.TB, options Options) *Program {
	tb.Helper()
	p := &Program{tb: tb, options: options, dir: tb.TempDir(), at: "127.0.0.1:0"}
	tb.Cleanup(func() {
		p.Kill()
		for line := range strings.Lines(p.output.String()) {
			// Lines that are not JSON are for whoever started it by hand, such as the demonstration's credentials.
			if found := personal.FindString(line); found != "" && strings.HasPrefix(line, "{") {
				tb.Errorf("the log of %s holds something personal (%d characters): %s", p.at, len(found),
					strings.ReplaceAll(line, found, "…"))
			}
		}
		if tb.Failed() {
			tb.Logf("the end of the log of %s:\n%s", p.at, last(p.output.String(), tail))
		}
	})
	p.start()
	p.Addr = p.at
	if url := options.Env[pooled]; url != "" {
		env := maps.Clone(options.Env)
		delete(env, pooled)
		env["FICHARIO_DATABASE_URL"] = url
		p.other = StartProgram(tb, Options{Env: env})
		p.Addr = Balance(tb, "", p, p.other)
	}
	p.URL = "http://" + p.Addr
	return p
}

// Instances returns the addresses of the instances themselves.
func (p *Program) Instances() []string {
	all := []string{p.at}
	if p.other != nil {
		all = append(all, p.other.at)
	}
	return all
}

// pooled names the variable that requests a second instance, with that address for the database, and a balancer in
// front of both.
const pooled = "TEST_POOLED"

// Logs is everything that the program has written so far, including before restarts.
func (p *Program) Logs() string {
	if p.other != nil {
		return p.output.String() + p.other.Logs()
	}
	return p.output.String()
}

// ForgetLogs drops what the program has written so far, for a test that runs for hours.
func (p *Program) ForgetLogs() {
	p.output.mu.Lock()
	defer p.output.mu.Unlock()
	p.output.text.Reset()
}

// clients are the ways of all clients that NewClient made.
var clients sync.Map

// NewClient returns a client that follows no redirect, and lets go of its unused connections before a program is
// stopped.
func NewClient(way *http.Transport) *http.Client {
	clients.Store(way, nil)
	return &http.Client{
		Timeout: patience.Limit(), Transport: way,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Stop asks the program to end, like a deployment, and waits. The test fails if it does not end with code 0.
func (p *Program) Stop() {
	p.tb.Helper()
	if code := p.Terminate(); code != 0 {
		p.tb.Errorf("the program ended with %v after SIGTERM, want code 0", p.err)
	}
}

// Terminate is Stop for a program that may end with another code, which it returns.
func (p *Program) Terminate() (code int) {
	p.tb.Helper()
	if !p.running() {
		p.tb.Fatalf("the program ended by itself: %v", p.err)
	}
	clients.Range(func(t, _ any) bool { // the program waits for clients that asked a moment ago
		t.(*http.Transport).CloseIdleConnections()
		return true
	})
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails only if it has ended, which shows below
	select {
	case <-p.exited:
	case <-time.After(patience.Limit()):
		p.Kill()
		p.tb.Errorf("the program still ran %v after SIGTERM", patience.Limit())
	}
	if p.other != nil {
		code = p.other.Terminate()
	}
	return cmp.Or(p.cmd.ProcessState.ExitCode(), code)
}

// Kill ends the program like a power cut, and waits. An ended program is left alone.
func (p *Program) Kill() {
	p.mu.Lock()
	cmd, exited := p.cmd, p.exited
	p.mu.Unlock()
	if exited == nil {
		return
	}
	_ = cmd.Process.Kill()
	<-exited
	if p.other != nil {
		p.other.Kill()
	}
}

// Restart starts the program again with the same settings, directory and port, after a Stop if it is running.
func (p *Program) Restart() {
	p.tb.Helper()
	if p.running() {
		p.Stop()
	}
	p.start()
	if p.other != nil {
		p.other.start()
	}
}

// Pid is the process id, for tests that send it other signals.
func (p *Program) Pid() int {
	return p.cmd.Process.Pid
}

func (p *Program) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return p.exited != nil
	}
}

func (p *Program) start() {
	p.tb.Helper()
	listening := p.output.expect()
	cmd := exec.Command(Build(p.tb), append([]string{"serve"}, p.options.Args...)...)
	cmd.Dir = p.dir
	cmd.Env = environment(map[string]string{"FICHARIO_LISTEN": p.at, "FICHARIO_LOG_FORMAT": "json"}, p.options.Env)
	cmd.Stdout, cmd.Stderr = &p.output, &p.output
	cmd.WaitDelay = patience.Limit()
	// Its own group: Ctrl-C only reaches the tests, and the guard ends the program.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
	entry, err := guard.Add(guard.Process(cmd.Process.Pid))
	exited := make(chan struct{})
	p.mu.Lock()
	p.cmd, p.entry, p.exited = cmd, entry, exited
	p.mu.Unlock()
	go func() {
		p.err = cmd.Wait()
		if entry != nil {
			entry.Forget()
		}
		close(exited)
	}()
	if err != nil {
		p.tb.Fatal(err)
	}
	select {
	case p.at = <-listening:
	case <-exited:
		p.tb.Fatalf("the program ended before it listened: %v", p.err)
	case <-time.After(patience.Limit()):
		p.tb.Fatalf("the program does not listen after %v", patience.Limit())
	}
}

// output collects the program's output and looks for the line with its address.
type output struct {
	mu        sync.Mutex
	text      bytes.Buffer
	line      []byte // the incomplete last line
	listening chan string
}

// expect returns the channel for the next address.
func (o *output) expect() <-chan string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listening = make(chan string, 1)
	o.line = nil
	return o.listening
}

// Write receives output of the program.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(b)
	o.line = append(o.line, b...)
	for {
		line, rest, complete := bytes.Cut(o.line, []byte("\n"))
		if !complete {
			return len(b), nil
		}
		o.line = rest
		o.look(line)
	}
}

func (o *output) look(line []byte) {
	var entry struct{ Msg, Addr string }
	if o.listening != nil && json.Unmarshal(line, &entry) == nil && entry.Msg == "listening" && entry.Addr != "" {
		o.listening <- entry.Addr
		o.listening = nil
	}
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func last(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
