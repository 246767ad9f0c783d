package crm

import "time"

// AnswerBounds are the times within which first answers are counted, in order; those of a later one are counted last.
var AnswerBounds = [...]time.Duration{
	5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour, 24 * time.Hour, 72 * time.Hour,
}

// AnsweredWithin counts first answers by how long the contacts had waited: at most each of AnswerBounds and longer than
// the one before, and last longer than all.
type AnsweredWithin [len(AnswerBounds) + 1]int

// Bound is the place in AnsweredWithin of an answer to somebody who had waited so long.
func Bound(waited time.Duration) int {
	for i, bound := range AnswerBounds {
		if waited <= bound {
			return i
		}
	}
	return len(AnswerBounds)
}

// Count is how many are counted.
func (a AnsweredWithin) Count() (n int) {
	for _, one := range a {
		n += one
	}
	return n
}

// Median is about how long half of them had waited at most, as if those between two of AnswerBounds were spread evenly;
// false where half waited longer than all, or none is counted.
func (a AnsweredWithin) Median() (time.Duration, bool) {
	all, so, from := a.Count(), 0, time.Duration(0)
	for i, bound := range AnswerBounds {
		if all > 0 && 2*(so+a[i]) >= all {
			part := float64(all-2*so) / float64(2*a[i]) // durations times counts would overflow from some ten thousand on
			return from + time.Duration(part*float64(bound-from)), true
		}
		so, from = so+a[i], bound
	}
	return 0, false
}
