package wgsl

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file puts a module together: directives, structures, constants, variables, and the
// functions with the kernel behind those that it calls.

// written is a function and whether the kernel leads to it.
type written struct {
	name    string
	text    []byte
	reached bool
}

type emitter struct {
	e *codegen.Emission
	m *ir.Module
	f *ir.Func

	at *written // what is being written

	// the parts of the text, in their order
	structs, declarations, variables, out []byte

	globals     namer     // of the module's names
	globalNames []string  // by variable
	functions   []written // by function
	typeNames   []string  // by type
	members     map[ir.Type][]string
	constants   map[ir.Value]string // those that have a name
	bits        [scalar.Count]string
	refused     map[string]bool
	span        source.Span // of what is being written

	f16, subgroups, sizedSubgroups, immediates bool

	// the function that is being written
	names    *namer
	uses     usage
	exprs    []expr
	waiting  []ir.Value // what reads memory and was not written yet
	shared   []ir.Value // by value: whose variable holds it; see share.go
	alias    []ir.Value // by value: the other name of an equal one
	controls []construct
	indent   int
	tail     bool // behind the block's end the loop's next turn begins
}

func emit(e *codegen.Emission) []byte {
	w := &emitter{e: e, m: e.Module, members: map[ir.Type][]string{}, constants: map[ir.Value]string{}, refused: map[string]bool{}}
	called := builtinsOf(w.m)
	w.globals.init(func(name string) bool { return !called[name] })
	w.names = &w.globals
	m := w.m
	w.typeNames = make([]string, m.TypeCount())
	kernel := w.globals.always(e.Kernel.Name)
	e.Info.Name = kernel
	for n := range m.Globals {
		w.globalNames = append(w.globalNames, w.globals.always(m.Globals[n].Name))
	}
	for _, f := range m.Funcs {
		x := written{name: kernel}
		if f != e.Kernel {
			x.name = w.globals.always(f.Name)
		}
		w.functions = append(w.functions, x)
	}
	for n := range m.Globals {
		w.variableOfModule(n)
	}
	last := 0
	for n, f := range m.Funcs {
		if f == e.Kernel {
			last = n
		}
		w.at, w.out = &w.functions[n], nil
		w.function(f)
		w.at.text = w.out
	}
	w.out = nil
	mentioned := map[string]bool{}
	w.reach(&w.functions[last], mentioned)
	for n := range w.functions {
		if x := &w.functions[n]; n != last && x.reached {
			w.out = append(append(w.out, x.text...), '\n')
		}
	}
	head, body, _ := bytes.Cut(w.functions[last].text, []byte(" {\n"))
	w.out = append(append(w.out, head...), " {\n"...)
	w.mentionRest(mentioned)
	w.out = append(w.out, body...)
	return w.text()
}

// reach notes which names the text of a function and of those it leads to has. What nothing
// leads to, since its calls cannot be reached, is not written.
func (w *emitter) reach(x *written, mentioned map[string]bool) {
	x.reached = true
	for rest := x.text; len(rest) > 0; {
		n := bytes.IndexFunc(rest, func(r rune) bool { return !partOfName(r) })
		if n > 0 {
			mentioned[string(rest[:n])] = true
			rest = rest[n:]
		}
		if n < 0 {
			break
		}
		_, size := utf8.DecodeRune(rest)
		rest = rest[size:]
	}
	for n := range w.functions {
		if callee := &w.functions[n]; !callee.reached && mentioned[callee.name] {
			w.reach(callee, mentioned)
		}
	}
}

// text joins the parts.
func (w *emitter) text() []byte {
	head := signature + ": kernel " + w.e.Info.Name + "\n\n"
	directives := len(head)
	if w.f16 {
		head += "enable f16;\n"
	}
	if w.subgroups {
		head += "enable subgroups;\n"
	}
	if w.sizedSubgroups {
		head += "enable subgroup_size_control;\n"
	}
	if w.immediates {
		head += "requires immediate_address_space;\n"
	}
	if len(head) > directives {
		head += "\n"
	}
	text := append([]byte(head), w.structs...)
	for _, part := range [][]byte{w.variables, w.declarations} {
		if len(part) > 0 {
			text = append(append(text, part...), '\n')
		}
	}
	return append(text, w.out...)
}

// refuse reports what WGSL cannot say, once.
func (w *emitter) refuse(what string) {
	if w.refused[what] {
		return
	}
	w.refused[what] = true
	w.e.Context.List.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: w.span, Message: "target wgsl cannot express this: " + what})
}

func (w *emitter) refuseAt(i ir.Inst, what string) {
	w.span = w.f.SpanOf(i)
	w.refuse(what)
}

// accessNames are the access modes of storage buffers, which are never for writing alone.
var accessNames = [...]string{ir.Read: "read", ir.Write: "read_write", ir.ReadWrite: "read_write"}

// variableOfModule declares a variable of the module.
func (w *emitter) variableOfModule(n int) {
	m := w.m
	g := &m.Globals[n]
	w.span = g.Span
	t := m.Element(g.Type)
	space := m.SpaceOf(g.Type)
	text := ""
	if g.Bound {
		text = "@group(" + strconv.Itoa(int(g.Group)) + ") @binding(" + strconv.Itoa(int(g.Binding)) + ") "
		if w.holdsBool(t) {
			w.refuse("`" + g.Name + "` has bools in a buffer, where WGSL has none; use u32")
		}
	}
	switch space {
	case ir.Handle:
		text += "var "
	case ir.Storage:
		text += "var<storage, " + accessNames[m.AccessOf(g.Type)] + "> "
	case ir.Constant:
		initial := g.Init
		if initial == ir.NoValue {
			initial = m.Zero(t)
		}
		w.variables = append(w.variables, "const "+w.globalNames[n]+" = "+w.composite(initial)+";\n"...)
		return
	default:
		w.immediates = w.immediates || space == ir.Immediate
		text += "var<" + space.String() + "> "
	}
	text += w.globalNames[n] + ": " + w.typeName(t)
	if g.Init != ir.NoValue {
		if w.nonFinite(g.Init) {
			w.refuse("`" + g.Name + "` begins with an infinity or a NaN, which are no constants of WGSL")
		}
		if m.IsScalar(t) {
			text += " = " + w.scalarConstant(scalar.Kind(t), m.ConstBits(g.Init)).text
		} else {
			text += " = " + w.composite(g.Init)
		}
	}
	w.variables = append(w.variables, text+";\n"...)
}

// global returns the place that the address of a variable of the module is.
func (w *emitter) global(v ir.Value) expr {
	x := atom(w.globalNames[v.Index()])
	x.constant = w.m.SpaceOf(w.m.TypeOf(v)) == ir.Constant
	return x
}

func (w *emitter) line(parts ...string) {
	for range w.indent {
		w.out = append(w.out, "  "...)
	}
	for _, part := range parts {
		w.out = append(w.out, part...)
	}
	w.out = append(w.out, '\n')
}

func (w *emitter) function(f *ir.Func) {
	m := w.m
	w.f, w.span = f, f.Span
	w.uses.analyse(f)
	w.exprs = ir.Zeroed(w.exprs, f.ValueCount())
	w.shared, w.alias = ir.Zeroed(w.shared, f.ValueCount()), ir.Zeroed(w.alias, f.ValueCount())
	w.controls = ir.Zeroed(w.controls, f.InstCount())
	w.waiting, w.tail, w.indent = w.waiting[:0], false, 0
	w.countExits(f.Entry)
	mark := w.names.mark()
	if f.Kernel {
		w.kernelAttributes(f)
	}
	var parameters []string
	for n, p := range f.Params(f.Entry) {
		if f.Kernel && w.uses.count[p] == 0 {
			continue
		}
		hint := f.ValueName(p)
		attribute := ""
		if f.Kernel {
			b := f.Builtins[n]
			if hint == "" {
				hint = b.String()
			}
			attribute = "@builtin(" + b.String() + ") "
			w.subgroups = w.subgroups || b >= ir.SubgroupInvocationID && b <= ir.NumSubgroups
		} else if hint == "" {
			hint = "p"
		}
		name := w.names.name(hint)
		w.exprs[p] = atom(name)
		if t := f.TypeOf(p); m.IsPointer(t) {
			w.exprs[p] = atom("(*" + name + ")")
		}
		parameters = append(parameters, attribute+name+": "+w.typeName(f.TypeOf(p)))
	}
	head := "fn " + w.at.name + "(" + strings.Join(parameters, ", ") + ")"
	if len(head) > 100 {
		head = "fn " + w.at.name + "(\n  " + strings.Join(parameters, ",\n  ") + ",\n)"
	}
	if f.ResultType != ir.Void {
		head += " -> " + w.typeName(f.ResultType)
	}
	w.line(head, " {")
	w.indent++
	w.block(f.Entry)
	w.indent--
	w.line("}")
	w.names.close(mark)
}

func (w *emitter) kernelAttributes(f *ir.Func) {
	size := make([]string, 0, 3)
	for n, v := range f.Workgroup {
		x := w.m.ConstBits(v)
		if rest := f.Workgroup[n:]; n > 0 && w.m.ConstBits(rest[0]) == 1 && w.m.ConstBits(rest[len(rest)-1]) == 1 {
			break
		}
		size = append(size, strconv.FormatUint(x, 10))
	}
	attributes := "@compute @workgroup_size(" + strings.Join(size, ", ") + ")"
	if f.SubgroupSize != ir.NoValue {
		w.subgroups, w.sizedSubgroups = true, true
		attributes += " @subgroup_size(" + strconv.FormatUint(w.m.ConstBits(f.SubgroupSize), 10) + ")"
	}
	w.line(attributes)
}

// mentionRest names, where the kernel begins, the resources that nothing uses: they belong to
// its interface only if something names them (WGSL §13.3).
func (w *emitter) mentionRest(mentioned map[string]bool) {
	w.indent = 1
	for n := range w.m.Globals {
		g := &w.m.Globals[n]
		switch space := w.m.SpaceOf(g.Type); {
		case mentioned[w.globalNames[n]] || !g.Bound && space != ir.Immediate && space != ir.Handle:
		case space == ir.Handle:
			w.line("_ = ", w.globalNames[n], ";")
		default:
			w.line("_ = &", w.globalNames[n], ";")
		}
	}
}

// instruction writes an instruction that owns no blocks and ends none.
func (w *emitter) instruction(i ir.Inst) {
	f := w.f
	if w.uses.dead[i] {
		return
	}
	if span := f.SpanOf(i); span.Valid() {
		w.span = span
	}
	o := f.Op(i)
	w.subgroups = w.subgroups || o >= op.SubgroupElect && o <= op.QuadSwapDiagonal
	switch {
	case o == op.Var:
		w.variable(i)
	case o == op.Access:
		w.access(i)
	case o == op.Insert:
		w.insert(i)
	case o == op.Load:
		w.load(i)
	case o == op.Store:
		w.store(i)
	case o == op.Copy:
		w.copy(i)
	case o == op.ArrayLength:
		w.define(i, call("arrayLength", []expr{address(w.take(f.Arg(i, 0)))}))
	case o >= op.AtomicLoad && o <= op.AtomicCompareExchange:
		w.atomic(i)
	case textureNames[o] != "":
		w.texture(i)
	case o == op.Call:
		w.call(i)
	default:
		w.operation(i)
	}
}

// operation writes what has a row in the table.
func (w *emitter) operation(i ir.Inst) {
	o := w.f.Op(i)
	r := &table[o]
	var x expr
	switch {
	case r.emit != nil:
		x = r.emit(w, i)
	case r.function != "":
		x = call(r.function, w.operands(i))
	case r.operator == "":
		panic("wgsl: no row for " + o.String())
	default:
		args := w.operands(i)
		if len(args) == 1 {
			x = prefix(r.operator, args[0])
		} else {
			x = binary(args[0], r.operator, args[1], r.level)
		}
	}
	if o.Is(op.Convergent) { // stays where it is
		w.exprs[w.f.Result(i)] = w.let(w.f.Result(i), x)
		return
	}
	w.define(i, x)
}

func (w *emitter) call(i ir.Inst) {
	f := w.f
	var args []expr
	for _, a := range f.Args(i) {
		x := w.take(a)
		if w.m.IsPointer(f.TypeOf(a)) {
			x = address(x)
		}
		args = append(args, x)
	}
	x := call(w.functions[f.Aux(i)].name, args)
	w.flush(anything)
	if r := f.Result(i); r == ir.NoValue || w.uses.count[r] == 0 {
		w.line(x.text, ";")
	} else {
		w.exprs[r] = w.let(r, x)
	}
}
