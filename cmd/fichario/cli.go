package main

import (
	"github.com/alecthomas/kong"

	"fichario/cmd/fichario/automations"
	"fichario/cmd/fichario/batches"
	"fichario/cmd/fichario/client"
	"fichario/cmd/fichario/command"
	"fichario/cmd/fichario/contacts"
	"fichario/cmd/fichario/intake"
	"fichario/cmd/fichario/lookups"
	"fichario/cmd/fichario/privacy"
	"fichario/cmd/fichario/team"
)

// cli declares all commands, flags and environment variables: `fichario --help` and the README's tables are generated
// from it.
type cli struct {
	command.Settings `embed:"" group:"settings"`

	JSON    bool             `name:"json" help:"Print one JSON value instead of text."`
	Version kong.VersionFlag `help:"Print the version and exit."`

	Serve       serveCmd       `cmd:"" group:"serve" help:"Run the service."`
	Healthcheck healthcheckCmd `cmd:"" group:"serve" help:"Check that the service on this machine is alive; exit 1 when it is not."`
	Migrate     migrateCmd     `cmd:"" group:"serve" help:"Migrate the database to the newest schema. serve and every command that uses the database do it too."`
	Doctor      doctorCmd      `cmd:"" group:"serve" help:"Check the invariants of the data; exit 1 when one does not hold."`
	Rekey       rekeyCmd       `cmd:"" group:"serve" help:"Re-encrypt everything with the first data key, so that the older ones can be removed."`

	Lookup        client.Lookup    `cmd:"" group:"lookups" help:"Look up a document at a running service, with an API key."`
	API           client.API       `cmd:"" group:"lookups" name:"api" help:"Use the API of a running service with a key: lookups, products, statement, batches."`
	MCP           client.MCP       `cmd:"" group:"lookups" name:"mcp" help:"Give an agent the lookup tools of a running service, under a spending ceiling (MCP on standard input)."`
	Key           lookups.Key      `cmd:"" group:"lookups" help:"API keys."`
	Batch         batches.Batch    `cmd:"" group:"lookups" help:"Look up many documents at once."`
	Bureau        lookups.Bureau   `cmd:"" group:"lookups" help:"Check and try a bureau file; order the bureaus, and take one out."`
	SandboxBureau sandboxBureauCmd `cmd:"" group:"lookups" name:"sandbox-bureau" help:"Serve the sandbox bureau over HTTP, with invented answers or those of a script."`

	Webhook      intake.Webhook         `cmd:"" group:"leads" help:"Addresses that receive contacts."`
	Meta         intake.Pages           `cmd:"" group:"leads" help:"Pages whose leads are fetched from Meta."`
	LinkedIn     intake.Pages           `cmd:"" group:"leads" name:"linkedin" help:"Advertising accounts whose leads are fetched from LinkedIn."`
	SandboxMeta  sandboxMetaCmd         `cmd:"" group:"leads" name:"sandbox-meta" help:"Serve a stand-in for Meta's Graph API, with invented pages and leads."`
	SandboxLI    sandboxLinkedInCmd     `cmd:"" group:"leads" name:"sandbox-linkedin" help:"Serve a stand-in for LinkedIn's API of leads, with an invented account and leads."`
	Contact      contacts.Contact       `cmd:"" group:"leads" help:"Contacts."`
	Origin       contacts.Origin        `cmd:"" group:"leads" help:"Where contacts come from."`
	Funnel       contacts.Funnel        `cmd:"" group:"leads" help:"The stages that contacts move through."`
	Rotation     contacts.Rotation      `cmd:"" group:"leads" help:"Members who receive contacts in turn."`
	Automation   automations.Automation `cmd:"" group:"leads" help:"Actions that run on an event, such as a new contact."`
	Notification team.Notification      `cmd:"" group:"leads" help:"Notifications of the team."`

	Org    team.Organisation `cmd:"" group:"people" help:"Organisations."`
	Member team.Member       `cmd:"" group:"people" help:"People of an organisation."`

	Purpose privacy.Purpose `cmd:"" group:"privacy" help:"Purposes of lookups (LGPD)."`
	Subject privacy.Subject `cmd:"" group:"privacy" help:"Data subjects' requests (LGPD): export, erasure, record of operations."`
	Audit   privacy.Audit   `cmd:"" group:"privacy" help:"The audit trail: list and verify it."`

	Completion completionCmd `cmd:"" group:"tools" help:"Print the completion script for a shell: bash, zsh or fish."`
}

// groups are the sections of `fichario --help`.
var groups = []kong.Group{
	{Key: "serve", Title: "The service:"}, {Key: "lookups", Title: "Lookups:"}, {Key: "leads", Title: "Leads:"},
	{Key: "people", Title: "Organisations and people:"}, {Key: "privacy", Title: "Privacy:"}, {Key: "tools", Title: "Tools:"},
	{Key: command.SettingsGroup, Title: "Configuration of the service and of the commands that work on its database:"},
}
