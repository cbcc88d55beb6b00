package isa_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/internal/testmode"
)

// This file compares the encoder with LLVM's assembler: every row with every kind of operand,
// modifier and immediate that it has, and some that it does not have.

// TestAssembler compares the bytes of instructions with those of LLVM's assembler. An instruction
// that one of the two refuses, the other has to refuse, too, with the exceptions of stricter.
func TestAssembler(t *testing.T) {
	needAssembler(t)
	for f := range isa.GFX1100 + 1 {
		t.Run(f.String(), func(t *testing.T) {
			s := samples{family: f, random: rand.New(rand.NewPCG(1, uint64(f)))}
			for o := range isa.Ops {
				if name := o.Name(f); name != "" && testmode.Shared(name, 2) {
					s.op(o)
				}
			}
			var text bytes.Buffer
			for n := range s.list {
				text.Write(append(isa.AppendText(nil, f, &s.list[n]), '\n'))
			}
			lines := strings.Split(text.String(), "\n")
			expected := assemble(t, f, text.Bytes(), len(s.list))
			encoded, refused, mismatches := 0, 0, 0
			strict := map[string]int{}
			for n := range s.list {
				code, err := isa.Append(nil, f, &s.list[n])
				size, sizeErr := isa.Size(f, &s.list[n])
				if size != len(code) || (err == nil) != (sizeErr == nil) {
					t.Fatalf("%s: the size is %d, of %d bytes", lines[n], size, len(code))
				}
				switch {
				case err == nil && bytes.Equal(code, expected[n].code) && expected[n].refused == "":
					encoded++
				case err == nil:
					if mismatches++; mismatches < 60 {
						t.Errorf("%s is %x, not %x: %s", lines[n], expected[n].code, code, expected[n].refused)
					}
				case expected[n].refused != "":
					refused++
				default:
					why := stricter(&s.list[n], err)
					if why == "" {
						if mismatches++; mismatches < 60 {
							t.Errorf("%s is %x, and refused: %v", lines[n], expected[n].code, err)
						}
					}
					strict[why]++
				}
			}
			t.Logf("%d instructions: %d equal, %d refused by both; refused here alone: %v; %d different", len(s.list), encoded, refused, strict, mismatches)
		})
	}
}

// needAssembler skips a test where LLVM's assembler is missing.
func needAssembler(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("llvm-mc-19"); err != nil {
		t.Skip("skipped: there is no llvm-mc-19 (Debian: llvm-19)")
	}
}

// stricter returns why the encoder may refuse an instruction that LLVM accepts, or "".
func stricter(i *isa.Instruction, err error) string {
	var e *isa.Error
	format := func(want isa.Format) bool { return i.Op.Format(e.Family) == want }
	switch errors.As(err, &e); {
	case e.Fault() == isa.Unfit && !e.About().IsRegister():
		// src_scc as a destination, EXEC as an address, floats for integers
		return "an operand without a use"
	case e.Fault() == isa.Overlaps:
		return "a partial overlap of at most four registers"
	case e.Fault() == isa.Modified && format(isa.VOP3P):
		return "the sign of a packed integer"
	case e.Fault() == isa.Modified && (i.Op == isa.VPermlane16B32 || i.Op == isa.VPermlanex16B32):
		return "inactive lanes of v_permlane16"
	case e.Fault() == isa.Modified && (i.Op == isa.VDivScaleF32 || i.Op == isa.VDivScaleF64):
		return "an absolute value that LLVM loses"
	case e.Fault() == isa.Modified && format(isa.MUBUF):
		return "a modifier that LLVM loses"
	case e.Fault() == isa.Modified && i.Op == isa.VLdexpF16:
		return "the sign of an exponent"
	case e.Fault() == isa.Modified && integral.MatchString(i.Op.String()):
		return "an integer that would be scaled as a float"
	case e.Fault() == isa.Modified && (i.Op == isa.VFmacF16 || i.Op == isa.VDot2accF32F16):
		return "parts of what is accumulated"
	case e.Fault() == isa.NoRoom && i.Form == isa.SDWA:
		return "a literal of 16 bits, as an inline constant of another width"
	}
	return ""
}

// integral matches conversions of floats to integers.
var integral = regexp.MustCompile(`^v_cvt_[iu][0-9]+_f|^v_cvt_(flr|rpi|floor|nearest)_|^v_frexp_exp_`)

// result is the result of LLVM for a line.
type result struct {
	code    []byte
	refused string
}

var (
	refusal  = regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error: (.*)$`)
	encoding = regexp.MustCompile(`(?m)^\t.*encoding: \[([^\]]*)\]$`)
)

// assemble assembles lines in one process.
func assemble(t *testing.T, f isa.Family, text []byte, count int) []result {
	t.Helper()
	c := exec.Command("llvm-mc-19", "-triple=amdgcn-amd-amdhsa", "-mcpu="+f.String(), "-show-encoding")
	var out, problems bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(text), &out, &problems
	_ = c.Run() // fails if a line is refused
	results := make([]result, count)
	for _, m := range refusal.FindAllStringSubmatch(problems.String(), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n > count {
			t.Fatalf("%s", m[0])
		}
		results[n-1].refused = m[2]
	}
	encodings := encoding.FindAllStringSubmatch(out.String(), -1)
	for n := range results {
		if results[n].refused != "" {
			continue
		}
		if len(encodings) == 0 {
			t.Fatalf("there are too few lines: %s", problems.String())
		}
		digits := strings.NewReplacer("0x", "", ",", "").Replace(encodings[0][1])
		code, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		results[n].code, encodings = code, encodings[1:]
	}
	if len(encodings) != 0 {
		t.Fatalf("%d lines too many", len(encodings))
	}
	return results
}

// samples generates instructions.
type samples struct {
	family isa.Family
	random *rand.Rand
	list   []isa.Instruction
}

// candidates returns operands for a slot: the first and the last of each kind, the limits of
// constants, and operands beyond them.
func (s *samples) candidates(slot isa.Slot) (list []isa.Operand) {
	words := slot.Words(s.family)
	last := func(count, align int) int { return (count - words) / align * align }
	if slot.Scalar() {
		align := min(words, 4)
		list = append(list, isa.SGPR(8), isa.SGPR(0), isa.SGPR(last(s.family.SGPRs(), align)), isa.SGPR(last(s.family.SGPRs(), align)+align), isa.TTMP(0))
		if align > 1 {
			list = append(list, isa.SGPR(9))
		}
		if words <= 2 {
			list = append(list, isa.VCC, isa.EXEC, isa.M0, isa.Null, isa.VCCHi, isa.EXECHi, isa.SharedBase, isa.PrivateLimit, isa.SCC)
		}
	}
	if slot.Vector() {
		list = append(list, isa.VGPR(12), isa.VGPR(0), isa.VGPR(last(isa.VGPRs, 1)), isa.VGPR(last(isa.VGPRs, 2)), isa.VGPR(7), isa.VGPR(127), isa.VGPR(128))
	}
	if slot.Accumulation() {
		list = append(list, isa.AGPR(3), isa.AGPR(255))
	}
	if slot.Inline() {
		list = append(list, isa.Constant(0), isa.Constant(1), isa.Constant(64), isa.Constant(1<<32-1), isa.Constant(1<<32-16))
		for _, x := range []float32{0.5, -0.5, 1, -1, 2, -2, 4, -4, 0.15915494} {
			list = append(list, isa.Float(x))
		}
	}
	if slot.Literal() || slot.Inline() {
		list = append(list, isa.Literal(0x12345678), isa.Literal(65), isa.Literal(1<<32-17), isa.Literal(0x3F800000), isa.Literal(0xFFFF), isa.Literal(0x3C00))
	}
	if slot.Optional() {
		list = append(list, 0)
	}
	return list
}

// plain returns an instruction whose operands are the first candidates.
func (s *samples) plain(o isa.Op) isa.Instruction {
	i := isa.Instruction{Op: o}
	scalars, vectors := 8, 12
	for n, slot := range o.Slots() {
		switch {
		case slot.Vector():
			i.Operands[n] = isa.VGPR(vectors)
			vectors += max(4, slot.Words(s.family))
		case slot.Scalar() && !slot.Optional():
			i.Operands[n] = isa.SGPR(scalars)
			scalars += 16
		case slot.Accumulation():
			i.Operands[n] = isa.AGPR(n)
		case slot.Literal():
			i.Operands[n] = isa.Literal(0x1234)
		}
	}
	if strings.HasPrefix(o.Name(s.family), "s_waitcnt_") && len(o.Slots()) > 0 {
		i.Operands[0] = isa.Null
	}
	return i
}

// op generates instructions with an opcode.
func (s *samples) op(o isa.Op) {
	i := s.plain(o)
	format := o.Format(s.family)
	forms := []isa.Form{isa.Shortest}
	if format >= isa.VOP1 && format <= isa.VOPC {
		forms = append(forms, isa.Long)
	}
	for _, form := range forms {
		i := i
		i.Form = form
		s.add(i)
		for n, slot := range o.Slots() {
			for _, x := range s.candidates(slot) {
				j := i
				j.Operands[n] = x
				s.add(j)
				// with masks in VCC, more operands fit the short form
				for k, other := range o.Slots() {
					if other.Mask() && k != n {
						j.Operands[k] = isa.VCC
					}
				}
				if j.Operands != i.Operands {
					s.add(j)
				}
			}
		}
		for range 12 {
			j := i
			for n, slot := range o.Slots() {
				if s.random.IntN(3) > 0 {
					list := s.candidates(slot)
					j.Operands[n] = list[s.random.IntN(len(list))]
				}
			}
			s.add(j)
		}
	}
	s.numbers(i)
	s.modifiers(i)
	if format >= isa.VOP1 && format <= isa.VOPC && s.family == isa.GFX942 {
		s.parts(i)
	}
}

func (s *samples) add(i isa.Instruction) { s.list = append(s.list, i) }

// numbers generates instructions with immediates and offsets: the limits, and values beyond them.
func (s *samples) numbers(i isa.Instruction) {
	var list []int32
	switch i.Op.Format(s.family) {
	case isa.SOPK, isa.SOPP:
		if !i.Op.Immediate() {
			return
		}
		list = []int32{1, 15, 255, 32767, 65535}
		for n := range int32(16) {
			list = append(list, 1<<n)
		}
	case isa.SMEM:
		if len(i.Op.Slots()) < 3 {
			return
		}
		list = []int32{1, 4, -4, 1<<20 - 1, -1 << 20, 1 << 20, -1<<20 - 1}
	case isa.DS:
		list = []int32{1, 255, 256, 65535, 65536, -1}
	case isa.Global, isa.Scratch:
		list = []int32{1, 4095, -1, -4096, 4096, -4097}
	}
	for _, n := range list {
		j := i
		j.Immediate = n
		s.add(j)
		for k, slot := range i.Op.Slots() {
			if slot.Optional() && slot.Scalar() {
				j.Operands[k] = isa.SGPR(6)
				s.add(j)
			}
		}
	}
}

// modifiers generates instructions with each modifier, and some together.
func (s *samples) modifiers(i isa.Instruction) {
	format := i.Op.Format(s.family)
	var single []isa.Modifiers
	switch format {
	case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3:
		for n := range 3 {
			single = append(single, isa.Neg<<n, isa.Abs<<n, isa.High<<n)
		}
		single = append(single, isa.Clamp, isa.Twice, isa.FourTimes, isa.HalfOf, isa.HighResult)
	case isa.VOP3P:
		for n := range 3 {
			single = append(single, isa.Neg<<n, isa.Abs<<n, isa.High<<n, isa.Low<<n, isa.NegHigh<<n)
		}
		single = append(single, isa.Clamp)
	case isa.Global, isa.Scratch, isa.SMEM, isa.MUBUF, isa.DS:
		single = append(single, isa.SC0, isa.SC1, isa.NT, isa.GLC, isa.SLC, isa.DLC)
	default:
		return
	}
	sources := 0
	for _, slot := range i.Op.Slots() {
		if !slot.Written() || sources > 0 {
			sources++
		}
	}
	if format == isa.VOP3P && sources < 2 {
		return // v_accvgpr_read and v_accvgpr_write
	}
	// modifiers of sources that the instruction does not have are not in the text
	single = slices.DeleteFunc(single, func(m isa.Modifiers) bool {
		for n := sources; n < 3; n++ {
			if m == isa.Neg<<n || m == isa.Abs<<n || m == isa.High<<n || m == isa.Low<<n || m == isa.NegHigh<<n {
				return true
			}
		}
		return false
	})
	with := func(m isa.Modifiers) {
		j := i
		j.Modifiers = m
		if format >= isa.VOP1 && format <= isa.VOPC && m != 0 {
			j.Form = isa.Long
		}
		s.add(j)
	}
	for _, m := range single {
		with(m)
	}
	if len(single) == 0 {
		return
	}
	for range 8 {
		var m isa.Modifiers
		for range 3 {
			m |= single[s.random.IntN(len(single))]
		}
		with(m)
	}
}

// parts generates instructions in the form SDWA.
func (s *samples) parts(i isa.Instruction) {
	if len(i.Op.Slots()) == 0 {
		return
	}
	i.Form = isa.SDWA
	for n, slot := range i.Op.Slots() {
		if slot.Mask() {
			i.Operands[n] = isa.VCC
		}
	}
	one, compares := i.Op.Format(s.family) == isa.VOP1, i.Op.Format(s.family) == isa.VOPC
	for n := range 24 {
		j := i
		destination, unused := isa.Part(n%7), isa.Unused(n%3)
		if compares {
			destination, unused = 0, 0
		}
		second := isa.Part(s.random.IntN(7))
		if one {
			second = isa.DWord
		}
		j.Parts = isa.PartsOf(destination, unused, isa.Part(s.random.IntN(7)), second)
		switch slots := i.Op.Slots(); n % 6 {
		case 1:
			j.Parts |= isa.Sext0
		case 2:
			j.Modifiers = isa.Neg | isa.Abs
		case 3:
			j.Modifiers = isa.Clamp
		case 4:
			if k := s.random.IntN(len(slots)); !slots[k].Mask() || slots[k].Written() {
				list := s.candidates(slots[k])
				j.Operands[k] = list[s.random.IntN(len(list))]
			}
		case 5:
			j.Modifiers = isa.Twice
		}
		s.add(j)
	}
}
