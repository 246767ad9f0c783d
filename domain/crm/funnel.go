package crm

import (
	"fmt"
	"slices"
	"time"

	"fichario/domain/fault"
	"fichario/domain/text"
)

// Funnel is a sequence of stages that contacts move through. Each organisation has
// one default funnel, where inbound contacts enter.
type Funnel struct {
	ID      string
	OrgID   string
	Name    string
	Default bool
	// Stages are in their order; the first one is the entry stage.
	Stages    []Stage
	CreatedAt time.Time
}

// Stage is a step of a funnel.
type Stage struct {
	ID      string
	Name    string
	Outcome Outcome
}

// Outcome is what a stage means for the contacts in it.
type Outcome string

// The outcomes.
const (
	Open Outcome = "open"
	Won  Outcome = "won"
	Lost Outcome = "lost"
)

// Valid reports whether o is one of them.
func (o Outcome) Valid() bool { return o == Open || o == Won || o == Lost }

// StagesMax is how many stages a funnel has at most, FunnelsMax how many funnels an
// organisation.
const (
	StagesMax  = 20
	FunnelsMax = 20
)

// DefaultFunnel names the funnel that is made with an organisation.
const DefaultFunnel = "Vendas"

// DefaultStages returns the default funnel's stages, in their order, without ids.
func DefaultStages() []Stage {
	return []Stage{
		{Name: "Novo", Outcome: Open}, {Name: "Em contato", Outcome: Open}, {Name: "Proposta", Outcome: Open},
		{Name: "Negociação", Outcome: Open}, {Name: "Ganho", Outcome: Won}, {Name: "Perdido", Outcome: Lost},
	}
}

// Entry returns the stage that new contacts are placed in (specification, 3).
func (f *Funnel) Entry() Stage { return f.Stages[0] }

// Rename gives the funnel a name. Fault: InvalidRequest.
func (f *Funnel) Rename(name string) error {
	name, ok := CleanName(name)
	if !ok {
		message := fmt.Sprintf("O nome do funil tem de 1 a %d caracteres.", NameMax)
		return fault.New(fault.InvalidRequest, message).At("name")
	}
	f.Name = name
	return nil
}

// AddStage appends a stage. Fault: InvalidRequest when the name is taken or unusable, or when there are StagesMax.
func (f *Funnel) AddStage(id, name string) error {
	if len(f.Stages) >= StagesMax {
		return invalidStage(fmt.Sprintf("Um funil tem de 1 a %d etapas.", StagesMax))
	}
	name, err := f.stageName(id, name)
	f.Stages = append(slices.Clip(f.Stages), Stage{ID: id, Name: name, Outcome: Open})
	return err
}

// RenameStage gives a stage another name. Faults: NotFound, InvalidRequest when the name is taken or unusable.
func (f *Funnel) RenameStage(id, name string) error {
	return f.change(id, func(i int) (err error) {
		f.Stages[i].Name, err = f.stageName(id, name)
		return err
	})
}

// SetOutcome sets the outcome of a stage. Faults: NotFound, InvalidRequest for an unknown outcome.
func (f *Funnel) SetOutcome(id string, o Outcome) error {
	return f.change(id, func(i int) error {
		if !o.Valid() {
			return fault.New(fault.InvalidRequest, "O resultado de uma etapa deve ser open, won ou lost.").At("outcome")
		}
		f.Stages[i].Outcome = o
		return nil
	})
}

// PlaceStage moves a stage to a place, counted from zero, or to the end where there are fewer. Fault: NotFound.
func (f *Funnel) PlaceStage(id string, place int) error {
	return f.change(id, func(i int) error {
		moved := f.Stages[i]
		rest := slices.Delete(f.Stages, i, i+1)
		f.Stages = slices.Insert(rest, max(0, min(place, len(rest))), moved)
		return nil
	})
}

// RemoveStage removes a stage. Faults: NotFound, InvalidRequest for the last stage and for the one that new contacts
// enter.
func (f *Funnel) RemoveStage(id string) error {
	return f.change(id, func(i int) error {
		switch {
		case len(f.Stages) == 1:
			return invalidStage(fmt.Sprintf("Um funil tem de 1 a %d etapas.", StagesMax))
		case f.Default && i == 0:
			return invalidStage("Na etapa " + f.Stages[i].Name +
				" entram os contatos novos. Ponha outra antes dela para poder tirá-la.")
		}
		f.Stages = slices.Delete(f.Stages, i, i+1)
		return nil
	})
}

// change edits the stage with an id, on a copy of the stages, because others may hold the slice.
func (f *Funnel) change(id string, edit func(i int) error) error {
	i := slices.IndexFunc(f.Stages, func(s Stage) bool { return s.ID == id })
	if i < 0 {
		return fault.New(fault.NotFound, "Não há etapa com este id.").At("stage")
	}
	f.Stages = slices.Clone(f.Stages)
	return edit(i)
}

// stageName checks a new name for the stage with an id.
func (f *Funnel) stageName(id, typed string) (string, error) {
	name, ok := CleanName(typed)
	taken := func(s Stage) bool { return s.ID != id && text.Fold(s.Name) == text.Fold(name) }
	if !ok || slices.ContainsFunc(f.Stages, taken) {
		return "", invalidStage(fmt.Sprintf("Cada etapa precisa de um nome próprio, de 1 a %d caracteres.", NameMax))
	}
	return name, nil
}

func invalidStage(message string) error { return fault.New(fault.InvalidRequest, message).At("stage") }
