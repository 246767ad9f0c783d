package integration

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/noon"
	"fichario/tests/testkit/patience"
)

func TestSlowKeysOpenOnlyWhatTheyShould(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(600, 5, 5)
		for name, header := range map[string]string{
			"none": "", "other scheme": "Basic " + key.Key, "no scheme": key.Key, "garbage": "Bearer abc", "empty": "Bearer ",
			"changed": "Bearer " + key.Key[:49] + flip(key.Key[49]), "longer": "Bearer " + key.Key + "0",
		} {
			a, err := s.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, "", map[string]string{"Authorization": header}, "")
			if err != nil {
				t.Fatal(err)
			}
			expect(t, name, a.String(), "401 nao_autenticado")
			if !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer") || a.Header.Get("X-RateLimit-Limit") != "" {
				t.Errorf("%s: headers %v", name, a.Header)
			}
		}
		a, err := s.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, "", map[string]string{"Authorization": "bearer " + key.Key},
			"")
		if err != nil || a.Status != 200 {
			t.Errorf("the scheme in lower case: %d, %v", a.Status, err)
		}
		s.Hide(ana)

		rotated := testkit.JSON[lookuptest.Key](t, s.Command("key", "rotate", key.ID, "--overlap", "1h", "--json"))
		s.Hide(rotated.Key)
		expect(t, "old secret within the overlap", s.CPF(key.Key, ana).Status, 200)
		expect(t, "new secret", s.CPF(rotated.Key, ana).Status, 200)
		expect(t, "the statement goes on", len(s.Statement(rotated.Key).Consultas), 3)
		last := testkit.JSON[lookuptest.Key](t, s.Command("key", "rotate", key.ID, "--json"))
		s.Hide(last.Key)
		lookuptest.Eventually(t, "the replaced secrets end", func() bool {
			return s.CPF(rotated.Key, ana).Status == 401 && s.CPF(key.Key, ana).Status == 401
		})
		expect(t, "newest secret", s.CPF(last.Key, ana).Status, 200)
		listed := testkit.JSON[[]map[string]any](t, s.Command("key", "list", "--org", s.Org, "--json"))[0]
		expect(t, "what the list says was charged",
			fmt.Sprint(listed["chargedToday"], listed["spentToday"], listed["chargedMonth"], listed["spentMonth"]), "1 0.45 1 0.45")
		s.Command("key", "revoke", key.ID)
		lookuptest.Eventually(t, "the revoked key ends", func() bool {
			return s.CPF(last.Key, ana).Status == 401
		})

		soon := s.NewKey(600, 5, 5, "--expires", time.Now().Add(patience.Scaled(15*time.Second)).UTC().Format(time.RFC3339))
		expect(t, "before its end", s.CPF(soon.Key, ana).Status, 200)
		lookuptest.Eventually(t, "the key expires", func() bool { return s.CPF(soon.Key, ana).Status == 401 })

		lookuptest.Eventually(t, "the last use is written down", func() bool {
			for _, k := range testkit.JSON[[]map[string]any](t, s.Command("key", "list", "--org", s.Org, "--json")) {
				if k["id"] == soon.ID {
					return k["lastUsedAt"] != nil
				}
			}
			return false
		})
	})
}

func flip(b byte) string {
	if b == 'A' {
		return "B"
	}
	return "A"
}

func TestLimits(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		docs := lookuptest.CPFs(2, 6)

		minute, one := s.NewKey(3, 100, 100).Key, s.Instances()[0]
		for i := range 3 {
			a := one.Get("/api/v1/produtos", minute)
			expect(t, "status", a.Status, 200)
			expect(t, "remaining", a.Header.Get("X-RateLimit-Remaining"), fmt.Sprint(2-i))
		}
		a := one.CPF(minute, docs[0])
		expect(t, "over the minute", a.String(), "429 limite_por_minuto")
		wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
		if err != nil || wait < 1 || wait > 60 {
			t.Errorf("Retry-After: %q", a.Header.Get("Retry-After"))
		}
		expect(t, "remaining", a.Header.Get("X-RateLimit-Remaining"), "0")

		day := s.NewKey(600, 2, 100).Key
		for _, d := range docs[:2] {
			expect(t, "within the day", s.CPF(day, d).Status, 200)
		}
		a = s.CPF(day, docs[2])
		expect(t, "over the day", a.String(), "429 limite_diario")
		expect(t, "limit and remaining", a.Header.Get("X-RateLimit-Limit")+" "+a.Header.Get("X-RateLimit-Remaining"), "2 0")
		now := time.Now().In(noon.Zone())
		midnight := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location())
		wait, err = strconv.Atoi(a.Header.Get("Retry-After"))
		if left := int(time.Until(midnight).Seconds()); err != nil || wait < left || wait > left+5 {
			t.Errorf("Retry-After %d, midnight in %d", wait, left)
		}
		expect(t, "history stays free", s.CPF(day, docs[0]).JSON["cache"], true)
		expect(t, "entries", len(s.Statement(day).Consultas), 3)

		month := s.NewKey(600, 100, 1).Key
		expect(t, "within the month", s.CPF(month, docs[3]).Status, 200)
		a = s.CPF(month, docs[4])
		expect(t, "over the month", a.String(), "429 limite_mensal")
		if _, set := a.Header["Retry-After"]; set {
			t.Error("a monthly cap has a Retry-After")
		}
		both := s.NewKey(600, 1, 1).Key
		s.CPF(both, docs[4])
		expect(t, "both caps used up: waiting for the day does not suffice", s.CPF(both, docs[5]).Code(), "limite_mensal")
		none := s.NewKey(600, 0, 5).Key
		a = s.CPF(none, docs[5])
		expect(t, "a cap of zero", a.Code(), "limite_diario")
		if _, set := a.Header["Retry-After"]; set {
			t.Error("a cap of zero has a Retry-After")
		}
		expect(t, "a cap of zero leaves history", s.CPF(none, docs[0]).JSON["cache"], true)
	})
}
