package web_test

import (
	"net/netip"
	"testing"
	"time"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/ports"
	"fichario/tests/testkit/noon"
)

// TestASparkSaysItsNumbers: what is drawn is also read, day by day of the instance's zone.
func TestASparkSaysItsNumbers(t *testing.T) {
	t.Parallel()
	zone := access.Calendar{Location: time.FixedZone("BRT", -3*3600)}
	s := &web.Server{Config: web.Config{
		Calendar: zone, Clock: func() time.Time { return time.Date(2026, 11, 26, 1, 0, 0, 0, time.UTC) },
	}}
	bounds := s.SparkDaysOf()
	if n := len(bounds); n != web.SparkDays+1 || zone.Day(bounds[n-2]) != "2026-11-25" {
		t.Fatal(bounds)
	}
	well, refused := make([]int, web.SparkDays), make([]int, web.SparkDays)
	if got := s.SparkOf(bounds, well, refused); got.Text != "Nada em 30 dias" || got.Up+got.Down != "" {
		t.Errorf("of nothing: %+v", got)
	}
	well[29], well[28], well[0], refused[29] = 1000, 1, 500, 1
	for _, c := range []struct {
		refused []int
		want    web.Spark
	}{
		{refused, web.Spark{
			Up: "M1 20v-9M85 20v-2M88 20v-18", Down: "M88 22v7", Width: 90,
			Text: "27/10: 500; 24/11: 1; 25/11: 1.000 e 1\u00a0recusado",
		}},
		{nil, web.Spark{
			Up: "M1 20v-9M85 20v-2M88 20v-18", Width: 90, Text: "27/10: 500; 24/11: 1; 25/11: 1.000",
		}},
	} {
		if got := s.SparkOf(bounds, well, c.refused); got != c.want {
			t.Errorf("%+v, not %+v", got, c.want)
		}
	}
}

// TestWebhooksAndKeysShowHowTheyLive: their days, and why the newest post was refused.
func TestWebhooksAndKeysShowHowTheyLive(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.receive("application/json", `{"nome":"Bia","email":"bia@example.com"}`)
	_, _ = v.arrive("application/json", `{"nome":"Zeca"}`)
	today := time.Now().In(noon.Zone()).Format("02/01")
	has(t, "webhooks", v.get("/webhooks"), `<span class="vh">`+today+": 1 e 1 recusado</span>", ">1</a>",
		"agora: Nenhum campo foi reconhecido")
	has(t, "a webhook", v.get("/webhooks/"+v.hook.ID), today+": 1 e 1 recusado", "Testar", "Pronto para colar")
	id, secret, _ := v.makeKey()
	caller, err := v.keys.Authenticate(t.Context(), secret, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = v.asker.Do(t.Context(), caller, lookups.Request{Product: "cpf", Document: aPerson})
	has(t, "keys", v.get("/chaves"), `<span class="vh">`+today+": 1</span>")
	hasNot(t, "keys", v.get("/chaves"), "última sem resposta")
	hasNot(t, "a key", v.get("/chaves/"+id), "última sem resposta")
	v.bureau.fails(anotherPerson, ports.NotSent)
	_, _ = v.asker.Do(t.Context(), caller, lookups.Request{Product: "cpf", Document: anotherPerson})
	has(t, "a key", v.get("/chaves/"+id), "última sem resposta", "agora</a>")
	has(t, "keys", v.get("/chaves"), "última sem resposta", "agora</a>")
	hasNot(t, "a key, filtered", v.get("/chaves/"+id+"?produto=cpf"), "última sem resposta")
}
