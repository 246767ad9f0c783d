package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"fichario/tests/testkit/internal/proc"
)

// Process is the leader of a process group; the whole group is killed.
func Process(pid int) Thing {
	return Thing{Kind: "process", Args: []string{strconv.Itoa(pid)}}
}

// Directory is a directory with its content.
func Directory(path string) Thing {
	return Thing{Kind: "directory", Args: []string{path}}
}

// Cluster is a directory whose folder "data" is a PostgreSQL cluster, running or not.
func Cluster(dir string) Thing {
	return Thing{Kind: "cluster", Args: []string{dir}}
}

// Container is a container of the Docker engine, with its volumes.
func Container(id string) Thing {
	return Thing{Kind: "container", Args: []string{id}}
}

// Databases are the databases of a server whose names begin with a prefix.
func Databases(server, prefix string) Thing {
	return Thing{Kind: "databases", Args: []string{server, prefix}}
}

func undo(t Thing) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	switch t.Kind {
	case "process":
		return killGroup(t.Args[0])
	case "directory":
		return os.RemoveAll(t.Args[0])
	case "cluster":
		return removeCluster(t.Args[0])
	case "container":
		return removeContainer(ctx, t.Args[0])
	case "databases":
		return dropDatabases(ctx, t.Args[0], t.Args[1])
	}
	return fmt.Errorf("no way to undo a %q", t.Kind)
}

func killGroup(pid string) error {
	leader, err := strconv.Atoi(pid)
	if err != nil || leader <= 1 {
		return fmt.Errorf("%q is no process of a test", pid)
	}
	if err := syscall.Kill(-leader, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

func removeCluster(dir string) error {
	// Without the file the cluster is down, or was never up.
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err == nil {
		first, _, _ := strings.Cut(string(text), "\n")
		if pid, err := strconv.Atoi(strings.TrimSpace(first)); err == nil && pid > 1 {
			end(pid)
		}
	}
	return os.RemoveAll(dir)
}

// end ends a postmaster at once (an immediate shutdown), even a frozen one.
func end(pid int) {
	family := append(proc.Children(pid), pid)
	_ = syscall.Kill(pid, syscall.SIGQUIT)
	for _, member := range family {
		_ = syscall.Kill(member, syscall.SIGCONT)
	}
	if proc.WaitGone(pid, 10*time.Second) {
		return
	}
	for _, member := range family {
		_ = syscall.Kill(member, syscall.SIGKILL)
	}
	proc.WaitGone(pid, time.Second)
}

func removeContainer(ctx context.Context, id string) error {
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return err
	}
	defer docker.Close()
	_, err = docker.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	return err
}

func dropDatabases(ctx context.Context, server, prefix string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, "SELECT datname FROM pg_database WHERE starts_with(datname, $1)", prefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range names {
		_, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
