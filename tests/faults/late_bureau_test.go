package faults

import (
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
