package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/labstack/echo/v5"

	"fichario/adapters/gormstore/engine"
)

// serveBaseline serves what the program is measured against: a single indexed SELECT of the same size, and a handler
// that does nothing.
func serveBaseline(ctx context.Context, url string) error {
	find, err := finder(ctx, url)
	if err != nil {
		return err
	}
	e := echo.New()
	e.GET("/echo", func(c *echo.Context) error { return c.String(http.StatusOK, "ok") })
	e.GET("/refuse", refuser())
	e.GET("/select/:documento", func(c *echo.Context) error {
		answer, err := find(c.Request().Context(), c.Param("documento"))
		if err != nil {
			return err
		}
		c.Response().Header().Set("Content-Length", strconv.Itoa(len(answer)))
		return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, answer)
	})
	keep, err := keeper(ctx, url)
	if err != nil {
		return err
	}
	e.POST("/lead/:webhook", func(c *echo.Context) error {
		body, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return err
		}
		webhook, err := strconv.Atoi(c.Param("webhook"))
		if err != nil {
			return err
		}
		id := uuid.Must(uuid.NewV7())
		if err := keep(c.Request().Context(), webhook, id.String(), string(body)); err != nil {
			return err
		}
		return c.JSON(http.StatusOK, map[string]any{"success": true, "leadId": id, "message": "ok"})
	})
	charge, err := charger(ctx, url)
	if err != nil {
		return err
	}
	e.POST("/charge/:documento", func(c *echo.Context) error {
		if err := charge(c.Request().Context(), c.Param("documento")); err != nil {
			return err
		}
		return c.String(http.StatusOK, "ok")
	})
	tell, err := teller(ctx, url)
	if err != nil {
		return err
	}
	e.GET("/told/:documento", func(c *echo.Context) error {
		answer, err := find(c.Request().Context(), c.Param("documento"))
		if err == nil {
			err = tell(c.Request().Context(), c.Param("documento"))
		}
		if err != nil {
			return err
		}
		c.Response().Header().Set("Content-Length", strconv.Itoa(len(answer)))
		return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, answer)
	})
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "{\"msg\":\"listening\",\"addr\":%q}\n", listener.Addr())
	server := &http.Server{Handler: e, ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(listener)
}

func finder(ctx context.Context, url string) (func(context.Context, string) ([]byte, error), error) {
	if path, ok := engine.SQLitePath(url); ok {
		db, err := openLite(path)
		if err != nil {
			return nil, err
		}
		const plain = "SELECT answer FROM plain WHERE documento = ?"
		find, err := db.PrepareContext(ctx, plain) //nolint:sqlclosecheck // it lives as long as the process
		return func(ctx context.Context, documento string) (answer []byte, err error) {
			err = find.QueryRowContext(ctx, documento).Scan(&answer)
			return answer, err
		}, err
	}
	pool, err := openPool(ctx, url)
	return func(ctx context.Context, documento string) (answer []byte, err error) {
		err = pool.QueryRow(ctx, "SELECT answer FROM plain WHERE documento = $1", documento).Scan(&answer)
		return answer, err
	}, err
}

// openPool has as many connections as the program.
func openPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 16
	return pgxpool.NewWithConfig(ctx, cfg)
}

// refuser does what no refusal of a document can go without, and decides nothing: it finds the key by its hash and
// counts its minute, gives the request an id, writes the headers and the body of such an answer, and a line of the
// log.
func refuser() echo.HandlerFunc {
	type field struct {
		Campo    string `json:"campo"`
		Mensagem string `json:"mensagem"`
	}
	type problem struct {
		Code      string  `json:"code"`
		Detail    string  `json:"detail"`
		Errors    []field `json:"errors"`
		RequestID string  `json:"requestId"`
		Status    int     `json:"status"`
		Title     string  `json:"title"`
		Type      string  `json:"type"`
	}
	const wrong = "O CPF tem dígito verificador que não confere."
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	var keys sync.Map // the counts of keys, by their hashes
	return func(c *echo.Context) error {
		began, id := time.Now(), uuid.Must(uuid.NewV7()).String()
		secret := strings.TrimPrefix(c.Request().Header.Get("Authorization"), "Bearer ")
		count, _ := keys.LoadOrStore(sha256.Sum256([]byte(secret)), new(atomic.Int64))
		used, _ := count.(*atomic.Int64)
		left := strconv.FormatInt(1_000_000_000-used.Add(1), 10)
		header := c.Response().Header()
		for _, h := range [][2]string{
			{"Cache-Control", "no-store"}, {"Ratelimit", `"minuto";r=` + left + ";t=60"},
			{"Ratelimit-Policy", `"minuto";q=1000000000;w=60`}, {"Referrer-Policy", "no-referrer"},
			{"X-Content-Type-Options", "nosniff"}, {"X-Ratelimit-Limit", "1000000000"}, {"X-Ratelimit-Remaining", left},
			{"X-Request-Id", id},
		} {
			header.Set(h[0], h[1])
		}
		body, err := json.Marshal(problem{"documento_invalido", wrong, []field{{"documento", wrong}}, id, 400,
			"Documento inválido", "/docs/erros#documento_invalido"})
		if err != nil {
			return err
		}
		err = c.Blob(http.StatusOK, "application/problem+json", body)
		log.Info("request", "method", c.Request().Method, "path", c.Path(), "status", 400, "duration", time.Since(began),
			"request", id)
		return err
	}
}
