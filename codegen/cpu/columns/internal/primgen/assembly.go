package primgen

import (
	"fmt"
	"go/format"
	"strings"
)

// This file writes the primitives in Go's assembly, for processors with AVX2 and FMA: a loop over eight words at a time. Columns
// have room for whole vectors, so that there is no rest.

// vectorConstants are registers that hold the same word in all elements, by the names that the table has for them.
var vectorConstants = [...]struct {
	name, register string
	bits           uint32
}{
	{"nan", "Y15", 0x7FC00000},
	{"ones", "Y14", 0xFFFFFFFF},
	{"thirtyone", "Y13", 31},
	{"sign", "Y12", 1 << 31},
	{"highest", "Y11", 0x4EFFFFFF},
}

// operandRegisters are the pointers to the operands.
var operandRegisters = [...]string{"SI", "DX", "BX"}

// GenerateAssembly returns the assembly.
func GenerateAssembly() ([]byte, error) {
	var out strings.Builder
	out.WriteString(notice + "#include \"textflag.h\"\n\n")
	for _, c := range vectorConstants {
		fmt.Fprintf(&out, "DATA %s<>+0(SB)/4, $%#x\nGLOBL %s<>(SB), RODATA|NOPTR, $4\n", c.name, c.bits, c.name)
	}
	for _, p := range all() {
		if p.vector == "" {
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
	vector := p.vector
	for _, c := range vectorConstants {
		if strings.Contains(vector, c.name) {
			fmt.Fprintf(out, "\tVPBROADCASTD %s<>(SB), %s\n", c.name, c.register)
			vector = strings.ReplaceAll(vector, c.name, c.register)
		}
	}
	var loads strings.Builder
	for n := range p.in {
		fmt.Fprintf(out, "\tMOVQ %s+%d(FP), %s\n", pointerNames[n], 16+8*n, operandRegisters[n])
		if operandNames[n] == f.uniform {
			fmt.Fprintf(out, "\tVPBROADCASTD (%s), Y10\n", operandRegisters[n])
			fmt.Fprintf(&loads, "\tVMOVDQA Y10, Y%d\n", n)
		} else {
			fmt.Fprintf(&loads, "\tVMOVDQU (%s)(AX*1), Y%d\n", operandRegisters[n], n)
		}
	}
	out.WriteString("\tADDQ $7, CX\n\tANDQ $-8, CX\n\tSHLQ $2, CX\n\tXORQ AX, AX\n\nloop:\n" + loads.String())
	for line := range strings.SplitSeq(vector, "; ") {
		out.WriteString("\t" + line + "\n")
	}
	out.WriteString("\tVMOVDQU Y0, (DI)(AX*1)\n\tADDQ $32, AX\n\tCMPQ AX, CX\n\tJLT loop\n\tVZEROUPPER\n\tRET\n")
}

// GenerateVector returns the Go source that declares what is assembly, and the table of it.
func GenerateVector() ([]byte, error) {
	var declarations, table strings.Builder
	number := 0
	for _, p := range all() {
		for _, f := range forms[len(p.in)] {
			if p.vector != "" {
				fmt.Fprintf(&declarations, "//go:noescape\nfunc %sVector(n int, d, a, b, c unsafe.Pointer)\n\n", p.name(f))
				fmt.Fprintf(&table, "%d: %sVector,\n", number, p.name(f))
			}
			number++
		}
	}
	return format.Source([]byte(notice + "//go:build amd64\n\npackage columns\n\nimport \"unsafe\"\n\n" +
		"// assembled are the primitives in assembly by their numbers.\nvar assembled = [len(portable)]primitive{\n" + table.String() + "}\n\n" + declarations.String()))
}
