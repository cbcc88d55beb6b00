package ir_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// recursive is the order that a walk has to have: what an instruction owns follows it.
func recursive(f *ir.Func, b ir.Block) (order []ir.Inst) {
	for i := f.First(b); i != 0; i = f.Next(i) {
		order = append(order, i)
		if f.Op(i).Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				order = append(order, recursive(f, ir.Block(inner))...)
			}
		}
	}
	return order
}

// TestWalk walks over whole functions and over each of their blocks, and around each
// control instruction; some blocks are empty.
func TestWalk(t *testing.T) {
	walks := 0
	compare := func(f *ir.Func) {
		t.Helper()
		for b := f.Entry; int(b) < f.BlockCount(); b++ {
			var order []ir.Inst
			for i := f.First(b); i != 0; i = f.After(i, b) {
				order = append(order, i)
			}
			if want := recursive(f, b); !slices.Equal(order, want) {
				t.Fatalf("block %d: the walk is %v, expected %v", b, order, want)
			}
			walks++
		}
		for _, i := range recursive(f, f.Entry) {
			after := f.After(i, f.Entry)
			if f.Op(i).Is(op.Control) {
				for _, inner := range f.Blocks(i) {
					if of := recursive(f, ir.Block(inner)); len(of) > 0 {
						after = f.After(of[len(of)-1], f.Entry)
					}
				}
			}
			if beyond := f.AfterRegions(i, f.Entry); beyond != after {
				t.Fatalf("%s is followed by %d without its blocks, expected %d", f.InstText(i), beyond, after)
			}
		}
	}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		m := irgen.Generate(seed, irgen.Options{})
		for _, f := range m.Funcs {
			compare(f)
			for b := f.Entry + 1; int(b) < f.BlockCount(); b++ { // not the entry: a module stays
				if random.IntN(3) == 0 {
					for f.First(b) != 0 {
						f.Unlink(f.First(b))
					}
				}
			}
			compare(f)
		}
	}
	if walks < 5000 {
		t.Errorf("%d walks, too few to say anything", walks)
	}
}

// TestControlIsLast holds the order of operations that After relies on.
func TestControlIsLast(t *testing.T) {
	for o := op.Invalid; o < op.Count; o++ {
		if o.Is(op.Control|op.Terminator) != (o >= op.If) {
			t.Errorf("%s is on the wrong side of %s", o, op.If)
		}
	}
}
