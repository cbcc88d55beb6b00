package native

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file cuts the code at barriers. What is live there is stored in the frame of the block of lanes, the next block is executed up to the same barrier, and
// when all are there, each goes on behind it with what it has stored.

// cutAtBarriers replaces the marks of barriers, and that of where phases are told apart. It returns the size of frames.
func (s *selector) cutAtBarriers(l *liveness, frame int64) int64 {
	if len(s.barriers) == 0 {
		return frame
	}
	frame = (frame + 31) &^ 31
	l.analyse(s.list, s.next, s.labs)
	set := make([]uint64, l.words)
	places := make([]int32, l.total()) // from 1
	old := s.list
	s.list = make([]amd64.Instruction, 0, len(old)+16*len(s.barriers))
	s.source = 0
	run, step := 0, 0
	next := 0
	for at := range old {
		switch {
		case at == s.dispatch:
			for k, b := range s.barriers {
				s.compareContext(contextPhase, int64(k+1))
				s.jumpIf(amd64.Equal, b.resume)
			}
			continue
		case next < len(s.barriers) && at == s.barriers[next].at:
			for int32(at) >= l.runs[run].end {
				run++
			}
			l.behind(old, run, int32(at), set)
			members(set, func(n int) {
				if places[n] == 0 {
					places[n] = int32(frame) + 1
					frame += 32
				}
			})
			s.cut(l, set, places, next)
			next++
			continue
		}
		if at == s.frameStep && at > 0 {
			step = len(s.list)
		}
		s.list = append(s.list, old[at])
	}
	if step > 0 {
		s.list[step].Immediate = frame
	}
	return frame
}

// cut emits what stands for barrier k.
func (s *selector) cut(l *liveness, set []uint64, places []int32, k int) {
	each := func(load bool) {
		s.load(amd64.Mov, amd64.Wide, amd64.RAX, s.context(contextFrame))
		members(set, func(n int) {
			at := amd64.At(amd64.RAX, places[n]-1)
			r, o := amd64.General(amd64.FirstVirtual+n), amd64.Mov
			if n >= l.count[generals] {
				r, o = amd64.Vector(amd64.FirstVirtual+n-l.count[generals]), amd64.VMovUPS
			}
			if load {
				s.load(o, amd64.Wide, r, at)
			} else {
				s.store(o, amd64.Wide, at, r)
			}
		})
	}
	each(false)
	s.setContext(contextNext, int64(k+1))
	s.jump(s.advance)
	s.mark(s.barriers[k].resume)
	each(true)
}
