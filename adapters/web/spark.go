package web

import (
	"strconv"
	"strings"
	"time"
)

// Spark is a small drawing of consecutive days, for a cell of a table: what went well stands on a line, what was
// refused hangs from it. The numbers are in Text too. It is exported for templates.
type Spark struct {
	Up, Down string // the paths of the bars
	Text     string
	// Width is that of the drawing.
	Width int
}

// SparkDays is how many days a Spark shows.
const SparkDays = 30

// The bars: every sparkStep pixels one, up from sparkLine at most sparkUp and down at most sparkDown pixels.
const (
	sparkStep = 3
	sparkLine = 20
	sparkUp   = 18
	sparkDown = 7
)

// SparkDaysOf returns the beginnings of the last SparkDays days and the end of the last one.
func (s *Server) SparkDaysOf() (bounds []time.Time) {
	now := s.Clock()
	for i := range SparkDays + 1 {
		bounds = append(bounds, s.Calendar.DaysBefore(now, SparkDays-1-i))
	}
	return bounds
}

// SparkOf draws what went well and what was refused on each day of bounds. refused may be nil.
func (s *Server) SparkOf(bounds []time.Time, well, refused []int) Spark {
	spark := Spark{Width: sparkStep * len(well)}
	var said []string
	most, worst := 1, 1
	for i, n := range well {
		if most = max(most, n); refused != nil {
			worst = max(worst, refused[i])
		}
	}
	var up, down strings.Builder
	for i, n := range well {
		bad, at := 0, "M"+strconv.Itoa(sparkStep*i+1)+" "
		if refused != nil {
			bad = refused[i]
		}
		if n > 0 {
			up.WriteString(at + strconv.Itoa(sparkLine) + "v-" + strconv.Itoa(max(2, n*sparkUp/most)))
		}
		if bad > 0 {
			down.WriteString(at + strconv.Itoa(sparkLine+2) + "v" + strconv.Itoa(max(2, bad*sparkDown/worst)))
		}
		if n+bad == 0 {
			continue
		}
		day := bounds[i].In(s.Calendar.Location).Format("02/01") + ": " + Count(n)
		if bad > 0 {
			day += " e " + Plural(bad, "recusado", "recusados")
		}
		said = append(said, day)
	}
	spark.Up, spark.Down, spark.Text = up.String(), down.String(), "Nada em 30 dias"
	if len(said) > 0 {
		spark.Text = strings.Join(said, "; ")
	}
	return spark
}
