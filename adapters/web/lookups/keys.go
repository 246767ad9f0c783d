package lookups

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

// KeyLine is a key in the list. It is exported for templates, which see only exported fields.
type KeyLine struct {
	lookups.KeyUse
	Now time.Time
	// Minute is how many requests this instance has counted in the current minute.
	Minute int
	// Spark are the charged lookups of the last 30 days.
	Spark web.Spark
	// For are the names of the purposes that the key is bound to.
	For []string
	// Unanswered is the newest lookup that the bureau did not answer; nil where none is, and outside the list.
	Unanswered *lookup.Entry
}

// Soon reports whether the key expires within a week.
func (k KeyLine) Soon() bool {
	return k.Usable && !k.ExpiresAt.IsZero() && k.ExpiresAt.Sub(k.Now) < 7*24*time.Hour
}

// Days is in how many days the key expires.
func (k KeyLine) Days() int { return int(k.ExpiresAt.Sub(k.Now).Hours()/24) + 1 }

// MinuteUse is the use of the limit per minute.
func (k KeyLine) MinuteUse() use { return useOf("Minuto", k.Minute, k.Limits.PerMinute) }

// DayUse is the use of the daily cap.
func (k KeyLine) DayUse() use { return useOf("Dia", k.Today.Count, k.Limits.PerDay) }

// MonthUse is the use of the monthly cap.
func (k KeyLine) MonthUse() use { return useOf("Mês", k.Month.Count, k.Limits.PerMonth) }

// Scope words what the key may look up.
func (k KeyLine) Scope() string {
	if k.Contacts {
		return scopeNames(k.Scopes) + ", busca de contatos por agentes"
	}
	return scopeNames(k.Scopes)
}

func scopeNames(scopes []document.Type) string {
	names := make([]string, len(scopes))
	for i, t := range scopes {
		names[i] = t.Label()
	}
	return strings.Join(names, ", ")
}

// Bound words the purposes and networks that the key is bound to; empty for an unbound key.
func (k KeyLine) Bound() string {
	var words []string
	if len(k.For) > 0 {
		words = append(words, "para "+strings.Join(k.For, ", "))
	}
	if len(k.From) > 0 {
		words = append(words, "só de "+strings.Join(networkTexts(k.From), ", "))
	}
	return strings.Join(words, ", ")
}

// refusalWords say why a key was refused, by the code of the answer.
var refusalWords = map[fault.Code]string{
	fault.Unauthenticated: "revogada ou vencida", fault.AddressRefused: "rede", fault.MissingScope: "escopo",
	fault.BureauRefused: "escolha do bureau", fault.MissingPurpose: "sem finalidade", fault.PurposeRefused: "finalidade",
	fault.MinuteLimit: "limite por minuto", fault.DailyLimit: "limite do dia", fault.MonthlyLimit: "limite do mês",
}

// Refusals words how often the key was refused, and why; empty where it was not.
func (k KeyLine) Refusals() string {
	total := 0
	var why []string
	for _, r := range k.Refused {
		total += r.Count
		why = append(why, fmt.Sprintf("%s (%s)", cmp.Or(refusalWords[fault.Code(r.Reason)], r.Reason), web.Count(r.Count)))
	}
	switch total {
	case 0:
		return ""
	case 1:
		return "1 pedido recusado em 30 dias: " + why[0]
	}
	return web.Count(total) + " pedidos recusados em 30 dias: " + strings.Join(why, ", ")
}

// networkTexts writes networks, a single address without its prefix length.
func networkTexts(all []netip.Prefix) []string {
	texts := make([]string, len(all))
	for i, network := range all {
		texts[i] = network.String()
		if network.IsSingleIP() {
			texts[i] = network.Addr().String()
		}
	}
	return texts
}

// use is a bar that shows the use of a limit.
type use struct {
	Name         string
	Used, Limit  int
	Percent, Bar int
	// Class marks a bar that is nearly full, or full.
	Class string
}

func useOf(name string, used, limit int) use {
	u := use{Name: name, Used: used, Limit: limit, Percent: 100, Class: "use-f"}
	if limit > 0 {
		u.Percent = min(100, 100*used/limit)
	}
	switch {
	case u.Percent >= 100:
		u.Class = "use-x"
	case u.Percent >= 80:
		u.Class = "use-w"
	}
	u.Bar = max(1, u.Percent)
	return u
}

// Left is how much is left.
func (u use) Left() int { return max(0, u.Limit-u.Used) }

// keysShown is how many keys a page has.
const keysShown = 15

func (s pages) keyList(c *web.Call) error {
	lines, err := s.keyLines(c)
	if err != nil {
		return err
	}
	if c.Script() {
		return c.RenderPart("chaves", "key-rows", lines.Items)
	}
	return c.Render("chaves", web.Page{Title: "Chaves de API", Nav: "chaves", Data: lines, Wide: true})
}

// keyLines returns a page of keys, those that are over behind all others.
func (s pages) keyLines(c *web.Call) (page web.Paged[KeyLine], err error) {
	all, err := s.Statement.Keys(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return page, err
	}
	lines := make([]KeyLine, len(all))
	for i, k := range all {
		lines[i] = s.keyLine(k)
	}
	if err := s.namePurposes(c, lines); err != nil {
		return page, err
	}
	over := func(k KeyLine) int {
		if k.Usable {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(lines, func(a, b KeyLine) int { return over(a) - over(b) })
	page = web.PageOf(c, "/chaves", lines, keysShown)
	bounds := s.SparkDaysOf()
	days, shown := make([]string, web.SparkDays), make([]lookups.KeyUse, len(page.Items))
	for i := range days {
		days[i] = s.Calendar.Day(bounds[i])
	}
	for i, k := range page.Items {
		shown[i] = k.KeyUse
	}
	charged, err := s.Statement.ChargedDays(c.Ctx(), c.By, c.By.OrgID(), shown, days)
	if err != nil {
		return page, err
	}
	failed, err := s.Statement.LastFailures(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return page, err
	}
	for i, k := range page.Items {
		page.Items[i].Spark = s.SparkOf(bounds, charged[k.ID], nil)
		if last, is := failed[k.ID]; is {
			page.Items[i].Unanswered = &last
		}
	}
	return page, nil
}

// namePurposes says what keys are bound to, if any of them is.
func (s pages) namePurposes(c *web.Call, lines []KeyLine) error {
	if !slices.ContainsFunc(lines, func(k KeyLine) bool { return len(k.Purposes) > 0 }) {
		return nil
	}
	all, err := s.Purposes.List(c.Ctx(), c.By, c.By.OrgID())
	names := map[string]string{}
	for _, p := range all {
		names[p.Code] = p.Name
	}
	for i := range lines {
		line := &lines[i]
		for _, code := range line.Purposes {
			line.For = append(line.For, cmp.Or(names[code], code))
		}
	}
	return err
}

func (s pages) keyLine(k lookups.KeyUse) KeyLine {
	return KeyLine{KeyUse: k, Now: s.Clock(), Minute: s.Keys.MinuteUse(k.ID)}
}

// keySecret is the page that shows a secret, once.
type keySecret struct {
	Key    access.Key
	Secret string
	// URL is the address in the example call, Price what that call may cost.
	URL   string
	Price catalog.Money
	// Until is when the previous secret expires; zero when there was none, or it ended at once.
	Until   time.Time
	Rotated bool
}

func (s pages) keyCreate(c *web.Call) error {
	var f keyFields
	if err := c.Decode(&f); err != nil {
		return s.keyFormAgain(c, f, err)
	}
	key, secret, err := s.Keys.Create(c.Ctx(), c.By, s.newKey(c, f))
	switch {
	case err == nil:
		// The only answer to a POST that is a page: the secret must be in no address and no cookie. When the form is sent
		// again, the key exists already.
		return c.Render("chave-nova", web.Page{Title: "Chave criada", Nav: "chaves", Data: s.secretPage(key, secret)})
	case errors.Is(err, lookups.ErrTwice):
		return c.NotDone("/chaves/"+f.ID, "Esta chave já foi criada. Ela não é mostrada de novo; se não a copiou, use Trocar.")
	}
	return s.keyFormAgain(c, f, err)
}

func (s pages) secretPage(key access.Key, secret access.Secret) keySecret {
	page := keySecret{Key: key, Secret: secret.Reveal(), URL: s.PublicURL + "/api/v1/produtos"}
	for _, o := range s.Terms.OffersFor(key) {
		if path, ok := examples[o.Product.ID]; ok {
			page.URL, page.Price = s.PublicURL+path, o.Product.Price
			break
		}
	}
	return page
}

// examples are addresses of the API to try a new key with, by product.
var examples = map[string]string{catalog.CPF: "/api/v1/cpf/52998224725", catalog.CNPJ: "/api/v1/cnpj/11222333000181"}

func (s pages) keyRevoke(c *web.Call) error {
	id := c.PathValue("id")
	if err := s.Keys.Revoke(c.Ctx(), c.By, id); err != nil {
		return err
	}
	return c.Done("/chaves/"+id, "Chave revogada. Ela já não vale em nenhuma instância.")
}

// rotationFields are the fields of the dialog that gives a key a new secret.
type rotationFields struct {
	Prefix string `form:"prefixo"`
	Keep   string `form:"manter" validate:"oneof=agora 1h 24h 7d" says:"Escolha até quando a chave atual vale."`
}

// overlaps are how long a key's old secret can stay valid.
var overlaps = map[string]time.Duration{"agora": 0, "1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour}

func (s pages) keyRotate(c *web.Call) error {
	id := c.PathValue("id")
	if _, err := s.Keys.Show(c.Ctx(), c.By, id); err != nil {
		return err
	}
	var f rotationFields
	if err := c.Decode(&f); err != nil {
		return err
	}
	overlap := overlaps[f.Keep]
	key, secret, rotated, err := s.Keys.RotateOnce(c.Ctx(), c.By, id, f.Prefix, overlap)
	if err != nil {
		return err
	}
	if !rotated {
		return c.NotDone("/chaves/"+id,
			"Esta chave já foi trocada. A nova não é mostrada de novo; se não a copiou, troque outra vez.")
	}
	data := s.secretPage(key, secret)
	data.Rotated = true
	if overlap > 0 {
		data.Until = s.Clock().Add(overlap)
	}
	return c.Render("chave-nova", web.Page{Title: "Chave trocada", Nav: "chaves", Data: data})
}

// keyForTests makes a key to try calls with, for the reference, and answers with the secret alone; where a bureau may
// charge, there is nothing at its address.
func (s pages) keyForTests(c *web.Call) error {
	if !s.TestKeys {
		return web.ErrNowhere
	}
	_, secret, err := s.Keys.Create(c.Ctx(), c.By, lookups.NewKey{
		OrgID: c.By.OrgID(), Name: "Para experimentar a API", Scopes: document.Types(),
		Limits: access.Limits{PerMinute: 60, PerDay: 200, PerMonth: 2000}, ExpiresAt: s.Clock().Add(testKeyAge),
	})
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err = io.WriteString(c.Writer, secret.Reveal())
	return err
}

// testKeyAge is how long a key made for the reference is good for.
const testKeyAge = 30 * 24 * time.Hour
