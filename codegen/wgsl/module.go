package wgsl

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file puts a module together: directives, structures, constants, variables, and the
// functions with the kernel after those that it calls.

// written is a function, and whether the kernel calls it, directly or not.
type written struct {
	name    string
	text    []byte
	reached bool
}

type emitter struct {
	printer.Printer
	e *codegen.Emission

	at *written // what is being written

	// the parts of the text, in their order
	structs, declarations, variables []byte

	globals                                    printer.Namer //  of the module's names
	globalNames                                []string      // by variable
	functions                                  []written     // by function
	typeNames                                  []string      // by type
	members                                    map[ir.Type][]string
	constants                                  map[ir.Value]string // those that have a name
	bits                                       [scalar.Count]string
	refused                                    map[string]bool
	f16, subgroups, sizedSubgroups, immediates bool
	// communicates says that there are subgroup operations. Whether all invocations reach them was
	// checked in the source, where a filter may allow what readers would refuse here.
	communicates bool
}

// words are WGSL's words of control (WGSL §9.4).
var words = printer.Syntax{Zero: "0", Endless: "loop {", True: "true", Continuing: true}

func emit(e *codegen.Emission) []byte {
	w := &emitter{e: e, members: map[ir.Type][]string{}, constants: map[ir.Value]string{}, refused: map[string]bool{}}
	w.Printer = printer.Printer{Syntax: words, Language: w, Name: "wgsl", M: e.Module, Names: &w.globals, SourcePositions: e.LinePosition != nil}
	called := builtinsOf(w.M)
	initNames(&w.globals, func(name string) bool { return !called[name] })
	m := w.M
	w.typeNames = make([]string, m.TypeCount())
	kernel := w.globals.Always(e.Kernel.Name)
	e.Info.Name = kernel
	for n := range m.Globals {
		w.globalNames = append(w.globalNames, w.globals.Always(m.Globals[n].Name))
	}
	for _, f := range m.Funcs {
		x := written{name: kernel}
		if f != e.Kernel {
			x.name = w.globals.Always(f.Name)
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
		w.at, w.Out = &w.functions[n], nil
		w.function(f)
		w.at.text = w.Out
	}
	w.Out = nil
	mentioned := map[string]bool{}
	w.reach(&w.functions[last], mentioned)
	for n := range w.functions {
		if x := &w.functions[n]; n != last && x.reached {
			w.Out = append(append(w.Out, x.text...), '\n')
		}
	}
	head, body, _ := bytes.Cut(w.functions[last].text, []byte(" {\n"))
	w.Out = append(append(w.Out, head...), " {\n"...)
	w.nameUnused(mentioned)
	w.Out = append(w.Out, body...)
	text := w.text()
	w.warnNesting(text)
	return printer.ExtractPositions(text, e.LinePosition)
}

// reach notes the names in the text of a function and of its callees. Functions without reachable
// calls are not written.
func (w *emitter) reach(x *written, mentioned map[string]bool) {
	byName := map[string]*written{}
	for n := range w.functions {
		byName[w.functions[n].name] = &w.functions[n]
	}
	x.reached = true
	for list := []*written{x}; len(list) > 0; {
		rest := list[len(list)-1].text
		list = list[:len(list)-1]
		for len(rest) > 0 {
			n := bytes.IndexFunc(rest, func(r rune) bool { return !printer.PartOfName(r) })
			if n > 0 {
				name := rest[:n]
				rest = rest[n:]
				if !mentioned[string(name)] {
					mentioned[string(name)] = true
					if callee := byName[string(name)]; callee != nil && !callee.reached {
						callee.reached = true
						list = append(list, callee)
					}
				}
			}
			if n < 0 {
				break
			}
			_, size := utf8.DecodeRune(rest)
			rest = rest[size:]
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
	if w.communicates {
		head += "diagnostic(off, subgroup_uniformity);\n"
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
	return append(text, w.Out...)
}

// refuse reports what WGSL cannot express, once.
func (w *emitter) refuse(what string) {
	if w.refused[what] {
		return
	}
	w.refused[what] = true
	w.e.Context.List.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: w.Span, Message: "target wgsl cannot express this: " + what})
}

func (w *emitter) refuseAt(i ir.Inst, what string) {
	w.Span = w.F.SpanOf(i)
	w.refuse(what)
}

// accessNames are the access modes of storage buffers, which are never for writing alone.
var accessNames = [...]string{ir.Read: "read", ir.Write: "read_write", ir.ReadWrite: "read_write"}

// variableOfModule declares a variable of the module.
func (w *emitter) variableOfModule(n int) {
	m := w.M
	g := &m.Globals[n]
	w.Span = g.Span
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
			text += " = " + w.scalarConstant(scalar.Kind(t), m.ConstBits(g.Init)).Text
		} else {
			text += " = " + w.composite(g.Init)
		}
	}
	w.variables = append(w.variables, text+";\n"...)
}

// Global returns the reference to a variable of the module.
func (w *emitter) Global(v ir.Value) printer.Expr {
	x := printer.Atom(w.globalNames[v.Index()])
	x.Constant = w.M.SpaceOf(w.M.TypeOf(v)) == ir.Constant
	return x
}

func (w *emitter) function(f *ir.Func) {
	m := w.M
	w.Begin(f)
	mark := w.Names.Mark()
	if f.Kernel {
		w.kernelAttributes(f)
	}
	var parameters []string
	for n, p := range f.Params(f.Entry) {
		if f.Kernel && w.Uses.Count[p] == 0 {
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
		name := w.Names.Name(hint)
		w.Exprs[p] = printer.Atom(name)
		if t := f.TypeOf(p); m.IsPointer(t) {
			w.Exprs[p] = printer.Atom("(*" + name + ")")
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
	w.Line(head, " {")
	w.Indent++
	w.Block(f.Entry)
	if last := f.Last(f.Entry); f.ResultType != ir.Void && f.Op(last) == op.Unreachable && f.Op(f.Prev(last)) == op.Loop {
		// This is unreachable, and WGSL needs no return. But naga (30), of wgpu and Firefox,
		// refuses a function without one.
		w.Line("return ", w.Constant(m.Zero(f.ResultType)).Text, ";")
	}
	w.Indent--
	w.Line("}")
	w.Names.Close(mark)
}

func (w *emitter) kernelAttributes(f *ir.Func) {
	size := make([]string, 0, 3)
	for n, v := range f.Workgroup {
		x := w.M.ConstBits(v)
		if rest := f.Workgroup[n:]; n > 0 && w.M.ConstBits(rest[0]) == 1 && w.M.ConstBits(rest[len(rest)-1]) == 1 {
			break
		}
		size = append(size, strconv.FormatUint(x, 10))
	}
	attributes := "@compute @workgroup_size(" + strings.Join(size, ", ") + ")"
	if f.SubgroupSize != ir.NoValue {
		w.subgroups, w.sizedSubgroups = true, true
		attributes += " @subgroup_size(" + strconv.FormatUint(w.M.ConstBits(f.SubgroupSize), 10) + ")"
	}
	w.Line(attributes)
}

// nameUnused names unused resources at the start of the kernel. Only resources that are named are
// part of its interface (WGSL §13.3).
func (w *emitter) nameUnused(mentioned map[string]bool) {
	w.Indent = 1
	for n := range w.M.Globals {
		g := &w.M.Globals[n]
		switch space := w.M.SpaceOf(g.Type); {
		case mentioned[w.globalNames[n]] || !g.Bound && space != ir.Immediate && space != ir.Handle:
		case space == ir.Handle:
			w.Line("_ = ", w.globalNames[n], ";")
		default:
			w.Line("_ = &", w.globalNames[n], ";")
		}
	}
}

// Named gives a value a name.
func (w *emitter) Named(name string, _ ir.Type, value string) string {
	return "let " + name + " = " + value + ";"
}

// Variable declares a variable.
func (w *emitter) Variable(name string, t ir.Type, initial string) string {
	if initial == "" {
		return "var " + name + ": " + w.typeName(t) + ";"
	}
	return "var " + name + " = " + initial + ";"
}

// Case begins a clause of a switch.
func (w *emitter) Case(values []string, isDefault bool) string {
	switch {
	case values == nil:
		return "default"
	case isDefault:
		return "case " + strings.Join(values, ", ") + ", default"
	}
	return "case " + strings.Join(values, ", ")
}

// Test writes nothing: loops of WGSL need not end.
func (w *emitter) Test() string { return "" }

// Instruction writes an instruction that is neither a control instruction nor a terminator.
func (w *emitter) Instruction(i ir.Inst) {
	f := w.F
	if w.Uses.Dead[i] {
		return
	}
	if span := f.SpanOf(i); span.Valid() {
		w.Span = span
	}
	o := f.Op(i)
	w.communicates = w.communicates || o >= op.SubgroupElect && o <= op.QuadSwapDiagonal
	w.subgroups = w.subgroups || w.communicates
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
		w.Define(i, printer.Call("arrayLength", []printer.Expr{address(w.Take(f.Arg(i, 0)))}))
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

// operation writes an operation with a row in the table.
func (w *emitter) operation(i ir.Inst) {
	o := w.F.Op(i)
	r := &table[o]
	var x printer.Expr
	switch {
	case r.emit != nil:
		x = r.emit(w, i)
	case r.function != "":
		x = printer.Call(r.function, w.operands(i))
	case r.operator == "":
		panic("wgsl: no row for " + o.String())
	default:
		args := w.operands(i)
		if len(args) == 1 {
			x = printer.Prefix(r.operator, args[0])
		} else {
			x = printer.Binary(args[0], r.operator, args[1], r.level)
		}
	}
	if o.Is(op.Convergent) { // stays where it is
		w.Exprs[w.F.Result(i)] = w.Let(w.F.Result(i), w.F.Type(i), x)
		return
	}
	w.Define(i, x)
}

func (w *emitter) call(i ir.Inst) {
	f := w.F
	var args []printer.Expr
	for _, a := range f.Args(i) {
		x := w.Take(a)
		if w.M.IsPointer(f.TypeOf(a)) {
			x = address(x)
		}
		args = append(args, x)
	}
	x := printer.Call(w.functions[f.Aux(i)].name, args)
	w.Called(i, x)
}
