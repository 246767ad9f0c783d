package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/app/automations"
	intakeapp "fichario/app/intake"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/intake"
)

// TestListsOfManyHavePages: each thing is on one page, and no page weighs more than 60 kB.
func TestListsOfManyHavePages(t *testing.T) {
	t.Parallel()
	const many, heaviest = 40, 60_000
	v := openSite(t).visitor("Ana")
	hooks, rules := intakeapp.NewWebhooks(v.store, time.Now), automations.New(v.store, time.Now, automations.Means{})
	for n := range many {
		name := fmt.Sprintf("item%02d", n)
		v.key(name)
		v.testSite.member(v.by.OrgID(), name, crm.Common)
		_, _, err := hooks.Create(t.Context(), v.by, intakeapp.NewWebhook{
			OrgID: v.by.OrgID(), Name: name, Options: intake.Options{Kind: intake.Generic},
		})
		if err == nil {
			_, err = rules.Add(t.Context(), v.by, automations.NewAutomation{
				OrgID: v.by.OrgID(), Name: name, Event: automation.ContactCreated, Action: automation.AddNote, Text: "oi",
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	named := regexp.MustCompile(`(?:<a [^>]*>|<b>)(?:<bdi[^>]*>)?item\d\d`)
	next := regexp.MustCompile(`href="(/\w+\?pagina=\d+)" rel="next"`)
	for _, path := range []string{"/chaves", "/webhooks", "/automacoes", "/equipe"} {
		var all strings.Builder
		pages := 0
		for at := path; at != ""; pages++ {
			page := v.get(at)
			if len(page) > heaviest {
				t.Errorf("%s weighs %d bytes", at, len(page))
			}
			// Names are also in labels for who does not see the table.
			all.WriteString(strings.Join(named.FindAllString(page, -1), " ") + " ")
			at = ""
			if to := next.FindStringSubmatch(page); to != nil {
				at = to[1]
			}
		}
		if pages < 2 {
			t.Errorf("%s has %d pages", path, pages)
		}
		for n := range many {
			if times := strings.Count(all.String(), fmt.Sprintf("item%02d", n)); times != 1 {
				t.Errorf("%s shows item%02d %d times", path, n, times)
			}
		}
		for _, beyond := range []string{"99", "0", "-1", "x"} {
			if page := v.get(path + "?pagina=" + beyond); !strings.Contains(page, "item") {
				t.Errorf("%s has no page %s, and shows none", path, beyond)
			}
		}
	}
	page := v.get("/equipe?pagina=2")
	id := regexp.MustCompile(`href="/equipe\?editar=([0-9a-f-]{36})"`).FindStringSubmatch(page)[1]
	shown := `action="/equipe/membros/` + id
	for _, what := range []string{"editar=", "perguntar=senha-"} {
		if page := v.get("/equipe?" + what + id); !strings.Contains(page, shown) {
			t.Errorf("%s: whom it is about is on another page", what)
		}
	}
	for what, form := range map[string][]string{
		"ended": {"/equipe/membros/" + id, "ativo", "não"}, "refused": {"/equipe/membros/" + id + "/senha", "senha", "curta"},
	} {
		got, page := v.send(form[0], form[1:]...)
		if at := got.Header.Get("Location"); at != "" {
			page = v.get(at)
		}
		if !strings.Contains(page, "senha-"+id) {
			t.Errorf("%s: whom it was about is on another page", what)
		}
	}
	if page := v.get("/automacoes?todas=sim&pagina=2"); !strings.Contains(page, `href="/automacoes?todas=sim&amp;pagina=1"`) {
		t.Error("the other pages show other runs")
	}
}

// TestAChainOfManyIsBounded: where many automations trigger many, the page still weighs no more, and says so.
func TestAChainOfManyIsBounded(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	rules := automations.New(v.store, time.Now, automations.Means{})
	for n := range 60 {
		_, err := rules.Add(t.Context(), v.by, automations.NewAutomation{
			OrgID: v.by.OrgID(), Name: fmt.Sprintf("automação número %02d de muitas", n), Action: automation.AddNote, Text: "oi",
			Event: []automation.EventName{automation.ContactCreated, automation.ContactUpdated}[n%2],
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []string{"/automacoes", "/automacoes?pagina=4"} {
		page := v.get(at)
		has(t, at, page, "Quem dispara quem", "Há mais do que cabe aqui", " e mais 25")
		if len(page) > 60_000 {
			t.Errorf("%s weighs %d bytes", at, len(page))
		}
		t.Logf("%s weighs %d bytes", at, len(page))
	}
}
