package arm64_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file holds functions with labels against those that LLVM's assembler makes of their text,
// and branches that do not reach against what the manual says of their words.

// function draws one: instructions of all kinds, and branches between them.
func function(random *rand.Rand, list []arm64.Instruction, length int) (code []arm64.Instruction) {
	labels := 1 + length/8
	at := make([]int, labels) // where each label goes
	for n := range at {
		at[n] = random.IntN(length + 1)
	}
	for n := range length + 1 {
		for label, mark := range at {
			if mark == n {
				code = append(code, arm64.Of(arm64.Mark, arm64.Wide, arm64.Label(label)))
			}
		}
		target := arm64.Label(random.IntN(labels))
		register := arm64.General(random.IntN(31))
		shape := arm64.Shape(random.IntN(2))
		i := list[random.IntN(len(list))]
		switch random.IntN(8) {
		case 0:
			i = arm64.Of(arm64.Bcc, arm64.Wide, target)
			i.Condition = arm64.Condition(random.IntN(15))
		case 1:
			i = arm64.Of([]arm64.Op{arm64.B, arm64.Bl}[random.IntN(2)], arm64.Wide, target)
		case 2:
			i = arm64.Of([]arm64.Op{arm64.Cbz, arm64.Cbnz}[random.IntN(2)], shape, register, target)
		case 3:
			i = arm64.Of([]arm64.Op{arm64.Tbz, arm64.Tbnz}[random.IntN(2)], arm64.Narrow, register, arm64.Imm, target)
			i.Amount = uint8(random.IntN(32))
		case 4:
			i = arm64.Of(arm64.Adr, arm64.Wide, register, target)
		}
		code = append(code, i)
	}
	return code
}

// TestFunctions: of functions with labels LLVM makes the same bytes.
func TestFunctions(t *testing.T) {
	needAssembler(t)
	list := everything()
	random := rand.New(rand.NewPCG(3, 4))
	var a arm64.Assembler
	size := 0
	for round := range 12 {
		code := function(random, list, 10+round*100)
		got, err := a.Assemble([]byte("before"), code)
		if err != nil || string(got[:6]) != "before" {
			t.Fatal(err)
		}
		var text []byte
		for n := range code {
			text = append(arm64.AppendText(text, &code[n]), '\n')
		}
		want := section(t, text)
		if got = got[6:]; len(got) != len(want) || a.Offset(len(code)) != len(want) {
			t.Fatalf("a function has %d bytes, not %d", len(got), len(want))
		}
		for n := range code {
			if from, to := a.Offset(n), a.Offset(n+1); !bytes.Equal(got[from:to], want[from:to]) {
				t.Errorf("%s at %d is %x, not %x", arm64.AppendText(nil, &code[n]), from, want[from:to], got[from:to])
			}
		}
		size += len(want)
	}
	t.Logf("12 functions, %d bytes", size)
}

// section has LLVM assemble a text and returns the bytes of its code.
func section(t *testing.T, text []byte) []byte {
	t.Helper()
	folder := t.TempDir()
	object, flat := filepath.Join(folder, "a.o"), filepath.Join(folder, "a.bin")
	c := exec.Command("llvm-mc-19", "-triple=aarch64", "-mattr=+lse", "-filetype=obj", "-o", object)
	c.Stdin = bytes.NewReader(text)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("llvm-objcopy-19", "-O", "binary", "--only-section=.text", object, flat).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	code, err := os.ReadFile(flat)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestFar: a conditional branch whose label is out of reach, after it or in front of it, becomes
// the opposite one over a branch. One instruction nearer it does not. Words are those of the manual
// (DDI 0487, C6.2: b, b.cond, cbz, tbz).
func TestFar(t *testing.T) {
	const nop, branch = 0xD503201F, 5 << 26
	w3 := arm64.General(3)
	conditional := func(c arm64.Condition) arm64.Instruction {
		i := arm64.Of(arm64.Bcc, arm64.Wide, arm64.Label(0))
		i.Condition = c
		return i
	}
	bit := arm64.Of(arm64.Tbz, arm64.Narrow, w3, arm64.Imm, arm64.Label(0))
	bit.Amount = 5
	for _, c := range []struct {
		i arm64.Instruction
		// words without a distance: of itself, and of the opposite one over one word
		near, far uint32
		width, at int // of the distance
	}{
		{conditional(arm64.Equal), 0x54000000, 0x54000041, 19, 5},
		{conditional(arm64.Always), 0x5400000E, nop, 19, 5},
		{arm64.Of(arm64.Cbz, arm64.Wide, w3, arm64.Label(0)), 0xB4000003, 0xB5000043, 19, 5},
		{arm64.Of(arm64.Cbnz, arm64.Narrow, w3, arm64.Label(0)), 0x35000003, 0x34000043, 19, 5},
		{bit, 0x36280003, 0x37280043, 14, 5},
	} {
		reach := 1 << (c.width - 1) // words, backwards; forwards it is one less
		mark, filler := arm64.Of(arm64.Mark, arm64.Wide, arm64.Label(0)), make([]arm64.Instruction, reach)
		for n := range filler {
			filler[n] = arm64.Of(arm64.Nop, arm64.Wide)
		}
		check := func(what string, list []arm64.Instruction, at int, want ...uint32) {
			t.Helper()
			var a arm64.Assembler
			code, err := a.Assemble(nil, list)
			if err != nil {
				t.Fatal(err)
			}
			for n, w := range want {
				if got := binary.LittleEndian.Uint32(code[4*(at+n):]); got != w {
					t.Errorf("%s, %s: word %d is %08x, expected %08x", arm64.AppendText(nil, &c.i), what, n, got, w)
				}
			}
			if words := at + len(want); len(code) < 4*words || len(code) > 4*words && binary.LittleEndian.Uint32(code[4*words:]) != nop {
				t.Errorf("%s, %s: there are more words", arm64.AppendText(nil, &c.i), what)
			}
		}
		mask := uint32(1)<<c.width - 1
		check("backwards, near", append(append([]arm64.Instruction{mark}, filler...), c.i), reach, c.near|uint32(-reach)&mask<<c.at)
		check("backwards, far", append(append([]arm64.Instruction{mark, filler[0]}, filler...), c.i), reach+1, c.far, branch|uint32(-reach-2)&(1<<26-1))
		check("forwards, near", append(append([]arm64.Instruction{c.i}, filler[2:]...), mark), 0, c.near|uint32(reach-1)<<c.at)
		check("forwards, far", append(append([]arm64.Instruction{c.i}, filler[1:]...), mark), 0, c.far, branch|uint32(reach))
	}
}

// TestFunctionErrors: what cannot be assembled is refused with one sentence, and nothing is
// written.
func TestFunctionErrors(t *testing.T) {
	mark := func(n int) arm64.Instruction { return arm64.Of(arm64.Mark, arm64.Wide, arm64.Label(n)) }
	jump := arm64.Of(arm64.B, arm64.Wide, arm64.Label(3))
	for _, c := range []struct {
		list []arm64.Instruction
		want string
	}{
		{[]arm64.Instruction{mark(1), jump}, "instruction 1: label 3 is not marked"},
		{[]arm64.Instruction{mark(1), mark(3), mark(1), jump}, "instruction 2: label 1 is marked twice"},
		{[]arm64.Instruction{mark(arm64.LastLabel + 1)}, "instruction 0: the number of a label may be 1048575 at most"},
		{[]arm64.Instruction{arm64.Of(arm64.Mark, arm64.Wide)}, "instruction 0: the operand of a mark must be a label"},
		{[]arm64.Instruction{arm64.Of(arm64.Nop, arm64.Wide), arm64.Of(arm64.Adc, arm64.Wide)}, "instruction 1: adc: operand 0 is missing"},
		{[]arm64.Instruction{mark(3), arm64.Of(arm64.Br, arm64.Wide, arm64.Label(3))}, "instruction 1: br #0: operand 0 may not be of its kind here"},
	} {
		var a arm64.Assembler
		code, err := a.Assemble([]byte{1}, c.list)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(code) != 1 {
			t.Errorf("the error is %v, expected %q", err, c.want)
		}
	}
	if _, err := arm64.Append(nil, &jump); err == nil || !strings.Contains(err.Error(), "only an Assembler knows where a label is") {
		t.Errorf("a label alone: %v", err)
	}
}
