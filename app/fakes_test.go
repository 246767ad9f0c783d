package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/ports"
	"fichario/ports/portstest"
)

// fakes implement the ports other than the store.
type fakes struct {
	bureau     *portstest.FakeBureau
	dispatcher *dispatcher
	mailer     *mailer
	log        *logbook
	observed   *seen[lookups.Event]
	// woken counts how often the store announced that jobs are due.
	woken *atomic.Int32
}

func newFakes() fakes {
	return fakes{&portstest.FakeBureau{}, &dispatcher{}, &mailer{}, &logbook{}, &seen[lookups.Event]{}, &atomic.Int32{}}
}

// seen records what it is given.
type seen[T any] struct {
	mu  sync.Mutex
	all []T
}

func (s *seen[T]) add(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, one)
}

func (s *seen[T]) list() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]T(nil), s.all...)
}

// dispatcher answers calls as its script says; without one, with status 204.
type dispatcher struct {
	seen[ports.Call]
	script func(context.Context, ports.Call) (int, error)
}

func (d *dispatcher) Post(ctx context.Context, c ports.Call) (int, error) {
	d.add(c)
	if d.script != nil {
		return d.script(ctx, c)
	}
	return 204, nil
}

func (d *dispatcher) Send(ctx context.Context, c ports.Call) (string, error) {
	status, err := d.Post(ctx, c)
	return fmt.Sprintf("status %d", status), err
}

// mailer takes messages, or fails with err.
type mailer struct {
	seen[ports.Mail]
	err error
}

func (m *mailer) Send(_ context.Context, mail ports.Mail) error {
	m.add(mail)
	return m.err
}

// logbook is what was logged.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logbook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// broken is a store whose calls fail as told, before or after they are written.
type broken struct {
	ports.Store
	before, after func() error
}

func (b *broken) Repos() ports.Repos {
	r := b.Store.Repos()
	r.Calls = brokenCalls{r.Calls, b}
	return r
}

type brokenCalls struct {
	ports.Calls
	*broken
}

func (b brokenCalls) Begin(ctx context.Context, c ports.Charge) (begun ports.Begun, err error) {
	err = b.fail(func() error { begun, err = b.Calls.Begin(ctx, c); return err })
	return begun, err
}

func (b brokenCalls) End(ctx context.Context, o ports.Outcome) (open bool, err error) {
	err = b.fail(func() error { open, err = b.Calls.End(ctx, o); return err })
	return open, err
}

func (b *broken) fail(do func() error) error {
	if b.before != nil {
		if err := b.before(); err != nil {
			return err
		}
	}
	err := do()
	if err == nil && b.after != nil {
		if err = b.after(); err != nil {
			err = fmt.Errorf("%w: %w", ports.ErrUncertain, err)
		}
	}
	return err
}

// late is a store whose first charge is committed a while after its caller was told, after waiting, that the outcome is
// unknown.
type late struct {
	ports.Store
	waits, by time.Duration
	once      sync.Once
}

func (l *late) Repos() ports.Repos {
	r := l.Store.Repos()
	r.Calls = lateCalls{r.Calls, l}
	return r
}

type lateCalls struct {
	ports.Calls
	*late
}

func (l lateCalls) Begin(ctx context.Context, c ports.Charge) (begun ports.Begun, err error) {
	l.once.Do(func() {
		time.Sleep(l.waits)
		err = ports.ErrUncertain
		go func() {
			time.Sleep(l.by)
			_, _ = l.Calls.Begin(context.WithoutCancel(ctx), c)
		}()
	})
	if err != nil {
		return begun, err
	}
	return l.Calls.Begin(ctx, c)
}

// passkeys fakes a browser's: an answer is the credential itself.
type passkeys struct{}

func (passkeys) BeginAdd(ports.PasskeyOwner) (options, challenge []byte, err error) {
	return []byte("{}"), []byte("new"), nil
}

func (passkeys) EndAdd(_ ports.PasskeyOwner, challenge, answer []byte) (access.Passkey, error) {
	if string(challenge) != "new" || len(answer) == 0 {
		return access.Passkey{}, errors.New("refused")
	}
	return access.Passkey{Credential: answer, Content: []byte("{}")}, nil
}

func (passkeys) BeginUse(*ports.PasskeyOwner) (options, challenge []byte, err error) {
	return []byte("{}"), []byte("use"), nil
}

func (passkeys) EndUse(
	of *ports.PasskeyOwner, challenge, answer []byte, find func(string) (ports.PasskeyOwner, error),
) (access.Passkey, error) {
	credential := string(answer)
	if of == nil { // the answer then says whose it is
		id, text, _ := strings.Cut(credential, " ")
		found, err := find(id)
		if err != nil {
			return access.Passkey{}, err
		}
		of, credential = &found, text
	}
	for _, key := range of.Keys {
		if string(key.Credential) == credential && string(challenge) == "use" {
			return key, nil
		}
	}
	return access.Passkey{}, errors.New("refused")
}
