package spirv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/ir/scalar"
)

// assemble writes a module as text in the syntax of SPIRV-Tools, so that their
// assembler reads it back. Ids have the names that OpName gives, or those of
// their types; instructions are indented by the constructs around them.
func assemble(code []byte) (string, error) {
	d := disassembler{}
	if err := d.read(code); err != nil {
		return "", fmt.Errorf("spirv: %w", err)
	}
	d.collectNames()
	for n := range d.instructions {
		d.instruction(&d.instructions[n])
	}
	return d.out.String(), nil
}

// assemblyHeader begins the text; SPIRV-Tools end this line after SPIR-V.
const assemblyHeader = "; SPIR-V "

// assembled is one instruction of a module.
type assembled struct {
	info         *grammar.Instruction
	opcode       uint32
	words        []uint32 // without the first
	result, typ  uint32
	resultBefore int // words that result type and result take
}

type disassembler struct {
	instructions []assembled
	names        []string // by id
	taken        map[string]bool
	types        []uint32 // by id: the type of a value
	numbers      []scalar.Kind
	merges       []uint32 // labels that end the constructs around the current position
	header       int      // 1 before the terminator that belongs to a header
	labelled     bool     // inside of a function's blocks
	out          strings.Builder
}

const headerWords = 5

func (d *disassembler) read(code []byte) error {
	if len(code)%4 != 0 || len(code) < 4*headerWords {
		return errors.New("the module is no sequence of words with a header")
	}
	words := make([]uint32, len(code)/4)
	for n := range words {
		words[n] = binary.LittleEndian.Uint32(code[4*n:])
	}
	if words[0] != grammar.MagicNumber {
		return fmt.Errorf("the first word is %#x, not SPIR-V's magic number", words[0])
	}
	bound := words[3]
	if bound > 1<<22 {
		return fmt.Errorf("the bound of ids, %d, exceeds SPIR-V's limit", bound)
	}
	fmt.Fprintf(&d.out, assemblyHeader+"%d.%d, ids below %d\n", words[1]>>16&0xFF, words[1]>>8&0xFF, bound)
	d.names, d.types, d.numbers = make([]string, bound), make([]uint32, bound), make([]scalar.Kind, bound)
	for words = words[headerWords:]; len(words) > 0; {
		n := int(words[0] >> 16)
		if n == 0 || n > len(words) {
			return errors.New("an instruction is longer than the module")
		}
		i := assembled{opcode: words[0] & 0xFFFF, words: words[1:n]}
		i.info = grammar.Lookup(i.opcode)
		if i.info != nil {
			if err := d.results(&i); err != nil {
				return err
			}
		}
		d.instructions = append(d.instructions, i)
		words = words[n:]
	}
	return nil
}

// results finds an instruction's result and its type.
func (d *disassembler) results(i *assembled) error {
	for n, o := range i.info.Operands {
		if o.Kind != grammar.IdResultType && o.Kind != grammar.IdResult {
			break
		}
		if n >= len(i.words) || i.words[n] >= uint32(len(d.names)) {
			return fmt.Errorf("%s lacks a result, or has one beyond the bound", i.info.Name)
		}
		if o.Kind == grammar.IdResult {
			i.result = i.words[n]
		} else {
			i.typ = i.words[n]
		}
		i.resultBefore = n + 1
	}
	if i.result != 0 {
		d.types[i.result] = i.typ
	}
	return nil
}

// collectNames gives ids their names: first those that the module holds, then
// those that follow from types.
func (d *disassembler) collectNames() {
	d.taken = map[string]bool{}
	for n := range d.instructions {
		if i := &d.instructions[n]; i.opcode == grammar.OpName && len(i.words) > 1 {
			name, _ := literalText(i.words[1:])
			d.give(i.words[0], name)
		}
	}
	for n := range d.instructions {
		i := &d.instructions[n]
		w := i.words
		switch {
		case i.opcode == grammar.OpTypeVoid:
			d.give(i.result, "void")
		case i.opcode == grammar.OpTypeBool:
			d.give(i.result, "bool")
		case i.opcode == grammar.OpTypeInt && len(w) == 3:
			kinds := map[[2]uint32]scalar.Kind{{32, 0}: scalar.U32, {32, 1}: scalar.I32, {64, 0}: scalar.U64, {64, 1}: scalar.I64,
				{8, 0}: scalar.U8, {8, 1}: scalar.I8, {16, 0}: scalar.U16, {16, 1}: scalar.I16}
			d.number(i.result, kinds[[2]uint32{w[1], w[2]}])
		case i.opcode == grammar.OpTypeFloat && len(w) == 2:
			kinds := map[uint32]scalar.Kind{16: scalar.F16, 32: scalar.F32, 64: scalar.F64}
			d.number(i.result, kinds[w[1]])
		case i.opcode == grammar.OpTypeVector && len(w) == 3:
			d.give(i.result, "v"+strconv.Itoa(int(w[2]))+d.nameOf(w[1]))
		case i.opcode == grammar.OpConstant && len(w) == 3 && d.kindOf(w[0]) != scalar.None && !d.kindOf(w[0]).IsFloat():
			d.give(i.result, d.nameOf(w[0])+"_"+strings.ReplaceAll(d.literal(d.kindOf(w[0]), w[2:]), "-", "n"))
		case i.opcode == grammar.OpConstantTrue:
			d.give(i.result, "true")
		case i.opcode == grammar.OpConstantFalse:
			d.give(i.result, "false")
		case i.opcode == grammar.OpExtInstImport:
			d.give(i.result, "glsl")
		}
	}
}

func (d *disassembler) number(id uint32, k scalar.Kind) {
	d.numbers[id] = k
	if k != scalar.None {
		d.give(id, k.String())
	}
}

// kindOf returns the scalar kind that a type id denotes, or None.
func (d *disassembler) kindOf(id uint32) scalar.Kind {
	if int(id) < len(d.numbers) {
		return d.numbers[id]
	}
	return scalar.None
}

// typeOf returns the type of the value with an id, or 0.
func (d *disassembler) typeOf(id uint32) uint32 {
	if int(id) < len(d.types) {
		return d.types[id]
	}
	return 0
}

// give names an id unless it has a name; the same name for another id gets the
// id's number after it.
func (d *disassembler) give(id uint32, name string) {
	if int(id) >= len(d.names) || d.names[id] != "" {
		return
	}
	name = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' {
			return c
		}
		return '_'
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	for d.taken[name] {
		name += "_" + strconv.Itoa(int(id))
	}
	d.taken[name] = true
	d.names[id] = name
}

func (d *disassembler) nameOf(id uint32) string {
	if int(id) < len(d.names) && d.names[id] != "" {
		return d.names[id]
	}
	return strconv.Itoa(int(id))
}

func (d *disassembler) instruction(i *assembled) {
	if n := len(d.merges); i.opcode == grammar.OpLabel && n > 0 && d.merges[n-1] == i.result {
		d.merges = d.merges[:n-1]
	}
	if i.opcode == grammar.OpFunction {
		d.out.WriteByte('\n')
	}
	if i.opcode == grammar.OpLabel {
		d.labelled = true
	}
	if d.labelled && i.opcode != grammar.OpFunctionEnd {
		d.out.WriteString(strings.Repeat("  ", len(d.merges)-d.header))
		if i.opcode != grammar.OpLabel {
			d.out.WriteString("  ")
		}
	}
	d.header = 0
	if i.result != 0 {
		d.out.WriteString("%" + d.nameOf(i.result) + " = ")
	}
	if i.info == nil {
		fmt.Fprintf(&d.out, "; unknown instruction %d %v\n", i.opcode, i.words)
		return
	}
	d.out.WriteString(i.info.Name)
	if i.typ != 0 {
		d.out.WriteString(" %" + d.nameOf(i.typ))
	}
	rest := i.words[i.resultBefore:]
	for _, o := range i.info.Operands[i.resultBefore:] {
		for len(rest) > 0 {
			rest = d.operand(i, o.Kind, rest)
			if o.Quantifier != grammar.Repeated {
				break
			}
		}
	}
	for _, word := range rest {
		fmt.Fprintf(&d.out, " %d", word)
	}
	d.out.WriteByte('\n')
	if (i.opcode == grammar.OpSelectionMerge || i.opcode == grammar.OpLoopMerge) && len(i.words) > 0 {
		d.merges, d.header = append(d.merges, i.words[0]), 1
	}
	if i.opcode == grammar.OpFunctionEnd {
		d.merges, d.labelled = d.merges[:0], false
	}
}

// operand writes one operand and returns the words after it.
func (d *disassembler) operand(i *assembled, k grammar.Kind, words []uint32) []uint32 {
	info := k.Info()
	switch info.Category {
	case grammar.CategoryId:
		d.out.WriteString(" %" + d.nameOf(words[0]))
		return words[1:]
	case grammar.CategoryValueEnum:
		return d.enumerants(i, k, words, []uint32{words[0]})
	case grammar.CategoryBitEnum:
		var bits []uint32
		for bit := uint32(1); bit != 0; bit <<= 1 {
			if words[0]&bit != 0 {
				bits = append(bits, bit)
			}
		}
		if bits == nil {
			bits = []uint32{0}
		}
		return d.enumerants(i, k, words, bits)
	case grammar.CategoryComposite:
		for _, base := range info.Bases {
			if len(words) > 0 {
				words = d.operand(i, base, words)
			}
		}
		return words
	}
	switch k {
	case grammar.LiteralString:
		text, n := literalText(words)
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"`, `\"`)
		d.out.WriteString(` "` + text + `"`)
		return words[n:]
	case grammar.LiteralContextDependentNumber:
		kind := d.kindOf(i.typ)
		n := max(kind.Bits()/32, 1)
		d.out.WriteString(" " + d.literal(kind, words))
		return words[min(n, len(words)):]
	case grammar.LiteralExtInstInteger:
		if e := grammar.GLSL(words[0]); e != nil {
			d.out.WriteString(" " + e.Name)
			return words[1:]
		}
	case grammar.LiteralInteger:
		if i.opcode == grammar.OpSwitch && d.kindOf(d.typeOf(i.words[0])).IsSigned() {
			d.out.WriteString(" " + strconv.Itoa(int(int32(words[0]))))
			return words[1:]
		}
	}
	d.out.WriteString(" " + strconv.FormatUint(uint64(words[0]), 10))
	return words[1:]
}

// enumerants writes the names of values joined by |, then their parameters.
func (d *disassembler) enumerants(i *assembled, k grammar.Kind, words []uint32, values []uint32) []uint32 {
	var parameters []grammar.Operand
	for n, v := range values {
		name := strconv.FormatUint(uint64(v), 10)
		if e := k.Enumerant(v); e != nil {
			name = e.Name
			parameters = append(parameters, e.Parameters...)
		}
		if n > 0 {
			d.out.WriteString("|" + name)
		} else {
			d.out.WriteString(" " + name)
		}
	}
	words = words[1:]
	for _, p := range parameters {
		if len(words) > 0 {
			words = d.operand(i, p.Kind, words)
		}
	}
	return words
}

// literal writes a number of a kind.
func (d *disassembler) literal(k scalar.Kind, words []uint32) string {
	bits := uint64(words[0])
	if k.Bits() == 64 && len(words) > 1 {
		bits |= uint64(words[1]) << 32
	}
	switch {
	case k.IsFloat():
		x := scalar.ToFloat64(k, bits)
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nonFinite(k, bits)
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	case k.IsSigned():
		return strconv.FormatInt(scalar.ToInt64(k, bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}

// nonFinite writes infinities and NaNs as SPIRV-Tools do: as a hexadecimal
// number with the exponent after the highest.
func nonFinite(k scalar.Kind, bits uint64) string {
	sign := ""
	fractionBits, exponent := 23, 128
	switch k {
	case scalar.F16:
		fractionBits, exponent = 10, 16
	case scalar.F64:
		fractionBits, exponent = 52, 1024
	}
	if bits>>(k.Bits()-1)&1 == 1 {
		sign = "-"
	}
	fraction := bits & (1<<fractionBits - 1)
	digits := ""
	if fraction != 0 {
		width := (fractionBits + 3) / 4
		digits = "." + strings.TrimRight(fmt.Sprintf("%0*x", width, fraction<<(4*width-fractionBits)), "0")
	}
	return fmt.Sprintf("%s0x1%sp+%d", sign, digits, exponent)
}

// literalText reads a string and says how many words it takes.
func literalText(words []uint32) (text string, n int) {
	var b []byte
	for n = range words {
		for shift := 0; shift < 32; shift += 8 {
			c := byte(words[n] >> shift)
			if c == 0 {
				return string(b), n + 1
			}
			b = append(b, c)
		}
	}
	return string(b), len(words)
}
