package ir

import (
	"strconv"
	"sync"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// The text form, which Parse reads back to the same module:
//
//	struct Params [size 8, align 4] { n: u32 [offset 0], a: f32 [offset 4] }
//	override @count : u32 = 64u [id 0]
//	var @x : ptr<storage, array<f32>, read> [group 0, binding 0]
//	site "x" [signed]
//	message "x is %d" (i32) [assert]
//
//	kernel @main(%id: vec3<u32> [global_invocation_id]) [workgroup @count, 1u, 1u] {
//	  %i = extract %id, 0u : u32
//	  %p = access @x, %i : ptr<storage, f32, read>
//	  ...
//	}
//
// After the workgroup size there may be [subgroup_size 32u], [int_positions], [resident 3], [coarse
// 4, 1, 1], [within @x: 4 invocations 0] and [interface @x, @y]. They are Func.SubgroupSize,
// IntPositions, Resident, Coarse, Within and Interface. After a binding there may be [role tables],
// which is Global.Role. A site is one of FaultSites, a message one of Messages. A function's head
// ends with its Checks: [check @a, @b] and [check @c "this is {} and must be below {}" @count,
// 65u].

// PrintOptions choose what the text form holds besides the program.
type PrintOptions struct {
	// Spans adds the source texts and each instruction's span in them, so that a parsed module
	// reports errors as the original does.
	Spans bool
	// Excerpt, if not nil, names the files in the text, which then holds only those of their lines
	// that something comes from. So a change of other lines that moves no line changes nothing.
	Excerpt func(file string) string
	// SourceMap, if not nil, is called for each part of the text that has a span in the source. The
	// part begins after the given number of bytes of the text. If a line has several parts, the
	// span of the last one is that of the line.
	SourceMap func(bytes int, span source.Span)
	// Note, if not nil, returns what to say of an instruction in a comment, or "".
	Note func(f *Func, i Inst) string
}

// Text returns the text form of a module.
func (m *Module) Text() string { return string(m.AppendText(nil, PrintOptions{})) }

// AppendText appends the text form of a module to a buffer.
func (m *Module) AppendText(b []byte, options PrintOptions) []byte {
	m.must("AppendText")
	p := printer{m: m, b: b, options: options}
	p.module()
	return p.b
}

// TypeString returns the text form of a type.
func (m *Module) TypeString(t Type) string {
	p := printer{m: m, b: make([]byte, 0, 32)}
	p.typ(t)
	return string(p.b)
}

// ValueString returns the text form of a constant, global or override.
func (m *Module) ValueString(v Value) string {
	p := printer{m: m}
	p.value(v)
	return string(p.b)
}

// FuncNames returns the names that the text form has for the functions, which are unique.
func (m *Module) FuncNames() []string {
	m.must("FuncNames")
	p := printer{m: m}
	p.nameModule()
	return p.globals[len(m.Overrides)+len(m.Globals):]
}

// ValueNames returns the names that the text form has for a function's values, by value. They
// are unique.
func (f *Func) ValueNames() []string {
	p := printer{m: f.Module}
	p.name(f)
	return p.names
}

// InstText returns the text form of one instruction for messages; values are
// named by their numbers.
func (f *Func) InstText(i Inst) string {
	p := printer{m: f.Module, f: f}
	p.name(f)
	p.header(i)
	return string(p.b)
}

type printer struct {
	m       *Module
	f       *Func
	b       []byte
	options PrintOptions
	structs []string // unique names by struct index
	globals []string
	names   []string // unique names by local value
	labels  []string // by instruction
	depth   int
	moved   func(source.Pos) source.Pos // maps a position to that in the excerpt, if there is one
}

func (p *printer) text(parts ...string) {
	for _, s := range parts {
		p.b = append(p.b, s...)
	}
}

func (p *printer) number(n uint64) { p.b = strconv.AppendUint(p.b, n, 10) }

func (p *printer) module() {
	m := p.m
	if p.options.Spans && m.Sources != nil {
		sources := m.Sources
		if p.options.Excerpt != nil {
			sources, p.moved = m.excerpt(p.options.Excerpt)
		}
		for _, f := range sources.Files() {
			p.text("source ", strconv.Quote(f.Name), " ", strconv.Quote(f.Text), "\n")
		}
	}
	p.nameModule()
	p.nameStructs()
	for t := range m.types {
		if m.types[t].kind == StructType && !m.ofAbstract(Type(t)) {
			p.structure(Type(t))
		}
	}
	for i := range m.Overrides {
		p.override(i)
	}
	for i := range m.Globals {
		p.global(i)
	}
	for _, s := range m.FaultSites {
		p.text("site ", strconv.Quote(s.Variable))
		if s.Signed {
			p.text(" [signed]")
		}
		p.span(s.Span)
		p.text("\n")
	}
	for _, x := range m.Messages {
		p.text("message ", strconv.Quote(x.Format), " (")
		for n, t := range x.Values {
			if n > 0 {
				p.text(", ")
			}
			p.typ(t)
		}
		p.text(")")
		if x.Assert {
			p.text(" [assert]")
		}
		p.span(x.Span)
		p.text("\n")
	}
	for _, f := range m.Funcs {
		p.function(f)
	}
}

// typeWords are the words that the text of a type may begin with.
var typeWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for k := scalar.Bool; k < scalar.Count; k++ {
		words[k.String()] = true
	}
	for _, word := range [...]string{"array", "ptr", "atomic", "zero", "true", "false", "vec2", "vec3", "vec4", "sampler"} {
		words[word] = true
	}
	return words
})

func (p *printer) structure(t Type) {
	p.text("struct ", p.structs[p.m.types[t].c], " [size ")
	p.number(uint64(p.m.Size(t)))
	p.text(", align ")
	p.number(uint64(p.m.Align(t)))
	p.text("] {")
	for i, member := range p.m.Members(t) {
		if i > 0 {
			p.text(",")
		}
		p.text(" ")
		if isName(member.Name) {
			p.text(member.Name)
		} else {
			p.text(strconv.Quote(member.Name))
		}
		p.text(": ")
		p.typ(member.Type)
		p.text(" [offset ")
		p.number(uint64(member.Offset))
		p.text("]")
	}
	p.text(" }\n")
}

func (p *printer) override(i int) {
	o := &p.m.Overrides[i]
	args := p.m.OverrideArgs(OverrideValue(i))
	p.text("override @", p.globals[i], " : ")
	p.typ(o.Type)
	if o.Op != op.Invalid {
		p.text(" = ", o.Op.String(), " ")
		p.values(args)
		p.aux(o.Op, o.Aux, o.Type)
	} else if len(args) == 1 {
		p.text(" = ")
		p.value(args[0])
	}
	if o.ID >= 0 {
		p.text(" [id ", strconv.Itoa(int(o.ID)), "]")
	}
	if o.Lazy {
		p.text(" [lazy]")
	}
	p.span(o.Span)
	p.text("\n")
}

func (p *printer) global(i int) {
	g := &p.m.Globals[i]
	p.text("var @", p.globals[len(p.m.Overrides)+i], " : ")
	p.typ(g.Type)
	if g.Bound {
		p.text(" [group ")
		p.number(uint64(g.Group))
		p.text(", binding ")
		p.number(uint64(g.Binding))
		p.text("]")
	}
	if g.Role != NoRole {
		p.text(" [role ", roleNames[g.Role], "]")
	}
	if g.Init != 0 {
		p.text(" = ")
		p.value(g.Init)
	}
	p.span(g.Span)
	p.text("\n")
}

func (p *printer) function(f *Func) {
	p.name(f)
	if f.Kernel {
		p.text("\nkernel @")
	} else {
		p.text("\nfn @")
	}
	for n, g := range p.m.Funcs {
		if g == f {
			p.text(p.globals[len(p.m.Overrides)+len(p.m.Globals)+n])
		}
	}
	p.params(f.Entry)
	if f.ResultType != Void {
		p.text(" : ")
		p.typ(f.ResultType)
	}
	if f.Kernel {
		p.text(" [workgroup ")
		p.values(f.Workgroup[:])
		p.text("]")
		if f.SubgroupSize != 0 {
			p.text(" [subgroup_size ")
			p.value(f.SubgroupSize)
			p.span(f.SubgroupSpan)
			p.text("]")
		}
		if f.IntPositions {
			p.text(" [int_positions]")
		}
		if f.Resident != 0 {
			p.text(" [resident ")
			p.number(uint64(f.Resident))
			p.text("]")
		}
		if f.Coarse != [3]uint32{} {
			p.text(" [coarse")
			for n, factor := range f.Coarse {
				if n > 0 {
					p.text(",")
				}
				p.text(" ")
				p.number(uint64(factor))
			}
			p.text("]")
		}
		p.within(f.Within)
		if len(f.Interface) > 0 {
			p.text(" [interface ")
			p.values(f.Interface)
			p.text("]")
		}
	}
	p.checks(f.Checks)
	p.span(f.Span)
	p.text(" {\n")
	p.depth = 1
	p.block(f.Entry)
	p.text("}\n")
}

// checks prints what binding overrides checks: one condition on each line.
func (p *printer) checks(checks []Check) {
	for i, c := range checks {
		switch {
		case c.Message != "":
			p.text("\n  [check ")
		case i > 0 && checks[i-1].Message == "":
			p.text(", ")
		default:
			p.text(" [check ")
		}
		p.value(c.Value)
		if c.Message != "" {
			p.text(" ", strconv.Quote(c.Message))
		}
		if len(c.Shown) > 0 {
			p.text(" ")
			p.values(c.Shown)
		}
		if c.Message != "" || i == len(checks)-1 || checks[i+1].Message != "" {
			p.text("]")
		}
	}
}

// params prints a block's parameters in parentheses.
func (p *printer) params(b Block) {
	p.text("(")
	for n, v := range p.f.Params(b) {
		if n > 0 {
			p.text(", ")
		}
		p.value(v)
		p.text(": ")
		p.typ(p.f.TypeOf(v))
		if b == p.f.Entry && n < len(p.f.Builtins) && p.f.Builtins[n] != NoBuiltin {
			p.text(" [", p.f.Builtins[n].String(), "]")
		}
	}
	p.text(")")
}

// maxIndent is from where on deeper blocks are indented no further: the text grows with the
// program, not with its square.
const maxIndent = 40

func (p *printer) indent() {
	for range min(p.depth, maxIndent) {
		p.text("  ")
	}
}

func (p *printer) block(b Block) {
	for i := p.f.First(b); i != 0; i = p.f.Next(i) {
		note, control := "", p.f.Op(i).Is(op.Control)
		if p.options.Note != nil {
			note = p.options.Note(p.f, i)
		}
		p.indent()
		if control && note != "" {
			p.text("// ", note, "\n")
			p.indent()
		}
		p.header(i)
		switch {
		case control:
			p.regions(i)
		case note != "":
			p.text("  // ", note)
		}
		p.text("\n")
	}
}

// region prints a block in braces.
func (p *printer) region(b Block) {
	p.text("{\n")
	p.depth++
	p.block(b)
	p.depth--
	p.indent()
	p.text("}")
}

func (p *printer) regions(i Inst) {
	f := p.f
	p.text(" ")
	switch f.Op(i) {
	case op.If:
		p.region(f.Region(i, 0))
		p.text(" else ")
		p.region(f.Region(i, 1))
	case op.Loop:
		p.region(f.Region(i, 0))
		p.text(" continuing")
		if len(f.Params(f.Region(i, 1))) > 0 {
			p.params(f.Region(i, 1))
		}
		p.text(" ")
		p.region(f.Region(i, 1))
	case op.Scope:
		p.region(f.Region(i, 0))
	case op.Switch:
		p.text("{\n")
		p.depth++
		selectors := make([][]Value, len(f.Blocks(i)))
		for k, target := range f.CaseTargets(i) {
			selectors[target] = append(selectors[target], f.Arg(i, k+1))
		}
		for n, values := range selectors {
			p.indent()
			if n == f.DefaultCase(i) {
				p.text("default ")
			} else {
				p.text("case ")
				for k, v := range values {
					if k > 0 {
						p.text(", ")
					}
					p.value(v)
				}
				p.text(" ")
			}
			p.region(f.Region(i, n))
			p.text("\n")
		}
		p.depth--
		p.indent()
		p.text("}")
	}
}

// header prints an instruction without the blocks it owns.
func (p *printer) header(i Inst) {
	f := p.f
	o := f.Op(i)
	if o.Is(op.Control) {
		p.control(i)
		return
	}
	if r := f.Result(i); r != 0 {
		p.value(r)
		p.text(" = ")
	}
	p.text(o.String())
	switch o.Info().Attribute {
	case op.Callee:
		p.text(" @", p.globals[len(p.m.Overrides)+len(p.m.Globals)+int(f.Aux(i))])
		if len(f.Args(i)) > 0 {
			p.text(",")
		}
	case op.Label:
		p.text(" ^", p.labels[f.Target(i)])
	}
	switch {
	case o == op.Next:
		params, condition, results := f.NextArgs(i)
		p.text("(")
		p.values(params)
		p.text(")")
		if condition != 0 {
			p.text(" break_if ")
			p.value(condition)
			p.text("(")
			p.values(results)
			p.text(")")
		}
	case o.Info().Attribute == op.Label:
		p.text("(")
		p.values(f.Args(i))
		p.text(")")
	case len(f.Args(i)) > 0:
		p.text(" ")
		p.values(f.Args(i))
	}
	p.aux(o, f.Aux(i), f.Type(i))
	p.flags(f.Flags(i))
	if f.Result(i) != 0 {
		p.text(" : ")
		p.typ(f.Type(i))
	}
	p.span(f.SpanOf(i))
}

func (p *printer) control(i Inst) {
	f := p.f
	if results := f.Results(i); len(results) > 0 {
		p.values(results)
		p.text(" = ")
	}
	p.text(f.Op(i).String(), " ^", p.labels[i])
	switch f.Op(i) {
	case op.If, op.Switch:
		p.text(" ")
		p.value(f.Arg(i, 0))
	case op.Loop:
		params := f.Params(f.Region(i, 0))
		p.text("(")
		for n, v := range params {
			if n > 0 {
				p.text(", ")
			}
			p.value(v)
			p.text(": ")
			p.typ(f.TypeOf(v))
			p.text(" = ")
			if n < len(f.Args(i)) {
				p.value(f.Arg(i, n))
			}
		}
		p.text(")")
	}
	if results := f.Results(i); len(results) > 0 {
		p.text(" : ")
		for n, r := range results {
			if n > 0 {
				p.text(", ")
			}
			p.typ(f.TypeOf(r))
		}
	}
	p.span(f.SpanOf(i))
}
