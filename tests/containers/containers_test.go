// Package containers builds the image and runs the compose file with the available engine.
package containers

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// imageMost is the maximum size of the image as it is pulled: its layers, compressed.
	imageMost = 40 << 20
	patience  = 2 * time.Minute
	document  = "52998224725"
)

// TestSlowContainers: the image is small, runs without privileges on a read-only file system, and is healthy; the
// service of the compose file keeps a lookup, a lead and a batch when it is taken down and up again.
//
// It takes minutes and needs an engine, so it only runs where FICHARIO_TEST_CONTAINERS is set. GO_IMAGE and
// POSTGRES_IMAGE override the base images, see .ci/images.
func TestSlowContainers(t *testing.T) {
	t.Parallel()
	if os.Getenv("FICHARIO_TEST_CONTAINERS") == "" {
		t.Skip("NOT RUN: the image and the compose file; `make containers` runs it where Docker answers")
	}
	run(t, "docker", "version") // reports why where the engine does not answer
	p := newProject(t)
	p.compose("build")
	t.Run("image", func(t *testing.T) { theImage(t, p.image) })
	t.Run("alone", func(t *testing.T) { alone(t, p.image) })
	t.Run("example", example)
	p.up()
	t.Run("confined", func(t *testing.T) { confined(t, p.container("fichario")) })
	key, hook := p.setUp()
	ask(t, p.url, http.MethodGet, "/api/v1/cpf/"+document, key, "", http.StatusOK, `"cache":false`)
	lead := ask(t, p.url, http.MethodPost, hook, "", `{"nome":"Ana","email":"ana@example.com"}`, http.StatusOK, `"leadId"`)
	batch := ask(t, p.url, http.MethodPost, "/api/v1/lotes", key,
		`{"produto":"cnpj","documentos":["11222333000181"],"teto":5,"confirmar":true}`, http.StatusCreated, `"id"`)
	done := func() bool {
		shown := send(t, p.url, http.MethodGet, "/api/v1/lotes/"+batch["id"].(string), key, "")
		return strings.Contains(shown.body, `"concluido"`)
	}
	eventually(t, "the batch is done", done)

	p.compose("down")
	p.up()
	ask(t, p.url, http.MethodGet, "/api/v1/cpf/"+document, key, "", http.StatusOK, `"cache":true`)
	if !done() {
		t.Error("the batch is not there any more")
	}
	if shown := p.fichario("contact", "show", lead["leadId"].(string)); !strings.Contains(shown, "ana@example.com") {
		t.Error("the lead is not there any more")
	}
	if found := p.fichario("doctor"); strings.Contains(found, "BROKEN") {
		t.Errorf("the doctor finds\n%s", found)
	}
}

// theImage inspects the built image.
func theImage(t *testing.T, image string) {
	t.Helper()
	config := inspect[struct {
		Size   int64
		Config struct {
			User        string
			Healthcheck *struct{ Test []string }
		}
	}](t, image)
	if config.Config.User != "65532:65532" || config.Config.Healthcheck == nil {
		t.Errorf("the image runs as %q, its health check is %v", config.Config.User, config.Config.Healthcheck)
	}
	save := exec.CommandContext(t.Context(), "docker", "save", image)
	out, err := save.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := save.Start(); err != nil {
		t.Fatal(err)
	}
	var weight counter
	packed := gzip.NewWriter(&weight)
	if _, err = io.Copy(packed, out); err == nil {
		err = packed.Close()
	}
	if waited := save.Wait(); err != nil || waited != nil {
		t.Fatal(err, waited)
	}
	t.Logf("the image: %.1f MB as it is pulled, %.1f MB unpacked", float64(weight)/1e6, float64(config.Size)/1e6)
	if weight > imageMost {
		t.Errorf("the image weighs %d bytes as it is pulled, more than %d", weight, imageMost)
	}
}

// example runs the example with testcontainers on the image, which FICHARIO_IMAGE names now.
func example(t *testing.T) {
	const theirs = "postgres:17-alpine" // the image that the example uses
	base := os.Getenv("POSTGRES_IMAGE")
	if base != "" && exec.CommandContext(t.Context(), "docker", "image", "inspect", theirs).Run() != nil {
		run(t, "docker", "tag", base, theirs)
		t.Cleanup(func() { cleanUp(t, "docker", "image", "rm", theirs) })
	}
	out := run(t, "go", "test", "-count=1", "-pgo=off", "-v", "-run", "^TestOnPostgreSQL$", "../../docs/examples")
	if !strings.Contains(out, "--- PASS: TestOnPostgreSQL") {
		t.Errorf("the example says\n%s", out)
	}
}

// alone runs the image by itself, on SQLite in a volume.
func alone(t *testing.T, image string) {
	t.Helper()
	id := strings.TrimSpace(run(t, "docker", "run", "-d", "--read-only", "--cap-drop", "ALL", "--security-opt",
		"no-new-privileges:true", "--tmpfs", "/tmp", "-v", "/data", "--health-interval", "1s", image))
	t.Cleanup(func() { cleanUp(t, "docker", "rm", "-f", "-v", id) })
	healthy(t, id)
	confined(t, id)
	if out := run(t, "docker", "exec", id, "/fichario", "org", "create", "--name", "Agência"); out == "" {
		t.Error("a command in the container says nothing")
	}
	run(t, "docker", "stop", "-t", "40", id)
	if code := inspect[struct{ State struct{ ExitCode int } }](t, id).State.ExitCode; code != 0 {
		t.Errorf("the container ended with code %d", code)
	}
}

// confined checks the restrictions of a running container.
func confined(t *testing.T, id string) {
	t.Helper()
	c := inspect[struct {
		HostConfig struct {
			ReadonlyRootfs       bool
			CapDrop, SecurityOpt []string
		}
	}](t, id).HostConfig
	if !c.ReadonlyRootfs || strings.Join(c.CapDrop, " ") != "ALL" ||
		!strings.Contains(strings.Join(c.SecurityOpt, " "), "no-new-priv") {
		t.Errorf("the container is not confined: %+v", c)
	}
	if top := run(t, "docker", "top", id, "-eo", "pid,uid,comm"); !strings.Contains(top, "65532") {
		t.Errorf("the container runs as somebody else:\n%s", top)
	}
	write := exec.CommandContext(t.Context(), "docker", "exec", id, "/fichario", "serve", "--cpu-profile", "/x")
	out, err := write.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "read-only file system") {
		t.Errorf("the root of the container can be written to: %v %s", err, out)
	}
}

// project is the compose file for one run of this test.
type project struct {
	t                      *testing.T
	image, name, port, url string
	composer               []string
}

func newProject(t *testing.T) *project {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	p := &project{t: t, image: "fichario-test-" + port, name: "fichario-test-" + port, port: port, url: "http://127.0.0.1:" + port}
	p.composer = []string{"docker", "compose"}
	if exec.CommandContext(t.Context(), "docker", "compose", "version").Run() != nil {
		p.composer = []string{"docker-compose"} // as in Debian
	}
	t.Cleanup(func() {
		if t.Failed() {
			logs, _ := exec.Command(p.composer[0], append(p.files(), "logs", "--tail", "40")...).CombinedOutput()
			t.Logf("the end of the logs:\n%s", logs)
		}
		cleanUp(t, p.composer[0], append(p.files(), "down", "-v")...)
		cleanUp(t, "docker", "image", "rm", "-f", p.image)
	})
	// The programs started below read these.
	for name, value := range map[string]string{
		"FICHARIO_PORT": port, "FICHARIO_IMAGE": p.image, "FICHARIO_DATA_KEY": strings.Repeat("A", 43) + "=",
		"FICHARIO_PUBLIC_URL": p.url, "TESTCONTAINERS_RYUK_DISABLED": "true", // Ryuk's image is in a registry
		// Where the tests themselves run in a container, the default host would be the gateway.
		"TESTCONTAINERS_HOST_OVERRIDE": cmp.Or(os.Getenv("TESTCONTAINERS_HOST_OVERRIDE"), "127.0.0.1"),
	} {
		if err := os.Setenv(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// files are the arguments that select the compose file and this run.
func (p *project) files() []string {
	return append(slices.Clone(p.composer[1:]), "-f", "../../docker-compose.yml", "-p", p.name)
}

func (p *project) compose(args ...string) string {
	p.t.Helper()
	return run(p.t, p.composer[0], append(p.files(), args...)...)
}

// up starts everything and waits until it is healthy.
func (p *project) up() {
	p.t.Helper()
	p.compose("up", "-d")
	healthy(p.t, p.container("fichario"))
	eventually(p.t, "the service is ready", func() bool { return send(p.t, p.url, http.MethodGet, "/readyz", "", "").status == http.StatusOK })
}

func (p *project) container(service string) string {
	p.t.Helper()
	return strings.TrimSpace(p.compose("ps", "-q", service))
}

// fichario runs a command in the service's container.
func (p *project) fichario(args ...string) string {
	p.t.Helper()
	return run(p.t, "docker", append([]string{"exec", p.container("fichario"), "/fichario"}, args...)...)
}

// setUp makes an organisation with a key and a webhook, and returns the key and the webhook's path.
func (p *project) setUp() (key, hook string) {
	p.t.Helper()
	read := func(args ...string) map[string]any {
		var made map[string]any
		if err := json.Unmarshal([]byte(p.fichario(append(args, "--json")...)), &made); err != nil {
			p.t.Fatal(err)
		}
		return made
	}
	org := read("org", "create", "--name", "Agência")["id"].(string)
	key = read("key", "create", "--org", org, "--name", "CRM", "--scopes", "cpf,cnpj")["key"].(string)
	url := read("webhook", "create", "--org", org, "--name", "Site", "--type", "generic")["url"].(string)
	return key, strings.TrimPrefix(url, p.url)
}

func healthy(t *testing.T, id string) {
	t.Helper()
	eventually(t, "the container is healthy", func() bool {
		return inspect[struct {
			State struct{ Health struct{ Status string } }
		}](t, id).State.Health.Status == "healthy"
	})
}

func inspect[T any](t *testing.T, id string) T {
	t.Helper()
	var all []T
	if err := json.Unmarshal([]byte(run(t, "docker", "inspect", id)), &all); err != nil || len(all) != 1 {
		t.Fatal(err, len(all))
	}
	return all[0]
}

// run runs a program, which must succeed, and returns what it printed.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), said.String())
	}
	return out.String()
}

// cleanUp runs a program at the end of a test, whose context is over.
func cleanUp(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

type answer struct {
	status int
	body   string
}

// send sends a request; a zero status means that there was no answer.
func send(t *testing.T, url, method, path, key, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}
	}
	defer res.Body.Close()
	read, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}
	}
	return answer{res.StatusCode, string(read)}
}

// ask is send, and checks the status of the answer and a text in it.
func ask(t *testing.T, url, method, path, key, body string, status int, holds string) (fields map[string]any) {
	t.Helper()
	a := send(t, url, method, path, key, body)
	if a.status != status || !strings.Contains(a.body, holds) {
		t.Fatalf("%s is answered with %d, want %d with %s", method, a.status, status, holds)
	}
	if err := json.Unmarshal([]byte(a.body), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(fmt.Sprint("not within ", patience, ": ", what))
		}
	}
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
