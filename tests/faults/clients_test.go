package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// files is the number of open files of a process, including connections.
func files(t *testing.T, pid int) int {
	t.Helper()
	all, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

var goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// running is the number of goroutines of a service.
func running(t *testing.T, s *lookuptest.Service) int {
	t.Helper()
	found := goroutines.FindStringSubmatch(string(s.Get("/metrics", "").Body))
	if found == nil {
		t.Fatal("the metrics do not say")
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// TestSlowAThousandClientsThatNeverFinish sending headers or bodies, or reading: others are served, memory is bounded,
// headers are not waited for, half a post makes nothing, and everything is released when the clients are gone.
func TestSlowAThousandClientsThatNeverFinish(t *testing.T) {
	t.Parallel()
	p := intaketest.StartProduct(t, testkit.SQLite(t))
	s := p.Lookups
	key, hook := s.NewKey(600, 500, 500).Key, p.Leads.NewHook("Lento", "generic")
	expect(t, "a lookup", s.CPF(key, ana).Status, http.StatusOK)
	opened, goes, before := files(t, s.Pid()), running(t, s), resident(t, s.Pid(), "VmRSS")
	dial := func(text string) net.Conn {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Addr)
		if err == nil {
			_, err = io.WriteString(c, text)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	headers := make([]net.Conn, 400)
	for i := range headers {
		headers[i] = dial("GET /api/v1/produtos HTTP/1.1\r\nHost: x\r\nX-")
	}
	var others []net.Conn
	post := "POST " + hook.Path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"email\":"
	read := strings.Repeat("GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n", 40)
	for range 300 {
		others = append(others, dial(post), dial(read))
	}
	for i := range 20 {
		expect(t, "others ask", s.CPF(key, lookuptest.CPF(i)).Status, http.StatusOK)
		p.Leads.Accept(hook, intaketest.Lead(fmt.Sprint("depressa ", i)))
	}
	if grown := resident(t, s.Pid(), "VmHWM") - before; grown > 100 {
		t.Errorf("the program grew by %d MB", grown)
	}
	lookuptest.Eventually(t, "headers are not waited for", func() bool {
		for _, c := range headers {
			_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
			if _, err := c.Read(make([]byte, 512)); errors.Is(err, os.ErrDeadlineExceeded) {
				return false
			}
		}
		return true
	})
	for _, c := range append(headers, others...) {
		_ = c.Close()
	}
	lookuptest.Eventually(t, "what they held is free", func() bool {
		return files(t, s.Pid()) <= opened+opened/10+8 && running(t, s) <= goes+goes/10+8
	})
	expect(t, "contacts", len(p.Leads.Contacts()), 20)
}

// TestSlowTwoHundredClientsThatLeave while the bureau is being called: each call is charged and stored once, the next
// request gets it free, and nothing of the clients stays.
func TestSlowTwoHundredClientsThatLeave(t *testing.T) {
	t.Parallel()
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		const clients = 200
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 20*time.Second))
		key, docs := s.NewKey(6000, 5000, 5000).Key, lookuptest.CPFs(62, clients+1)
		expect(t, "a lookup", s.CPF(key, docs[clients]).Status, http.StatusOK)
		goes := running(t, s)
		release := bureau.Hold("")
		ctx, leave := context.WithCancel(t.Context())
		var asking sync.WaitGroup
		for _, d := range docs[:clients] {
			s.Hide(d)
			asking.Go(func() {
				if _, err := s.Do(ctx, "GET", "/api/v1/cpf/"+d, key, nil, ""); err == nil {
					t.Error("a client was answered")
				}
			})
		}
		bureau.Await(t, clients+1)
		leave()
		asking.Wait()
		release()
		lookuptest.Eventually(t, "every answer is stored", func() bool {
			return s.Statement(key).Charged()["concluida"] == clients // a page of the statement
		})
		ledger := bureau.Ledger()
		for i, d := range docs[:clients] {
			expect(t, "calls", ledger[d], 1)
			if i%10 == 0 {
				expect(t, "the next one has it from history", s.CPF(key, d).JSON["cache"], any(true))
			}
		}
		expect(t, "charged", s.Statement(key).Cobradas.Total, clients+1)
		lookuptest.Eventually(t, "nothing of them stays", func() bool {
			return running(t, s) <= goes+goes/10+8
		})
	})
}
