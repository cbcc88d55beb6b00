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

// translator makes a kernel's function.
type translator struct {
	*loader
	m *ir.Module
	b ir.Builder
	k *instance
	typeTable
	facts facts
	// second says that facts holds what there is to know.
	second bool
	// builtins holds the kernel's parameters, by builtin.
	builtins [ir.BuiltinCount]ir.Value
	// functions is what is known of the functions that are put in, by function.
	functions  map[*ssa.Function]*function
	structurer structure.Structurer
	// owners are where variables are declared.
	owners map[ir.Value]owner
	// loops are those that are open, the innermost last.
	loops []ir.Inst
	// instructions counts what has been translated, calls included.
	instructions int
	reported     map[source.Span]bool
	// places is where the parameters lie that are values, and spilled are the variables that
	// hold copies of them.
	locations  map[*ssa.Parameter]reference
	spilled map[ir.Value]*ssa.Parameter
}

// facts is what a first translation finds out.
type facts struct {
	written map[string]bool // by parameter; of one that is a value, its copy
	read    map[string]bool // by parameter
	atomic  map[string]bool // by parameter and members on the way, as in "counts.total"
	// together says that items work together: they share memory, or meet.
	cooperative bool
}

// mostInstructions bounds what a kernel may become with all calls put into their callers.
const maxInstructions = 1 << 20

// immediateLimit is how many bytes of immediates all devices take (WebGPU's limit
// maxImmediateSize).
const immediateLimit = 64

// translate adds a kernel to a module.
func (l *loader) translate(m *ir.Module, k *instance) {
	defer diag.Recover(l.list, l.node(k.declaration.Name), "compiling kernel "+k.name, nil)
	before := l.list.Errors()
	first := translator{loader: l, m: ir.NewModule(l.set), k: k, facts: facts{written: map[string]bool{}, read: map[string]bool{}, atomic: map[string]bool{}}, reported: map[source.Span]bool{}}
	first.kernel()
	if l.list.Errors() > before {
		return
	}
	// What only the second round sees as atomic, a load before the first atomic access of a
	// variable, changes nothing that the facts hold.
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

// parameters declares what the kernel's parameters name, and returns the arguments.
func (t *translator) parameters(f *ir.Func) []operand {
	parameters := t.k.function.Params
	arguments := make([]operand, len(parameters))
	binding := uint32(0)
	var plain []int
	for n, p := range parameters {
		if isItem(p.Type()) {
			arguments[n] = operand{kind: anItem}
			continue
		}
		switch u := p.Type().Underlying().(type) {
		case *types.Slice:
			access := ir.Read
			if t.facts.written[p.Name()] {
				access = ir.ReadWrite
			}
			array := t.m.ArrayOf(t.inMemory(u.Elem(), p.Name()), ir.NoValue)
			g := t.global(p, t.m.PointerTo(ir.Storage, array, access))
			g.Bound, g.Binding = true, binding
			binding++
			arguments[n] = operand{kind: aSlice, reference: reference{base: t.m.AddGlobal(g)}}
			f.Interface = append(f.Interface, arguments[n].base)
		case *types.Pointer:
			g := t.global(p, t.m.PointerTo(ir.Workgroup, t.inMemory(u.Elem(), p.Name()), ir.ReadWrite))
			arguments[n] = operand{kind: aPointer, reference: reference{base: t.m.AddGlobal(g)}}
		default:
			plain = append(plain, n)
		}
	}
	t.plain(f, arguments, plain, binding)
	for n, a := range arguments {
		if a.kind != aValue {
			t.parameterLocations[n] = location{a.base, -1}
		}
	}
	return arguments
}

// plain declares the parameters that are values: a variable of immediates, or a uniform buffer if
// they are large. One alone has its own name, several are members of a structure.
func (t *translator) plain(f *ir.Func, arguments []operand, plain []int, binding uint32) {
	if len(plain) == 0 {
		return
	}
	parameters := t.k.function.Params
	fields := make([]*types.Var, len(plain))
	for n, p := range plain {
		fields[n] = types.NewField(token.NoPos, nil, parameters[p].Name(), inWord(parameters[p].Type()), false)
	}
	made := t.of(fields[0].Type())
	g := t.global(parameters[plain[0]], 0)
	if len(plain) > 1 {
		made = t.structure(types.Typ[types.Invalid], types.NewStruct(fields, nil))
		g.Name = valuesName
	}
	space := ir.Immediate
	if t.m.Size(made) > immediateLimit || t.hasArray(made) {
		space, g.Bound, g.Binding = ir.Uniform, true, binding
	}
	g.Type = t.m.PointerTo(space, made, ir.Read)
	base := t.m.AddGlobal(g)
	f.Interface = append(f.Interface, base)
	for n, p := range plain {
		r := reference{base: base}
		t.parameterLocations[p] = location{base, -1}
		if len(plain) > 1 {
			t.parameterLocations[p].member = n
			r = r.to(step{t.m.ConstU32(uint32(n)), true})
		}
		t.b.Span = t.span(parameters[p].Pos(), token.NoPos)
		x := frame{t: t}
		arguments[p] = operand{kind: aValue, value: t.b.Load(x.address(&r))}
		if hasNarrow(parameters[p].Type()) {
			arguments[p].value = t.b.Convert(t.m.ScalarOf(t.of(parameters[p].Type())), arguments[p].value)
		} else {
			t.locations[parameters[p]] = r
		}
		t.b.F.SetName(arguments[p].value, parameters[p].Name())
	}
}

// inWord returns the type that a value has where a launch passes it: integers of 8 and 16 bits have
// a word there, which every device can read.
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

// hasArray reports whether a type is or holds an array, which immediates do not (WGSL §14.3).
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

// inMemory returns the type of a value in memory that all items see: where it is accessed
// atomically, it is atomic.
func (t *translator) inMemory(x types.Type, path string) ir.Type {
	if !t.hasAtomic(path) {
		return t.of(x)
	}
	switch u := x.Underlying().(type) {
	case *types.Array:
		return t.m.ArrayOf(t.inMemory(u.Elem(), path), t.m.ConstU32(uint32(u.Len())))
	case *types.Struct:
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

// hasAtomic reports whether what a way leads to is accessed atomically, in part at least.
func (t *translator) hasAtomic(path string) bool {
	for atomic := range t.facts.atomic {
		if len(atomic) >= len(path) && atomic[:len(path)] == path && (len(atomic) == len(path) || atomic[len(path)] == '.') {
			return true
		}
	}
	return false
}

// way names what a reference leads to, for facts.
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

// builtin returns one of the launch's coordinates.
func (t *translator) builtin(which ir.Builtin, name string) ir.Value {
	if t.builtins[which] == ir.NoValue {
		f := t.b.F
		t.builtins[which] = f.AddParam(f.Entry, t.m.BuiltinType(which))
		f.SetName(t.builtins[which], name)
		f.Builtins = append(f.Builtins, which)
	}
	return t.builtins[which]
}

// refuse adds an error about an instruction, once for each place.
func (f *frame) refuse(code diag.Code, at token.Pos, hint, format string, args ...any) {
	t := f.t
	span := t.b.Span
	if at.IsValid() {
		span = t.span(at, token.NoPos)
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

// table returns the array of a variable of a package.
func (t *translator) table(g *ssa.Global) (ir.Value, bool) {
	v, _ := g.Object().(*types.Var)
	literal, p := t.initial(v)
	if literal == nil {
		return ir.NoValue, false
	}
	return t.literal(literal, p.TypesInfo)
}

// field is a step to the member of a structure that a field is.
func (t *translator) field(v *ssa.FieldAddr) step {
	return t.member(memberOf(pointee(v.X).Underlying().(*types.Struct), v.Field))
}

// member is a step to a member of a structure.
func (t *translator) member(n int) step { return step{t.m.ConstU32(uint32(n)), true} }

// parts returns how many parts the values of a type have.
func (t *translator) parts(x ir.Type) uint32 {
	if t.m.KindOf(x) == ir.StructType {
		return uint32(len(t.m.Members(x)))
	}
	n, _ := t.m.Count(x)
	return n
}

// equal compares values of a type part by part.
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
