package analysis

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Users lists, for each local value, the instructions that use it, in execution
// order: two arrays that one walk counts and another fills (compressed sparse
// rows). Instructions added later are not in it.
type Users struct {
	start []uint32
	users []ir.Inst
}

// Analyse looks at a function.
func (u *Users) Analyse(f *ir.Func) {
	u.start = ir.Zeroed(u.start, f.ValueCount()+1)
	u.count(f, f.Entry) // start[v+1] is the number of uses of v
	total := uint32(0)
	for v := range u.start {
		total += u.start[v]
		u.start[v] = total
	}
	u.users = ir.Zeroed(u.users, int(total))
	u.fill(f, f.Entry)
}

func (u *Users) count(f *ir.Func, b ir.Block) {
	for i := f.First(b); i != 0; i = f.Next(i) {
		for _, a := range f.Args(i) {
			if a.IsLocal() {
				u.start[a+1]++
			}
		}
		if f.Op(i).Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				u.count(f, ir.Block(inner))
			}
		}
	}
}

func (u *Users) fill(f *ir.Func, b ir.Block) {
	for i := f.First(b); i != 0; i = f.Next(i) {
		for _, a := range f.Args(i) {
			if a.IsLocal() {
				u.users[u.start[a]] = i
				u.start[a]++
			}
		}
		if f.Op(i).Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				u.fill(f, ir.Block(inner))
			}
		}
	}
}

// Of returns the instructions that use a value, once for each operand.
func (u *Users) Of(v ir.Value) []ir.Inst {
	if !v.IsLocal() || int(v) >= len(u.start) {
		return nil
	}
	// filling moved each start to its row's end, which is where the next begins
	return u.users[u.start[v-1]:u.start[v]]
}
