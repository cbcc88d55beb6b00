package ir_test

import (
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// threeKernels has kernels that share functions and variables in different ways.
const threeKernels = `
var @a : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @b : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @c : ptr<workgroup, u32>
var @d : ptr<uniform, u32> [group 1, binding 0]

fn @unused(%x: u32) : u32 {
  return %x
}

fn @leaf(%x: u32) : u32 {
  %p = access @b, %x : ptr<storage, u32, read_write>
  %y = load %p : u32
  return %y
}

kernel @first() [workgroup 1u, 1u, 1u] {
  %p = access @a, 0u : ptr<storage, u32, read_write>
  store %p, 1u
  return
}

fn @middle(%x: u32) : u32 {
  %y = call @leaf, %x : u32
  return %y
}

kernel @second() [workgroup 1u, 1u, 1u] {
  %y = call @leaf, 3u : u32
  store @c, %y
  return
}

kernel @third() [workgroup 1u, 1u, 1u] [interface @d, @b] {
  return
}
`

func parsed(t *testing.T, text string) *ir.Module {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("test.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	m := ir.Parse(&set, file, &list)
	if m == nil {
		t.Fatal(list.Items())
	}
	return m
}

// TestExtractIsWhatIsolateLeaves: an extracted kernel is the module's text without what the kernel
// does not reach, whatever the extractor held before. Isolate leaves the same, and the module that
// was copied from stays as it was.
func TestExtractIsWhatIsolateLeaves(t *testing.T) {
	want := map[string]string{
		"first": `var @a : ptr<storage, array<u32>, read_write> [group 0, binding 0]

kernel @first() [workgroup 1u, 1u, 1u] {
  %p = access @a, 0u : ptr<storage, u32, read_write>
  store %p, 1u
  return
}
`,
		"second": `var @b : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @c : ptr<workgroup, u32>

fn @leaf(%x: u32) : u32 {
  %p = access @b, %x : ptr<storage, u32, read_write>
  %y = load %p : u32
  return %y
}

kernel @second() [workgroup 1u, 1u, 1u] {
  %y = call @leaf, 3u : u32
  store @c, %y
  return
}
`,
		"third": `var @b : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @d : ptr<uniform, u32> [group 1, binding 0]

kernel @third() [workgroup 1u, 1u, 1u] [interface @d, @b] {
  return
}
`,
	}
	m := parsed(t, threeKernels)
	before := m.Text()
	var x ir.Extractor
	for _, name := range []string{"second", "first", "third", "second"} {
		extracted, kernel := x.Extract(m, m.Func(name))
		if kernel.Name != name || kernel.Module != extracted {
			t.Errorf("the kernel's copy is %s", kernel.Name)
		}
		if got := extracted.Text(); got != want[name] {
			t.Errorf("extracting %s gives\n%s", name, got)
		}
		isolated := m.Clone()
		ir.Isolate(isolated, isolated.Func(name))
		if got := isolated.Text(); got != want[name] {
			t.Errorf("isolating %s gives\n%s", name, got)
		}
		// what is done to a copy is seen neither by the module nor by the next copy
		b := ir.NewBuilder(kernel)
		b.SetBefore(kernel.First(kernel.Entry))
		b.Store(b.Var(ir.U32, "more"), extracted.ConstU32(77))
		extracted.NewFunc("more", ir.Void)
	}
	if after := m.Text(); after != before {
		t.Errorf("the module has become\n%s", after)
	}
}

// TestResetModule: a module that is emptied and filled again is as good as new.
func TestResetModule(t *testing.T) {
	m := parsed(t, threeKernels)
	sources := m.Sources
	for range 2 {
		m.Reset(sources)
		f := m.NewFunc("f", ir.U32)
		b := ir.NewBuilder(f)
		x := f.AddParam(f.Entry, ir.U32)
		f.SetName(x, "x")
		b.Return(b.Op(op.Add, x, m.ConstU32(1)))
		want := "\nfn @f(%x: u32) : u32 {\n  %.0 = add %x, 1u : u32\n  return %.0\n}\n"
		if got := m.Text(); got != want {
			t.Errorf("got\n%s", got)
		}
	}
}

// TestVariablesComeFirst: variables are at the start of the function in the order in which they
// were made, also when some have been removed meanwhile.
func TestVariablesComeFirst(t *testing.T) {
	m := ir.NewModule(nil)
	f := m.NewFunc("f", ir.Void)
	b := ir.NewBuilder(f)
	b.Store(b.Var(ir.U32, "a"), m.ConstU32(1))
	second := b.Var(ir.U32, "b")
	b.Store(b.Var(ir.U32, "c"), m.ConstU32(2))
	removed, _ := f.Def(b.Var(ir.U32, "d"))
	f.Remove(removed)
	b.Store(b.Var(ir.U32, "e"), m.ConstU32(3))
	removed, _ = f.Def(second)
	f.Remove(removed)
	b.Var(ir.U32, "g")
	b.Return(0)
	var names string
	i := f.First(f.Entry)
	for ; f.Op(i) == op.Var; i = f.Next(i) {
		names += f.ValueName(f.Result(i))
	}
	if names != "aceg" {
		t.Errorf("the variables are %q, want aceg", names)
	}
	for ; i != 0; i = f.Next(i) {
		if f.Op(i) == op.Var {
			t.Errorf("variable %s comes after other instructions", f.ValueName(f.Result(i)))
		}
	}
}

// TestCopiesShareNoSites adds a checked site to copies of a module, which the others do not get.
func TestCopiesShareNoSites(t *testing.T) {
	m := parsed(t, "site \"x\"\nsite \"y\"\n"+threeKernels)
	var x ir.Extractor
	for _, name := range []string{"first", "second"} {
		clone := m.Clone()
		extracted, _ := x.Extract(m, m.Func(name))
		for _, c := range []*ir.Module{clone, extracted} {
			if len(c.FaultSites) != 2 || c.FaultSites[1].Variable != "y" {
				t.Fatalf("a copy has the sites %v", c.FaultSites)
			}
			c.FaultSites[0].Variable = "z"
			c.FaultSites = append(c.FaultSites, ir.FaultSite{})
		}
	}
	if len(m.FaultSites) != 2 || m.FaultSites[0].Variable != "x" {
		t.Errorf("the module has the sites %v", m.FaultSites)
	}
	if m.Reset(m.Sources); len(m.FaultSites) != 0 {
		t.Errorf("an empty module has the sites %v", m.FaultSites)
	}
}
