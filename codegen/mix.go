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

// This file holds what code consists of: instructions by class, and accesses by memory and width. A
// target whose code is a machine's has its own counted (Target.Mix); of others it is the last form
// of the IR that is, which their drivers compile further.

// Report takes what people want to know of a kernel's code beside the code (Options.Report).
type Report struct {
	opt.Survey
	// Mix is that of the IR which the target's code was written of.
	Mix Mix
}

// Mix is what a kernel's code, and that of the functions it calls, consists of.
type Mix struct {
	Of     string // what was counted: gpuc's IR, PTX, a machine's code
	Kernel Part
	// Loop is the loop in which the kernel is most likely to spend its time: of the innermost loops
	// that are nested deepest the one with the most instructions. It has none if there is no loop.
	Loop Part
}

// Part is what a part of code consists of. What there is most of comes first.
type Part struct {
	Instructions uint64 // all of them
	Classes      []Count
	Accesses     []AccessCount
}

// AccessCount is how many loads or stores there are of a width. They are among the instructions.
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

// Sort puts what there is most of first.
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

// size says how wide an access is.
func size(bits uint64) string {
	if bits%8 != 0 {
		return fmt.Sprintf("%d bit%s", bits, plural(bits))
	}
	return fmt.Sprintf("%d byte%s", bits/8, plural(bits/8))
}

// plural ends a word for a number of things.
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

// memoryNames are the memories of loads and stores, by space.
var memoryNames = [...]string{
	ir.Function: "the invocation's variables", ir.Private: "the invocation's variables", ir.Workgroup: "workgroup memory", ir.Uniform: "uniform buffers",
	ir.Storage: "storage buffers", ir.Constant: "tables", ir.Immediate: "immediates",
}

// mixOf counts the IR of a kernel and of what it calls.
func mixOf(m *ir.Module, kernel *ir.Func) Mix {
	mix := Mix{Of: "the IR behind all passes"}
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

// holdsLoop reports whether there are loops in a loop.
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

// loopDepth is how many loops of a function a loop is in, itself among them.
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
	class := ""
	switch {
	case o == op.Fma, o == op.Dot && float:
		class = FusedMultiplyAdds
	case float && (o == op.Add || o == op.Sub):
		class = FloatAdditions
	case float && o == op.Mul:
		class = FloatProducts
	case float && (o == op.Div || o == op.Rem), o >= op.Sqrt && o <= op.QuantizeF16:
		class = FloatFunctions
	case o >= op.Eq && o <= op.Ge, o == op.All, o == op.Any:
		class = Comparisons
	case o == op.Select, float && (o == op.Min || o == op.Max || o == op.Clamp || o == op.Abs || o == op.Neg || o == op.Sign):
		class = Selections
	case o == op.Convert, o >= op.Floor && o <= op.Fract, o >= op.Pack4x8Snorm && o <= op.Unpack2x16Float:
		class = Conversions
	case o >= op.Neg && o <= op.InsertBits, o == op.Dot, o == op.Dot4I8, o == op.Dot4U8, o == op.Address:
		class = IntegerOperations
	case o >= op.AtomicLoad && o <= op.AtomicCompareExchange:
		class = Atomics
	case o >= op.TextureSize && o <= op.TextureGatherCompare:
		class = TextureOperations
	case o >= op.ControlBarrier && o <= op.QuadSwapDiagonal:
		class = Synchronisation
	case o == op.If, o == op.Switch, o == op.Loop, o == op.Call:
		class = Branches
	default:
		return
	}
	p.Add(class, 1)
}
