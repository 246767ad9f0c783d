// Command pgtest runs `go test -json` with one PostgreSQL for the whole run:
//
//	pgtest [-allow-skip REGEXP] [-every-status] [-slow] -- go test -json ./...
//
// It measures how slow the machine is (package patience), and puts the number of tests that are to run side by side
// wherever the command says {abreast}. It finds or starts the server (see package postgres), installs PostgreSQL with
// apt-get where it is missing and permitted, and likewise Chromium, PgBouncer, HAProxy, nginx and the programs of
// tools, lists those in use, passes the server's URL to the command in FICHARIO_TEST_DATABASE_URL, turns the events
// into a report whose last line is the count, and always removes the server again. It exits with the command's code,
// or with 1 when the report finds a fault that the command did not: a skipped test, no test at all, or with
// -every-status a status of the contract that no answer had.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/internal/guard"
	"fichario/tests/testkit/internal/report"
	"fichario/tests/testkit/patience"
	"fichario/tests/testkit/postgres"
)

func main() {
	allow := flag.String("allow-skip", "", "skipped tests whose line \"package.Test: reason\" matches are no fault")
	every := flag.Bool("every-status", false, "the tests must see each status of each operation of the contract")
	slow := flag.Bool("slow", false, "the tests need promtool and a compiler of C#, too, which may have to be fetched")
	flag.Parse()
	run := run
	if *every {
		run = runAndMiss
	}
	code, err := run(*allow, *slow, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// runAndMiss is run, and then reports the statuses of the contract that no test saw. After failures it reports none:
// tests may not have got that far.
func runAndMiss(allow string, slow bool, command []string) (code int, err error) {
	dir := os.Getenv(contracttest.EnvSeen) // may have what an earlier run saw
	if dir == "" {
		if dir, err = os.MkdirTemp("", "fichario-statuses-"); err != nil {
			return 1, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		if err := os.Setenv(contracttest.EnvSeen, dir); err != nil {
			return 1, err
		}
	}
	if code, err := run(allow, slow, command); code != 0 || err != nil {
		return code, err
	}
	missing, err := contracttest.Missing(dir)
	if len(missing) > 0 {
		err = fmt.Errorf("no test saw these statuses of the contract: %s", strings.Join(missing, ", "))
	}
	return 0, err
}

func run(allow string, slow bool, command []string) (code int, err error) {
	if len(command) == 0 {
		return 2, errors.New("nothing to run: say pgtest -- go test -json and what to test")
	}
	var allowed *regexp.Regexp
	if allow != "" {
		if allowed, err = regexp.Compile(allow); err != nil {
			return 2, err
		}
	}
	// From here on a signal ends this program through the normal path.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)

	slowness := patience.Measure()
	if err := os.Setenv(patience.Env, fmt.Sprint(slowness)); err != nil {
		return 1, err
	}
	fmt.Printf("this machine is %v times slower than an ordinary one: %d tests of a package run side by side, and a wait "+
		"that never ends fails after %s\n", slowness, patience.Abreast(), patience.Limit())
	server, err := choose()
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	fmt.Println("PostgreSQL for the tests:", server.About)
	if err := errors.Join(
		findBrowser(),
		find("PgBouncer", "pgbouncer", postgres.PoolerPath, postgres.ErrNoPooler),
		find("HAProxy", "haproxy", testkit.BalancerPath, testkit.ErrNoBalancer),
		find("nginx", "nginx-light", testkit.NginxPath, testkit.ErrNoNginx),
	); err != nil {
		return 1, err
	}
	removeTools, err := findTools(slow)
	if err != nil {
		return 1, err
	}
	defer removeTools()
	if err := os.Setenv(postgres.EnvURL, server.URL); err != nil {
		return 1, err
	}
	for i, word := range command {
		command[i] = strings.ReplaceAll(word, "{abreast}", fmt.Sprint(patience.Abreast()))
	}
	return test(command, signals, allowed)
}

func choose() (*postgres.Server, error) {
	ctx, cancel := patience.Context()
	defer cancel()
	server, err := postgres.Choose(ctx)
	if !errors.Is(err, postgres.ErrNone) {
		return server, err
	}
	if failure := install(ctx, "PostgreSQL", "postgresql"); failure != nil {
		return nil, fmt.Errorf("%w; not installed: %w", err, failure)
	}
	return postgres.Choose(ctx)
}

// find reports where a program is, or installs its package.
func find(what, name string, path func() (string, error), none error) error {
	found, err := path()
	if errors.Is(err, none) {
		ctx, cancel := patience.Context()
		defer cancel()
		if failure := install(ctx, what, name); failure != nil {
			return fmt.Errorf("%w; not installed: %w", err, failure)
		}
		found, err = path()
	}
	if err == nil {
		fmt.Println(what+" for the tests:", found)
	}
	return err
}

// findBrowser ensures that the fast browser is there. Where it cannot be installed, a slower one will do.
func findBrowser() error {
	if os.Getenv(browsertest.EnvPath) == "" {
		if _, err := exec.LookPath(browsertest.Shell); err != nil {
			ctx, cancel := patience.Context()
			defer cancel()
			if err := install(ctx, browsertest.Shell, browsertest.Shell); err != nil {
				fmt.Printf("%s was not installed: %v\n", browsertest.Shell, err)
			}
		}
	}
	path, err := browsertest.Path()
	if err == nil {
		fmt.Println("Chromium for the tests:", path)
	}
	return err
}

// tools are the programs that run samples, completions and documented commands, with their packages.
var tools = map[string]string{
	"curl": "curl", "node": "nodejs", "python3": "python3", "php": "php-cli", "zsh": "zsh", "fish": "fish",
	"sqlite3": "sqlite3",
}

// findTools ensures that each tool is on the PATH, and for slow tests also a compiler of C#, and promtool, which checks
// the rules of alerts. remove deletes what it unpacked.
func findTools(slow bool) (remove func(), err error) {
	for name, from := range tools {
		err = errors.Join(err, find(name, from, func() (string, error) { return exec.LookPath(name) }, exec.ErrNotFound))
	}
	if slow {
		err = errors.Join(err, find("mcs", "mono-mcs libmono-system-net-http4.0-cil",
			func() (string, error) { return exec.LookPath("mcs") }, exec.ErrNotFound))
	}
	if _, missing := exec.LookPath("promtool"); missing == nil || !slow || err != nil {
		return func() {}, err
	}
	// Its package would start a server: only the tool is extracted.
	dir, err := os.MkdirTemp("", "fichario-promtool-")
	if err != nil {
		return nil, err
	}
	unpack := exec.Command("sh", "-c", "apt-get -qq download prometheus && dpkg-deb -x prometheus_*.deb .")
	unpack.Dir, unpack.Stderr = dir, os.Stderr
	if err := unpack.Run(); err != nil {
		return nil, errors.Join(fmt.Errorf("no promtool for the tests; unpacking Debian's package prometheus: %w", err),
			os.RemoveAll(dir))
	}
	fmt.Println("promtool for the tests: unpacked from the package prometheus")
	return func() { _ = os.RemoveAll(dir) },
		os.Setenv("PATH", dir+"/usr/bin"+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// install installs a package where that needs no interaction: on Debian and its derivatives, as root or with
// passwordless sudo.
func install(ctx context.Context, what, name string) error {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("no apt-get here")
	}
	// Through env, because sudo drops variables.
	apt := []string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y"}
	if os.Geteuid() != 0 {
		if exec.CommandContext(ctx, "sudo", "-n", "true").Run() != nil {
			return errors.New("neither root nor a sudo without password")
		}
		apt = append([]string{"sudo", "-n"}, apt...)
	}
	fmt.Println(what + " for the tests: none found, installing it with apt-get")
	for _, step := range [][]string{{"update"}, append([]string{"install", "--no-install-recommends"}, strings.Fields(name)...)} {
		args := slices.Concat(apt, step)
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stderr = os.Stderr // shows why; the rest is of no interest
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("apt-get %s: %w", step[0], err)
		}
	}
	return nil
}

// test runs the command in its own process group, so that a signal also reaches the test binaries, and only once.
func test(command []string, signals <-chan os.Signal, allowed *regexp.Regexp) (int, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	events, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	// If this program itself is killed, the tests must not go on alone.
	entry, err := guard.Add(guard.Process(cmd.Process.Pid))
	if err != nil {
		return 1, err
	}
	ended := make(chan struct{})
	defer close(ended)
	go forward(signals, cmd.Process.Pid, ended)

	r, readErr := report.Read(events, os.Stdout, allowed)
	err = cmd.Wait()
	entry.Forget()
	fmt.Printf("the tests took %s\n", time.Since(began).Round(time.Second))
	r.Finish()
	var exit *exec.ExitError
	switch {
	case readErr != nil:
		return 1, readErr
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode(), nil
	case err != nil:
		return 1, err // such as a signal
	case !r.OK():
		return 1, nil
	}
	return 0, nil
}

// forward passes signals on; a second one kills.
func forward(signals <-chan os.Signal, group int, ended <-chan struct{}) {
	for received := 0; ; received++ {
		select {
		case s := <-signals:
			number, _ := s.(syscall.Signal)
			if received > 0 {
				number = syscall.SIGKILL
			}
			_ = syscall.Kill(-group, number)
		case <-ended:
			return
		}
	}
}
