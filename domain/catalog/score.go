package catalog

// scoreMax is the best score; the scale begins at zero.
const scoreMax = 1000

// ScorePercent is the position of a score on the scale; false for a number off it. What it means is for the bureau to
// say (specification, 2.1.2).
func ScorePercent(score float64) (percent int, on bool) {
	if score < 0 || score > scoreMax {
		return 0, false
	}
	return int(score * 100 / scoreMax), true
}
