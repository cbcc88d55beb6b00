package isa_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file parses lines of LLVM's disassembler. It uses the mnemonics and slots of the table, but
// not its encodings.

// reader parses lines for a family.
type reader struct {
	family  isa.Family
	ops     map[string]isa.Op // by mnemonic
	returns map[string]isa.Op // that return the old value
}

func newReader(f isa.Family) *reader {
	r := &reader{f, map[string]isa.Op{}, map[string]isa.Op{}}
	for o := range isa.Ops {
		if name := o.Name(f); name != "" {
			if o.Returns() {
				r.returns[name] = o
			} else {
				r.ops[name] = o
			}
		}
	}
	return r
}

// errNoRow says that the table has no instruction with a mnemonic.
type errNoRow string

func (e errNoRow) Error() string { return "there is no row for " + string(e) }

var forms = []struct {
	suffix string
	form   isa.Form
}{{"_e32", isa.Shortest}, {"_e64", isa.Long}, {"_sdwa", isa.SDWA}}

// read parses a line.
func (r *reader) read(line string) (i isa.Instruction, err error) {
	mnemonic, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	words, modifiers := split(rest)
	for _, f := range forms {
		if name, ok := strings.CutSuffix(mnemonic, f.suffix); ok {
			mnemonic, i.Form = name, f.form
			break
		}
	}
	ops := r.ops
	if _, atomic := r.returns[mnemonic]; atomic && len(words) > 0 && (modifiers["sc0"] != "" || modifiers["glc"] != "") {
		ops = r.returns
		delete(modifiers, "sc0")
		delete(modifiers, "glc")
	}
	op, ok := ops[mnemonic]
	if !ok {
		return i, errNoRow(mnemonic)
	}
	i.Op = op
	format := op.Format(r.family)
	if format < isa.VOP1 || format > isa.VOPC {
		i.Form = isa.Shortest
	}
	source, used := 0, 0
	for n, slot := range op.Slots() {
		// in a pair, the mask is not written
		if op == isa.VCndmaskB32 && n == 3 && used == len(words) {
			i.Operands[n] = isa.VCC
			continue
		}
		if used == len(words) {
			return i, fmt.Errorf("too few operands")
		}
		word := words[used]
		if format == isa.SMEM && n == 2 { // the offset is a number or a register
			if number, err := strconv.ParseInt(word, 0, 32); err == nil {
				i.Immediate, used = int32(number), used+1
				continue
			}
			if word == "null" {
				used++
				continue
			}
		}
		used++
		destination := slot.Written() && source == 0
		if !destination {
			word = signs(&i, word, source)
			source++
		}
		if i.Operands[n], err = r.operand(word, op, slot); err != nil {
			return i, err
		}
	}
	if op.Immediate() {
		if err := r.immediate(&i, strings.Join(words[used:], " "), modifiers); err != nil {
			return i, err
		}
	} else if used != len(words) {
		return i, fmt.Errorf("too many operands")
	}
	if mnemonic == "v_fma_mix_f32" || mnemonic == "v_fma_mixlo_f16" || mnemonic == "v_fma_mixhi_f16" {
		if bits, ok := modifiers["op_sel_hi"]; ok {
			i.Modifiers |= list(bits, isa.HalfFloat, source)
			delete(modifiers, "op_sel_hi")
		}
	}
	return i, r.modifiers(&i, modifiers, source)
}

// signs parses the sign modifiers of a source, and returns the operand.
func signs(i *isa.Instruction, word string, source int) string {
	if inner, ok := strings.CutPrefix(word, "neg("); ok {
		word, i.Modifiers = strings.TrimSuffix(inner, ")"), i.Modifiers|isa.Neg<<source
	} else if len(word) > 1 && word[0] == '-' && strings.ContainsRune("sv|t", rune(word[1])) {
		word, i.Modifiers = word[1:], i.Modifiers|isa.Neg<<source
	}
	if word[0] == '|' {
		word, i.Modifiers = strings.Trim(word, "|"), i.Modifiers|isa.Abs<<source
	}
	if inner, ok := strings.CutPrefix(word, "sext("); ok {
		word, i.Parts = strings.TrimSuffix(inner, ")"), i.Parts|isa.Sext0<<source
	}
	return word
}

var modifierWord = regexp.MustCompile(`^([a-z_0-9]+)(?::(\[[-0-9a-zA-Z_,x]*\]|[-A-Za-z0-9_x]+))?$`)

// split returns the operands of a line, and its modifiers by name.
func split(rest string) (words []string, modifiers map[string]string) {
	modifiers = map[string]string{}
	rest = strings.TrimSpace(rest)
	depth, start := 0, 0
	var parts []string
	for n, c := range rest {
		switch {
		case strings.ContainsRune("[(", c):
			depth++
		case strings.ContainsRune("])", c):
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, rest[start:n])
			start = n + 1
		}
	}
	parts = append(parts, rest[start:])
	for n, part := range parts {
		fields := strings.Fields(part)
		if len(fields) == 0 {
			continue
		}
		if n < len(parts)-1 {
			words = append(words, strings.Join(fields, " "))
			continue
		}
		for k, field := range fields {
			if m := modifierWord.FindStringSubmatch(field); m != nil && (k > 0 || flags[m[1]] || m[2] != "") {
				modifiers[m[1]] = m[2] + "."
			} else {
				words = append(words, field)
			}
		}
	}
	return words, modifiers
}

// flags are the modifiers without a value.
var flags = map[string]bool{"sc0": true, "sc1": true, "nt": true, "glc": true, "slc": true, "dlc": true, "clamp": true}

var ranged = regexp.MustCompile(`^(s|v|a|ttmp)(?:(\d+)|\[(\d+):(\d+)\])$`)

var registers = map[string]isa.Operand{
	"vcc": isa.VCC, "vcc_lo": isa.VCC, "vcc_hi": isa.VCCHi, "exec": isa.EXEC, "exec_lo": isa.EXEC, "exec_hi": isa.EXECHi, "m0": isa.M0, "null": isa.Null,
	"src_scc": isa.SCC, "src_shared_base": isa.SharedBase, "src_private_base": isa.PrivateBase, "off": 0,
	"flat_scratch_lo": isa.FlatScratch, "flat_scratch_hi": isa.FlatScratchHi, "flat_scratch": isa.FlatScratch,
}

// floats are the inline constants that are floats. Their operands have the bits of 32-bit floats,
// for all widths.
var floats = map[string]float32{"0.5": 0.5, "-0.5": -0.5, "1.0": 1, "-1.0": -1, "2.0": 2, "-2.0": -2, "4.0": 4, "-4.0": -4,
	"0.15915494": 0.15915494, "0.15915494309189532": 0.15915494, "0.1592": 0.15915494}

// operand parses an operand.
func (r *reader) operand(word string, op isa.Op, slot isa.Slot) (isa.Operand, error) {
	if m := ranged.FindStringSubmatch(word); m != nil {
		number, _ := strconv.Atoi(m[2] + m[3])
		return map[string]func(int) isa.Operand{"s": isa.SGPR, "v": isa.VGPR, "a": isa.AGPR, "ttmp": isa.TTMP}[m[1]](number), nil
	}
	if o, ok := registers[word]; ok {
		return o, nil
	}
	if x, ok := floats[word]; ok {
		return isa.Float(x), nil
	}
	if number, err := strconv.ParseInt(word, 0, 64); err == nil && number >= -1<<31 && number < 1<<32 {
		if number >= -16 && number <= 64 {
			return isa.Constant(uint32(number)), nil
		}
		return isa.Literal(uint32(number)), nil
	}
	return 0, fmt.Errorf("the operand %q", word)
}

// immediate parses the immediate of SOPK and SOPP.
func (r *reader) immediate(i *isa.Instruction, text string, modifiers map[string]string) error {
	if text == "" {
		return fmt.Errorf("there is no number")
	}
	if number, err := strconv.ParseInt(text, 0, 32); err == nil {
		i.Immediate = int32(number)
		return nil
	}
	switch i.Op {
	case isa.SWaitcnt:
		w := isa.NoWait(r.family)
		for _, part := range strings.Fields(text) {
			name, count, _ := strings.Cut(strings.TrimSuffix(part, ")"), "(")
			n, err := strconv.Atoi(count)
			to := map[string]*uint8{"vmcnt": &w.VM, "expcnt": &w.Exp, "lgkmcnt": &w.LGKM}[name]
			if err != nil || to == nil {
				return fmt.Errorf("the wait %q", part)
			}
			*to = uint8(n)
		}
		i.Immediate = w.Encode(r.family)
		return nil
	case isa.SDelayAlu:
		return delay(i, text)
	case isa.SWaitcntDepctr:
		// fields that are not written have all bits set
		number := int32(0xFFFF)
		for _, part := range strings.Fields(text) {
			name, count, _ := strings.Cut(strings.TrimSuffix(part, ")"), "(")
			n, err := strconv.Atoi(count)
			at, ok := map[string][2]int{"depctr_sa_sdst": {0, 1}, "depctr_va_vcc": {1, 1}, "depctr_vm_vsrc": {2, 3}, "depctr_va_ssrc": {8, 1}, "depctr_va_sdst": {9, 3}, "depctr_va_vdst": {12, 4}}[name]
			if err != nil || !ok {
				return fmt.Errorf("the wait %q", part)
			}
			number = number&^((1<<at[1]-1)<<at[0]) | int32(n)<<at[0]
		}
		i.Immediate = number
		return nil
	case isa.SSendmsg:
		if text == "sendmsg(MSG_DEALLOC_VGPRS)" {
			i.Immediate = 3
			return nil
		}
	}
	return fmt.Errorf("the number %q", text)
}

// delay parses the text of s_delay_alu: two delays of 4 bits at bits 0 and 7, and between them the
// number of instructions that are skipped.
func delay(i *isa.Instruction, text string) error {
	for part := range strings.SplitSeq(text, "|") {
		name, value, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(part), ")"), "(")
		at := map[string]int{"instid0": 0, "instskip": 4, "instid1": 7}[name]
		n := -1
		for k, prefix := range []string{"NO_DEP", "VALU_DEP_", "TRANS32_DEP_", "FMA_ACCUM_CYCLE_", "SALU_CYCLE_"} {
			if number, ok := strings.CutPrefix(value, prefix); ok {
				count, _ := strconv.Atoi(number)
				n = []int{0, 0, 4, 7, 8}[k] + count
			}
		}
		for k, skip := range []string{"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"} {
			if name == "instskip" && value == skip {
				n = k
			}
		}
		if n < 0 {
			return fmt.Errorf("the delay %q", part)
		}
		i.Immediate |= int32(n) << at
	}
	return nil
}

// list parses a list of bits.
func list(text string, first isa.Modifiers, n int) (m isa.Modifiers) {
	for k, bit := range strings.Split(strings.Trim(text, "[]."), ",") {
		if bit == "1" && k < n {
			m |= first << k
		}
	}
	return m
}

var plain = map[string]isa.Modifiers{"sc0": isa.SC0, "sc1": isa.SC1, "nt": isa.NT, "glc": isa.GLC, "slc": isa.SLC, "dlc": isa.DLC, "clamp": isa.Clamp}

var parts = map[string]isa.Part{"BYTE_0": isa.Byte0, "BYTE_1": isa.Byte1, "BYTE_2": isa.Byte2, "BYTE_3": isa.Byte3, "WORD_0": isa.Word0, "WORD_1": isa.Word1, "DWORD": isa.DWord}

// modifiers parses the modifiers that follow the operands.
func (r *reader) modifiers(i *isa.Instruction, modifiers map[string]string, sources int) error {
	number := func(name string) int32 {
		n, _ := strconv.ParseInt(strings.TrimSuffix(modifiers[name], "."), 0, 32)
		delete(modifiers, name)
		return int32(n)
	}
	if i.Form == isa.SDWA {
		part := func(name string) isa.Part {
			text, ok := modifiers[name]
			delete(modifiers, name)
			if !ok {
				return isa.DWord
			}
			return parts[strings.TrimSuffix(text, ".")]
		}
		unused := map[string]isa.Unused{"": isa.Zeroed, "UNUSED_PAD.": isa.Zeroed, "UNUSED_SEXT.": isa.SignExtended, "UNUSED_PRESERVE.": isa.Preserved}[modifiers["dst_unused"]]
		delete(modifiers, "dst_unused")
		destination := part("dst_sel")
		if i.Op.Format(r.family) == isa.VOPC {
			destination = 0
		}
		i.Parts |= isa.PartsOf(destination, unused, part("src0_sel"), part("src1_sel"))
	}
	if modifiers["offset"] != "" {
		i.Immediate = number("offset")
	}
	i.Immediate |= number("offset0") | number("offset1")<<8
	for name, m := range plain {
		if modifiers[name] != "" {
			i.Modifiers |= m
			delete(modifiers, name)
		}
	}
	switch {
	case modifiers["mul"] == "2.":
		i.Modifiers |= isa.Twice
	case modifiers["mul"] == "4.":
		i.Modifiers |= isa.FourTimes
	case modifiers["div"] == "2.":
		i.Modifiers |= isa.HalfOf
	}
	delete(modifiers, "mul")
	delete(modifiers, "div")
	if text, ok := modifiers["op_sel"]; ok {
		i.Modifiers |= list(text, isa.High, sources)
		if bits := strings.Split(strings.Trim(text, "[]."), ","); len(bits) > sources && bits[sources] == "1" {
			i.Modifiers |= isa.HighResult
		}
		delete(modifiers, "op_sel")
	}
	if text, ok := modifiers["op_sel_hi"]; ok {
		i.Modifiers |= list(text, isa.Low, sources) ^ isa.Low*(1<<sources-1)
		delete(modifiers, "op_sel_hi")
	}
	for name, m := range map[string]isa.Modifiers{"neg_lo": isa.Neg, "neg_hi": isa.NegHigh} {
		if text, ok := modifiers[name]; ok {
			i.Modifiers |= list(text, m, sources)
			delete(modifiers, name)
		}
	}
	for name := range modifiers {
		return fmt.Errorf("the modifier %s", name)
	}
	return nil
}
