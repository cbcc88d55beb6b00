package primgen

import (
	"fmt"
	"go/format"
	"regexp"
	"strings"
)

// This file writes the primitives in Go's assembly, for processors with AVX2 and FMA: a loop over
// eight words at a time, twice. Columns have room for whole vectors.

// vectorConstants are registers that hold the same word in all elements, by the names that the
// table has for them.
var vectorConstants = [...]struct {
	name, register string
	bits           uint32
}{
	{"nan", "Y15", 0x7FC00000},
	{"ones", "Y14", 0xFFFFFFFF},
	{"thirtyone", "Y13", 31},
	{"sign", "Y12", 1 << 31},
	{"highest", "Y11", 0x4EFFFFFF},
	{"wholes", "Y11", 0x4B800000}, // floats from there on are integers
	{"unsignedhighest", "Y11", 0x4F7FFFFF},
	{"halfway", "Y8", 0x4F000000},
	{"upperhalf", "Y8", 0x47800000},
}

// operandRegisters are the pointers to the operands, and uniformRegisters what uniform ones are in.
var (
	operandRegisters = [...]string{"SI", "DX", "BX"}
	uniformRegisters = [...]string{"Y10", "Y10", "Y9"}
)

// generateAVX2 returns the assembly.
func generateAVX2() ([]byte, error) {
	var out strings.Builder
	out.WriteString(notice + "#include \"textflag.h\"\n\n")
	for _, c := range vectorConstants {
		fmt.Fprintf(&out, "DATA %s<>+0(SB)/4, $%#x\nGLOBL %s<>(SB), RODATA|NOPTR, $4\n", c.name, c.bits, c.name)
	}
	for _, p := range all() {
		if p.avx2 == "" {
			continue
		}
		for _, f := range forms[len(p.in)] {
			p.assemble(&out, f)
		}
	}
	return []byte(out.String()), nil
}

// assemble writes one form.
func (p *primitive) assemble(out *strings.Builder, f form) {
	fmt.Fprintf(out, "\n// func %sVector(n int, d, a, b, c unsafe.Pointer)\nTEXT ·%sVector(SB), NOSPLIT, $0-40\n", p.name(f), p.name(f))
	out.WriteString("\tMOVQ n+0(FP), CX\n\tMOVQ d+8(FP), DI\n")
	vector := p.avx2
	for _, c := range vectorConstants {
		if name := regexp.MustCompile(`\b` + c.name + `\b`); name.MatchString(vector) {
			fmt.Fprintf(out, "\tVPBROADCASTD %s<>(SB), %s\n", c.name, c.register)
			vector = name.ReplaceAllString(vector, c.register)
		}
	}
	operands := [...]string{"OFFSET(SI)(AX*1)", "OFFSET(DX)(AX*1)", "OFFSET(BX)(AX*1)"}
	for n := range p.in {
		fmt.Fprintf(out, "\tMOVQ %s+%d(FP), %s\n", pointerNames[n], 16+8*n, operandRegisters[n])
		if f.isUniform(n) {
			fmt.Fprintf(out, "\tVPBROADCASTD (%s), %s\n", operandRegisters[n], uniformRegisters[n])
			operands[n] = uniformRegisters[n]
		}
	}
	var body strings.Builder
	for n := range p.in {
		register := fmt.Sprintf("Y%d", n)
		used := regexp.MustCompile(`\b` + register + `\b`)
		if first := regexp.MustCompile(`V\w+ (\$\d+, )?` + register + `\b`); n > 0 && len(used.FindAllString(vector, -1)) == 1 && first.MatchString(vector) {
			// as the one operand that may be memory
			vector = used.ReplaceAllString(vector, operands[n])
			continue
		}
		fmt.Fprintf(&body, "\tVMOVDQU %s, %s\n", operands[n], register)
	}
	for line := range strings.SplitSeq(vector, "; ") {
		body.WriteString("\t" + line + "\n")
	}
	body.WriteString("\tVMOVDQU Y0, OFFSET(DI)(AX*1)\n")
	copied := func(offset, label string) string {
		return strings.NewReplacer("OFFSET", offset, "SHORT", label).Replace(body.String())
	}
	// Two vectors at a time, the first two from the beginning, and the last one alone if their
	// number is odd.
	out.WriteString("\tADDQ $7, CX\n\tANDQ $-8, CX\n\tSHLQ $2, CX\n\tXORQ AX, AX\n\tSUBQ $32, CX\n\tJEQ rest\n\nloop:\n" + copied("", "first") + copied("32", "second") +
		"\tADDQ $64, AX\n\tCMPQ AX, CX\n\tJLT loop\n\tJGT done\n\nrest:\n" + copied("", "last") + "\ndone:\n\tVZEROUPPER\n\tRET\n")
}

// inAssembly returns the Go source that declares what is assembly on one processor, and the table
// of it.
func inAssembly(processor string, is func(*primitive) bool) ([]byte, error) {
	var declarations, table strings.Builder
	number := 0
	for _, p := range all() {
		for _, f := range forms[len(p.in)] {
			if is(&p) {
				fmt.Fprintf(&declarations, "//go:noescape\nfunc %sVector(n int, d, a, b, c unsafe.Pointer)\n\n", p.name(f))
				fmt.Fprintf(&table, "%d: %sVector,\n", number, p.name(f))
			}
			number++
		}
	}
	return format.Source([]byte(notice + "//go:build " + processor + "\n\npackage columns\n\nimport \"unsafe\"\n\n" +
		"// assembled are the primitives in assembly by their numbers.\nvar assembled = [len(portable)]primitive{\n" + table.String() + "}\n\n" + declarations.String()))
}
