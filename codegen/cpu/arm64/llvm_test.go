package arm64_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file holds the encoder against LLVM's assembler and disassembler: every row with every kind
// of operand that it takes.

// needAssembler skips a test where LLVM's assembler is missing.
func needAssembler(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("llvm-mc-19"); err != nil {
		t.Skip("skipped: there is no llvm-mc-19 (Debian: llvm-19)")
	}
}

// TestAssembler: LLVM makes the same bytes of the text.
func TestAssembler(t *testing.T) {
	needAssembler(t)
	list := everything()
	var text bytes.Buffer
	codes := make([][]byte, len(list))
	for n := range list {
		line := arm64.AppendText(nil, &list[n])
		code, err := arm64.Append(nil, &list[n])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		text.Write(append(line, '\n'))
		codes[n] = code
	}
	lines := strings.Split(text.String(), "\n")
	mismatches := 0
	for n, r := range assemble(t, text.Bytes(), len(list)) {
		if r.refused != "" || !bytes.Equal(r.code, codes[n]) {
			if mismatches++; mismatches <= 60 {
				t.Errorf("%s is %x, not %x: %s", lines[n], r.code, codes[n], r.refused)
			}
		}
	}
	t.Logf("%d rows, %d instructions, %d different", len(arm64.Rows()), len(list), mismatches)
}

// result is what LLVM makes of a line.
type result struct {
	code    []byte
	refused string
}

var (
	refusal  = regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error: (.*)$`)
	encoding = regexp.MustCompile(`(?m)encoding: \[([^\]]*)\]$`)
)

// assemble has lines of assembly assembled in one process.
func assemble(t *testing.T, text []byte, count int) []result {
	t.Helper()
	c := exec.Command("llvm-mc-19", "-triple=aarch64", "-mattr=+lse", "-show-encoding")
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
		code, err := hex.DecodeString(strings.NewReplacer("0x", "", ",", "").Replace(encodings[0][1]))
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

// disassemble has LLVM read the code of instructions and returns their text, line by line.
func disassemble(t *testing.T, codes [][]byte, more ...string) (lines []string) {
	t.Helper()
	var text bytes.Buffer
	for _, code := range codes {
		for _, b := range code {
			fmt.Fprintf(&text, "0x%02x ", b)
		}
		text.WriteByte('\n')
	}
	c := exec.Command("llvm-mc-19", append([]string{"-triple=aarch64", "-mattr=+lse", "--disassemble"}, more...)...)
	c.Stdin = &text
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		line, _, _ = strings.Cut(line, "//")
		line = strings.Join(strings.Fields(line), " ")
		if line != "" && !strings.HasPrefix(line, ".") {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestDisassembler: LLVM's disassembler reads the text in the bytes, without aliases or with them.
func TestDisassembler(t *testing.T) {
	needAssembler(t)
	list := everything()
	codes := make([][]byte, len(list))
	for n := range list {
		codes[n], _ = arm64.Append(nil, &list[n])
	}
	lines, aliases := disassemble(t, codes, "-M", "no-aliases"), disassemble(t, codes)
	if len(lines) != len(list) || len(aliases) != len(list) {
		t.Fatalf("%d and %d instructions are read of %d", len(lines), len(aliases), len(list))
	}
	mismatches, others := 0, 0
	for n := range list {
		got := string(arm64.AppendText(nil, &list[n]))
		switch {
		case got == lines[n]:
		case got == aliases[n]: // LLVM writes a shift by 0 of an index, but for aliases
		case alias(&list[n], got, lines[n]):
			others++
		default:
			if mismatches++; mismatches <= 60 {
				t.Errorf("%s is read as %s", got, lines[n])
			}
		}
	}
	t.Logf("%d instructions, %d different, %d under another name", len(list), mismatches, others)
}

// number matches an instruction of one register, and a number.
var number = regexp.MustCompile(`^[a-z]+ [a-z0-9]+, #(-?[0-9]+)$`)

// alias reports whether LLVM has another name for an instruction, which it prints even without
// aliases. Of instructions that move a number, mov and the number matches one with a register and a
// number.
func alias(i *arm64.Instruction, got, line string) bool {
	moved := func(n int64) bool {
		m := number.FindStringSubmatch(line)
		if m == nil || !strings.HasPrefix(line, "mov ") {
			return false
		}
		x, err := strconv.ParseInt(m[1], 10, 64)
		if i.Shape == arm64.Narrow {
			x, n = int64(uint32(x)), int64(uint32(n))
		}
		return err == nil && x == n
	}
	switch i.Op {
	case arm64.MovZ:
		return moved(i.Immediate << i.Amount)
	case arm64.MovN:
		return moved(^(i.Immediate << i.Amount))
	case arm64.Orr:
		return i.Operands[1] == arm64.Zero && moved(i.Immediate)
	case arm64.Lsl:
		return i.Immediate == 0 && strings.Replace(got, "lsl", "lsr", 1) == line
	case arm64.Tbz, arm64.Tbnz:
		return i.Amount < 32 && strings.Replace(got, " x", " w", 1) == line
	}
	return false
}
