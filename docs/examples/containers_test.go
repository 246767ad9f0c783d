package examples

import (
	"os"
	"os/exec"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/postgres"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

// start is how the service of a test is started.
var start = inContainers

// inContainers starts PostgreSQL and the image that FICHARIO_IMAGE names, and returns the service's address and how a
// command is run beside it.
func inContainers(t *testing.T) (url string, command func(args ...string) *exec.Cmd) {
	between := must(network.New(t.Context()))
	testcontainers.CleanupNetwork(t, between)
	db := must(postgres.Run(t.Context(), "postgres:17-alpine", postgres.BasicWaitStrategies(),
		postgres.WithDatabase("fichario"), network.WithNetwork([]string{"db"}, between)))
	testcontainers.CleanupContainer(t, db)
	service := must(testcontainers.Run(t.Context(), os.Getenv("FICHARIO_IMAGE"),
		network.WithNetwork([]string{"fichario"}, between), testcontainers.WithEnv(map[string]string{
			"FICHARIO_DATABASE_URL": "postgres://postgres:postgres@db:5432/fichario?sslmode=disable",
			"FICHARIO_DATA_KEY":     "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", // invented, for tests
		}),
		testcontainers.WithExposedPorts("8080/tcp"),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/readyz").WithPort("8080/tcp"))))
	testcontainers.CleanupContainer(t, service)
	return must(service.PortEndpoint(t.Context(), "8080/tcp", "http")), func(args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "docker", append([]string{"exec", service.GetContainerID(), "/fichario"}, args...)...)
	}
}
