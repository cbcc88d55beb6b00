package gokernel

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// intrinsic translates a call of a function that devices implement.
type intrinsic func(f *frame, args []operand, v *ssa.Call) operand

// intrinsics are those functions, by types.Func.FullName. They are set here, as those that inline
// functions lead back to the table.
var intrinsics func() map[string]intrinsic

func init() { intrinsics = sync.OnceValue(makeIntrinsics) }

func intrinsicOf(f *types.Func) intrinsic { return intrinsics()[f.Origin().FullName()] }

func isIntrinsic(f *types.Func) bool { return intrinsicOf(f) != nil }

// floatFunctions are the functions of package gpu on f32, and their operations.
var floatFunctions = sync.OnceValue(func() map[string]op.Op {
	return map[string]op.Op{
		"Abs": op.Abs, "Floor": op.Floor, "Ceil": op.Ceil, "Trunc": op.Trunc, "Round": op.Round, "Fract": op.Fract,
		"Sqrt": op.Sqrt, "InverseSqrt": op.InverseSqrt,
		"Sin": op.Sin, "Cos": op.Cos, "Tan": op.Tan, "Asin": op.Asin, "Acos": op.Acos, "Atan": op.Atan, "Atan2": op.Atan2,
		"Sinh": op.Sinh, "Cosh": op.Cosh, "Tanh": op.Tanh, "Asinh": op.Asinh, "Acosh": op.Acosh, "Atanh": op.Atanh,
		"Exp": op.Exp, "Exp2": op.Exp2, "Log": op.Log, "Log2": op.Log2, "Pow": op.Pow, "FMA": op.Fma,
	}
})

// wordFunctions are functions of package gpu on integers, and Clamp.
var wordFunctions = sync.OnceValue(func() map[string]op.Op {
	return map[string]op.Op{"Clamp": op.Clamp, "ExtractBits": op.ExtractBits, "Dot4I8": op.Dot4I8, "Dot4U8": op.Dot4U8}
})

// packings are the functions of package gpu that pack vectors into words, and unpack them.
var packings = sync.OnceValue(func() map[string]op.Op {
	return map[string]op.Op{
		"Pack4x8Snorm": op.Pack4x8Snorm, "Pack4x8Unorm": op.Pack4x8Unorm, "Pack4xI8": op.Pack4xI8, "Pack4xU8": op.Pack4xU8,
		"Pack4xI8Clamp": op.Pack4xI8Clamp, "Pack4xU8Clamp": op.Pack4xU8Clamp,
		"Pack2x16Snorm": op.Pack2x16Snorm, "Pack2x16Unorm": op.Pack2x16Unorm, "Pack2x16Float": op.Pack2x16Float,
		"Unpack4x8Snorm": op.Unpack4x8Snorm, "Unpack4x8Unorm": op.Unpack4x8Unorm, "Unpack4xI8": op.Unpack4xI8, "Unpack4xU8": op.Unpack4xU8,
		"Unpack2x16Snorm": op.Unpack2x16Snorm, "Unpack2x16Unorm": op.Unpack2x16Unorm, "Unpack2x16Float": op.Unpack2x16Float,
	}
})

// float64Functions are the functions of package math that devices compute in f32 for
// float32(math.F(float64(x))). Go rounds some of them more exactly.
var float64Functions = sync.OnceValue(func() map[string]op.Op {
	return map[string]op.Op{
		"Abs": op.Abs, "Floor": op.Floor, "Ceil": op.Ceil, "Trunc": op.Trunc, "RoundToEven": op.Round, "Sqrt": op.Sqrt,
		"Sin": op.Sin, "Cos": op.Cos, "Tan": op.Tan, "Asin": op.Asin, "Acos": op.Acos, "Atan": op.Atan, "Atan2": op.Atan2,
		"Sinh": op.Sinh, "Cosh": op.Cosh, "Tanh": op.Tanh, "Asinh": op.Asinh, "Acosh": op.Acosh, "Atanh": op.Atanh,
		"Exp": op.Exp, "Exp2": op.Exp2, "Log": op.Log, "Log2": op.Log2, "Pow": op.Pow, "FMA": op.Fma,
		"Min": op.Min, "Max": op.Max,
	}
})

// isThroughFloat64 reports whether a function of package math can be computed in f32.
func isThroughFloat64(f *types.Func) bool {
	name, ok := strings.CutPrefix(f.FullName(), "math.")
	return ok && float64Functions()[name] != op.Invalid
}

// doubleFunctions are those that devices have for f64, too.
var doubleFunctions = []string{"Abs", "Floor", "Ceil", "Trunc", "RoundToEven", "Sqrt", "FMA", "Min", "Max"}

// hasDouble reports whether devices compute a function of package math in f64.
func hasDouble(f *types.Func) bool {
	name, ok := strings.CutPrefix(f.FullName(), "math.")
	return ok && slices.Contains(doubleFunctions, name)
}

// isForFloat32 reports whether a conversion to float64 is only used by functions of package math
// that are computed in f32.
func isForFloat32(v *ssa.Convert) bool {
	for _, use := range *v.Referrers() {
		if _, debug := use.(*ssa.DebugRef); debug {
			continue
		}
		if c, ok := use.(*ssa.Call); !ok || !isOfFloat32(c) {
			return false
		}
	}
	return true
}

// isOfFloat32 reports whether a call of a function of package math has only converted float32
// arguments, and its results are only converted to float32.
func isOfFloat32(c *ssa.Call) bool {
	callee := c.Common().StaticCallee()
	if callee == nil {
		return false
	}
	if f, ok := callee.Object().(*types.Func); !ok || !isThroughFloat64(f) {
		return false
	}
	isSingle := func(t types.Type) bool {
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Kind() == types.Float32
	}
	for _, a := range c.Common().Args {
		if _, constant := a.(*ssa.Const); constant {
			continue
		}
		if from, ok := a.(*ssa.Convert); !ok || !isSingle(from.X.Type()) {
			return false
		}
	}
	for _, use := range *c.Referrers() {
		if _, debug := use.(*ssa.DebugRef); debug {
			continue
		}
		if to, ok := use.(*ssa.Convert); !ok || !isSingle(to.Type()) {
			return false
		}
	}
	return true
}

// itemMethod is the prefix of the full names of gpu.Item's methods.
const itemMethod = "(" + gpuPath + ".Item)."

// isPosition reports whether a function is a method of gpu.Item that returns an index or a size.
func isPosition(f *types.Func) bool {
	name, ok := strings.CutPrefix(f.FullName(), itemMethod)
	return ok && slices.Contains(positions, name)
}

// positions are those methods.
var positions = []string{"Global", "Local", "Group", "Groups", "Index", "LocalIndex", "Size"}

func makeIntrinsics() map[string]intrinsic {
	table := map[string]intrinsic{
		"math.Float32bits":     bits(ir.U32),
		"math.Float32frombits": bits(ir.F32),
		"math.Float64bits":     bits(ir.U64),
		"math.Float64frombits": bits(ir.F64),

		"sync/atomic.CompareAndSwapInt64":  compareAndSwap,
		"sync/atomic.CompareAndSwapUint64": compareAndSwap,
		"sync/atomic.CompareAndSwapInt32":  compareAndSwap,
		"sync/atomic.CompareAndSwapUint32": compareAndSwap,
	}
	addBitFunctions(table)
	addFloat16(table)
	addTiles(table)
	for name, o := range floatFunctions() {
		table[gpuPath+"."+name] = operation(o)
	}
	for name, o := range wordFunctions() {
		table[gpuPath+"."+name] = operation(o)
	}
	for name, o := range packings() {
		table[gpuPath+"."+name] = onVectors(o)
	}
	for name, o := range float64Functions() {
		table["math."+name] = throughFloat64(o)
	}
	for _, kind := range []string{"Int32", "Uint32", "Int64", "Uint64"} {
		atomic := func(name string, i intrinsic) { table["sync/atomic."+name+kind] = i }
		atomic("Add", modify(op.AtomicAdd, true)) // Go's returns the new value
		atomic("And", modify(op.AtomicAnd, false))
		atomic("Or", modify(op.AtomicOr, false))
		atomic("Swap", modify(op.AtomicExchange, false))
		atomic("Load", atomicLoad)
		atomic("Store", atomicStore)
	}
	table[gpuPath+".AtomicAdd"] = modify(op.AtomicAdd, false)
	table[gpuPath+".AtomicMin"] = modify(op.AtomicMin, false)
	table[gpuPath+".AtomicMax"] = modify(op.AtomicMax, false)
	table[gpuPath+".AtomicXor"] = modify(op.AtomicXor, false)
	item := func(name string, i intrinsic) { table[itemMethod+name] = i }
	item("Global", position(ir.GlobalInvocationID, "global"))
	item("Local", position(ir.LocalInvocationID, "local"))
	item("Group", position(ir.WorkgroupID, "group"))
	item("Groups", position(ir.NumWorkgroups, "groups"))
	item("Index", func(f *frame, _ []operand, _ *ssa.Call) operand {
		return made(f.coordinate(ir.GlobalInvocationID, "global", 0))
	})
	item("LocalIndex", number(ir.LocalInvocationIndex, "local_index"))
	item("SubgroupSize", number(ir.SubgroupSize, "subgroup_size"))
	item("SubgroupLane", number(ir.SubgroupInvocationID, "subgroup_lane"))
	item("Subgroup", number(ir.SubgroupID, "subgroup"))
	item("Subgroups", number(ir.NumSubgroups, "subgroups"))
	item("Size", func(f *frame, _ []operand, v *ssa.Call) operand {
		var parts [3]ir.Value
		for n, size := range f.t.k.workgroup {
			parts[n] = f.t.m.ConstI32(int32(size))
		}
		return made(f.t.m.ConstComposite(f.t.of(v.Type()), parts[:]))
	})
	item("Barrier", together(func(f *frame, _ []operand, v *ssa.Call) operand {
		f.t.b.Barrier(f.t.barrierMemory())
		f.t.noteBarrier(v.Pos())
		return operand{}
	}))
	for format, name := range messageCalls {
		table[name] = func(f *frame, _ []operand, v *ssa.Call) operand { return f.print(v, format) }
	}
	table[gpuPath+".UniformLoad"] = together(uniformLoad)
	table[gpuPath+"."+subgroupBarrier.name] = together(func(f *frame, _ []operand, v *ssa.Call) operand {
		f.t.b.Barrier(f.t.barrierMemory() | op.SubgroupScope)
		f.t.noteBarrier(v.Pos())
		return operand{}
	})
	for n := range subgroupFunctions {
		table[gpuPath+"."+subgroupFunctions[n].name] = together(subgroupFunctions[n].translate)
	}
	return table
}

// together is an intrinsic that all items of a workgroup or subgroup execute together. A function
// for the elements of tiles has none, as some items may call it more often than others.
func together(translate intrinsic) intrinsic {
	return func(f *frame, args []operand, v *ssa.Call) operand {
		if f.t.mapping > 0 {
			f.refuse(diag.GoSubset, v.Pos(), "call it before gpu.MapTile, and use the result in the function",
				"a function for the elements of a tile calls nothing that items execute together: they hold different numbers of elements")
			return operand{}
		}
		return translate(f, args, v)
	}
}

// uniformLoad reads workgroup memory between two barriers. So it sees what all items wrote, none of
// them overwrites it early, and all get the same value.
func uniformLoad(f *frame, args []operand, v *ssa.Call) operand {
	b := &f.t.b
	b.Barrier(f.t.barrierMemory())
	flags := b.Flags
	b.Flags |= ir.UniformResult
	o := f.loadFrom(args[1])
	b.Flags = flags
	b.Barrier(f.t.barrierMemory())
	return o
}

// values returns the values of arguments.
func values(args []operand) (list []ir.Value) {
	for n := range args {
		list = append(list, args[n].value)
	}
	return list
}

// operation is an intrinsic for an operation of the IR.
func operation(o op.Op) intrinsic {
	return func(f *frame, args []operand, _ *ssa.Call) operand { return made(f.t.b.Op(o, values(args)...)) }
}

// onVectors is an intrinsic for an operation of the IR on vectors, which are structures in Go.
func onVectors(o op.Op) intrinsic {
	return func(f *frame, args []operand, v *ssa.Call) operand {
		list := values(args)
		for n := range list {
			list[n] = f.vector(list[n])
		}
		return made(f.structure(f.t.of(v.Type()), f.t.b.Op(o, list...)))
	}
}

// vector converts a structure to a vector, and returns other values unchanged.
func (f *frame) vector(x ir.Value) ir.Value {
	b, m := &f.t.b, f.t.m
	from := b.F.TypeOf(x)
	if m.KindOf(from) != ir.StructType {
		return x
	}
	var buffer [4]ir.Value
	parts := buffer[:len(m.Members(from))]
	for n := range parts {
		parts[n] = b.Extract(x, uint32(n))
	}
	return b.Construct(m.VectorOf(b.F.TypeOf(parts[0]), len(parts)), parts...)
}

// structure converts a vector to a structure, and returns other values unchanged.
func (f *frame) structure(to ir.Type, x ir.Value) ir.Value {
	b, m := &f.t.b, f.t.m
	if m.KindOf(to) != ir.StructType || !m.IsVector(b.F.TypeOf(x)) {
		return x
	}
	var buffer [4]ir.Value
	parts := buffer[:len(m.Members(to))]
	for n := range parts {
		parts[n] = b.Extract(x, uint32(n))
	}
	return b.Construct(to, parts...)
}

// throughFloat64 is an intrinsic for a function of package math. It computes in f32 if isOfFloat32.
func throughFloat64(o op.Op) intrinsic {
	return func(f *frame, args []operand, v *ssa.Call) operand {
		list := values(args)
		if isOfFloat32(v) {
			for n, a := range v.Common().Args {
				if c, ok := a.(*ssa.Const); ok {
					x, _ := constant.Float32Val(constant.ToFloat(c.Value))
					list[n] = f.t.m.ConstF32(x)
				} else if a := a.(*ssa.Convert); !isForFloat32(a) {
					list[n] = f.value(a.X) // others use it as float64
				}
			}
		}
		return made(f.t.b.Op(o, list...))
	}
}

// bits is an intrinsic that reinterprets bits as another type.
func bits(to ir.Type) intrinsic {
	return func(f *frame, args []operand, _ *ssa.Call) operand { return made(f.t.b.Bitcast(to, args[0].value)) }
}

// number is an intrinsic that returns a scalar builtin as an int.
func number(which ir.Builtin, name string) intrinsic {
	return func(f *frame, _ []operand, _ *ssa.Call) operand {
		return made(f.t.b.Convert(scalar.I32, f.t.builtin(which, name)))
	}
}

// position is an intrinsic that returns a builtin of three components as an Int3.
func position(which ir.Builtin, name string) intrinsic {
	return func(f *frame, _ []operand, v *ssa.Call) operand {
		var parts [3]ir.Value
		for n := range parts {
			parts[n] = f.coordinate(which, name, n)
		}
		return made(f.t.b.Construct(f.t.of(v.Type()), parts[:]...))
	}
}

// coordinate returns a component of a builtin as an int. As these are ints, a launch has fewer than
// 2^31 items in each dimension. The kernel is marked to rely on that: otherwise every access by
// them would need a check for negative indices.
func (f *frame) coordinate(which ir.Builtin, name string, n int) ir.Value {
	b := &f.t.b
	b.F.IntPositions = true
	return b.Convert(scalar.I32, b.Extract(f.t.builtin(which, name), uint32(n)))
}

// atomicAddress returns the address of an atomic access. It returns NoValue in the first
// translation, which finds out that there is one.
func (f *frame) atomicAddress(o *operand, v *ssa.Call, writes bool) ir.Value {
	if o.kind != aPointer || !o.base.IsGlobal() {
		f.refuse(diag.GoSubset, v.Pos(), "use an element of a slice or workgroup memory, as in atomic.AddInt32(&x[0], 1)",
			"atomic accesses are to memory that items share, and this is a variable of one")
		return ir.NoValue
	}
	f.t.read(&o.reference)
	if writes && f.refusesWrite(&o.reference) {
		return ir.NoValue
	}
	if writes {
		f.t.recordWrite(&o.reference)
	} else if f.t.m.SpaceOf(f.t.m.Global(o.base).Type) == ir.Storage {
		f.t.recordWrite(&o.reference) // atomic memory is never read-only (WGSL §14.3)
	}
	address := f.address(&o.reference)
	if !f.t.isAtomic(address) {
		f.t.facts.atomic[f.t.accessPath(&o.reference)] = true
		return ir.NoValue
	}
	return address
}

// modify is an intrinsic for an atomic read-modify-write. It returns the old value or, if updated,
// the new one.
func modify(a op.AtomicOperation, updated bool) intrinsic {
	return func(f *frame, args []operand, v *ssa.Call) operand {
		address, x := f.atomicAddress(&args[0], v, true), args[1].value
		if address == ir.NoValue {
			return made(x)
		}
		old := f.t.b.Emit(op.AtomicReadModifyWrite, f.t.b.F.TypeOf(x), uint32(a), address, x)
		if updated {
			return made(f.t.b.Op(op.Add, old, x))
		}
		return made(old)
	}
}

func atomicLoad(f *frame, args []operand, v *ssa.Call) operand {
	t := f.t.of(v.Type())
	address := f.atomicAddress(&args[0], v, false)
	if address == ir.NoValue {
		return made(f.t.m.Zero(t))
	}
	return made(f.t.b.Emit(op.AtomicLoad, t, 0, address))
}

func atomicStore(f *frame, args []operand, v *ssa.Call) operand {
	if address := f.atomicAddress(&args[0], v, true); address != ir.NoValue {
		f.t.b.Emit(op.AtomicStore, ir.Void, 0, address, args[1].value)
	}
	return operand{}
}

func compareAndSwap(f *frame, args []operand, v *ssa.Call) operand {
	address := f.atomicAddress(&args[0], v, true)
	if address == ir.NoValue {
		return made(f.t.m.ConstBool(false))
	}
	old := f.t.b.Emit(op.AtomicCompareExchange, f.t.b.F.TypeOf(args[1].value), 0, address, args[1].value, args[2].value)
	return made(f.t.b.Op(op.Eq, old, args[1].value))
}
