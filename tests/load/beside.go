package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// settling is the start-up time of programs, which is not measured.
const settling = 2 * time.Second

// postsASecond is the steady rate of posts, whether or not earlier ones are answered.
const postsASecond = 150

// beside measures posts alone, beside `fichario rekey`, and while the service forgets posts row by row, in turns.
func beside(ctx context.Context, s settings) error {
	fmt.Println("| database | beside | posts | p50 ms | p90 ms | p99 ms | longest ms |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for kind := range strings.SplitSeq(s.databases, ",") {
		err := onFilling(ctx, kind, func(f *filling) error { return besideOn(ctx, s, f, kind) })
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

func besideOn(ctx context.Context, s settings, f *filling, kind string) error {
	if err := f.fill(ctx, s.rows); err != nil {
		return err
	}
	f.Sealing = [][]byte{newDataKey(), f.Sealing[0]}
	env := f.environment()
	keeping := append(slices.Clone(env), "FICHARIO_RETENTION_DELIVERIES=1440h")
	phases := []struct {
		name string
		run  func() ([]time.Duration, error)
	}{
		{"nothing", func() ([]time.Duration, error) { return f.posts(ctx, s, keeping) }},
		{"`rekey`", func() ([]time.Duration, error) { return f.postsBesideRekey(ctx, s, keeping) }},
		{"forgetting", func() ([]time.Duration, error) { return f.postsBesideForgetting(ctx, s, env) }},
	}
	took := make([][]time.Duration, len(phases))
	for range s.rounds {
		for i, phase := range phases {
			err := f.oldPosts(ctx, int(s.each.Seconds())*forgottenASecond) // for PostgreSQL's clean-up in each phase
			var times []time.Duration
			if err == nil {
				times, err = phase.run()
			}
			if err != nil {
				return fmt.Errorf("beside %s: %w", phase.name, err)
			}
			took[i] = append(took[i], times...)
		}
	}
	for i, phase := range phases {
		slices.Sort(took[i])
		at := func(share float64) float64 { return ms(took[i][int(share*float64(len(took[i])-1))]) }
		fmt.Printf("| %s | %s | %d | %.1f | %.1f | %.1f | %.0f |\n", kind, phase.name, len(took[i]), at(.5), at(.9), at(.99), at(1))
	}
	return nil
}

// posts starts the service and posts to it for one round.
func (f *filling) posts(ctx context.Context, s settings, env []string) ([]time.Duration, error) {
	program, err := start(ctx, s.binary, env, "serve")
	if err != nil {
		return nil, err
	}
	defer program.end()
	time.Sleep(settling)
	return f.post150(ctx, program.addr, s.each)
}

func (f *filling) postsBesideRekey(ctx context.Context, s settings, env []string) ([]time.Duration, error) {
	program, err := start(ctx, s.binary, env, "serve")
	if err != nil {
		return nil, err
	}
	defer program.end()
	rekey := exec.CommandContext(ctx, s.binary, "rekey")
	var words bytes.Buffer
	rekey.Env, rekey.Stderr = append(os.Environ(), env...), &words
	if err := rekey.Start(); err != nil {
		return nil, err
	}
	time.Sleep(settling)
	times, err := f.post150(ctx, program.addr, s.each)
	_ = rekey.Process.Signal(syscall.SIGTERM)
	if said := rekey.Wait(); !strings.Contains(words.String(), "context canceled") {
		err = errors.Join(err, fmt.Errorf("rekey did not go on until the round was over: %s: %w", words.String(), cmp.Or(said, errors.New("it ended well"))))
	}
	return times, err
}

// oldPosts adds posts of forty days ago, which a service with a shorter retention begins to forget at start-up.
func (f *filling) oldPosts(ctx context.Context, n int) error {
	store, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	old := time.Now().UTC().AddDate(0, 0, -40)
	return each(n, func(i int) error {
		return f.post(ctx, store.Repos(), i, old.Add(time.Duration(i)*time.Millisecond), true)
	})
}

func (f *filling) postsBesideForgetting(ctx context.Context, s settings, env []string) ([]time.Duration, error) {
	times, err := f.posts(ctx, s, env)
	if err != nil {
		return nil, err
	}
	store, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = store.Close() }()
	n, err := store.Repos().Inbox.Forget(ctx, time.Now().UTC().AddDate(0, 0, -39))
	if n == 0 && err == nil {
		err = errors.New("all was forgotten before the round was over")
	}
	return times, err
}

// forgottenASecond is more than a service forgets in a second.
const forgottenASecond = 6_000

// post150 posts at a fixed rate. A post is timed from when it was due, so that posts delayed by a slow one count too.
func (f *filling) post150(ctx context.Context, addr string, during time.Duration) ([]time.Duration, error) {
	const connections = 16
	began := time.Now()
	times, errs := make([][]time.Duration, connections), make([]error, connections)
	var wg sync.WaitGroup
	for c := range connections {
		wg.Go(func() {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
			if err != nil {
				errs[c] = err
				return
			}
			defer func() { _ = conn.Close() }()
			in := bufio.NewReader(conn)
			for i := c; ; i += connections {
				due := began.Add(time.Second * time.Duration(i) / postsASecond)
				if due.Sub(began) > during {
					return
				}
				time.Sleep(time.Until(due))
				_, err := io.WriteString(conn, post("/api/webhooks/receive/"+f.Hooks[i%len(f.Hooks)].Token, i))
				if err = errors.Join(err, read(in, []byte("HTTP/1.1 200"))); err != nil {
					errs[c] = err
					return
				}
				times[c] = append(times[c], time.Since(due))
			}
		})
	}
	wg.Wait()
	return slices.Concat(times...), errors.Join(errs...)
}
