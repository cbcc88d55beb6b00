package ir

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/lex"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// Parse reads the text form of a module. It returns nil after adding a
// diagnostic to the list if the text does not parse; the result still has to be
// verified. Spans refer to the sources that the text holds, or to the text
// itself if it holds none.
func Parse(set *source.Set, file *source.File, list *diag.List) (m *Module) {
	list = diag.Some(list)
	if set == nil || file == nil {
		list.Add(diag.Diagnostic{Code: diag.IRSyntax, Message: "there is no text to parse: the set of sources or the file is nil", Notes: []diag.Note{{Message: "new(source.Set) makes a set, and its Add a file"}}})
		return nil
	}
	p := &parser{Lexer: lex.Lexer{File: file, List: list}, m: NewModule(set)}
	p.structs = map[string]Type{}
	p.globals = map[string]Value{}
	p.funcs = map[string]uint32{}
	defer func() {
		if lex.Caught(recover()) {
			m = nil
		}
	}()
	p.Next()
	p.module()
	return p.m
}

// ParseString reads the text form from a string, for tests.
func ParseString(text string) (*Module, *source.Set, []diag.Diagnostic) {
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add("text.ir", text)
	if err != nil {
		panic(err)
	}
	m := Parse(set, file, list)
	return m, set, list.Items()
}

type parser struct {
	lex.Lexer
	m        *Module
	f        *Func
	structs  map[string]Type
	globals  map[string]Value // overrides and variables
	funcs    map[string]uint32
	calls    []pendingCall
	values   map[string]Value
	labels   map[string]Inst
	embedded bool // the text holds its sources
	depth    int
}

// pendingCall is a call whose callee may be defined further down.
type pendingCall struct {
	f    *Func
	i    Inst
	name lex.Token
}

// maxParseDepth bounds the nesting of types, constants and blocks, so that parsing needs some
// megabytes of stack. Front ends nest less deeply, and passes only what is called.
const maxParseDepth = 1 << 16

func (p *parser) enter() {
	if p.depth++; p.depth > maxParseDepth {
		p.Fail(p.Token, "nested deeper than "+strconv.Itoa(maxParseDepth)+" levels")
	}
}

func (p *parser) module() {
	for p.Token.Kind != lex.End {
		start := p.Token
		switch {
		case p.Accept("source"):
			p.source()
		case p.Accept("struct"):
			p.structure()
		case p.Accept("override"):
			p.override(start)
		case p.Accept("var"):
			p.global(start)
		case p.Accept("site"):
			p.site(start)
		case p.Accept("message"):
			p.message(start)
		case p.Accept("fn"):
			p.function(false, start)
		case p.Accept("kernel"):
			p.function(true, start)
		default:
			p.Fail(p.Token, "expected source, struct, override, var, site, message, fn or kernel, found "+p.Describe())
		}
	}
	for _, c := range p.calls {
		n, ok := p.funcs[p.Text(c.name)]
		if !ok {
			p.Fail(c.name, "no function is called `"+p.Text(c.name)+"`")
		}
		c.f.SetAux(c.i, n)
	}
}

func (p *parser) source() {
	if !p.embedded {
		p.m.Sources, p.embedded = new(source.Set), true
	}
	name, text := p.Quoted(), p.Quoted()
	if _, err := p.m.Sources.Add(name, text); err != nil {
		p.Fail(p.Token, err.Error())
	}
}

// spanSince reads the span `!start-end` if it follows. Otherwise it returns that of the text since
// start.
func (p *parser) spanSince(start lex.Token) source.Span {
	if p.Accept("!") {
		first := p.Token
		from := p.Integer("a position")
		// `-end` lexes as a negative number
		to, err := strconv.ParseUint(strings.TrimPrefix(p.Text(p.Token), "-"), 10, 32)
		if err != nil || to < from {
			p.Fail(first, "the span is not of the form !start-end")
		}
		p.Next()
		return source.Span{Start: source.Pos(from), End: source.Pos(to)}
	}
	if p.embedded {
		return source.Span{}
	}
	return p.File.Span(start.Start, max(start.End, start.Start))
}

func (p *parser) structure() {
	at := p.Token
	name := p.Word("a structure's name")
	if _, ok := p.structs[name]; ok {
		p.Fail(at, "the structure is declared twice")
	}
	p.Expect("[")
	p.Expect("size")
	size := uint32(p.Integer("a size"))
	p.Expect(",")
	p.Expect("align")
	align := uint32(p.Integer("an alignment"))
	p.Expect("]")
	if align == 0 || align&(align-1) != 0 {
		p.Fail(at, "the alignment is not a power of two")
	}
	p.Expect("{")
	var members []Member
	for !p.Accept("}") {
		if len(members) > 0 {
			p.Expect(",")
		}
		var member Member
		if p.Token.Kind == lex.String {
			member.Name = p.Quoted()
		} else {
			member.Name = p.Word("a member's name")
		}
		p.Expect(":")
		member.Type = p.typ()
		p.Expect("[")
		p.Expect("offset")
		member.Offset = uint32(p.Integer("an offset"))
		p.Expect("]")
		members = append(members, member)
	}
	p.structs[name] = p.m.NewStruct(name, members, size, align)
}

// globalName reads `@name` of a declaration; names begin with a dot where the
// program gave none.
func (p *parser) globalName() (name, hint string) {
	p.Expect("@")
	at := p.Token
	name = p.Word("a name")
	if _, ok := p.globals[name]; ok {
		p.Fail(at, "the name is declared twice")
	}
	return name, hintOf(name)
}

// hintOf undoes what printing did to make a name unique, so that printing what was parsed gives the
// same names again. A name that ends in a dot and digits has its hint before the dot only if
// printing added the rest. That cannot be known; the full name prints the same, so it is the hint.
func hintOf(name string) string {
	if name[0] == '.' {
		return ""
	}
	return name
}

func (p *parser) override(start lex.Token) {
	name, hint := p.globalName()
	p.Expect(":")
	o := Override{Name: hint, ID: -1, Type: p.typ()}
	var args []Value
	if p.Accept("=") {
		if p.Token.Kind == lex.Name {
			if operation, ok := op.Lookup(p.Text(p.Token)); ok {
				p.Next()
				o.Op = operation
			}
		}
		for {
			args = append(args, p.value())
			if !p.Accept(",") {
				break
			}
		}
	}
	for p.Accept("[") {
		switch {
		case p.Accept("id"):
			o.ID = int32(p.Integer("an id"))
		case p.Accept("lazy"):
			o.Lazy = true
		default:
			o.Aux = p.attribute(o.Op)
		}
		p.Expect("]")
	}
	o.Span = p.spanSince(start)
	p.globals[name] = p.m.AddOverride(o, args...)
}

func (p *parser) global(start lex.Token) {
	name, hint := p.globalName()
	p.Expect(":")
	at := p.Token
	g := Global{Name: hint, Type: p.typ()}
	if !p.m.IsPointer(g.Type) {
		p.Fail(at, "a variable's type is that of its address, a ptr")
	}
	for p.Accept("[") {
		switch {
		case p.Accept("role"):
			g.Role = Role(p.oneOf(roleNames[:], "role"))
		default:
			p.Expect("group")
			g.Group = uint32(p.Integer("a group"))
			p.Expect(",")
			p.Expect("binding")
			g.Binding = uint32(p.Integer("a binding"))
			g.Bound = true
		}
		p.Expect("]")
	}
	if p.Accept("=") {
		g.Init = p.value()
	}
	g.Span = p.spanSince(start)
	p.globals[name] = p.m.AddGlobal(g)
}

func (p *parser) site(start lex.Token) {
	s := FaultSite{Variable: p.Quoted()}
	if p.Accept("[") {
		p.Expect("signed")
		p.Expect("]")
		s.Signed = true
	}
	s.Span = p.spanSince(start)
	p.m.FaultSites = append(p.m.FaultSites, s)
}

func (p *parser) function(kernel bool, start lex.Token) {
	p.Expect("@")
	at := p.Token
	name := p.Word("a function's name")
	if _, ok := p.funcs[name]; ok {
		p.Fail(at, "the function is declared twice")
	}
	p.funcs[name] = uint32(len(p.m.Funcs))
	f := p.m.NewFunc(hintOf(name), Void)
	f.Kernel = kernel
	p.f = f
	p.values, p.labels = map[string]Value{}, map[string]Inst{}
	p.Expect("(")
	for !p.Accept(")") {
		if len(f.Params(f.Entry)) > 0 {
			p.Expect(",")
		}
		name := p.localName()
		p.Expect(":")
		p.define(name, f.AddParam(f.Entry, p.typ()))
		builtin := NoBuiltin
		if p.Accept("[") {
			builtin = Builtin(p.oneOf(builtinNames[:], "builtin"))
			p.Expect("]")
		}
		if kernel {
			f.Builtins = append(f.Builtins, builtin)
		}
	}
	if p.Accept(":") {
		f.ResultType = p.typ()
	}
	if kernel {
		p.Expect("[")
		p.Expect("workgroup")
		for n := range f.Workgroup {
			if n > 0 {
				p.Expect(",")
			}
			f.Workgroup[n] = p.value()
		}
		p.Expect("]")
	}
	p.attributes(f)
	f.Span = p.spanSince(start)
	p.block(f.Entry)
}

// attributes reads what may follow a function's result or a kernel's workgroup size.
func (p *parser) attributes(f *Func) {
	for at := p.Token; p.Accept("["); at = p.Token {
		switch {
		case f.Kernel && p.Accept("subgroup_size"):
			f.SubgroupSize = p.value()
			f.SubgroupSpan = p.spanSince(at)
		case f.Kernel && p.Accept("int_positions"):
			f.IntPositions = true
		case f.Kernel && p.Accept("resident"):
			f.Resident = uint32(p.Integer("a number of workgroups"))
		case f.Kernel && p.Accept("coarse"):
			p.coarse(f)
		case f.Kernel && p.Accept("within"):
			p.within(f)
		case f.Kernel && p.Accept("interface"):
			p.interfaceOf(f)
		default:
			p.Expect("check")
			p.check(f)
		}
		p.Expect("]")
	}
}

// coarse reads how many workgroups of the source's kernel each workgroup does the work of.
func (p *parser) coarse(f *Func) {
	for n := range f.Coarse {
		if n > 0 {
			p.Expect(",")
		}
		f.Coarse[n] = uint32(p.Integer("a number of workgroups"))
	}
}

func (p *parser) interfaceOf(f *Func) {
	for {
		at := p.Token
		v := p.value()
		if !v.IsGlobal() {
			p.Fail(at, "an interface consists of variables of the module")
		}
		f.Interface = append(f.Interface, v)
		if !p.Accept(",") {
			return
		}
	}
}

func (p *parser) check(f *Func) {
	c := Check{Value: p.value()}
	for p.Accept(",") {
		f.Checks = append(f.Checks, c)
		c = Check{Value: p.value()}
	}
	if p.Token.Kind == lex.String {
		c.Message = p.Quoted()
	}
	for n := range strings.Count(c.Message, "{}") {
		if n > 0 {
			p.Expect(",")
		}
		c.Shown = append(c.Shown, p.value())
	}
	f.Checks = append(f.Checks, c)
}

// oneOf moves past a name and returns its index among names of which the first is none.
func (p *parser) oneOf(names []string, what string) int {
	at := p.Token
	n := slices.Index(names, p.Word("a "+what))
	if n < 0 {
		p.Fail(at, "no "+what+" is called `"+p.Text(at)+"`")
	}
	return n
}

// localName reads `%name` where a value is defined.
func (p *parser) localName() lex.Token {
	p.Expect("%")
	at := p.Token
	if p.Token.Kind != lex.Name {
		p.Fail(p.Token, "expected a value's name, found "+p.Describe())
	}
	p.Next()
	return at
}

func (p *parser) define(name lex.Token, v Value) {
	text := p.Text(name)
	if _, ok := p.values[text]; ok {
		p.Fail(name, "the value %"+text+" is defined twice")
	}
	p.values[text] = v
	p.f.SetName(v, hintOf(text))
}
