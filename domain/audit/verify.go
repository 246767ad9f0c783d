package audit

import "fmt"

// Problem is what is wrong with a chain.
type Problem string

// The problems. Whoever can write to the database and read the program can rebuild a whole chain, but cannot seal its
// head without a data key.
const (
	Changed   Problem = "alterada"
	Removed   Problem = "removida"
	Reordered Problem = "fora_de_ordem"
	Added     Problem = "acrescentada"
	Emptied   Problem = "esvaziada"
	AtHead    Problem = "cabeca"
)

// Finding is the first thing that is wrong with a chain.
type Finding struct {
	// Number is that of the line; of the last one for AtHead.
	Number  int64
	Problem Problem
	// Moved is the original number of a Reordered line.
	Moved int64
}

// Message describes the finding in Portuguese.
func (f Finding) Message() string {
	switch f.Problem {
	case Changed:
		return fmt.Sprintf("A linha %d foi alterada, ou falta alguma antes dela.", f.Number)
	case Removed:
		return fmt.Sprintf("A linha %d foi removida.", f.Number)
	case Reordered:
		return fmt.Sprintf("A linha %d está fora de ordem: ela foi a %d.", f.Number, f.Moved)
	case Added:
		return fmt.Sprintf("A linha %d foi acrescentada depois do fim.", f.Number)
	case Emptied:
		return fmt.Sprintf("O detalhe da linha %d foi apagado sem um pedido de titular correspondente.", f.Number)
	case AtHead:
	}
	return "O fim da auditoria, guardado à parte, está ausente, não é o da última linha ou não foi escrito por este serviço."
}

// Walk follows a chain from its first line to its head.
type Walk struct {
	head   Head
	number int64
	hash   Hash
	// erasures are the lines of erasures met so far. emptied holds, by the id of an erasure not met yet, the first line
	// whose detail it removed: a line written while an erasure runs stands behind its line.
	erasures map[string]bool
	emptied  map[string]int64
}

// NewWalk starts before the first line that is kept.
func NewWalk(head Head) *Walk {
	return &Walk{
		head: head, number: head.RemovedNumber, hash: head.RemovedHash,
		erasures: map[string]bool{}, emptied: map[string]int64{},
	}
}

// Next checks the next line, which must not lie beyond the head.
func (w *Walk) Next(l Line) *Finding {
	switch {
	case l.Number != w.number+1:
		return &Finding{Number: w.number + 1, Problem: Removed}
	case l.After(w.hash) != l.Hash, l.Unreadable:
		return &Finding{Number: l.Number, Problem: Changed}
	case l.DetailSum != nil && l.Detail == nil && l.ErasedBy == "", l.AddressSum != nil && l.Address == "":
		return &Finding{Number: l.Number, Problem: Emptied}
	case l.DetailSum != nil && l.Detail == nil && !w.erasures[l.ErasedBy]:
		if _, known := w.emptied[l.ErasedBy]; !known {
			w.emptied[l.ErasedBy] = l.Number
		}
	}
	w.number, w.hash = l.Number, l.Hash
	if l.Action == SubjectErased {
		w.erasures[l.ID] = true
		delete(w.emptied, l.ID)
	}
	return nil
}

// End checks what remains after the last line. erasure looks up a line by its id; false where there is none.
func (w *Walk) End(erasure func(id string) (Line, bool, error)) (*Finding, error) {
	if w.number < w.head.Number {
		return &Finding{Number: w.number + 1, Problem: Removed}, nil
	}
	if w.hash != w.head.Hash {
		return &Finding{Number: w.number, Problem: AtHead}, nil
	}
	for id, number := range w.emptied {
		l, found, err := erasure(id) // written since the walk began
		if err != nil {
			return nil, err
		}
		if !found || l.Action != SubjectErased || l.Number <= w.head.Number {
			return &Finding{Number: number, Problem: Emptied}, nil
		}
	}
	return nil, nil //nolint:nilnil // nothing is wrong
}

// WasAt returns the number at which a line, placed behind another, has the hash that it states: for a line that was
// moved, its original number.
func (l Line) WasAt(behind Line) (int64, bool) {
	for _, number := range []int64{behind.Number, behind.Number + 1, l.Number} {
		moved := l
		moved.Number = number
		if moved.After(behind.Hash) == l.Hash {
			return number, true
		}
	}
	return 0, false
}
