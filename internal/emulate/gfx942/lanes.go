package gfx942

import "math"

// Execution of vector instructions, lane by lane, with the modifiers of sources and results.

// vector executes an instruction whose row has a function for lanes.
func (x *execution) vector(i *instruction) {
	w, r := x.wave, i.row
	exec := w.exec()
	known := w.definedSources(i)
	bits := uint64(0)
	var results [lanes]uint64
	for lane := range lanes {
		if exec>>lane&1 == 0 {
			continue
		}
		var s [3]uint64
		for n, k := range r.s {
			if k != none {
				s[n] = w.source(i, n, k, lane)
			}
		}
		switch {
		case r.compare != nil:
			bits |= truth(r.compare(s[0], s[1])) << lane
		case r.carry != nil:
			result, carried := r.carry(s[0], s[1], s[2])
			results[lane] = result
			bits |= truth(carried) << lane
		default:
			results[lane] = modified(i, r.lane(s[0], s[1], s[2]))
		}
	}
	if r.compare == nil {
		for lane := range lanes {
			if exec>>lane&1 != 0 {
				w.result(i, lane, results[lane])
			}
		}
	}
	if r.compare != nil || r.carry != nil {
		w.setScalar(i.sd, mask, bits)
	}
	w.defineResult(i, exec, known)
}

// source returns the value of a source for a lane, with its modifiers.
func (w *wave) source(i *instruction, n int, k kind, lane int) uint64 {
	o := i.s[n]
	if k == mask {
		return w.read(i, o, mask, lane) >> lane & 1
	}
	x := uint64(0)
	switch {
	case i.form == permuted && n == 0:
		x = w.permuted(i, o, lane)
	case i.form == subdword && n < 2:
		x = part(w.read(i, o, k, lane), i.part[n], i.extended[n])
	default:
		x = w.read(i, o, k, lane)
		if i.sel>>n&1 != 0 { // the upper half; only operations of 16 bits have that
			x >>= 16
		}
		if k == b16 || k == f16 {
			x &= 0xFFFF
		}
	}
	if i.form == plain && i.row.format != vop3 || !k.float() {
		return x
	}
	sign := signOf(k)
	if i.abs>>n&1 != 0 {
		x &^= sign
	}
	if i.neg>>n&1 != 0 {
		x ^= sign
	}
	return x
}

// signOf returns the sign bit of a float.
func signOf(k kind) uint64 {
	switch k {
	case f64:
		return 1 << 63
	case f32:
		return 1 << 31
	}
	return 1 << 15
}

// part returns a part of a word by its SDWA selector: 0 to 3 are bytes, 4 and 5 halves, 6 is the
// word.
func part(x uint64, selector uint8, extended bool) uint64 {
	shift, bits := partOf(selector)
	x = x >> shift & (1<<bits - 1)
	if extended {
		x = uint64(uint32(int32(uint32(x)<<(32-bits)) >> (32 - bits)))
	}
	return x
}

// partOf returns the position and length of a part of a word.
func partOf(selector uint8) (shift, bits uint) {
	switch {
	case selector < 4:
		return uint(selector) * 8, 8
	case selector < 6:
		return uint(selector-4) * 16, 16
	}
	return 0, 32
}

// The treatment of the other bits of the destination (SDWA, DST_U).
const (
	unusedZero = iota
	unusedSign
	unusedKept
)

// result writes a lane's result.
func (w *wave) result(i *instruction, lane int, x uint64) {
	k := i.row.d
	switch {
	case i.form == subdword && i.part[2] < 6:
		shift, bits := partOf(i.part[2])
		field := uint64(1<<bits-1) << shift
		y := x << shift & field
		switch i.unused {
		case unusedSign:
			y = uint64(int64(x<<(64-bits))>>(64-bits)) << shift & 0xFFFFFFFF
		case unusedKept:
			y |= uint64(w.v[i.d-vectors][lane]) &^ field
		}
		w.setVectorWord(i.d, lane, uint32(y))
	case i.form == permuted && !w.lands(i, lane):
	case (k == b16 || k == f16) && i.sel>>3&1 != 0:
		w.setVectorWord(i.d, lane, uint32(x)<<16|w.v[i.d-vectors][lane]&0xFFFF)
	case (k == b16 || k == f16) && i.row.keepsHigh:
		// the upper half may be undefined; it is copied nevertheless
		w.setVectorWord(i.d, lane, w.v[i.d-vectors][lane]&^0xFFFF|uint32(x&0xFFFF))
	case k == b16 || k == f16:
		w.setVectorWord(i.d, lane, uint32(x&0xFFFF))
	default:
		w.setVector(i.d, lane, k, x)
	}
}

// modified applies the modifiers of a result.
func modified(i *instruction, x uint64) uint64 {
	if i.omod == 0 && !i.clamp {
		return x
	}
	k := i.row.d
	switch k {
	case f32:
		return uint64(math.Float32bits(float32(limited(i, float64(math.Float32frombits(uint32(x)))))))
	case f16:
		return halfBits(limited(i, halfValue(x)))
	case f64:
		return math.Float64bits(limited(i, math.Float64frombits(x)))
	}
	if i.clamp && i.row.saturates {
		return uint64(max(0, min(int64(x), math.MaxUint32)))
	}
	fail("modifiers of a result of %s", i.name())
	return 0
}

// limited applies the output modifier and clamping to [0, 1], which makes NaN 0.
func limited(i *instruction, f float64) float64 {
	f *= [...]float64{1, 2, 4, 0.5}[i.omod]
	if i.clamp {
		if !(f > 0) {
			return 0
		}
		return math.Min(f, 1)
	}
	return f
}

// The first values of DPP patterns ("DPP_CTRL"); smaller values are permutations of four lanes.
const (
	shiftLeft          = 0x100
	shiftRight         = 0x110
	rotateRight        = 0x120
	waveShiftOne       = 0x138
	mirrorRow          = 0x140
	mirrorHalf         = 0x141
	broadcastFifteen   = 0x142
	broadcastThirtyOne = 0x143
)

// origin returns the lane that a lane reads by the DPP pattern, and whether it exists.
func (i *instruction) origin(lane int) (int, bool) {
	row, at := lane&^15, lane&15
	n := int(i.control & 15)
	switch {
	case i.control < shiftLeft:
		return lane&^3 | int(i.control>>(2*(lane&3)))&3, true
	case i.control&^15 == shiftLeft:
		return lane + n, at+n < 16
	case i.control&^15 == shiftRight:
		return lane - n, at-n >= 0
	case i.control&^15 == rotateRight:
		return row | (at-n)&15, true
	case i.control == waveShiftOne:
		return lane - 1, lane > 0
	case i.control == mirrorRow:
		return row | 15 - at, true
	case i.control == mirrorHalf:
		return lane&^7 | 7 - lane&7, true
	case i.control == broadcastFifteen:
		return row - 1, row > 0
	case i.control == broadcastThirtyOne:
		return 31, lane >= 32
	}
	fail("the DPP pattern %#x", i.control)
	return 0, false
}

// permuted returns the source of a lane by the DPP pattern.
func (w *wave) permuted(i *instruction, o operand, lane int) uint64 {
	from, inside := i.origin(lane)
	if inside && w.exec()>>from&1 != 0 {
		return uint64(w.v[o-vectors][from])
	}
	return 0 // written only if boundControl is set
}

// lands reports whether a lane's result is written.
func (w *wave) lands(i *instruction, lane int) bool {
	if i.rowMask>>(lane/16)&1 == 0 || i.bankMask>>(lane%16/4)&1 == 0 {
		return false
	}
	from, inside := i.origin(lane)
	return i.boundControl || inside && w.exec()>>from&1 != 0
}
