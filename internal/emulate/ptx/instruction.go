package ptx

import (
	"math"
	"math/bits"
	"strings"
)

// Parsing of instructions by the table of forms.

// instruction is a decoded instruction. Operands are slots of the function's frame, which hold
// registers, constants, special registers and addresses of variables.
type instruction struct {
	evaluate   evaluation // or nil
	determined func(x *instruction, a, b uint64) bool
	execute    action
	d, a, b, c int32  // slot 0, a constant, if there is none
	mask       uint64 // of the result's bits
	guard      int32  // the predicate's slot, or 0
	negated    bool
	shift      uint8 // 64 less the bits of the instruction's type
	absorbing  uint8
	access
	members int32   // the mask of the lanes that execute the instruction together
	more    []int32 // further operands: elements of vectors, targets of branches
	callee  *callee
	image   *imageAccess   // of instructions on textures and surfaces
	product *product       // of products of warpgroups
	matrix  *matrixProduct // of products of warps
	from    *instruction   // of copies: the access that they read by
	form    *form
	line    int
}

// access is an instruction's access to memory: count scalars of width bytes at the address in slot
// base plus offset.
type access struct {
	base        int32
	space       space
	width       uint8 // bytes of a scalar
	count       uint8
	strong      bool // relaxed: no race with other relaxed accesses
	nonCoherent bool // through the non-coherent cache: nothing writes there
	offset      uint64
}

// callee is the function of a call, with the parameters that are passed.
type callee struct {
	function *function
	// arguments are pairs of parameters, the caller's and the function's. result is the caller's
	// parameter for the result, or nil.
	arguments [][2]*symbol
	result    *symbol
}

// signed sign-extends a source of the instruction's type.
func (x *instruction) signed(a uint64) int64 { return int64(a<<x.shift) >> x.shift }

// instruction parses an instruction; the @ of a guard is already consumed.
func (p *parser) instruction(guarded bool) {
	x := instruction{line: p.line, mask: math.MaxUint64}
	if guarded {
		x.negated = p.accept('!')
		x.guard = p.source(kinds["pred"], true)
	}
	name := p.token.text
	f := forms[name]
	if p.kind != nameToken || f == nil {
		p.refuse("instruction %q is not known", name)
	}
	if p.capability < f.since {
		p.refuse("instruction %q needs sm_%d", name, f.since)
	}
	if f.only != "" && p.target != f.only {
		p.refuse("instruction %q needs %s", name, f.only)
	}
	p.asynchronous = p.asynchronous || f.since >= 90 || f.only != ""
	p.advance()
	x.form, x.evaluate, x.determined, x.execute, x.absorbing = f, f.evaluate, f.determined, f.execute, f.absorbing
	x.shift = uint8(64 - f.t.bits)
	x.access = accessOf(f)
	if f.read != nil {
		f.read(p, &x, f)
	} else {
		p.operands(&x, f)
	}
	if !p.accept(';') {
		p.refuse("operand %q of %s is too many", p.token.text, name)
	}
	if f.evaluateFor != nil && x.evaluate == nil && x.execute == nil {
		if x.evaluate = f.evaluateFor(f); x.width > 0 {
			x.execute = modify
		}
	}
	if x.width > 0 && (x.space == global || x.space == shared) {
		p.granule = min(p.granule, uint8(bits.TrailingZeros8(x.width)))
	}
	p.f.code = append(p.f.code, x)
	p.body.ended = f.last && !guarded
}

// accessOf returns the access to memory of an instruction by its name; the width is 0 if it has
// none.
func accessOf(f *form) (a access) {
	parts := strings.Split(f.name, ".")
	switch parts[0] {
	case "ld", "st", "atom", "red":
	default:
		return access{}
	}
	a.count, a.width = 1, uint8(f.t.bits/8)
	for _, part := range parts[1:] {
		for s, name := range spaceNames {
			if part == name {
				a.space = space(s)
			}
		}
		switch part {
		case "v2":
			a.count = 2
		case "v4":
			a.count = 4
		case "relaxed":
			a.strong = true
		case "nc":
			a.nonCoherent = true
		}
	}
	return a
}

// operands parses the operands of a form, see rows.
func (p *parser) operands(x *instruction, f *form) {
	sources := 0
	for n, o := range strings.Fields(f.row.operands) {
		if n > 0 {
			if !p.accept(',') {
				p.refuse("%s has %d operands, found %d", f.name, len(strings.Fields(f.row.operands)), n)
			}
		}
		switch {
		case o == "[":
			p.address(x)
		case o == "{" || o == "<{":
			x.more = p.scalars(f.t, int(x.count), o == "<{")
		case o[0] == '<':
			k := f.of(o[1:])
			x.d, x.mask = p.result(k), k.mask()
		default:
			name, register := strings.CutPrefix(o, "%")
			if o[0] == '#' {
				if name = o[1:]; p.kind != integerToken {
					p.refuse("expected a constant, found %q", p.token.text)
				}
			}
			slot := p.source(f.of(name), register)
			x.members = slot
			switch sources++; sources {
			case 1:
				x.a = slot
			case 2:
				x.b = slot
			case 3:
				x.c = slot
			default:
				x.more = append(x.more, slot)
			}
		}
	}
}

// result parses the register for a result of a kind.
func (p *parser) result(k kind) int32 {
	name := p.token.text
	if !p.atRegister() {
		p.refuse("expected a register for the result, found %q", name)
	}
	slot, bits := p.register(name)
	if bits != k.bits {
		p.refuse("register %s has %d bits, the instruction's result has %d", name, bits, k.bits)
	}
	p.advance()
	return slot
}

// atRegister reports whether a register is next that is no special register.
func (p *parser) atRegister() bool {
	return p.kind == nameToken && p.token.text[0] == '%' && !strings.Contains(p.token.text, ".")
}

// source parses an operand of a kind: a register, or unless register is set an immediate.
func (p *parser) source(k kind, register bool) int32 {
	name := p.token.text
	switch {
	case p.atRegister():
		slot, bits := p.register(name)
		if bits != k.bits {
			p.refuse("register %s has %d bits, the instruction's operand has %d", name, bits, k.bits)
		}
		p.advance()
		return slot
	case register || k.letter == 'p' || k == kind{'f', 16}:
		p.refuse("expected a register, found %q", name)
	case p.kind == nameToken:
		p.refuse("expected a register or a constant, found %q", name)
	}
	return p.constantSlot(p.immediate(k))
}

// floatTokens are the tokens of float constants by their bits; f16 has none.
var floatTokens = map[int]tokenKind{32: singleToken, 64: doubleToken}

// immediate parses a constant of a kind and returns its bits. Bits take floats of their size (PTX
// ISA, Operand Type Checking).
func (p *parser) immediate(k kind) uint64 {
	wanted := integerToken
	isFloat := p.kind == singleToken || p.kind == doubleToken
	if k.float() || k.letter == 'b' && isFloat {
		wanted = floatTokens[k.bits]
	}
	if (k.float() || isFloat) && p.kind != wanted {
		p.refuse("expected a constant of type %c%d, found %q", k.letter, k.bits, p.token.text)
	}
	value := p.value
	if isFloat {
		p.advance()
		return value
	}
	negative := p.accept('-')
	value = p.integer(math.MaxUint64)
	limit := k.mask()
	// unsigned types too: constants have 64 bits and are truncated (PTX ISA 4.5)
	if negative {
		limit = 1 << (k.bits - 1)
	}
	if value > limit {
		p.refuse("constant %d does not fit into %d bits", value, k.bits)
	}
	if negative {
		value = -value & k.mask()
	}
	return value
}

// wideRegister is the width of registers that may hold narrower loaded or stored values. Loads
// zero-extend them, and stores truncate them (PTX ISA, Operand Size Exceeding Instruction-Type
// Size). Other widths are refused, since the compiler does not emit them.
const wideRegister = 32

// registerTuple parses count operands in braces that are registers, and no constants.
func (p *parser) registerTuple(k kind, count int) []int32 {
	list := make([]int32, 0, count)
	p.expect('{')
	for n := range count {
		if n > 0 {
			p.expect(',')
		}
		list = append(list, p.source(k, true))
	}
	p.expect('}')
	return list
}

// scalars parses the operands of a load or store: a register or constant, or count of them in
// braces.
func (p *parser) scalars(k kind, count int, results bool) []int32 {
	held, known := k, false // the kind of the registers, which all have one width
	one := func() int32 {
		if !known && p.atRegister() {
			known = true
			if _, bits := p.register(p.token.text); bits == wideRegister && k.bits < bits {
				held.bits = bits
			}
		}
		switch {
		case results:
			return p.result(held)
		case p.atRegister():
			return p.source(held, true)
		}
		return p.source(k, false)
	}
	if count == 1 {
		return []int32{one()}
	}
	list := make([]int32, 0, count)
	p.expect('{')
	for n := range count {
		if n > 0 {
			p.expect(',')
		}
		slot := one()
		for _, other := range list {
			if results && other == slot {
				p.refuse("a register that gets two values")
			}
		}
		list = append(list, slot)
	}
	p.expect('}')
	return list
}

// addressBits are the widths of addresses of a space.
var addressBits = [...]int{global: 64, constant: 64, shared: 32, local: 32, parameter: 32}

// address parses [register] or [variable], with an optional +offset.
func (p *parser) address(x *instruction) {
	p.expect('[')
	name := p.token.text
	if p.kind == nameToken && name[0] == '%' {
		slot, bits := p.register(name)
		if bits != addressBits[x.space] {
			p.refuse("register %s has %d bits, addresses of %s memory have %d", name, bits, spaceNames[x.space], addressBits[x.space])
		}
		if x.space == parameter && !(p.f.entry && strings.HasPrefix(x.form.name, "ld.")) {
			p.refuse("parameters at an address in a register, other than loads of an entry point's")
		}
		p.advance()
		x.base = slot
	} else {
		name = p.name()
		s := p.symbol(name)
		if s == nil || s.space != x.space {
			p.refuse("%s memory has no variable %s", spaceNames[x.space], name)
		}
		if s.space == parameter {
			if x.guard != 0 && !(p.f.entry && s.input) {
				p.refuse("a guarded access to parameter %s, which is no entry point's", name)
			}
			own := s.input || s == p.f.result
			if load := strings.HasPrefix(x.form.name, "ld."); own && load != s.input {
				p.refuse("parameter %s is not for this instruction", name)
			}
		}
		x.base = p.addressSlot(s)
	}
	if p.accept('+') {
		negative := p.accept('-')
		x.offset = p.integer(math.MaxInt32)
		if negative {
			x.offset = -x.offset
		}
	}
	p.expect(']')
}

// readMove parses the operands of mov. The source is a register, a constant or the address of a
// variable; or one of both operands is a list of parts of the other.
func readMove(p *parser, x *instruction, f *form) {
	if p.punctuation('{') { // {parts}, whole
		var part kind
		x.more, part = p.parts(f.t, true)
		p.expect(',')
		x.a = p.source(f.t, true)
		x.evaluate, x.execute = nil, unpack
		x.shift = uint8(part.bits)
		return
	}
	x.d, x.mask = p.result(f.t), f.t.mask()
	p.expect(',')
	switch {
	case p.punctuation('{'):
		var part kind
		x.more, part = p.parts(f.t, false)
		x.evaluate, x.execute = nil, pack
		x.shift = uint8(part.bits)
	case f.t.letter == 'p' && p.kind == integerToken:
		x.a = p.constantSlot(p.integer(1))
	case p.kind == nameToken && p.token.text[0] != '%':
		name := p.name()
		s := p.symbol(name)
		if s == nil {
			p.refuse("variable %s is not known", name)
		}
		if f.t.bits != addressBits[s.space] && !(s.space == parameter && s.align == mapAlignment && f.t.bits == 64) {
			p.refuse("an address of %s memory in %d bits", spaceNames[s.space], f.t.bits)
		}
		if s.space == parameter && !(p.f.entry && s.input) {
			p.refuse("the address of a parameter that is no entry point's")
		}
		x.a = p.addressSlot(s)
	default:
		x.a = p.source(f.t, false)
	}
}

// parts parses two or four registers in braces that together have the bits of a kind.
func (p *parser) parts(whole kind, results bool) ([]int32, kind) {
	p.expect('{')
	_, bits := p.register(p.token.text)
	part := kind{'b', bits}
	if bits < 16 || whole.bits != 2*bits && whole.bits != 4*bits {
		p.refuse("parts of %d bits of a value of %d", bits, whole.bits)
	}
	var list []int32
	for n := range whole.bits / bits {
		if n > 0 {
			p.expect(',')
		}
		slot := p.source(part, true)
		for _, other := range list {
			if results && other == slot {
				p.refuse("a register that gets two values")
			}
		}
		list = append(list, slot)
	}
	p.expect('}')
	return list, part
}

// specialRegisters are the supported special registers (PTX ISA, Special Registers), with their
// index for thread.special.
var specialRegisters = map[string]uint64{
	"%tid.x": 0, "%tid.y": 1, "%tid.z": 2, "%ntid.x": 3, "%ntid.y": 4, "%ntid.z": 5,
	"%ctaid.x": 6, "%ctaid.y": 7, "%ctaid.z": 8, "%nctaid.x": 9, "%nctaid.y": 10, "%nctaid.z": 11,
	"%laneid": 12,
}

// readSpecial parses a mov from a special register, or of another source.
func readSpecial(p *parser, x *instruction, f *form) {
	x.d, x.mask = p.result(f.t), f.t.mask()
	p.expect(',')
	index, ok := specialRegisters[p.token.text]
	if p.kind != nameToken || !ok {
		x.a = p.source(f.t, false)
		return
	}
	slot, ok := p.body.special[p.token.text]
	if !ok {
		slot = p.slot(0, defined)
		p.body.special[p.token.text] = slot
		p.f.specials = append(p.f.specials, initialSlot{slot, index})
	}
	p.advance()
	x.a = slot
}

// readBranch parses a branch's label.
func readBranch(p *parser, x *instruction, _ *form) {
	x.more = make([]int32, 1)
	p.body.jumps = append(p.body.jumps, jump{p.name(), p.body.block, x.line, &x.more[0]})
}

// readIndexedBranch parses an index and the name of a table of labels.
func readIndexedBranch(p *parser, x *instruction, _ *form) {
	x.a = p.source(kinds["u32"], true)
	p.expect(',')
	name := p.name()
	t := p.body.tables[name]
	if t == nil || !p.body.visible(t.block) {
		p.refuse("table %s of labels is not known", name)
	}
	x.more = t.labels
}

// readBarrier parses a barrier resource, 0 to 15, and optionally how many invocations it has.
func readBarrier(p *parser, x *instruction, _ *form) {
	if p.atRegister() {
		x.a = p.source(kinds["u32"], true)
		p.expect(',')
	} else if x.a = p.constantSlot(p.integer(barrierNumbers - 1)); !p.accept(',') {
		return
	}
	x.b = p.source(kinds["u32"], false)
}

// readArrival parses the number of a barrier and how many invocations it has.
func readArrival(p *parser, x *instruction, _ *form) {
	if p.atRegister() {
		x.a = p.source(kinds["u32"], true)
	} else {
		x.a = p.constantSlot(p.integer(barrierNumbers - 1))
	}
	p.expect(',')
	x.b = p.source(kinds["u32"], false)
}

// readEvent parses the index of a performance event.
func readEvent(p *parser, _ *instruction, _ *form) { p.integer(15) }

// readCall parses (result), function, (arguments); the result and the arguments are optional.
func readCall(p *parser, x *instruction, _ *form) {
	c := &callee{}
	if p.accept('(') {
		c.result = p.argument()
		p.expect(')')
		p.expect(',')
	}
	name := p.name()
	if c.function = p.function(name); c.function == nil || c.function.entry {
		p.refuse("function %s is not known", name)
	}
	if result := c.function.result; (result == nil) != (c.result == nil) || result != nil && !c.result.fits(result) {
		p.refuse("the result of %s does not fit", name)
	}
	var passed []*symbol
	if p.accept(',') {
		p.expect('(')
		for !p.accept(')') {
			if len(passed) > 0 {
				p.expect(',')
			}
			passed = append(passed, p.argument())
		}
	}
	if len(passed) != len(c.function.parameters) {
		p.refuse("function %s has %d parameters, found %d", name, len(c.function.parameters), len(passed))
	}
	for n, to := range c.function.parameters {
		if !passed[n].fits(to) {
			p.refuse("argument %s does not fit parameter %s", passed[n].name, to.name)
		}
		c.arguments = append(c.arguments, [2]*symbol{passed[n], to})
	}
	x.callee = c
}

// fits reports whether a parameter may be passed as another.
func (s *symbol) fits(to *symbol) bool { return s.size == to.size && s.align == to.align }

// argument parses the name of a .param of the block around a call.
func (p *parser) argument() *symbol {
	name := p.name()
	s := p.symbol(name)
	if s == nil || s.space != parameter || s.block == 0 {
		p.refuse("argument %s is no .param of this block", name)
	}
	return s
}
