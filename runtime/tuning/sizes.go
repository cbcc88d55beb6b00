package tuning

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Sizes is what was measured about the fastest of several ways to compute something, by its size.
type Sizes struct {
	Format int    `json:"sizes"`
	Name   string `json:"name"` // of what is computed
	// Ways are the devices, or the program itself.
	Ways   []Way  `json:"ways"`
	Points []Size `json:"points"` // from small to large
}

// Way is a device with its driver, or the program itself without a driver.
type Way struct {
	Name   string `json:"device"`
	Driver string `json:"driver,omitempty"`
}

// Size is what was measured at a size.
type Size struct {
	N    int `json:"n"`
	Best int `json:"best"` // of the ways
	// Times are those of one run by way; zeros if a way was not measured, as it cannot be the best.
	Times []Times `json:"ns"`
}

// Threshold is a size from which on another way is the best one.
type Threshold struct {
	From int // the first size
	Way  int
	// Below and Above are the sizes that were measured on both sides.
	Below, Above *Size
}

// Thresholds returns where the best way changes. Between two sizes that were measured it does so in
// their geometric middle.
func (s *Sizes) Thresholds() (list []Threshold) {
	for n := 1; n < len(s.Points); n++ {
		below, above := &s.Points[n-1], &s.Points[n]
		if below.Best != above.Best {
			list = append(list, Threshold{middle(below.N, above.N) + 1, above.Best, below, above})
		}
	}
	return list
}

// middle returns the geometric middle of sizes: a ≤ middle < b for a < b.
func middle(a, b int) int {
	m := int(math.Sqrt(float64(a) * float64(b)))
	return min(max(m, a), b-1)
}

// wrong says why sizes are none that this package measures, or "".
func (s *Sizes) wrong() string {
	switch {
	case s.Format != Format:
		return fmt.Sprintf("it is of format %d, and this gpuc reads format %d", s.Format, Format)
	case s.Name == "" || len(s.Ways) == 0 || len(s.Points) == 0:
		return "it lacks a name, ways or points"
	}
	for n, p := range s.Points {
		switch {
		case p.N < 1 || n > 0 && p.N <= s.Points[n-1].N:
			return "its sizes are not in order"
		case len(p.Times) != len(s.Ways) || p.Best < 0 || p.Best >= len(s.Ways) || p.Times[p.Best][1] <= 0:
			return "it has not the time of each way"
		case slices.ContainsFunc(p.Times, func(t Times) bool { return t[0] < 0 || !slices.IsSorted(t[:]) }):
			return "its times are not in order"
		}
	}
	return ""
}

// ParseSizes reads a file of sizes.
func ParseSizes(file, text string) (list []Sizes, faults []Fault) {
	faults = readLines(file, text, func(line string, number int) string {
		var s Sizes
		if err := unmarshal(line, &s); err != nil {
			return "it is damaged: " + err.Error()
		}
		if why := s.wrong(); why != "" {
			return why
		}
		if slices.ContainsFunc(list, func(o Sizes) bool { return o.Name == s.Name && slices.Equal(o.Ways, s.Ways) }) {
			return "a line before it is about the same"
		}
		list = append(list, s)
		return ""
	})
	return list, faults
}

// TextOfSizes returns the text of a file of sizes, sorted.
func TextOfSizes(list []Sizes) []byte {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Sizes) int { return strings.Compare(fmt.Sprint(a.Name, a.Ways), fmt.Sprint(b.Name, b.Ways)) })
	var text []byte
	for n := range sorted {
		sorted[n].Format = Format
		text = append(text, marshalLine(&sorted[n])...)
	}
	return text
}
