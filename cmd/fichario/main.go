// Fichário looks up CPFs and CNPJs at data bureaus through one stable contract, accounts for every charged call, and
// receives leads from any form.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log" //nolint:depguard // only to silence it, see main
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // the image has no time zone database

	"github.com/alecthomas/kong"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/shape"
	"fichario/cmd/fichario/command"
	"fichario/domain/fault"
)

func main() {
	// GOGC overrides.
	if os.Getenv("GOGC") == "" {
		collect()
	}
	// Occasional large bodies must not grow the heap far: near this limit it is collected as often as needed. GOMEMLIMIT
	// overrides.
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(160 << 20)
	}
	// net/http prints the beginning of an unexpected response on the standard log, which must hold nothing personal.
	log.SetOutput(io.Discard)
	command.WriteBeyondLimits()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program: it returns the exit code, so that deferred functions always run.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if !slices.Contains(args, "serve") { // what a service is doing may have been paid for
		context.AfterFunc(ctx, stop) // a second Ctrl+C kills a command that does not react to the first
	}
	return execute(ctx, args, in, out, errOut)
}

// execute is run with a given context.
func execute(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	var c cli
	code := -1
	parser, err := newParser(&c, errOut, out, func(n int) { code = n })
	if err != nil {
		fmt.Fprintln(errOut, "fichario:", err)
		return 1
	}
	if len(args) == 0 || len(args) == 1 && args[0] == "help" {
		args = []string{"--help"}
	}
	if args[0] == askedFor {
		for _, word := range complete(parser.Model.Node, args[1:]) {
			fmt.Fprintln(out, word)
		}
		return 0
	}
	parsed, err := parser.Parse(args)
	if code >= 0 {
		return code // --help, --version
	}
	if err == nil {
		err = shape.Check(c.Settings)
	}
	if err != nil {
		fmt.Fprintf(errOut, "fichario: %s%s\n", inWords(err, nil), usageOf(err))
		return 1
	}
	env := &command.Environment{
		Ctx: ctx, Settings: c.Settings, JSON: c.JSON, In: in, Out: out, ErrOut: errOut,
		Commands: parser.Model.Node,
	}
	if err := parsed.Run(env); err != nil {
		// A driver's error is of no use to somebody who pressed Ctrl+C.
		if why := ctx.Err(); why != nil && errors.Is(err, why) {
			err = errors.New("interrupted; completed changes are kept")
		}
		fmt.Fprintln(errOut, "fichario:", inWords(err, parsed.Flags()))
		return 1
	}
	return 0
}

// unknownSettings are environment variables that are named like settings, but are none: a mistyped name leaves a
// default in force. Variables that a bureau file uses (known), that Kubernetes sets for a service named fichario, and
// that the reference's samples and the examples use, are no mistakes.
func unknownSettings(commands *kong.Node, known, environ []string) (names []string) {
	var learn func(*kong.Node)
	learn = func(n *kong.Node) {
		for _, f := range n.Flags {
			known = append(known, f.Envs...)
		}
		for _, child := range n.Children {
			learn(child)
		}
	}
	learn(commands)
	others := regexp.MustCompile(`^FICHARIO_(TEST_|PORT|SERVICE_|(IMAGE|LOTE|CONSULTA|WEBHOOK|SEGREDO)$)`)
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "FICHARIO_") && !slices.Contains(known, name) && !others.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// inWords is an error in words for people: for a fault its message, prefixed with the flag at fault.
func inWords(err error, flags []*kong.Flag) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err.Error()
	}
	if f.Code == fault.ServiceUnavailable && errors.Unwrap(f) != nil {
		return f.Message + " (" + engine.Reason(err) + ")"
	}
	field, _, _ := strings.Cut(f.Field, ".") // for --set, the name follows the dot
	name := upperCase.ReplaceAllStringFunc(field, func(s string) string { return "-" + strings.ToLower(s) })
	if name != "" && slices.ContainsFunc(flags, func(known *kong.Flag) bool { return known.Name == name }) {
		return "--" + name + ": " + f.Message
	}
	return f.Message
}

var upperCase = regexp.MustCompile(`[A-Z]`)

func newParser(c *cli, errOut, out io.Writer, exit func(int)) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("fichario"),
		kong.Description("One stable API in front of any data bureau, and one webhook for leads from any form."),
		kong.Writers(out, errOut),
		kong.Exit(exit),
		kong.ExplicitGroups(groups),
		kong.Vars{"version": command.Version()},
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true}),
	)
}
