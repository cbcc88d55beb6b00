package gfx942

import "math/bits"

// Vector operations on integers ("Vector ALU Operations" of the manual).

// words returns the row of an operation on two words.
func words(code int, name string, f func(a, b uint64) uint64) row {
	return row{code: code, name: name, d: b32, s: [3]kind{b32, b32}, lane: func(a, b, _ uint64) uint64 { return f(a, b) }}
}

// halves returns the row of an operation on two integers of 16 bits.
func halves(code int, name string, f func(a, b uint64) uint64) row {
	return row{code: code, name: name, d: b16, s: [3]kind{b16, b16}, lane: func(a, b, _ uint64) uint64 { return f(a, b) }}
}

// threeWords returns the row of an operation on three words.
func threeWords(code int, name string, f func(a, b, c uint64) uint64) row {
	return row{code: code, name: name, d: b32, s: [3]kind{b32, b32, b32}, lane: f}
}

// carrying returns the row of an addition or subtraction with carry-out, and with carry-in if
// before is set.
func carrying(code int, name string, before bool, f func(a, b, c uint64) (uint64, bool)) row {
	r := row{code: code, name: name, d: b32, s: [3]kind{b32, b32}, carry: f}
	if before {
		r.s[2] = mask
	}
	return r
}

// saturating marks a row whose result may saturate; its function returns more than 32 bits.
func saturating(r row) row {
	r.saturates = true
	return r
}

// unsigned24 and signed24 are the lower 24 bits.
func unsigned24(x uint64) uint64 { return x & 0xFFFFFF }
func signed24(x uint64) int64    { return int64(x<<40) >> 40 }

func add(a, b, c uint64) (uint64, bool)              { return a + b + c, (a+b+c)>>32 != 0 }
func subtract(a, b, c uint64) (uint64, bool)         { return a - b - c, a < b+c }
func subtractReversed(a, b, c uint64) (uint64, bool) { return subtract(b, a, c) }

// dotBytes returns the dot product of vectors of four bytes.
func dotBytes(a, b uint64, value func(uint64) int64) int64 {
	sum := int64(0)
	for n := 0; n < 32; n += 8 {
		sum += value(a>>n&0xFF) * value(b>>n&0xFF)
	}
	return sum
}

func signedByte(x uint64) int64 { return int64(int8(x)) }

func integerTwo() []row {
	rows := []row{
		{code: 0, name: "v_cndmask_b32", d: b32, s: [3]kind{f32, f32, mask}, selects: true, lane: func(a, b, c uint64) uint64 {
			if c != 0 {
				return b
			}
			return a
		}},
		words(6, "v_mul_i32_i24", func(a, b uint64) uint64 { return uint64(signed24(a) * signed24(b)) }),
		words(8, "v_mul_u32_u24", func(a, b uint64) uint64 { return unsigned24(a) * unsigned24(b) }),
		words(9, "v_mul_hi_u32_u24", func(a, b uint64) uint64 { return unsigned24(a) * unsigned24(b) >> 32 }),
		words(12, "v_min_i32", func(a, b uint64) uint64 { return uint64(min(signed(a), signed(b))) }),
		words(13, "v_max_i32", func(a, b uint64) uint64 { return uint64(max(signed(a), signed(b))) }),
		words(14, "v_min_u32", func(a, b uint64) uint64 { return min(a, b) }),
		words(15, "v_max_u32", func(a, b uint64) uint64 { return max(a, b) }),
		words(16, "v_lshrrev_b32", func(a, b uint64) uint64 { return b >> (a & 31) }),
		words(17, "v_ashrrev_i32", func(a, b uint64) uint64 { return uint64(signed(b) >> (a & 31)) }),
		words(18, "v_lshlrev_b32", func(a, b uint64) uint64 { return b << (a & 31) }),
		words(19, "v_and_b32", func(a, b uint64) uint64 { return a & b }),
		words(20, "v_or_b32", func(a, b uint64) uint64 { return a | b }),
		words(21, "v_xor_b32", func(a, b uint64) uint64 { return a ^ b }),
		carrying(25, "v_add_co_u32", false, add),
		carrying(26, "v_sub_co_u32", false, subtract),
		carrying(27, "v_subrev_co_u32", false, subtractReversed),
		carrying(28, "v_addc_co_u32", true, add),
		carrying(29, "v_subb_co_u32", true, subtract),
		carrying(30, "v_subbrev_co_u32", true, subtractReversed),
		halves(38, "v_add_u16", func(a, b uint64) uint64 { return a + b }),
		halves(39, "v_sub_u16", func(a, b uint64) uint64 { return a - b }),
		halves(41, "v_mul_lo_u16", func(a, b uint64) uint64 { return a * b }),
		halves(42, "v_lshlrev_b16", func(a, b uint64) uint64 { return b << (a & 15) }),
		halves(43, "v_lshrrev_b16", func(a, b uint64) uint64 { return b >> (a & 15) }),
		halves(44, "v_ashrrev_i16", func(a, b uint64) uint64 { return uint64(int16(b) >> (a & 15)) }),
		halves(47, "v_max_u16", func(a, b uint64) uint64 { return max(a, b) }),
		halves(48, "v_max_i16", func(a, b uint64) uint64 { return uint64(max(int16(a), int16(b))) }),
		halves(49, "v_min_u16", func(a, b uint64) uint64 { return min(a, b) }),
		halves(50, "v_min_i16", func(a, b uint64) uint64 { return uint64(min(int16(a), int16(b))) }),
		saturating(words(52, "v_add_u32", func(a, b uint64) uint64 { return a + b })),
		saturating(words(53, "v_sub_u32", func(a, b uint64) uint64 { return a - b })),
		words(54, "v_subrev_u32", func(a, b uint64) uint64 { return b - a }),
		threeWords(57, "v_dot4c_i32_i8", func(a, b, c uint64) uint64 { return uint64(dotBytes(a, b, signedByte) + signed(c)) }),
		words(61, "v_xnor_b32", func(a, b uint64) uint64 { return ^(a ^ b) }),
	}
	for n := range rows {
		rows[n].accumulates = rows[n].code == 57
	}
	return rows
}

func integerOne() []row {
	one := func(code int, name string, d kind, f func(a uint64) uint64) row {
		return row{code: code, name: name, d: d, s: [3]kind{d}, lane: func(a, _, _ uint64) uint64 { return f(a) }}
	}
	return []row{
		one(1, "v_mov_b32", b32, func(a uint64) uint64 { return a }),
		{code: 2, name: "v_readfirstlane_b32", d: b32, s: [3]kind{b32}, single: true, moves: true, toScalar: true, run: func(x *execution, i *instruction) {
			x.wave.moveToScalar(i, x.wave.firstLane())
		}},
		{code: 81, name: "v_swap_b32", d: b32, s: [3]kind{b32}, single: true, moves: true, run: func(x *execution, i *instruction) {
			a, b := i.d-vectors, i.s[0]-vectors
			w := x.wave
			x.eachLane(func(lane int) { w.v[a][lane], w.v[b][lane] = w.v[b][lane], w.v[a][lane] })
			changed := (w.definedLanes[a] ^ w.definedLanes[b]) & w.exec()
			w.definedLanes[a] ^= changed
			w.definedLanes[b] ^= changed
		}},
		{code: 82, name: "v_accvgpr_mov_b32", d: b32, s: [3]kind{b32}, single: true, moves: true, run: func(x *execution, i *instruction) {
			x.moveRegister(i.d+accums-vectors, i.s[0]+accums-vectors)
		}},
		one(43, "v_not_b32", b32, func(a uint64) uint64 { return ^a }),
		one(44, "v_bfrev_b32", b32, func(a uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }),
		one(45, "v_ffbh_u32", b32, func(a uint64) uint64 { return found(bits.LeadingZeros32(uint32(a)), 32) }),
		one(46, "v_ffbl_b32", b32, func(a uint64) uint64 { return found(bits.TrailingZeros32(uint32(a)), 32) }),
		one(47, "v_ffbh_i32", b32, func(a uint64) uint64 { return found(bits.LeadingZeros32(uint32(a)^uint32(int32(a)>>31)), 32) }),
		{code: 56, name: "v_mov_b64", d: b64, s: [3]kind{b64}, wordwise: true, lane: func(a, _, _ uint64) uint64 { return a }},
	}
}

// firstLane is the first active lane, or lane 0.
func (w *wave) firstLane() int { return bits.TrailingZeros64(w.exec()) % lanes }

// moveRegister copies the active lanes of a vector register, undefined ones too.
func (x *execution) moveRegister(to, from operand) {
	w, d, s := x.wave, to-vectors, from-vectors
	x.eachLane(func(lane int) { w.v[d][lane] = w.v[s][lane] })
	w.definedLanes[d] = w.definedLanes[d]&^w.exec() | w.definedLanes[s]&w.exec()
}

// fieldOf extracts a bit field, with sign extension if extend is set.
func fieldOf(a, b, c uint64, extend bool) uint64 {
	offset, width := b&31, c&31
	if width == 0 {
		return 0
	}
	x := a >> offset
	if extend { // bits beyond the word's end are copies of its sign
		return uint64(signed(a) >> offset << (64 - width) >> (64 - width))
	}
	return x & (1<<width - 1)
}

// middle returns the median.
func middle[T int64 | uint64](a, b, c T) T { return max(min(a, b), min(max(a, b), c)) }

// permutedBytes executes v_perm_b32: the bytes of c select bytes of a and b.
func permutedBytes(a, b, c uint64) uint64 {
	both := a<<32 | b
	result := uint64(0)
	for n := 0; n < 32; n += 8 {
		selector := c >> n & 0xFF
		x := uint64(0)
		switch {
		case selector >= 13:
			x = 0xFF
		case selector == 12:
		case selector >= 8: // the sign of a half
			x = -(both >> ((selector-8)*16 + 15) & 1) & 0xFF
		default:
			x = both >> (8 * selector) & 0xFF
		}
		result |= x << n
	}
	return result
}

// below executes v_mbcnt: it counts the set bits for lower lanes, in the lower or upper half of a
// mask, and adds the second operand.
func below(upper bool) func(x *execution, i *instruction) {
	return func(x *execution, i *instruction) {
		w := x.wave
		x.eachLane(func(lane int) {
			before := uint64(1)<<lane - 1
			if upper {
				before >>= 32
			}
			n := bits.OnesCount64(w.source(i, 0, b32, lane) & before & 0xFFFFFFFF)
			w.setVectorWord(i.d, lane, uint32(uint64(n)+w.source(i, 1, b32, lane)))
		})
	}
}

func integerThree() []row {
	long := func(code int, name string, f func(a, b uint64) uint64) row {
		return row{code: code, name: name, d: b64, s: [3]kind{b32, b64}, lane: func(a, b, _ uint64) uint64 { return f(a, b) }}
	}
	return []row{
		threeWords(450, "v_mad_i32_i24", func(a, b, c uint64) uint64 { return uint64(signed24(a)*signed24(b)) + c }),
		saturating(threeWords(451, "v_mad_u32_u24", func(a, b, c uint64) uint64 { return uint64(uint32(unsigned24(a)*unsigned24(b))) + c })),
		threeWords(456, "v_bfe_u32", func(a, b, c uint64) uint64 { return fieldOf(a, b, c, false) }),
		threeWords(457, "v_bfe_i32", func(a, b, c uint64) uint64 { return fieldOf(a, b, c, true) }),
		threeWords(458, "v_bfi_b32", func(a, b, c uint64) uint64 { return a&b | c&^a }),
		threeWords(462, "v_alignbit_b32", func(a, b, c uint64) uint64 { return (a<<32 | b) >> (c & 31) }),
		threeWords(465, "v_min3_i32", func(a, b, c uint64) uint64 { return uint64(min(signed(a), signed(b), signed(c))) }),
		threeWords(466, "v_min3_u32", func(a, b, c uint64) uint64 { return min(a, b, c) }),
		threeWords(468, "v_max3_i32", func(a, b, c uint64) uint64 { return uint64(max(signed(a), signed(b), signed(c))) }),
		threeWords(469, "v_max3_u32", func(a, b, c uint64) uint64 { return max(a, b, c) }),
		threeWords(471, "v_med3_i32", func(a, b, c uint64) uint64 { return uint64(middle(signed(a), signed(b), signed(c))) }),
		threeWords(472, "v_med3_u32", func(a, b, c uint64) uint64 { return middle(a, b, c) }),
		{code: 488, wordwise: true, name: "v_mad_u64_u32", d: b64, s: [3]kind{b32, b32, b64}, carry: func(a, b, c uint64) (uint64, bool) {
			x, over := bits.Add64(a*b, c, 0)
			return x, over != 0
		}},
		{code: 489, wordwise: true, name: "v_mad_i64_i32", d: b64, s: [3]kind{b32, b32, b64}, carry: func(a, b, c uint64) (uint64, bool) {
			product := signed(a) * signed(b)
			x := product + int64(c)
			return uint64(x), (product >= 0) == (int64(c) >= 0) && (x >= 0) != (product >= 0)
		}},
		threeWords(493, "v_perm_b32", permutedBytes),
		threeWords(499, "v_xad_u32", func(a, b, c uint64) uint64 { return (a ^ b) + c }),
		threeWords(509, "v_lshl_add_u32", func(a, b, c uint64) uint64 { return a<<(b&31) + c }),
		threeWords(510, "v_add_lshl_u32", func(a, b, c uint64) uint64 { return (a + b) << (c & 31) }),
		threeWords(511, "v_add3_u32", func(a, b, c uint64) uint64 { return a + b + c }),
		threeWords(512, "v_lshl_or_b32", func(a, b, c uint64) uint64 { return a<<(b&31) | c }),
		threeWords(513, "v_and_or_b32", func(a, b, c uint64) uint64 { return a&b | c }),
		threeWords(514, "v_or3_b32", func(a, b, c uint64) uint64 { return a | b | c }),
		{code: 520, wordwise: true, name: "v_lshl_add_u64", d: b64, s: [3]kind{b64, b32, b64}, lane: func(a, b, c uint64) uint64 { return a<<(b&7) + c }},
		words(645, "v_mul_lo_u32", func(a, b uint64) uint64 { return a * b }),
		words(646, "v_mul_hi_u32", func(a, b uint64) uint64 { return a * b >> 32 }),
		words(647, "v_mul_hi_i32", func(a, b uint64) uint64 { return uint64(signed(a) * signed(b) >> 32) }),
		{code: 649, name: "v_readlane_b32", d: b32, s: [3]kind{b32, b32}, moves: true, toScalar: true, run: func(x *execution, i *instruction) {
			w := x.wave
			w.moveToScalar(i, int(w.needed(i, i.s[1])&63))
		}},
		{code: 650, name: "v_writelane_b32", d: b32, s: [3]kind{b32, b32}, moves: true, run: func(x *execution, i *instruction) {
			w := x.wave
			lane := int(w.needed(i, i.s[1]) & 63)
			w.setVectorWord(i.d, lane, uint32(w.read(i, i.s[0], b32, 0)))
			if i.s[0] < scalars && w.definedBits[i.s[0]] != ^uint32(0) {
				w.definedLanes[i.d-vectors] &^= 1 << lane
			}
		}},
		words(651, "v_bcnt_u32_b32", func(a, b uint64) uint64 { return uint64(bits.OnesCount64(a)) + b }),
		{code: 652, name: "v_mbcnt_lo_u32_b32", d: b32, s: [3]kind{b32, b32}, run: below(false)},
		{code: 653, name: "v_mbcnt_hi_u32_b32", d: b32, s: [3]kind{b32, b32}, run: below(true)},
		long(655, "v_lshlrev_b64", func(a, b uint64) uint64 { return b << (a & 63) }),
		long(656, "v_lshrrev_b64", func(a, b uint64) uint64 { return b >> (a & 63) }),
		long(657, "v_ashrrev_i64", func(a, b uint64) uint64 { return uint64(int64(b) >> (a & 63)) }),
		words(659, "v_bfm_b32", func(a, b uint64) uint64 { return (1<<(a&31) - 1) << (b & 31) }),
	}
}
