package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
	// AtWitness is for a head that left the house and is not in the chain, or has a broken signature.
	AtWitness Problem = "testemunha"
)

// Finding is the first thing that is wrong with a chain.
type Finding struct {
	// Number is that of the line; of the last one for AtHead, of the outside head for AtWitness.
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
	case AtWitness:
		return fmt.Sprintf("A cabeça testemunhada da linha %d não está na cadeia, ou não foi assinada por este serviço.", f.Number)
	case AtHead:
	}
	return "O fim da auditoria, guardado à parte, está ausente, não é o da última linha ou não foi escrito por este serviço."
}

// Walk follows a chain from its first line to its head.
type Walk struct {
	head   Head
	number int64
	hash   Hash
	// begun are the erasures whose first line was met; emptied are, by the id of an erasure, the numbers of the lines
	// whose detail it removed; ended are the lines that say so.
	begun   map[string]bool
	emptied map[string][]int64
	ended   map[string]Line
}

// NewWalk starts before the first line that is kept.
func NewWalk(head Head) *Walk {
	return &Walk{
		head: head, number: head.RemovedNumber, hash: head.RemovedHash,
		begun: map[string]bool{}, emptied: map[string][]int64{}, ended: map[string]Line{},
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
	case l.ErasedBy != "" && (l.DetailSum == nil || l.Detail != nil): // no erasure has emptied it
		return &Finding{Number: l.Number, Problem: Changed}
	case l.DetailSum != nil && l.Detail == nil:
		w.emptied[l.ErasedBy] = append(w.emptied[l.ErasedBy], l.Number)
	}
	w.number, w.hash = l.Number, l.Hash
	switch l.Action {
	case SubjectErased:
		w.begun[l.ID] = true
	case SubjectEmptied:
		if _, is := w.ended[l.Object]; !is { // an erasure ends once
			w.ended[l.Object] = l
		}
	}
	return nil
}

// Erasure is what is known of an erasure that a walk has not met from its first line to its last.
type Erasure struct {
	// Begun is whether its first line stands beyond the head of the walk, Ended the last one if that does.
	Begun bool
	Ended *Line
	// Running is whether it is not done, and thus without a last line; Emptied are the lines that it has emptied so far.
	Running bool
	Emptied []int64
}

// End checks what remains after the last line. find looks for an erasure by its id.
func (w *Walk) End(find func(id string) (Erasure, error)) (*Finding, error) {
	if w.number < w.head.Number {
		return &Finding{Number: w.number + 1, Problem: Removed}, nil
	}
	if w.number == 0 || w.hash != w.head.Hash { // the making of an organisation is a line
		return &Finding{Number: w.number, Problem: AtHead}, nil
	}
	for id, l := range w.ended {
		if found := w.compare(w.emptied[id], emptiedBy(l), true); found != nil {
			return found, nil
		}
	}
	for id, numbers := range w.emptied {
		if _, has := w.ended[id]; has {
			continue
		}
		e, err := find(id)
		switch {
		case err != nil:
			return nil, err
		case e.Ended != nil:
			if found := w.compare(numbers, emptiedBy(*e.Ended), false); found != nil {
				return found, nil
			}
		case !e.Running, !w.begun[id] && !e.Begun:
			return &Finding{Number: numbers[0], Problem: Emptied}, nil
		default:
			if found := w.compare(numbers, e.Emptied, false); found != nil {
				return found, nil
			}
		}
	}
	return nil, nil //nolint:nilnil // nothing is wrong
}

// compare checks the lines that name an erasure against those that it says to have emptied. all says that the walk has
// seen them all.
func (w *Walk) compare(numbers, said []int64, all bool) *Finding {
	for _, n := range numbers {
		if _, is := slices.BinarySearch(said, n); !is {
			return &Finding{Number: n, Problem: Emptied}
		}
	}
	for _, n := range said {
		if _, is := slices.BinarySearch(numbers, n); !is && all && n > w.head.RemovedNumber {
			return &Finding{Number: n, Problem: Changed}
		}
	}
	return nil
}

// The details of a SubjectEmptied line.
const emptiedCount, emptiedNumbers = "linhas", "numeros"

// EmptiedLines is the detail of an erasure's last line: how many lines of the audit lost their details, and which,
// given their numbers in ascending order.
func EmptiedLines(numbers []int64) Detail {
	var parts []string
	for i := 0; i < len(numbers); i++ {
		from := numbers[i]
		for i+1 < len(numbers) && numbers[i+1] == numbers[i]+1 {
			i++
		}
		part := strconv.FormatInt(from, 10)
		if to := numbers[i]; to > from {
			part += "-" + strconv.FormatInt(to, 10)
		}
		parts = append(parts, part)
	}
	return Detail{emptiedCount: strconv.Itoa(len(numbers)), emptiedNumbers: strings.Join(parts, ", ")}
}

// emptiedBy reads what EmptiedLines wrote; the line is sealed, so that it is nothing else.
func emptiedBy(l Line) (numbers []int64) {
	for part := range strings.SplitSeq(l.Detail[emptiedNumbers], ", ") {
		first, last, several := strings.Cut(part, "-")
		from, err := strconv.ParseInt(first, 10, 64)
		to := from
		if several && err == nil {
			to, err = strconv.ParseInt(last, 10, 64)
		}
		for n := from; err == nil && n <= to; n++ {
			numbers = append(numbers, n)
		}
	}
	return numbers
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
