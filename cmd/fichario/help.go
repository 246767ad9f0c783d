package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"fichario/cmd/fichario/command"
)

// printHelp prints the help of a command. Only `fichario --help` and `fichario serve --help` list the service's forty
// settings: anywhere else they would bury the few flags that somebody asked about.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	selected := ctx.Selected()
	if selected == nil || selected.Name == "serve" {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	for _, flag := range ctx.Model.Flags {
		flag.Hidden = flag.Hidden || flag.Group != nil && flag.Group.Key == command.SettingsGroup
	}
	options.NoAppSummary = true
	if _, err := fmt.Fprintf(ctx.Stdout, "Usage: fichario %s\n", summaryOf(selected)); err != nil {
		return err
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(ctx.Stdout, "\nThe service's settings: fichario --help")
	return err
}

// usageOf is how the command is called that a command line got wrong; empty where it got as far as no command.
func usageOf(err error) string {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) || wrong.Context == nil || wrong.Context.Selected() == nil {
		return ""
	}
	return " (usage: fichario " + summaryOf(wrong.Context.Selected()) + ")"
}

// summaryOf is how a command is called, with "|" between flags of which one is required: kong lists them as if all
// were.
func summaryOf(command *kong.Node) string {
	summary, groups := command.Summary(), map[string][]string{}
	for _, flag := range command.Flags {
		if flag.Required && len(flag.Xor) > 0 {
			groups[flag.Xor[0]] = append(groups[flag.Xor[0]], flag.Summary())
		}
	}
	for _, flags := range groups {
		for _, other := range flags[1:] {
			summary = strings.Replace(summary, " "+other, "", 1)
		}
		summary = strings.Replace(summary, flags[0], "("+strings.Join(flags, " | ")+")", 1)
	}
	return summary
}
