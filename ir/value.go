package ir

import (
	"slices"

	"github.com/gpuc/gpuc/ir/op"
)

// Value names something an instruction can use: a result or parameter of the
// function, a constant, a global or an override. The two top bits say which
// (QBE's Ref has the same idea). The zero Value is none.
type Value uint32

const (
	localTag    Value = 0 << 30
	constTag    Value = 1 << 30
	globalTag   Value = 2 << 30
	overrideTag Value = 3 << 30
	tagMask     Value = 3 << 30
)

// NoValue is the absence of a value.
const NoValue Value = 0

// IsLocal reports whether v is a result or parameter of a function.
func (v Value) IsLocal() bool { return v&tagMask == localTag && v != 0 }

// IsConst reports whether v is a constant of the module.
func (v Value) IsConst() bool { return v&tagMask == constTag }

// IsGlobal reports whether v is the address of a module variable.
func (v Value) IsGlobal() bool { return v&tagMask == globalTag }

// IsOverride reports whether v is an override or an expression of overrides.
func (v Value) IsOverride() bool { return v&tagMask == overrideTag }

// Index returns the number within the kind: of a local among its function's
// values, of the others in the module's tables.
func (v Value) Index() uint32 { return uint32(v &^ tagMask) }

// Inst is an instruction of a function; 0 is none.
type Inst uint32

// Block is a block of a function; 0 is none.
type Block uint32

// Flags refine an instruction.
type Flags uint8

// The flags.
const (
	// Contract allows a floating-point operation to be fused with another into
	// one with a single rounding.
	Contract Flags = 1 << iota
	// Fast allows approximations beyond WGSL's accuracy bounds.
	Fast
	// UniformResult promises that all invocations of a workgroup get one value.
	UniformResult
	// InBounds promises that the access stays within its variable: proven, or
	// guarded by a legaliser.
	InBounds

	flagCount = 4
)

// refines gives, by operation, the flags that can refine it. Contract and Fast are for
// operations whose results are rounded: the others are exact, or no arithmetic.
var refines = [op.Count]Flags{
	op.Add: Contract | Fast, op.Sub: Contract | Fast, op.Mul: Contract | Fast, op.Dot: Contract | Fast,
	op.Div: Fast, op.Rem: Fast, op.Fma: Fast, op.Sqrt: Fast, op.InverseSqrt: Fast,
	op.Sin: Fast, op.Cos: Fast, op.Tan: Fast, op.Asin: Fast, op.Acos: Fast, op.Atan: Fast, op.Atan2: Fast,
	op.Sinh: Fast, op.Cosh: Fast, op.Tanh: Fast, op.Asinh: Fast, op.Acosh: Fast, op.Atanh: Fast,
	op.Exp: Fast, op.Exp2: Fast, op.Log: Fast, op.Log2: Fast, op.Pow: Fast,
	op.TileMulAdd: Contract | Fast, op.TileReduce: Contract | Fast,
	op.FragmentMulAdd: Contract | Fast, op.FragmentAdd: Contract | Fast, op.FragmentSub: Contract | Fast, op.FragmentMul: Contract | Fast,
	op.Access: InBounds, op.Address: InBounds, op.FragmentLoad: InBounds, op.FragmentStore: InBounds,
	op.Load: UniformResult, op.AtomicLoad: UniformResult,
}

var flagNames = [flagCount]string{"contract", "fast", "uniform", "inbounds"}

// Math says how exact floating-point arithmetic has to be.
type Math uint8

// The modes.
const (
	MathWGSL   Math = iota // what WGSL permits, contraction included
	MathStrict             // every operation rounds by itself; no reassociation
	MathFast               // approximations beyond WGSL's bounds
)

// Flags returns the flags that floating-point instructions get in a mode.
func (m Math) Flags() Flags {
	return [...]Flags{MathWGSL: Contract, MathStrict: 0, MathFast: Contract | Fast}[m]
}

// Builtin says which of a launch's coordinates a kernel parameter holds.
type Builtin uint8

// The builtin values of compute shaders (WGSL §13.3.1.1).
const (
	NoBuiltin             Builtin = iota
	LocalInvocationID             // vec3<u32>
	LocalInvocationIndex          // u32
	GlobalInvocationID            // vec3<u32>
	WorkgroupID                   // vec3<u32>
	NumWorkgroups                 // vec3<u32>
	SubgroupInvocationID          // u32
	SubgroupSize                  // u32
	SubgroupID                    // u32
	NumSubgroups                  // u32
	GlobalInvocationIndex         // u32
	WorkgroupIndex                // u32
	// LaunchExtent is how many invocations a launch has, by dimension: a vec3<u32>, of which the
	// workgroups may have more. WGSL has none; kernels in Go compare with it, and
	// instrument.LowerLaunchExtent puts it after the immediates.
	LaunchExtent
	BuiltinCount
)

var builtinNames = [BuiltinCount]string{
	"", "local_invocation_id", "local_invocation_index", "global_invocation_id", "workgroup_id",
	"num_workgroups", "subgroup_invocation_id", "subgroup_size", "subgroup_id", "num_subgroups",
	"global_invocation_index", "workgroup_index", "launch_extent",
}

// String returns the builtin's name, which is WGSL's.
func (b Builtin) String() string { return builtinNames[b] }

// BuiltinNamed returns the builtin with this name, or NoBuiltin.
func BuiltinNamed(name string) Builtin { return Builtin(max(slices.Index(builtinNames[:], name), 0)) }

// BuiltinType returns the type of a kernel parameter that holds the builtin.
func (m *Module) BuiltinType(b Builtin) Type {
	switch b {
	case LocalInvocationID, GlobalInvocationID, WorkgroupID, NumWorkgroups, LaunchExtent:
		return m.VectorOf(U32, 3)
	}
	return U32
}

// Role says what a variable that the runtime provides is for.
type Role uint8

// The roles, in the order in which a launch binds their buffers after the program's.
const (
	NoRole        Role = iota // the program's own
	MessageBuffer             // what messages are written to: see Module.Messages
	FaultRecord               // what the trap mode's checks write: see Module.FaultSites
	ScratchBuffer             // a structure of variables for each invocation
	TableBuffer               // constants, which are its initial value
	// no buffer: immediates, after those of the program the words of LaunchExtent
	ExtentWords
	FusedFlag // no buffer: a constant u32, not 0 where the device's fma rounds once
	TileRings // workgroup memory of tiles, in which nothing is read before it is written
	roleCount
)

// roleNames are those of the text form.
var roleNames = [roleCount]string{"", "messages", "fault_record", "scratch", "tables", "extent", "fused", "tile_rings"}
