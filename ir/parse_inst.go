package ir

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/lex"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file reads instructions, values and constants.

func (p *parser) block(b Block) {
	p.enter()
	p.Expect("{")
	for !p.Accept("}") {
		if p.Token.Kind == lex.End {
			p.Fail(p.Token, "expected `}`, found the end of the file")
		}
		p.instruction(b)
	}
	p.depth--
}

func (p *parser) instruction(b Block) {
	start := p.Token
	var results []lex.Token
	for p.Is("%") {
		results = append(results, p.localName())
		if !p.Accept(",") {
			p.Expect("=")
			break
		}
	}
	at := p.Token
	o, ok := op.Lookup(p.Word("an operation"))
	if !ok || o == op.Invalid {
		p.Fail(at, "no operation is called `"+p.Text(at)+"`")
	}
	if o.Is(op.Control) {
		p.control(o, b, results, start)
		return
	}
	i := p.f.NewInst(o, Void, 0, source.Span{})
	p.f.Append(b, i)
	attribute := o.Info().Attribute
	switch {
	case attribute == op.Callee:
		p.Expect("@")
		p.calls = append(p.calls, pendingCall{p.f, i, p.Token})
		p.Word("a function")
		if p.Accept(",") {
			p.operands(i)
		}
	case attribute == op.Label:
		p.terminator(i)
	case !nullary(o) && p.isValue():
		p.operands(i)
	}
	for p.Accept("[") {
		p.bracket(o, i)
	}
	if len(results) > 1 {
		p.Fail(results[1], "the operation has one result")
	}
	if len(results) == 1 {
		p.Expect(":")
		r := &p.f.insts[i]
		r.typ = p.typ()
		r = &p.f.insts[i]
		r.result = p.f.newValue(r.typ, uint32(i)<<1)
		p.define(results[0], r.result)
	}
	p.f.SetSpan(i, p.spanSince(start))
}

// nullary reports whether an operation never has operands, so that a value
// behind it begins the next instruction.
func nullary(o op.Op) bool {
	switch o {
	case op.Var, op.ControlBarrier, op.SubgroupElect, op.Unreachable:
		return true
	}
	return false
}

func (p *parser) operands(i Inst) {
	for {
		p.f.AppendArg(i, p.value())
		if !p.Accept(",") {
			return
		}
	}
}

func (p *parser) isValue() bool {
	if p.Token.Kind == lex.Number {
		return true
	}
	if p.Is("%") || p.Is("@") || p.Is("true") || p.Is("false") || p.Is("none") {
		return true
	}
	if p.Token.Kind != lex.Name {
		return false
	}
	// a constant begins with its type; what follows a name without operands is
	// the next instruction or a closing brace
	name := p.Text(p.Token)
	if _, ok := p.structs[name]; ok {
		return true
	}
	for _, prefix := range [...]string{"zero", "vec", "mat", "array"} {
		if strings.HasPrefix(name, prefix) && name != "array_length" {
			return true
		}
	}
	return scalar.Named(name).IsFloat()
}

// label reads `^name` of an enclosing control instruction.
func (p *parser) label() Inst {
	p.Expect("^")
	at := p.Token
	target, ok := p.labels[p.Word("a label")]
	if !ok {
		p.Fail(at, "no enclosing instruction has the label ^"+p.Text(at))
	}
	return target
}

func (p *parser) group(i Inst) {
	p.Expect("(")
	if p.Accept(")") {
		return
	}
	p.operands(i)
	p.Expect(")")
}

func (p *parser) terminator(i Inst) {
	at := p.Token
	target := p.label()
	p.f.SetAux(i, uint32(target))
	p.group(i)
	if p.f.Op(i) == op.Next {
		if p.f.Op(target) != op.Loop {
			p.Fail(at, "next leads to a loop")
		}
		if len(p.f.Args(i)) != len(p.f.Params(p.f.Region(target, 0))) {
			p.Fail(at, "next gives "+strconv.Itoa(len(p.f.Args(i)))+" values for "+
				strconv.Itoa(len(p.f.Params(p.f.Region(target, 0))))+" loop parameters")
		}
		if p.Accept("break_if") {
			p.f.AppendArg(i, p.value())
			p.group(i)
		}
	}
}

// bracket reads what is in brackets after the operands.
func (p *parser) bracket(o op.Op, i Inst) {
	for {
		flag := false
		for n, name := range flagNames {
			if p.Accept(name) {
				p.f.insts[i].flags |= 1 << n
				flag = true
			}
		}
		if !flag {
			p.f.insts[i].aux |= p.attribute(o)
		}
		if !p.Accept(",") {
			break
		}
	}
	p.Expect("]")
}

// attribute reads one operation's attribute and returns its number.
func (p *parser) attribute(o op.Op) uint32 {
	at := p.Token
	switch o.Info().Attribute {
	case op.Swizzle:
		var packed uint32
		for n, c := range p.Word("components") {
			k := strings.IndexRune("xyzw", c)
			if k < 0 || n > 3 {
				p.Fail(at, "components are up to four of x, y, z, w")
			}
			packed |= uint32(k) << (2 * n)
		}
		return packed
	case op.AtomicRMW:
		name := p.Word("an atomic operation")
		for a := range op.AtomicOperations {
			if a.String() == name {
				return uint32(a)
			}
		}
	case op.IntrinsicName:
		if x, ok := op.IntrinsicNamed(p.Word("an intrinsic")); ok {
			return uint32(x)
		}
	case op.BarrierScope:
		name := p.Word("a memory")
		for n := range op.MemoryBits {
			if op.Memory(0).Name(n) == name {
				return 1 << n
			}
		}
	case op.ByteOffset:
		p.Expect("offset")
		n, err := strconv.ParseInt(p.Text(p.Token), 10, 32)
		if err == nil {
			p.Next()
			return uint32(n)
		}
	case op.MessageNumber:
		p.Expect("message")
		return uint32(p.Integer("a message"))
	case op.Alignment:
		p.Expect("align")
		return uint32(p.Integer("an alignment"))
	}
	p.Fail(at, "the operation has no such attribute")
	return 0
}

func (p *parser) control(o op.Op, b Block, results []lex.Token, start lex.Token) {
	f := p.f
	p.Expect("^")
	label := p.Token
	name := p.Word("a label")
	if _, ok := p.labels[name]; ok {
		p.Fail(label, "the label ^"+name+" is defined twice")
	}
	var i Inst
	switch o {
	case op.If:
		i = f.NewIf(p.value(), source.Span{})
	case op.Switch:
		i = f.NewSwitch(p.value(), 0, 0, source.Span{})
	case op.Scope:
		i = f.NewScope(source.Span{})
	default:
		i = f.NewLoop(source.Span{})
		p.Expect("(")
		for !p.Accept(")") {
			if len(f.Args(i)) > 0 {
				p.Expect(",")
			}
			param := p.localName()
			p.Expect(":")
			t := p.typ()
			p.Expect("=")
			f.AppendArg(i, p.value())
			p.define(param, f.AddParam(f.Region(i, 0), t))
		}
	}
	f.Append(b, i)
	p.labels[name] = i
	f.SetLabelName(i, hintOf(name))
	var types []Type
	if p.Accept(":") {
		for {
			types = append(types, p.typ())
			if !p.Accept(",") {
				break
			}
		}
	}
	if len(types) != len(results) {
		p.Fail(start, strconv.Itoa(len(results))+" results have "+strconv.Itoa(len(types))+" types")
	}
	for _, t := range types {
		f.AddResult(i, t)
	}
	f.SetSpan(i, p.spanSince(start))
	switch o {
	case op.If:
		p.block(f.Region(i, 0))
		p.Expect("else")
		p.block(f.Region(i, 1))
	case op.Scope:
		p.block(f.Region(i, 0))
	case op.Switch:
		p.cases(i)
	default:
		p.block(f.Region(i, 0))
		p.Expect("continuing")
		if p.Accept("(") {
			for n := 0; !p.Accept(")"); n++ {
				if n > 0 {
					p.Expect(",")
				}
				param := p.localName()
				p.Expect(":")
				p.define(param, f.AddParam(f.Region(i, 1), p.typ()))
			}
		}
		p.block(f.Region(i, 1))
	}
	for n, r := range f.Results(i) {
		p.define(results[n], r)
	}
}

func (p *parser) cases(i Inst) {
	f := p.f
	p.Expect("{")
	hasDefault, other := false, 0
	type choice struct {
		value Value
		block int
	}
	var blocks []uint32 // both lists grow while the blocks' own do: they are put down in the end
	var choices []choice
	for n := 0; !p.Accept("}"); n++ {
		block := f.newBlock(i)
		if n > 0 {
			f.blocks[blocks[n-1]].sibling = block
		}
		blocks = append(blocks, uint32(block))
		if at := p.Token; p.Accept("default") {
			if hasDefault {
				p.Fail(at, "the switch has two default blocks")
			}
			hasDefault = true
			other = n
		} else {
			p.Expect("case")
			for {
				choices = append(choices, choice{p.value(), n})
				if !p.Accept(",") {
					break
				}
			}
		}
		p.block(block)
	}
	if !hasDefault {
		p.Fail(p.Token, "the switch has no default block")
	}
	c := &f.controls[f.insts[i].aux]
	c.other, c.blocks = uint32(other), list{uint32(len(f.targets)), uint32(len(blocks))}
	f.targets = append(f.targets, blocks...)
	for _, x := range choices {
		f.AddCase(i, x.value, x.block)
	}
}

// value reads an operand.
func (p *parser) value() Value {
	at := p.Token
	switch {
	case p.Accept("none"):
		return 0
	case p.Accept("true"):
		return p.m.ConstBool(true)
	case p.Accept("false"):
		return p.m.ConstBool(false)
	case p.Accept("%"):
		name := p.Token
		if v, ok := p.values[p.Word("a value")]; ok {
			return v
		}
		p.Fail(name, "the value %"+p.Text(name)+" is not defined before its use")
	case p.Accept("@"):
		name := p.Token
		if v, ok := p.globals[p.Word("a variable")]; ok {
			return v
		}
		p.Fail(name, "no variable or override is called @"+p.Text(name))
	case p.Token.Kind == lex.Number:
		return number(&p.Lexer, p.m)
	case p.Accept("zero"):
		p.Expect("<")
		t := p.typ()
		p.Expect(">")
		return p.m.Zero(t)
	case p.Token.Kind == lex.Name:
		return p.composite()
	}
	p.Fail(at, "expected a value, found "+p.Describe())
	return 0
}

// composite reads `type(parts)`, or a float by its bits: `f32(0x7fc00000)`.
func (p *parser) composite() Value {
	at := p.Token
	p.enter()
	t := p.typ()
	if p.m.IsScalar(t) {
		p.depth--
		return bitsOf(&p.Lexer, p.m, scalar.Kind(t))
	}
	p.Expect("(")
	var parts []Value
	for !p.Accept(")") {
		if len(parts) > 0 {
			p.Expect(",")
		}
		part := p.value()
		if !part.IsConst() {
			p.Fail(at, "the parts of a constant are constants")
		}
		parts = append(parts, part)
	}
	n, ok := p.m.Count(t)
	if !ok || int(n) != len(parts) {
		p.Fail(at, "the constant has "+strconv.Itoa(len(parts))+" parts, its type "+strconv.Itoa(int(n)))
	}
	for k, part := range parts {
		if p.m.TypeOf(part) != p.m.PartType(t, uint32(k)) {
			p.Fail(at, "part "+strconv.Itoa(k)+" of the constant has the wrong type")
		}
	}
	p.depth--
	return p.m.ConstComposite(t, parts)
}

// ParseScalar reads a scalar constant of a module as Module.ValueString writes one; ok is false,
// and nothing is read, if the text continues with something else.
func ParseScalar(l *lex.Lexer, m *Module) (v Value, ok bool) {
	switch {
	case l.Accept("true"):
		return m.ConstBool(true), true
	case l.Accept("false"):
		return m.ConstBool(false), true
	case l.Token.Kind == lex.Number:
		return number(l, m), true
	case l.Token.Kind == lex.Name:
		if k := scalar.Named(l.Text(l.Token)); k != scalar.None {
			l.Next()
			return bitsOf(l, m, k), true
		}
	}
	return NoValue, false
}

// bitsOf reads a scalar by its bits, `(0x7fc00000)` after its kind.
func bitsOf(l *lex.Lexer, m *Module, k scalar.Kind) Value {
	l.Expect("(")
	bits, err := strconv.ParseUint(l.Text(l.Token), 0, 64)
	if err != nil || bits&^k.Mask() != 0 {
		l.Fail(l.Token, "expected the bits of the number")
	}
	l.Next()
	l.Expect(")")
	return m.ConstScalar(Type(k), bits)
}

// number reads a scalar constant; its suffix names the kind.
func number(l *lex.Lexer, m *Module) Value {
	at := l.Token
	text := l.Text(at)
	l.Next()
	kind, length := scalar.None, 0
	for k, suffix := range suffixes {
		if suffix != "" && len(suffix) > length && strings.HasSuffix(text, suffix) {
			kind, length = scalar.Kind(k), len(suffix)
		}
	}
	digits := text[:len(text)-length]
	var bits uint64
	var err error
	switch {
	case kind == scalar.None:
		l.Fail(at, "the number has no suffix: i, u, f or h; li, lu or lf of 64 bits, bi, bu, si or su of 8 and 16")
	case kind.IsFloat():
		width := 64
		if kind == scalar.F32 {
			width = 32
		}
		var x float64
		x, err = strconv.ParseFloat(digits, width)
		bits = scalar.FromFloat64(kind, x)
	case kind.IsSigned():
		var x int64
		x, err = strconv.ParseInt(digits, 10, kind.Bits())
		bits = scalar.FromInt64(kind, x)
	default:
		bits, err = strconv.ParseUint(digits, 10, kind.Bits())
	}
	if err != nil {
		l.Fail(at, "`"+text+"` is not a number of its kind")
	}
	return m.ConstScalar(Type(kind), bits)
}
