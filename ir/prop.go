package ir

import (
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// Property is a set of facts about a module that passes establish and rely on.
// Each has a name and a check, which the pass manager runs in its verifying mode:
// what a pass declares is then not a comment but a test.
type Property uint32

// The properties; the table says what they mean.
const (
	Bound Property = 1 << iota
	Inlined
	Promoted
	Scalar
	SingleLevelExits
	Robust
	NoPrivate
	Rooted
	Structured
	Addressed
	Spilled
	ZeroedMemory
	Scratched
	Expanded
	Total
	AsWritten

	propertyCount = 16

	// Fragile are the properties that a pass loses unless it says that it keeps them.
	Fragile = AsWritten

	// Initial is what holds of a module whose overrides are bound, before any pass.
	Initial = Bound | Structured | AsWritten
)

// properties are the properties in order. Those without a check are facts about the passes that
// ran, which no instruction shows.
var properties = [propertyCount]struct {
	name string
	doc  string
	// what is wrong with an instruction, or ""
	check func(f *Func, i Inst) string
}{
	{"bound", "no override values remain", checkBound},
	{"inlined", "kernels have no calls", checkInlined},
	{"promoted", "no function variable holds a scalar or a vector, unless its address is passed to a function; composites that are indexed dynamically may remain", checkPromoted},
	{"scalar", "arithmetic is on scalars; vectors are in memory operations and composites only", checkScalar},
	{"single-level-exits", "no exit leaves a loop other than the one that it names, and no continue crosses another loop", checkSingleLevelExits},
	{"robust", "every access is within its variable", checkRobust},
	{"no-private", "no variables of the private space remain", checkNoPrivate},
	{"rooted", "calls pass no handles, and no pointers but those to function variables as a whole", checkRooted},
	{"structured", "accesses name the parts of variables (in IR text with addresses its author promises that they are in bounds)", nil},
	{"addressed", "loads and stores use address operations with offsets in bytes", checkAddressed},
	{"spilled", "arrays and matrices that are values are indexed by constants", checkSpilled},
	{"zeroed-memory", "workgroup memory is zero when a kernel begins", nil},
	{"scratched", "large variables of invocations are in scratch memory", nil},
	{"expanded", "operations that the target lacks are expressed by others", nil},
	{"total", "operations that machines define for some operands only have guards", nil},
	{"as-written", "memory is accessed, and values are indexed, exactly where the source does it: no access was moved, merged or removed", nil},
}

// Doc says what a single property means, and is "" for other sets.
func (p Property) Doc() string {
	for n := range properties {
		if p == 1<<n {
			return properties[n].doc
		}
	}
	return ""
}

// String lists the names of the properties in the set.
func (p Property) String() string {
	var names []string
	for i := range properties {
		if p>>i&1 == 1 {
			names = append(names, properties[i].name)
		}
	}
	return strings.Join(names, ", ")
}

// CheckProperties adds a diagnostic for each instruction of a verified module
// that contradicts one of the properties.
func CheckProperties(m *Module, wanted Property, list *diag.List) {
	if m == nil {
		return
	}
	list = diag.Some(list)
	for _, f := range m.Funcs {
		checkFunc(f, wanted, list)
	}
}

func checkFunc(f *Func, wanted Property, list *diag.List) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n := range properties {
			if wanted>>n&1 == 0 || properties[n].check == nil {
				continue
			}
			if message := properties[n].check(f, i); message != "" {
				list.Add(diag.Diagnostic{Code: diag.IRInvalid, Span: f.SpanOf(i),
					Message: "the module is not " + properties[n].name + ": " + message,
					Notes:   []diag.Note{{Message: "in @" + f.Name + ": " + f.InstText(i)}}})
			}
		}
	}
}

func checkBound(f *Func, i Inst) string {
	for _, a := range f.Args(i) {
		if a.IsOverride() {
			return "an operand is an override"
		}
	}
	return ""
}

func checkInlined(f *Func, i Inst) string {
	if f.Kernel && f.Op(i) == op.Call {
		return "a call remains"
	}
	return ""
}

// PromotedSlots is the number of scalars up to which a variable is split and
// made values. A larger one may stay even if it is never indexed dynamically: as
// values it would take more registers than any device has.
const PromotedSlots = 256

func checkPromoted(f *Func, i Inst) string {
	if f.Op(i) != op.Var || f.Module.Components(f.Module.Element(f.Type(i))) == 0 {
		return ""
	}
	for user := f.First(f.Entry); user != 0; user = f.After(user, f.Entry) {
		if f.Op(user) != op.Call {
			continue
		}
		for _, a := range f.Args(user) {
			for f.DefOp(a) == op.Access {
				access, _ := f.Def(a)
				a = f.Arg(access, 0)
			}
			if a == f.Result(i) {
				return ""
			}
		}
	}
	return "a variable of scalar or vector type remains"
}

func checkScalar(f *Func, i Inst) string {
	switch f.Op(i) {
	case op.Construct, op.Extract, op.Insert, op.Load, op.Store, op.Call, op.Intrinsic,
		op.TextureSize, op.TextureLoad, op.TextureRead, op.TextureSample, op.TextureSampleGradient, op.TextureGather, op.TextureGatherCompare:
		return ""
	case op.Bitcast, op.SubgroupBallot, op.Unpack4x8Snorm, op.Unpack4x8Unorm, op.Unpack4xI8, op.Unpack4xU8,
		op.Unpack2x16Snorm, op.Unpack2x16Unorm, op.Unpack2x16Float:
		// operations on scalars whose result has more components
		if !f.Module.IsVector(f.TypeOf(f.Arg(i, 0))) {
			return ""
		}
	}
	if f.Op(i).Is(op.Control) || f.Op(i).Is(op.Terminator) {
		return ""
	}
	if f.Module.IsVector(f.Type(i)) {
		return "the result is a vector"
	}
	return ""
}

func checkSingleLevelExits(f *Func, i Inst) string {
	o := f.Op(i)
	if o != op.Exit && o != op.Continue {
		return ""
	}
	for at := f.Parent(f.BlockOf(i)); at != 0 && at != f.Target(i); at = f.Parent(f.BlockOf(at)) {
		if f.Op(at) == op.Loop {
			return "the instruction leaves two loops"
		}
	}
	return ""
}

func checkRobust(f *Func, i Inst) string {
	if o := f.Op(i); (o == op.Access || o == op.Address) && f.Flags(i)&InBounds == 0 {
		for _, index := range f.Args(i)[1:] {
			if !index.IsConst() {
				return "a dynamic access is not known to be in bounds"
			}
		}
	}
	return ""
}

func checkNoPrivate(f *Func, i Inst) string {
	for _, a := range f.Args(i) {
		if a.IsGlobal() && f.Module.SpaceOf(f.Module.TypeOf(a)) == Private {
			return "a private variable is used"
		}
	}
	return ""
}

func checkRooted(f *Func, i Inst) string {
	if f.Op(i) != op.Call {
		return ""
	}
	m := f.Module
	for _, a := range f.Args(i) {
		switch t := f.TypeOf(a); {
		case m.KindOf(t) == TextureType, m.KindOf(t) == SamplerType:
			return "a call passes a handle"
		case m.IsPointer(t) && m.SpaceOf(t) != Function:
			return "a call passes a pointer to a module variable"
		case m.IsPointer(t) && f.DefOp(a) == op.Access:
			return "a call passes a pointer to a part of a variable"
		}
	}
	return ""
}

func checkSpilled(f *Func, i Inst) string {
	if o := f.Op(i); o != op.Extract && o != op.Insert {
		return ""
	}
	args := f.Args(i)
	if !args[len(args)-1].IsConst() && !f.Module.IsVector(f.TypeOf(args[0])) {
		return "a value that is no vector is indexed dynamically"
	}
	return ""
}

func checkAddressed(f *Func, i Inst) string {
	if f.Op(i) == op.Access {
		return "an access remains"
	}
	return ""
}
