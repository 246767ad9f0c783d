package contacts

import (
	"fichario/adapters/web"
	"fichario/app/contacts"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

const (
	// cardsMost bounds the cards of a stage, cardsAll those of a board: a page stays small enough for a phone, also one
	// of crm.StagesMax stages.
	cardsMost, cardsAll = 30, 56
	// cardsMore is how many more cards of a stage somebody gets who asks, while a board has fewer than cardsFull: it is
	// read again whole with each change, at some 650 bytes a card, and the list has them all.
	cardsMore, cardsFull = 20, 72
)

// boardPage is the funnel as a board.
type boardPage struct {
	contacts.Choices
	Funnel crm.Funnel
	Filter boardFilter
	Stages []boardStage
	// Count and Amount are those of undecided contacts; Many says that there are more than were counted.
	Count  int
	Amount catalog.Money
	Many   bool
	// List is the address of the list of the same contacts.
	List string
}

type boardStage struct {
	contacts.BoardStage
	Cards []contactLine
	// More is how many contacts have no card, List the address of all, and Longer that of the board with more of them;
	// empty where it has enough.
	More         int
	List, Longer string
}

// boardFilter is what the board shows.
type boardFilter struct {
	Funnel   string `form:"funil"`
	Origin   string `form:"origem"`
	Assignee string `form:"resp"`
	Waiting  string `form:"retorno"`
	// Longer are the ids of stages that show more cards, once for each time that more were asked for.
	Longer []string `form:"mais"`
}

// InUse is the number of filters in use.
func (f boardFilter) InUse() int {
	f.Funnel, f.Longer = "", nil
	return len(web.QueryOf(f))
}

func (s pages) board(c *web.Call, show boardFilter) error {
	choices, err := s.Contacts.Choices(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	cards := cardsMost
	for _, f := range choices.Funnels {
		if f.ID == show.Funnel || show.Funnel == "" && f.Default {
			cards = min(cardsMost, cardsAll/max(1, len(f.Stages)))
		}
	}
	search := contacts.ContactSearch{OriginID: show.Origin, AssigneeID: show.Assignee, Waiting: show.Waiting == "sem"}
	show.Longer = show.Longer[:min(len(show.Longer), cardsFull/cardsMore)]
	asked := map[string]int{}
	for _, id := range show.Longer {
		asked[id] += cardsMore
	}
	shown := func(stageID string) int { return cards + asked[stageID] }
	funnel, stages, err := s.Contacts.Board(c.Ctx(), c.By, show.Funnel, search, shown)
	if gone := goneFilter(err); gone != "" && !c.Script() {
		rest := web.QueryOf(boardFilter{Funnel: show.Funnel, Waiting: show.Waiting})
		return c.NotDone("/funil"+web.WithQuery(rest), gone+". O quadro mostra todos.")
	}
	if err != nil {
		return err
	}
	chosen := web.QueryOf(contactFilter{Origin: show.Origin, Assignee: show.Assignee, Waiting: show.Waiting})
	data := boardPage{Choices: choices, Funnel: funnel, Filter: show, List: "/contatos" + web.WithQuery(chosen)}
	full := bounded(stages)
	for _, stage := range stages {
		b := boardStage{
			BoardStage: stage, More: stage.Count - len(stage.Contacts),
			List: "/contatos" + web.WithQuery(chosen, "etapa", stage.ID),
		}
		if longer := web.QueryOf(show); b.More > 0 && !full {
			longer.Add("mais", stage.ID)
			b.Longer = "/funil" + web.WithQuery(longer)
		}
		for _, v := range stage.Contacts {
			b.Cards = append(b.Cards, contactLineOf(v))
		}
		data.Stages = append(data.Stages, b)
		if stage.Outcome == crm.Open {
			data.Count, data.Amount, data.Many = data.Count+stage.Count, data.Amount+stage.Amount, data.Many || stage.Many
		}
	}
	p := web.Page{Title: funnel.Name, Nav: "funil", Data: data, Wide: true}
	if c.Script() {
		return c.RenderPart("funil", "board", data)
	}
	return c.Render("funil", p)
}

// bounded takes cards from the longest stages until a board has at most cardsFull, and reports whether it has as many.
func bounded(stages []contacts.BoardStage) (full bool) {
	all := 0
	for _, stage := range stages {
		all += len(stage.Contacts)
	}
	for full = all >= cardsFull; all > cardsFull; all-- {
		longest := &stages[0]
		for i := range stages {
			if len(stages[i].Contacts) > len(longest.Contacts) {
				longest = &stages[i]
			}
		}
		longest.Contacts = longest.Contacts[:len(longest.Contacts)-1]
	}
	return full
}
