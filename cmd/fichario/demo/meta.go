package demo

import (
	"context"
	"net"
	"net/http"
	"time"

	outbound "fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/adapters/meta"
	"fichario/adapters/sandbox"
	"fichario/app"
	"fichario/app/automations"
	intakeapp "fichario/app/intake"
	"fichario/cmd/fichario/command"
	"fichario/domain/automation"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

// verifyToken is what the demonstration's webhook of Meta's and the stand-in have agreed upon.
const verifyToken = "demonstracao"

// Meta is the stand-in for Meta of a demonstration.
type Meta struct {
	*sandbox.Meta
	// URL is the address of its Graph API and of its doors.
	URL    string
	server *http.Server
}

// StartMeta starts the stand-in on a port of its own and sets it as the address of Meta. It starts none, and returns
// nil, where an address was set, and where the database is somebody's: their tokens are for Meta alone.
func StartMeta(ctx context.Context, e *command.Environment, store *gormstore.Store) (*Meta, error) {
	made, empty, err := whose(ctx, store)
	if err != nil || !made && !empty || e.Settings.MetaURL != meta.Address {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &Meta{Meta: sandbox.NewMeta(), URL: "http://" + listener.Addr().String()}
	m.server = &http.Server{Handler: m.MetaDoors(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = m.server.Serve(listener) }() // ends when it is closed
	e.Settings.MetaURL = m.URL
	return m, nil
}

// Close ends it.
func (m *Meta) Close() {
	if m != nil {
		_ = m.server.Close()
	}
}

// connectMeta connects the demonstration's webhook of Meta's with the stand-in, which forgets everything when it
// ends. A new demonstration has leads from before, which are fetched.
func connectMeta(ctx context.Context, e *command.Environment, u Use, fresh bool) error {
	hooks := intakeapp.NewWebhooks(u.Store, command.Now)
	if fresh {
		if err := demoMetaHook(ctx, u.Store, hooks); err != nil {
			return err
		}
		at := func(hours int) time.Time { return command.Now().Add(-time.Duration(hours) * time.Hour) }
		u.Meta.AddLeads(
			sandbox.MetaLead{Created: at(50), Ticked: []string{"aceite_ofertas"}, Fields: map[string]string{
				"full_name": "Marina Couto", "email": "marina@couto.example", "phone_number": "+5511900120177",
				"qual_bairro_você_procura?": "Pinheiros",
			}},
			sandbox.MetaLead{Created: at(2), Platform: "fb", Fields: map[string]string{
				"full_name": "Otávio Prado", "email": "otavio@prado.example", "phone_number": "+5521900130188",
				"qual_bairro_você_procura?": "Botafogo",
			}},
			sandbox.MetaLead{Created: at(1), Fields: map[string]string{
				"full_name": "Célia Brandt", "phone_number": "+5541900140199", "qual_bairro_você_procura?": "Batel",
			}},
		)
	}
	all, err := hooks.List(ctx, app.Operator(), demoOrg)
	if err != nil {
		return err
	}
	for _, hook := range all {
		if hook.Kind != intake.Meta {
			continue
		}
		w, err := hooks.Show(ctx, app.Operator(), hook.ID)
		if err != nil {
			return err
		}
		if err := u.Meta.Callback(ctx, command.WebhookURL(e, w.Token, u.Addr), verifyToken); err != nil {
			return err
		}
		if _, err := u.Leads.Connect(ctx, app.Operator(), hook.ID, sandbox.MetaToken, ""); err != nil {
			return err
		}
		if !fresh {
			continue
		}
		if _, err := u.Leads.Backfill(ctx, app.Operator(), hook.ID, "", time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// demoMetaHook makes the webhook, and an automation that tells the stand-in what became of a lead that has consented.
func demoMetaHook(ctx context.Context, store *gormstore.Store, hooks *intakeapp.Webhooks) error {
	_, _, err := hooks.Create(ctx, app.Operator(), intakeapp.NewWebhook{
		OrgID: demoOrg, Name: "Anúncios no Instagram", Options: intake.Options{Kind: intake.Meta}, Origin: "Instagram",
		Signature:   webhook.Signature{Scheme: webhook.HMACScheme, Secret: sandbox.MetaSecret, Header: webhook.MetaHeader},
		VerifyToken: verifyToken,
	})
	if err != nil {
		return err
	}
	rules := automations.New(store, command.Now, automations.Means{Destinations: outbound.Destinations{}})
	_, err = rules.Add(ctx, app.Operator(), automations.NewAutomation{
		OrgID: demoOrg, Name: "Contar à Meta", Action: automation.HTTP, RequestForm: automations.RequestForm{
			Destination: "meta-capi", Values: map[string]string{"dataset": "306000000000001", "token": sandbox.MetaToken},
			Ground: automation.Ground{Consent: "Aceito receber ofertas por e-mail"},
		},
	})
	return err
}
