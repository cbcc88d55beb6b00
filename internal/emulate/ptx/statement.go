package ptx

import (
	"math"
	"strconv"
	"strings"
)

// Parsing of a function's statements: declarations, labels, blocks, and the guards of instructions.

// registers are the registers of one declaration: %r0 to %r(count-1).
type registers struct {
	bits  int // 1 of a predicate
	first int32
	count uint64
}

// single is a register that a block declares.
type single struct {
	name  string
	block int
	slot  int32
	bits  int
}

// registerTypes are the types of registers with their bits. An operand may have any instruction
// type of the same width (PTX ISA, Operand Type Checking).
var registerTypes = map[string]int{".pred": 1, ".b16": 16, ".b32": 32, ".b64": 64}

// label is the index of an instruction; block is its scope.
type label struct{ at, block int }

// targets are a table of labels of brx.idx.
type targets struct {
	labels []int32
	block  int
}

// jump is a use of a label, which is resolved at the end of the function.
type jump struct {
	name  string
	block int
	line  int
	to    *int32
}

// body is the symbol table of the current function.
type body struct {
	registers map[string]registers
	single    []single
	constants map[uint64]int32 // slots by value
	special   map[string]int32 // slots of special registers
	addresses map[*symbol]int32
	symbols   []*symbol // local variables and parameters
	labels    map[string]*label
	tables    map[string]*targets
	jumps     []jump
	parents   []int // of blocks
	block     int   // the current one
	ended     bool  // whether the last instruction is a terminator
}

func newBody() *body {
	return &body{registers: map[string]registers{}, constants: map[uint64]int32{}, special: map[string]int32{},
		addresses: map[*symbol]int32{}, labels: map[string]*label{}, tables: map[string]*targets{}, parents: []int{-1}}
}

// visible reports whether a declaration of a block is visible in the current one.
func (b *body) visible(block int) bool { return b.within(b.block, block) }

// within reports whether a block is another one or nested in it.
func (b *body) within(inner, outer int) bool {
	for inner > outer {
		inner = b.parents[inner]
	}
	return inner == outer
}

// symbol returns a function's variable or the module's, or nil.
func (p *parser) symbol(name string) *symbol {
	for n := len(p.body.symbols) - 1; n >= 0; n-- {
		if s := p.body.symbols[n]; s.name == name && p.body.visible(s.block) {
			return s
		}
	}
	return p.symbols[name]
}

// declare declares a variable of the function.
func (p *parser) declare(v *symbol) {
	if p.symbol(v.name) != nil || p.function(v.name) != nil {
		p.refuse("name %s is defined twice", v.name)
	}
	p.body.symbols = append(p.body.symbols, v)
}

// slot adds a slot with an initial value.
func (p *parser) slot(value uint64, state byte) int32 {
	f := p.f
	f.values, f.states = append(f.values, value), append(f.states, state)
	if len(f.values) > math.MaxInt32 {
		p.refuse("too many registers")
	}
	return int32(len(f.values) - 1)
}

// constantSlot returns the slot of a constant.
func (p *parser) constantSlot(value uint64) int32 {
	slot, ok := p.body.constants[value]
	if !ok {
		slot = p.slot(value, defined)
		p.body.constants[value] = slot
	}
	return slot
}

// addressSlot returns the slot of a variable's address.
func (p *parser) addressSlot(s *symbol) int32 {
	switch s.space {
	case parameter:
		return p.constantSlot(windows[parameter] + s.address)
	case local:
		slot, ok := p.body.addresses[s]
		if !ok {
			slot = p.slot(0, defined)
			p.body.addresses[s] = slot
			p.f.localAddresses = append(p.f.localAddresses, initialSlot{slot, s.address})
		}
		return slot
	}
	return p.constantSlot(s.address)
}

// statements parses a function's body.
func (p *parser) statements() {
	p.expect('{')
	b := p.body
	for depth := 1; depth > 0; {
		switch {
		case p.accept('{'):
			b.parents = append(b.parents, b.block)
			b.block = len(b.parents) - 1
			depth++
		case p.accept('}'):
			if depth--; depth > 0 {
				b.block = b.parents[b.block]
			}
		case p.kind == endToken:
			p.refuse("a function without an end")
		default:
			p.statement()
		}
	}
	if !b.ended {
		p.refuse("a function whose end is reached")
	}
	for _, j := range b.jumps {
		l := b.labels[j.name]
		if l == nil || !b.within(j.block, l.block) {
			panic(refusal{j.line, "label " + j.name + " is not known"})
		}
		*j.to = int32(l.at)
	}
}

// statement parses a declaration, a label or an instruction.
func (p *parser) statement() {
	switch {
	case p.acceptName(".reg"):
		p.registers()
	case p.acceptName(".local"):
		v := p.variable(local, true)
		p.expect(';')
		v.block = p.body.block
		v.address = p.f.locals.allocate(v.size, v.align)
		p.declare(v)
	case p.kind == nameToken && p.token.text == ".param":
		if p.body.block == 0 {
			p.refuse("a .param outside of a block")
		}
		p.parameter(p.formal(), false)
		p.expect(';')
	case p.acceptName(".loc"):
		if n := p.integer(math.MaxUint32); !p.files[n] {
			p.refuse("file %d is not named", n)
		}
		p.integer(math.MaxUint32)
		p.integer(math.MaxUint32)
	case p.accept('@'):
		p.instruction(true)
	case p.kind == nameToken && p.token.text[0] == '$':
		p.label()
	default:
		p.instruction(false)
	}
}

// registers parses the rest of .reg.
func (p *parser) registers() {
	bits := registerTypes[p.token.text]
	if p.kind != nameToken || bits == 0 {
		p.refuse("type %q of registers is not known", p.token.text)
	}
	p.advance()
	name := p.token.text
	if p.kind != nameToken || len(name) < 2 || name[0] != '%' || strings.ContainsAny(name[1:], ".%") || isDigit(name[len(name)-1]) {
		p.refuse("expected the name of registers, found %q", name)
	}
	p.advance()
	if p.body.block != 0 && p.accept(';') {
		p.body.single = append(p.body.single, single{name, p.body.block, p.slot(0, absent), bits})
		return
	}
	p.expect('<')
	count := p.integer(1 << 24)
	p.expect('>')
	p.expect(';')
	if _, ok := p.body.registers[name]; ok {
		p.refuse("registers %s are declared twice", name)
	}
	if p.body.block != 0 {
		p.refuse("registers in a block")
	}
	r := registers{bits: bits, first: int32(len(p.f.values)), count: count}
	for range count {
		p.slot(0, absent)
	}
	p.body.registers[name] = r
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// register returns the slot and the width of a register, which must be declared.
func (p *parser) register(name string) (int32, int) {
	for n := len(p.body.single) - 1; n >= 0; n-- {
		if s := &p.body.single[n]; s.name == name && p.body.visible(s.block) {
			return s.slot, s.bits
		}
	}
	digits := len(name)
	for digits > 0 && isDigit(name[digits-1]) {
		digits--
	}
	r, ok := p.body.registers[name[:digits]]
	n, err := strconv.ParseUint(name[digits:], 10, 32)
	if !ok || err != nil || n >= r.count || digits+1 < len(name) && name[digits] == '0' {
		p.refuse("register %s is not declared", name)
	}
	return r.first + int32(n), r.bits
}

// label parses a label, or a named table of labels.
func (p *parser) label() {
	b, line := p.body, p.line
	name := p.name()
	p.expect(':')
	if b.labels[name] != nil || b.tables[name] != nil {
		p.refuse("label %s is defined twice", name)
	}
	if !p.acceptName(".branchtargets") {
		b.labels[name] = &label{at: len(p.f.code), block: b.block}
		b.ended = false
		return
	}
	var names []string
	for {
		names = append(names, p.name())
		if !p.accept(',') {
			break
		}
	}
	p.expect(';')
	t := &targets{block: b.block, labels: make([]int32, len(names))}
	for n := range names {
		b.jumps = append(b.jumps, jump{names[n], b.block, line, &t.labels[n]})
	}
	b.tables[name] = t
}
