package ir

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// Parse reads the text form of a module. It returns nil after adding a
// diagnostic to the list if the text does not parse; the result still has to be
// verified. Spans refer to the sources that the text holds, or to the text
// itself if it holds none.
func Parse(set *source.Set, file *source.File, list *diag.List) (m *Module) {
	p := &parser{lexer: lexer{file: file, list: list}, m: NewModule(set)}
	p.structs = map[string]Type{}
	p.globals = map[string]Value{}
	p.funcs = map[string]uint32{}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(syntaxError); !ok {
				panic(r)
			}
			m = nil
		}
	}()
	p.next()
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
	lexer
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

// pendingCall is a call whose callee may stand further down.
type pendingCall struct {
	f    *Func
	i    Inst
	name token
}

// maxParseDepth bounds the nesting of types, constants and blocks.
const maxParseDepth = 1000

func (p *parser) enter() {
	if p.depth++; p.depth > maxParseDepth {
		p.fail(p.token, "nested deeper than "+strconv.Itoa(maxParseDepth)+" levels")
	}
}

func (p *parser) module() {
	for p.token.kind != endToken {
		start := p.token
		switch {
		case p.accept("source"):
			p.source()
		case p.accept("struct"):
			p.structure()
		case p.accept("override"):
			p.override(start)
		case p.accept("var"):
			p.global(start)
		case p.accept("site"):
			p.site(start)
		case p.accept("fn"):
			p.function(false, start)
		case p.accept("kernel"):
			p.function(true, start)
		default:
			p.fail(p.token, "expected source, struct, override, var, site, fn or kernel, found "+p.describe())
		}
	}
	for _, c := range p.calls {
		n, ok := p.funcs[p.text(c.name)]
		if !ok {
			p.fail(c.name, "no function is called `"+p.text(c.name)+"`")
		}
		c.f.SetAux(c.i, n)
	}
}

func (p *parser) quoted() string {
	if p.token.kind != stringToken {
		p.fail(p.token, "expected a quoted string, found "+p.describe())
	}
	s, err := strconv.Unquote(p.text(p.token))
	if err != nil {
		p.fail(p.token, "the string is not valid")
	}
	p.next()
	return s
}

func (p *parser) source() {
	if !p.embedded {
		p.m.Sources, p.embedded = new(source.Set), true
	}
	name, text := p.quoted(), p.quoted()
	if _, err := p.m.Sources.Add(name, text); err != nil {
		p.fail(p.token, err.Error())
	}
}

// place reads `!start-end` if it follows, else answers the text since start.
func (p *parser) place(start token) source.Span {
	if p.accept("!") {
		first := p.token
		from := p.integer("a position")
		// `-end` lexes as a negative number
		to, err := strconv.ParseUint(strings.TrimPrefix(p.text(p.token), "-"), 10, 32)
		if err != nil || to < from {
			p.fail(first, "the span is not of the form !start-end")
		}
		p.next()
		return source.Span{Start: source.Pos(from), End: source.Pos(to)}
	}
	if p.embedded {
		return source.Span{}
	}
	return p.file.Span(start.start, max(start.end, start.start))
}

func (p *parser) integer(what string) uint64 {
	n, err := strconv.ParseUint(p.text(p.token), 10, 32)
	if p.token.kind != numberToken || err != nil {
		p.fail(p.token, "expected "+what+", found "+p.describe())
	}
	p.next()
	return n
}

func (p *parser) structure() {
	at := p.token
	name := p.name("a structure's name")
	if _, ok := p.structs[name]; ok {
		p.fail(at, "the structure is declared twice")
	}
	p.expect("[")
	p.expect("size")
	size := uint32(p.integer("a size"))
	p.expect(",")
	p.expect("align")
	align := uint32(p.integer("an alignment"))
	p.expect("]")
	if align == 0 || align&(align-1) != 0 {
		p.fail(at, "the alignment is not a power of two")
	}
	p.expect("{")
	var members []Member
	for !p.accept("}") {
		if len(members) > 0 {
			p.expect(",")
		}
		var member Member
		if p.token.kind == stringToken {
			member.Name = p.quoted()
		} else {
			member.Name = p.name("a member's name")
		}
		p.expect(":")
		member.Type = p.typ()
		p.expect("[")
		p.expect("offset")
		member.Offset = uint32(p.integer("an offset"))
		p.expect("]")
		members = append(members, member)
	}
	p.structs[name] = p.m.NewStruct(name, members, size, align)
}

// globalName reads `@name` of a declaration; names begin with a dot where the
// program gave none.
func (p *parser) globalName() (name, hint string) {
	p.expect("@")
	at := p.token
	name = p.name("a name")
	if _, ok := p.globals[name]; ok {
		p.fail(at, "the name is declared twice")
	}
	return name, hintOf(name)
}

// hintOf undoes what printing did to make a name unique, so that printing what
// was parsed gives the same names again. A name that ends in a dot and digits
// has its hint before the dot only if printing would have put it there, which
// cannot be known; the full name prints the same, so it is the hint.
func hintOf(name string) string {
	if name[0] == '.' {
		return ""
	}
	return name
}

func (p *parser) override(start token) {
	name, hint := p.globalName()
	p.expect(":")
	o := Override{Name: hint, ID: -1, Type: p.typ()}
	var args []Value
	if p.accept("=") {
		if p.token.kind == nameToken {
			if operation, ok := op.Lookup(p.text(p.token)); ok {
				p.next()
				o.Op = operation
			}
		}
		for {
			args = append(args, p.value())
			if !p.accept(",") {
				break
			}
		}
	}
	for p.accept("[") {
		switch {
		case p.accept("id"):
			o.ID = int32(p.integer("an id"))
		case p.accept("lazy"):
			o.Lazy = true
		default:
			o.Aux = p.attribute(o.Op)
		}
		p.expect("]")
	}
	o.Span = p.place(start)
	p.globals[name] = p.m.AddOverride(o, args...)
}

func (p *parser) global(start token) {
	name, hint := p.globalName()
	p.expect(":")
	at := p.token
	g := Global{Name: hint, Type: p.typ()}
	if !p.m.IsPointer(g.Type) {
		p.fail(at, "a variable's type is that of its address, a ptr")
	}
	for p.accept("[") {
		switch {
		case p.accept("role"):
			g.Role = Role(p.oneOf(roleNames[:], "role"))
		default:
			p.expect("group")
			g.Group = uint32(p.integer("a group"))
			p.expect(",")
			p.expect("binding")
			g.Binding = uint32(p.integer("a binding"))
			g.Bound = true
		}
		p.expect("]")
	}
	if p.accept("=") {
		g.Init = p.value()
	}
	g.Span = p.place(start)
	p.globals[name] = p.m.AddGlobal(g)
}

func (p *parser) site(start token) {
	s := FaultSite{Variable: p.quoted()}
	if p.accept("[") {
		p.expect("signed")
		p.expect("]")
		s.Signed = true
	}
	s.Span = p.place(start)
	p.m.FaultSites = append(p.m.FaultSites, s)
}

func (p *parser) function(kernel bool, start token) {
	p.expect("@")
	at := p.token
	name := p.name("a function's name")
	if _, ok := p.funcs[name]; ok {
		p.fail(at, "the function is declared twice")
	}
	p.funcs[name] = uint32(len(p.m.Funcs))
	f := p.m.NewFunc(hintOf(name), Void)
	f.Kernel = kernel
	p.f = f
	p.values, p.labels = map[string]Value{}, map[string]Inst{}
	p.expect("(")
	for !p.accept(")") {
		if len(f.Params(f.Entry)) > 0 {
			p.expect(",")
		}
		name := p.localName()
		p.expect(":")
		p.define(name, f.AddParam(f.Entry, p.typ()))
		builtin := NoBuiltin
		if p.accept("[") {
			builtin = Builtin(p.oneOf(builtinNames[:], "builtin"))
			p.expect("]")
		}
		if kernel {
			f.Builtins = append(f.Builtins, builtin)
		}
	}
	if p.accept(":") {
		f.ResultType = p.typ()
	}
	if kernel {
		p.expect("[")
		p.expect("workgroup")
		for n := range f.Workgroup {
			if n > 0 {
				p.expect(",")
			}
			f.Workgroup[n] = p.value()
		}
		p.expect("]")
	}
	p.attributes(f)
	f.Span = p.place(start)
	p.block(f.Entry)
}

// attributes reads what may stand behind a function's result or a kernel's workgroup
// size.
func (p *parser) attributes(f *Func) {
	for at := p.token; p.accept("["); at = p.token {
		switch {
		case f.Kernel && p.accept("subgroup_size"):
			f.SubgroupSize = p.value()
			f.SubgroupSpan = p.place(at)
		case f.Kernel && p.accept("interface"):
			p.interfaceOf(f)
		default:
			p.expect("check")
			p.check(f)
		}
		p.expect("]")
	}
}

func (p *parser) interfaceOf(f *Func) {
	for {
		at := p.token
		v := p.value()
		if !v.IsGlobal() {
			p.fail(at, "an interface consists of variables of the module")
		}
		f.Interface = append(f.Interface, v)
		if !p.accept(",") {
			return
		}
	}
}

func (p *parser) check(f *Func) {
	c := Check{Value: p.value()}
	for p.accept(",") {
		f.Checks = append(f.Checks, c)
		c = Check{Value: p.value()}
	}
	if p.token.kind == stringToken {
		c.Message = p.quoted()
	}
	for n := range strings.Count(c.Message, "{}") {
		if n > 0 {
			p.expect(",")
		}
		c.Shown = append(c.Shown, p.value())
	}
	f.Checks = append(f.Checks, c)
}

// oneOf moves past a name and returns its place among names of which the first is none.
func (p *parser) oneOf(names []string, what string) int {
	at := p.token
	n := slices.Index(names, p.name("a "+what))
	if n < 0 {
		p.fail(at, "no "+what+" is called `"+p.text(at)+"`")
	}
	return n
}

// localName reads `%name` where a value is defined.
func (p *parser) localName() token {
	p.expect("%")
	at := p.token
	if p.token.kind != nameToken {
		p.fail(p.token, "expected a value's name, found "+p.describe())
	}
	p.next()
	return at
}

func (p *parser) define(name token, v Value) {
	text := p.text(name)
	if _, ok := p.values[text]; ok {
		p.fail(name, "the value %"+text+" is defined twice")
	}
	p.values[text] = v
	p.f.SetName(v, hintOf(text))
}
