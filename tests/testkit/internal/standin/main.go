// Command standin does only what testkit expects of the real program, so that testkit can have its own tests.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch args[0] {
	case "serve":
		return serve()
	case "migrate":
		return migrate()
	case "echo":
		input, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(map[string]any{
			"args": args[1:], "input": string(input), "database": os.Getenv("FICHARIO_DATABASE_URL"),
			"key": os.Getenv("FICHARIO_DATA_KEY"), "leak": os.Getenv("FICHARIO_TEST_DATABASE_URL"),
		})
	}
	return errors.New("no such command")
}

func serve() error {
	logger := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	logger.Info("starting", "addr", "not this line")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", os.Getenv("FICHARIO_LISTEN"))
	if err != nil {
		return err
	}
	logger.Info("listening", "addr", l.Addr().String())
	server := &http.Server{Handler: http.NotFoundHandler()}
	go func() { _ = server.Serve(l) }()
	<-ctx.Done()
	if os.Getenv("FICHARIO_STUBBORN") != "" {
		return errors.New("stopping badly")
	}
	logger.Info("stopped")
	return server.Close()
}

func migrate() error {
	url := os.Getenv("FICHARIO_DATABASE_URL")
	if path, is := strings.CutPrefix(url, "sqlite://"); is && os.Getenv("FICHARIO_DATA_KEY") == "" {
		// An empty file is a database.
		return errors.Join(os.WriteFile(path, nil, 0o600), os.WriteFile(path+".key", nil, 0o600))
	}
	if !strings.HasPrefix(url, "postgres://") || os.Getenv("FICHARIO_DATA_KEY") == "" {
		return errors.New("no PostgreSQL, or no key")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE TABLE migrated ()")
	return errors.Join(err, conn.Close(ctx))
}
