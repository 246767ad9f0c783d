package intake

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/intake"
	domain "fichario/domain/intake"
	"fichario/domain/webhook"
)

// emailFix asks which key of a refused post is the e-mail.
type emailFix struct {
	// Answers are the keys of the body with examples, those with an address first.
	Answers []domain.Pair
	// Key is the one chosen or suggested; empty where there is no e-mail.
	Key string
	// Would are the contacts that it would make, if Reads.
	Would []intake.Simulation
	Reads bool
	// Alike is how many refusals of the webhook have an address under it, this one among them; Most is how many are
	// replayed at once.
	Alike, Most int
	// Form is a new contact with what was read.
	Form web.Form
}

// Likely and Unlikely are Answers that have an @, and those that do not.
func (f emailFix) Likely() []domain.Pair {
	return slices.DeleteFunc(slices.Clone(f.Answers), noAddress)
}

// Unlikely is described with Likely.
func (f emailFix) Unlikely() []domain.Pair {
	return slices.DeleteFunc(slices.Clone(f.Answers), func(a domain.Pair) bool { return !noAddress(a) })
}

func noAddress(a domain.Pair) bool { return !strings.Contains(a.Value, "@") }

// Odd is whether the one that is chosen is not likely.
func (f emailFix) Odd() bool {
	return slices.ContainsFunc(f.Unlikely(), func(a domain.Pair) bool { return a.Key == f.Key })
}

// noEmail is the choice of a post that has no e-mail.
const noEmail = "nenhum"

// emailFix suggests the first key with an address, unless one was chosen. It is nil for a post that was not refused.
func (s pages) emailFix(c *web.Call, w webhook.Webhook, d webhook.Delivery, chosen string) (*emailFix, error) {
	if d.Outcome != webhook.Refused || d.ContactID != "" {
		return nil, nil //nolint:nilnil // there is nothing to mend
	}
	plain := w.Options
	plain.EmailKey = ""
	answers, err := domain.Answers(plain, d.Header("content-type"), d.Body)
	if err != nil {
		return nil, err
	}
	fix := &emailFix{Answers: answers, Most: intake.AlikeAtOnce}
	for _, a := range answers {
		if a.Key == chosen || chosen == "" && fix.Key == "" && strings.Contains(a.Value, "@") {
			fix.Key = a.Key
		}
	}
	if fix.Would, err = s.Intake.Explain(c.Ctx(), c.By, d, fix.Key); err != nil && !app.IsRefusal(err) {
		return nil, err
	}
	if fix.Reads = err == nil && fix.Key != ""; fix.Reads {
		ids, err := s.Intake.Alike(c.Ctx(), c.By, w.ID, fix.Key)
		if fix.Alike = len(ids); err != nil {
			return nil, err
		}
	}
	if len(fix.Would) > 0 {
		fix.Form = formOf(fix.Would[0])
	}
	return fix, nil
}

// formOf is the form of a new contact with what was read of a post.
func formOf(read intake.Simulation) web.Form {
	return web.Filled(byHand{
		read.Contact.Name, read.Contact.Email, read.Contact.Phone, web.AsTyped(read.Contact.Note),
	})
}

// byHand is what somebody types beside a refused post; the rest of the contact is what was read.
type byHand struct {
	Name  string      `form:"nome" app:"name"`
	Email string      `form:"email" app:"email"`
	Phone string      `form:"telefone" app:"phone"`
	Note  web.AsTyped `form:"nota" app:"note"`
}

// deliveryByHand makes the contact of a refused post with what was typed.
func (s pages) deliveryByHand(c *web.Call, f byHand) error {
	id := c.PathValue("entrega")
	made, err := s.Intake.Complete(c.Ctx(), c.By, id, intake.Completion{
		Email: f.Email, Name: f.Name, Phone: f.Phone, Note: string(f.Note),
	})
	if err == nil {
		return c.Done("/contatos/"+made.ContactID, replayed(made))
	}
	again, is := c.Again(&f, err)
	if why := app.FaultOf(err); !is && why != nil && app.IsRefusal(err) {
		return c.NotDone("/entregas/"+id, "Ainda recusada: "+why.Message)
	}
	if !is {
		return err
	}
	d, err := s.Intake.OpenDelivery(c.Ctx(), c.By, id)
	if err != nil {
		return err
	}
	data, err := s.delivery(c, d, "")
	if err != nil {
		return err
	}
	if data.Fix == nil { // it became a contact meanwhile
		return c.Redirect("/entregas/" + id)
	}
	data.Fix.Reads, data.Fix.Form = false, again
	return c.RenderStatus(http.StatusUnprocessableEntity, "entrega", s.deliveryShown(data))
}

// deliveryEmail keeps the key of the e-mail for the webhook, and replays this refusal and, if asked, those alike.
func (s pages) deliveryEmail(c *web.Call, f struct {
	Key string `form:"campo"`
	All bool   `form:"todos"`
}) error {
	here := "/entregas/" + c.PathValue("entrega")
	d, err := s.Intake.Delivery(c.Ctx(), c.By, c.PathValue("entrega"))
	if err != nil {
		return err
	}
	if f.Key == "" || f.Key == noEmail {
		return c.Redirect(here + "?campo=" + noEmail)
	}
	refused := func(err error) error {
		if why := app.FaultOf(err); why != nil && app.IsRefusal(err) {
			return c.NotDone(here, "Ainda recusada: "+why.Message)
		}
		return err
	}
	if _, err := s.Intake.Explain(c.Ctx(), c.By, d, f.Key); err != nil {
		return refused(err)
	}
	if err := s.Webhooks.Update(c.Ctx(), c.By, d.WebhookID, intake.Change{EmailKey: &f.Key}); err != nil {
		return refused(err)
	}
	made, err := s.Intake.Replay(c.Ctx(), c.By, d.ID)
	if err != nil {
		return refused(err)
	}
	notice := replayed(made) + " O e-mail deste webhook passa a ser lido de “" + f.Key + "”."
	left := ""
	if f.All {
		all, err := s.Intake.ReplayAlike(c.Ctx(), c.By, d.WebhookID)
		if err != nil {
			return err
		}
		said, still := replayedAll(all)
		notice, left = strings.TrimSpace(notice+" "+said), still
	}
	return c.DoneExcept("/contatos/"+made.ContactID, notice, left)
}

// webhookReplay replays the refusals in which the webhook's own key now finds the e-mail.
func (s pages) webhookReplay(c *web.Call) error {
	here := "/webhooks/" + c.PathValue("id") + "?resultado=refused"
	all, err := s.Intake.ReplayAlike(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		if f := app.FaultOf(err); f != nil && app.IsRefusal(err) {
			return c.NotDone(here, f.Message)
		}
		return err
	}
	said, left := replayedAll(all)
	if said == "" {
		left = cmp.Or(left, "Nenhum recusado a mais tem este campo.")
	}
	return c.DoneExcept(here, said, left)
}

// replayedAll describes the outcome of replaying refusals together: what was done, and what was not.
func replayedAll(r intake.Replays) (said, left string) {
	if r.Contacts > 0 {
		said = web.Plural(r.Contacts, "contato criado", "contatos criados") + " dos recusados com este campo."
	}
	if r.Refused > 0 {
		left = web.Plural(r.Refused, "envio continua recusado.", "envios continuam recusados.")
	}
	if r.More {
		left = strings.TrimSpace(left + " Pode haver mais: refaça de novo na lista de recusados.")
	}
	return said, left
}
