// Package sem is the semantic information of WGSL programs. It has the predeclared names, the table
// of builtin functions and operators, and Info, the result of the checker, in slices parallel to
// the syntax tree. The uniformity analysis, lowering, the linter and the editor read it.
package sem

import (
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// Object is a declared variable, value, function, type or parameter. 0 is none.
type Object uint32

// ObjectKind is the kind of an object.
type ObjectKind uint8

// The kinds of object.
const (
	BadObject      ObjectKind = iota
	ConstObject               // Value is the constant
	OverrideObject            // Value is the override
	GlobalObject              // a var at module scope; Value is the global in Module.Globals
	LocalObject               // a var in a function
	LetObject
	ParameterObject
	FunctionObject // Function is the index in Info.Functions
	StructObject   // Type
	AliasObject    // Type
)

// ObjectInfo is the information about an object.
type ObjectInfo struct {
	Kind ObjectKind
	Name syntax.Symbol
	Decl syntax.Decl // 0 for parameters
	Span source.Span // of the name
	// Type is the type of a value, the store type of a variable, or the type that a struct or alias
	// declares.
	Type     ir.Type
	Value    ir.Value
	Function int32
	// Root is the root identifier of a let that is a pointer (WGSL §11.4.1): a variable or
	// parameter, or 0.
	Root Object
}

// ExprInfo is the information about an expression.
type ExprInfo struct {
	// Type is the expression's type. If Reference is set, it is the pointer type of the memory, and
	// a consumer of the value applies the load rule (WGSL §6.4.3). It is never abstract: if the
	// context converts an abstract value, Type and Value are those after the conversion.
	Type      ir.Type
	Reference bool
	// Value is a constant for a const-expression, an override for an override-expression, and 0 for
	// a run-time expression.
	Value ir.Value
	// Object is the object of an identifier expression, and the function that a call calls, itself
	// or for the elements of tiles.
	Object Object
	// Call is the kind of a call expression.
	Call CallKind
	// Builtin is the row in Builtins of a BuiltinCall or an operator, and Member the member index
	// of a member expression on a structure. Of an OrderTemplate builtin Member is 1 for columns.
	Builtin uint16
	Member  uint16
	// Swizzle is the packed components (op.EncodeSwizzle) of a member expression on a vector, and
	// SwizzleCount their count. One component of a reference is a reference.
	Swizzle      uint8
	SwizzleCount uint8
}

// CallKind is the kind of a call expression.
type CallKind uint8

// The kinds of call.
const (
	NoCall        CallKind = iota
	UserCall               // calls the function Object of the program
	BuiltinCall            // calls a builtin function
	ConstructCall          // constructs a vector, matrix, array or structure of Type
	ConvertCall            // converts a scalar, vector or matrix to Type
	ZeroCall               // the zero value of Type
	MessageCall            // printf or assert of gpuc_debug
)

// FunctionInfo is the information about a function of the program.
type FunctionInfo struct {
	Object     Object
	Decl       syntax.Decl
	Parameters []Object
	Result     ir.Type
	Stage      Stage
	MustUse    bool // @must_use
	// of a compute entry point
	Workgroup [3]ir.Value // constants or overrides, u32
	// SubgroupSize is the value of @subgroup_size, a constant or override, or 0.
	SubgroupSize ir.Value
	SubgroupSpan source.Span
	Builtins     []ParameterBuiltin
	// Calls are the functions that this one calls directly, without duplicates, and Globals the
	// module variables that it uses, callees included.
	Calls   []int32
	Globals []int32
	// Checks are evaluated at pipeline creation (ir.Func.Checks).
	Checks []ir.Check
}

// ParameterBuiltin is a builtin value of an entry point: of a parameter if Member is -1, or of a
// member of a structure parameter. Builtin is NoBuiltin for values that compute shaders do not
// have.
type ParameterBuiltin struct {
	Parameter, Member int
	Builtin           ir.Builtin
	Name              string
}

// CallSite is a call of a function of the program.
type CallSite struct {
	Caller, Callee int32
	Span           source.Span
	// Roots is the index in Info.ArgumentRoots of the first argument's root.
	Roots int32
}

// Scope is a uniformity scope: the invocations that must execute an operation convergently.
type Scope uint8

// The scopes. The fragments of a draw are a scope like a workgroup.
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

// Behaviour is the set of ways in which control leaves a statement: WGSL §9.7, behaviour analysis.
type Behaviour uint8

// The elements.
const (
	NextBehaviour Behaviour = 1 << iota
	BreakBehaviour
	ContinueBehaviour
	ReturnBehaviour
	BadBehaviour // the analysis failed and was reported
)

// Info is the result of the checker. It is complete only if there were no errors.
type Info struct {
	Tree *syntax.Tree
	// Module has the types, constants, overrides and variables; lowering adds the functions.
	Module  *ir.Module
	Exprs   []ExprInfo   // by syntax.Expr
	Objects []ObjectInfo // by Object
	// Behaviours are those of statements. A BlockStmt that is a body has that of its statements.
	Behaviours []Behaviour // by syntax.Stmt
	// DeclObjects are the objects of declarations, of module and functions.
	DeclObjects []Object // by syntax.Decl
	Functions   []FunctionInfo
	// Structs are the declarations of structure types; it may be shorter than the types.
	Structs []syntax.Decl // by ir.Type
	// Order is a topological order of the functions: callees before callers.
	Order []int32
	// CallSites are the calls in functions, in the order in which they were checked.
	CallSites []CallSite
	// ArgumentRoots are the root identifiers of pointer arguments, and 0 for others.
	ArgumentRoots []Object
	// Collective reports the scopes of which the program has collective operations.
	Collective [ScopeCount]bool
}

// DeclaredHere returns a note at an object's declaration.
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

// ValueType returns the type of an expression's value, after the load rule (WGSL §6.4.3).
func (i *Info) ValueType(e syntax.Expr) ir.Type {
	x := &i.Exprs[e]
	if x.Reference {
		return i.Module.Element(x.Type)
	}
	return x.Type
}

// RootOf returns the root identifier of a reference or pointer (WGSL §11.4.1): a variable or
// pointer parameter, or 0.
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

// SwizzleTarget resolves a left side that names several components of a vector in memory: v.xy, or
// v.zyx.xy. It returns the member expression whose left side is the vector, and the components as
// one swizzle. The expression is 0 for other left sides.
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
