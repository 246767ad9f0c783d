package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is a listening process.
type server struct {
	cmd  *exec.Cmd
	addr string
	once sync.Once
}

// start runs a program and reads its address from the first log line that has it.
func start(ctx context.Context, path string, env []string, args ...string) (*server, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), env...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		var line struct{ Msg, Addr string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			s.addr = line.Addr
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return s, nil
		}
		fmt.Fprintln(os.Stderr, lines.Text())
	}
	s.end()
	return nil, errNotListening
}

func (s *server) end() {
	s.once.Do(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		_ = s.cmd.Wait()
	})
}

// memoryMB is the peak memory of the process.
func (s *server) memoryMB() int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.Atoi(fields[0])
	return kb / 1024
}

type result struct {
	perSecond float64
	p50, p99  time.Duration
	// cpu is the server's CPU time per request in microseconds, without its database's.
	cpu float64
}

// under is load on a server, with the CPU time it took.
func (s *server) under(ctx context.Context, of settings, request func(i int) string, status int) (result, error) {
	before, _, _ := timeOf(s.cmd.Process.Pid)
	began := time.Now()
	r, err := load(ctx, s.addr, of, request, status)
	after, _, _ := timeOf(s.cmd.Process.Pid)
	r.cpu = float64((after - before).Microseconds()) / (r.perSecond * time.Since(began).Seconds())
	return r, err
}

// load keeps every connection busy for one round. It is lean, because it shares the machine with what it measures.
func load(ctx context.Context, addr string, s settings, request func(i int) string, status int) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.each)
	defer cancel()
	times := make([][]time.Duration, s.connections)
	errs := make([]error, s.connections)
	began := time.Now()
	var wg sync.WaitGroup
	for c := range s.connections {
		wg.Go(func() { times[c], errs[c] = drive(ctx, addr, s.rows, request, status) })
	}
	wg.Wait()
	took := time.Since(began)
	var all []time.Duration
	for c := range times {
		if errs[c] != nil {
			return result{}, errs[c]
		}
		all = append(all, times[c]...)
	}
	slices.Sort(all)
	return result{
		perSecond: float64(len(all)) / took.Seconds(), p50: all[len(all)/2], p99: all[len(all)*99/100],
	}, nil
}

func drive(
	ctx context.Context, addr string, rows int, request func(i int) string, status int,
) ([]time.Duration, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	in := bufio.NewReaderSize(conn, 16<<10)
	want := []byte("HTTP/1.1 " + strconv.Itoa(status))
	times := make([]time.Duration, 0, 1<<16)
	for ctx.Err() == nil {
		began := time.Now()
		if _, err := io.WriteString(conn, request(rand.IntN(rows))); err != nil {
			return nil, err
		}
		if err := read(in, want); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}

// get is a request without a body.
func get(path, token string) string {
	if token != "" {
		token = "Authorization: Bearer " + token + "\r\n"
	}
	return "GET " + path + " HTTP/1.1\r\nHost: load\r\n" + token + "\r\n"
}

// post is a request with a lead, as a form sends it.
func post(path string, i int) string {
	n := strconv.Itoa(i)
	lead := `{"nome":"Pessoa ` + n + `","email":"pessoa` + n +
		`@example.com","telefone":"(11) 98765-4321","empresa":"Empresa ` + n +
		`","valor":"R$ 1.234,56","mensagem":"Quero uma proposta para o mês que vem.","origem":"Google","utm_campaign":"verao"}`
	return "POST " + path + " HTTP/1.1\r\nHost: load\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(lead)) + "\r\n\r\n" + lead
}

// read reads one answer, which is chunked or has a Content-Length.
func read(in *bufio.Reader, want []byte) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if string(line[:len(want)]) != string(want) {
		return fmt.Errorf("answered %q, want %q", line, want)
	}
	length, chunked := -1, false
	for {
		line, err = in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == 2 {
			break
		}
		chunked = chunked || string(line) == "Transfer-Encoding: chunked\r\n"
		if n, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(n)); err != nil {
				return err
			}
		}
	}
	if chunked {
		return discardChunks(in)
	}
	if length < 0 {
		return fmt.Errorf("an answer without a length")
	}
	_, err = in.Discard(length)
	return err
}

func discardChunks(in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(line)), 16, 32)
		if err != nil {
			return err
		}
		if _, err := in.Discard(int(n) + len("\r\n")); err != nil || n == 0 {
			return err
		}
	}
}
