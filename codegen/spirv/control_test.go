package spirv

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// This file tries control flow on random kernels: nested ifs, switches, loops
// and scopes with results, left by exits to any label, continues and returns.
// Every kernel ends, and mixes what it passes into a number that it stores, so
// that a wrong path shows.

var seedCount = flag.Int("seeds", 200, "how many random kernels TestRandomControl tries")

// randomControl builds a kernel from a seed.
type randomControl struct {
	random    *rand.Rand
	m         *ir.Module
	f         *ir.Func
	b         *ir.Builder
	trace     ir.Value // variable that every step is mixed into
	pool      []ir.Value
	enclosing []enclosing
	budget    int
}

type enclosing struct {
	inst  ir.Inst
	index int
}

func newRandomControl(seed uint64) *ir.Module {
	m := ir.NewModule(nil)
	f := m.NewFunc("main", ir.Void)
	f.Kernel = true
	f.Workgroup = [3]ir.Value{m.ConstU32(32), m.ConstU32(1), m.ConstU32(1)}
	f.Builtins = []ir.Builtin{ir.LocalInvocationIndex}
	index := f.AddParam(f.Entry, ir.U32)
	out := m.AddGlobal(ir.Global{Name: "out", Type: m.PointerTo(ir.Storage, m.ArrayOf(ir.U32, m.ConstU32(32)), ir.ReadWrite), Bound: true})
	r := &randomControl{random: rand.New(rand.NewPCG(seed, 1)), m: m, f: f, b: ir.NewBuilder(f), budget: 60}
	r.trace = r.b.Var(ir.U32, "trace")
	r.b.Store(r.trace, index)
	r.pool = append(r.pool, index, m.ConstU32(1))
	scope := r.b.Scope() // a return must not skip the store
	r.enclosing = append(r.enclosing, enclosing{scope, 0})
	r.b.SetBlock(f.Region(scope, 0))
	r.block(f.Region(scope, 0))
	r.b.SetBlock(f.Entry)
	r.b.Flags = ir.InBounds
	r.b.Store(r.b.Access(out, index), r.b.Load(r.trace))
	r.b.Return(0)
	return m
}

func (r *randomControl) value() ir.Value { return r.pool[r.random.IntN(len(r.pool))] }

func (r *randomControl) values(types []ir.Value) []ir.Value {
	out := make([]ir.Value, len(types))
	for n := range out {
		out[n] = r.value()
	}
	return out
}

func (r *randomControl) condition() ir.Value {
	bits := r.b.Op(op.And, r.value(), r.m.ConstU32(1<<r.random.Uint32N(3)))
	return r.b.Op(op.Eq, bits, r.m.ConstU32(0))
}

// step mixes something into the trace.
func (r *randomControl) step() {
	x := r.b.Op(op.Mul, r.b.Load(r.trace), r.m.ConstU32(31))
	x = r.b.Op(op.Add, x, r.value())
	x = r.b.Op(op.Xor, x, r.m.ConstU32(r.random.Uint32N(1000)))
	r.b.Store(r.trace, x)
	r.pool = append(r.pool, x)
}

// block fills a block up to its terminator.
func (r *randomControl) block(b ir.Block) {
	mark := len(r.pool)
	r.b.SetBlock(b)
	r.step()
	for r.budget > 0 && r.random.IntN(3) > 0 {
		r.budget--
		r.control(b)
		r.b.SetBlock(b)
		r.step()
	}
	r.terminator()
	r.pool = r.pool[:mark]
}

// terminator leaves the block: mostly for the innermost label.
func (r *randomControl) terminator() {
	innermost := r.enclosing[len(r.enclosing)-1]
	if r.random.IntN(4) == 0 {
		n := len(r.enclosing) - 1 - r.random.IntN(len(r.enclosing))
		for k := n; k < len(r.enclosing); k++ { // nothing leaves a continuing block
			if e := r.enclosing[k]; r.f.Op(e.inst) == op.Loop && e.index == 1 {
				n = len(r.enclosing) - 1
			}
		}
		e := r.enclosing[n]
		if r.f.Op(e.inst) == op.Loop && e.index == 0 && r.random.IntN(2) == 0 {
			r.b.Continue(e.inst, r.values(r.f.Params(r.f.Region(e.inst, 1)))...)
			return
		}
		if r.f.Op(e.inst) != op.Loop || e.index == 0 {
			r.b.Exit(e.inst, r.values(r.f.Results(e.inst))...)
			return
		}
	}
	if r.f.Op(innermost.inst) == op.Loop {
		r.b.Continue(innermost.inst, r.values(r.f.Params(r.f.Region(innermost.inst, 1)))...)
		return
	}
	r.b.Exit(innermost.inst, r.values(r.f.Results(innermost.inst))...)
}

func (r *randomControl) control(b ir.Block) {
	var i ir.Inst
	results := r.random.IntN(3)
	switch r.random.IntN(4) {
	case 0:
		i = r.b.If(r.condition())
	case 1:
		selector := r.b.Op(op.And, r.value(), r.m.ConstU32(3))
		blocks := 1 + r.random.IntN(3)
		i = r.b.Switch(selector, blocks, r.random.IntN(blocks))
		for n := range r.random.IntN(4) {
			r.f.AddCase(i, r.m.ConstU32(uint32(n)), r.random.IntN(blocks))
		}
	case 2:
		i = r.b.Scope()
	default:
		r.loop(results)
		return
	}
	for range results {
		r.f.AddResult(i, ir.U32)
	}
	for n := range r.f.Blocks(i) {
		r.enclosing = append(r.enclosing, enclosing{i, n})
		r.block(r.f.Region(i, n))
		r.enclosing = r.enclosing[:len(r.enclosing)-1]
	}
	r.pool = append(r.pool, r.f.Results(i)...)
}

// loop builds a loop of a few iterations: its first parameter counts them.
func (r *randomControl) loop(results int) {
	f := r.f
	i := r.b.Loop()
	count := f.AddLoopParam(i, r.m.ConstU32(0))
	params := []ir.Value{count}
	for range r.random.IntN(3) {
		params = append(params, f.AddLoopParam(i, r.value()))
	}
	for range results {
		f.AddResult(i, ir.U32)
	}
	body, continuing := f.Region(i, 0), f.Region(i, 1)
	for range r.random.IntN(3) {
		f.AddParam(continuing, ir.U32)
	}
	mark := len(r.pool)
	r.pool = append(r.pool, params...)
	r.enclosing = append(r.enclosing, enclosing{i, 0})
	r.block(body)
	r.enclosing[len(r.enclosing)-1].index = 1

	r.pool = append(r.pool, f.Params(continuing)...)
	r.b.SetBlock(continuing)
	r.step()
	if r.budget > 0 && r.random.IntN(3) == 0 {
		r.budget--
		r.control(continuing)
		r.b.SetBlock(continuing)
	}
	next := append([]ir.Value{r.b.Op(op.Add, count, r.m.ConstU32(1))}, r.values(params[1:])...)
	last := r.b.Op(op.Ge, count, r.m.ConstU32(r.random.Uint32N(3)))
	r.b.Next(i, next, last, r.values(f.Results(i)))
	r.enclosing = r.enclosing[:len(r.enclosing)-1]
	r.pool = append(r.pool[:mark], f.Results(i)...)
}

// interpret runs a kernel that newRandomControl made.
func interpret(t *testing.T, m *ir.Module) []byte {
	t.Helper()
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, 4*32)
	items, err := p.Run(&interp.Launch{Buffers: [][]byte{out}, Grid: [3]uint32{1, 1, 1}, Fuel: 1 << 24, Checked: true})
	if err != nil || len(items) > 0 {
		t.Fatalf("%v %+v", err, items)
	}
	return out
}

// TestRandomControl checks lower.LowerMultiLevelExits against the interpreter, and the modules
// against the validator.
func TestRandomControl(t *testing.T) {
	seeds := *seedCount
	if testing.Short() {
		seeds = min(seeds, 50)
	}
	validator, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Log("spirv-val is not installed (Debian: spirv-tools): modules are not validated")
	}
	file := filepath.Join(t.TempDir(), "module.spv")
	for seed := range seeds {
		m := newRandomControl(uint64(seed))
		code := emitControl(t, m, uint64(seed))
		if validator == "" {
			continue
		}
		if err := os.WriteFile(file, code, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(validator, "--target-env", "vulkan1.1", file).CombinedOutput(); err != nil {
			text, _ := assemble(code)
			t.Fatalf("seed %d: spirv-val: %v\n%s\n%s\n%s", seed, err, out, m.Text(), text)
		}
	}
}

// FuzzControl searches for seeds that TestRandomControl fails on.
func FuzzControl(f *testing.F) {
	f.Add(uint64(4))
	f.Add(uint64(28))
	f.Fuzz(func(t *testing.T, seed uint64) { emitControl(t, newRandomControl(seed), seed) })
}

// emitControl checks what lower.LowerMultiLevelExits makes of a kernel and returns its module.
func emitControl(t *testing.T, m *ir.Module, seed uint64) []byte {
	t.Helper()
	var list diag.List
	ir.Verify(m, &list)
	if list.Errors() > 0 {
		t.Fatalf("seed %d: the kernel does not verify: %v\n%s", seed, list.Items()[0], m.Text())
	}
	want := interpret(t, m)
	legal := m.Clone()
	c := &opt.Context{List: &list, Verify: true}
	c.Run(legal, []opt.Pass{lower.LowerMultiLevelExits}, ir.Bound)
	if got := interpret(t, legal); !bytes.Equal(got, want) {
		t.Fatalf("seed %d: after structexits it computes %x instead of %x\n%s\n%s", seed, got, want, m.Text(), legal.Text())
	}
	code := compileModule(m, false, &list)
	if code == nil {
		t.Fatalf("seed %d: %+v\n%s", seed, list.Items(), m.Text())
	}
	return code
}

// TestKnownBranches checks that no branch is on a constant (see workaround.Choices).
func TestKnownBranches(t *testing.T) {
	code := compileText(t, `
		var @o : ptr<storage, array<u32, 8u>, read_write> [group 0, binding 0]
		kernel @main(%i: u32 [local_invocation_index]) [workgroup 8u, 1u, 1u] {
		  %p = access @o, %i : ptr<storage, u32, read_write>
		  %r = loop ^l(%k: u32 = 0u) : u32 {
		    if ^never false {
		      store %p, 1u
		      exit ^l(7u)
		    } else {
		      exit ^never()
		    }
		    %v = if ^always true : u32 {
		      if ^inner true {
		        store %p, 2u
		        exit ^always(%k)
		      } else {
		        exit ^inner()
		      }
		      exit ^always(3u)
		    } else {
		      return
		    }
		    continue ^l()
		  } continuing() {
		    %n = add %k, 1u : u32
		    %e = eq %n, 3u : bool
		    next ^l(%n) break_if %e(%n)
		  }
		  store %p, %r
		  return
		}`, false)
	validate(t, code)
	text, err := assemble(code)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(text, "OpBranchConditional"); got != 1 {
		t.Errorf("%d conditional branches, expected the loop's:\n%s", got, text)
	}
	if got := strings.Count(text, "OpReturn"); got != 1 {
		t.Errorf("%d returns, expected the one that runs:\n%s", got, text)
	}
}

// TestLoopsApart: a loop in a loop, at any depth, that carries nothing has its own barrier
// before its header, and no other has.
func TestLoopsApart(t *testing.T) {
	const spin = `
		loop ^spin() {
		  %old = atomic_load %p : u32
		  %end = eq %old, 7u : bool
		  if ^through %end {
		    exit ^spin()
		  } else {
		    exit ^through()
		  }
		  continue ^spin()
		} continuing() {
		  next ^spin()
		}`
	const counted = `
		loop ^count(%k: u32 = 3u) {
		  %last = eq %k, 0u : bool
		  if ^more %last {
		    exit ^count()
		  } else {
		    exit ^more()
		  }
		  BODY
		  continue ^count()
		} continuing() {
		  %n = sub %k, 1u : u32
		  next ^count(%n)
		}`
	const guarded = `
		if ^guard %c {
		  SPIN
		  exit ^guard()
		} else {
		  exit ^guard()
		}`
	within := func(outer, mark, inner string) string { return strings.Replace(outer, mark, inner, 1) }
	for _, test := range []struct {
		name, body string
		want       int
	}{
		{"alone", spin, 0},
		{"counted", within(counted, "BODY", ""), 0},
		{"in a loop", within(counted, "BODY", spin), 1},
		{"under a condition in a loop", within(counted, "BODY", within(guarded, "SPIN", spin)), 1},
		{"counted in a loop", within(counted, "BODY", strings.NewReplacer("%k", "%j", "%n", "%m", "%last", "%l", "^count", "^inner", "^more", "^further").Replace(
			within(counted, "BODY", ""))), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			code := compileText(t, `
				var @s : ptr<storage, array<atomic<u32>, 2u>, read_write> [group 0, binding 0]
				kernel @main(%i: u32 [local_invocation_index]) [workgroup 8u, 1u, 1u] {
				  %p = access @s, 0u : ptr<storage, atomic<u32>, read_write>
				  %c = eq %i, 0u : bool`+test.body+`
				  return
				}`, false)
			validate(t, code)
			text, err := assemble(code)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(text, "OpMemoryBarrier"); got != test.want {
				t.Errorf("%d barriers, expected %d:\n%s", got, test.want, text)
			}
		})
	}
}
