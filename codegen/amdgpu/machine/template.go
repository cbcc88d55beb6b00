package machine

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file parses and expands templates: the text that the table has for an operation on a kind
// (rows.go). A template is assembly of gfx942, instructions separated by semicolons, with
//
//	$d $g        the result, and the second one
//	$a $b $c $e  the operands
//	$0 … $9, $n … $z  temporaries in vector registers
//	%0 … %9      temporaries that are masks; %d %a %b %c are a result and operands that are masks
//	l, h         a suffix: the low or high word
//	-x |x|       the negated source, or its absolute value
//	vcc exec     those registers
//	1 -1 0x1p2   an integer, or the bits of a 32-bit float if it has a point
//
// Each template is parsed once.

// step is an instruction of a template.
type step struct {
	op       opcode
	neg, abs uint8
	args     []reference
}

// reference is an operand of a step.
type reference struct {
	what  referenceKind
	part  uint8 // 1 for the low word, 2 for the high word
	words uint8 // of a temporary
	index uint8
	mask  bool // a source that is a mask
	value uint32
}

type referenceKind uint8

const (
	toResult referenceKind = iota
	toSource
	toTemporary
	toMask // a temporary that is a mask
	toFixed
	toConstant
)

// template is a parsed template.
type template []step

// readTemplate parses a template.
func readTemplate(text string) (steps template) {
	var words [maxTemporaries]uint8 // of temporaries
	for _, line := range strings.Split(text, ";") {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" {
			continue
		}
		s := step{op: named(name)}
		shape := operations[s.op].shape
		var parts []string
		if rest = strings.TrimSpace(rest); rest != "" {
			parts = strings.Split(rest, ",")
		}
		if len(parts) != len(shape) {
			panic("machine: operands of " + line)
		}
		for n, part := range parts {
			part = strings.TrimSpace(part)
			if inner, ok := strings.CutPrefix(part, "-"); ok && (inner[0] == '$' || inner[0] == '|') {
				s.neg |= 1 << n
				part = inner
			}
			if part[0] == '|' {
				s.abs |= 1 << n
				part = part[1 : len(part)-1]
			}
			r := readReference(part)
			if r.what == toTemporary {
				if r.part != 0 {
					r.words = 2
				} else if r.words = shape[n].words; r.words == 0 {
					panic("machine: a mask in a vector register: " + line)
				}
				words[r.index] = max(words[r.index], r.words)
			}
			s.args = append(s.args, r)
		}
		steps = append(steps, s)
	}
	for _, s := range steps {
		for n := range s.args {
			if r := &s.args[n]; r.what == toTemporary {
				r.words = words[r.index]
			}
		}
	}
	return steps
}

// maxTemporaries is the number of names of temporaries: ten digits, and the letters from n on.
const maxTemporaries = 10 + 'z' - 'n' + 1

const sourceLetters = "abce"

func readReference(text string) reference {
	switch text {
	case "vcc":
		return reference{what: toFixed, value: uint32(vcc)}
	case "exec":
		return reference{what: toFixed, value: uint32(exec)}
	}
	if text[0] != '$' && text[0] != '%' {
		return reference{what: toConstant, value: readConstant(text)}
	}
	r := reference{}
	if len(text) > 2 {
		r.part = map[byte]uint8{'l': 1, 'h': 2}[text[2]]
	}
	switch letter := text[1]; {
	case letter == 'd':
		r.what = toResult
	case letter == 'g':
		r.what, r.index = toResult, 1
	case letter >= '0' && letter <= '9' || letter >= 'n':
		if r.what, r.index = toTemporary, letter-'0'; text[0] == '%' {
			r.what = toMask
		}
		if letter >= 'n' {
			r.index = 10 + letter - 'n'
		}
	default:
		r.what, r.index, r.mask = toSource, uint8(strings.IndexByte(sourceLetters, letter)), text[0] == '%'
	}
	return r
}

func readConstant(text string) uint32 {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return uint32(n)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("machine: a constant in a template: " + text)
	}
	return math.Float32bits(float32(f))
}

// expansion has the results and sources that a template refers to.
type expansion struct {
	results [2]operand
	sources [4]source
}

// source is an operand of the machine level: a register, or a constant's bits.
type source struct {
	register operand
	bits     uint64
	constant bool
}

// expand appends a template's instructions.
func (s *selector) expand(steps template, x *expansion) {
	var temporaries, masks [maxTemporaries]operand
	for n := range steps {
		t := &steps[n]
		var args [6]operand
		shape := operations[t.op].shape
		for k := range t.args {
			r := &t.args[k]
			o := noOperand
			switch r.what {
			case toResult:
				o = x.results[r.index]
			case toSource:
				words := int(shape[k].words)
				if r.mask {
					words = 0
				}
				o = s.sourceOperand(&x.sources[r.index], r.part, words)
				if x.sources[r.index].constant {
					args[k] = o
					continue
				}
			case toTemporary:
				if temporaries[r.index] == noOperand {
					temporaries[r.index] = s.fresh(vectors, int(r.words))
				}
				o = temporaries[r.index]
			case toMask:
				if masks[r.index] == noOperand {
					masks[r.index] = s.freshMask()
				}
				o = masks[r.index]
			case toFixed:
				o = operand(r.value)
			case toConstant:
				o = s.constant(r.value)
			}
			if r.part == 2 {
				o = o.at(1)
			}
			args[k] = o
		}
		s.put(t.op, t.neg, t.abs, args[:len(t.args)]...)
	}
}

// sourceOperand returns a source or one word of it. A constant of two words that is not an inline
// constant is moved to registers.
func (s *selector) sourceOperand(x *source, part uint8, words int) operand {
	if !x.constant {
		return x.register
	}
	switch {
	case part == 1 || part == 0 && words == 1:
		return s.constant(uint32(x.bits))
	case part == 2:
		return s.constant(uint32(x.bits >> 32))
	case words == 0: // a mask
		return s.constant(-uint32(x.bits & 1))
	case int64(x.bits) >= -16 && int64(x.bits) <= 64:
		return s.constant(uint32(x.bits))
	}
	r := s.fresh(vectors, 2)
	s.emit(opMove, r, s.constant(uint32(x.bits)))
	s.emit(opMove, r.at(1), s.constant(uint32(x.bits>>32)))
	return r
}

// inlineConstant reports whether 32 bits are an inline constant.
func inlineConstant(x uint32) bool {
	switch x {
	case 0x3F000000, 0xBF000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40800000, 0xC0800000, 0x3E22F983:
		return true
	}
	return int32(x) >= -16 && int32(x) <= 64
}

// put appends an instruction. Operands that its encoding cannot have are moved to vector registers.
func (s *selector) put(o opcode, neg, abs uint8, args ...operand) *instruction {
	row := &operations[o]
	switch row.format {
	case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3:
		s.legalise(row, neg|abs, args)
	case isa.Global, isa.Scratch, isa.DS:
		for n, shape := range row.shape {
			// an address without a register is the constant alone
			if shape.bank == vectors && shape.source && args[n] != noOperand {
				args[n] = s.inVector(args[n], int(shape.words))
			}
		}
	}
	i := s.emit(o, args...)
	i.neg, i.abs = neg, abs
	return i
}

// valueCache has what the current block has in registers and may use again: constants, and the
// vector of the last store.
type valueCache struct {
	constants [8]struct {
		value    uint32
		register operand
	}
	next   int
	stored [16]mir.Operand
	count  int
	kind   scalar.Kind
	vector operand
}

// constant returns a constant in a vector register.
func (h *valueCache) constant(s *selector, o operand) operand {
	value := s.value(o)
	for _, c := range h.constants {
		if c.register != noOperand && c.value == value {
			return c.register
		}
	}
	c := &h.constants[h.next]
	h.next = (h.next + 1) % len(h.constants)
	c.value, c.register = value, s.fresh(vectors, 1)
	s.emit(opMove, c.register, o)
	return c.register
}

// inVector returns an operand in a vector register.
func (s *selector) inVector(o operand, words int) operand {
	if o.isVector() {
		return o
	}
	if words == 1 && o.kind() == constantWord {
		return s.cache.constant(s, o)
	}
	r := s.fresh(vectors, words)
	for n := range words {
		from := o
		if o.isScalar() {
			from = o.at(n)
		} else if n > 0 { // the sign of a small integer
			from = s.constant(uint32(int32(s.value(o)) >> 31))
		}
		s.emit(opMove, r.at(n), from)
	}
	return r
}

// constantBus has the scalar registers and literals that a vector instruction reads.
type constantBus struct {
	operands    [2]operand
	used, limit int
}

// claims reports whether an operand can be read on the bus, and reserves it.
func (b *constantBus) claims(o operand) bool {
	for _, other := range b.operands[:b.used] {
		if other == o {
			return true
		}
	}
	if b.used == b.limit {
		return false
	}
	b.operands[b.used] = o
	b.used++
	return true
}

// legalise moves sources of a vector instruction to vector registers where needed: scalar registers
// and literals share the constant bus, and on gfx9 no 64-bit encoding has a literal.
func (s *selector) legalise(row *operation, modifiers uint8, args []operand) {
	first := int(row.results)
	if row.swaps && len(args) >= first+2 && !args[first+1].isVector() && args[first].isVector() && modifiers == 0 {
		args[first], args[first+1] = args[first+1], args[first]
	}
	bus := constantBus{limit: s.target.bus}
	masks := false
	for n, shape := range row.shape {
		if shape.source && shape.words == 0 && args[n].kind() == constantWord {
			m := s.freshMask()
			s.emit(opMoveMask, m, args[n])
			args[n] = m
		}
		if shape.source && shape.bank == scalars && args[n].isScalar() {
			bus.claims(args[n])
		}
		masks = masks || shape.words == 0
	}
	short := row.format == isa.VOP1 || (row.format == isa.VOP2 || row.format == isa.VOPC) && !masks && args[first+1].isVector()
	for n, shape := range row.shape {
		if !shape.source || shape.bank == scalars {
			continue
		}
		o, fits := args[n], false
		switch {
		case o.isVector():
			fits = true
		case !shape.free:
		case o.isScalar():
			fits = bus.claims(o)
		default:
			literal := n == first && short && modifiers == 0 && shape.words == 1
			fits = inlineConstant(s.value(o)) || literal && bus.claims(o)
		}
		if !fits {
			args[n] = s.inVector(o, int(shape.words))
		}
	}
}
