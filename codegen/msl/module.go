package msl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file puts the text together: options, structures, constants, helpers, and functions with the
// kernel after those that it calls.

type emitter struct {
	printer.Printer
	e *codegen.Emission

	// the parts of the text, in their order
	structs, variables, declarations, functions []byte

	globals        printer.Namer // of the module's names
	globalNames    []string      // by variable
	functionNames  []string      // by function
	reached        []bool        // by variable
	needs          []needs       // by function
	structNames    [passedCount]string
	passedNames    [passedCount]string
	typeNames      []string // by type
	members        map[ir.Type][]string
	padded         map[string]string // by element and stride
	constants      map[ir.Value]string
	helperNames    [helperKinds][]string // by type
	operationNames [op.Count]string
	refused        map[string]bool
	// by the spelling of a texture's type: there is a function that writes texels
	stored    map[string]bool
	lastLine  int
	subgroups bool // some operation is one of subgroups
}

// words are C++'s words of control ([stmt]).
var words = printer.Syntax{Open: "(", Close: ")", Zero: "0", Endless: "while (true) {", True: "true", CaseEnd: "break;", DeclareOutside: true}

func emit(e *codegen.Emission) []byte {
	w := &emitter{e: e, members: map[ir.Type][]string{}, padded: map[string]string{}, constants: map[ir.Value]string{}, refused: map[string]bool{}, stored: map[string]bool{}}
	w.Printer = printer.Printer{Syntax: words, Language: w, Name: "msl", M: e.Module, Names: &w.globals, SourcePositions: e.LinePosition != nil}
	m := w.M
	initNames(&w.globals)
	w.typeNames = make([]string, m.TypeCount())
	kernel := w.globals.Always(e.Kernel.Name)
	e.Info.Name = kernel
	reach := ir.ReachOf(m, e.Kernel)
	w.reached = make([]bool, len(m.Globals))
	for _, list := range [...][]ir.Value{reach.Resources, reach.Handles, reach.Workgroup, reach.Private, reach.Constant, reach.Immediate} {
		for _, v := range list {
			w.reached[v.Index()] = true
		}
	}
	for n := range m.Globals {
		w.globalNames = append(w.globalNames, w.globals.Always(m.Globals[n].Name))
	}
	last := 0
	for n, f := range m.Funcs {
		if f == e.Kernel {
			last = n
			w.functionNames = append(w.functionNames, kernel)
		} else {
			w.functionNames = append(w.functionNames, w.globals.Always(f.Name))
		}
	}
	w.findNeeds()
	w.declareStructs(last)
	for n := range m.Globals {
		if g := &m.Globals[n]; m.SpaceOf(g.Type) == ir.Constant && w.reached[n] {
			initial := g.Init
			if initial == ir.NoValue {
				initial = m.Zero(m.Element(g.Type))
			}
			w.declareData(w.globalNames[n], initial)
		}
	}
	for _, f := range reach.Funcs { // callees first
		if f != e.Kernel {
			w.Out = nil
			w.function(f, slices.Index(m.Funcs, f))
			w.functions = append(append(w.functions, w.Out...), '\n')
		}
	}
	w.Out = nil
	w.function(e.Kernel, last)
	w.functions = append(w.functions, w.Out...)
	if w.subgroups {
		e.Info.Requires = append(e.Info.Requires, abi.Subgroups)
	}
	return printer.ExtractPositions(w.text(), e.LinePosition)
}

// modes are the floating-point modes that a runtime has to select when it compiles the text:
// MTLCompileOptions.fastMathEnabled until macOS 14, mathMode since. The text has the pragma for
// contraction (MSL 1.6.3) and, for compilers that know it, that for the mode.
var modes = [...]string{
	opt.MathWGSL:   "// mathematics: -ffast-math (MTLMathMode.relaxed)\n",
	opt.MathStrict: "// mathematics: -fno-fast-math (MTLMathMode.safe)\n",
	opt.MathFast:   "// mathematics: -ffast-math (MTLMathMode.fast)\n",
}

var pragmas = [...]string{
	opt.MathWGSL:   "",
	opt.MathStrict: "#pragma METAL fp contract(off)\n#if __METAL_VERSION__ >= 320\n#pragma METAL fp math_mode(safe)\n#endif\n",
	opt.MathFast:   "",
}

// text joins the parts.
func (w *emitter) text() []byte {
	mode := w.e.Context.Math
	text := []byte(signature + ": kernel " + w.e.Info.Name + "\n// language: -std=metal" + languageName(w.e.Profile) + "\n" + modes[mode] +
		"#include <metal_stdlib>\nusing namespace metal;\n" + pragmas[mode] + "\n")
	text = append(text, w.structs...)
	if len(w.variables) > 0 {
		text = append(append(text, w.variables...), '\n')
	}
	return append(append(text, w.declarations...), w.functions...)
}

// refuse reports what Metal cannot express, once.
func (w *emitter) refuse(what string) {
	if w.refused[what] {
		return
	}
	w.refused[what] = true
	w.e.Context.List.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: w.Span, Message: "target msl cannot express this: " + what})
}

// Global returns the lvalue of a variable of the module.
func (w *emitter) Global(v ir.Value) printer.Expr {
	name := w.globalNames[v.Index()]
	switch w.M.SpaceOf(w.M.TypeOf(v)) {
	case ir.Workgroup:
		name = w.passedNames[sharedStruct] + "." + name
	case ir.Private:
		name = w.passedNames[privateStruct] + "." + name
	}
	return printer.Atom(name)
}

// builtin is an attribute of the entry point's parameters (MSL 5.2.3.6), with the parameter's type.
type builtin struct{ attribute, typeName string }

var builtins = [ir.BuiltinCount]builtin{
	ir.LocalInvocationID:    {"thread_position_in_threadgroup", "uint3"},
	ir.LocalInvocationIndex: {"thread_index_in_threadgroup", "uint"},
	ir.GlobalInvocationID:   {"thread_position_in_grid", "uint3"},
	ir.WorkgroupID:          {"threadgroup_position_in_grid", "uint3"},
	ir.NumWorkgroups:        {"threadgroups_per_grid", "uint3"},
	ir.SubgroupInvocationID: {"thread_index_in_simdgroup", "uint"},
	ir.SubgroupSize:         {"threads_per_simdgroup", "uint"},
	ir.SubgroupID:           {"simdgroup_index_in_threadgroup", "uint"},
	ir.NumSubgroups:         {"simdgroups_per_threadgroup", "uint"},
}

// coordinates are the parameters of a kernel that hold builtin values.
type coordinates struct {
	names [ir.BuiltinCount]string
	list  []string
}

// coordinate returns the kernel's parameter that holds a builtin value.
func (w *emitter) coordinate(c *coordinates, b ir.Builtin, hint string) string {
	if c.names[b] == "" {
		if hint == "" {
			hint = b.String()
		}
		c.names[b] = w.Names.Name(hint)
		c.list = append(c.list, builtins[b].typeName+" "+c.names[b]+" [["+builtins[b].attribute+"]]")
	}
	return c.names[b]
}

func (w *emitter) function(f *ir.Func, n int) {
	m := w.M
	w.Begin(f)
	w.Mark, w.lastLine = "", 0
	mark := w.Names.Mark()
	var parameters, lines []string
	if f.Kernel {
		parameters = w.kernelParameters(n)
		var c coordinates
		for k, p := range f.Params(f.Entry) {
			if w.Uses.Count[p] == 0 {
				continue
			}
			b := f.Builtins[k]
			if builtins[b].attribute != "" {
				w.Exprs[p] = printer.Atom(w.coordinate(&c, b, f.ValueName(p)))
				continue
			}
			group, groups := w.coordinate(&c, ir.WorkgroupID, ""), w.coordinate(&c, ir.NumWorkgroups, "")
			index := group + ".x + " + groups + ".x * (" + group + ".y + " + groups + ".y * " + group + ".z)"
			if b == ir.GlobalInvocationIndex {
				size := uint64(1)
				for _, v := range f.Workgroup {
					size *= m.ConstBits(v)
				}
				index = "(" + index + ") * " + strconv.FormatUint(size, 10) + "u + " + w.coordinate(&c, ir.LocalInvocationIndex, "")
			}
			hint := f.ValueName(p)
			if hint == "" {
				hint = b.String()
			}
			name := w.Names.Name(hint)
			w.Exprs[p] = printer.Atom(name)
			lines = append(lines, w.Named(name, ir.U32, index))
		}
		parameters = append(parameters, c.list...)
		if w.needs[n].passed[privateStruct] {
			lines = append(lines, w.structNames[privateStruct]+" "+w.passedNames[privateStruct]+" = {};")
			for g := range m.Globals {
				v, t := m.Globals[g].Init, m.Globals[g].Type
				if !w.reached[g] || m.SpaceOf(t) != ir.Private {
					continue
				}
				if v == ir.NoValue || m.IsZero(v) { // as the variable is, unless it holds matrices
					if !m.HoldsFragment(m.Element(t)) {
						continue
					}
					v = m.Zero(m.Element(t))
				}
				lines = append(lines, w.passedNames[privateStruct]+"."+w.globalNames[g]+" = "+w.Constant(v).Text+";")
			}
		}
	} else {
		parameters = w.passedParameters(parameters, n)
		for _, p := range f.Params(f.Entry) {
			hint := f.ValueName(p)
			if hint == "" {
				hint = "p"
			}
			name := w.Names.Name(hint)
			w.Exprs[p] = printer.Atom(name)
			if m.IsPointer(f.TypeOf(p)) {
				w.Exprs[p] = printer.Atom("(*" + name + ")")
			}
			parameters = append(parameters, w.typeName(f.TypeOf(p))+" "+name)
		}
	}
	result, head := "void", ""
	if f.ResultType != ir.Void {
		result = w.typeName(f.ResultType)
	}
	if f.Kernel {
		total := uint64(1)
		for _, v := range f.Workgroup {
			total *= m.ConstBits(v)
		}
		w.Line("[[max_total_threads_per_threadgroup(", strconv.FormatUint(total, 10), ")]]")
		head = "kernel void " + w.functionNames[n]
	} else {
		head = result + " " + w.functionNames[n]
	}
	if joined := strings.Join(parameters, ", "); len(head)+len(joined) < 100 {
		w.Line(head, "(", joined, ") {")
	} else {
		w.Line(head, "(")
		for k, parameter := range parameters {
			if k < len(parameters)-1 {
				parameter += ","
			}
			w.Line("  ", parameter)
		}
		w.Line(") {")
	}
	w.Indent++
	for _, line := range lines {
		w.Line(line)
	}
	w.Block(f.Entry)
	w.Indent--
	w.Line("}")
	w.Names.Close(mark)
}

// Named gives a value a name.
func (w *emitter) Named(name string, t ir.Type, value string) string {
	if w.M.HoldsFragment(t) {
		return w.Variable(name, t, value)
	}
	return "const " + w.typeName(t) + " " + name + " = " + value + ";"
}

// Variable declares a variable.
func (w *emitter) Variable(name string, t ir.Type, initial string) string {
	if initial == "" {
		return w.typeName(t) + " " + name + ";"
	}
	return w.typeName(t) + " " + name + " = " + initial + ";"
}

// Case begins a clause of a switch.
func (w *emitter) Case(values []string, isDefault bool) string {
	head := ""
	for _, value := range values {
		head += "case " + value + ": "
	}
	if isDefault {
		head += "default: "
	}
	return strings.TrimSuffix(head, " ")
}

// Instruction writes an instruction that is neither a control instruction nor a terminator.
func (w *emitter) Instruction(i ir.Inst) {
	f := w.F
	if w.Uses.Dead[i] {
		return
	}
	if span := f.SpanOf(i); span.Valid() {
		w.Span = span
		if w.e.Lines {
			if at := w.M.Sources.Position(span.Start); at.Line != w.lastLine {
				w.lastLine = at.Line
				w.Mark = " // " + at.File + ":" + strconv.Itoa(at.Line)
			}
		}
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
		w.arrayLength(i)
	case o >= op.AtomicLoad && o <= op.AtomicCompareExchange:
		w.atomic(i)
	case o == op.Call:
		w.call(i)
	case textureOperations[o] != nil:
		w.texture(i)
	case op.Fragments.Has(o):
		w.fragment(i)
	default:
		w.operation(i)
	}
}

func (w *emitter) call(i ir.Inst) {
	f := w.F
	n := int(f.Aux(i))
	var args []string
	args = w.passedArguments(args, n)
	for _, a := range f.Args(i) {
		x := w.Take(a)
		if w.M.IsPointer(f.TypeOf(a)) {
			x.Text = strings.TrimSuffix(strings.TrimPrefix("&"+x.Text, "&(*"), ")")
		}
		args = append(args, x.Text)
	}
	x := printer.Atom(w.functionNames[n] + "(" + strings.Join(args, ", ") + ")")
	w.Called(i, x)
}
