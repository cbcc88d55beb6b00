package native

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file has code return in the middle of loops and go on there later: as long as it runs, the garbage collector waits, and so does whoever would end the launch.
// What is live is kept in the frame, in places of its own, since those of barriers may have what no register has.

// pause is a place where code may return.
type pause struct {
	cold, back, resume int // labels: of what returns, of where execution goes on, and of what is executed first then
}

// entryMark is the number of the mark where it is found out whether a loop was left; pauses are numbered from 1.
const entryMark = 1 << 30

// leavePauses emits what returns, behind all else.
func (s *selector) leavePauses() {
	for k := range s.pauses {
		p := &s.pauses[k]
		s.mark(p.cold)
		s.emit(amd64.Nop, 0)
		s.list[len(s.list)-1].Immediate = int64(k + 1)
		s.jump(p.back)
	}
}

// resumePauses emits the jumps to where the code has returned.
func (s *selector) resumePauses() {
	for k := range s.pauses {
		s.compareContext(contextPoint, int64(k+1))
		s.jumpIf(amd64.Equal, s.pauses[k].resume)
	}
}

// cutAtPauses replaces the marks, and returns the size of frames.
func (s *selector) cutAtPauses(l *liveness, frame int64) int64 {
	if len(s.pauses) == 0 {
		return frame
	}
	frame = (frame + 31) &^ 31
	l.analyse(s.list, s.next, s.labs)
	set := ir.Zeroed(s.cutter.now, l.words)
	s.cutter.now = set
	places := ir.Zeroed(s.cutter.places, l.total()) // from 1
	s.cutter.places = places
	old := s.renew()
	run, next := 0, 0
	for at := range old {
		if old[at].Op == amd64.Nop && old[at].Immediate == entryMark {
			s.resumePauses()
			continue
		}
		if old[at].Op != amd64.Nop || old[at].Immediate == 0 {
			s.list = append(s.list, old[at])
			continue
		}
		for int32(at) >= l.runs[run].end {
			run++
		}
		clear(set)
		l.behind(run, set)
		l.members(set, func(n int) {
			if places[n] == 0 {
				places[n] = int32(frame) + 1
				frame += 32
			}
		})
		s.move(l, set, places, false)
		s.setContext(contextPoint, int64(next+1))
		s.immediate(amd64.Mov, amd64.Narrow, statusPaused, amd64.RAX)
		s.emit(amd64.Ret, 0)
		s.mark(s.pauses[next].resume)
		s.setContext(contextPoint, 0)
		s.move(l, set, places, true)
		next++
	}
	return frame
}

// move stores registers in the frame, or loads them.
func (s *selector) move(l *liveness, set []uint64, places []int32, load bool) {
	s.load(amd64.Mov, amd64.Wide, amd64.RAX, s.context(contextFrame))
	l.members(set, func(n int) { s.keep(l.operand(n), amd64.At(amd64.RAX, places[n]-1), load) })
}
