package access

import (
	"errors"
	"sort"
	"time"
)

// Calendar counts days and months in the time zone of the instance.
type Calendar struct{ Location *time.Location }

// Day returns the bucket of the daily cap that t falls in, as 2006-01-02.
func (c Calendar) Day(t time.Time) string { return t.In(c.Location).Format(time.DateOnly) }

// Month returns the bucket of the monthly cap that t falls in, as 2006-01.
func (c Calendar) Month(t time.Time) string { return t.In(c.Location).Format("2006-01") }

// The years that days may fall in, both inclusive. In any zone, and even on the day after the last one, the year has
// four digits, which is what both databases can store and read.
const (
	FirstYear = 2000
	LastYear  = 9998
)

// ErrYear says that a day falls outside FirstYear to LastYear.
var ErrYear = errors.New("the year is not between 2000 and 9998")

// StartOf returns the first instant, in UTC, of the local day written as 2006-01-02. The error is that of time.Parse,
// or ErrYear.
func (c Calendar) StartOf(day string) (time.Time, error) {
	d, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return time.Time{}, err
	}
	if d.Year() < FirstYear || d.Year() > LastYear {
		return time.Time{}, ErrYear
	}
	return c.start(d), nil
}

// NextDay returns the first instant, in UTC, of the local day after t's.
func (c Calendar) NextDay(t time.Time) time.Time {
	y, m, d := t.In(c.Location).Date()
	return c.start(time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC))
}

// DaysBefore returns the first instant, in UTC, of the local day that many days before t's.
func (c Calendar) DaysBefore(t time.Time, days int) time.Time {
	y, m, d := t.In(c.Location).Date()
	return c.start(time.Date(y, m, d-days, 0, 0, 0, 0, time.UTC))
}

// start finds the first instant of a civil day. time.Date alone is not enough: on
// a day that begins with a change of the clock, midnight may not exist, or may
// come twice, and time.Date may answer with the day before.
func (c Calendar) start(day time.Time) time.Time {
	const around = 4 * 60 * 60 // seconds; no zone changes its clock by more
	want := day.Format(time.DateOnly)
	midnight := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, c.Location)
	if c.Day(midnight) == want && c.Day(midnight.Add(-time.Second)) < want {
		return midnight.UTC() // on nearly every day
	}
	guess := midnight.Add(-around / 2 * time.Second)
	n := sort.Search(around, func(s int) bool {
		return c.Day(guess.Add(time.Duration(s)*time.Second)) >= want
	})
	return guess.Add(time.Duration(n) * time.Second).UTC()
}
