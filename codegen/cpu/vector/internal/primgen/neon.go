package primgen

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file writes the primitives in Go's assembly, for arm64: a loop over two vectors at a time.
// Go's assembler does not know most instructions of NEON, so that package arm64 encodes those of a
// loop, and they stand there as words beside their text.
//
// A vector has four words, or two longs if an operand or the result of the primitive is a long.
// Words among them are made as wide when they are loaded, by their sign if they have one and to
// doubles if they are floats, and a result of words is made narrow when it is stored. The second
// vector has the registers of the first one from 16 on.

// neonConstants are what stands under these names in the table: the same number in all elements, of
// 32 or 64 bits.
var neonConstants = map[string][2]uint64{
	"nan":      {0x7FC00000, 0x7FF8000000000000},
	"sign":     {1 << 31, 1 << 63},
	"one":      {0x3F800000, 0x3FF0000000000000},
	"double":   {0, 0x3FF0000000000000}, // a double among words
	"last":     {31, 63},
	"halfsign": {1 << 15, 0},
	// of floats, what an integer with a sign can hold, and one without
	"highest":         {0x4EFFFFFF, 0},
	"highestunsigned": {0x4F7FFFFF, 0},
}

const (
	secondVector  = 16 // what is added to registers for it
	uniformVector = 24 // the register of the first operand if it is uniform; those of others follow
	lastVector    = 31 // constants have registers from there down

	// General registers: of the count of lanes, of the result, of the first operand, and of
	// constants.
	countRegister, resultRegister, operandRegister, constantRegister = 0, 1, 2, 9
)

// constantName matches a constant in the text of the table.
var constantName = regexp.MustCompile(`\b[a-z]+(\.(?:16b|4s|2d))`)

// neonWriter writes the assembly of one form.
type neonWriter struct {
	out  *strings.Builder
	wide bool // vectors have longs
	err  error
}

// shape is that of vectors.
func (w *neonWriter) shape() string {
	if w.wide {
		return "2d"
	}
	return "4s"
}

// generateNEON returns the assembly.
func generateNEON() ([]byte, error) {
	var out strings.Builder
	out.WriteString(notice + "#include \"textflag.h\"\n")
	for _, p := range all() {
		if p.neon == "" {
			continue
		}
		for _, f := range forms[len(p.in)] {
			if err := p.assembleNEON(&out, f); err != nil {
				return nil, fmt.Errorf("%s: %w", p.name(f), err)
			}
		}
	}
	return []byte(out.String()), nil
}

// instruction writes one of Go's assembly.
func (w *neonWriter) instruction(format string, arguments ...any) {
	fmt.Fprintf(w.out, "\t"+format+"\n", arguments...)
}

// word writes one that package arm64 encodes.
func (w *neonWriter) word(i arm64.Instruction) {
	code, err := arm64.Encode(&i)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.instruction("WORD $%#08x // %s", code, arm64.AppendText(nil, &i))
}

// text writes one of which there is the text.
func (w *neonWriter) text(format string, arguments ...any) {
	i, err := arm64.Parse(fmt.Sprintf(format, arguments...))
	if err != nil && w.err == nil {
		w.err = err
	}
	w.word(i)
}

// assembleNEON writes one form.
func (p *primitive) assembleNEON(out *strings.Builder, f form) error {
	w := neonWriter{out: out, wide: wide(p.out) || isWide(p.in, 0) || isWide(p.in, 1) || isWide(p.in, 2)}
	fmt.Fprintf(out, "\n// func %sVector(n int, d, a, b, c unsafe.Pointer)\nTEXT ·%sVector(SB), NOSPLIT, $0-40\n", p.name(f), p.name(f))
	w.instruction("MOVD n+0(FP), R%d", countRegister)
	w.instruction("MOVD d+8(FP), R%d", resultRegister)
	code := w.body(p)
	var uniform, copied [len(operandNames)]bool
	for n, t := range p.in {
		w.instruction("MOVD %s+%d(FP), R%d", pointerNames[n], 16+8*n, operandRegister+n)
		if !f.isUniform(n) {
			continue
		}
		uniform[n], copied[n] = true, writes(code, n)
		shape := w.shape()
		if w.wide && !wide(t) {
			shape = "2s"
		}
		if w.text("ld1r { v%d.%s }, [x%d]", uniformVector+n, shape, operandRegister+n); shape == "2s" {
			w.text(widening[t], uniformVector+n, uniformVector+n)
		}
	}
	lanes := 8
	if w.wide {
		lanes = 4
	}
	w.instruction("ADD $7, R%d", countRegister)
	w.instruction("AND $~7, R%d", countRegister)
	out.WriteString("\nloop:\n")
	for n, t := range p.in {
		if !uniform[n] {
			w.load(n, t)
		}
	}
	for n := range p.in {
		if !copied[n] {
			continue
		}
		for second := range 2 {
			w.text("orr v%d.16b, v%d.16b, v%d.16b", n+second*secondVector, uniformVector+n, uniformVector+n)
		}
		uniform[n] = false
	}
	for _, i := range code {
		for second := range 2 {
			w.word(renamed(i, second*secondVector, &uniform))
		}
	}
	w.store(p.out)
	w.instruction("SUBS $%d, R%d", lanes, countRegister)
	w.instruction("BGT loop")
	w.instruction("RET")
	return w.err
}

// body returns the instructions of the table, and writes those that make the constants.
func (w *neonWriter) body(p *primitive) (code []arm64.Instruction) {
	text := strings.ReplaceAll(p.neon, ".T", "."+w.shape())
	var names []string // by registers, from the last one down
	text = constantName.ReplaceAllStringFunc(text, func(found string) string {
		name, shape, _ := strings.Cut(found, ".")
		for n, known := range names {
			if known == name {
				return fmt.Sprintf("v%d.%s", lastVector-n, shape)
			}
		}
		names = append(names, name)
		return fmt.Sprintf("v%d.%s", lastVector-len(names)+1, shape)
	})
	for n, name := range names {
		c := neonConstants[name]
		if c[1] == 0 && (w.wide || c[0] == 0) && w.err == nil {
			w.err = fmt.Errorf("there is no constant %s of this width", name)
		}
		if w.wide || c[0] == 0 {
			w.instruction("MOVD $%#x, R%d", c[1], constantRegister)
			w.text("dup v%d.2d, x%d", lastVector-n, constantRegister)
		} else {
			w.instruction("MOVD $%#x, R%d", c[0], constantRegister)
			w.text("dup v%d.4s, w%d", lastVector-n, constantRegister)
		}
	}
	for line := range strings.SplitSeq(text, ";") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		i, err := arm64.Parse(line)
		if err != nil && w.err == nil {
			w.err = err
		}
		code = append(code, i)
	}
	return code
}

// widening makes longs of the words of a type, and narrowing words of longs.
var (
	widening  = map[string]string{"int32": "sshll v%d.2d, v%d.2s, #0", "uint32": "ushll v%d.2d, v%d.2s, #0", "float32": "fcvtl v%d.2d, v%d.2s"}
	narrowing = map[string]string{"int32": "xtn v%d.2s, v%d.2d", "uint32": "xtn v%d.2s, v%d.2d", "float32": "fcvtn v%d.2s, v%d.2d"}
)

// load loads two vectors of an operand.
func (w *neonWriter) load(n int, t string) {
	if !w.wide || wide(t) {
		w.text("ldp q%d, q%d, [x%d], #32", n, n+secondVector, operandRegister+n)
		return
	}
	w.text("ldp d%d, d%d, [x%d], #16", n, n+secondVector, operandRegister+n)
	w.text(widening[t], n, n)
	w.text(widening[t], n+secondVector, n+secondVector)
}

// store stores two vectors of the result.
func (w *neonWriter) store(t string) {
	if !w.wide || wide(t) {
		w.text("stp q0, q%d, [x%d], #32", secondVector, resultRegister)
		return
	}
	w.text(narrowing[t], 0, 0)
	w.text(narrowing[t], secondVector, secondVector)
	w.text("stp d0, d%d, [x%d], #16", secondVector, resultRegister)
}

// writes reports whether code changes a vector.
func writes(code []arm64.Instruction, vector int) bool {
	for n := range code {
		for k, o := range code[n].Operands {
			if o == arm64.Vector(vector) && code[n].Op.Access(k)&arm64.Written != 0 {
				return true
			}
		}
	}
	return false
}

// renamed returns an instruction with other registers: those of one of the two vectors, and those
// of uniform operands that are not copied.
func renamed(i arm64.Instruction, by int, uniform *[len(operandNames)]bool) arm64.Instruction {
	for n, o := range i.Operands {
		switch {
		case o.Kind() != arm64.KindVector || o.Number() >= secondVector:
		case o.Number() < len(uniform) && uniform[o.Number()]:
			i.Operands[n] = arm64.Vector(uniformVector + o.Number())
		default:
			i.Operands[n] = arm64.Vector(o.Number() + by)
		}
	}
	return i
}
