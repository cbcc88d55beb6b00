package ir

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file reads instructions, values and constants.

func (p *parser) block(b Block) {
	p.enter()
	p.expect("{")
	for !p.accept("}") {
		if p.token.kind == endToken {
			p.fail(p.token, "expected `}`, found the end of the file")
		}
		p.instruction(b)
	}
	p.depth--
}

func (p *parser) instruction(b Block) {
	start := p.token
	var results []token
	for p.is("%") {
		results = append(results, p.localName())
		if !p.accept(",") {
			p.expect("=")
			break
		}
	}
	at := p.token
	o, ok := op.Lookup(p.name("an operation"))
	if !ok || o == op.Invalid {
		p.fail(at, "no operation is called `"+p.text(at)+"`")
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
		p.expect("@")
		p.calls = append(p.calls, pendingCall{p.f, i, p.token})
		p.name("a function")
		if p.accept(",") {
			p.operands(i)
		}
	case attribute == op.Label:
		p.terminator(i)
	case !nullary(o) && p.isValue():
		p.operands(i)
	}
	for p.accept("[") {
		p.bracket(o, i)
	}
	if len(results) > 1 {
		p.fail(results[1], "the operation has one result")
	}
	if len(results) == 1 {
		p.expect(":")
		r := &p.f.insts[i]
		r.typ = p.typ()
		r = &p.f.insts[i]
		r.result = p.f.newValue(r.typ, uint32(i)<<1)
		p.define(results[0], r.result)
	}
	p.f.SetSpan(i, p.place(start))
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
		if !p.accept(",") {
			return
		}
	}
}

func (p *parser) isValue() bool {
	if p.token.kind == numberToken {
		return true
	}
	if p.is("%") || p.is("@") || p.is("true") || p.is("false") || p.is("none") {
		return true
	}
	if p.token.kind != nameToken {
		return false
	}
	// a constant begins with its type; what follows a name without operands is
	// the next instruction or a closing brace
	name := p.text(p.token)
	if _, ok := p.structs[name]; ok {
		return true
	}
	for _, prefix := range [...]string{"zero", "vec", "mat", "array"} {
		if strings.HasPrefix(name, prefix) && name != "array_length" {
			return true
		}
	}
	return name == "f32" || name == "f16"
}

// label reads `^name` of an enclosing control instruction.
func (p *parser) label() Inst {
	p.expect("^")
	at := p.token
	target, ok := p.labels[p.name("a label")]
	if !ok {
		p.fail(at, "no enclosing instruction has the label ^"+p.text(at))
	}
	return target
}

func (p *parser) group(i Inst) {
	p.expect("(")
	if p.accept(")") {
		return
	}
	p.operands(i)
	p.expect(")")
}

func (p *parser) terminator(i Inst) {
	at := p.token
	target := p.label()
	p.f.SetAux(i, uint32(target))
	p.group(i)
	if p.f.Op(i) == op.Next {
		if p.f.Op(target) != op.Loop {
			p.fail(at, "next leads to a loop")
		}
		if len(p.f.Args(i)) != len(p.f.Params(p.f.Region(target, 0))) {
			p.fail(at, "next gives "+strconv.Itoa(len(p.f.Args(i)))+" values for "+
				strconv.Itoa(len(p.f.Params(p.f.Region(target, 0))))+" loop parameters")
		}
		if p.accept("break_if") {
			p.f.AppendArg(i, p.value())
			p.group(i)
		}
	}
}

// bracket reads what stands in brackets behind the operands.
func (p *parser) bracket(o op.Op, i Inst) {
	for {
		flag := false
		for n, name := range flagNames {
			if p.accept(name) {
				p.f.insts[i].flags |= 1 << n
				flag = true
			}
		}
		if !flag {
			p.f.insts[i].aux |= p.attribute(o)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect("]")
}

// attribute reads one operation's attribute and returns its number.
func (p *parser) attribute(o op.Op) uint32 {
	at := p.token
	switch o.Info().Attribute {
	case op.Swizzle:
		var packed uint32
		for n, c := range p.name("components") {
			k := strings.IndexRune("xyzw", c)
			if k < 0 || n > 3 {
				p.fail(at, "components are up to four of x, y, z, w")
			}
			packed |= uint32(k) << (2 * n)
		}
		return packed
	case op.AtomicRMW:
		name := p.name("an atomic operation")
		for a := range op.AtomicOperations {
			if a.String() == name {
				return uint32(a)
			}
		}
	case op.BarrierScope:
		name := p.name("a memory")
		for n := range op.MemoryBits {
			if op.Memory(0).Name(n) == name {
				return 1 << n
			}
		}
	case op.ByteOffset:
		p.expect("offset")
		n, err := strconv.ParseInt(p.text(p.token), 10, 32)
		if err == nil {
			p.next()
			return uint32(n)
		}
	case op.Alignment:
		p.expect("align")
		return uint32(p.integer("an alignment"))
	}
	p.fail(at, "the operation has no such attribute")
	return 0
}

func (p *parser) control(o op.Op, b Block, results []token, start token) {
	f := p.f
	p.expect("^")
	label := p.token
	name := p.name("a label")
	if _, ok := p.labels[name]; ok {
		p.fail(label, "the label ^"+name+" is defined twice")
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
		p.expect("(")
		for !p.accept(")") {
			if len(f.Args(i)) > 0 {
				p.expect(",")
			}
			param := p.localName()
			p.expect(":")
			t := p.typ()
			p.expect("=")
			f.AppendArg(i, p.value())
			p.define(param, f.AddParam(f.Region(i, 0), t))
		}
	}
	f.Append(b, i)
	p.labels[name] = i
	f.SetLabelName(i, hintOf(name))
	var types []Type
	if p.accept(":") {
		for {
			types = append(types, p.typ())
			if !p.accept(",") {
				break
			}
		}
	}
	if len(types) != len(results) {
		p.fail(start, strconv.Itoa(len(results))+" results have "+strconv.Itoa(len(types))+" types")
	}
	for _, t := range types {
		f.AddResult(i, t)
	}
	f.SetSpan(i, p.place(start))
	switch o {
	case op.If:
		p.block(f.Region(i, 0))
		p.expect("else")
		p.block(f.Region(i, 1))
	case op.Scope:
		p.block(f.Region(i, 0))
	case op.Switch:
		p.cases(i)
	default:
		p.block(f.Region(i, 0))
		p.expect("continuing")
		if p.accept("(") {
			for n := 0; !p.accept(")"); n++ {
				if n > 0 {
					p.expect(",")
				}
				param := p.localName()
				p.expect(":")
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
	p.expect("{")
	hasDefault := false
	for n := 0; !p.accept("}"); n++ {
		c := &f.controls[f.insts[i].aux]
		if n == 0 {
			c.blocks.start = uint32(len(f.targets))
		} else if c.blocks.start+c.blocks.count != uint32(len(f.targets)) {
			// case values were put behind the list: move it to the end
			start := uint32(len(f.targets))
			f.targets = append(f.targets, f.targets[c.blocks.start:c.blocks.start+c.blocks.count]...)
			c.blocks.start = start
		}
		block := f.newBlock(i)
		if n > 0 {
			f.blocks[f.Region(i, n-1)].sibling = block
		}
		f.targets = append(f.targets, uint32(block))
		c.blocks.count++
		if at := p.token; p.accept("default") {
			if hasDefault {
				p.fail(at, "the switch has two default blocks")
			}
			hasDefault = true
			c.other = uint32(n)
		} else {
			p.expect("case")
			for {
				f.AddCase(i, p.value(), n)
				if !p.accept(",") {
					break
				}
			}
		}
		p.block(block)
	}
	if !hasDefault {
		p.fail(p.token, "the switch has no default block")
	}
}

// value reads an operand.
func (p *parser) value() Value {
	at := p.token
	switch {
	case p.accept("none"):
		return 0
	case p.accept("true"):
		return p.m.ConstBool(true)
	case p.accept("false"):
		return p.m.ConstBool(false)
	case p.accept("%"):
		name := p.token
		if v, ok := p.values[p.name("a value")]; ok {
			return v
		}
		p.fail(name, "the value %"+p.text(name)+" is not defined before its use")
	case p.accept("@"):
		name := p.token
		if v, ok := p.globals[p.name("a variable")]; ok {
			return v
		}
		p.fail(name, "no variable or override is called @"+p.text(name))
	case p.token.kind == numberToken:
		return p.number()
	case p.accept("zero"):
		p.expect("<")
		t := p.typ()
		p.expect(">")
		return p.m.Zero(t)
	case p.token.kind == nameToken:
		return p.composite()
	}
	p.fail(at, "expected a value, found "+p.describe())
	return 0
}

// composite reads `type(parts)`, or a float by its bits: `f32(0x7fc00000)`.
func (p *parser) composite() Value {
	at := p.token
	p.enter()
	t := p.typ()
	p.expect("(")
	if p.m.IsScalar(t) {
		bits, err := strconv.ParseUint(p.text(p.token), 0, 64)
		if err != nil || bits&^scalar.Kind(t).Mask() != 0 {
			p.fail(p.token, "expected the bits of the number")
		}
		p.next()
		p.expect(")")
		p.depth--
		return p.m.ConstScalar(t, bits)
	}
	var parts []Value
	for !p.accept(")") {
		if len(parts) > 0 {
			p.expect(",")
		}
		part := p.value()
		if !part.IsConst() {
			p.fail(at, "the parts of a constant are constants")
		}
		parts = append(parts, part)
	}
	n, ok := p.m.Count(t)
	if !ok || int(n) != len(parts) {
		p.fail(at, "the constant has "+strconv.Itoa(len(parts))+" parts, its type "+strconv.Itoa(int(n)))
	}
	for k, part := range parts {
		if p.m.TypeOf(part) != p.m.PartType(t, uint32(k)) {
			p.fail(at, "part "+strconv.Itoa(k)+" of the constant has the wrong type")
		}
	}
	p.depth--
	return p.m.ConstComposite(t, parts)
}

// number reads a scalar constant; its suffix names the kind.
func (p *parser) number() Value {
	at := p.token
	text := p.text(at)
	p.next()
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
		p.fail(at, "the number has no suffix: i, u, f, h, li or lu")
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
		p.fail(at, "`"+text+"` is not a number of its kind")
	}
	return p.m.ConstScalar(Type(kind), bits)
}
