package access_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/document"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		s := access.NewSecret()
		text := s.Reveal()
		if len(text) != 50 || !strings.HasPrefix(text, "fic_") || seen[text] {
			t.Fatal("a secret has the wrong form, or comes twice")
		}
		seen[text] = true
		again, ok := access.ParseSecret(text)
		if !ok || again.Hash() != s.Hash() || again.Prefix() != text[:12] {
			t.Fatal("a secret does not parse")
		}
		// A single changed character is detected without the database.
		i := 4 + rand.IntN(46)
		c := byte('a')
		if text[i] == c {
			c = 'b'
		}
		if _, ok := access.ParseSecret(text[:i] + string(c) + text[i+1:]); ok {
			t.Fatalf("a change at %d is not found", i)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if strings.Contains(fmt.Sprintf(verb, s), text[4:]) {
				t.Fatalf("%s shows the secret", verb)
			}
		}
	}
	for _, s := range []string{"", "fic_", "fic_" + strings.Repeat("0", 46), strings.Repeat("é", 25)} {
		if _, ok := access.ParseSecret(s); ok {
			t.Errorf("%q parses", s)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	k := access.Key{Scopes: []document.Type{document.CPF}}
	if !k.Has(document.CPF) || k.Has(document.CNPJ) || !k.UsableAt(now) {
		t.Error("a plain key")
	}
	k.ExpiresAt = now
	if k.UsableAt(now) || !k.UsableAt(now.Add(-time.Nanosecond)) {
		t.Error("a key ends when it expires")
	}
	k = access.Key{RevokedAt: now}
	if k.UsableAt(now.Add(-time.Hour)) {
		t.Error("a revoked key is over")
	}
}

func load(t *testing.T, name string) access.Calendar {
	t.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return access.Calendar{Location: l}
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, at, day, month, next string }{
		{"America/Sao_Paulo", "2026-11-20T02:59:59Z", "2026-11-19", "2026-11", "2026-11-20T03:00:00Z"},
		{"America/Sao_Paulo", "2026-11-20T03:00:00Z", "2026-11-20", "2026-11", "2026-11-21T03:00:00Z"},
		{"America/Sao_Paulo", "2026-12-01T02:59:59.999Z", "2026-11-30", "2026-11", "2026-12-01T03:00:00Z"},
		{"America/Sao_Paulo", "2027-01-01T02:00:00Z", "2026-12-31", "2026-12", "2027-01-01T03:00:00Z"},
		{"America/Sao_Paulo", "2028-02-28T12:00:00Z", "2028-02-28", "2028-02", "2028-02-29T03:00:00Z"},
		{"America/Sao_Paulo", "2027-02-28T12:00:00Z", "2027-02-28", "2027-02", "2027-03-01T03:00:00Z"},
		// 2018-11-04 had no midnight: the day began at 01:00.
		{"America/Sao_Paulo", "2018-11-04T02:59:59Z", "2018-11-03", "2018-11", "2018-11-04T03:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-04", "2018-11", "2018-11-05T02:00:00Z"},
		// 2018-02-17 had the hour 23 twice.
		{"America/Sao_Paulo", "2018-02-18T01:30:00Z", "2018-02-17", "2018-02", "2018-02-18T03:00:00Z"},
		{"America/Sao_Paulo", "2018-02-18T02:30:00Z", "2018-02-17", "2018-02", "2018-02-18T03:00:00Z"},
		{"UTC", "2026-11-20T23:59:59Z", "2026-11-20", "2026-11", "2026-11-21T00:00:00Z"},
		{"Pacific/Kiritimati", "2026-11-20T10:00:00Z", "2026-11-21", "2026-11", "2026-11-21T10:00:00Z"},
	} {
		at, err := time.Parse(time.RFC3339Nano, c.at)
		if err != nil {
			t.Fatal(err)
		}
		cal := load(t, c.zone)
		got := fmt.Sprint(cal.Day(at), " ", cal.Month(at), " ", cal.NextDay(at).Format(time.RFC3339))
		if want := fmt.Sprint(c.day, " ", c.month, " ", c.next); got != want {
			t.Errorf("%s at %s: got %s, want %s", c.zone, c.at, got, want)
		}
	}
}

// TestDaysAreWithoutGaps walks fourteen years of clock changes: each day begins where the one before ends.
func TestDaysAreWithoutGaps(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{
		"America/Sao_Paulo", "America/Noronha", "Africa/Cairo", "Asia/Beirut", "Australia/Lord_Howe",
		"Antarctica/Davis", // midnight came twice in 2011
	} {
		cal := load(t, zone)
		at := time.Date(2010, 1, 1, 12, 0, 0, 0, time.UTC)
		for range 14 * 365 {
			next := cal.NextDay(at)
			last := next.Add(-time.Nanosecond)
			if cal.Day(last) != cal.Day(at) || cal.Day(next) <= cal.Day(at) {
				t.Fatalf("%s: the day of %s ends at %s", zone, at, next)
			}
			start, err := cal.StartOf(cal.Day(next))
			if err != nil || !start.Equal(next) {
				t.Fatalf("%s: %s begins at %s, %v; the day before ends at %s", zone, cal.Day(next), start, err, next)
			}
			at = next.Add(12 * time.Hour)
		}
	}
	if _, err := load(t, "UTC").StartOf("2026-02-30"); err == nil {
		t.Error("a day that does not exist begins")
	}
	for day, ok := range map[string]bool{
		"0000-01-01": false, "1999-12-31": false, "2000-01-01": true, "9998-12-31": true, "9999-01-01": false, "9999-12-31": false,
	} {
		start, err := load(t, "Etc/GMT+12").StartOf(day)
		if end := load(t, "Etc/GMT+12").NextDay(start); (err == nil) != ok || ok && end.Year() > 9999 {
			t.Errorf("%s: begins at %s, ends at %s, %v", day, start, end, err)
		}
	}
}

// TestWindow checks the limiter's promise by brute force: never more than the limit in any sixty seconds, refused
// requests do not count, and waiting for Reset suffices.
func TestWindow(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		limit := 1 + rng.IntN(40)
		var w access.Window
		var counted []time.Duration
		now := time.Duration(0)
		for range 500 {
			now += time.Duration(rng.Int64N(int64(4 * time.Minute / time.Duration(limit*2))))
			within := 0
			for _, at := range counted {
				if at > now-time.Minute {
					within++
				}
			}
			if used := w.Used(now); used != within {
				t.Fatalf("%d are used, want %d", used, within)
			}
			s := w.Allow(now, limit)
			if s.OK != (within < limit) || s.Limit != limit {
				t.Fatalf("limit %d: %d within the minute, and the answer is %+v", limit, within, s)
			}
			if s.OK {
				counted = append(counted, now)
				within++
			} else {
				if again := w.Allow(now+s.Reset-1, limit); again.OK {
					t.Fatal("waiting less than Reset suffices")
				}
				now += s.Reset
				if again := w.Allow(now, limit); !again.OK {
					t.Fatal("waiting for Reset does not suffice")
				}
				counted = append(counted, now)
				continue
			}
			if s.Remaining != limit-within {
				t.Fatalf("remaining %d, want %d", s.Remaining, limit-within)
			}
		}
	}
}

// TestWindowOfALoweredLimit: with ten counted and a limit that is now three, eight must expire.
func TestWindowOfALoweredLimit(t *testing.T) {
	t.Parallel()
	var w access.Window
	for i := range 10 {
		w.Allow(time.Duration(i)*time.Second, 10)
	}
	s := w.Allow(10*time.Second, 3)
	if s.OK || s.Remaining != 0 || s.Reset != 7*time.Second+time.Minute-10*time.Second {
		t.Errorf("%+v", s)
	}
	if s = w.Allow(10*time.Second+s.Reset, 3); !s.OK {
		t.Errorf("after the wait: %+v", s)
	}
}
