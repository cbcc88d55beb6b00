package amd64_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// disassemble has LLVM read codes and returns the text of their instructions, all after one
// another.
func disassemble(t *testing.T, codes [][]byte) (lines []string) {
	t.Helper()
	var text bytes.Buffer
	for _, code := range codes {
		for _, b := range code {
			fmt.Fprintf(&text, "0x%02x ", b)
		}
		text.WriteByte('\n')
	}
	c := exec.Command("llvm-mc-19", "-triple=x86_64", "--disassemble", "-output-asm-variant=1", "-mcpu=x86-64-v4")
	c.Stdin = &text
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.Join(strings.Fields(line), " ")
		switch {
		case line == "" || strings.HasPrefix(line, "."):
		// LLVM takes the prefix for an instruction
		case len(lines) > 0 && lines[len(lines)-1] == "lock":
			lines[len(lines)-1] += " " + line
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

// TestDisassembler: LLVM's disassembler reads the text in the bytes.
func TestDisassembler(t *testing.T) {
	needAssembler(t)
	list := everything()
	codes := make([][]byte, len(list))
	for n := range list {
		codes[n], _ = amd64.Append(nil, &list[n])
	}
	lines := disassemble(t, codes)
	if len(lines) != len(list) {
		t.Fatalf("%d instructions are read of %d", len(lines), len(list))
	}
	mismatches := 0
	for n := range list {
		if got := string(amd64.AppendText(nil, &list[n])); !sameText(&list[n], got, lines[n]) {
			if mismatches++; mismatches < 60 {
				t.Errorf("%s is read as %s", got, lines[n])
			}
		}
	}
	t.Logf("%d instructions, %d different", len(list), mismatches)
}

// sameText reports whether two texts are the same but for what the bytes do not tell. That is the
// sign of a number, a shift by 1, and the order of two operands that may be exchanged.
func sameText(i *amd64.Instruction, a, b string) bool {
	if strings.HasSuffix(a, ", 1") {
		a = strings.TrimSuffix(a, ", 1")
		b = strings.TrimSuffix(b, ", 1")
	}
	if amd64.Commutes(i.Op) && a != b {
		j := *i
		j.Operands[1], j.Operands[2] = j.Operands[2], j.Operands[1]
		a = string(amd64.AppendText(nil, &j))
	}
	if a == b {
		return true
	}
	k := strings.LastIndexByte(a, ' ')
	if k < 0 || k >= len(b) || a[:k] != b[:k] {
		return false
	}
	x, err1 := strconv.ParseInt(a[k+1:], 10, 64)
	y, err2 := strconv.ParseInt(b[k+1:], 10, 64)
	bits := 32
	switch {
	case i.Op == amd64.Mov16:
		bits = 16
	case x >= -128 && y < 256:
		bits = 8
	}
	return err1 == nil && err2 == nil && uint64(x)<<(64-bits) == uint64(y)<<(64-bits)
}
