package jit

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file is the language in which the tables of rows say which instructions an operation
// becomes, and what makes them. A template is instructions, one after the other, separated by
// semicolons, with operands in Intel's order:
//
//	d                the result
//	a b c e          the operands of the operation
//	t0 … t9          vector registers of the template, and g0 … g9 general ones
//	=3f800000        a constant of 32 bits in all lanes, and ==3ff0000000000000 one of 64
//	@nibbles         a constant of 32 bytes by name
//	$31              an immediate, $b the constant operand b, and $log b its logarithm
//	b-1              the constant of 32 bits that is operand b less 1, in all lanes
//	:0 … :3          alone, a label of the template; after a jump, its target, which follows
//
// A mnemonic that ends with .n is of the narrow form, .w of the wide one: 128 or 256 bits of
// vectors, 32 or 64 of general registers. Without it, vectors are wide, and general registers as
// wide as the operation's kind.

// template is the instructions of a row.
type template struct{ steps []step }

// step is one instruction of a template.
type step struct {
	op        amd64.Op
	condition amd64.Condition
	width     stepWidth
	count     uint8
	operands  [amd64.MaxOperands]stepOperand
	immediate int64
}

type stepWidth uint8

const (
	byKind stepWidth = iota
	isNarrow
	isWide
)

// stepOperand is an operand of a step.
type stepOperand struct {
	what  operandKind
	n     uint8
	bits  uint64
	bytes *[lanes]uint32
}

type operandKind uint8

const (
	noOperand operandKind = iota
	result
	argument
	vectorTemporary
	generalTemporary
	words      // a constant of 32 bits
	longs      // one of 64
	namedBytes // one of 32 bytes
	number
	argumentNumber // an immediate that is the constant operand
	argumentPower  // one that is the logarithm of the constant operand, a power of two
	lessThan       // the constant operand less 1, in all lanes
	labelled       // an operand of the template
)

// temporaries is how many registers of each bank a template has at most.
const temporaries = 10

// templateLabels is how many labels that jumps lead to a template has at most.
const templateLabels = 4

// conditions are what mnemonics of setcc, cmovcc and jumps end with.
var conditions = map[string]amd64.Condition{"b": amd64.Below, "ae": amd64.AboveEqual, "e": amd64.Equal, "ne": amd64.NotEqual,
	"be": amd64.BelowEqual, "a": amd64.Above, "l": amd64.Less, "ge": amd64.GreaterEqual, "le": amd64.LessEqual, "g": amd64.Greater,
	"s": amd64.Sign, "ns": amd64.NotSign}

// mnemonics returns the instructions by name.
func mnemonics() map[string]amd64.Op {
	names := make(map[string]amd64.Op, amd64.Ops)
	for o := range amd64.Ops {
		if o != amd64.Setcc && o != amd64.Cmovcc && o != amd64.Jcc {
			names[o.String()] = o
		}
	}
	for name, o := range map[string]amd64.Op{"shl_cl": amd64.ShlCL, "shr_cl": amd64.ShrCL, "sar_cl": amd64.SarCL} {
		names[name] = o
	}
	for name, o := range map[string]amd64.Op{"shl": amd64.Shl, "shr": amd64.Shr, "sar": amd64.Sar, "imul": amd64.IMul, "add": amd64.Add,
		"mov": amd64.Mov, "neg": amd64.Neg, "not": amd64.Not} {
		names[name] = o
	}
	return names
}

// parse reads a template. A mistake in it is one in this package's tables, and panics.
func parse(names map[string]amd64.Op, text string) *template {
	t := new(template)
	for _, statement := range strings.Split(text, ";") {
		mnemonic, rest, _ := strings.Cut(strings.TrimSpace(statement), " ")
		var s step
		if name, ok := strings.CutSuffix(mnemonic, ".n"); ok {
			mnemonic, s.width = name, isNarrow
		} else if name, ok := strings.CutSuffix(mnemonic, ".w"); ok {
			mnemonic, s.width = name, isWide
		}
		if mnemonic[0] == ':' {
			rest, s.op = mnemonic, amd64.Mark
		} else {
			s.op, s.condition = operation(names, mnemonic)
		}
		for _, operand := range strings.Split(rest, ",") {
			s.operands[s.count] = s.parseOperand(strings.TrimSpace(operand))
			s.count++
		}
		t.steps = append(t.steps, s)
	}
	return t
}

func operation(names map[string]amd64.Op, mnemonic string) (amd64.Op, amd64.Condition) {
	if o, ok := names[mnemonic]; ok {
		return o, 0
	}
	if suffix, ok := strings.CutPrefix(mnemonic, "set"); ok {
		if c, ok := conditions[suffix]; ok {
			return amd64.Setcc, c
		}
	}
	if suffix, ok := strings.CutPrefix(mnemonic, "cmov"); ok {
		if c, ok := conditions[suffix]; ok {
			return amd64.Cmovcc, c
		}
	}
	if suffix, ok := strings.CutPrefix(mnemonic, "j"); ok {
		if c, ok := conditions[suffix]; ok {
			return amd64.Jcc, c
		}
	}
	panic("jit: a template names " + mnemonic)
}

func (s *step) parseOperand(text string) stepOperand {
	bad := func() { panic(fmt.Sprintf("jit: a template has the operand %q", text)) }
	if text == "" {
		bad()
	}
	digit := func() uint8 {
		n, err := strconv.ParseUint(text[1:], 10, 8)
		if err != nil || n >= temporaries {
			bad()
		}
		return uint8(n)
	}
	switch rest := text[1:]; {
	case text == "d":
		return stepOperand{what: result}
	case text == "a", text == "b", text == "c":
		return stepOperand{what: argument, n: text[0] - 'a'}
	case text == "e":
		return stepOperand{what: argument, n: 3}
	case text[0] == 't':
		return stepOperand{what: vectorTemporary, n: digit()}
	case text[0] == 'g':
		return stepOperand{what: generalTemporary, n: digit()}
	case text[0] == ':':
		n := digit()
		if n >= templateLabels {
			bad()
		}
		return stepOperand{what: labelled, n: n}
	case text == "b-1":
		return stepOperand{what: lessThan, n: 1}
	case text == "$b":
		return stepOperand{what: argumentNumber, n: 1}
	case text == "$log b":
		return stepOperand{what: argumentPower, n: 1}
	case text[0] == '$':
		n, err := strconv.ParseInt(rest, 0, 64)
		if err != nil {
			bad()
		}
		s.immediate = n
		return stepOperand{what: number}
	case strings.HasPrefix(text, "=="):
		n, err := strconv.ParseUint(text[2:], 16, 64)
		if err != nil {
			bad()
		}
		return stepOperand{what: longs, bits: n}
	case text[0] == '=':
		n, err := strconv.ParseUint(rest, 16, 32)
		if err != nil {
			bad()
		}
		return stepOperand{what: words, bits: n}
	case text[0] == '@':
		b, ok := named[rest]
		if !ok {
			bad()
		}
		return stepOperand{what: namedBytes, bytes: b}
	}
	bad()
	return stepOperand{}
}

// named are constants of 32 bytes: tables that vpshufb looks bytes up in, the same in both halves,
// and the indices of lanes.
var named = map[string]*[lanes]uint32{
	"ones":       halves(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4),
	"swap":       halves(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12),
	"swaplong":   halves(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8),
	"reverse":    halves(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15),
	"reversetop": halves(0x00, 0x80, 0x40, 0xC0, 0x20, 0xA0, 0x60, 0xE0, 0x10, 0x90, 0x50, 0xD0, 0x30, 0xB0, 0x70, 0xF0),
}

func halves(b ...byte) *[lanes]uint32 {
	all := new([lanes]uint32)
	for n := range all {
		all[n] = binary.LittleEndian.Uint32(b[4*n%len(b):])
	}
	return all
}

// taken is an operand of an operation as its template takes it: a register, or a constant.
type taken struct {
	register amd64.Operand
	constant bool
	bits     uint64
	wide     bool // the constant has 64 bits
}

func from(r amd64.Operand) taken { return taken{register: r} }

// expand emits the instructions of a template.
func (s *selector) expand(t *template, width amd64.Width, d amd64.Operand, args []taken) {
	var temporary [2][temporaries]amd64.Operand
	var labels [templateLabels]int // from 1
	for n := range t.steps {
		p := &t.steps[n]
		if at := &p.operands[0]; at.what == labelled {
			label := &labels[at.n]
			if *label == 0 {
				*label = s.label() + 1
			}
			if p.op == amd64.Mark {
				s.mark(*label - 1)
			} else {
				s.jumpIf(p.condition, *label-1)
			}
			continue
		}
		i := amd64.Instruction{Op: p.op, Condition: p.condition, Immediate: p.immediate}
		i.Width = width
		switch {
		case !p.op.Widths():
			i.Width = amd64.Wide
		case p.width == isNarrow:
			i.Width = amd64.Narrow
		case p.width == isWide:
			i.Width = amd64.Wide
		}
		for k := range int(p.count) {
			at := &p.operands[k]
			switch at.what {
			case result:
				i.Operands[k] = d
			case argument:
				s.operand(&i, k, &args[at.n])
			case vectorTemporary:
				r := &temporary[vectors][at.n]
				if *r == 0 {
					*r = s.freshVector()
				}
				i.Operands[k] = *r
			case generalTemporary:
				r := &temporary[generals][at.n]
				if *r == 0 {
					*r = s.freshGeneral()
				}
				i.Operands[k] = *r
			case words:
				s.operand(&i, k, &taken{constant: true, bits: at.bits})
			case longs:
				s.operand(&i, k, &taken{constant: true, bits: at.bits, wide: true})
			case namedBytes:
				s.memoryOperand(&i, k, s.pool.Lanes(at.bytes))
			case number:
				i.Operands[k] = amd64.Imm
			case lessThan:
				s.operand(&i, k, &taken{constant: true, bits: uint64(uint32(args[at.n].bits) - 1)})
			case argumentNumber:
				i.Operands[k], i.Immediate = amd64.Imm, int64(args[at.n].bits)
			case argumentPower:
				i.Operands[k], i.Immediate = amd64.Imm, int64(bits.TrailingZeros64(args[at.n].bits))
			}
		}
		if isShift[i.Op] && i.Immediate == 0 { // the machine has none
			continue
		}
		if i.Op == amd64.Mov && p.width == byKind && i.Operands[1].IsRegister() {
			// words are extended by zeros, and such a move may be redundant
			i.Width = amd64.Wide
		}
		s.append(&i)
	}
}

// isShift are the shifts of a general register in its operand by an immediate.
var isShift = [amd64.Ops]bool{amd64.Shl: true, amd64.Shr: true, amd64.Sar: true}

// operand makes a register or constant operand k of an instruction, whose operands before it are
// there.
func (s *selector) operand(i *amd64.Instruction, k int, x *taken) {
	if !x.constant {
		i.Operands[k] = x.register
		return
	}
	if isGeneral(i.Op) {
		s.generalConstant(i, k, x)
		return
	}
	s.memoryOperand(i, k, s.constantOf(x))
}

// constantOf returns the operand of a constant in all lanes.
func (s *selector) constantOf(x *taken) amd64.Operand {
	if x.wide {
		return s.pool.Longs(x.bits)
	}
	return s.pool.Words(uint32(x.bits))
}

// memoryOperand makes a constant in memory operand k: in memory, or in a register that is loaded
// before.
func (s *selector) memoryOperand(i *amd64.Instruction, k int, constant amd64.Operand) {
	if foldable(i.Op, k) {
		i.Operands[k], i.Address = amd64.Mem, amd64.At(constant, 0)
		return
	}
	r := s.freshVector()
	s.load(amd64.VMovUPS, amd64.Wide, r, amd64.At(constant, 0))
	i.Operands[k] = r
}

// foldable reports whether operand k of an instruction of vectors may be 32 bytes of memory.
func foldable(o amd64.Op, k int) bool { return folds[o] != 0 && int(folds[o]) == k }

// generalConstant makes a constant operand k of an instruction of general registers.
func (s *selector) generalConstant(i *amd64.Instruction, k int, x *taken) {
	value := int64(x.bits)
	if i.Width == amd64.Narrow {
		value = int64(int32(x.bits))
	}
	if k == 1 && takesImmediate[i.Op] && value == int64(int32(value)) {
		i.Operands[k], i.Immediate = amd64.Imm, value
		return
	}
	i.Operands[k] = s.generalOf(uint64(x.bits))
}

// generalOf returns a register that holds a constant.
func (s *selector) generalOf(bits uint64) amd64.Operand {
	r := s.freshGeneral()
	i := amd64.Of(amd64.Mov, amd64.Narrow, r, amd64.Imm)
	switch {
	case bits == uint64(uint32(bits)):
		i.Immediate = int64(int32(uint32(bits)))
	case int64(bits) == int64(int32(bits)):
		i.Width, i.Immediate = amd64.Wide, int64(bits)
	default:
		i.Op, i.Width, i.Immediate = amd64.MovAbs, amd64.Wide, int64(bits)
	}
	s.append(&i)
	return r
}
