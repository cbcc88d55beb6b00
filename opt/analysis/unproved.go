package analysis

import (
	"github.com/gpuc/gpuc/ir"
)

// UnprovedIndex is an index of an access that is not proved to be in range, and what is known of it
// at the access.
type UnprovedIndex struct {
	Access ir.Inst
	Index  int      // among the access's indices
	Known  Interval // empty if intervals do not follow its type
	// Below are arrays that have more elements than the index, if that is not negative.
	Below []ArrayKey
}

// UnprovedIndices are the indices that the last function has, if Unproved was set, in the order of
// the code.
func (a *Ranges) UnprovedIndices() []UnprovedIndex { return a.unproved }

// Bounds returns the least and the greatest number of an interval; ok is false where it tells
// nothing of a value of the type.
func (v Interval) Bounds(t ir.Type) (low, high int64, ok bool) {
	return v.Low, v.high(), !v.Empty() && v != domain(t)
}
