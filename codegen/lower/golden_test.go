package lower_test

import (
	"bytes"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/instrument"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/peephole"
	"github.com/gpuc/gpuc/codegen/workaround/mesa"
	"github.com/gpuc/gpuc/codegen/workaround/nvidia"
	"github.com/gpuc/gpuc/codegen/workaround/ptxas"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

var (
	update = flag.Bool("update", false, "write the results of passes to testdata")
	seeds  = flag.Uint64("seeds", 0, "the number of random modules for each test; 0 is the mode's default")
)

// allExpansions lists the operations that have an expansion.
func allExpansions() []op.Op {
	var ops []op.Op
	for o := range op.Count {
		if lower.Expandable(o) {
			ops = append(ops, o)
		}
	}
	return ops
}

// allTranscendentals lists the functions that Transcendental expands.
func allTranscendentals() []op.Op {
	var ops []op.Op
	for o := range op.Count {
		if lower.Transcendentals[o] != nil {
			ops = append(ops, o)
		}
	}
	return ops
}

// shown are the passes that testdata/lower/<name> shows.
var shown = []opt.Pass{guard.Robustness, guard.RobustTextures, lower.Scalarize, lower.ScratchOver(0), lower.TablesOver(0), instrument.Trap, guard.ZeroInitWorkgroup, nvidia.PairNegatedPhi, shared.HideLoopCount, shared.SingleCaseBlocks, ptxas.MergeCalleeReturns,
	mesa.EndAbsentLanes, ptxas.NegateBySubtraction, ptxas.BiasLateMinMax, nvidia.UnsignedMinMaxOfNegation, nvidia.SignedMinMaxOfLateNegation, lower.DefineArithmetic(lower.GuardAll), lower.Polyfill(allExpansions()...), lower.DecomposeAggregates, lower.LowerAccess,
	lower.DivByConstant, peephole.FMAContraction, lower.Transcendental(allTranscendentals()...), lower.ExpandI64, lower.FloatAtomics, lower.PromoteF16, lower.VarForDynamicIndex, lower.Copies, lower.BulkCopies, lower.LowerMultiLevelExits, lower.LowerMultiLevelBreaks, lower.ScopeToIf,
	lower.StandardUniforms, nvidia.WidenComponentStore, nvidia.BoundEndlessLoop, nvidia.MergeNestedReturns, nvidia.ScalarizeVectorPhi, nvidia.NoContraction, nvidia.ScalarizeVectorCompare, peephole.CombineTruncExt, nvidia.SplitExtendedShift, peephole.DivSqrtToRsqrt, peephole.CombineRangeCheck, mesa.CompareBeforeExtension, mesa.RoundDoublesByFloor, lower.ScheduleOperandReuse, ptxas.ComplementSignedShift, shared.SplitShiftedSums, shared.HideNarrowExtension, shared.MaskNarrowPopcount,
	nvidia.PromoteUniformF16MinMax, lower.Tiles}

// rounding are the passes after which floats may differ in their last digits. The values are the
// greatest relative differences for the texts; transcendental_test.go checks the accuracy of
// functions. Random modules may diverge after a last digit, so their results are not compared.
var rounding = map[string]float64{lower.Transcendental().Name: 0x1p-16, lower.PromoteF16.Name: 0x1p-10, peephole.DivSqrtToRsqrt.Name: 0x1p-21}

// prerequisites are the passes that give random modules the properties that other passes need, in
// the order of targets.
var prerequisites = []opt.Pass{guard.Robustness, lower.VarForDynamicIndex, lower.Scratch, lower.DefineArithmetic(lower.GuardAll)}

// kinds are the scalar kinds of random modules for a pass, if not the default.
var kinds = map[string][]scalar.Kind{
	lower.ExpandI64.Name:                {scalar.I32, scalar.F32, scalar.I64, scalar.U64},
	nvidia.SplitExtendedShift.Name:      {scalar.I32, scalar.U32, scalar.I64, scalar.U64},
	mesa.CompareBeforeExtension.Name:    {scalar.I32, scalar.U32, scalar.I64, scalar.U64},
	mesa.RoundDoublesByFloor.Name:       {scalar.I32, scalar.F32, scalar.F64},
	shared.SplitShiftedSums.Name:        {scalar.I32, scalar.U32, scalar.I64, scalar.U64},
	lower.PromoteF16.Name:               {scalar.I32, scalar.F32, scalar.F16},
	nvidia.PromoteUniformF16MinMax.Name: {scalar.I32, scalar.F32, scalar.F16},
	lower.Transcendental().Name:         {scalar.I32, scalar.F32, scalar.F16},
}

// prepare changes random modules so that a pass finds something to do.
var prepare = map[string]func(m *ir.Module){
	guard.Robustness.Name: stray, instrument.Trap.Name: stray, peephole.FMAContraction.Name: multiply, nvidia.NoContraction.Name: multiply, lower.VarForDynamicIndex.Name: lookUp, lower.StandardUniforms.Name: unalign,
}

// boundsOf returns the bounds mode in which a pass is shown.
func boundsOf(p *opt.Pass, flags string) opt.Bounds {
	switch {
	case p.Name == instrument.Trap.Name:
		return opt.BoundsTrap
	case strings.TrimSpace(flags) == "off":
		return opt.BoundsOff
	}
	return opt.BoundsRobust
}

// TestPasses compares the results of each pass with testdata/lower/<pass>. Both modules are run and
// must agree, but for rounding. The pass's result must pass the interpreter's checks: no access out
// of bounds, or no read of uninitialised workgroup memory.
func TestPasses(t *testing.T) {
	folders, err := os.ReadDir("../../testdata/lower")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !slices.ContainsFunc(shown, func(p opt.Pass) bool { return p.Name == folder.Name() }) {
			t.Errorf("testdata/lower/%s: no pass of that name is tested", folder.Name())
		}
	}
	for n := range shown {
		p := &shown[n]
		files, err := filepath.Glob("../../testdata/lower/" + p.Name + "/*.txt")
		if err != nil || len(files) == 0 {
			t.Errorf("pass %s has no tests", p.Name)
		}
		faulty := 0
		for _, file := range files {
			t.Run(p.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				_, texts := irtest.Sections(t, file)
				m := irtest.Parse(t, texts["in.ir"])
				before := m.Clone()
				c := &opt.Context{List: new(diag.List), Verify: true}
				c.Bounds = boundsOf(p, texts["flags"])
				c.Run(m, []opt.Pass{*p}, p.Needs)
				if *update {
					irtest.WriteSection(t, file, "out.ir", m.Text())
				} else if diff := cmp.Diff(texts["out.ir"], m.Text()); diff != "" {
					t.Errorf("another result (-want +got):\n%s", diff)
				}
				switch c.Bounds {
				case opt.BoundsRobust:
					comparePass(t, p, before, m, 1)
					faulty += found(t, p, before, 1)
				case opt.BoundsTrap:
					faulty += compareTrap(t, before, m, 1)
				}
				again := before.Clone()
				c.Run(again, []opt.Pass{*p}, p.Needs)
				if again.Text() != m.Text() {
					t.Error("a second run with the same context gives another result")
				}
			})
		}
		if _, prevents := faults[p.Name]; prevents != (faulty > 0) {
			t.Errorf("before pass %s the modules have %d of the faults that it prevents", p.Name, faulty)
		}
	}
}

// fill returns a buffer for a binding of a test's kernel: small integers and
// floats. Runtime-sized arrays have fewer elements than there are invocations.
func fill(b interp.Binding, seed uint64) []byte {
	size := int(b.Size) + 6*int(b.Stride)
	if b.Group == 0 && b.Size == 0 && b.Stride == 4 && seed > 1 {
		size = irgen.BufferSizes()[irgen.OutputWords]
	}
	data := make([]byte, size)
	random := rand.New(rand.NewPCG(seed, uint64(b.Binding)))
	for at := 0; at+4 <= size; at += 4 {
		x := uint64(random.IntN(12))
		switch random.IntN(6) {
		case 0:
			x = 0x3f800000 + uint64(random.IntN(1<<26))
		case 1:
			x = uint64(random.Uint32())
		}
		putBits(data[at:], 4, x)
	}
	return data
}

// fillHandles returns textures and samplers for a test's kernel, and the texels
// of the textures: small integers, or floats.
func fillHandles(handles []interp.Handle, seed uint64) (bound []texture.Handle, texels [][]byte) {
	formats := map[scalar.Kind]texture.Format{
		scalar.F32: texture.RGBA32Float, scalar.I32: texture.RGBA32Sint, scalar.U32: texture.RGBA32Uint}
	for n, h := range handles {
		if h.Sampler {
			s := &texture.Sampler{}
			if h.Comparison {
				s.Compare = texture.Less
			}
			bound = append(bound, texture.Handle{Sampler: s})
			continue
		}
		format := h.Format
		switch {
		case h.Shape.IsDepth():
			format = texture.Depth32Float
		case format == texture.NoFormat:
			format = formats[h.Channel]
		}
		d := h.Shape.Describe(format, 7, 5, 6, 3, 3)
		image := texture.NewImage(&d)
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		for level := range d.Levels {
			data := image.Level(level)
			for at := 0; at+4 <= len(data); at += 4 {
				x := uint64(random.IntN(1000))
				if h.Channel == scalar.F32 {
					x = uint64(math.Float32bits(float32(x) / 8))
				}
				putBits(data[at:], 4, x)
			}
			texels = append(texels, data)
		}
		bound = append(bound, texture.Handle{Image: image})
	}
	return bound, texels
}

// own returns the buffer for a binding that a pass has added, as the runtime would, or nil.
func own(m *ir.Module, p *interp.Program, b interp.Binding) []byte {
	switch b.Name {
	case lower.ScratchName:
		size := abi.Scratch{Stride: b.Stride}
		return bytes.Repeat([]byte{0xaa}, int(size.Bytes([3]uint32{irgen.Groups, 1, 1}, p.Workgroup())))
	case lower.TablesName:
		data := make([]byte, b.Size)
		m.PutConst(data, m.Globals[len(m.Globals)-1].Init)
		return data
	}
	return nil
}

// launch runs a module's only kernel. It returns its buffers, except those that a pass has added,
// and the texels of its textures.
func launch(t testing.TB, m *ir.Module, seed uint64, checked bool) ([][]byte, []diag.Diagnostic) {
	t.Helper()
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatalf("%v\n%s", err, m.Text())
	}
	var buffers, bound [][]byte
	for _, b := range p.Bindings() {
		data := own(m, p, b)
		if data == nil {
			data = fill(b, seed)
			buffers = append(buffers, data)
		}
		bound = append(bound, data)
	}
	handles, texels := fillHandles(p.Handles(), seed)
	immediates := fill(interp.Binding{Size: uint32(p.Immediates())}, seed)
	items, err := p.Run(&interp.Launch{Buffers: bound, Handles: handles, Immediates: immediates, Grid: [3]uint32{irgen.Groups, 1, 1},
		Workers: 1, Checked: checked, Fuel: 1 << 22})
	if err != nil {
		t.Fatalf("%v\n%s", err, m.Text())
	}
	return append(buffers, texels...), items
}

// faults lists the diagnostics that the checked mode must not find after a pass.
var faults = map[string]diag.Code{guard.Robustness.Name: diag.OutOfBounds, guard.RobustTextures.Name: diag.OutOfBounds, instrument.Trap.Name: diag.OutOfBounds, guard.ZeroInitWorkgroup.Name: diag.UninitializedRead}

// comparePass fails if a module and the result of a pass leave different buffers, or if the checked
// mode finds a fault that the pass should have prevented.
func comparePass(t testing.TB, p *opt.Pass, before, after *ir.Module, seed uint64) {
	t.Helper()
	want, _ := launch(t, before, seed, false)
	got, items := launch(t, after, seed, false)
	for _, d := range items {
		t.Errorf("%s", d.Message)
	}
	for n := range want {
		// the size of a uniform buffer of words is a multiple of vectors
		if !near(want[n], got[n][:min(len(want[n]), len(got[n]))], rounding[p.Name]) {
			t.Fatalf("seed %d: buffer %d differs:\n%x\nbefore\n%x\n%s\nafter:\n%s", seed, n, got[n], want[n], before.Text(), after.Text())
		}
	}
	if found(t, p, after, seed) > 0 {
		t.Errorf("seed %d: the checked run finds fault with\n%s", seed, after.Text())
	}
}

// near reports whether two buffers agree in all words, except for floats with a relative difference
// of at most part.
func near(want, got []byte, part float64) bool {
	if part == 0 || len(want) != len(got) {
		return bytes.Equal(want, got)
	}
	for at := 0; at < len(want); at += 4 {
		x, y := getBits(want[at:], 4), getBits(got[at:], 4)
		a, b := float64(math.Float32frombits(uint32(x))), float64(math.Float32frombits(uint32(y)))
		if x != y && !(math.Abs(a-b) <= part*math.Abs(a)) {
			return false
		}
	}
	return true
}

// found counts the diagnostics of a checked run that a pass prevents.
func found(t testing.TB, p *opt.Pass, m *ir.Module, seed uint64) int {
	t.Helper()
	n := 0
	_, items := launch(t, m, seed, true)
	for _, d := range items {
		if code, ok := faults[p.Name]; ok && d.Code == code {
			n++
		}
	}
	return n
}

// TestSpans checks the source locations of Robustness's guards, for debuggers: a test has that of
// the use that it guards.
func TestSpans(t *testing.T) {
	m := irtest.Parse(t, `var @x : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @y : ptr<storage, array<u32>, read_write> [group 0, binding 1]

kernel @main(%i: u32 [global_invocation_index]) [workgroup 1u, 1u, 1u] {
  %p = access @x, %i : ptr<storage, u32, read_write>
  %q = access @y, %i : ptr<storage, u32, read_write>
  store %p, 1u
  store %q, 2u
  return
}
`)
	f := m.Kernels()[0]
	spans := map[source.Span]bool{}
	for i := f.First(f.Entry); i != 0; i = f.Next(i) {
		if f.Op(i) == op.Store {
			spans[f.SpanOf(i)] = false
		}
	}
	c := &opt.Context{List: new(diag.List), Verify: true}
	c.Run(m, []opt.Pass{guard.Robustness}, ir.Initial)
	for i := f.First(f.Entry); i != 0; i = f.Next(i) {
		if !f.SpanOf(i).Valid() {
			t.Errorf("%s has no source location", f.Op(i))
		}
		if _, store := spans[f.SpanOf(i)]; store && f.Op(i) == op.Lt {
			spans[f.SpanOf(i)] = true
		}
	}
	for span, tested := range spans {
		if !tested {
			t.Errorf("no test is at %v", span)
		}
	}
}

// seedCount returns the number of random modules for each test.
func seedCount() uint64 {
	if *seeds > 0 {
		return *seeds
	}
	return uint64(testmode.Scaled(200))
}

// TestPassesOnGeneratedModules runs random modules before and after each pass.
func TestPassesOnGeneratedModules(t *testing.T) {
	for n := range shown {
		p := &shown[n]
		t.Run(p.Name, func(t *testing.T) {
			faulty := 0
			_, prevents := faults[p.Name]
			for seed := range seedCount() {
				m := irgen.Generate(seed, irgen.Options{Kinds: kinds[p.Name]})
				c := &opt.Context{List: new(diag.List), Verify: true, Bounds: boundsOf(p, "")}
				if prevents {
					// passes for memory leave the indices of values alone, which the operations
					// clamp and the checked mode reports like those of memory
					c.Run(m, []opt.Pass{lower.DefineArithmetic(lower.GuardIndex)}, ir.Initial)
				}
				if provoke := prepare[p.Name]; provoke != nil {
					provoke(m)
				}
				holds := ir.Initial | ir.Rooted
				for k := range prerequisites {
					if e := &prerequisites[k]; p.Needs&e.Gives&^holds != 0 {
						holds = c.Run(m, []opt.Pass{*e}, holds)
					}
				}
				before := m.Clone()
				c.Run(m, []opt.Pass{*p}, holds)
				if _, rounds := rounding[p.Name]; rounds {
					_, items := launch(t, m, seed+2, false)
					for _, d := range items {
						t.Errorf("%s", d.Message)
					}
					continue
				}
				if p.Name == instrument.Trap.Name {
					faulty += compareTrap(t, before, m, seed+2)
					continue
				}
				comparePass(t, p, before, m, seed+2)
				faulty += found(t, p, before, seed+2)
			}
			if (p.Name == guard.Robustness.Name || p.Name == instrument.Trap.Name) && faulty == 0 {
				t.Error("no access was out of bounds")
			}
		})
	}
}

// TestPassesTogether runs random modules through all of the passes, like a target that lacks
// everything that some target lacks.
func TestPassesTogether(t *testing.T) {
	pipeline := []opt.Pass{guard.ZeroInitWorkgroup, guard.Robustness, lower.Polyfill(allExpansions()...), lower.DefineArithmetic(lower.GuardAll)}
	for seed := range seedCount() {
		m := irgen.Generate(seed, irgen.Options{Exact: true, Instructions: 300})
		before := m.Clone()
		c := &opt.Context{List: new(diag.List), Verify: true}
		c.Run(m, pipeline, ir.Initial)
		comparePass(t, &pipeline[1], before, m, seed+2)
	}
}

// eachInst visits the instructions of a module.
func eachInst(m *ir.Module, visit func(f *ir.Func, i ir.Inst)) {
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			visit(f, i)
		}
	}
}

// stray moves odd dynamic indices far out of range.
func stray(m *ir.Module) {
	eachInst(m, func(f *ir.Func, i ir.Inst) {
		if f.Op(i) != op.Access {
			return
		}
		build := ir.Builder{F: f}
		for n, index := range f.Args(i)[1:] {
			if t := f.TypeOf(index); t == ir.U32 && !index.IsConst() {
				build.SetBefore(i)
				odd := build.Op(op.And, index, m.ConstU32(1))
				far := build.Op(op.Mul, odd, m.ConstU32(1<<20))
				f.SetArg(i, n+1, build.Op(op.Or, index, far))
			}
		}
		f.SetFlags(i, f.Flags(i)&^ir.InBounds)
	})
}

// multiply adds and subtracts products of floats that may be fused. Their factor is -1,
// so that nothing is rounded but the sum.
func multiply(m *ir.Module) {
	eachInst(m, func(f *ir.Func, i ir.Inst) {
		t := f.Type(i)
		if !m.ScalarOf(t).IsFloat() {
			return
		}
		switch f.Op(i) {
		case op.Mul, op.Min, op.Atan2:
			f.SetOp(i, op.Add)
		case op.Div, op.Rem, op.Max, op.Pow:
			f.SetOp(i, op.Sub)
		case op.Add, op.Sub:
		default:
			return
		}
		f.SetFlags(i, ir.Contract)
		build := ir.Builder{F: f, Flags: ir.Contract}
		build.SetBefore(i)
		n := int(i) % 2
		f.SetArg(i, n, build.Op(op.Mul, f.Arg(i, n), m.ConstInt(t, -1)))
	})
}

// lookUp loads constant indices into arrays and matrices from a buffer.
func lookUp(m *ir.Module) {
	eachInst(m, func(f *ir.Func, i ir.Inst) {
		o := f.Op(i)
		if o != op.Extract && o != op.Insert || m.IsVector(f.TypeOf(f.Arg(i, 0))) || m.KindOf(f.TypeOf(f.Arg(i, 0))) == ir.StructType {
			return
		}
		build := ir.Builder{F: f}
		build.SetBefore(i)
		f.SetArg(i, len(f.Args(i))-1, build.Load(build.Access(ir.GlobalValue(irgen.Uniform), m.ConstU32(0))))
	})
}

// unalign gives uniform buffers a layout in which a vector crosses 16 bytes.
func unalign(m *ir.Module) {
	for n := range m.Globals {
		g := &m.Globals[n]
		if m.SpaceOf(g.Type) != ir.Uniform {
			continue
		}
		members := slices.Clone(m.Members(m.Element(g.Type)))
		last := &members[len(members)-1]
		last.Offset += 4
		g.Type = m.PointerTo(ir.Uniform, m.NewStruct("unaligned", members, last.Offset+m.Size(last.Type), 4), ir.Read)
	}
}
