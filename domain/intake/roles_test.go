package intake

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fichario/domain/intake/tree"
)

// person is an invented person of a generated body.
type person struct{ name, first, last, email, phone string }

func newPerson(first, domain string, n int) person {
	return person{
		name: first + " Lima", first: first, last: "Lima", email: fmt.Sprintf("%s%d@%s", strings.ToLower(first), n, domain),
		phone: fmt.Sprintf("+55119%08d", 12340000+n),
	}
}

type object = map[string]any

// record writes a person in one of the ways in which senders do.
func (p person) record(rnd *rand.Rand) object {
	return [...]object{
		{"name": p.name, "email": p.email, "phone": p.phone},
		{"first_name": p.first, "last_name": p.last, "email": p.email, "mobile": p.phone},
		{"fullName": p.name, "emailAddress": p.email, "phoneNumber": p.phone},
		{"displayName": p.name, "email": p.email, "phones": []any{object{"value": p.phone, "primary": true}}},
		{"nome": p.name, "email": p.email, "telefone": p.phone, "id": "7"},
		{"id": 9, "firstName": p.first, "lastName": p.last, "name": p.name, "email": p.email, "phone_number": p.phone},
	}[rnd.IntN(6)]
}

// flat puts a person under keys that say whose they are.
func (p person) flat(rnd *rand.Rand, into object, role string) {
	switch rnd.IntN(3) {
	case 0:
		into[role+"_name"], into[role+"_email"], into[role+"_phone"] = p.name, p.email, p.phone
	case 1:
		into[role+"Name"], into[role+"Email"], into[role+"Phone"] = p.name, p.email, p.phone
	default:
		into["event_"+role+"_name"], into["event_"+role+"_email"], into["event_"+role+"_phone"] = p.name, p.email, p.phone
	}
}

var (
	leadRoles = strings.Fields(`
		customer scheduler invitee visitor client buyer lead requester registrant applicant cliente visitante
		customer_details client_info attendee subscriber`)
	leadPrefixes = strings.Fields(`customer invitee visitor client buyer requester attendee`)
	ourRoles     = strings.Fields(`
		organizer agent host owner operator assignee seller assigned_to assignedAgent account_owner salesRep created_by
		organizador atendente vendedor corretor meeting_host hostUser staff admin contact_owner`)
	tradeRoles  = strings.Fields(`provider professional broker doctor medico employee instructor clinic imobiliaria`)
	ourPrefixes = strings.Fields(`organizer agent host owner operator seller assignee vendedor admin contact_owner`)
	wrappers    = strings.Fields(`data payload body event xyz detail chat session conversation booking object resource`)
)

// generated is a body with one lead among people and things of ours.
type generated struct {
	rnd  *rand.Rand
	lead person
	ours []person
}

func (g *generated) ourPerson() person {
	p := newPerson([...]string{"Nina", "Otto", "Vera", "Raul", "Zeca"}[len(g.ours)%5], "loja.example", 100+len(g.ours))
	g.ours = append(g.ours, p)
	return p
}

// addOurs puts people and things of ours into an object.
func (g *generated) addOurs(into object) {
	switch g.rnd.IntN(12) {
	case 10:
		into[tradeRoles[g.rnd.IntN(len(tradeRoles))]] = g.ourPerson().record(g.rnd)
	case 11:
		into[[...]string{"created_by_email", "support_email", "account_manager_email"}[g.rnd.IntN(3)]] = g.ourPerson().email
	case 0, 1, 2:
		into[ourRoles[g.rnd.IntN(len(ourRoles))]] = g.ourPerson().record(g.rnd)
	case 3, 4:
		g.ourPerson().flat(g.rnd, into, ourPrefixes[g.rnd.IntN(len(ourPrefixes))])
	case 5:
		into[[...]string{"hosts", "agents", "operators", "owners"}[g.rnd.IntN(4)]] = []any{
			g.ourPerson().record(g.rnd), g.ourPerson().record(g.rnd)}
	case 6:
		into["operators"] = object{"647563": g.ourPerson().record(g.rnd)}
	case 7:
		into["geoip"] = object{"organization": "Nina Telecom", "city": "Santos"}
		into["page"] = object{"title": "Vera Imóveis", "url": "https://loja.example/"}
	case 8:
		into["display_phone_number"] = "551130001000"
		into["product"] = object{"name": "Plano Otto"}
	case 9:
		into["metadata"] = object{"display_phone_number": "551130001000"}
		if into["event"] == nil {
			into["event"] = object{"name": "Encontro Raul", "url": "https://loja.example/x"}
		}
	}
}

// addLead puts the lead into an object.
func (g *generated) addLead(into object) {
	p := g.lead
	switch g.rnd.IntN(6) {
	case 0, 1:
		record := p.record(g.rnd)
		if g.rnd.IntN(3) == 0 { // who serves the lead stands in the lead's own record
			record[ourRoles[g.rnd.IntN(len(ourRoles))]] = g.ourPerson().record(g.rnd)
		}
		into[leadRoles[g.rnd.IntN(len(leadRoles))]] = record
	case 2:
		p.flat(g.rnd, into, leadPrefixes[g.rnd.IntN(len(leadPrefixes))])
	case 3:
		email := [...]string{"user_email", "email"}[g.rnd.IntN(2)]
		into["user_name"], into[email], into["phone_number"] = p.name, p.email, p.phone
	case 4: // a list of all who were there, who say what they are
		us, them := g.ourPerson().record(g.rnd), p.record(g.rnd)
		switch g.rnd.IntN(5) {
		case 3:
			us["self"] = true
		case 4:
			us["participantRole"], them["isGuest"] = "ORGANIZER", true
		case 0:
			us["type"], them["type"] = "agent", "customer"
		case 1:
			us["is_organizer"], them["is_organizer"] = true, false
		case 2:
			us["role"], them["role"] = "host", "invitee"
		}
		list := []any{us, them}
		g.rnd.Shuffle(2, func(i, j int) { list[i], list[j] = list[j], list[i] })
		into[[...]string{"users", "attendees", "participants"}[g.rnd.IntN(3)]] = list
	case 5: // an e-mail
		us := g.ourPerson()
		if g.rnd.IntN(3) > 0 {
			into["Subject"], into["text"] = "Preço", "Quanto custa?"
		}
		into["To"] = us.name + " <" + us.email + ">"
		into["phone"] = p.phone
		if g.rnd.IntN(2) == 0 {
			into["From"] = p.name + " <" + p.email + ">"
		} else {
			into["from"] = object{"name": p.name, "email": p.email}
			into["cc"] = []any{object{"name": us.name, "email": us.email}}
		}
	}
}

// body nests the lead in envelopes, with ours at every level.
func (g *generated) body() string {
	inner := object{}
	g.addLead(inner)
	for range g.rnd.IntN(3) {
		g.addOurs(inner)
	}
	for range g.rnd.IntN(4) {
		outer := object{"id": "a1", "created_at": "2026-09-14T10:00:00Z"}
		switch g.rnd.IntN(8) {
		case 0:
			raw, _ := json.Marshal(inner)
			outer["data"] = base64.StdEncoding.EncodeToString(raw)
		case 1:
			raw, _ := json.Marshal(inner)
			outer["payload"] = string(raw)
		case 2:
			outer["data"] = []any{inner}
		default:
			outer[wrappers[g.rnd.IntN(len(wrappers))]] = inner
		}
		for range g.rnd.IntN(3) {
			g.addOurs(outer)
		}
		inner = outer
	}
	raw, _ := json.Marshal(inner)
	n, _ := tree.ParseJSON(string(raw))
	return writeShuffled(g.rnd, n)
}

// TestWhoIsTheLead: in a generated body the lead's name, e-mail and phone come from the lead's record, whatever stands
// around it and in whatever order; nothing of ours is in a field, and no answer is lost.
func TestWhoIsTheLead(t *testing.T) {
	t.Parallel()
	failed := 0
	for seed := range uint64(1500) {
		g := generated{rnd: rand.New(rand.NewPCG(seed, 33)), lead: newPerson("Ana", "exemplo.com.br", int(seed)%50)}
		body := g.body()
		d, dropped, err := ReadTraced(Options{Kind: Generic}, "application/json", []byte(body))
		if err != nil {
			t.Fatalf("seed %d: %v in %s", seed, err, body)
		}
		if d.Email != g.lead.email || d.Name != g.lead.name || d.Phone != g.lead.phone || d.Company != "" || d.Origin != "" {
			t.Errorf("seed %d: %q %q %q %q %q in %s", seed, d.Email, d.Name, d.Phone, d.Company, d.Origin, body)
			if failed++; failed > 20 {
				t.FailNow()
			}
		}
		accountFor(t, []byte(body), d, dropped)
		if all, err := ReadAll(Options{Kind: Generic}, "", []byte(body)); err != nil || len(all) != 1 {
			t.Errorf("seed %d: %d people (%v) in %s", seed, len(all), err, body)
		}
	}
}

// TestQuestionsAsKeys: sheets and forms send questions as keys, and these ask the lead. Beside the lead's own address,
// what a person of ours is asked for stays that person's.
func TestQuestionsAsKeys(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{`{"Nome do produtor":["José"],"E-mail do produtor":["jose@x.com"]}`, "José jose@x.com"},
		{`{"namedValues":{"Nome do gerente":["José"],"E-mail do gerente":["jose@x.com"]}}`, "José jose@x.com"},
		{`{"E-mail do consultor":"j@x.com","WhatsApp do consultor":"11987654321"}`, "j@x.com 11987654321"},
		{`{"E-mail do afiliado":"j@x.com"}`, "j@x.com"},
		{`{"Nome do administrador":"José","E-mail do administrador":"j@x.com"}`, "José j@x.com"},
		{`{"What is the manager's name?":"José","What is the manager's email?":"j@x.com"}`, "José j@x.com"},
		{`{"Correo del corretor":"j@x.com"}`, "j@x.com"},
		{`{"Nome":"Ana","E-mail":"ana@x.com","WhatsApp da clínica":"11987654321"}`, "Ana ana@x.com 11987654321"},
		{`{"Nome":"Ana","E-mail":["ana@x.com"],"Telefone da unidade":["11987654321"]}`, "Ana ana@x.com 11987654321"},
		{`{"Nome":"Ana","E-mail":"ana@x.com","Telefone profissional":"11987654321"}`, "Ana ana@x.com 11987654321"},
		{`{"Nome do responsável pela clínica":"Ana","E-mail":"ana@x.com"}`, "Ana ana@x.com"},
		{`{"Nombre del responsable de la clinica":"Ana","Correo":"ana@x.com"}`, "Ana ana@x.com"},
		{`{"Nome":"Ana","E-mail":"","E-mail do corretor":"j@x.com"}`, "Ana"},
		{`{"Nome":"Ana","E-mail":"ana","E-mail do corretor":"j@x.com"}`, "Ana"},
		{`{"Nome":"Ana","E-mail":"ana@x.com","WhatsApp do corretor":"11987654321"}`, "Ana ana@x.com"},
		{`{"E-mail":"ana@x.com","Nome do médico":"Dr. Rui","Telefone do médico":"11987654321"}`, "ana@x.com"},
		{`{"E-mail":"ana@x.com","Nome da clínica":"Vida"}`, "ana@x.com"},
		{`{"E-mail":"ana@x.com","E-mail do gerente":["j@x.com"],"WhatsApp do gerente":["2133334444"]}`, "ana@x.com"},
		{`{"producer_email":"j@x.com"}`, ""},
		{`{"Contact owner email":"j@x.com"}`, ""},
	} {
		body, want := c[0], c[1]
		if d := mustRead(t, "", body); join(d.Name, d.Email, d.Phone) != want {
			t.Errorf("%s: %s, want %s", body, join(d.Name, d.Email, d.Phone), want)
		}
	}
}

// TestAnAssignedPersonIsNotOurs: a ticket's holder, or a lead that somebody was given, is "assigned"; whoever the
// record calls an organizer is ours still.
func TestAnAssignedPersonIsNotOurs(t *testing.T) {
	t.Parallel()
	const body = `{"buyer":{"name":"Rui Lima","email":"rui@x.com"},` +
		`"%s":{"name":"Rui Lima","email":"rui@x.com","document":{"type":"CPF","number":"52998224725"},"%s":true}}`
	for flag, want := range map[string]int{
		"assigned": 1, "is_assigned": 1, "confirmed": 1, "organizer": 0, "is_host": 0, "admin": 0, "agent": 0, "seller": 0,
	} {
		d := mustRead(t, "", fmt.Sprintf(body, "participant", flag))
		if d.Email != "rui@x.com" || len(d.Documents) != want {
			t.Errorf("%s: %+v", flag, d)
		}
	}
	for _, key := range []string{"assignee", "assigned_to", "agent", "seller", "owner", "producer"} {
		if d := mustRead(t, "", fmt.Sprintf(body, key, "assigned")); len(d.Documents) != 0 {
			t.Errorf("%s: %v", key, d.Documents)
		}
	}
}
