package mir

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file tests the parts of the package on small functions.

// plain is a machine with nothing of its own.
type plain struct{}

func (plain) Native(*Builder, ir.Inst) bool { return false }

func (plain) Builtin(b *Builder, x ir.Builtin, component int) Operand {
	return b.EmitMachine(Builtin, scalar.None, Word, uint32(x)*4+uint32(component))
}

var roomy = Traits{LowOffset: -1 << 31, HighOffset: 1<<31 - 1, Lanes: 4}

// lowered lowers the last function of a text.
func lowered(t testing.TB, text string) *Func {
	t.Helper()
	return lowerModule(t, irtest.Parse(t, text))
}

// lowerModule lowers the last function of a module.
func lowerModule(t testing.TB, m *ir.Module) *Func {
	t.Helper()
	kernel := m.Funcs[len(m.Funcs)-1]
	reach := ir.ReachOf(m, kernel)
	var b Builder
	b.Begin(Settings{}, m, plain{}, &roomy, &reach, reach.Resources, 16)
	f := b.Lower(kernel)
	if err := f.Verify(); err != nil {
		t.Fatalf("%v in\n%s", err, f.Text())
	}
	return f
}

// loopText has a loop that swaps two parameters, a value that only one exit passes and one that two
// pass, and a branch on a constant.
const loopText = `
	var @o : ptr<storage, array<u32>, read_write> [group 0, binding 0]
	kernel @main(%id: vec3<u32> [global_invocation_id]) [workgroup 8u, 1u, 1u] {
	  %n = extract %id, 0u : u32
	  %r = loop ^l(%a: u32 = 0u, %b: u32 = 1u) : u32 {
	    %c = gt %a, 100u : bool
	    if ^big %c {
	      exit ^l(%b)
	    } else {
	      exit ^big()
	    }
	    continue ^l(%a)
	  } continuing(%k: u32) {
	    %s = add %k, 1u : u32
	    %e = ge %s, %n : bool
	    next ^l(%b, %a) break_if %e(%s)
	  }
	  if ^never false {
	    store_nothing
	  } else {
	    exit ^never()
	  }
	  %p = address @o, 0u [offset 8] [inbounds] : ptr<storage, u32, read_write>
	  store %p, %r
	  return
	}`

// TestText lowers a kernel and compares its text with one worked out by hand. The back edge swaps
// the loop's parameters, the exits pass the result, and the value of the only continue has no
// parameter. The branch on a constant is gone, and so are blocks that only jump and pass nothing.
func TestText(t *testing.T) {
	f := lowered(t, strings.Replace(loopText, "store_nothing", "exit ^never()", 1))
	const want = `kernel @main
b1:
  %r1 = builtin global_invocation_id.x
  %d1 = binding_address 0
  jump b4(0u, 1u)
b4(%r3, %r4):
  %p1 = gt.u32 %r3, 100u
  branch %p1 b7 b5
b7:
  jump b3(%r4)
b5:
  %r5 = add.u32 %r3, 1u
  %p2 = ge.u32 %r5, %r1
  branch %p2 b3(%r5) b4(%r4, %r3)
b3(%r2):
  store.u32 [storage %d1+8] align 4 %r2
  return
`
	if got := f.Text(); got != want {
		t.Errorf("found\n%sexpected\n%s", got, want)
	}
}

// TestVerify breaks a function in the ways that no text says; testdata/mir/verify has the others.
func TestVerify(t *testing.T) {
	text := strings.Replace(loopText, "store_nothing", "exit ^never()", 1)
	for _, test := range []struct {
		name  string
		spoil func(f *Func)
		want  string
	}{
		{"an edge to nowhere", func(f *Func) { f.Order = f.Order[:len(f.Order)-1] }, "is not in the order"},
		{"a block twice", func(f *Func) { f.Order = append(f.Order, f.Order[1]) }, "is twice in the order"},
		{"no blocks", func(f *Func) { f.Order = nil }, "no blocks"},
		{"a parameter that is a constant", func(f *Func) { f.BlockParams(f.Order[1])[0] = Const(f.Module.ConstU32(1)) }, "is no register"},
		{"memory with a base and a symbol", func(f *Func) {
			f.Symbols = append(f.Symbols, Symbol{Space: ir.Storage, Align: 4})
			f.memory[len(f.memory)-1].Symbol = 1
		}, "a base and a symbol"},
		{"memory that is none", func(f *Func) { f.insts[f.First(f.Order[len(f.Order)-1])].memory = 0 }, "names no memory"},
	} {
		f := lowered(t, text)
		test.spoil(f)
		if err := f.Verify(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, expected %q", test.name, err, test.want)
		}
	}
}

// TestCopies makes random assignments one by one in the order found, and compares with all at
// once.
func TestCopies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	m := ir.NewModule(nil)
	for round := range 3000 {
		var f Func
		f.reset(m, nil, nil)
		n := 1 + random.IntN(12)
		if round%20 == 0 {
			n = maxLinearSearch + random.IntN(80)
		}
		registers := make([]Operand, n)
		for k := range registers {
			registers[k] = f.Fresh(Word)
		}
		targets := slices.Clone(registers)
		random.Shuffle(n, func(a, b int) { targets[a], targets[b] = targets[b], targets[a] })
		targets = targets[:1+random.IntN(n)]
		before, after := map[Operand]int{}, map[Operand]int{}
		for k, r := range registers {
			before[r], after[r] = k, k
		}
		var c Copies
		c.Begin(&f)
		circles := random.IntN(2) == 0
		sources := slices.Clone(targets)
		random.Shuffle(len(sources), func(a, b int) { sources[a], sources[b] = sources[b], sources[a] })
		for k, to := range targets {
			from := registers[random.IntN(n)]
			if circles {
				from = sources[k]
			}
			after[to] = before[from]
			if to != from {
				c.pending = append(c.pending, Copy{to, from})
			}
		}
		most := 2 * len(c.pending)
		ordered := c.Ordered()
		if len(ordered) > most {
			t.Fatalf("%d assignments for %d", len(ordered), most/2)
		}
		for _, x := range ordered {
			before[x.To] = before[x.From]
		}
		for _, r := range registers {
			if before[r] != after[r] {
				t.Fatalf("round %d: %v holds %d, expected %d", round, r, before[r], after[r])
			}
		}
	}
}

// legalisers make of any module one that can be lowered.
var legalisers = []opt.Pass{guard.ZeroInitWorkgroup, guard.Robustness, lower.VarForDynamicIndex, lower.Copies, lower.Scalarize,
	lower.DecomposeAggregates, lower.LowerAccess, opt.Gvn, opt.Dce}

// TestLiveness compares with the equations of liveness, solved by going around until nothing
// changes, on generated modules and the text above.
func TestLiveness(t *testing.T) {
	var functions []*Func
	for seed := range uint64(150) {
		m := irgen.Generate(seed, irgen.Options{NoCalls: true})
		(&opt.Context{Verify: true, List: new(diag.List)}).Run(m, slices.Concat(opt.Standard(), legalisers), ir.Bound|ir.Structured)
		functions = append(functions, lowerModule(t, m))
	}
	functions = append(functions, lowered(t, strings.Replace(loopText, "store_nothing", "exit ^never()", 1)))
	live, most := 0, uint32(0)
	for _, f := range functions {
		want := solve(f)
		var l Liveness
		l.Analyse(f, false)
		for _, b := range f.Order {
			list := l.LiveIn(nil, b)
			live += len(list)
			got := map[Operand]bool{}
			for _, r := range list {
				if got[r] {
					t.Fatalf("b%d has %s twice", b, f.OperandString(r))
				}
				got[r] = true
			}
			if len(got) != len(want[b]) {
				t.Fatalf("b%d: %d registers are live, expected %d", b, len(got), len(want[b]))
			}
			for r := range want[b] {
				if !got[r] {
					t.Fatalf("b%d: %s is live", b, f.OperandString(r))
				}
			}
		}
		pressure := l.Pressure()
		most = max(most, pressure[Word])
		for c := Predicate; c < ClassCount; c++ {
			if pressure[c] >= max(f.Registers(c), 1) {
				t.Errorf("%d registers are live at once, and there are %d", pressure[c], f.Registers(c)-1)
			}
		}
	}
	if live < 500 || most < 5 {
		t.Errorf("%d registers live, %d at once: too few to say anything", live, most)
	}
}

// solve finds what is live where each block begins: what it reads before it assigns it, and what
// is live after it and not assigned in it.
func solve(f *Func) map[Block]map[Operand]bool {
	in := map[Block]map[Operand]bool{}
	for _, b := range f.Order {
		in[b] = map[Operand]bool{}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Order {
			now := map[Operand]bool{}
			read := func(o Operand) {
				if o != NoOperand && !o.IsConst() {
					now[o] = true
				}
			}
			var order []Inst
			for i := f.First(b); i != 0; i = f.Next(i) {
				order = append(order, i)
			}
			for _, e := range f.Edges(f.Last(b)) {
				for r := range in[e.To] {
					read(r)
				}
				for _, o := range f.EdgeArgs(e) {
					read(o)
				}
			}
			for _, i := range slices.Backward(order) {
				for _, r := range f.Results(i) {
					delete(now, r)
				}
				for _, o := range f.Args(i) {
					read(o)
				}
				if HasMemory(f.Op(i)) {
					read(f.Memory(i).Base)
					read(f.Memory(i).Index)
				}
			}
			for _, p := range f.BlockParams(b) {
				delete(now, p)
			}
			if len(now) != len(in[b]) {
				in[b], changed = now, true
			}
		}
	}
	return in
}
