package analysis

import "github.com/gpuc/gpuc/ir"

// claimFragment makes claim 0 of an access to a fragment in memory: all of its elements are in an
// array of a known length.
func (a *Ranges) claimFragment(i ir.Inst) {
	f := a.f
	count, ok := f.Module.Count(f.Module.Element(f.TypeOf(f.Arg(i, ir.FragmentArray))))
	if !ok {
		return
	}
	first, _, apart := f.FragmentPosition(i)
	offset, stride := a.sharpen(first, sharpenDepth), a.sharpen(apart, sharpenDepth)
	lines, length, perWord := f.FragmentReach(i)
	last := offset.high() + stride.high()*int64(lines-1) + int64(length)
	if !offset.Empty() && !stride.Empty() && last <= int64(count)*int64(perWord) {
		a.claims[i] = 1
	}
}
