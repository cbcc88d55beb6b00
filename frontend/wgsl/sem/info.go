// Package sem holds what is known of WGSL and of a WGSL program: the
// predeclared names, the builtin functions and operators, and Info, in which the
// checker leaves what it finds out about a tree, in slices at the tree's own
// indices. The uniformity analysis and lowering need nothing else. It checks nothing.
package sem

import (
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// Object is a declared thing: a variable, value, function, type or parameter.
// 0 is none.
type Object uint32

// ObjectKind says what an object is.
type ObjectKind uint8

// The kinds of object.
const (
	BadObject      ObjectKind = iota
	ConstObject               // Value is its constant
	OverrideObject            // Value is its override
	GlobalObject              // a var at module scope; Value is the global in Module.Globals
	LocalObject               // a var in a function
	LetObject
	ParameterObject
	FunctionObject // Function is its index in Info.Functions
	StructObject   // Type
	AliasObject    // Type
)

// ObjectInfo is an object's record.
type ObjectInfo struct {
	Kind ObjectKind
	Name syntax.Symbol
	Decl syntax.Decl // 0 for parameters
	Span source.Span // of the name
	// Type is a value's type, a variable's store type, or the type a struct or
	// alias names.
	Type     ir.Type
	Value    ir.Value
	Function int32
	// Root is the variable or parameter that a let's pointer comes from (WGSL
	// §11.4.1), 0 if it is none.
	Root Object
}

// ExprInfo is what is known of an expression.
type ExprInfo struct {
	// Type is the expression's type. For a reference it is the type of the
	// pointer to the memory, and Reference is set; a consumer that needs the
	// value loads it (WGSL §6.4.3, the load rule). Abstract types never remain:
	// where the context converts an abstract value, Type and Value are those
	// after the conversion.
	Type      ir.Type
	Reference bool
	// Value is a constant for a const-expression and an override for an
	// override-expression; 0 for run-time expressions.
	Value ir.Value
	// Object is what an identifier expression names.
	Object Object
	// Call says what a call expression does.
	Call CallKind
	// Builtin is the row in the builtin table for BuiltinCall and for operators,
	// and Member the index of the structure member for a member expression on a
	// structure.
	Builtin uint16
	Member  uint16
	// Swizzle is the packed components (op.EncodeSwizzle) and SwizzleCount their
	// number for a member expression on a vector; one component of a reference
	// yields a reference.
	Swizzle      uint8
	SwizzleCount uint8
}

// CallKind says what a call expression does.
type CallKind uint8

// The kinds of call.
const (
	NoCall        CallKind = iota
	UserCall               // a function of the program; Object is the function
	BuiltinCall            // a builtin function
	ConstructCall          // makes a vector, matrix, array or structure of Type from parts
	ConvertCall            // converts a scalar, vector or matrix to Type
	ZeroCall               // the zero value of Type
	MessageCall            // printf or assert of gpuc_debug
)

// FunctionInfo is a function of the program.
type FunctionInfo struct {
	Object     Object
	Decl       syntax.Decl
	Parameters []Object
	Result     ir.Type
	Stage      Stage
	MustUse    bool // the result must be used
	// of a compute entry point
	Workgroup [3]ir.Value // constants or overrides, u32
	// SubgroupSize is the value of @subgroup_size, a constant or override, or 0.
	SubgroupSize ir.Value
	SubgroupSpan source.Span
	Builtins     []ParameterBuiltin
	// Calls lists the functions that this one calls directly, without
	// duplicates, and Globals the module variables that it or they use.
	Calls   []int32
	Globals []int32
	// Checks are what must be checked when the pipeline is created (ir.Func.Checks).
	Checks []ir.Check
}

// ParameterBuiltin says that a parameter of an entry point, or a member of one
// that is a structure, holds a builtin value. Member is -1 for the parameter
// itself, and Builtin is NoBuiltin for what compute shaders do not have.
type ParameterBuiltin struct {
	Parameter, Member int
	Builtin           ir.Builtin
	Name              string
}

// CallSite is a call of a function of the program.
type CallSite struct {
	Caller, Callee int32
	Span           source.Span
	// Roots is the index in Info.ArgumentRoots of the first argument's root: what
	// RootOf says of it if it is a pointer, else 0.
	Roots int32
}

// Scope is a set of invocations that reach some operations together.
type Scope uint8

// The scopes. Fragments of a draw are a scope like a workgroup.
const (
	WorkgroupScope Scope = iota
	SubgroupScope
	ScopeCount
)

// Stage is a shader stage.
type Stage uint8

// The stages.
const (
	NoStage Stage = iota
	Compute
	Vertex
	Fragment
)

// String returns the stage's name.
func (s Stage) String() string { return [...]string{"no", "compute", "vertex", "fragment"}[s] }

// Behaviour is the ways control can leave a statement (WGSL §9.7).
type Behaviour uint8

// The ways.
const (
	NextBehaviour Behaviour = 1 << iota
	BreakBehaviour
	ContinueBehaviour
	ReturnBehaviour
	BadBehaviour // the analysis failed and was reported
)

// Info is what the checker found. It is complete only if there were no errors.
type Info struct {
	Tree *syntax.Tree
	// Module holds the types, constants, overrides and variables; lowering adds
	// the functions.
	Module  *ir.Module
	Exprs   []ExprInfo   // by syntax.Expr
	Objects []ObjectInfo // by Object
	// Behaviours say how control leaves each statement. A BlockStmt that is a body has that
	// of its statements.
	Behaviours []Behaviour // by syntax.Stmt
	// DeclObjects maps declarations (of module and functions) to objects.
	DeclObjects []Object // by syntax.Decl
	Functions   []FunctionInfo
	// Structs maps types to the declarations of structures; it may be shorter.
	Structs []syntax.Decl // by ir.Type
	// Order is the functions, callees before callers.
	Order []int32
	// CallSites are the calls in functions, in the order in which they were checked.
	CallSites []CallSite
	// ArgumentRoots are where the arguments of each call site come from.
	ArgumentRoots []Object
	// Collective says of which scopes the program has operations that all
	// invocations must reach together.
	Collective [ScopeCount]bool
	// ClauseDefault etc. need no entry: case selectors are const-expressions
	// whose ExprInfo.Value is a constant of the selector's type.
}

// DeclaredHere is the note that shows an object's declaration.
func (i *Info) DeclaredHere(o Object) diag.Note {
	x := &i.Objects[o]
	return diag.Note{Span: x.Span, Message: "`" + i.Tree.Text(x.Name) + "` is declared here"}
}

// StructDecl returns the declaration of a structure type, or 0.
func (i *Info) StructDecl(t ir.Type) syntax.Decl {
	if int(t) < len(i.Structs) {
		return i.Structs[t]
	}
	return 0
}

// ValueType returns the type of an expression's value: what is loaded where it
// is a reference (WGSL §6.4.3).
func (i *Info) ValueType(e syntax.Expr) ir.Type {
	x := &i.Exprs[e]
	if x.Reference {
		return i.Module.Element(x.Type)
	}
	return x.Type
}

// RootOf returns the variable or pointer parameter that a reference or pointer
// comes from (WGSL §11.4.1), or 0.
func (i *Info) RootOf(e syntax.Expr) Object {
	for e != 0 {
		n := i.Tree.Expr(e)
		switch n.Kind {
		case syntax.IdentExpr:
			o := i.Exprs[e].Object
			if o != 0 && i.Objects[o].Kind == LetObject {
				return i.Objects[o].Root
			}
			return o
		case syntax.ParenExpr, syntax.UnaryExpr, syntax.IndexExpr, syntax.MemberExpr:
			e = n.A
		case syntax.CallExpr:
			if x := &i.Exprs[e]; x.Call != BuiltinCall || Builtins[x.Builtin].Op != op.View {
				return 0
			}
			e = i.Tree.ExprList(n.List)[0]
		default:
			return 0
		}
	}
	return 0
}

// SwizzleTarget looks through a left side that names components of a vector in
// memory other than by one letter: v.xy, or v.zyx.xy. It returns the member
// expression whose left side is the vector, and which of the vector's components
// are meant; the expression is 0 for any other left side.
func (i *Info) SwizzleTarget(e syntax.Expr) (member syntax.Expr, swizzle uint32, count int) {
	e = i.Tree.Unparen(e)
	n, x := i.Tree.Expr(e), &i.Exprs[e]
	if n.Kind != syntax.MemberExpr || x.SwizzleCount == 0 || x.Reference {
		return 0, 0, 0
	}
	swizzle, count = uint32(x.Swizzle), int(x.SwizzleCount)
	if base := &i.Exprs[n.A]; base.Reference || i.Module.IsPointer(base.Type) {
		return e, swizzle, count
	}
	member, inner, _ := i.SwizzleTarget(n.A)
	var components [4]uint32
	for k := range count {
		components[k] = op.SwizzleComponent(inner, int(op.SwizzleComponent(swizzle, k)))
	}
	return member, op.EncodeSwizzle(components[:count]...), count
}
