package mir

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/lex"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file reads the text form (print.go).

// Parse reads functions of a module: its constants, variables and functions are those that the text
// names. What the module lacks is declared, so that a text can be complete by itself. Functions are
// declared, and variables, as arrays of the size of their symbol; tables have no contents. Own are
// the names of the machine's own operations (Traits.Names).
//
// The result is nil after a diagnostic has been added to the list. It still has to be verified.
// Spans of instructions are positions in the text.
func Parse(m *ir.Module, own []string, file *source.File, list *diag.List) (functions []*Func) {
	p := parser{Lexer: lex.Lexer{File: file, List: list}, m: m, targetOps: own, functions: map[string]uint32{}, variables: map[string]ir.Value{}, done: map[*ir.Func]bool{}}
	for n, name := range m.FuncNames() {
		p.functions[name] = uint32(n)
	}
	for n := range m.Globals {
		v := ir.GlobalValue(n)
		p.variables[strings.TrimPrefix(m.ValueString(v), "@")] = v
	}
	for n := range m.Overrides {
		v := ir.OverrideValue(n)
		p.variables[strings.TrimPrefix(m.ValueString(v), "@")] = v
	}
	defer func() {
		if lex.Caught(recover()) {
			functions = nil
		}
	}()
	p.Next()
	for p.Token.Kind != lex.End {
		functions = append(functions, p.function())
	}
	p.link()
	return functions
}

type parser struct {
	lex.Lexer
	m         *ir.Module
	targetOps []string
	functions map[string]uint32   // of the module, by name
	variables map[string]ir.Value // of the module, by name, with its overrides
	done      map[*ir.Func]bool   // functions that the text has had
	calls     []pendingCall

	f        *Func
	declared bool                // the text declared the function's source
	locals   map[string]ir.Value // variables of the function, by name
	defined  map[Block]bool      // blocks that the text has defined so far
	pending  []pendingEdge
	operands []Operand // of one list
}

// pendingCall is a call whose callee may come later in the text. pendingEdge is an edge whose block
// may.
type (
	pendingCall struct {
		f    *Func
		i    Inst
		name lex.Token
	}
	pendingEdge struct {
		to Block
		at lex.Token
	}
)

// maxNumber bounds the numbers of registers and blocks, for which tables are made.
const maxNumber = 1 << 20

// link gives calls their callees, which are all known now.
func (p *parser) link() {
	for _, c := range p.calls {
		n, known := p.functions[p.Text(c.name)]
		if !known {
			p.Fail(c.name, "no function is called @"+p.Text(c.name))
		}
		c.f.insts[c.i].aux = n
	}
}

// named reads a name after a mark such as @.
func (p *parser) named(mark, what string) lex.Token {
	p.Expect(mark)
	at := p.Token
	p.Word(what)
	return at
}

func (p *parser) function() *Func {
	kernel := p.Accept("kernel")
	if !kernel && !p.Accept("fn") {
		p.Fail(p.Token, "expected fn or kernel, found "+p.Describe())
	}
	p.f = new(Func)
	p.f.reset(p.m, p.source(kernel), p.targetOps)
	p.done[p.f.Source] = true
	p.defined, p.pending = map[Block]bool{}, p.pending[:0]
	if p.Is("(") {
		p.f.Params = append(p.f.Params, p.registers()...)
	}
	for p.Accept("symbol") {
		p.symbol()
	}
	if _, ok := p.blockNumber(); !ok {
		p.Fail(p.Token, "expected a block, found "+p.Describe())
	}
	for {
		b, ok := p.blockNumber()
		if !ok {
			break
		}
		p.block(b)
	}
	for _, e := range p.pending {
		if !p.defined[e.to] {
			p.Fail(e.at, "the function has no block "+p.Text(e.at))
		}
	}
	return p.f
}

// source reads a function's name and returns its source in the module.
func (p *parser) source(kernel bool) *ir.Func {
	at := p.named("@", "a function's name")
	name := p.Text(at)
	n, known := p.functions[name]
	p.declared = !known
	p.locals = map[string]ir.Value{}
	if !known {
		if _, taken := p.variables[name]; taken {
			p.Fail(at, "@"+name+" is a variable")
		}
		p.functions[name] = uint32(len(p.m.Funcs))
		f := p.m.NewFunc(name, ir.Void)
		f.Kernel = kernel
		return f
	}
	f := p.m.Funcs[n]
	switch {
	case p.done[f]:
		p.Fail(at, "the function is defined twice")
	case f.Kernel != kernel:
		p.Fail(at, "the module has @"+name+" as the other of fn and kernel")
	}
	names := f.ValueNames()
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Var {
			p.locals[names[f.Result(i)]] = f.Result(i)
		}
	}
	return f
}

// symbol reads `1: workgroup 64 bytes align 16 @tile`.
func (p *parser) symbol() {
	at := p.Token
	if n := p.Integer("the symbol's number"); n != uint64(len(p.f.Symbols)) {
		p.Fail(at, "symbols are numbered in their order, and this is number "+strconv.Itoa(len(p.f.Symbols)))
	}
	p.Expect(":")
	s := Symbol{Space: p.space()}
	s.Bytes = uint32(p.Integer("a size"))
	p.Expect("bytes")
	p.Expect("align")
	s.Align = uint32(p.Integer("an alignment"))
	switch {
	case p.Is("@"):
		s.Variable = p.variable("@", p.variables, &s)
	case p.Is("%"):
		s.Variable = p.variable("%", p.locals, &s)
	default:
		p.Expect(immediateCopy)
	}
	p.f.Symbols = append(p.f.Symbols, s)
}

// variable reads which variable a symbol is. One that nobody has is declared.
func (p *parser) variable(mark string, known map[string]ir.Value, s *Symbol) ir.Value {
	at := p.named(mark, "a variable")
	name, f := p.Text(at), p.f.Source
	local := mark == "%"
	if local != (s.Space == ir.Function) {
		p.Fail(at, "% is a variable in the space function, and @ one of the module in another space")
	}
	v, ok := known[name]
	_, function := p.functions[name]
	switch width := uint32(scalar.F16.Bytes()); {
	case !local && (function || v.IsOverride()):
		p.Fail(at, "@"+name+" is no variable")
	case ok && !local && p.m.SpaceOf(p.m.TypeOf(v)) == ir.Uniform && s.Space == ir.Immediate:
		// passed by value
		return v
	case ok && !local && p.m.SpaceOf(p.m.TypeOf(v)) != s.Space:
		p.Fail(at, "the variable is in the space "+p.m.SpaceOf(p.m.TypeOf(v)).String())
	case ok:
		return v
	case local && !p.declared:
		p.Fail(at, "the module's function has no variable %"+name)
	case s.Bytes == 0 || s.Bytes%width != 0:
		p.Fail(at, "the module has no variable of this name, and none of this size can be declared")
	default:
		t := p.m.PointerTo(s.Space, p.m.ArrayOf(ir.F16, p.m.ConstU32(s.Bytes/width)), ir.DefaultAccess(s.Space))
		if !local {
			v = p.m.AddGlobal(ir.Global{Name: name, Type: t})
			break
		}
		i := f.NewInst(op.Var, t, 0, source0)
		f.Append(f.Entry, i)
		v = f.Result(i)
		f.SetName(v, name)
	}
	known[name] = v
	return v
}

// space reads the name of a space.
func (p *parser) space() ir.Space {
	s, ok := ir.SpaceNamed(p.Text(p.Token))
	if !ok {
		p.Fail(p.Token, "expected an address space, found "+p.Describe())
	}
	p.Next()
	return s
}

// blockNumber returns the block that the current token names, if it names one.
func (p *parser) blockNumber() (b Block, ok bool) {
	if p.Token.Kind != lex.Name || p.Text(p.Token)[0] != 'b' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.Text(p.Token)[1:], 10, 32)
	if err != nil {
		return 0, false
	}
	if n == 0 || n >= maxNumber {
		p.Fail(p.Token, "blocks have numbers from 1 to "+strconv.Itoa(maxNumber-1))
	}
	return Block(n), true
}

// grow makes blocks up to one.
func (p *parser) grow(b Block) {
	for p.f.Blocks() <= int(b) {
		p.f.NewBlock()
	}
}

// block reads a block from its number on to the next block or function.
func (p *parser) block(b Block) {
	if p.defined[b] {
		p.Fail(p.Token, "the block is defined twice")
	}
	p.defined[b] = true
	p.grow(b)
	p.f.Order = append(p.f.Order, b)
	p.Next()
	if p.Is("(") {
		p.f.SetParams(b, p.registers())
	}
	p.Expect(":")
	if !p.First {
		p.Fail(p.Token, "expected the end of the line, found "+p.Describe())
	}
	for p.Token.Kind != lex.End && !p.Is("fn") && !p.Is("kernel") {
		if _, another := p.blockNumber(); another {
			break
		}
		p.instruction(b)
	}
}

// register reads `%r1`.
func (p *parser) register() Operand {
	at := p.named("%", "a register")
	text := p.Text(at)
	c := Class(max(strings.IndexByte(string(letters[:]), text[0]), 0))
	n, err := strconv.ParseUint(text[1:], 10, 32)
	if c == NoClass || err != nil {
		p.Fail(at, "registers are p, h, r or d with a number, and this is `"+text+"`")
	}
	if n == 0 || n >= maxNumber {
		p.Fail(at, "registers have numbers from 1 to "+strconv.Itoa(maxNumber-1))
	}
	p.f.count[c] = max(p.f.count[c], uint32(n)+1)
	return Register(c, uint32(n))
}

// registers reads a list of registers in parentheses.
func (p *parser) registers() []Operand {
	p.Expect("(")
	p.operands = p.operands[:0]
	for {
		p.operands = append(p.operands, p.register())
		if !p.Accept(",") {
			break
		}
	}
	p.Expect(")")
	return p.operands
}

// operand reads a register or a constant; ok is false if there is none.
func (p *parser) operand() (o Operand, ok bool) {
	at := p.Token
	switch {
	case p.Is("%"):
		return p.register(), true
	case p.Accept("none"):
		return NoOperand, true
	}
	v, ok := ir.ParseScalar(&p.Lexer, p.m)
	if !ok {
		return NoOperand, false
	}
	if p.f.classOf(Const(v)) == NoClass {
		p.Fail(at, "no register holds such a number")
	}
	return Const(v), true
}

// list reads operands, of which there may be none.
func (p *parser) list() list {
	p.operands = p.operands[:0]
	for !p.First {
		o, ok := p.operand()
		if !ok {
			if len(p.operands) > 0 {
				p.Fail(p.Token, "expected an operand, found "+p.Describe())
			}
			break
		}
		p.operands = append(p.operands, o)
		if !p.Accept(",") {
			break
		}
	}
	return p.f.list(p.operands)
}

// instruction reads a line.
func (p *parser) instruction(b Block) {
	f, start := p.f, p.Token
	var x inst
	if p.Is("%") {
		p.operands = p.operands[:0]
		for {
			p.operands = append(p.operands, p.register())
			if !p.Accept(",") {
				break
			}
		}
		x.results = f.list(p.operands)
		p.Expect("=")
	}
	p.operation(&x)
	callee := p.attribute(&x)
	if HasMemory(x.op) {
		f.memory = append(f.memory, p.memory(x.kind))
		x.memory = uint32(len(f.memory) - 1)
	}
	x.args = p.list()
	switch x.op {
	case Jump:
		x.aux = p.edges(1)
	case Branch:
		x.aux = p.edges(2)
	}
	if !p.First {
		p.Fail(p.Token, "expected the end of the line, found "+p.Describe())
	}
	i := f.append(b, x, p.File.Span(start.Start, start.End))
	if callee.Kind != lex.End {
		p.calls = append(p.calls, pendingCall{f, i, callee})
	}
}

// operation reads an operation's name, and after dots its kinds.
func (p *parser) operation(x *inst) {
	at := p.Token
	name, kinds, typed := strings.Cut(p.Word("an operation"), ".")
	var known bool
	if x.op, known = p.lookup(name); !known {
		p.Fail(at, "no operation is called `"+name+"`")
	}
	if !typed {
		return
	}
	kind, to, converts := strings.Cut(kinds, ".")
	x.kind = p.kind(at, kind)
	if converts {
		x.to = p.kind(at, to)
	}
}

// lookup finds an operation by name.
func (p *parser) lookup(name string) (o Op, ok bool) {
	for n := range p.targetOps {
		if p.targetOps[n] == name {
			return MachineOps + Op(n), true
		}
	}
	for n := range machineOpNames {
		if machineOpNames[n] == name {
			return Join + Op(n), true
		}
	}
	of, ok := op.Lookup(name)
	return Op(of), ok
}

// kind returns the kind with a name, which registers hold.
func (p *parser) kind(at lex.Token, name string) scalar.Kind {
	k := scalar.Named(name)
	if ClassOf(k) == NoClass {
		p.Fail(at, "no register holds `"+name+"`")
	}
	return k
}

// attribute reads what belongs to an operation besides operands. Of a call it returns the
// callee's name.
func (p *parser) attribute(x *inst) (callee lex.Token) {
	at := p.Token
	switch {
	case IsTexture(x.op):
		p.handles(x)
		return callee
	case x.op >= MachineOps && p.Accept("["):
		x.aux = uint32(p.Integer("a number"))
		p.Expect("]")
		return callee
	}
	switch x.op {
	case Builtin:
		name, component, _ := strings.Cut(p.Word("a builtin value"), ".")
		builtin, c := ir.BuiltinNamed(name), strings.Index(components[:3], component)
		if builtin == ir.NoBuiltin || len(component) != 1 || c < 0 {
			p.Fail(at, "expected a builtin value and its component, x, y or z, found `"+p.Text(at)+"`")
		}
		x.aux = uint32(builtin)*4 + uint32(c)
	case BindingAddress, BindingLength:
		x.aux = uint32(p.Integer("a binding's number"))
	case SymbolAddress:
		p.Expect("symbol")
		x.aux = uint32(p.Integer("a symbol's number"))
	case Op(op.Call):
		return p.named("@", "a function's name")
	case Op(op.AtomicReadModifyWrite):
		name := p.Word("an atomic operation")
		for op.AtomicOperation(x.aux).String() != name {
			if x.aux++; x.aux == uint32(op.AtomicOperations) {
				p.Fail(at, "no atomic operation is called `"+name+"`")
			}
		}
	case Op(op.ControlBarrier):
		if p.Accept("[") {
			x.aux = p.memories()
			p.Expect("]")
		}
	}
	return callee
}

// handles reads `texture 0 sampler 2`.
func (p *parser) handles(x *inst) {
	number := func(word string) uint32 {
		p.Expect(word)
		at := p.Token
		n := p.Integer("the number of a " + word)
		if n >= 1<<handleBits {
			p.Fail(at, "a kernel has fewer textures and samplers")
		}
		return uint32(n)
	}
	t, sampler := number("texture"), uint32(0)
	if IsSampled(x.op) {
		sampler = number("sampler")
	}
	x.aux = HandlesAux(t, sampler)
}

// memories reads what a barrier orders.
func (p *parser) memories() (memories uint32) {
	for {
		at := p.Token
		name := p.Word("a memory")
		n := 0
		for op.Memory(0).Name(n) != name {
			if n++; n == op.MemoryBits {
				p.Fail(at, "no memory is called `"+name+"`")
			}
		}
		memories |= 1 << n
		if !p.Accept(",") {
			return memories
		}
	}
}

// memory reads `[storage %d1+%r2+8] align 4 unchanged relaxed`.
func (p *parser) memory(k scalar.Kind) Memory {
	m := Memory{Kind: k}
	p.Expect("[")
	m.Space = p.space()
	if p.Accept("symbol") {
		m.Symbol = uint32(p.Integer("a symbol's number"))
	} else {
		m.Base = p.register()
	}
	plus := p.Accept("+")
	if plus && !p.isOffset() {
		var ok bool
		if m.Index, ok = p.operand(); !ok {
			p.Fail(p.Token, "expected an index or an offset, found "+p.Describe())
		}
		plus = p.Accept("+")
	}
	if plus || p.Token.Kind == lex.Number {
		offset, err := strconv.ParseInt(p.Text(p.Token), 10, 64)
		if p.Token.Kind != lex.Number || err != nil {
			p.Fail(p.Token, "expected an offset of 64 bits, found "+p.Describe())
		}
		m.Offset = offset
		p.Next()
	}
	p.Expect("]")
	p.Expect("align")
	m.Align = uint32(p.Integer("an alignment"))
	m.Unchanged = p.Accept("unchanged")
	if p.Accept("relaxed") {
		m.Order = Relaxed
	}
	return m
}

// isOffset reports whether the current token is a number without a suffix, which constants have.
func (p *parser) isOffset() bool {
	text := p.Text(p.Token)
	return p.Token.Kind == lex.Number && text[len(text)-1] <= '9'
}

// edges reads where a terminator leads and returns the number of the first.
func (p *parser) edges(count int) uint32 {
	first := len(p.f.edges)
	for range count {
		at := p.Token
		to, ok := p.blockNumber()
		if !ok || p.First {
			p.Fail(at, "expected a block, found "+p.Describe())
		}
		p.grow(to)
		p.pending = append(p.pending, pendingEdge{to, at})
		p.Next()
		e := Edge{To: to}
		if p.Accept("(") {
			e.args = p.list()
			p.Expect(")")
		}
		p.f.edges = append(p.f.edges, e)
	}
	return uint32(first)
}
