// Changes lists, as Markdown, the changes from one contract to the next. With -breaking it lists only those that may
// break a client, and fails if there are any.
//
//	go run . [-breaking] BEFORE AFTER
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/formatters"
	"github.com/oasdiff/oasdiff/load"
)

type removal struct{ path, what string }

// served are removals that break nobody: the service still answers as before, and tests hold it to that. Only the
// document no longer tells, because generators fail on a file beside JSON; the files have routes of their own.
var served = map[removal]bool{
	{"/api/v1/consultas", "text/csv"}:                                                                      true,
	{"/api/v1/consultas", "formato"}:                                                                       true,
	{"/api/v1/lotes/{id}/resultados", "text/csv"}:                                                          true,
	{"/api/v1/lotes/{id}/resultados", "application/x-ndjson"}:                                              true,
	{"/api/v1/lotes/{id}/resultados", "formato"}:                                                           true,
	{"/api/v1/lotes/{id}/resultados", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}: true,
}

// stillServed says that a change is one of those.
func stillServed(c checker.Change) bool {
	if id := c.GetId(); id != "response-media-type-removed" && id != "request-parameter-removed" {
		return false
	}
	return slices.ContainsFunc(c.GetArgs(), func(what any) bool { return served[removal{c.GetPath(), fmt.Sprint(what)}] })
}

// askedFor are codes of problems that only a request with a new parameter gets, and what only a webhook of a new kind
// answers.
var askedFor = []string{"bureau_desconhecido", "bureau_negado", "meta", "linkedin", "#/components/schemas/LeadsNoted"}

// onlyAskedFor says that a change is one of those among the values or the forms of responses.
func onlyAskedFor(c checker.Change) bool {
	id := c.GetId()
	return (id == "response-property-enum-value-added" || id == "response-body-one-of-added") &&
		slices.ContainsFunc(c.GetArgs(), func(what any) bool { return slices.Contains(askedFor, fmt.Sprint(what)) })
}

var errBreaking = errors.New("a change breaks clients: keep what they use, or release another version of the API")

func main() {
	breaking := flag.Bool("breaking", false, "tell what may break a client, and fail where something does")
	flag.Parse()
	level := checker.INFO
	if *breaking {
		level = checker.WARN
	}
	text, changes, err := compare(flag.Arg(0), flag.Arg(1), level)
	fmt.Print(text)
	if err == nil && *breaking && changes > 0 {
		err = errBreaking
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// compare returns the changes of a level and above as text, and their number.
func compare(before, after string, level checker.Level) (text string, changes int, err error) {
	loader := openapi3.NewLoader()
	old, err := load.NewSpecInfo(loader, load.NewSource(before), load.WithFlattenAllOf())
	if err != nil {
		return "", 0, err
	}
	fresh, err := load.NewSpecInfo(loader, load.NewSource(after), load.WithFlattenAllOf())
	if err != nil {
		return "", 0, err
	}
	found, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), old, fresh)
	if err != nil {
		return "", 0, err
	}
	all := checker.CheckBackwardCompatibilityUntilLevel(checker.NewConfig(checker.GetAllChecks()), found, sources, level)
	if level > checker.INFO {
		all = slices.DeleteFunc(all, func(c checker.Change) bool { return stillServed(c) || onlyAskedFor(c) })
	}
	if len(all) == 0 {
		return "No changes.\n", 0, nil
	}
	markdown, err := formatters.Lookup("markdown", formatters.FormatterOpts{
		Language: "en", BaseVersion: old.GetVersion(), RevisionVersion: fresh.GetVersion(),
	})
	if err != nil {
		return "", 0, err
	}
	page, err := markdown.RenderChangelog(all, formatters.RenderOpts{})
	return string(page), len(all), err
}
