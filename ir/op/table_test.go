package op

import (
	"strings"
	"testing"
)

// TestEveryOperationHasARow reports constants without a row, by the one before them since they have
// no name, and rows that share a name or lack a part.
func TestEveryOperationHasARow(t *testing.T) {
	named := map[string]Op{}
	for o := Invalid; o < Count; o++ {
		row := o.Info()
		switch other, taken := named[row.Name]; {
		case row.Name == "":
			t.Errorf("the constant behind %s has no row in the table", o-1)
		case taken:
			t.Errorf("two operations are called %s: %d and %d", row.Name, other, o)
		case row.Signature == "" || row.Doc == "":
			t.Errorf("%s has no signature or no meaning", o)
		}
		named[row.Name] = o
	}
}

// TestEffects states by hand what operations do to memory: by operand, r for read, w for written
// and a for atomic. After a bar is what they do to memory that no operand leads to.
func TestEffects(t *testing.T) {
	want := map[Op]string{
		Load: "r", Store: "w", Copy: "w r", AtomicLoad: "ra", AtomicStore: "wa", AtomicReadModifyWrite: "rwa",
		AtomicCompareExchange: "rwa", TextureRead: "r", TextureStore: "w", ControlBarrier: "| rw", Intrinsic: "| rw", TileLoad: "r | rw", TileLoadWindows: "r | rw", TileStore: "w | rw", FragmentLoad: "r", FragmentStore: "w", Call: "| rw",
	}
	for o := Invalid; o < Count; o++ {
		var operands []string
		for n := range 40 {
			does := ""
			if o.ReadsOperand(n) {
				does += "r"
			}
			if o.WritesOperand(n) {
				does += "w"
			}
			if o.Operand(n)&Atomic != 0 {
				does += "a"
			}
			operands = append(operands, does)
		}
		if o.Is(Barrier | Anywhere) {
			operands = append(operands, "| rw")
		}
		if got := strings.TrimSpace(strings.Join(operands, " ")); strings.Join(strings.Fields(got), " ") != want[o] {
			t.Errorf("%s: %q, expected %q", o, got, want[o])
		}
		if reads, writes := strings.Contains(want[o], "r"), strings.Contains(want[o], "w"); o.Reads() != reads || o.Writes() != writes {
			t.Errorf("%s: reads %v and writes %v, expected %v and %v", o, o.Reads(), o.Writes(), reads, writes)
		}
		if pure := want[o] == "" && !o.Is(Convergent|Terminator|Control|External) && o != Var && o != Invalid; o.Pure() != pure {
			t.Errorf("%s is pure: %v", o, o.Pure())
		}
		if o.Is(External) != (o == Print) {
			t.Errorf("%s: print, and no other, tells the host something", o)
		}
		if o.Is(Barrier) != (o.Info().Attribute == BarrierScope) {
			t.Errorf("%s: barriers, and no others, say the memories that they order", o)
		}
	}
}
