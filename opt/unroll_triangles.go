package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file unrolls loops in triangles: their trip count follows from what loops around them count,
// and is known as soon as those are unrolled.
//
//	for (var i = 0; i < 3; i++) {         m[0] = a[0];
//	  for (var j = 0; j <= i; j++) {  ─►  m[3] = a[3]; m[4] = a[4];
//	    m[i*3 + j] = a[i*3 + j];          m[6] = a[6]; m[7] = a[7]; m[8] = a[8];
//	  }
//	}
//
// They are counted before anything is unrolled, for each iteration of the loops around them, so
// that one decision is about the whole triangle. They are unrolled from outside, after all others.

// maxTriangle bounds the iterations of the loops around a triangle that are gone through.
const maxTriangle = 1 << 12

// outerLoop is a loop in an iteration that is gone through.
type outerLoop struct {
	loop ir.Inst
	now  []ir.Value // its parameters, as far as they are constants
}

// countWithin counts a loop in each iteration of the loops around it that it follows.
func (u *unroller) countWithin(loop ir.Inst) (l countedLoop, ok bool) {
	f := u.f
	for p := f.Parent(f.BlockOf(loop)); p != 0; p = f.Parent(f.BlockOf(p)) {
		n := u.number[p]
		if n == 0 {
			continue
		}
		outer := &u.loops[n-1]
		if u.follows(loop, outer) || slices.ContainsFunc(l.within, func(k uint32) bool { return u.follows(u.loops[k].loop, outer) }) {
			l.within = append(l.within, n-1)
		}
	}
	if len(l.within) == 0 {
		return l, false
	}
	slices.Reverse(l.within)
	l.loop, l.test, l.known = loop, firstTest(u.f, loop), ^uint64(0)
	times := 0
	u.room = maxTriangle
	ok = u.simulate(l.within, func() bool {
		c, ok := u.count(loop, maxTripCount)
		l.tripCount, l.known, times = l.tripCount+c.tripCount, l.known&c.known, times+1
		return ok
	})
	u.outer = u.outer[:0]
	if !ok || times == 0 {
		return l, false
	}
	l.tripCount = (l.tripCount + times - 1) / times
	return l, true
}

// simulate goes through the iterations of loops, the first of which is around the others.
func (u *unroller) simulate(loops []uint32, visit func() bool) bool {
	f, l := u.f, &u.loops[loops[0]]
	after, condition, _ := f.NextArgs(f.Terminator(f.Region(l.loop, 1)))
	u.start(l.loop)
	for {
		if l.test != 0 {
			leaves, ok := u.truth(f.Arg(l.test, 0), l.loop)
			if !ok || leaves == leavesIfTrue(u.f, l.test, l.loop) {
				return ok
			}
		}
		if u.room--; u.room < 0 {
			return false
		}
		u.outer = append(u.outer, outerLoop{l.loop, slices.Clone(u.now)})
		ok := len(loops) > 1 && u.simulate(loops[1:], visit) || len(loops) == 1 && visit()
		last := len(u.outer) - 1
		u.now = append(u.now[:0], u.outer[last].now...)
		u.outer = u.outer[:last]
		if !ok {
			return false
		}
		u.step(l.loop, after)
		if l.test == 0 {
			if leaves, ok := u.truth(condition, l.loop); !ok || leaves {
				return ok
			}
		}
		u.now, u.then = u.then, u.now
	}
}

// isTriangle reports whether a loop can be counted after the unrolling of others, all of which are
// wanted.
func (u *unroller) isTriangle(l *countedLoop) bool {
	return len(l.within) > 0 && !slices.ContainsFunc(l.within, func(n uint32) bool { return !u.loops[n].wanted || u.loops[n].peeled > 0 })
}

// unrollTriangles unrolls the copies of loops that are wanted and could not be counted before.
func (u *unroller) unrollTriangles() {
	if !slices.ContainsFunc(u.loops, func(l countedLoop) bool { return l.wanted && len(l.within) > 0 }) {
		return
	}
	f := u.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Loop || int(i) >= len(u.number) || u.number[i] == 0 || !u.loops[u.number[i]-1].wanted {
			continue
		}
		f.ApplyWithin(i)
		u.continued.Enter(f)
		if l, ok := u.count(i, maxTripCount); ok {
			i = u.unroll(&l)
		}
	}
}

// follow gives the copies of loops the indices of the originals.
func (u *unroller) follow(copies []loopCopy) {
	for _, c := range copies {
		for int(c.made) >= len(u.number) {
			u.number = append(u.number, 0)
		}
		if int(c.from) < len(u.number) {
			u.number[c.made] = u.number[c.from]
		}
	}
}
