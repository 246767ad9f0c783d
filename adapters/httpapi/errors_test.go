package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v5"

	"fichario/domain/fault"
	"fichario/openapi"
)

func contract(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestCodes compares the constants of package fault, the table of statuses and the contract's enum, in all directions.
func TestCodes(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../domain/fault/fault.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var constants, table, enum []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, v := range spec.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					s, _ := strconv.Unquote(lit.Value)
					constants = append(constants, s)
				}
			}
		}
		return true
	})
	// The router's own codes are declared elsewhere; two belong to the interface and the commands, and one to agents.
	constants = append(constants, string(unknownRoute), string(methodNotAllowed))
	constants = slices.DeleteFunc(constants, func(c string) bool {
		return slices.Contains([]fault.Code{fault.NotFound, fault.Forbidden, fault.SessionCeiling}, fault.Code(c))
	})
	for _, k := range problems {
		table = append(table, string(k.Code))
		if k.Title == "" || http.StatusText(k.Status) == "" {
			t.Errorf("%s lacks a title or a status", k.Code)
		}
	}
	for _, v := range contract(t).Components.Schemas["Codigo"].Value.Enum {
		enum = append(enum, v.(string))
	}
	for _, list := range [][]string{constants, table, enum} {
		slices.Sort(list)
	}
	if !slices.Equal(constants, table) || !slices.Equal(table, enum) {
		t.Errorf("constants %v\ntable     %v\nenum      %v", constants, table, enum)
	}
}

// TestStatusesAreInTheContract: each operation lists the statuses of its problems, and the examples of its problems
// have the table's status and title.
func TestStatusesAreInTheContract(t *testing.T) {
	t.Parallel()
	for path, item := range contract(t).Paths.Map() {
		for method, op := range item.Operations() {
			for status, r := range op.Responses.Map() {
				media := r.Value.Content["application/problem+json"]
				if media == nil {
					continue
				}
				for _, e := range media.Examples {
					v := e.Value.Value.(map[string]any)
					kind := kindOf(fault.Code(v["code"].(string)))
					if strconv.Itoa(kind.Status) != status || string(kind.Code) != v["code"] || kind.Title != v["title"] {
						t.Errorf(
							"%s %s: the example of %s is %v, the table says %d %s", method, path, status, v["code"], kind.Status, kind.Title)
					}
				}
			}
		}
	}
}

func newServer(t *testing.T, log io.Writer) *echo.Echo {
	t.Helper()
	handler := slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})
	h := New(Config{LookupEnabled: true, Metrics: NewMetrics(nil, nil), Log: slog.New(handler)})
	return h.(headAsGet).Echo
}

// TestRoutesAreTheContract: every route of the API is in the contract, and every path of the contract has a route.
func TestRoutesAreTheContract(t *testing.T) {
	t.Parallel()
	var served, promised []string
	for _, r := range newServer(t, io.Discard).Router().Routes() {
		if strings.HasPrefix(r.Path, "/api/") {
			parts := strings.Split(r.Path, "/")
			for i, p := range parts {
				if strings.HasPrefix(p, ":") {
					parts[i] = "{" + p[1:] + "}"
				}
			}
			served = append(served, r.Method+" "+strings.Join(parts, "/"))
		}
	}
	for path, item := range contract(t).Paths.Map() {
		for method := range item.Operations() {
			promised = append(promised, method+" "+path)
		}
	}
	slices.Sort(served)
	slices.Sort(promised)
	if !slices.Equal(served, promised) {
		t.Errorf("served   %v\npromised %v", served, promised)
	}
}

// TestAPanicIsA500WithoutItsText: the program survives, and neither the answer nor the log shows the panic's value.
func TestAPanicIsA500WithoutItsText(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := newServer(t, &log)
	e.GET("/panic", func(*echo.Context) error { panic("52998224725") })
	rec := httptest.NewRecorder()
	e.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/panic", nil))
	if rec.Code != http.StatusInternalServerError || !strings.Contains(rec.Body.String(), `"erro_interno"`) {
		t.Errorf("answer: %d %s", rec.Code, rec.Body)
	}
	if rec.Header().Get("Retry-After") == "" {
		t.Error("the answer does not say when to ask again")
	}
	if strings.Contains(rec.Body.String()+log.String(), "52998224725") {
		t.Error("the value of the panic is shown")
	}
	if !strings.Contains(log.String(), `"msg":"panic"`) {
		t.Error("the panic is not logged")
	}
}

// TestNoAddressOfAClientInTheLog: a broken connection names it.
func TestNoAddressOfAClientInTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := newServer(t, &log)
	for path, why := range map[string]error{"/closed": net.ErrClosed, "/broken": syscall.EPIPE} {
		e.GET(path, func(*echo.Context) error {
			return fmt.Errorf("file: %w", &net.OpError{
				Op: "write", Net: "tcp", Source: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 8080},
				Addr: &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 48952}, Err: why,
			})
		})
		e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
		if !strings.Contains(log.String(), "file: write: "+why.Error()) || strings.Contains(log.String(), "203.0.113.7") {
			t.Errorf("%s: %s", path, log.String())
		}
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	e := newServer(t, io.Discard)
	own := "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10"
	for sent, kept := range map[string]bool{
		own: true, strings.ToUpper(own): true, "": false, "52998224725": false, "a\r\nb": false, strings.Repeat("a", 300): false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
		r.Header.Set(echo.HeaderXRequestID, sent)
		rec := httptest.NewRecorder()
		e.ServeHTTP(rec, r)
		got := rec.Header().Get(echo.HeaderXRequestID)
		if got == "" || (got == sent) != kept {
			t.Errorf("sent %q, answered %q", sent, got)
		}
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"": "", "*/*": "", "application/json": "", "text/csv": "csv", "TEXT/CSV; charset=utf-8": "csv",
		"text/csv;q=0": "", "application/json, text/csv;q=0.5": "", "text/csv, application/json;q=0.9": "csv",
		"text/csvx": "", "text/csv, */*": "csv", "text/csv;q=0.5, */*": "", "text/csv;q=0.5, application/json;q=0.1, */*": "csv",
		ndjsonType: "ndjson", ndjsonType + ";q=0": "", ndjsonType + ";Q=0.9, application/json": "", xlsxType + ";q=0, text/csv": "csv",
		"application/json;q=0.5," + xlsxType: "xlsx", "text/csv;q=0.5, " + ndjsonType + ";q=0.8": "ndjson",
		ndjsonType + ", text/csv": "csv", xlsxType + "2": "", "text/csv;q=NaN": "",
	} {
		if got := preferred(accept); got != want {
			t.Errorf("preferred(%q) = %q; want %q", accept, got, want)
		}
	}
}

func TestLimitHeaders(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	limitHeaders(h, minute, 60, 59, 59200*time.Millisecond)
	if got := h.Get("RateLimit") + " " + h.Get("RateLimit-Policy"); got != `"minuto";r=59;t=60 "minuto";q=60;w=60` {
		t.Error(got)
	}
	f := fault.New(fault.MonthlyLimit, "")
	f.Limit, f.Left = 5, 1 // of the two that it needs
	capHeaders(h, f)
	for name, want := range map[string]string{
		"RateLimit": `"mes";r=1`, "RateLimit-Policy": `"mes";q=5`, "X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "1",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestGone tells errors that only mean that nobody waits for the answer from failures that count although nobody does.
func TestGone(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	left := r.WithContext(ctx)
	broken := &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	away := fault.New(fault.ServiceUnavailable, "fora").Because(broken)
	for name, c := range map[string]struct {
		r    *http.Request
		err  error
		gone bool
	}{
		"a statement was broken off":          {left, fmt.Errorf("statement.page: %w", context.Canceled), true},
		"somebody else's context ended":       {r, context.Canceled, false},
		"the connection broke":                {r, broken, true},
		"the client takes no more of it":      {r, os.ErrDeadlineExceeded, true},
		"the database's connection broke":     {r, away, false},
		"a failure of ours, with nobody left": {left, errors.New("panic"), false},
	} {
		if gone(c.r, c.err) != c.gone {
			t.Errorf("%s: want %v", name, c.gone)
		}
	}
}
