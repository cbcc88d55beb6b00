package amd64_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
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

// everything returns the samples of all rows. Two rows, one with VEX and one without, have all
// addresses there are.
func everything() []amd64.Instruction {
	s := samples{random: rand.New(rand.NewPCG(1, 2)), vectors: 32}
	rows := amd64.Rows()
	for n := range rows {
		r := &rows[n]
		s.row(r, r.Name == "lea" || r.Name == "vaddps" || r.Name == "vpgatherdd")
	}
	return s.list
}

// exchanged are sums and products of floats whose operands LLVM exchanges for a shorter encoding,
// though of two NaNs the first is the result.
var exchanged = regexp.MustCompile(`^(vadd|vmul)p[sd] |^vcmp[a-z_]*p[sd] `)

// TestAssembler: LLVM makes the same bytes of the text.
func TestAssembler(t *testing.T) {
	needAssembler(t)
	list := everything()
	var text bytes.Buffer
	codes := make([][]byte, len(list))
	for n := range list {
		code, err := amd64.Append(nil, &list[n])
		line := amd64.AppendText(nil, &list[n])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if size, err := amd64.Size(&list[n]); size != len(code) || err != nil {
			t.Fatalf("%s: the size is %d, of %d bytes: %v", line, size, len(code), err)
		}
		if amd64.Long(code) && exchanged.Match(line) {
			text.WriteString("{vex3} ")
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
	t.Logf("%d rows, %d instructions, %d different", len(amd64.Rows()), len(list), mismatches)
}

// result is what LLVM makes of a line.
type result struct {
	code    []byte
	refused string
}

var (
	refusal  = regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error: (.*)$`)
	encoding = regexp.MustCompile(`(?m)^\t.*encoding: \[([^\]]*)\]$`)
)

// assemble has lines of assembly assembled in one process.
func assemble(t *testing.T, text []byte, count int) []result {
	t.Helper()
	c := exec.Command("llvm-mc-19", "-triple=x86_64", "-x86-asm-syntax=intel", "-mcpu=x86-64-v4", "-show-encoding")
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
