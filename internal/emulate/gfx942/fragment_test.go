package gfx942

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/fragmenttest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// fragmentCases are the products of gfx942.
var fragmentCases = []fragmenttest.Case{
	{Subgroup: lanes, Element: scalar.F16, Sum: scalar.F32, Depth: 16},
	{Subgroup: lanes, Element: scalar.BF16, Sum: scalar.F32, Depth: 16},
	{Subgroup: lanes, Element: scalar.I8, Sum: scalar.I32, Depth: 32},
	{Subgroup: lanes, Element: scalar.U8, Sum: scalar.U32, Depth: 32},
	{Subgroup: lanes, Element: scalar.U8, Sum: scalar.I32, Depth: 32},
	{Subgroup: lanes, Element: scalar.U8, Right: scalar.I8, Sum: scalar.I32, Depth: 32},
	{Subgroup: lanes, Element: scalar.I8, Right: scalar.U8, Sum: scalar.I32, Depth: 32},
	{Subgroup: lanes, Element: scalar.F32, Sum: scalar.F32, Depth: 4},
	{Subgroup: lanes, Element: scalar.F32, Sum: scalar.F32, Depth: 16},
}

// fragmentRun is a kernel with fragments and its code.
type fragmentRun struct {
	c       fragmenttest.Case
	sizes   [5]int
	want    [][]byte
	program bench.Program
}

func newFragmentRun(t *testing.T, c fragmenttest.Case, target *codegen.Target, o codegen.Options) *fragmentRun {
	t.Helper()
	x := &fragmentRun{c: c}
	var text string
	text, x.sizes = c.Text()
	x.want = c.Interpreted(t, text, c.Fill(x.sizes))
	x.program = compileIR(t, text, target, o)
	return x
}

// run executes the kernel, and compares the buffers with those of the interpreter.
func (x *fragmentRun) run(o *Object, kernel string) error {
	buffers := x.c.Fill(x.sizes)
	l := launchOf(0, x.program.Kernel, [3]uint32{1, 1, 1}, buffers, nil)
	l.Kernel, l.Unit = kernel, 2
	products := 0
	l.Count = func(name string, _ bool) {
		if strings.HasPrefix(name, "v_mfma") {
			products++
		}
	}
	if err := o.Run(l); err != nil {
		return fmt.Errorf("%+v: %w", x.c, err)
	}
	if products == 0 {
		return fmt.Errorf("%+v: no product is executed", x.c)
	}
	for n := range buffers {
		if string(buffers[n]) != string(x.want[n]) {
			return fmt.Errorf("%+v: buffer %d is\n%x, want\n%x", x.c, n, buffers[n], x.want[n])
		}
	}
	return nil
}

// TestDirectFragments executes products of fragments without LLVM.
func TestDirectFragments(t *testing.T) {
	options := []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsOff}}
	for _, c := range fragmentCases {
		for n := range fragmenttest.Variants {
			if testing.Short() && n%5 != 0 {
				continue
			}
			x := newFragmentRun(t, c.Variant(n), amdgpu.Direct(), options[n%len(options)])
			o, err := Load(x.program.Code)
			if err != nil {
				t.Fatal(err)
			}
			if err := x.run(o, x.program.Kernel.Name); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestFragments executes products of fragments that LLVM has compiled.
func TestFragments(t *testing.T) {
	needTools(t)
	var runs []*fragmentRun
	var programs []bench.Program
	for _, c := range fragmentCases {
		for n := 0; n < fragmenttest.Variants; n += 7 {
			runs = append(runs, newFragmentRun(t, c.Variant(n), &amdgpu.Target, codegen.Options{}))
			programs = append(programs, runs[len(runs)-1].program)
		}
	}
	assembled, err := bench.Assemble(profile, programs)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Load(assembled.Data)
	if err != nil {
		t.Fatal(err)
	}
	for n, x := range runs {
		if err := x.run(o, bench.KernelName(n)); err != nil {
			t.Error(err)
		}
	}
}

// layoutMutants returns layouts with two neighbouring bits of a row or column exchanged.
func layoutMutants(l ir.FragmentLayout) (list []ir.FragmentLayout) {
	for k := range len(l.Rows) - 1 {
		m := l
		m.Rows = exchanged(l.Rows, k)
		list = append(list, m)
	}
	for k := range len(l.Columns) - 1 {
		m := l
		m.Columns = exchanged(l.Columns, k)
		list = append(list, m)
	}
	return list
}

func exchanged(s string, k int) string {
	b := []byte(s)
	b[k], b[k+1] = b[k+1], b[k]
	return string(b)
}

// TestFragmentMutants changes a layout of a product at a time: the results are wrong.
func TestFragmentMutants(t *testing.T) {
	direct := amdgpu.Direct()
	at := slices.IndexFunc(direct.Profiles, func(p codegen.Profile) bool { return p.Name == profile })
	count := 0
	for _, x := range direct.Profiles[at].FragmentTable.Instructions {
		c := fragmentCases[slices.IndexFunc(fragmentCases, func(c fragmenttest.Case) bool {
			return c.Element == x.Left && cmp.Or(c.Right, c.Element) == x.Right && c.Sum == x.Sum
		})].Variant(0)
		for operand, layout := range []ir.FragmentLayout{x.LeftLayout, x.RightLayout, x.ResultLayout} {
			for _, mutant := range layoutMutants(layout) {
				table := *direct.Profiles[at].FragmentTable
				table.Instructions = slices.Clone(table.Instructions)
				for k := range table.Instructions { // a type has one layout
					switch y := &table.Instructions[k]; {
					case operand == 0 && y.Left == x.Left && y.Depth == x.Depth:
						y.LeftLayout = mutant
					case operand == 1 && y.Right == x.Right && y.Depth == x.Depth:
						y.RightLayout = mutant
					case operand == 2 && y.Sum == x.Sum:
						y.ResultLayout = mutant
					}
				}
				target := *direct
				target.Profiles = slices.Clone(direct.Profiles)
				target.Profiles[at].FragmentTable = &table
				r := newFragmentRun(t, c, &target, codegen.Options{})
				o, err := Load(r.program.Code)
				if err != nil {
					t.Fatal(err)
				}
				count++
				if err := r.run(o, r.program.Kernel.Name); err == nil {
					t.Errorf("%s: with %+v for operand %d the results are right", x.Intrinsic, mutant, operand)
				}
			}
		}
	}
	t.Logf("%d mutants", count)
	if count < 50 {
		t.Error("these are too few to say anything")
	}
}
