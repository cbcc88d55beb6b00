package amd64_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// This file holds what rows say of registers, flags and memory against the processor: instructions
// are executed with all registers known. What an instruction does not claim to write has to keep
// its value. When everything that it does not claim to read has another value, what it writes has
// to be the same.

// state is that of a processor.
type state struct {
	general [16]uint64    // that of RSP is not looked at
	vectors [32][4]uint64 // the upper half where the processor has it
	flags   uint64
}

// run is what a snippet gets: the state before, and room for that after.
type run struct{ before, after state }

// flagBits are the positions of flags in RFLAGS (SDM volume 1, 3.4.3).
var flagBits = [...]struct {
	flag amd64.Flags
	bit  uint
}{{amd64.CF, 0}, {amd64.PF, 2}, {amd64.ZF, 6}, {amd64.SF, 7}, {amd64.OF, 11}}

func flagMask(f amd64.Flags) (mask uint64) {
	for _, b := range flagBits {
		if f&b.flag != 0 {
			mask |= 1 << b.bit
		}
	}
	return mask
}

// vectors returns how many vector registers the processor has.
func vectors() int {
	if execmem.HasAVX512() {
		return 2 * amd64.HighVectors
	}
	return amd64.HighVectors
}

// snippet appends code that loads a state, executes the instruction and stores the state. The flags
// are loaded and stored by popfq and pushfq, which the package does not have.
func snippet(t *testing.T, code []byte, i *amd64.Instruction) []byte {
	t.Helper()
	const popfq, pushfq = 0x9D, 0x9C
	offset := func(p unsafe.Pointer, r *run) int32 { return int32(uintptr(p) - uintptr(unsafe.Pointer(r))) }
	var r run
	add := func(o amd64.Op, a amd64.Address, operands ...amd64.Operand) {
		i := amd64.Of(o, amd64.Wide, operands...)
		i.Address = a
		var err error
		if code, err = amd64.Append(code, &i); err != nil {
			t.Fatal(err)
		}
	}
	none := amd64.Address{}
	at := func(p unsafe.Pointer) amd64.Address { return amd64.At(amd64.RDI, offset(p, &r)) }
	add(amd64.Push, none, amd64.RDI)
	for n := range vectors() {
		add(amd64.VMovUPS, at(unsafe.Pointer(&r.before.vectors[n])), amd64.Vector(n), amd64.Mem)
	}
	add(amd64.Mov, at(unsafe.Pointer(&r.before.flags)), amd64.RAX, amd64.Mem)
	add(amd64.Push, none, amd64.RAX)
	code = append(code, popfq)
	for _, last := range []bool{false, true} { // RDI has the address, and is loaded last
		for n := range 16 {
			if g := amd64.General(n); g != amd64.RSP && (g == amd64.RDI) == last {
				add(amd64.Mov, at(unsafe.Pointer(&r.before.general[n])), g, amd64.Mem)
			}
		}
	}
	var err error
	if code, err = amd64.Append(code, i); err != nil {
		t.Fatalf("%s: %v", amd64.AppendText(nil, i), err)
	}
	add(amd64.XChg, amd64.At(amd64.RSP, 0), amd64.Mem, amd64.RDI)
	for n := range 16 {
		if g := amd64.General(n); g != amd64.RSP && g != amd64.RDI {
			add(amd64.Mov, at(unsafe.Pointer(&r.after.general[n])), amd64.Mem, g)
		}
	}
	code = append(code, pushfq)
	add(amd64.Pop, none, amd64.RAX)
	add(amd64.Mov, at(unsafe.Pointer(&r.after.flags)), amd64.Mem, amd64.RAX)
	add(amd64.Pop, none, amd64.RAX)
	add(amd64.Mov, at(unsafe.Pointer(&r.after.general[7])), amd64.Mem, amd64.RAX)
	for n := range vectors() {
		add(amd64.VMovUPS, at(unsafe.Pointer(&r.after.vectors[n])), amd64.Mem, amd64.Vector(n))
	}
	add(amd64.Ret, none)
	return code
}

// notExecuted are instructions that do not go on after them or change the stack, which holds the
// state here.
var notExecuted = map[amd64.Op]bool{
	amd64.Mark: true, amd64.Align: true, amd64.Jcc: true, amd64.Jmp: true, amd64.Call: true, amd64.Ret: true, amd64.UD2: true, amd64.Int3: true,
	amd64.Push: true, amd64.Pop: true,
}

// changesNothing are instructions after which all registers and flags are what they were.
var changesNothing = map[amd64.Op]bool{
	amd64.MFence: true, amd64.SFence: true, amd64.LFence: true, amd64.Pause: true, amd64.PrefetchT0: true, amd64.PrefetchNTA: true, amd64.Nop: true,
	amd64.VZeroUpper: true, // of whose effect claims know
}

// executed draws instructions of a row whose memory, if there is any, is at a register and an
// index.
func (s *samples) executed(row *amd64.Row, count int) (list []amd64.Instruction) {
	for _, w := range row.Widths {
		for k := range count {
			i := s.plain(row, w)
			for n, slot := range row.Slots {
				registers := s.candidates(slot, row, n)
				switch {
				case slot.Class>>amd64.KindMemory&1 != 0 && (len(registers) == 0 || k%2 == 0):
					i.Operands[n] = amd64.Mem
					i.Address = amd64.Indexed(amd64.General(14), amd64.General(9), 4, 8)
					switch i.Op {
					// whose addresses are multiples of the width
					case amd64.VMovAPS, amd64.VMovNTPS, amd64.VMovNTDQ:
						i.Address = amd64.At(amd64.General(14), 64)
					}
					if slot.Gathers {
						i.Address.Index = amd64.Vector(s.random.IntN(16))
					}
					i.Address.Locked = n == 0 && i.Op.Lockable() && k%4 == 0
				case slot.Class>>amd64.KindImmediate&1 != 0:
					i.Immediate = pick(s, immediates(slot, w))
				default:
					for i.Operands[n] = pick(s, registers); i.Operands[n] == amd64.RSP; {
						i.Operands[n] = pick(s, registers)
					}
				}
			}
			if k%3 == 0 && len(row.Slots) >= 2 && len(row.Slots) <= 3 { // the same register twice
				last := len(row.Slots) - 1
				if a, b := i.Operands[last-1], i.Operands[last]; a.IsRegister() && a.Kind() == b.Kind() && !(last == 1 && row.Accumulator()) {
					i.Operands[last] = a
				}
			}
			if i.Op.Conditional() {
				i.Condition = amd64.Condition(s.random.IntN(16))
			}
			before := len(s.list)
			s.add(row, i) // which has gathers use registers that are not the same
			list = append(list, s.list[before])
		}
	}
	return list
}

// window is the memory that instructions access: R14 leads into it, and R9 and the lanes of indices
// are small.
type window [1024]byte

// randomise gives registers and flags that are not kept other values.
func (s *samples) randomise(p *state, keep *[2][32]bool, flags uint64, w *window) {
	interesting := []uint64{0, 1, 1 << 31, 1<<32 - 1, 1 << 63, 1<<64 - 1, 0x7F800000, 0x3F800000, 0x4000000040000000, 0x7FF0000000000000, 31, 64}
	word := func() uint64 {
		if s.random.IntN(3) == 0 {
			return pick(s, interesting)
		}
		return s.random.Uint64()
	}
	for n := range 16 {
		if !keep[0][n] {
			p.general[n] = word()
			switch n {
			case 9:
				// no access crosses a line of the cache: locked ones are slow then
				p.general[n] = 2 * s.random.Uint64N(8)
			case 14:
				p.general[n] = (uint64(uintptr(unsafe.Pointer(w)))+319)&^63 + 64*s.random.Uint64N(2)
			}
		}
	}
	for n := range vectors() {
		if !keep[1][n] {
			for k := range p.vectors[n] {
				p.vectors[n][k] = word()
			}
		}
	}
	all := flagMask(amd64.CF | amd64.PF | amd64.ZF | amd64.SF | amd64.OF)
	p.flags = p.flags&(flags&all) | s.random.Uint64()&all&^flags | 0x202
}

// prepare gives the operands of an instruction values with which it does not end the program.
func prepare(i *amd64.Instruction, p *state) {
	if i.Op == amd64.Div || i.Op == amd64.IDiv {
		p.general[2] = 0
		p.general[0] &= 1<<31 - 1
		if o := i.Operands[0]; o == amd64.RDX || o == amd64.RAX {
			i.Operands[0] = amd64.RBX
		}
		if n := i.Operands[0].Number(); i.Operands[0] != amd64.Mem && n != 14 && n != 9 {
			p.general[n] = p.general[n]&(1<<31-1) | 1
		}
	}
	if i.Op.Distinct() { // the lanes of the index lead into the window
		v := &p.vectors[i.Address.Index.Number()]
		for n := range v {
			v[n] &= 0x1F0000001F
			if i.Op == amd64.VPGatherQD || i.Op == amd64.VPGatherQQ {
				v[n] &= 0x1F
			}
		}
	}
}

// claims are what a row says of an instruction. Registers are those of both kinds by number.
type claims struct {
	read, written           [2][32]bool
	readFlags, writtenFlags uint64
	keptFlags               uint64
	loads, stores, uppers   bool
}

func claimsOf(i *amd64.Instruction) (c claims) {
	for _, u := range i.Uses(nil) {
		kind := 0
		if u.Register.Kind() == amd64.KindVector {
			kind = 1
		}
		n := u.Register.Number()
		c.read[kind][n] = c.read[kind][n] || u.Access&amd64.Read != 0
		c.written[kind][n] = c.written[kind][n] || u.Access&amd64.Written != 0
	}
	reads, writes, loses := i.Flags()
	c.readFlags, c.writtenFlags = flagMask(reads), flagMask(writes)
	c.keptFlags = flagMask(31) &^ flagMask(writes|loses)
	e := i.Effects()
	c.loads, c.stores, c.uppers = e&amd64.Loads != 0, e&amd64.Stores != 0, e&amd64.Uppers != 0
	return c
}

// kept says what is not written and has another value all the same.
func (c *claims) kept(before, after *state) string {
	for n := range 16 {
		if !c.written[0][n] && amd64.General(n) != amd64.RSP && before.general[n] != after.general[n] {
			return fmt.Sprintf("general register %d is changed", n)
		}
	}
	for n := range vectors() {
		b := before.vectors[n]
		if c.uppers && n < amd64.HighVectors {
			b[2], b[3] = 0, 0
		}
		if !c.written[1][n] && b != after.vectors[n] {
			return fmt.Sprintf("vector %d is changed", n)
		}
	}
	if d := (before.flags ^ after.flags) & c.keptFlags; d != 0 {
		return fmt.Sprintf("the flags %#x are changed", d)
	}
	return ""
}

// same says what is written and has two values after two runs that had the same of what is read.
func (c *claims) same(a, b *state) string {
	for n := range 16 {
		if c.written[0][n] && a.general[n] != b.general[n] {
			return fmt.Sprintf("general register %d depends on something that is not read", n)
		}
	}
	for n := range vectors() {
		if c.written[1][n] && a.vectors[n] != b.vectors[n] {
			return fmt.Sprintf("vector %d depends on something that is not read", n)
		}
	}
	if d := (a.flags ^ b.flags) & c.writtenFlags; d != 0 {
		return fmt.Sprintf("the flags %#x depend on something that is not read", d)
	}
	return ""
}

// changed reports whether anything that is written has another value than before.
func (c *claims) changed(before, after *state) bool {
	return before.general != after.general || before.vectors != after.vectors || (before.flags^after.flags)&c.writtenFlags != 0
}

// stored returns what is wrong with the memory before and after two executions, or "".
func (c *claims) stored(fresh, afterFirst, beforeSecond, afterSecond *window) string {
	switch {
	case !c.stores && (*afterFirst != *fresh || *afterSecond != *beforeSecond):
		return "memory is written"
	case c.stores && c.loads && *afterSecond != *afterFirst:
		return "what is stored depends on something that is not read"
	}
	return ""
}

// TestEffects executes every instruction that goes on after itself.
func TestEffects(t *testing.T) {
	if err := execmem.Available(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	s := &samples{random: rand.New(rand.NewPCG(5, 6)), vectors: vectors()}
	rows := amd64.Rows()
	var list []amd64.Instruction
	for n := range rows {
		if !notExecuted[rows[n].Op] {
			list = append(list, s.executed(&rows[n], 24)...)
		}
	}
	var code []byte
	var offsets []int
	for n := range list {
		if list[n].Op == amd64.Div || list[n].Op == amd64.IDiv {
			prepare(&list[n], new(state))
			if list[n].Operands[0].Number() == 14 || list[n].Operands[0].Number() == 9 {
				list[n].Operands[0] = amd64.RBX
			}
		}
		offsets = append(offsets, len(code))
		code = snippet(t, code, &list[n])
	}
	loaded, err := execmem.Load("snippets", code)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()

	first, second, memory := new(run), new(run), new(window)
	changes := make([]bool, amd64.Ops)
	wrong := 0
	for n := range list {
		i := &list[n]
		claims := claimsOf(i)
		for k := range memory {
			memory[k] = byte(s.random.Uint32()) | 1
		}
		s.randomise(&first.before, new([2][32]bool), 0, memory)
		prepare(i, &first.before)
		fresh := *memory
		loaded.Call(offsets[n], unsafe.Pointer(first))
		afterFirst := *memory
		second.before = first.before
		s.randomise(&second.before, &claims.read, claims.readFlags, memory)
		*memory = fresh
		if !claims.loads {
			for k := range memory {
				memory[k] = byte(s.random.Uint32())
			}
		}
		beforeSecond := *memory
		loaded.Call(offsets[n], unsafe.Pointer(second))

		fault := claims.kept(&first.before, &first.after)
		if fault == "" {
			fault = claims.same(&first.after, &second.after)
		}
		if fault == "" {
			fault = claims.stored(&fresh, &afterFirst, &beforeSecond, memory)
		}
		if fault != "" {
			if wrong++; wrong < 40 {
				t.Errorf("%s: %s", amd64.AppendText(nil, i), fault)
			}
		}
		if afterFirst != fresh || claims.changed(&first.before, &first.after) {
			changes[i.Op] = true
		}
	}
	for o, changed := range changes {
		if o := amd64.Op(o); !changed && !notExecuted[o] && !changesNothing[o] {
			t.Errorf("%s changes nothing in any sample", o)
		}
	}
	t.Logf("%d instructions of %d rows, each executed twice; %d wrong", len(list), len(rows), wrong)
}
