package codegen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file counts instructions by class, and accesses by memory and width: the instruction mix.
// Targets with machine code count that (Target.Mix). For others it is the IR after all passes,
// which their drivers compile further.

// Report has facts about a kernel's code, for people (Options.Report).
type Report struct {
	opt.Survey
	// Mix is that of the IR after all passes.
	Mix Mix
	// NoTensor says why a kernel with tiles has no variant with tensor maps; "" if it has one.
	NoTensor string
	// Unmapped is the profile of that variant with the target's name, if it has no tensor maps: its
	// products are of float64. Else it is "".
	Unmapped string
}

// Mix is the instruction mix of a kernel and of the functions it calls.
type Mix struct {
	Of     string // what was counted: gpuc's IR, PTX, a machine's code
	Kernel Part
	// Loop is the loop in which the kernel probably spends most of its time. Of the deepest
	// innermost loops it is the one with the most instructions. It is empty if there is no loop.
	Loop Part
}

// Part is the instruction mix of a part of the code, in descending order.
type Part struct {
	Instructions uint64 // the total
	Classes      []Count
	Accesses     []AccessCount
}

// AccessCount counts loads or stores of a width. They are among the instructions.
type AccessCount struct {
	Memory string // such as "global memory"
	Store  bool
	Bits   uint64
	Number uint64
}

// Add adds instructions of a class.
func (p *Part) Add(class string, number uint64) {
	if number == 0 || p == nil {
		return
	}
	p.Instructions += number
	for n := range p.Classes {
		if p.Classes[n].What == class {
			p.Classes[n].Number += number
			return
		}
	}
	p.Classes = append(p.Classes, Count{number, class})
}

// AddAccess adds a load or store.
func (p *Part) AddAccess(a AccessCount) {
	if p == nil {
		return
	}
	p.Instructions += a.Number
	for n := range p.Accesses {
		if o := &p.Accesses[n]; o.Memory == a.Memory && o.Store == a.Store && o.Bits == a.Bits {
			o.Number += a.Number
			return
		}
	}
	p.Accesses = append(p.Accesses, a)
}

// Sort sorts the classes by descending count, and the accesses by memory, loads first, by width.
func (p *Part) Sort() {
	if p == nil {
		return
	}
	slices.SortFunc(p.Classes, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Number, a.Number), strings.Compare(a.What, b.What)) })
	slices.SortFunc(p.Accesses, func(a, b AccessCount) int {
		stores := map[bool]int{true: 1}
		return cmp.Or(strings.Compare(a.Memory, b.Memory), cmp.Compare(stores[a.Store], stores[b.Store]), cmp.Compare(b.Bits, a.Bits))
	})
}

// String lists accesses by memory, and then the other instructions by class.
func (p *Part) String() string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	for n, a := range p.Accesses {
		switch {
		case n > 0 && a.Memory == p.Accesses[n-1].Memory:
			b.WriteString(", ")
		case n > 0:
			b.WriteString("; " + a.Memory + ": ")
		default:
			b.WriteString(a.Memory + ": ")
		}
		what := "load"
		if a.Store {
			what = "store"
		}
		fmt.Fprintf(&b, "%d %s%s of %s", a.Number, what, plural(a.Number), size(a.Bits))
	}
	for n, c := range p.Classes {
		switch {
		case n > 0:
			b.WriteString(", ")
		case b.Len() > 0:
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %d", c.What, c.Number)
	}
	return cmp.Or(b.String(), "none")
}

// size returns the width of an access as text.
func size(bits uint64) string {
	if bits%8 != 0 {
		return fmt.Sprintf("%d bit%s", bits, plural(bits))
	}
	return fmt.Sprintf("%d byte%s", bits/8, plural(bits/8))
}

// plural returns the ending of a noun for a count.
func plural(n uint64) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// The words for classes of instructions.
const (
	FusedMultiplyAdds = "fused multiply-adds"
	FloatAdditions    = "float additions"
	FloatProducts     = "float multiplications"
	FloatFunctions    = "divisions and functions of floats"
	IntegerOperations = "integer operations"
	Comparisons       = "comparisons"
	Selections        = "selections"
	Conversions       = "conversions"
	Atomics           = "atomic operations"
	TextureOperations = "operations on textures"
	Synchronisation   = "barriers and subgroup operations"
	Branches          = "branches"
)

// memoryNames are the memories of loads and stores, by address space.
var memoryNames = [...]string{
	ir.Function: "the invocation's variables", ir.Private: "the invocation's variables", ir.Workgroup: "workgroup memory", ir.Uniform: "uniform buffers",
	ir.Storage: "storage buffers", ir.Constant: "tables", ir.Immediate: "immediates",
}

// mixOf counts the IR of a kernel and of its callees.
func mixOf(m *ir.Module, kernel *ir.Func) Mix {
	mix := Mix{Of: "the IR after all passes"}
	deepest := 0
	for _, f := range ir.ReachOf(m, kernel).Funcs {
		mix.Kernel.block(f, f.Entry)
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) != op.Loop || holdsLoop(f, i) {
				continue
			}
			var loop Part
			for n := range f.Blocks(i) {
				loop.block(f, f.Region(i, n))
			}
			if d := loopDepth(f, i); cmp.Or(cmp.Compare(d, deepest), cmp.Compare(loop.Instructions, mix.Loop.Instructions)) > 0 {
				deepest, mix.Loop = d, loop
			}
		}
	}
	mix.Kernel.Sort()
	mix.Loop.Sort()
	return mix
}

// holdsLoop reports whether a loop contains a loop.
func holdsLoop(f *ir.Func, loop ir.Inst) bool {
	for n := range f.Blocks(loop) {
		root := f.Region(loop, n)
		for i := f.First(root); i != 0; i = f.After(i, root) {
			if f.Op(i) == op.Loop {
				return true
			}
		}
	}
	return false
}

// loopDepth returns the nesting depth of a loop in its function; the outermost has 1.
func loopDepth(f *ir.Func, i ir.Inst) (depth int) {
	for ; i != 0; i = f.Parent(f.BlockOf(i)) {
		if f.Op(i) == op.Loop {
			depth++
		}
	}
	return depth
}

// block adds the instructions of a block and of those nested in it.
func (p *Part) block(f *ir.Func, root ir.Block) {
	for i := f.First(root); i != 0; i = f.After(i, root) {
		p.instruction(f, i)
	}
}

// instruction adds an instruction. One that only names addresses or values, and is no operation on
// any machine, is left out.
func (p *Part) instruction(f *ir.Func, i ir.Inst) {
	o := f.Op(i)
	if (o == op.Load || o == op.Store) && f.Module.IsPointer(f.TypeOf(f.Arg(i, 0))) {
		t := f.TypeOf(f.Arg(i, 0))
		if f.Module.SpaceOf(t) == ir.Handle { // a name, and no memory
			return
		}
		p.AddAccess(AccessCount{memoryNames[f.Module.SpaceOf(t)], o == op.Store, 8 * uint64(f.Module.Size(f.Module.Element(t))), 1})
		return
	}
	float := false
	if args := f.Args(i); len(args) > 0 {
		k := f.Module.ScalarOf(f.TypeOf(args[0]))
		float = k != scalar.None && k.IsFloat()
	}
	class := classes[o]
	if float {
		class = floatClasses[o]
	}
	if class != "" {
		p.Add(class, 1)
	}
}

// classRows are the classes of instructions by ranges of operations. Earlier rows take precedence.
var classRows = [...]struct {
	first, last op.Op
	floats      bool // only for operands that are floats
	class       string
}{
	{op.Fma, op.Fma, false, FusedMultiplyAdds},
	{op.Dot, op.Dot, true, FusedMultiplyAdds},
	{op.Add, op.Add, true, FloatAdditions},
	{op.Sub, op.Sub, true, FloatAdditions},
	{op.Mul, op.Mul, true, FloatProducts},
	{op.Div, op.Div, true, FloatFunctions},
	{op.Rem, op.Rem, true, FloatFunctions},
	{op.Sqrt, op.QuantizeF16, false, FloatFunctions},
	{op.Eq, op.Ge, false, Comparisons},
	{op.All, op.All, false, Comparisons},
	{op.Any, op.Any, false, Comparisons},
	{op.Select, op.Select, false, Selections},
	{op.Min, op.Min, true, Selections},
	{op.Max, op.Max, true, Selections},
	{op.Clamp, op.Clamp, true, Selections},
	{op.Abs, op.Abs, true, Selections},
	{op.Neg, op.Neg, true, Selections},
	{op.Sign, op.Sign, true, Selections},
	{op.Convert, op.Convert, false, Conversions},
	{op.Floor, op.Fract, false, Conversions},
	{op.Pack4x8Snorm, op.Unpack2x16Float, false, Conversions},
	{op.Neg, op.InsertBits, false, IntegerOperations},
	{op.Dot, op.Dot4U8, false, IntegerOperations},
	{op.Address, op.Address, false, IntegerOperations},
	{op.AtomicLoad, op.AtomicCompareExchange, false, Atomics},
	{op.TextureSize, op.TextureGatherCompare, false, TextureOperations},
	{op.ControlBarrier, op.QuadSwapDiagonal, false, Synchronisation},
	{op.If, op.If, false, Branches},
	{op.Switch, op.Switch, false, Branches},
	{op.Loop, op.Loop, false, Branches},
	{op.Call, op.Call, false, Branches},
}

// classes and floatClasses are the classes by operation, or "" if an operation is not counted.
var classes, floatClasses = func() (all, floats [op.Count]string) {
	for _, row := range classRows {
		for o := row.first; o <= row.last; o++ {
			if !row.floats {
				all[o] = cmp.Or(all[o], row.class)
			}
			floats[o] = cmp.Or(floats[o], row.class)
		}
	}
	return all, floats
}()
