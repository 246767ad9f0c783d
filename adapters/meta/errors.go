package meta

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"fichario/adapters/platform"
	"fichario/ports"
)

// failure returns why a call failed, by the code of Meta's error; nil when it did not.
func failure(got platform.Answer) *ports.SourceError {
	var answer struct {
		Error *struct {
			Code    int `json:"code"`
			Subcode int `json:"error_subcode"`
		} `json:"error"`
	}
	_ = json.Unmarshal(got.Body, &answer)
	if answer.Error == nil {
		switch {
		case got.Status == http.StatusTooManyRequests:
			return &ports.SourceError{
				Failure: ports.SourceLimited, Reason: "chamadas demais (status 429)", RetryAfter: waits(got.Header),
			}
		case got.Status < http.StatusOK || got.Status >= http.StatusMultipleChoices:
			return &ports.SourceError{
				Reason: "status " + strconv.Itoa(got.Status), RetryAfter: waits(got.Header),
			}
		}
		return nil
	}
	return failureOf(answer.Error.Code, answer.Error.Subcode, got.Header)
}

// failureOf is a failure by the code and subcode of Meta's error.
func failureOf(code, sub int, h http.Header) *ports.SourceError {
	f := &ports.SourceError{}
	what := "a Meta falhou"
	switch {
	case code == 190 || code == 102:
		f.Failure, what = ports.TokenDead, "o token não vale mais"
	case code == 3 || code == 10 || code >= 200 && code <= 299:
		f.Failure, what = ports.PermissionMissing, "falta uma permissão ao token"
	case code == 4 || code == 17 || code == 32 || code == 613 || code >= 80000 && code <= 80014:
		f.Failure, what, f.RetryAfter = ports.SourceLimited, "chamadas demais", waits(h)
	case code == 100 && sub == 33 || code == 803:
		f.Failure, what = ports.LeadGone, "não existe ou não é mostrado"
	}
	f.Reason = fmt.Sprintf("%s (erro %d", what, code)
	if sub != 0 {
		f.Reason += fmt.Sprintf(", %d", sub)
	}
	f.Reason += ")"
	return f
}

// usage is how much of an allowance is used, in percent, and how many minutes it takes to get it back.
type usage struct {
	Calls float64 `json:"call_count"`
	CPU   float64 `json:"total_cputime"`
	Time  float64 `json:"total_time"`
	Wait  float64 `json:"estimated_time_to_regain_access"`
}

// usages are those that the headers of an answer tell, of the app and of each business.
func usages(h http.Header) (all []usage) {
	var app usage
	if json.Unmarshal([]byte(h.Get("X-App-Usage")), &app) == nil {
		all = append(all, app)
	}
	var businesses map[string][]usage
	if json.Unmarshal([]byte(h.Get("X-Business-Use-Case-Usage")), &businesses) == nil {
		for _, of := range businesses {
			all = append(all, of...)
		}
	}
	return all
}

// used is the largest share of an allowance that is used, in percent.
func used(h http.Header) int {
	most := 0.0
	for _, u := range usages(h) {
		most = max(most, u.Calls, u.CPU, u.Time)
	}
	return int(most)
}

// waits is how long the headers ask to wait.
func waits(h http.Header) time.Duration {
	minutes := 0.0
	for _, u := range usages(h) {
		minutes = max(minutes, u.Wait)
	}
	seconds, _ := strconv.Atoi(h.Get("Retry-After"))
	const most = 24 * time.Hour
	return min(max(time.Duration(minutes*float64(time.Minute)), time.Duration(seconds)*time.Second), most)
}
