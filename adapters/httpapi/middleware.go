package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v5"

	"fichario/app"
)

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// requestID gives every request an id. A caller's own id is kept only when it is a UUID: any other text could be
// somebody's document, and ids are logged.
func requestID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if id == "" || !uuidForm.MatchString(id) {
			id = uuid.Must(uuid.NewV7()).String()
		}
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

// recovered turns a panic into a 500. Only its type and place are logged: its value may hold user data.
func (s *server) recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) (err error) {
		defer func() {
			switch r := recover(); r {
			case nil:
			case http.ErrAbortHandler:
				panic(r)
			default:
				s.Log.LogAttrs(c.Request().Context(), slog.LevelError, "panic", slog.String("type", fmt.Sprintf("%T", r)),
					slog.String("stack", string(debug.Stack())))
				err = fmt.Errorf("panic (%T)", r)
			}
		}()
		return next(c)
	}
}

// These slices are shared: nobody may append to them.
var noStore, noSniff, noReferrer = []string{"no-store"}, []string{"nosniff"}, []string{"no-referrer"}

// headers sets the headers of every response. Responses may hold personal data, so nothing may cache them.
func headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		h := c.Response().Header()
		h["Cache-Control"], h["X-Content-Type-Options"], h["Referrer-Policy"] = noStore, noSniff, noReferrer
		if isWebhook(c) {
			h[echo.HeaderAccessControlAllowOrigin] = anyOrigin
		}
		if _, other := c.Get(echo.ContextKeyHeaderAllow).(string); other && !withoutGet.MatchString(c.Request().URL.Path) {
			responseOf(c).Before(func() { // the router knows of no HEAD, see headAsGet
				if allow := h.Get(echo.HeaderAllow); !strings.Contains(allow, http.MethodHead) {
					h.Set(echo.HeaderAllow, strings.Replace(allow, http.MethodGet, "GET, HEAD", 1))
				}
			})
		}
		return next(c)
	}
}

// observe logs and counts every request by its route, never by its address, which may hold a document or a token.
func (s *server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		start := time.Now()
		ctx, span := app.TraceRequest(c.Request().Context())
		if span.Traced() {
			c.SetRequest(c.Request().WithContext(ctx))
		}
		if err := next(c); err != nil {
			s.fail(c, err)
		}
		took, status, route := time.Since(start), responseOf(c).Status, c.Path()
		if route == "" {
			route = "unmatched"
		}
		id := c.Response().Header().Get(echo.HeaderXRequestID)
		s.Metrics.request(c.Request().Method, route, status, took)
		span.Answered(knownMethod(c.Request().Method), route, status, id)
		s.Log.LogAttrs(c.Request().Context(), slog.LevelInfo,
			"request", slog.String("method", c.Request().Method), slog.String("route", route), slog.Int("status", status),
			slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("request_id", id))
		return nil
	}
}

// responseOf is the response to a request, with whether it has begun and with which status.
func responseOf(c *echo.Context) *echo.Response {
	w, err := echo.UnwrapResponse(c.Response())
	if err != nil {
		panic(err) // echo made it
	}
	return w
}
