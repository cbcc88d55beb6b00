package difftest

// Printing a program as WGSL. The spelling varies with the nodes' Style, so that the same tree
// always gives the same text and a reduced tree keeps the spelling of what is left of it.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// String is the program's source.
func (p *Program) String() string {
	w := &printer{p: p, aliases: map[*Type]string{}}
	if p.Half {
		w.line("enable f16;")
	}
	if p.Subgroups {
		w.line("enable subgroups;")
	}
	for _, a := range p.Aliases {
		w.line("alias %s = %s;", a.Name, w.typeText(a.Type, 0))
		w.aliases[a.Type] = a.Name
	}
	for _, t := range p.Structs {
		w.structure(t)
	}
	// Declarations at module scope may come in any order.
	if p.Seed%4 == 1 {
		w.functions()
		w.globals()
	} else {
		w.globals()
		w.functions()
	}
	return w.b.String()
}

func (w *printer) globals() {
	for _, v := range w.p.Globals {
		w.line("%s", w.declaration(v)+";")
	}
}

func (w *printer) functions() {
	funcs := slices.Clone(w.p.Funcs)
	if w.p.Seed%3 == 0 {
		slices.Reverse(funcs)
	}
	for _, f := range funcs {
		w.function(f)
	}
}

type printer struct {
	p       *Program
	b       strings.Builder
	indent  int
	aliases map[*Type]string
}

func (w *printer) line(format string, args ...any) {
	for range w.indent {
		w.b.WriteString("  ")
	}
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// typeText is a type's name; style chooses among spellings.
func (w *printer) typeText(t *Type, style uint8) string {
	if name := w.aliases[t]; name != "" && style&1 == 0 {
		return name
	}
	switch t.Kind {
	case Bool:
		return "bool"
	case I32:
		return "i32"
	case U32:
		return "u32"
	case F32:
		return "f32"
	case F16:
		return "f16"
	case Vector, Matrix:
		scalar := w.typeText(t.scalar(), 1)
		name := fmt.Sprintf("vec%d", t.Count)
		if t.Kind == Matrix {
			name = fmt.Sprintf("mat%dx%d", t.Count, t.Elem.Count)
		}
		if style&2 != 0 && t.scalar().Kind != Bool {
			letter := scalar[:1] // i32, u32 and f32 are i, u and f; f16 is h
			if t.scalar().Kind == F16 {
				letter = "h"
			}
			return name + letter
		}
		return name + "<" + scalar + ">"
	case Array:
		if t.Count == 0 {
			return "array<" + w.typeText(t.Elem, style) + ">"
		}
		n := strconv.Itoa(t.Count)
		if t.Size != nil {
			n = w.expr(t.Size, 0, true)
			if strings.ContainsAny(n, "<>") {
				n = "(" + n + ")"
			}
		}
		return "array<" + w.typeText(t.Elem, style) + ", " + n + ">"
	case Atomic:
		return "atomic<" + w.typeText(t.Elem, style) + ">"
	case Struct:
		return t.Name
	case Texture:
		return textureType(t)
	case Pointer:
		s := "ptr<" + spaceNames[t.Space] + ", " + w.typeText(t.Elem, style)
		if t.Space == StorageSpace && (t.Access == ReadWrite) {
			s += ", read_write"
		}
		return s + ">"
	}
	return "?"
}

var spaceNames = [...]string{"function", "private", "workgroup", "storage", "uniform", "immediate", "handle"}

func (w *printer) structure(t *Type) {
	w.line("struct %s {", t.Name)
	w.indent++
	for i, m := range t.Members {
		attributes := ""
		if m.Align != 0 {
			attributes += fmt.Sprintf("@align(%d) ", m.Align)
		}
		if m.Size != 0 {
			attributes += fmt.Sprintf("@size(%d) ", m.Size)
		}
		comma := ","
		if i == len(t.Members)-1 && len(t.Name)%2 == 0 {
			comma = ""
		}
		w.line("%s%s: %s%s", attributes, m.Name, w.typeText(m.Type, uint8(2*i)), comma)
	}
	w.indent--
	w.line("}")
}

// declaration is a declaration without its semicolon.
func (w *printer) declaration(v *Var) string {
	style := uint8(0)
	if v.Init != nil {
		style = v.Init.Style
	} else {
		style = uint8(len(v.Name)) * 2
	}
	text := ""
	switch v.Kind {
	case ConstVar:
		text = "const " + v.Name
	case LetVar:
		text = "let " + v.Name
	case OverrideVar:
		text = "override " + v.Name
		if v.ID >= 0 {
			text = fmt.Sprintf("@id(%d) %s", v.ID, text)
		}
	case MemoryVar:
		switch v.Space {
		case FunctionSpace:
			text = "var " + v.Name
			if style&4 != 0 {
				text = "var<function> " + v.Name
			}
		case StorageSpace:
			access := "read_write"
			if v.Access == Read {
				access = "read"
			}
			text = fmt.Sprintf("@group(%d) @binding(%d) var<storage, %s> %s", v.Group, v.Binding, access, v.Name)
			if v.Access == Read && v.Binding%2 == 0 {
				text = fmt.Sprintf("@binding(%d) @group(%d) var<storage> %s", v.Binding, v.Group, v.Name)
			}
		case UniformSpace:
			text = fmt.Sprintf("@group(%d) @binding(%d) var<uniform> %s", v.Group, v.Binding, v.Name)
		case HandleSpace:
			text = fmt.Sprintf("@group(%d) @binding(%d) var %s", v.Group, v.Binding, v.Name)
		default:
			text = "var<" + spaceNames[v.Space] + "> " + v.Name
		}
	}
	if !v.Untyped && v.Type.Kind != AbstractInt || v.Init == nil {
		text += ": " + w.typeText(v.Type, style)
	}
	if v.Init != nil {
		text += " = " + w.expr(v.Init, 0, !v.Untyped && v.Type.Kind != AbstractInt)
	}
	return text
}

func (w *printer) function(f *Func) {
	if f.Entry {
		sizes := []string{}
		for _, e := range f.Workgroup {
			if e != nil {
				sizes = append(sizes, w.expr(e, 0, false))
			}
		}
		w.line("@compute @workgroup_size(%s)", strings.Join(sizes, ", "))
	}
	params := []string{}
	for _, p := range f.Params {
		text := p.Name + ": " + w.typeText(p.Type, uint8(len(p.Name)))
		if p.Kind == BuiltinVar {
			text = "@builtin(" + p.Builtin + ") " + text
		}
		params = append(params, text)
	}
	result := ""
	if f.Result != nil {
		result = " -> " + w.typeText(f.Result, uint8(len(f.Name)))
	}
	w.line("fn %s(%s)%s {", f.Name, strings.Join(params, ", "), result)
	w.body(f.Body)
	w.line("}")
}

func (w *printer) body(list []*Stmt) {
	w.indent++
	for _, s := range list {
		w.statement(s)
	}
	w.indent--
}

func (w *printer) statement(s *Stmt) {
	switch s.Kind {
	case StmtIf:
		w.conditional(s, "")
	case StmtSwitch:
		w.line("switch %s {", w.condition(s.Value, s.Style))
		w.indent++
		for _, k := range s.Cases {
			w.clause(k)
		}
		w.indent--
		w.line("}")
	case StmtLoop, StmtFor, StmtWhile:
		w.loop(s)
	case StmtBlock:
		w.line("{")
		w.body(s.Body)
		w.line("}")
	case StmtExchange:
		w.exchange(s)
	default:
		comment := ""
		switch {
		case s.Style&0xe0 == 0xe0:
			comment = " // ends; here"
		case s.Style&0xe0 == 0xc0:
			comment = " /* two /* nested */ comments */"
		}
		w.line("%s;%s", w.simple(s), comment)
	}
}

// simple is a statement that ends with a semicolon, without it.
func (w *printer) simple(s *Stmt) string {
	switch s.Kind {
	case StmtDeclare:
		return w.declaration(s.Var)
	case StmtAssign:
		// The right operand of a shift may have another type than the reference.
		return w.expr(s.Target, 0, false) + " " + s.Name + "= " + w.expr(s.Value, 0, true)
	case StmtStep:
		return w.expr(s.Target, 0, false) + s.Name
	case StmtBreak:
		return "break"
	case StmtContinue:
		return "continue"
	case StmtReturn:
		if s.Value == nil {
			return "return"
		}
		return "return " + w.expr(s.Value, 0, true)
	case StmtCall:
		text, _ := w.bare(s.Value, false)
		return text
	case StmtPhony:
		return "_ = " + w.expr(s.Value, 0, false)
	}
	return "?"
}

func (w *printer) condition(e *Expr, style uint8) string {
	text := w.expr(e, 0, false)
	if style&1 == 0 || text[0] != '(' {
		return "(" + text + ")"
	}
	return text
}

func (w *printer) conditional(s *Stmt, before string) {
	w.line("%sif %s {", before, w.condition(s.Value, s.Style))
	w.body(s.Body)
	switch {
	case len(s.Else) == 1 && s.Else[0].Kind == StmtIf && s.Style&2 == 0:
		w.conditional(s.Else[0], "} else ")
		return
	case len(s.Else) > 0 || s.Style&12 == 12:
		w.line("} else {")
		w.body(s.Else)
	}
	w.line("}")
}

func (w *printer) clause(k *SwitchCase) {
	selectors := []string{}
	for i, e := range k.Selectors {
		if k.Default && i == k.At {
			selectors = append(selectors, "default")
		}
		selectors = append(selectors, w.expr(e, 0, false))
	}
	if k.Default && k.At >= len(k.Selectors) {
		selectors = append(selectors, "default")
	}
	head := "case " + strings.Join(selectors, ", ")
	if k.Default && len(k.Selectors) == 0 && k.At == 0 {
		head = "default"
	}
	if len(k.Selectors) > 1 && k.At%2 == 1 {
		head += ","
	}
	if k.At&2 != 0 {
		head += ":"
	}
	if len(k.Body) == 0 {
		w.line("%s {}", head)
		return
	}
	w.line("%s {", head)
	w.body(k.Body)
	w.line("}")
}

func (w *printer) loop(s *Stmt) {
	if s.Fuel > 0 {
		w.line("{")
		w.indent++
		w.line("var fuel = %du;", s.Fuel)
	}
	switch s.Kind {
	case StmtLoop:
		w.line("loop {")
	case StmtWhile:
		w.line("while %s {", w.condition(s.Value, s.Style))
	default:
		init, cond, update := "", "", ""
		if s.Init != nil {
			init = w.simple(s.Init)
		}
		if s.Value != nil {
			cond = " " + w.expr(s.Value, 0, false)
		}
		if s.Update != nil {
			update = " " + w.simple(s.Update)
		}
		w.line("for (%s;%s;%s) {", init, cond, update)
	}
	if s.Fuel > 0 {
		w.indent++
		w.line("if (fuel == 0u) { break; }")
		w.line("fuel--;")
		w.indent--
	}
	w.body(s.Body)
	if s.Kind == StmtLoop && (len(s.Else) > 0 || s.Value != nil) {
		w.indent++
		w.line("continuing {")
		w.body(s.Else)
		if s.Value != nil {
			w.indent++
			w.line("break if %s;", w.expr(s.Value, 0, false))
			w.indent--
		}
		w.line("}")
		w.indent--
	}
	w.line("}")
	if s.Fuel > 0 {
		w.indent--
		w.line("}")
	}
}

// exchange prints a compare-exchange loop.
func (w *printer) exchange(s *Stmt) {
	next := "cas_old " + s.Name + " cas_value"
	if s.Name == "min" || s.Name == "max" {
		next = s.Name + "(cas_old, cas_value)"
	}
	w.line("{")
	w.indent++
	w.line("let cas_cell = &%s;", w.expr(s.Target, 8, false))
	w.line("let cas_value = %s;", w.expr(s.Value, 0, false))
	if s.Style&1 == 0 {
		w.line("loop {")
		w.line("  let cas_old = atomicLoad(cas_cell);")
		w.line("  if (atomicCompareExchangeWeak(cas_cell, cas_old, %s).exchanged) { break; }", next)
		w.line("}")
	} else {
		w.line("var cas_old = atomicLoad(cas_cell);")
		w.line("loop {")
		w.line("  let cas_result = atomicCompareExchangeWeak(cas_cell, cas_old, %s);", next)
		w.line("  if (cas_result.exchanged) { break; }")
		w.line("  cas_old = cas_result.old_value;")
		w.line("}")
	}
	w.indent--
	w.line("}")
}

// Levels of precedence (WGSL §8.18), weakest first.
const (
	levelOr = iota + 1
	levelAnd
	levelBits
	levelRelational
	levelShift
	levelAdd
	levelMultiply
	levelUnary
	levelPrimary
)
