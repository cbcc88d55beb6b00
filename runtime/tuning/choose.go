package tuning

import (
	"cmp"
	"math"
	"slices"
)

// Match says how much a record has to do with a device; the lowest is the best.
type Match int

// The matches, in the order in which records are looked for.
const (
	SameDriver  Match = iota // the device, with its driver
	SameDevice               // the device, with another driver
	SameProfile              // another device of its profile
	NoMatch
)

// String says it in words.
func (m Match) String() string {
	if m < SameDriver || m > SameProfile {
		return "no record"
	}
	return [...]string{"this device and driver", "this device with another driver", "another device of this profile"}[m]
}

// Matches compares a record's device with another one.
func (d Device) Matches(o Device) Match {
	switch {
	case d.Profile != o.Profile:
		return NoMatch
	case d.Name != o.Name:
		return SameProfile
	case d.Driver != o.Driver:
		return SameDevice
	}
	return SameDriver
}

// maxDistance is the greatest distance at which a record of another problem applies: two, so that
// no number is more than four times another one.
const maxDistance = 2

// Distance is the binary logarithm of the greatest ratio between the numbers of two problems: 0 if
// they are the same, 1 if a number is twice the other. Problems of different kinds are infinitely
// far apart.
func (p Problem) Distance(o Problem) float64 {
	if p.Items != o.Items || len(p.Lengths) != len(o.Lengths) {
		return math.Inf(1)
	}
	distance := 0.0
	add := func(a, b float64) { distance = max(distance, math.Abs(math.Log2(max(a, 1)/max(b, 1)))) }
	for n := range p.Grid {
		add(float64(p.Grid[n]), float64(o.Grid[n]))
	}
	for n := range p.Lengths {
		add(float64(p.Lengths[n]), float64(o.Lengths[n]))
	}
	return distance
}

// Wanted is what a record is looked for.
type Wanted struct {
	Package, Kernel, Code string
	Device
	Problem
}

// Choose returns the record that applies, or nil. Only records of the same code do. Among these the
// device decides first, then the distance of the problems, then the order of the list.
func Choose(records []Record, w Wanted) (*Record, Match) {
	type candidate struct {
		record   *Record
		match    Match
		distance float64
	}
	var list []candidate
	for n := range records {
		r := &records[n]
		c := candidate{r, r.Matches(w.Device), r.Distance(w.Problem)}
		if r.Package == w.Package && r.Kernel == w.Kernel && r.Code == w.Code && c.match < NoMatch && c.distance <= maxDistance {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, NoMatch
	}
	// the first of the least ones
	best := slices.MinFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.match, b.match), cmp.Compare(a.distance, b.distance))
	})
	return best.record, best.match
}
