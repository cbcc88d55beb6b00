package amd64_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file holds functions with labels, alignments and constants against those that LLVM's
// assembler makes of their text.

// program draws a function: instructions of all kinds, jumps between them, addresses of constants
// and labels.
func program(random *rand.Rand, list []amd64.Instruction, length int, aligned bool) (code []amd64.Instruction, pool *amd64.Pool, constants [][]byte) {
	pool = new(amd64.Pool)
	labels := 1 + length/8
	at := make([]int, labels) // where each label goes
	for n := range at {
		at[n] = random.IntN(length)
	}
	known := map[amd64.Operand]bool{}
	add := func(o amd64.Operand, b []byte) amd64.Operand {
		if !known[o] {
			known[o] = true
			constants = append(constants, b)
		}
		return o
	}
	bytesOf := func(words ...uint32) (b []byte) {
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	for n := range length {
		for label, mark := range at {
			if mark == n {
				if aligned && random.IntN(2) == 0 {
					code = append(code, amd64.Instruction{Op: amd64.Align, Operands: [4]amd64.Operand{amd64.Imm}, Immediate: 1 << random.IntN(7)})
				}
				code = append(code, amd64.Of(amd64.Mark, amd64.Wide, amd64.Label(label)))
			}
		}
		target := amd64.Label(random.IntN(labels))
		w := uint32(random.IntN(40))
		switch random.IntN(10) {
		case 0, 1:
			i := amd64.Of(amd64.Jcc, amd64.Wide, target)
			i.Condition = amd64.Condition(random.IntN(16))
			code = append(code, i)
		case 2:
			code = append(code, amd64.Of([]amd64.Op{amd64.Jmp, amd64.Call}[random.IntN(2)], amd64.Wide, target))
		case 3:
			i := amd64.Of(amd64.Lea, amd64.Wide, amd64.General(random.IntN(16)), amd64.Mem)
			i.Address = amd64.At(target, int32(random.IntN(9)-4))
			code = append(code, i)
		case 4:
			i := amd64.Of(amd64.VAddPS, amd64.Wide, amd64.Vector(random.IntN(16)), amd64.Vector(9), amd64.Mem)
			i.Address = amd64.At(add(pool.Words(w), bytesOf(w, w, w, w, w, w, w, w)), 0)
			code = append(code, i)
		case 5: // an immediate follows the distance
			i := amd64.Of(amd64.VPInsrD, amd64.Wide, amd64.Vector(random.IntN(16)), amd64.Vector(9), amd64.Mem, amd64.Imm)
			i.Immediate = 3
			i.Address = amd64.At(add(pool.Word(w), bytesOf(w)), int32(random.IntN(3)))
			code = append(code, i)
		case 6:
			i := amd64.Of(amd64.Add, amd64.Wide, amd64.Mem, amd64.Imm)
			i.Immediate = 1000
			i.Address = amd64.At(add(pool.Long(uint64(w)<<32|7), bytesOf(7, w)), 0)
			code = append(code, i)
		default:
			i := list[random.IntN(len(list))]
			if exchanged.Match(amd64.AppendText(nil, &i)) {
				i = amd64.Of(amd64.Nop, amd64.Wide)
			}
			code = append(code, i)
		}
	}
	for label, mark := range at {
		if mark >= length {
			code = append(code, amd64.Of(amd64.Mark, amd64.Wide, amd64.Label(label)))
		}
	}
	return code, pool, constants
}

// section has LLVM assemble a text and returns the bytes of its code.
func section(t *testing.T, text []byte) []byte {
	t.Helper()
	folder := t.TempDir()
	object, flat := filepath.Join(folder, "a.o"), filepath.Join(folder, "a.bin")
	c := exec.Command("llvm-mc-19", "-triple=x86_64", "-x86-asm-syntax=intel", "-mcpu=x86-64-v3", "-filetype=obj", "-o", object)
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

// TestFunctions: of functions with labels and constants LLVM makes the same bytes, and jumps have
// the same sizes.
func TestFunctions(t *testing.T) {
	needAssembler(t)
	list := everything()
	random := rand.New(rand.NewPCG(3, 4))
	var a amd64.Assembler
	short, long, size := 0, 0, 0
	for round := range 40 {
		code, pool, constants := program(random, list, 10+round*15, round%2 == 1)
		got, err := a.Assemble([]byte("before"), code, pool)
		if err != nil || string(got[:6]) != "before" {
			t.Fatal(err)
		}
		got = got[6:]
		var text []byte
		for n := range code {
			text = append(amd64.AppendText(text, &code[n]), '\n')
		}
		text = append(text, ".p2align 5, 0xcc\n"...)
		for size := 32; size >= 4; size /= 2 {
			for n, c := range constants {
				if len(c) == size {
					text = fmt.Appendf(text, "constant%d:\n.byte %s\n", n, strings.Trim(strings.ReplaceAll(fmt.Sprint(c), " ", ","), "[]"))
				}
			}
		}
		want := section(t, text)
		for n := range code { // what fills an alignment is LLVM's matter
			if from, to := a.Offset(n), a.Offset(n+1); code[n].Op == amd64.Align && to <= len(want) {
				copy(want[from:to], got[from:to])
			}
			switch i := &code[n]; i.Op {
			case amd64.Jcc, amd64.Jmp:
				if i.Operands[0].Kind() != amd64.KindLabel {
					break
				}
				if a.Offset(n+1)-a.Offset(n) == 2 {
					short++
				} else {
					long++
				}
			}
		}
		if !bytes.Equal(got, want) {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Fatalf("function %d, of %d instructions: %d bytes, and LLVM makes %d; byte %d is other", round, len(code), len(got), len(want), at)
		}
		size += len(got)
	}
	t.Logf("%d bytes; %d short jumps, %d long ones", size, short, long)
	if short < 100 || long < 100 {
		t.Error("there are too few jumps of one size")
	}
}

// TestReach: a jump is short as long as its distance is one of 8 bits.
func TestReach(t *testing.T) {
	var a amd64.Assembler
	nop := amd64.Of(amd64.Nop, amd64.Wide)
	jump, mark := amd64.Of(amd64.Jmp, amd64.Wide, amd64.Label(0)), amd64.Of(amd64.Mark, amd64.Wide, amd64.Label(0))
	for _, c := range []struct {
		forward bool
		between int
		want    string // the jump
	}{
		{true, 0, "eb00"}, {true, 127, "eb7f"}, {true, 128, "e980000000"}, {false, 0, "ebfe"}, {false, 126, "eb80"}, {false, 127, "e97cffffff"},
	} {
		list := []amd64.Instruction{jump}
		if !c.forward {
			list = []amd64.Instruction{mark}
		}
		for range c.between {
			list = append(list, nop)
		}
		if c.forward {
			list = append(list, mark)
		} else {
			list = append(list, jump)
		}
		code, err := a.Assemble(nil, list, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(fmt.Sprintf("%x", code), "90", ""); got != c.want {
			t.Errorf("with %d bytes between them the jump is %s, not %s", c.between, got, c.want)
		}
	}
}

// TestFills: alignments of each size are filled with instructions that do nothing, and as few as
// possible.
func TestFills(t *testing.T) {
	needAssembler(t)
	var a amd64.Assembler
	for before := range 64 {
		var list []amd64.Instruction
		for range before {
			list = append(list, amd64.Of(amd64.Int3, amd64.Wide))
		}
		align := amd64.Of(amd64.Align, amd64.Wide, amd64.Imm)
		align.Immediate = 64
		code, err := a.Assemble(nil, append(list, align, amd64.Of(amd64.Ret, amd64.Wide)), nil)
		if err != nil || len(code) != (before+63)/64*64+1 {
			t.Fatalf("%d bytes: %v", len(code), err)
		}
		count := 0
		for _, line := range disassemble(t, [][]byte{code}) {
			if name, _, _ := strings.Cut(line, " "); name == "nop" {
				count++
			} else if name == "xchg" { // 66 90, and its text is that of its bytes
				count++
			} else if name != "int3" && name != "ret" {
				t.Errorf("behind %d bytes: %s", before, line)
			}
		}
		if size := len(code) - 1 - before; count != (size+8)/9 {
			t.Errorf("%d bytes are filled with %d instructions", size, count)
		}
	}
}

// TestPool: equal constants are one, and each is at a multiple of its size.
func TestPool(t *testing.T) {
	var p amd64.Pool
	for range 2 {
		for n := range uint32(1000) {
			p.Word(n)
			p.Long(uint64(n))
			p.Words(n)
		}
		p.Longs(0) // which are the words 0
		p.Lanes(&[8]uint32{5, 5, 5, 5, 5, 5, 5, 5})
	}
	if n := p.Lanes(&[8]uint32{1, 2}).Number(); n != 3000 {
		t.Errorf("constant %d is the last", n)
	}
	var a amd64.Assembler
	code, err := a.Assemble(nil, []amd64.Instruction{amd64.Of(amd64.Ret, amd64.Wide)}, &p)
	if err != nil || len(code) != 32+1001*32+1000*8+1000*4 {
		t.Fatalf("%d bytes: %v", len(code), err)
	}
	if code[32+32] != 1 || code[32+1001*32+8] != 1 || code[32+1001*32+8000+4] != 1 {
		t.Error("constants are not in the order of their sizes")
	}
	p.Reset()
	if n := p.Word(77).Number(); n != 0 {
		t.Errorf("constant %d is the first of a pool that was emptied", n)
	}
}
