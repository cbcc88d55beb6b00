package gokernel

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/frontend/structure"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// translator translates a kernel.
type translator struct {
	*loader
	m *ir.Module
	b ir.Builder
	k *instance
	typeTable
	facts facts
	// second says that this is the second translation, for which facts is complete.
	second bool
	// builtins are the kernel's builtin parameters.
	builtins [ir.BuiltinCount]ir.Value
	// functions are the analyses of the inlined functions.
	functions  map[*ssa.Function]*function
	structurer structure.Structurer
	// owners identify the Go variables of IR variables.
	owners map[ir.Value]owner
	// loops are the enclosing loops, the innermost last.
	loops []ir.Inst
	// instructions counts the translated instructions, with those of inlined calls.
	instructions int
	reported     map[source.Span]bool
	// locations are the references to the parameters that are values. spilled are the parameters
	// that variables hold copies of.
	locations map[*ssa.Parameter]reference
	spilled   map[ir.Value]*ssa.Parameter
	// mapping is 0, or in a function for the elements of a tile the number of values before it.
	mapping int
}

// facts are the results of the first translation.
type facts struct {
	written map[string]bool // by parameter; for a value, whether its copy is written
	read    map[string]bool // by parameter
	writes  map[string]int  // by parameter: how many statements write it, with all calls inlined
	atomic  map[string]bool // by access path, as in "counts.total"
	// cooperative says that items share workgroup memory or synchronise.
	cooperative bool
}

func newFacts() facts {
	return facts{written: map[string]bool{}, read: map[string]bool{}, writes: map[string]int{}, atomic: map[string]bool{}}
}

// maxInstructions bounds the size of a kernel with all calls inlined.
const maxInstructions = 1 << 20

// immediateLimit is the size of immediates that all devices support, in bytes (WebGPU's limit
// maxImmediateSize).
const immediateLimit = 64

// translate adds a kernel to a module.
func (l *loader) translate(m *ir.Module, k *instance) {
	defer diag.Recover(l.list, l.node(k.declaration.Name), "compiling kernel "+k.name, nil)
	before := l.list.Errors()
	first := translator{loader: l, m: ir.NewModule(l.set), k: k, facts: newFacts(), reported: map[source.Span]bool{}}
	first.kernel()
	if l.list.Errors() > before {
		return
	}
	// The second translation may find further atomic accesses: loads before the first atomic access
	// of a variable. They do not change the facts.
	first.facts.cooperative = synchronises(first.b.F) || slices.ContainsFunc(k.function.Params, func(p *ssa.Parameter) bool { return isPointer(p.Type()) })
	second := translator{loader: l, m: m, k: k, facts: first.facts, reported: first.reported, second: true}
	second.kernel()
}

// kernel translates the kernel.
func (t *translator) kernel() {
	t.typeTable.m = t.m
	t.owners = map[ir.Value]owner{}
	t.functions = map[*ssa.Function]*function{}
	t.locations, t.spilled = map[*ssa.Parameter]reference{}, map[ir.Value]*ssa.Parameter{}
	f := t.m.NewFunc(t.k.name, ir.Void)
	f.Kernel = true
	f.Span = t.span(t.k.declaration.Name.Pos(), t.k.declaration.Name.End())
	for n, size := range t.k.workgroup {
		f.Workgroup[n] = t.m.ConstU32(uint32(size))
	}
	f.Resident = uint32(t.k.resident)
	t.parameterLocations = make([]location, len(t.k.function.Params))
	t.b = ir.Builder{F: f, Span: f.Span, Flags: t.options.Math.Flags()}
	t.b.SetBlock(f.Entry)
	root := &frame{t: t, function: t.about(t.k.function), arguments: t.parameters(f)}
	if t.second && !t.facts.cooperative {
		root.guard()
	}
	root.body()
}

func isPointer(t types.Type) bool {
	_, is := t.Underlying().(*types.Pointer)
	return is
}

// parameters declares the variables of the kernel's parameters, and returns the arguments.
func (t *translator) parameters(f *ir.Func) []operand {
	parameters := t.k.function.Params
	arguments := make([]operand, len(parameters))
	binding := uint32(0)
	var plain []int
	buffer := func(p *ssa.Parameter, element types.Type) operand {
		access := ir.Read
		if t.facts.written[p.Name()] {
			access = ir.ReadWrite
		}
		array := t.m.ArrayOf(t.inMemory(element, p.Name()), ir.NoValue)
		g := t.global(p, t.m.PointerTo(ir.Storage, array, access))
		g.Bound, g.Binding = true, binding
		binding++
		made := operand{kind: aSlice, reference: reference{base: t.m.AddGlobal(g)}}
		f.Interface = append(f.Interface, made.base)
		return made
	}
	for n, p := range parameters {
		switch {
		case isItem(p.Type()):
			arguments[n] = operand{kind: anItem}
			continue
		case isView(p.Type()):
			arguments[n] = operand{kind: aTuple, parts: []operand{buffer(p, ViewElement(p.Type()))}}
			plain = append(plain, n)
			continue
		}
		switch u := p.Type().Underlying().(type) {
		case *types.Slice:
			arguments[n] = buffer(p, u.Elem())
		case *types.Pointer:
			g := t.global(p, t.m.PointerTo(ir.Workgroup, t.inMemory(u.Elem(), p.Name()), ir.ReadWrite))
			arguments[n] = operand{kind: aPointer, reference: reference{base: t.m.AddGlobal(g)}}
		default:
			plain = append(plain, n)
		}
	}
	t.declareValues(f, arguments, plain, binding)
	for n, a := range arguments {
		switch a.kind {
		case aValue:
		case aTuple:
			t.parameterLocations[n].buffer = a.parts[0].base
		default:
			t.parameterLocations[n] = location{variable: a.base, member: -1}
		}
	}
	return arguments
}

// declareValues declares the parameters that are values: an immediate variable, or a uniform buffer
// if they are large. A single one has its own name; several are members of a structure.
func (t *translator) declareValues(f *ir.Func, arguments []operand, declareValues []int, binding uint32) {
	if len(declareValues) == 0 {
		return
	}
	parameters := t.k.function.Params
	fields := make([]*types.Var, len(declareValues))
	for n, p := range declareValues {
		x := parameters[p].Type()
		if isView(x) {
			x = ViewLayout(x)
		}
		fields[n] = types.NewField(token.NoPos, nil, parameters[p].Name(), inWord(x), false)
	}
	typ := t.of(fields[0].Type())
	g := t.global(parameters[declareValues[0]], 0)
	if isView(parameters[declareValues[0]].Type()) {
		g.Name += "_layout" // its buffer has the name
	}
	if len(declareValues) > 1 {
		typ = t.structure(types.Typ[types.Invalid], types.NewStruct(fields, nil))
		g.Name = valuesName
	}
	space := ir.Immediate
	if t.m.Size(typ) > immediateLimit || t.hasArray(typ) {
		space, g.Bound, g.Binding = ir.Uniform, true, binding
	}
	g.Type = t.m.PointerTo(space, typ, ir.Read)
	base := t.m.AddGlobal(g)
	f.Interface = append(f.Interface, base)
	for n, p := range declareValues {
		r := reference{base: base}
		t.parameterLocations[p] = location{variable: base, member: -1}
		if len(declareValues) > 1 {
			t.parameterLocations[p].member = n
			r = r.to(step{t.m.ConstU32(uint32(n)), true})
		}
		t.b.Span = t.span(parameters[p].Pos(), token.NoPos)
		x := frame{t: t}
		if isView(parameters[p].Type()) {
			for member := range t.m.Members(t.of(fields[n].Type())) {
				field := r.to(t.member(member))
				arguments[p].parts = append(arguments[p].parts, made(t.b.Load(x.address(&field))))
			}
			continue
		}
		arguments[p] = operand{kind: aValue, value: t.b.Load(x.address(&r))}
		if hasNarrow(parameters[p].Type()) {
			arguments[p].value = t.b.Convert(t.m.ScalarOf(t.of(parameters[p].Type())), arguments[p].value)
		} else {
			t.locations[parameters[p]] = r
		}
		t.b.F.SetName(arguments[p].value, parameters[p].Name())
	}
}

// inWord returns the type in which a launch passes a value: integers of 8 and 16 bits are passed as
// a word, which every device can read.
func inWord(t types.Type) types.Type {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok || !hasNarrow(t):
		return t
	case b.Info()&types.IsUnsigned != 0:
		return types.Typ[types.Uint32]
	}
	return types.Typ[types.Int32]
}

// hasArray reports whether a type is or contains an array, which immediates cannot (WGSL §14.3).
func (t *translator) hasArray(x ir.Type) bool {
	switch t.m.KindOf(x) {
	case ir.ArrayType:
		return true
	case ir.StructType:
		return slices.ContainsFunc(t.m.Members(x), func(m ir.Member) bool { return t.hasArray(m.Type) })
	}
	return false
}

func (t *translator) global(p *ssa.Parameter, x ir.Type) ir.Global {
	return ir.Global{Name: p.Name(), Type: x, Span: t.span(p.Pos(), p.Pos()+token.Pos(len(p.Name())))}
}

// inMemory returns the type of a value in shared memory, with atomic types for the paths that are
// accessed atomically.
func (t *translator) inMemory(x types.Type, path string) ir.Type {
	if !t.hasAtomic(path) {
		return t.of(x)
	}
	switch u := x.Underlying().(type) {
	case *types.Array:
		return t.m.ArrayOf(t.inMemory(u.Elem(), path), t.m.ConstU32(uint32(u.Len())))
	case *types.Struct:
		if scalarOf(x) != ir.Void {
			break // a Float16
		}
		plain := t.of(x)
		members := slices.Clone(t.m.Members(plain))
		for n := range u.NumFields() {
			if field := u.Field(n); !isSizeless(field.Type()) {
				members[memberOf(u, n)].Type = t.inMemory(field.Type(), path+"."+field.Name())
			}
		}
		return t.m.NewStruct(t.m.StructName(plain), members, t.m.Size(plain), t.m.Align(plain))
	}
	return t.m.AtomicOf(t.of(x))
}

// hasAtomic reports whether a path, or a part of its target, is accessed atomically.
func (t *translator) hasAtomic(path string) bool {
	for atomic := range t.facts.atomic {
		if len(atomic) >= len(path) && atomic[:len(path)] == path && (len(atomic) == len(path) || atomic[len(path)] == '.') {
			return true
		}
	}
	return false
}

// accessPath returns the path of a reference as facts have it.
func (t *translator) accessPath(r *reference) string {
	if !r.base.IsGlobal() {
		return ""
	}
	g := t.m.Global(r.base)
	path, x := g.Name, t.m.Element(g.Type)
	for _, s := range r.path {
		n, _ := t.m.ConstUint(s.index)
		if s.member {
			path += "." + t.m.Members(x)[n].Name
		}
		x = t.m.PartType(x, uint32(n))
	}
	return path
}

// builtin returns a builtin value, and adds it to the kernel's parameters if necessary.
func (t *translator) builtin(which ir.Builtin, name string) ir.Value {
	if t.builtins[which] == ir.NoValue {
		f := t.b.F
		t.builtins[which] = f.AddParam(f.Entry, t.m.BuiltinType(which))
		f.SetName(t.builtins[which], name)
		f.Builtins = append(f.Builtins, which)
	}
	return t.builtins[which]
}

// refuse adds an error about an instruction, once for each position. What a function of package gpu
// has is reported at its call.
func (f *frame) refuse(code diag.Code, at token.Pos, hint, format string, args ...any) {
	t := f.t
	span := t.b.Span
	if at.IsValid() {
		span = t.span(at, token.NoPos)
	}
	for ; f.caller != nil && isOfRuntime(f.Function); f = f.caller {
		span = f.calledAt
	}
	if t.reported[span] {
		return
	}
	t.reported[span] = true
	d := diag.Diagnostic{Code: code, Span: span, Message: fmt.Sprintf(format, args...)}
	if hint != "" {
		d.Notes = append(d.Notes, diag.Note{Message: hint})
	}
	for x := f; x.caller != nil; x = x.caller {
		d.Notes = append(d.Notes, diag.Note{Span: x.calledAt, Message: fmt.Sprintf("%s is called here", x.function.name())})
	}
	t.list.Add(d)
}

// isOfRuntime reports whether a function is of package gpu.
func isOfRuntime(f *ssa.Function) bool {
	o := f.Object()
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == gpuPath
}

// table returns the value of a package-level variable that is a table.
func (t *translator) table(g *ssa.Global) (ir.Value, bool) {
	v, _ := g.Object().(*types.Var)
	literal, p := t.initial(v)
	if literal == nil {
		return ir.NoValue, false
	}
	return t.literal(literal, p.TypesInfo)
}

// field returns the step to a field's member.
func (t *translator) field(v *ssa.FieldAddr) step {
	return t.member(memberOf(pointee(v.X).Underlying().(*types.Struct), v.Field))
}

// member returns the step to a member of a structure.
func (t *translator) member(n int) step { return step{t.m.ConstU32(uint32(n)), true} }

// parts returns the number of parts of a composite type.
func (t *translator) parts(x ir.Type) uint32 {
	if t.m.KindOf(x) == ir.StructType {
		return uint32(len(t.m.Members(x)))
	}
	n, _ := t.m.Count(x)
	return n
}

// equal compares two values part by part.
func (t *translator) equal(x, y ir.Value) ir.Value {
	made := t.b.F.TypeOf(x)
	if t.m.IsScalar(made) {
		x, _ = t.widened(x)
		y, _ = t.widened(y)
		return t.b.Op(op.Eq, x, y)
	}
	all := t.m.ConstBool(true)
	for n := range t.parts(made) {
		all = t.b.Op(op.And, all, t.equal(t.b.Extract(x, n), t.b.Extract(y, n)))
	}
	return all
}
