package faults

import (
	"strings"
	"testing"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowKillsBeforeALaterAnswer kills the program again and again while a bureau has questions that it answers later:
// their answers are fetched all the same, and nothing is asked twice.
func TestSlowKillsBeforeALaterAnswer(t *testing.T) {
	t.Parallel()
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		b := lookuptest.StartLateBureau(t)
		s := lookuptest.StartService(t, env, b.File)
		key := s.NewKey(600, 50, 50).Key
		places := map[string]string{}
		for _, d := range lookuptest.CPFs(60, 3) {
			s.Hide(d)
			a := s.CPF(key, d)
			expect(t, "taken", a.Status, 202)
			places[d] = a.Header.Get("Location")
			s.Kill()
			s.Restart()
		}
		for d := range places {
			fetched := b.Fetched(d)
			lookuptest.Eventually(t, "it is fetched after the kill", func() bool { return b.Fetched(d) > fetched })
			expect(t, "asked again by its key", s.CPF(key, d).Status, 202)
		}
		b.Answer()
		for d, place := range places {
			lookuptest.Eventually(t, "the answer", func() bool { return s.Get(place, key).Status == 200 })
			expect(t, "asked", b.Asked(d), 1)
		}
		expect(t, "charged", s.Statement(key).Cobradas.Total, len(places))
	})
}

// TestSlowKillsAfterAPostedAnswer kills the program as soon as it has confirmed what a bureau has posted: each answer
// is there afterwards, though the bureau never lets it be fetched, and nothing is asked twice.
func TestSlowKillsAfterAPostedAnswer(t *testing.T) {
	t.Parallel()
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		b := lookuptest.StartLateBureau(t)
		s := lookuptest.StartService(t, env, b.File)
		key := s.NewKey(600, 50, 50).Key
		places := map[string]string{}
		for _, d := range lookuptest.CPFs(61, 4) {
			s.Hide(d)
			a := s.CPF(key, d)
			expect(t, "taken", a.Status, 202)
			places[d] = a.Header.Get("Location")
			_, token, _ := strings.Cut(b.Callback(d), "/retornos/")
			json := map[string]string{"Content-Type": "application/json"}
			for range 2 {
				a, err := s.Do(t.Context(), "POST", "/api/v1/retornos/"+token, "", json, b.Posts(d))
				if err != nil {
					t.Fatal(err)
				}
				expect(t, "posted", a.Status, 204)
				s.Kill()
				s.Restart()
			}
		}
		for d, place := range places {
			lookuptest.Eventually(t, "the answer", func() bool { return s.Get(place, key).Status == 200 })
			expect(t, "asked", b.Asked(d), 1)
		}
		expect(t, "charged", s.Statement(key).Cobradas.Total, len(places))
	})
}
