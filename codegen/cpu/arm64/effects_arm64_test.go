package arm64_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/cpu/arm64"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// This file holds what rows say of registers, flags and memory against the processor, or what
// emulates it: instructions are executed with all registers known. What an instruction does not
// claim to write has to keep its value. When everything that it does not claim to read has another
// value, what it writes has to be the same.

// state is that of a processor.
type state struct {
	general [32]uint64 // those of free alone
	vectors [32][2]uint64
	flags   [2]uint64 // the flags, and nothing
}

// run is what a snippet gets: the state before, and room for that after.
type run struct{ before, after state }

// free are the general registers that code of a test may have. Others are the system's, the
// goroutine's, those of the frame, the link and the stack.
var free = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27}

// snippet appends code that loads a state, executes the instruction and stores the state. The flags
// are loaded and stored by msr and mrs, which the package does not have.
func snippet(t *testing.T, code []byte, i *arm64.Instruction) []byte {
	t.Helper()
	const setFlags, getFlags = 0xD51B4201, 0xD53B4201 // of x1
	var r run
	add := func(i arm64.Instruction) {
		var err error
		if code, err = arm64.Append(code, &i); err != nil {
			t.Fatalf("%s: %v", arm64.AppendText(nil, &i), err)
		}
	}
	access := func(o arm64.Op, s arm64.Shape, a arm64.Address, operands ...arm64.Operand) {
		i := arm64.Of(o, s, append(operands, arm64.Mem)...)
		i.Address = a
		add(i)
	}
	x0, x1 := arm64.General(0), arm64.General(1)
	at := func(p unsafe.Pointer) arm64.Address {
		return arm64.At(x0, int32(uintptr(p)-uintptr(unsafe.Pointer(&r))))
	}
	access(arm64.Stp, arm64.Wide, arm64.Address{Base: arm64.SP, Displacement: -32, Mode: arm64.Before}, x0, arm64.General(30))
	access(arm64.Ldr, arm64.Wide, at(unsafe.Pointer(&r.before.flags)), x1)
	code = binary.LittleEndian.AppendUint32(code, setFlags)
	for n := range 32 {
		access(arm64.Ldr, arm64.Quad, at(unsafe.Pointer(&r.before.vectors[n])), arm64.Vector(n))
	}
	for _, n := range free[1:] {
		access(arm64.Ldr, arm64.Wide, at(unsafe.Pointer(&r.before.general[n])), arm64.General(n))
	}
	access(arm64.Ldr, arm64.Wide, at(unsafe.Pointer(&r.before.general[0])), x0)
	add(*i)
	access(arm64.Str, arm64.Wide, arm64.At(arm64.SP, 16), x0)
	access(arm64.Ldr, arm64.Wide, arm64.At(arm64.SP, 0), x0)
	for _, n := range free[1:] {
		access(arm64.Str, arm64.Wide, at(unsafe.Pointer(&r.after.general[n])), arm64.General(n))
	}
	code = binary.LittleEndian.AppendUint32(code, getFlags)
	access(arm64.Str, arm64.Wide, at(unsafe.Pointer(&r.after.flags)), x1)
	access(arm64.Ldr, arm64.Wide, arm64.At(arm64.SP, 16), x1)
	access(arm64.Str, arm64.Wide, at(unsafe.Pointer(&r.after.general[0])), x1)
	for n := range 32 {
		access(arm64.Str, arm64.Quad, at(unsafe.Pointer(&r.after.vectors[n])), arm64.Vector(n))
	}
	access(arm64.Ldp, arm64.Wide, arm64.Address{Base: arm64.SP, Displacement: 32, Mode: arm64.After}, x0, arm64.General(30))
	add(arm64.Of(arm64.Ret, arm64.Wide, arm64.General(30)))
	return code
}

// notExecuted are instructions that do not go on after them, or need addresses of code.
var notExecuted = map[arm64.Op]bool{
	arm64.B: true, arm64.Bl: true, arm64.Bcc: true, arm64.Cbz: true, arm64.Cbnz: true, arm64.Tbz: true, arm64.Tbnz: true, arm64.Br: true, arm64.Blr: true,
	arm64.Ret: true, arm64.Brk: true, arm64.DcCvau: true, arm64.IcIvau: true,
}

// changesNothing are instructions after which all is what it was.
var changesNothing = map[arm64.Op]bool{
	arm64.Nop: true, arm64.DmbIsh: true, arm64.DmbIshLd: true, arm64.DmbIshSt: true, arm64.DsbIsh: true, arm64.Isb: true,
}

// The registers of addresses: the base leads into the window, the index is small.
const baseRegister, indexRegister = 14, 9

// executed draws instructions of a row, and leaves out those whose addresses lead far away and
// those that cannot be encoded.
func executed(r *arm64.Row, random *rand.Rand) (list []arm64.Instruction) {
	all := samplesOf(r)
	for k := 0; k < 200 && len(list) < 8*len(r.Shapes); k++ {
		i := all[random.IntN(len(all))]
		for n, s := range r.Slots {
			switch i.Operands[n].Kind() {
			case arm64.KindGeneral, arm64.KindStack:
				if i.Operands[n] = arm64.General(free[random.IntN(len(free))]); random.IntN(8) == 0 && !s.Stack {
					i.Operands[n] = arm64.Zero
				}
			case arm64.KindVector:
				i.Operands[n] = arm64.Vector(random.IntN(32))
				if n > 0 && random.IntN(4) == 0 && i.Operands[0].Kind() == arm64.KindVector {
					i.Operands[n] = i.Operands[0]
				}
			case arm64.KindMemory:
				i.Address.Base = arm64.General(baseRegister)
				if i.Address.Index != 0 {
					i.Address.Index = arm64.General(indexRegister)
				}
			}
		}
		if d := i.Address.Displacement; d >= -512 && d <= 512 && r.Taken(&i) {
			list = append(list, i)
		}
	}
	return list
}

// window is the memory that instructions access.
type window [2048]byte

// randomise gives registers and flags that are not kept other values.
func randomise(random *rand.Rand, p *state, keep *[2][32]bool, keepFlags bool, w *window) {
	interesting := []uint64{0, 1, 1 << 31, 1<<32 - 1, 1 << 63, 1<<64 - 1, 0x7F800000, 0x3F800000, 0x4000000040000000, 0x7FF0000000000000, 31, 64}
	word := func() uint64 {
		if random.IntN(3) == 0 {
			return interesting[random.IntN(len(interesting))]
		}
		return random.Uint64()
	}
	for n := range 32 {
		if !keep[0][n] {
			p.general[n] = word()
			switch n {
			case indexRegister:
				p.general[n] = random.Uint64N(16)
			case baseRegister:
				p.general[n] = (uint64(uintptr(unsafe.Pointer(w)))+1023)&^63 + 64*random.Uint64N(2)
			}
		}
		if !keep[1][n] {
			p.vectors[n] = [2]uint64{word(), word()}
		}
	}
	if !keepFlags {
		p.flags[0] = random.Uint64N(16) << 28
	}
}

// claims are what a row says of an instruction. Registers are those of both kinds by number.
type claims struct {
	read, written [2][32]bool
	effects       arm64.Effects
}

func claimsOf(i *arm64.Instruction) (c claims) {
	for _, u := range i.Uses(nil) {
		kind := 0
		if u.Register.Kind() == arm64.KindVector {
			kind = 1
		}
		n := u.Register.Number()
		c.read[kind][n] = c.read[kind][n] || u.Access&arm64.Read != 0
		c.written[kind][n] = c.written[kind][n] || u.Access&arm64.Written != 0
	}
	c.effects = i.Effects()
	return c
}

// kept says what is not written and has another value all the same.
func (c *claims) kept(before, after *state) string {
	for _, n := range free {
		if !c.written[0][n] && before.general[n] != after.general[n] {
			return fmt.Sprintf("general register %d is changed", n)
		}
	}
	for n := range 32 {
		if !c.written[1][n] && before.vectors[n] != after.vectors[n] {
			return fmt.Sprintf("vector %d is changed", n)
		}
	}
	if c.effects&arm64.WritesFlags == 0 && before.flags != after.flags {
		return "flags are changed"
	}
	return ""
}

// same says what is written and has two values after two runs that had the same of what is read.
func (c *claims) same(a, b *state) string {
	for _, n := range free {
		if c.written[0][n] && a.general[n] != b.general[n] {
			return fmt.Sprintf("general register %d depends on something that is not read", n)
		}
	}
	for n := range 32 {
		if c.written[1][n] && a.vectors[n] != b.vectors[n] {
			return fmt.Sprintf("vector %d depends on something that is not read", n)
		}
	}
	if c.effects&arm64.WritesFlags != 0 && a.flags != b.flags {
		return "flags depend on something that is not read"
	}
	return ""
}

// first and second are two executions, and memory what they access: not on a stack, which could
// move.
var (
	first, second run
	memory        window
)

// stored returns what is wrong with the memory before and after two executions, or "".
func (c *claims) stored(fresh, afterFirst, beforeSecond, afterSecond *window) string {
	if c.effects&arm64.Stores == 0 {
		if *afterFirst != *fresh || *afterSecond != *beforeSecond {
			return "memory is written"
		}
		return ""
	}
	for k := range fresh {
		if (afterFirst[k] != fresh[k] || afterSecond[k] != beforeSecond[k]) && afterSecond[k] != afterFirst[k] {
			return "what is stored depends on something that is not read"
		}
	}
	return ""
}

// TestEffects executes every instruction that goes on after itself.
func TestEffects(t *testing.T) {
	if err := execmem.Available(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	rows := arm64.Rows()
	var list []arm64.Instruction
	for n := range rows {
		if !notExecuted[rows[n].Op] {
			list = append(list, executed(&rows[n], random)...)
		}
	}
	var code []byte
	var offsets []int
	for n := range list {
		offsets = append(offsets, len(code))
		code = snippet(t, code, &list[n])
	}
	loaded, err := execmem.Load("snippets", code)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	changed := make([]bool, arm64.Ops)
	wrong := 0
	for n := range list {
		i := &list[n]
		claims := claimsOf(i)
		for k := range memory {
			memory[k] = byte(random.Uint32()) | 1
		}
		randomise(random, &first.before, new([2][32]bool), false, &memory)
		// which finds what it compares with
		if o := i.Operands[0]; i.Op == arm64.CasAL && o != arm64.Zero {
			at := (uintptr(unsafe.Pointer(&memory)) + 1023) &^ 63
			for _, at := range []uintptr{at, at + 64} {
				binary.LittleEndian.PutUint64(memory[at-uintptr(unsafe.Pointer(&memory)):], first.before.general[o.Number()])
			}
		}
		fresh := memory
		loaded.Call(offsets[n], unsafe.Pointer(&first))
		afterFirst := memory
		second.before = first.before
		randomise(random, &second.before, &claims.read, claims.effects&arm64.ReadsFlags != 0, &memory)
		memory = fresh
		if claims.effects&arm64.Loads == 0 {
			for k := range memory {
				memory[k] = byte(random.Uint32())
			}
		}
		beforeSecond := memory
		loaded.Call(offsets[n], unsafe.Pointer(&second))

		fault := claims.kept(&first.before, &first.after)
		if fault == "" {
			fault = claims.same(&first.after, &second.after)
		}
		if fault == "" {
			fault = claims.stored(&fresh, &afterFirst, &beforeSecond, &memory)
		}
		if fault != "" {
			if wrong++; wrong < 40 {
				t.Errorf("%s: %s", arm64.AppendText(nil, i), fault)
			}
		}
		if afterFirst != fresh || first.before != first.after {
			changed[i.Op] = true
		}
	}
	for o, changed := range changed {
		if o := arm64.Op(o); !changed && !notExecuted[o] && !changesNothing[o] {
			t.Errorf("%s changes nothing in any sample", o)
		}
	}
	t.Logf("%d instructions of %d rows, each executed twice; %d wrong", len(list), len(rows), wrong)
}
