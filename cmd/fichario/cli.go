package main

import (
	"github.com/alecthomas/kong"
)

// cli declares all commands, flags and environment variables: `fichario --help` and the README's tables are generated
// from it.
type cli struct {
	Settings `embed:"" group:"settings"`

	JSON    bool             `name:"json" help:"Print one JSON value instead of text."`
	Version kong.VersionFlag `help:"Print the version and exit."`

	Serve       serveCmd       `cmd:"" group:"serve" help:"Run the service."`
	Healthcheck healthcheckCmd `cmd:"" group:"serve" help:"Check that the service on this machine is alive; exit 1 when it is not."`
	Migrate     migrateCmd     `cmd:"" group:"serve" help:"Migrate the database to the newest schema. serve and every command that uses the database do it too."`
	Doctor      doctorCmd      `cmd:"" group:"serve" help:"Check the invariants of the data; exit 1 when one does not hold."`
	Rekey       rekeyCmd       `cmd:"" group:"serve" help:"Re-encrypt everything with the first data key, so that the older ones can be removed."`

	Lookup        lookupCmd        `cmd:"" group:"lookups" help:"Look up a document at a running service, with an API key."`
	API           apiCmd           `cmd:"" group:"lookups" name:"api" help:"Use the API of a running service with a key: lookups, products, statement, batches."`
	MCP           mcpCmd           `cmd:"" group:"lookups" name:"mcp" help:"Give an agent the lookup tools of a running service, under a spending ceiling (MCP on standard input)."`
	Key           keyCmd           `cmd:"" group:"lookups" help:"API keys."`
	Batch         batchCmd         `cmd:"" group:"lookups" help:"Look up many documents at once."`
	Bureau        bureauCmd        `cmd:"" group:"lookups" help:"Check and try a bureau file."`
	SandboxBureau sandboxBureauCmd `cmd:"" group:"lookups" name:"sandbox-bureau" help:"Serve the sandbox bureau over HTTP, with invented answers or those of a script."`

	Webhook      webhookCmd      `cmd:"" group:"leads" help:"Addresses that receive contacts."`
	Contact      contactCmd      `cmd:"" group:"leads" help:"Contacts."`
	Origin       originCmd       `cmd:"" group:"leads" help:"Where contacts come from."`
	Funnel       funnelCmd       `cmd:"" group:"leads" help:"The stages that contacts move through."`
	Rotation     rotationCmd     `cmd:"" group:"leads" help:"Members who receive contacts in turn."`
	Automation   automationCmd   `cmd:"" group:"leads" help:"Actions that run on an event, such as a new contact."`
	Notification notificationCmd `cmd:"" group:"leads" help:"Notifications of the team."`

	Org    orgCmd    `cmd:"" group:"people" help:"Organisations."`
	Member memberCmd `cmd:"" group:"people" help:"People of an organisation."`

	Purpose purposeCmd `cmd:"" group:"privacy" help:"Purposes of lookups (LGPD)."`
	Subject subjectCmd `cmd:"" group:"privacy" help:"Data subjects' requests (LGPD): export, erasure, record of operations."`
	Audit   auditCmd   `cmd:"" group:"privacy" help:"The audit trail: list and verify it."`

	Completion completionCmd `cmd:"" group:"tools" help:"Print the completion script for a shell: bash, zsh or fish."`
}

// groups are the sections of `fichario --help`.
var groups = []kong.Group{
	{Key: "serve", Title: "The service:"}, {Key: "lookups", Title: "Lookups:"}, {Key: "leads", Title: "Leads:"},
	{Key: "people", Title: "Organisations and people:"}, {Key: "privacy", Title: "Privacy:"}, {Key: "tools", Title: "Tools:"},
	{Key: settingsGroup, Title: "Configuration of the service and of the commands that work on its database:"},
}
