// Package check is the semantic analysis of WGSL: name resolution, types, overload resolution,
// evaluation of const-expressions, and the rules of the language. The result is a sem.Info.
package check

import (
	"cmp"

	"github.com/gpuc/gpuc/frontend/wgsl/callgraph"
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/overload"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/frontend/wgsl/uniform"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file has the state of the checker, scopes, and the order of work.
//
// Module scope has no order (WGSL §5): its declarations are resolved on first use, with a mark
// against cycles. Function bodies come last, when all names at module scope are resolved. One table
// by symbol holds the current meaning of each name, and a list of hidden meanings restores it at
// the end of a scope. So a lookup is one load.
//
// The type Void marks what could not be typed. The error was reported where it occurred; what
// depends on it is silent.

// Options describe the device.
type Options struct {
	// Features are the enable-extensions that the device supports; nil is all.
	Features []string
	// Limits are the device limits; zero fields are WebGPU's default limits (WebGPU §3.6.2).
	Limits Limits
}

// Limits are the device limits that the checker enforces.
type Limits struct {
	WorkgroupSizeX, WorkgroupSizeY, WorkgroupSizeZ uint32
	Invocations                                    uint32 // in a workgroup
	WorkgroupStorage                               uint32 // bytes
	Immediates                                     uint32 // bytes
}

// LanguageFeatures are the implemented language extensions (WGSL §4.1.2), for
// navigator.gpu.wgslLanguageFeatures.
var LanguageFeatures = []string{
	"readonly_and_readwrite_storage_textures", "packed_4x8_integer_dot_product", "unrestricted_pointer_parameters",
	"pointer_composite_access", "texture_and_sampler_let", "subgroup_id", "subgroup_uniformity", "linear_indexing",
	"texture_formats_tier1", "uniform_buffer_standard_layout", "swizzle_assignment", "fragment_depth",
	"immediate_address_space", "buffer_view",
}

// Checker checks programs one after the other, and reuses its memory. The zero Checker is ready to
// use.
type Checker struct {
	tree      *syntax.Tree
	module    *ir.Module
	list      *diag.List
	info      sem.Info
	limits    Limits
	types     types.Table
	overloads overload.Resolver
	graph     callgraph.Recorder
	// b evaluates operations, and expander the builtins that are several.
	b        ir.Builder
	expander expand.Builder

	options Options
	enabled extension // the extensions in force
	// unknownExtension says that an unknown extension is enabled, which resembles no known one.
	unknownExtension bool

	// current is the meaning of each symbol, 0 for names that the program does not declare.
	current []sem.Object
	hidden  []hiding
	depth   uint16        // of scopes; 0 is module scope
	facts   []objectFacts // by Object
	members []uint32      // by name: 1 + index in Tree.Fields of the last such member
	sizes   []bufferSize  // of buffer types, that depend on overrides
	viewed  []viewedPointer

	stored   syntax.Expr // the initial value of the last variable
	compared int         // the number of names that unknown names were compared with

	// of the current function
	result  ir.Type
	control control
	bypass  bypass
	uniform uniform.Analyzer

	// of const-evaluation
	shortCircuits

	// Stacks for lists: nested lists are complete before their parents.
	views      []overload.View
	values     []ir.Value
	selectors  []selector
	selected   []int32 // by constant: 1 + index of its last selector
	attributes attributeSet
}

// shortCircuits counts the && and || around an expression that skip its evaluation. It is still
// type-checked, so values that types depend on (WGSL §8.2), such as array counts, are evaluated.
type shortCircuits struct {
	lazy     int // that may skip it, depending on overrides
	skipping int // that do skip it
}

// hiding is a meaning that a scope hides.
type hiding struct {
	symbol syntax.Symbol
	old    sem.Object
}

// resolution is the progress of a module-scope declaration.
type resolution uint8

const (
	unresolved resolution = iota
	resolving
	resolved
)

// objectFacts is what only the checker needs of an object.
type objectFacts struct {
	state resolution
	depth uint16
}

// Check checks a tree. Types, constants, overrides and variables go into module, which must be
// empty, and diagnostics into list. The result is never nil, and valid until the next call.
func (c *Checker) Check(tree *syntax.Tree, module *ir.Module, options Options, list *diag.List) *sem.Info {
	c.reset(tree, module, options, list)
	if tree.Foreign {
		return &c.info
	}
	c.directives()
	for _, d := range tree.Globals {
		c.declareGlobal(d)
	}
	for _, d := range tree.Globals {
		if o := c.info.DeclObjects[d]; o != 0 {
			c.resolve(o, source.Span{})
		} else if tree.Decl(d).Kind == syntax.ConstAssertDecl {
			c.constAssert(tree.Decl(d).Init, tree.Decl(d).Span)
		}
	}
	for i := range c.info.Functions {
		c.functionBody(int32(i))
	}
	c.graph.Check()
	c.checkViewed()
	if c.list.Errors() == 0 {
		c.uniform.Analyze(&c.info, c.list)
	}
	return &c.info
}

func (c *Checker) reset(tree *syntax.Tree, module *ir.Module, options Options, list *diag.List) {
	c.tree, c.module, c.list, c.options = tree, module, list, options
	c.b = ir.NewEvaluator(module)
	c.expander = expand.New(module, &c.b)
	given := options.Limits
	c.limits = Limits{
		cmp.Or(given.WorkgroupSizeX, 256), cmp.Or(given.WorkgroupSizeY, 256), cmp.Or(given.WorkgroupSizeZ, 64),
		cmp.Or(given.Invocations, 256), cmp.Or(given.WorkgroupStorage, 16384), cmp.Or(given.Immediates, 64),
	}
	i := &c.info
	i.Tree, i.Module = tree, module
	c.overloads = overload.NewResolver(i, &c.types)
	c.graph.Reset(i, &c.types, list, callgraph.Limits{WorkgroupStorage: c.limits.WorkgroupStorage, Immediates: c.limits.Immediates})
	i.Exprs = ir.Zeroed(i.Exprs, len(tree.Exprs))
	i.Objects = ir.Zeroed(i.Objects, 1)
	i.Behaviours = ir.Zeroed(i.Behaviours, len(tree.Stmts))
	i.DeclObjects = ir.Zeroed(i.DeclObjects, len(tree.Decls))
	i.Functions, i.Order, i.Structs = i.Functions[:0], i.Order[:0], i.Structs[:0]
	i.CallSites, i.ArgumentRoots, i.Collective = i.CallSites[:0], i.ArgumentRoots[:0], [sem.ScopeCount]bool{}
	c.current = ir.Zeroed(c.current, len(tree.Symbols))
	c.facts = ir.Zeroed(c.facts, 1)
	c.types.Reset(module)
	c.members, c.sizes, c.viewed = c.members[:0], c.sizes[:0], c.viewed[:0]
	c.hidden = c.hidden[:0]
	c.views, c.values, c.selectors = c.views[:0], c.values[:0], c.selectors[:0]
	c.selected = c.selected[:0]
	c.enabled, c.depth, c.skipping, c.lazy = 0, 0, 0, 0
	c.unknownExtension = false
	c.stored, c.compared = 0, 0
	c.control, c.bypass = control{}, bypass{}
}

// error reports an error.
func (c *Checker) error(code diag.Code, span source.Span, message string, notes ...diag.Note) {
	c.list.Add(diag.Diagnostic{Code: code, Span: span, Message: message, Notes: notes})
}

// newObject adds an object.
func (c *Checker) newObject(o sem.ObjectInfo) sem.Object {
	c.info.Objects = append(c.info.Objects, o)
	c.facts = append(c.facts, objectFacts{depth: c.depth, state: resolved})
	return sem.Object(len(c.info.Objects) - 1)
}

func (c *Checker) object(o sem.Object) *sem.ObjectInfo { return &c.info.Objects[o] }

// declare makes a name refer to an object until the end of the scope.
func (c *Checker) declare(o sem.Object) {
	info := c.object(o)
	old := c.current[info.Name]
	if old != 0 && c.facts[old].depth == c.depth {
		c.error(diag.Redeclared, info.Span, "`"+c.tree.Text(info.Name)+"` is declared twice in this scope",
			diag.Note{Span: c.object(old).Span, Message: "first declared here"})
		return
	}
	if c.depth > 0 {
		c.hidden = append(c.hidden, hiding{info.Name, old})
	}
	c.current[info.Name] = o
}

// enterScope begins a scope and returns the mark for leaveScope.
func (c *Checker) enterScope() int {
	c.depth++
	return len(c.hidden)
}

func (c *Checker) leaveScope(mark int) {
	c.depth--
	for i := len(c.hidden) - 1; i >= mark; i-- {
		c.current[c.hidden[i].symbol] = c.hidden[i].old
	}
	c.hidden = c.hidden[:mark]
}

// resolve makes sure that a module-scope object has its type and value; use is where it is needed.
func (c *Checker) resolve(o sem.Object, use source.Span) {
	f := &c.facts[o]
	switch f.state {
	case resolved:
		return
	case resolving:
		info := c.object(o)
		if info.Kind == sem.FunctionObject {
			return // its signature is known; package callgraph finds recursion
		}
		if info.Kind != sem.BadObject {
			c.error(diag.DeclarationCycle, info.Span, "the declaration of `"+c.tree.Text(info.Name)+"` depends on itself",
				diag.Note{Span: use, Message: "needed here"})
			info.Type, info.Value, info.Kind = ir.Void, 0, sem.BadObject
		}
		return
	}
	f.state = resolving
	function, depth, around := c.graph.Function, c.depth, c.shortCircuits
	c.graph.Function, c.depth, c.shortCircuits = -1, 0, shortCircuits{}
	c.resolveGlobal(o)
	c.graph.Function, c.depth, c.shortCircuits = function, depth, around
	c.facts[o].state = resolved
}
