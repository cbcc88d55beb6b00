package jit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
)

// TestCharges goes through the code of the exec kernels at random, jump by jump, and counts
// instructions. At no time have more been executed since a call began than fuel was burnt and once
// more the largest amount. A call that is resumed does not burn again what it was stopped at. So a
// call ends after as many as its budget and two charges. It takes the iterations of three loops for
// granted. Those from lane to lane have eight at most. Those that clear workgroup memory or fill in
// frames have as many as there is memory and blocks of lanes.
func TestCharges(t *testing.T) {
	heaviest, name := int64(0), ""
	for _, c := range exectest.Cases() {
		if len(c.Textures) > 0 {
			continue
		}
		m := module(t, c.File(), 0)
		var o codegen.Options
		for _, x := range c.Dispatches[0].Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: x.Name, Value: x.Value})
		}
		p, _, err := compiled(t, m, c.Dispatches[0].Entry, &o)
		if err != nil {
			continue
		}
		code, err := Compile(p, Options{List: true})
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		w := walker{list: code.List, marks: map[int]int{}, iterations: map[int]int{}, limits: map[amd64.Op]int{amd64.BlsR: lanes - 1, amd64.CmpXchg: 0},
			clears: int(p.ClearedBytes) / 128, frames: int(blocks(p)), rng: rand.New(rand.NewPCG(13, uint64(len(code.List))))}
		for n, i := range w.list {
			if i.Op == amd64.Mark {
				w.marks[i.Operands[0].Number()] = n
			}
			if burnsFuel(&i) { // a call that goes on somewhere may never come to the largest
				w.largest = max(w.largest, i.Immediate)
			}
		}
		w.walk(200_000)
		if w.worst > w.largest {
			t.Errorf("%s: %d more instructions have been executed than were charged, and %d are at most at once", c.Name, w.worst, w.largest)
		}
		if w.charges == 0 {
			t.Errorf("%s: nothing is charged", c.Name)
		}
		if w.largest > heaviest {
			heaviest, name = w.largest, c.Name
		}
		if most := int64(16 * 8 * len(w.list)); w.largest > most {
			t.Errorf("%s: %d units are charged at once for %d instructions", c.Name, w.largest, len(w.list))
		}
	}
	t.Logf("the largest charge is %d, of %s", heaviest, name)
}

// walker goes through code.
type walker struct {
	list           []amd64.Instruction
	marks          map[int]int // by label
	iterations     map[int]int // by jump: how often it has gone back in a row
	limits         map[amd64.Op]int
	clears, frames int
	rng            *rand.Rand

	executed, charged, largest, worst int64
	charges                           int
}

func (w *walker) walk(steps int) {
	for n := 0; steps > 0; steps-- {
		i := &w.list[n]
		if i.Op != amd64.Mark {
			w.executed++
		}
		if burnsFuel(i) {
			w.charged += i.Immediate
			w.charges++
		}
		w.worst = max(w.worst, w.executed-w.charged)
		switch {
		case i.Op == amd64.Jmp, i.Op == amd64.Jcc && w.jumps(n):
			n = w.marks[i.Operands[0].Number()]
		case i.Op == amd64.Ret:
			n, w.executed, w.charged = 0, 0, 0
		default:
			n++
		}
	}
}

// jumps decides whether a conditional jump is taken: not where a call would end, and some loops
// have so many iterations only.
func (w *walker) jumps(n int) bool {
	before := func(k int) amd64.Op { return w.list[max(n-k, 0)].Op }
	to := w.marks[w.list[n].Operands[0].Number()]
	if w.list[n-1].Op == amd64.Sub && w.list[n-1].Address == amd64.At(contextRegister, contextFuel) {
		return w.list[n].Condition == amd64.AboveEqual
	}
	if w.list[n-1].Op == amd64.Cmp && w.list[n-1].Address == amd64.At(contextRegister, contextPoint) {
		return false
	}
	limit := -1
	switch {
	case to > n:
		// out of the loop that fills frames
		if w.list[to-1].Op == amd64.Jmp && w.marks[w.list[to-1].Operands[0].Number()] < n && w.fills(to-1) {
			w.iterations[n]++
			if w.iterations[n] > w.frames {
				w.iterations[n] = 0
				return true
			}
			return false
		}
	case before(1) == amd64.CmpXchg:
		limit = w.limits[amd64.CmpXchg]
	case slices.ContainsFunc(w.list[max(n-6, to):n], func(i amd64.Instruction) bool { return i.Op == amd64.BlsR }):
		limit = w.limits[amd64.BlsR]
	case before(1) == amd64.Cmp && before(2) == amd64.Add && before(3) == amd64.VMovUPS:
		limit = w.clears
	}
	if limit >= 0 {
		if w.iterations[n]++; w.iterations[n] > limit {
			w.iterations[n] = 0
			return false
		}
		return true
	}
	return w.rng.IntN(8) != 0 == (to <= n)
}

// fills reports whether a jump back ends the loop that fills in the frames of blocks that have
// nothing to do.
func (w *walker) fills(n int) bool {
	to := w.marks[w.list[n].Operands[0].Number()]
	for k := to; k < n; k++ {
		if i := &w.list[k]; i.Op == amd64.Add && i.Operands[0] == amd64.RAX && i.Width == amd64.Wide {
			return true
		}
	}
	return false
}
