package gfx942

import (
	"fmt"
	"math"
)

// The registers of a wave. defined.go tracks which of them were written, for each bit of a scalar
// register and each lane of a vector register.

const lanes = 64

// The counts of registers, scalar ones and vector ones with the accumulation registers; and the
// operands that are inline constants.
const (
	scalars      = 128
	vectorCount  = 512
	firstInteger = 128 // the constant 0
	lastPositive = 192
	lastNegative = 208
	firstFloat   = 240
	lastFloat    = 248
)

// constants are the floats among the inline constants.
var constants = [...]float64{0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 * math.Pi)}

// wave is 64 invocations that execute together.
type wave struct {
	index          int
	s              [scalars]uint32
	v              [vectorCount][lanes]uint32
	definedBits    [scalars]uint32     // of a scalar register
	definedLanes   [vectorCount]uint64 // of a vector register
	scc            uint64
	definedSCC     bool
	pc             uint64
	current        uint64 // the address of the current instruction
	start          uint64 // the mask of existing lanes
	scratch        []byte // private memory, lane by lane
	definedScratch []bool // by byte
	atBarrier      bool   // at a barrier
	done           bool
}

func (w *wave) exec() uint64 { return uint64(w.s[execLow]) | uint64(w.s[execLow+1])<<32 }

// setScalar writes the one or two scalar registers of a value.
func (w *wave) setScalar(o operand, k kind, x uint64) {
	if int(o)+registers[k] > scalars {
		fail("a result to scalar operand %d", o)
	}
	w.s[o], w.definedBits[o] = uint32(x), ^uint32(0)
	if registers[k] == 2 {
		w.s[o+1], w.definedBits[o+1] = uint32(x>>32), ^uint32(0)
	}
}

// scalarWord reads a scalar register that must be defined.
func (w *wave) scalarWord(o operand) uint64 {
	if w.definedBits[o] != ^uint32(0) {
		fail("%s is read, which nothing has written", o)
	}
	return uint64(w.s[o])
}

// scalarPair reads two scalar registers that must be defined.
func (w *wave) scalarPair(o operand) uint64 { return w.scalarWord(o) | w.scalarWord(o+1)<<32 }

// vectorWord reads a lane of a vector register that must be defined.
func (w *wave) vectorWord(o operand, lane int) uint64 {
	n := o - vectors
	if w.definedLanes[n]>>lane&1 == 0 {
		fail("lane %d of %s is read, which nothing has written", lane, o)
	}
	return uint64(w.v[n][lane])
}

// setVectorWord writes a lane of a vector register.
func (w *wave) setVectorWord(o operand, lane int, x uint32) {
	n := o - vectors
	w.v[n][lane] = x
	w.definedLanes[n] |= 1 << lane
}

// setVector writes a lane of the one or two vector registers of a value.
func (w *wave) setVector(o operand, lane int, k kind, x uint64) {
	w.setVectorWord(o, lane, uint32(x))
	if registers[k] == 2 {
		w.setVectorWord(o+1, lane, uint32(x>>32))
	}
}

// read returns the value of an operand for a lane, even if it is undefined. Scalar operations use
// lane 0.
func (w *wave) read(i *instruction, o operand, k kind, lane int) uint64 {
	switch {
	case o >= vectors:
		x := uint64(w.v[o-vectors][lane])
		if registers[k] == 2 {
			x |= uint64(w.v[o-vectors+1][lane]) << 32
		}
		return x
	case o < scalars:
		x := uint64(w.s[o])
		if registers[k] == 2 {
			x |= uint64(w.s[o+1]) << 32
		}
		return x
	case o == literal:
		if k == f64 { // the upper half of one
			return uint64(i.literal) << 32
		}
		// zero-extended to 64 bits, as LLVM assumes for s_mov_b64
		return uint64(i.literal)
	}
	x, ok := inline(o, k)
	if !ok {
		switch o {
		case vccZero, execZero, statusBit:
			return w.status(o)
		}
		fail("no operand %d", o)
	}
	return x
}

// Operands that are status bits of the wave.
const (
	vccZero   operand = 251
	execZero  operand = 252
	statusBit operand = 253
)

// status returns a status bit.
func (w *wave) status(o operand) uint64 {
	switch o {
	case vccZero:
		return truth(w.scalarPair(vccLow) == 0)
	case execZero:
		return truth(w.exec() == 0)
	}
	return w.readSCC()
}

// readSCC returns the status bit of scalar operations.
func (w *wave) readSCC() uint64 {
	if !w.definedSCC {
		fail("SCC is read, which nothing has written")
	}
	return w.scc
}

func (w *wave) setSCC(x uint64) { w.scc, w.definedSCC = x, true }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// inline returns the value of an inline constant for an operand of a kind. An integer constant is
// an integer for floats too.
func inline(o operand, k kind) (uint64, bool) {
	var integer int64
	switch {
	case o >= firstInteger && o <= lastPositive:
		integer = int64(o) - firstInteger
	case o > lastPositive && o <= lastNegative:
		integer = lastPositive - int64(o)
	case o >= firstFloat && o <= lastFloat:
		f := constants[o-firstFloat]
		switch k {
		case f64:
			return math.Float64bits(f), true
		case f16, b16, p16:
			return halfBits(f), true
		case b64: // an f32 in the lower word
			return uint64(math.Float32bits(float32(f))), true
		}
		return uint64(math.Float32bits(float32(f))), true
	default:
		return 0, false
	}
	if registers[k] == 2 {
		return uint64(integer), true
	}
	return uint64(uint32(integer)), true
}

// String returns LLVM's name of a register.
func (o operand) String() string {
	switch {
	case o >= accums:
		return fmt.Sprintf("a%d", o-accums)
	case o >= vectors:
		return fmt.Sprintf("v%d", o-vectors)
	case o == vccLow || o == vccLow+1:
		return [2]string{"vcc_lo", "vcc_hi"}[o-vccLow]
	case o == execLow || o == execLow+1:
		return [2]string{"exec_lo", "exec_hi"}[o-execLow]
	case o == m0:
		return "m0"
	}
	return fmt.Sprintf("s%d", uint16(o))
}

// fault is an error of an instruction, as the value of a panic.
type fault string

func fail(format string, arguments ...any) { panic(fault(fmt.Sprintf(format, arguments...))) }
