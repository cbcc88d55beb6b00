// Package callgraph records the accesses and calls of each function while its body is checked. From
// the call graph it then checks recursion, aliased pointers, stage restrictions and the interface
// of entry points.
package callgraph

import (
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// AccessKind is a kind of memory access.
type AccessKind uint8

// The kinds of access.
const (
	Reading AccessKind = iota
	Writing
	Naming // the module variable is used in some way
	kinds  = iota
)

// Use is an access of a function to a module variable or, through a pointer parameter, to its
// caller's memory.
type Use struct {
	Object sem.Object
	Kind   AccessKind
}

// Recorder records the functions of a program. Its memory is reused for the next program.
type Recorder struct {
	info   *sem.Info
	tree   *syntax.Tree
	module *ir.Module
	types  *types.Table
	list   *diag.List
	limits Limits

	// Function is the index in Info.Functions of the function being checked, or -1.
	Function  int32
	functions []functionFacts
	// Interface are the attributes of parameters and members, by index in Tree.Fields.
	Interface []Attributes
	uses      []Use
	// last is by Object the last function, plus one, with such an access.
	last   [][kinds]int32
	joined []int32 // by function: the last function, plus one, into which it was merged
	// elements are the functions that are called for elements of tiles.
	elements []elementCall
}

// Reset begins a program.
func (r *Recorder) Reset(info *sem.Info, types *types.Table, list *diag.List, limits Limits) {
	r.info, r.tree, r.module, r.types, r.list, r.limits = info, info.Tree, info.Module, types, list, limits
	r.Function, r.functions, r.uses, r.last, r.elements = -1, r.functions[:0], r.uses[:0], r.last[:0], r.elements[:0]
	r.Interface = ir.Zeroed(r.Interface, len(r.tree.Fields))
}

// Limits are the device limits on what entry points use, in bytes.
type Limits struct{ WorkgroupStorage, Immediates uint32 }

func (r *Recorder) error(code diag.Code, span source.Span, message string, notes ...diag.Note) {
	r.list.Add(diag.Diagnostic{Code: code, Span: span, Message: message, Notes: notes})
}

func (r *Recorder) object(o sem.Object) *sem.ObjectInfo { return &r.info.Objects[o] }

// Declare adds a function.
func (r *Recorder) Declare() { r.functions = append(r.functions, functionFacts{}) }

// SetResult sets the interface attributes of a function's result.
func (r *Recorder) SetResult(function int32, attributes Attributes) {
	r.functions[function].result = attributes
}

// Begin begins the body of a function.
func (r *Recorder) Begin(function int32) {
	r.Function = function
	f := &r.functions[function]
	f.firstUse, f.firstCall = int32(len(r.uses)), int32(len(r.info.CallSites))
}

// End ends the body of a function and returns its accesses.
func (r *Recorder) End() []Use {
	f := &r.functions[r.Function]
	f.lastUse, f.lastCall = int32(len(r.uses)), int32(len(r.info.CallSites))
	r.Function = -1
	return r.uses[f.firstUse:]
}

// functionFacts is the summary of a function.
type functionFacts struct {
	firstUse, lastUse   int32
	firstCall, lastCall int32
	result              Attributes
	state               uint8 // of the depth-first search
	// restricted are the stage restrictions of its operations, and restrictions their first
	// positions.
	restricted   sem.BuiltinFlags
	restrictions [len(restrictionRows)]restriction
	// effect is the first builtin that the invocations must call together or that writes memory.
	effect         restriction
	reads, writes  []sem.Object // module variables, with those of callees
	readParameters uint64       // pointer parameters read through
	wroteThrough   uint64       // and written through
}

// restriction is an operation that only some stages allow.
type restriction struct {
	span source.Span
	name string
}

// restrictionRows are the restrictions, with the stages that allow them.
var restrictionRows = [...]struct {
	flag   sem.BuiltinFlags
	stages [sem.Fragment + 1]bool
	text   string
}{
	{sem.FragmentOnly, [...]bool{sem.Compute: false, sem.Vertex: false, sem.Fragment: true}, "is for fragment shaders"},
	{sem.ComputeOnly, [...]bool{sem.Compute: true, sem.Vertex: false, sem.Fragment: false}, "is for compute shaders"},
	{sem.NotVertex, [...]bool{sem.Compute: true, sem.Vertex: false, sem.Fragment: true}, "is not for vertex shaders"},
}

const restrictionFlags = sem.FragmentOnly | sem.ComputeOnly | sem.NotVertex

// Access records an access to the memory that a reference or pointer expression names.
func (r *Recorder) Access(e syntax.Expr, kind AccessKind) {
	if r.Function < 0 {
		return
	}
	if root := r.info.RootOf(e); root != 0 {
		r.note(root, kind)
	}
}

func (r *Recorder) note(o sem.Object, kind AccessKind) {
	if k := r.object(o).Kind; k != sem.GlobalObject && k != sem.ParameterObject {
		return
	}
	for int(o) >= len(r.last) {
		r.last = append(r.last, [kinds]int32{})
	}
	last := &r.last[o][kind]
	if *last == r.Function+1 {
		return
	}
	*last = r.Function + 1
	r.uses = append(r.uses, Use{o, kind})
}

// Use records that the function uses a module variable.
func (r *Recorder) Use(o sem.Object) {
	if r.Function >= 0 {
		r.note(o, Naming)
	}
}

// Call records a call.
func (r *Recorder) Call(span source.Span, callee int32, arguments []syntax.Expr) {
	if r.Function < 0 {
		return
	}
	r.info.CallSites = append(r.info.CallSites, sem.CallSite{Caller: r.Function, Callee: callee, Span: span, Roots: int32(len(r.info.ArgumentRoots))})
	for _, a := range arguments {
		root := sem.Object(0)
		if r.module.IsPointer(r.info.Exprs[a].Type) && !r.info.Exprs[a].Reference {
			root = r.info.RootOf(a)
		}
		r.info.ArgumentRoots = append(r.info.ArgumentRoots, root)
	}
}

// UseBuiltin records the stage restrictions, collective scope and memory accesses of a builtin
// call.
func (r *Recorder) UseBuiltin(row uint16, span source.Span, arguments []syntax.Expr) {
	b := &sem.Builtins[row]
	r.UseStage(b.Flags&restrictionFlags, span, b.Name)
	if b.Flags&sem.Uniform != 0 {
		scope := sem.WorkgroupScope
		if b.Flags&sem.SubgroupScoped != 0 {
			scope = sem.SubgroupScope
		}
		r.info.Collective[scope] = true
	}
	r.useEffect(b, span)
	if len(arguments) == 0 || r.info.Exprs[arguments[0]].Reference || !r.module.IsPointer(r.info.Exprs[arguments[0]].Type) {
		return
	}
	switch {
	case b.Op == op.ArrayLength || b.Op == op.View: // neither reads nor writes
	case b.Op == op.AtomicLoad || b.Op == op.TileLoad || b.Op == op.FragmentLoad || b.Expansion == expand.UniformLoad:
		r.Access(arguments[0], Reading)
	case b.Op == op.AtomicStore || b.Op == op.TileStore || b.Op == op.FragmentStore:
		r.Access(arguments[0], Writing)
	default:
		r.Access(arguments[0], Reading)
		r.Access(arguments[0], Writing)
	}
}

// UseStage records an operation that only some stages allow.
func (r *Recorder) UseStage(flags sem.BuiltinFlags, span source.Span, name string) {
	if flags == 0 || r.Function < 0 {
		return
	}
	f := &r.functions[r.Function]
	for i := range restrictionRows {
		if restrictionRows[i].flag&flags&^f.restricted != 0 {
			f.restrictions[i] = restriction{span, name}
		}
	}
	f.restricted |= flags
}
