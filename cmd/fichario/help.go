package main

import (
	"errors"
	"fmt"

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
	return " (usage: fichario " + wrong.Context.Selected().Summary() + ")"
}
