package automation

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/ports"
)

func own(address string, change func(*automation.Action)) ports.Call {
	c := call(address)
	c.Action = automation.Action{Kind: automation.HTTP, URL: address, Secret: secret}
	change(&c.Action)
	return c
}

func TestOwnFormIsSigned(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := fmt.Sprint(r.Method, r.RequestURI, r.Header.Get("X-Token"), r.Header.Get("Content-Type"), string(body))
		if got != `PUT/x?a=b%26ct0kapplication/json{"nome":"José <da> Silva"}` {
			t.Error(got)
		}
		want := signature("msg_2b3c", r.Header.Get("webhook-timestamp"), body)
		if r.Header.Get("webhook-signature") != want || r.Header.Get("webhook-id") != "msg_2b3c" {
			t.Errorf("headers %v", r.Header)
		}
		answer(w, 409, `{"code":"exists"}`)
	})
	c := own(s.URL+"/x?a=${CHAVE}", func(a *automation.Action) {
		a.Method, a.Body, a.Done = "PUT", `{nome}`, `.status == 409 and .body.code == "exists"`
		a.Headers = []automation.Header{{Name: "x-token", Value: "${TOKEN}"}}
		a.Values = map[string]string{"CHAVE": "b&c", "TOKEN": "t0k"}
	})
	if result, err := private(t, callTime).Send(t.Context(), c); result != "status 409" || err != nil {
		t.Errorf("%s, %v", result, err)
	}
	shown, err := Destinations{}.Show(t.Context(), c)
	if err != nil || !strings.Contains(fmt.Sprint(shown.Headers), "{Webhook-Id msg_2b3c}") {
		t.Errorf("%+v, %v", shown, err)
	}
}

func TestSendVerdicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, done, body string
		answer           http.HandlerFunc
		result           string
		want             ports.SendError
	}{
		{name: "the event itself, refused", answer: answers(404, nil, ""), want: ports.SendError{Reason: "status 404"}},
		{name: "2xx without done", answer: answers(204, nil, ""), result: "status 204"},
		{name: "3xx", body: "{nome}", answer: answers(307, map[string]string{"Location": "/y"}, ""),
			want: ports.SendError{Reason: "o destino recusou (status 307)", Permanent: true}},
		{name: "not done", done: ".body.ok", answer: answers(200, nil, `{"ok":false,"error":"segredo"}`),
			want: ports.SendError{Reason: "o destino recusou (status 200)", Permanent: true}},
		{name: "later", done: "if .body.ok then true else 7.5 end", answer: answers(400, nil, `{"ok":false}`),
			want: ports.SendError{Reason: "status 400", RetryAfter: 7500 * time.Millisecond}},
		{name: "much later", done: ".body", answer: answers(400, nil, `1e300`),
			want: ports.SendError{Reason: "status 400", RetryAfter: time.Hour}},
		{name: "done cannot read it", done: ".body.ok.x", answer: answers(200, nil, `{"ok":1}`),
			want: ports.SendError{Reason: "o destino recusou (status 200)", Permanent: true}},
		{name: "too long to read", done: `.status == 200 and .body == null`,
			answer: answers(200, nil, `"`+strings.Repeat("x", maxAnswer)+`"`), result: "status 200"},
		{name: "503", done: ".body.ok", answer: answers(503, map[string]string{"Retry-After": "5"}, ``),
			want: ports.SendError{Reason: "status 503", RetryAfter: 5 * time.Second}},
		{name: "408", answer: answers(408, nil, ``), want: ports.SendError{Reason: "status 408"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			s := serve(t, func(w http.ResponseWriter, r *http.Request) { calls.Add(1); c.answer(w, r) })
			result, err := private(t, callTime).Send(t.Context(), own(s.URL, func(a *automation.Action) {
				a.Method, a.Done, a.Body = "POST", c.done, c.body
			}))
			if c.result != "" {
				if result != c.result || err != nil {
					t.Errorf("%s, %v", result, err)
				}
			} else {
				fails(t, err, c.want)
			}
			if calls.Load() != 1 {
				t.Errorf("%d calls", calls.Load())
			}
		})
	}
}

// TestSendIsGuarded: a custom form weakens none of the protections.
func TestSendIsGuarded(t *testing.T) {
	t.Parallel()
	d := New(false)
	t.Cleanup(d.Close)
	for _, address := range []string{
		"http://127.0.0.1/", "http://169.254.169.254/latest", "http://2130706433/", "https://10.0.0.1/",
	} {
		_, err := d.Send(t.Context(), own(address, func(a *automation.Action) { a.Method = "GET" }))
		fails(t, err, refused)
	}
	whole := own("", func(a *automation.Action) {
		a.URL, a.Values, a.Method = "${A}", map[string]string{"A": "http://[::1]/"}, "POST"
	})
	_, err := d.Send(t.Context(), whole)
	fails(t, err, refused)

	hanging := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-hanging
	})
	defer close(hanging)
	slow := own(s.URL, func(a *automation.Action) { a.Done = ".body.ok" })
	_, err = private(t, 200*time.Millisecond).Send(t.Context(), slow)
	fails(t, err, ports.SendError{Reason: "o destino não respondeu em 10 s"})
}

func TestNothingToSend(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("called") })
	c := own(s.URL, func(a *automation.Action) { a.Body = "if .valor > 5000 then . else null end" })
	result, err := private(t, callTime).Send(context.Background(), c)
	if result != "nada a enviar" || err != nil {
		t.Errorf("%s, %v", result, err)
	}
	shown, err := Destinations{}.Show(t.Context(), c)
	if err != nil || shown.Method != "" {
		t.Errorf("%+v, %v", shown, err)
	}
}
