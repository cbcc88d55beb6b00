package neon_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/neon"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// called assembles a function for the machine that the test runs on, and calls it.
func called(t *testing.T, list []amd64.Instruction, pool *amd64.Pool, memory []byte) {
	t.Helper()
	if err := execmem.Available(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	code, err := assembled(list, pool)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := execmem.Load("function", code)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	loaded.Call(0, unsafe.Pointer(&memory[0]))
}

func at(o amd64.Op, w amd64.Width, a amd64.Address, operands ...amd64.Operand) amd64.Instruction {
	i := amd64.Of(o, w, operands...)
	i.Address = a
	return i
}

// TestConstants: vectors of a pool are what was put into it, wherever they lie, loaded or taken by
// an instruction. They are moved, loaded once for both halves, and loaded for each; what has them
// are those with few bits, and others.
func TestConstants(t *testing.T) {
	var pool amd64.Pool
	var want []byte
	var list []amd64.Instruction
	v, sum := amd64.Vector(3), amd64.Vector(5)
	list = append(list, amd64.Of(amd64.VPXor, amd64.Wide, sum, sum, sum))
	add := func(c amd64.Operand, words [8]uint32) {
		n := int32(len(want))
		list = append(list, at(amd64.VMovUPS, amd64.Wide, amd64.At(c, 0), v, amd64.Mem), at(amd64.VMovUPS, amd64.Wide, amd64.At(amd64.RDI, n), amd64.Mem, v),
			at(amd64.VPAddD, amd64.Wide, amd64.At(c, 0), v, sum, amd64.Mem), at(amd64.VMovUPS, amd64.Wide, amd64.At(amd64.RDI, n+32), amd64.Mem, v))
		for range 2 {
			for _, x := range words {
				want = binary.LittleEndian.AppendUint32(want, x)
			}
		}
	}
	for _, x := range []uint32{0, 1, 0xFF, 0x100, 0xFF00, 0xFF0000, 0xFF000000, 0xFFFFFFFF, 0xFFFFFF00, 0xFF00FFFF, 0x3F800000, 0x7FC00000, 0x01010101, 0x7F7F7F7F, 0x1FF, 0xFFFF, 0x4B000001} {
		add(pool.Words(x), [8]uint32{x, x, x, x, x, x, x, x})
	}
	for _, x := range []uint64{0, 0x3FF0000000000000, 0x8000000000000000, 0x00FF00FF00FF00FF} {
		low, high := uint32(x), uint32(x>>32)
		add(pool.Longs(x), [8]uint32{low, high, low, high, low, high, low, high})
	}
	for n := range uint32(300) { // so many that the last ones are far away
		words := [8]uint32{n, 1, 2, 3, 4, 5, 6, 7 + n}
		add(pool.Lanes(&words), words)
		words = [8]uint32{n, 1, 2, 3, n, 1, 2, 3}
		add(pool.Lanes(&words), words)
		words = [8]uint32{n, 1, 2, 3, n, 1, 2, 4} // halves that begin alike
		add(pool.Lanes(&words), words)
	}
	list = append(list, amd64.Of(amd64.Ret, amd64.Wide))
	memory := make([]byte, len(want))
	called(t, list, &pool, memory)
	for n := 0; n < len(want); n += 32 {
		if !bytes.Equal(memory[n:n+32], want[n:n+32]) {
			t.Fatalf("constant %d is %x, and not %x", n/64, memory[n:n+32], want[n:n+32])
		}
	}
}

// TestAddresses: accesses of all sizes reach what lies near and far, before and after, and at
// multiples of what they access or not.
func TestAddresses(t *testing.T) {
	memory := make([]byte, 1<<19)
	for n := range memory {
		memory[n] = byte(n*7 ^ n>>8 ^ n>>16*5)
	}
	const results = 1 << 18 // and after
	base, index, to := amd64.RBX, amd64.RCX, amd64.RDX
	middle := amd64.Of(amd64.Lea, amd64.Wide, base, amd64.Mem)
	middle.Address = amd64.At(amd64.RDI, 1<<17)
	step := amd64.Of(amd64.Mov, amd64.Narrow, index, amd64.Imm)
	step.Immediate = 40
	list := []amd64.Instruction{middle, step}
	var want []byte
	add := func(o amd64.Op, w amd64.Width, a amd64.Address, size int) {
		from := 1<<17 + int(a.Displacement) + 40*int(a.Scale)
		r := amd64.Operand(to)
		if size > 8 {
			r = amd64.Vector(2)
		}
		list = append(list, at(o, w, a, r, amd64.Mem))
		store := at(amd64.Mov, amd64.Wide, amd64.At(amd64.RDI, int32(results+len(want))), amd64.Mem, r)
		if room := make([]byte, max(size, 8)); size > 8 {
			store.Op, store.Width = amd64.VMovUPS, w
			want = append(want, memory[from:from+size]...)
		} else {
			copy(room, memory[from:from+size])
			want = append(want, room...)
		}
		list = append(list, store)
	}
	for _, d := range []int32{0, 1, -1, 8, 255, 256, 257, -255, -256, -257, 4095, 4096, 4100, 8 * 4095, 8 * 4096, 16 * 4095, 16*4095 + 16, -4096, -100000, 100001, 1008, 1024, -1024, -1040} {
		for _, a := range []amd64.Address{amd64.At(base, d), amd64.Indexed(base, index, 1, d), amd64.Indexed(base, index, 4, d), amd64.Indexed(base, index, 8, d)} {
			add(amd64.MovZX8, amd64.Narrow, a, 1)
			add(amd64.MovZX16, amd64.Narrow, a, 2)
			add(amd64.Mov, amd64.Narrow, a, 4)
			add(amd64.Mov, amd64.Wide, a, 8)
			add(amd64.VMovUPS, amd64.Narrow, a, 16)
			add(amd64.VMovUPS, amd64.Wide, a, 32)
		}
	}
	list = append(list, amd64.Of(amd64.Ret, amd64.Wide))
	called(t, list, new(amd64.Pool), memory)
	if got := memory[results : results+len(want)]; !bytes.Equal(got, want) {
		for n := 0; n < len(want); n += 8 {
			if !bytes.Equal(got[n:n+8], want[n:n+8]) {
				t.Fatalf("%x was loaded and not %x, of %d bytes %d", got[n:n+8], want[n:n+8], len(want), n)
			}
		}
	}
}

// TestRefused: what has no row, or not so, is an error that names the instruction.
func TestRefused(t *testing.T) {
	jump := amd64.Of(amd64.Jcc, amd64.Wide, amd64.Label(0))
	jump.Condition = amd64.Below
	mark := amd64.Of(amd64.Mark, amd64.Wide, amd64.Label(0))
	for want, list := range map[string][]amd64.Instruction{
		"vpsadbw ymm0, ymm1, ymm2: no row": {amd64.Of(amd64.VPSadBW, amd64.Wide, amd64.Vector(0), amd64.Vector(1), amd64.Vector(2))},
		"jb":                               {amd64.Of(amd64.Test, amd64.Narrow, amd64.RCX, amd64.RCX), jump, mark},
		"a condition reads flags":          {amd64.Of(amd64.Test, amd64.Narrow, amd64.RCX, amd64.RCX), mark, jump},
		"add ecx, edx: a condition":        {amd64.Of(amd64.Add, amd64.Narrow, amd64.RCX, amd64.RDX), jump, mark},
	} {
		var a neon.Translator
		code, err := a.Assemble([]byte{1}, list, new(amd64.Pool))
		var unknown *neon.Unknown
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), want) || len(code) != 1 {
			t.Errorf("the error is %q, and not one with %q", err, want)
		}
	}
}

// TestDisassembler: LLVM's disassembler knows all that the rows make as instructions of the base
// architecture. None names a register that belongs to others: x18, and from x25 on all but the link
// register.
func TestDisassembler(t *testing.T) {
	const tool = "llvm-mc-19"
	if _, err := exec.LookPath(tool); err != nil {
		t.Skip("skipped: there is no llvm-mc-19 (Debian: llvm-19)")
	}
	var input strings.Builder
	words := 0
	for o := range amd64.Ops {
		if !neon.Known(o) || other[o] {
			continue
		}
		for _, g := range samples(o) {
			for _, i := range g.list {
				if _, err := amd64.Append(nil, &i); err != nil {
					continue
				}
				var a neon.Translator
				code, err := a.Assemble(nil, snippet(&i, conditionsBehind(o), false), new(amd64.Pool))
				if err != nil {
					t.Fatal(err)
				}
				for n := 0; n < a.Size(); n += 4 {
					words++
					for _, b := range code[n : n+4] {
						input.WriteString("0x")
						input.WriteByte("0123456789abcdef"[b>>4])
						input.WriteByte("0123456789abcdef"[b&15])
						input.WriteByte(' ')
					}
					input.WriteByte('\n')
				}
			}
		}
	}
	c := exec.Command(tool, "--disassemble", "--triple=aarch64")
	c.Stdin = strings.NewReader(input.String())
	var text, complaints bytes.Buffer
	c.Stdout, c.Stderr = &text, &complaints
	if err := c.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %.1000s", err, complaints.String())
	}
	lines := 0
	for line := range strings.Lines(text.String()) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, ".") {
			continue
		}
		lines++
		for _, field := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t,[]{}", r) }) {
			switch field {
			case "x18", "w18", "x25", "x26", "x27", "x28", "x29", "x30", "sp", "w25", "w26", "w27", "w28", "w29", "w30":
				t.Errorf("%s", line)
			}
		}
	}
	if t.Logf("%d instructions", lines); lines != words || lines < 100_000 {
		t.Errorf("%d of %d words are instructions", lines, words)
	}
}
