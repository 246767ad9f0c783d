package catalog

// scoreBands are the parts of the scale of scores, with the score where each begins.
var scoreBands = []struct {
	from float64
	name string
}{{0, "baixo"}, {301, "regular"}, {501, "bom"}, {701, "muito bom"}}

// scoreMax is the best score; the scale begins at zero.
const scoreMax = 1000

// ScorePlace is where a score stands on the scale.
type ScorePlace struct {
	// Band is the name of its band, in Portuguese, and Reached tells of each band whether the score reaches it.
	Band    string
	Reached []bool
	// Percent is its position on the whole scale.
	Percent int
}

// PlaceOfScore returns the place of a score; false for a number off the scale.
func PlaceOfScore(score float64) (p ScorePlace, on bool) {
	if score < 0 || score > scoreMax {
		return ScorePlace{}, false
	}
	p.Percent = int(score * 100 / scoreMax)
	for _, band := range scoreBands {
		if p.Reached = append(p.Reached, score >= band.from); score >= band.from {
			p.Band = band.name
		}
	}
	return p, true
}
