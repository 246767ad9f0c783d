package postgres

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/modules/postgres"

	"fichario/tests/testkit/internal/guard"
	"fichario/tests/testkit/patience"
)

// box is a PostgreSQL in a container.
type box struct {
	docker *testcontainers.DockerClient
	id     string
	entry  *guard.Entry
}

// startContainer starts a container; hostPort is the port on this machine, or empty for any.
func startContainer(ctx context.Context, hostPort string) (*Server, error) {
	prepareTestcontainers()
	image := cmp.Or(os.Getenv(EnvImage), DefaultImage)
	c, err := postgres.Run(ctx, image,
		postgres.WithUsername("postgres"),
		postgres.WithPassword("postgres"),
		postgres.WithDatabase("postgres"),
		// The module's own command disables fsync; tests of durability need it.
		testcontainers.WithCmd("postgres", "-c", "max_connections="+maxConnections),
		testcontainers.WithHostConfigModifier(func(host *container.HostConfig) { publish(host, hostPort) }),
	)
	var b *box
	if err == nil {
		b, err = guarded(ctx, c)
	}
	if err != nil {
		// A failed Run may leave a created container behind. Terminating one that never existed is no error.
		return nil, errors.Join(err, testcontainers.TerminateContainer(c))
	}
	// The official image runs a temporary server during its set-up, but only the final one listens on TCP, so whatever
	// answers there is the right one.
	hostPort, err = c.PortEndpoint(ctx, "5432/tcp", "")
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	s := newServer(loopback(url.UserPassword("postgres", "postgres"), hostPort), b)
	if err := s.await(ctx, patience.Limit(), "container of "+image, nil); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return s, nil
}

func guarded(ctx context.Context, c *postgres.PostgresContainer) (*box, error) {
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, err
	}
	entry, err := guard.Add(guard.Container(c.GetContainerID()))
	if err != nil {
		return nil, err
	}
	return &box{docker: docker, id: c.GetContainerID(), entry: entry}, nil
}

// prepareTestcontainers sets variables that testcontainers-go reads at its first use.
func prepareTestcontainers() {
	// Its reaper is one more image to fetch, and the guard does its work.
	_ = os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	// On a machine that is itself a container it would use the gateway as the host, and wait in vain.
	if os.Getenv("TESTCONTAINERS_HOST_OVERRIDE") == "" && !remoteEngine() {
		_ = os.Setenv("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")
	}
	// The line about the PostgreSQL in use is enough.
	log.SetDefault(log.NewNoopLogger())
}

// remoteEngine reports whether the engine runs on another machine, whose ports are not on our loopback.
func remoteEngine() bool {
	scheme, _, _ := strings.Cut(os.Getenv("DOCKER_HOST"), "://")
	return scheme != "" && scheme != "unix"
}

// publish exposes the server only on loopback: its password is no secret.
func publish(host *container.HostConfig, hostPort string) {
	binding := network.PortBinding{HostPort: hostPort}
	if os.Getenv("TESTCONTAINERS_HOST_OVERRIDE") == "127.0.0.1" {
		binding.HostIP = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	host.PortBindings = network.PortMap{network.MustParsePort("5432/tcp"): {binding}}
}

func (b *box) stop(mode Mode) error {
	ctx, cancel := patience.Context()
	defer cancel()
	if mode == Immediate || mode == Killed {
		_, err := b.docker.ContainerKill(ctx, b.id, client.ContainerKillOptions{Signal: "SIGKILL"})
		if err == nil {
			err = b.awaitDown(ctx)
		}
		return err
	}
	_, err := b.docker.ContainerStop(ctx, b.id, client.ContainerStopOptions{})
	return err
}

// awaitDown waits until the engine has noticed the end of a killed container; before that it refuses to start it.
func (b *box) awaitDown(ctx context.Context) error {
	for {
		inspected, err := b.docker.ContainerInspect(ctx, b.id, client.ContainerInspectOptions{})
		if err != nil || !inspected.Container.State.Running {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (b *box) start(ctx context.Context) error {
	_, err := b.docker.ContainerStart(ctx, b.id, client.ContainerStartOptions{})
	return err
}

func (b *box) pause() error {
	_, err := b.docker.ContainerPause(context.Background(), b.id, client.ContainerPauseOptions{})
	return err
}

func (b *box) resume() error {
	_, err := b.docker.ContainerUnpause(context.Background(), b.id, client.ContainerUnpauseOptions{})
	return err
}

func (b *box) close() error {
	return errors.Join(b.entry.Undo(), b.docker.Close())
}

// brief shortens an error to the beginning of its first line.
func brief(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return line
}
