package gfx942

import (
	"math"

	"github.com/gpuc/gpuc/internal/emulate"
)

// Packed operations, on two values of 16 or 32 bits each, and FMAs of mixed precision. The
// instruction selects the half of a source for each result.

// halfOf returns the half of a packed source for the lower or upper result, after negation.
func (w *wave) halfOf(i *instruction, n, lane int, upper bool) uint64 {
	x := w.read(i, i.s[n], p16, lane)
	sel, neg := i.sel, i.neg
	if upper {
		sel, neg = i.selHigh, i.negHigh
	}
	if sel>>n&1 != 0 {
		x >>= 16
	}
	x &= 0xFFFF
	if i.row.s[n] == p16 && neg>>n&1 != 0 {
		x ^= 1 << 15
	}
	return x
}

// packedHalves executes an operation on both halves.
func packedHalves(f func(a, b, c uint64) uint64) func(x *execution, i *instruction) {
	return func(x *execution, i *instruction) {
		w := x.wave
		x.eachLane(func(lane int) {
			var result [2]uint64
			for half := range result {
				var s [3]uint64
				for n, k := range i.row.s {
					if k != none {
						s[n] = w.halfOf(i, n, lane, half == 1)
					}
				}
				result[half] = f(s[0], s[1], s[2]) & 0xFFFF
				if i.clamp {
					if i.row.s[0] != p16 {
						fail("clamping %s", i.name())
					}
					result[half] = halfBits(limited(i, halfValue(result[half])))
				}
			}
			w.setVectorWord(i.d, lane, uint32(result[0]|result[1]<<16))
		})
	}
}

// packedWords executes an operation on both words.
func packedWords(f func(a, b, c float32) float32) func(x *execution, i *instruction) {
	return func(x *execution, i *instruction) {
		w := x.wave
		x.eachLane(func(lane int) {
			var result [2]uint64
			for half := range result {
				var s [3]float32
				for n, k := range i.row.s {
					if k == none {
						continue
					}
					word := w.pair(i, n, lane, half == 1)
					neg := i.neg
					if half == 1 {
						neg = i.negHigh
					}
					if neg>>n&1 != 0 {
						word ^= 1 << 31
					}
					s[n] = single(word)
				}
				result[half] = modifiedSingle(i, f(s[0], s[1], s[2]))
			}
			w.setVector(i.d, lane, b64, result[0]|result[1]<<32)
		})
	}
}

// pair returns the selected word of a source of two words. LLVM has emitted no constants so far,
// and their second word is unclear.
func (w *wave) pair(i *instruction, n, lane int, upper bool) uint64 {
	o, sel := i.s[n], i.sel
	if upper {
		sel = i.selHigh
	}
	if o >= scalars && o < vectors {
		fail("a constant as two words of %s", i.name())
	}
	if sel>>n&1 != 0 {
		o++
	}
	return w.read(i, o, f32, lane)
}

func modifiedSingle(i *instruction, f float32) uint64 {
	if i.clamp {
		f = float32(limited(i, float64(f)))
	}
	return singleBits(f)
}

// mixed returns a source of a mixed-precision FMA: an f32, or the selected half of a register as
// f16.
func (w *wave) mixed(i *instruction, n, lane int) float64 {
	var f float64
	if i.selHigh>>n&1 != 0 {
		x := w.read(i, i.s[n], f16, lane)
		if i.sel>>n&1 != 0 {
			x >>= 16
		}
		f = halfValue(x & 0xFFFF)
	} else {
		f = float64(single(w.read(i, i.s[n], f32, lane)))
	}
	if i.negHigh>>n&1 != 0 { // the absolute-value modifier of these instructions
		f = math.Abs(f)
	}
	if i.neg>>n&1 != 0 {
		f = -f
	}
	return f
}

// mix executes a mixed-precision FMA; write rounds and writes its result.
func mix(write func(w *wave, i *instruction, lane int, exact float64)) func(x *execution, i *instruction) {
	return func(x *execution, i *instruction) {
		w := x.wave
		x.eachLane(func(lane int) {
			exact := emulate.SumToOdd(w.mixed(i, 0, lane)*w.mixed(i, 1, lane), w.mixed(i, 2, lane))
			if i.clamp {
				exact = limited(i, exact)
			}
			write(w, i, lane, exact)
		})
	}
}

// setHalf writes one half of a register.
func (w *wave) setHalf(o operand, lane int, upper bool, x uint64) {
	old := w.v[o-vectors][lane]
	if upper {
		w.setVectorWord(o, lane, old&0xFFFF|uint32(x)<<16)
	} else {
		w.setVectorWord(o, lane, old&^0xFFFF|uint32(x&0xFFFF))
	}
}

func packed() []row {
	integers := func(code int, name string, f func(a, b, c uint64) uint64) row {
		return row{code: code, name: name, d: b32, s: [3]kind{b32, b32}, run: packedHalves(f)}
	}
	numbers := func(code int, name string, f func(a, b float64) float64) row {
		return row{code: code, name: name, d: b32, s: [3]kind{p16, p16}, run: packedHalves(func(a, b, _ uint64) uint64 { return halfBits(f(halfValue(a), halfValue(b))) })}
	}
	return []row{
		integers(1, "v_pk_mul_lo_u16", func(a, b, _ uint64) uint64 { return a * b }),
		integers(2, "v_pk_add_i16", func(a, b, _ uint64) uint64 { return a + b }),
		integers(3, "v_pk_sub_i16", func(a, b, _ uint64) uint64 { return a - b }),
		integers(4, "v_pk_lshlrev_b16", func(a, b, _ uint64) uint64 { return b << (a & 15) }),
		integers(5, "v_pk_lshrrev_b16", func(a, b, _ uint64) uint64 { return b >> (a & 15) }),
		integers(6, "v_pk_ashrrev_i16", func(a, b, _ uint64) uint64 { return uint64(int16(b) >> (a & 15)) }),
		integers(7, "v_pk_max_i16", func(a, b, _ uint64) uint64 { return uint64(max(int16(a), int16(b))) }),
		integers(8, "v_pk_min_i16", func(a, b, _ uint64) uint64 { return uint64(min(int16(a), int16(b))) }),
		integers(10, "v_pk_add_u16", func(a, b, _ uint64) uint64 { return a + b }),
		integers(11, "v_pk_sub_u16", func(a, b, _ uint64) uint64 { return a - b }),
		integers(12, "v_pk_max_u16", func(a, b, _ uint64) uint64 { return max(a, b) }),
		integers(13, "v_pk_min_u16", func(a, b, _ uint64) uint64 { return min(a, b) }),
		{code: 14, name: "v_pk_fma_f16", d: b32, s: [3]kind{p16, p16, p16},
			run: packedHalves(func(a, b, c uint64) uint64 {
				return halfBits(emulate.SumToOdd(halfValue(a)*halfValue(b), halfValue(c)))
			})},
		numbers(15, "v_pk_add_f16", sum),
		numbers(16, "v_pk_mul_f16", product),
		numbers(17, "v_pk_min_f16", least),
		numbers(18, "v_pk_max_f16", greatest),
		{code: 32, name: "v_fma_mix_f32", d: f32, s: [3]kind{f32, f32, f32}, run: mix(func(w *wave, i *instruction, lane int, exact float64) {
			w.setVectorWord(i.d, lane, math.Float32bits(float32(exact)))
		})},
		{code: 33, name: "v_fma_mixlo_f16", d: f16, s: [3]kind{f32, f32, f32}, run: mix(func(w *wave, i *instruction, lane int, exact float64) {
			w.setHalf(i.d, lane, false, halfBits(exact))
		})},
		threeWords(41, "v_dot4_u32_u8", func(a, b, c uint64) uint64 {
			return uint64(dotBytes(a, b, func(x uint64) int64 { return int64(x) })) + c
		}),
		{code: 48, name: "v_pk_fma_f32", d: b64, s: [3]kind{b64, b64, b64}, run: packedWords(fused)},
		{code: 49, name: "v_pk_mul_f32", d: b64, s: [3]kind{b64, b64}, run: packedWords(func(a, b, _ float32) float32 { return a * b })},
		{code: 50, name: "v_pk_add_f32", d: b64, s: [3]kind{b64, b64}, run: packedWords(func(a, b, _ float32) float32 { return a + b })},
		{code: 88, name: "v_accvgpr_read_b32", d: b32, s: [3]kind{b32}, moves: true, run: func(x *execution, i *instruction) {
			x.moveRegister(i.d, i.s[0]+accums-vectors)
		}},
		{code: 89, name: "v_accvgpr_write_b32", d: b32, s: [3]kind{b32}, moves: true, run: func(x *execution, i *instruction) {
			if i.s[0] >= vectors {
				x.moveRegister(i.d+accums-vectors, i.s[0])
				return
			}
			value := uint32(x.wave.needed(i, i.s[0]))
			x.eachLane(func(lane int) { x.wave.setVectorWord(i.d+accums-vectors, lane, value) })
		}},
	}
}
