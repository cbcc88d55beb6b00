package gfx942

import "math/bits"

// Scalar operations ("Scalar ALU Operations" of the manual). Most set SCC to whether the result is
// not zero, or to the carry.

// tested returns a function whose SCC is whether the result is not zero, in so many bits.
func tested(width uint, f func(a, b uint64) uint64) func(a, b, scc uint64) (uint64, uint64) {
	return func(a, b, _ uint64) (uint64, uint64) {
		x := f(a, b) & (1<<width - 1)
		return x, truth(x != 0)
	}
}

// scalarOperations are the bitwise operations; the opcode for 64 bits follows that for 32.
var scalarOperations = []struct {
	code    int
	name    string
	f       func(a, b uint64) uint64
	defined func(a, b, definedA, definedB uint64) uint64
}{
	{12, "s_and_b", func(a, b uint64) uint64 { return a & b }, definedAnd},
	{14, "s_or_b", func(a, b uint64) uint64 { return a | b }, definedOr},
	{16, "s_xor_b", func(a, b uint64) uint64 { return a ^ b }, definedBoth},
	{18, "s_andn2_b", func(a, b uint64) uint64 { return a &^ b }, definedAndNot},
	{20, "s_orn2_b", func(a, b uint64) uint64 { return a | ^b }, definedOrNot},
	{22, "s_nand_b", func(a, b uint64) uint64 { return ^(a & b) }, definedAnd},
	{24, "s_nor_b", func(a, b uint64) uint64 { return ^(a | b) }, definedOr},
	{26, "s_xnor_b", func(a, b uint64) uint64 { return ^(a ^ b) }, definedBoth},
}

// of returns the row of a scalar operation.
func of(code int, name string, d, a, b kind, f func(a, b, scc uint64) (uint64, uint64)) row {
	return row{code: code, name: name, d: d, s: [3]kind{a, b}, scalar: f}
}

// keeping returns the row of an operation that does not write SCC.
func keeping(code int, name string, d, a, b kind, f func(a, b uint64) uint64) row {
	return row{code: code, name: name, d: d, s: [3]kind{a, b}, keeping: f}
}

// withSCC marks the row of an operation that reads SCC.
func withSCC(r row) row {
	r.readsSCC = true
	return r
}

// choosing marks the row of an operation that selects one of two sources by SCC.
func choosing(r row) row {
	r.readsSCC, r.selects = true, true
	return r
}

// moving marks the row of an operation that copies bits.
func moving(r row) row {
	r.moves = true
	return r
}

func signed(x uint64) int64 { return int64(int32(uint32(x))) }

// selected returns a minimum or maximum, whose SCC is whether the first operand is the result.
func selected(first func(a, b uint64) bool) func(a, b, scc uint64) (uint64, uint64) {
	return func(a, b, _ uint64) (uint64, uint64) {
		if first(a, b) {
			return a, 1
		}
		return b, 0
	}
}

// extracted returns a bit field extraction; the second source has the offset and the length.
func extracted(width uint, extend bool) func(a, b, scc uint64) (uint64, uint64) {
	return tested(width, func(a, b uint64) uint64 {
		offset, length := b&uint64(width-1), uint(b>>16&127)
		if length == 0 {
			return 0
		}
		length = min(length, 64)
		if extend {
			x := int64(a<<(64-width)) >> (64 - width) >> offset
			return uint64(x << (64 - length) >> (64 - length))
		}
		return a >> offset << (64 - length) >> (64 - length)
	})
}

func two() []row {
	rows := []row{
		of(0, "s_add_u32", b32, b32, b32, func(a, b, _ uint64) (uint64, uint64) { return a + b, (a + b) >> 32 }),
		of(1, "s_sub_u32", b32, b32, b32, func(a, b, _ uint64) (uint64, uint64) { return a - b, truth(a < b) }),
		of(2, "s_add_i32", b32, b32, b32, func(a, b, _ uint64) (uint64, uint64) {
			x := signed(a) + signed(b)
			return uint64(x), truth(x != int64(int32(x)))
		}),
		of(3, "s_sub_i32", b32, b32, b32, func(a, b, _ uint64) (uint64, uint64) {
			x := signed(a) - signed(b)
			return uint64(x), truth(x != int64(int32(x)))
		}),
		withSCC(of(4, "s_addc_u32", b32, b32, b32, func(a, b, scc uint64) (uint64, uint64) { return a + b + scc, (a + b + scc) >> 32 })),
		withSCC(of(5, "s_subb_u32", b32, b32, b32, func(a, b, scc uint64) (uint64, uint64) { return a - b - scc, truth(a < b+scc) })),
		of(6, "s_min_i32", b32, b32, b32, selected(func(a, b uint64) bool { return signed(a) < signed(b) })),
		of(7, "s_min_u32", b32, b32, b32, selected(func(a, b uint64) bool { return a < b })),
		of(8, "s_max_i32", b32, b32, b32, selected(func(a, b uint64) bool { return signed(a) > signed(b) })),
		of(9, "s_max_u32", b32, b32, b32, selected(func(a, b uint64) bool { return a > b })),
		choosing(of(10, "s_cselect_b32", b32, b32, b32, func(a, b, scc uint64) (uint64, uint64) { return a*scc + b*(1-scc), scc })),
		choosing(of(11, "s_cselect_b64", b64, b64, b64, func(a, b, scc uint64) (uint64, uint64) { return a*scc + b*(1-scc), scc })),
		of(28, "s_lshl_b32", b32, b32, b32, tested(32, func(a, b uint64) uint64 { return a << (b & 31) })),
		of(29, "s_lshl_b64", b64, b64, b32, tested(64, func(a, b uint64) uint64 { return a << (b & 63) })),
		of(30, "s_lshr_b32", b32, b32, b32, tested(32, func(a, b uint64) uint64 { return a >> (b & 31) })),
		of(31, "s_lshr_b64", b64, b64, b32, tested(64, func(a, b uint64) uint64 { return a >> (b & 63) })),
		of(32, "s_ashr_i32", b32, b32, b32, tested(32, func(a, b uint64) uint64 { return uint64(signed(a) >> (b & 31)) })),
		of(33, "s_ashr_i64", b64, b64, b32, tested(64, func(a, b uint64) uint64 { return uint64(int64(a) >> (b & 63)) })),
		keeping(34, "s_bfm_b32", b32, b32, b32, func(a, b uint64) uint64 { return (1<<(a&31) - 1) << (b & 31) }),
		keeping(36, "s_mul_i32", b32, b32, b32, func(a, b uint64) uint64 { return a * b }),
		of(37, "s_bfe_u32", b32, b32, b32, extracted(32, false)),
		of(38, "s_bfe_i32", b32, b32, b32, extracted(32, true)),
		of(39, "s_bfe_u64", b64, b64, b32, extracted(64, false)),
		of(40, "s_bfe_i64", b64, b64, b32, extracted(64, true)),
		keeping(44, "s_mul_hi_u32", b32, b32, b32, func(a, b uint64) uint64 { return a * b >> 32 }),
		keeping(45, "s_mul_hi_i32", b32, b32, b32, func(a, b uint64) uint64 { return uint64(signed(a) * signed(b) >> 32) }),
	}
	for _, o := range scalarOperations {
		narrow, wide := of(o.code, o.name+"32", b32, b32, b32, tested(32, o.f)), of(o.code+1, o.name+"64", b64, b64, b64, tested(64, o.f))
		narrow.bitwise, wide.bitwise = o.defined, o.defined
		rows = append(rows, narrow, wide)
	}
	return rows
}

// found returns the position that a bit search found, or -1 if it is the width.
func found(position int, width int) uint64 {
	if position == width {
		return 0xFFFFFFFF
	}
	return uint64(position)
}

// one are the operations on one operand.
func one() []row {
	a32 := func(code int, name string, f func(a, d, scc uint64) (uint64, uint64)) row {
		return of(code, name, b32, b32, none, f)
	}
	keep32 := func(code int, name string, f func(a, d uint64) uint64) row {
		return keeping(code, name, b32, b32, none, f)
	}
	keep64 := func(code int, name string, d kind, f func(a, d uint64) uint64) row {
		return keeping(code, name, d, b64, none, f)
	}
	a64 := func(code int, name string, d kind, f func(a, d, scc uint64) (uint64, uint64)) row {
		return of(code, name, d, b64, none, f)
	}
	rows := []row{
		moving(keep32(0, "s_mov_b32", func(a, _ uint64) uint64 { return a })),
		moving(keep64(1, "s_mov_b64", b64, func(a, _ uint64) uint64 { return a })),
		a32(4, "s_not_b32", tested(32, func(a, _ uint64) uint64 { return ^a })),
		a64(5, "s_not_b64", b64, tested(64, func(a, _ uint64) uint64 { return ^a })),
		keep32(8, "s_brev_b32", func(a, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }),
		keep64(9, "s_brev_b64", b64, func(a, _ uint64) uint64 { return bits.Reverse64(a) }),
		a32(12, "s_bcnt1_i32_b32", tested(32, func(a, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) })),
		a64(13, "s_bcnt1_i32_b64", b32, tested(32, func(a, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) })),
		keep32(16, "s_ff1_i32_b32", func(a, _ uint64) uint64 { return found(bits.TrailingZeros32(uint32(a)), 32) }),
		keep64(17, "s_ff1_i32_b64", b32, func(a, _ uint64) uint64 { return found(bits.TrailingZeros64(a), 64) }),
		keep32(18, "s_flbit_i32_b32", func(a, _ uint64) uint64 { return found(bits.LeadingZeros32(uint32(a)), 32) }),
		keep64(19, "s_flbit_i32_b64", b32, func(a, _ uint64) uint64 { return found(bits.LeadingZeros64(a), 64) }),
		keep32(20, "s_flbit_i32", func(a, _ uint64) uint64 { return found(bits.LeadingZeros32(uint32(a)^uint32(int32(a)>>31)), 32) }),
		keep32(22, "s_sext_i32_i8", func(a, _ uint64) uint64 { return uint64(int8(a)) }),
		keep32(23, "s_sext_i32_i16", func(a, _ uint64) uint64 { return uint64(int16(a)) }),
		keeping(24, "s_bitset0_b32", b32, b32, b32, func(a, d uint64) uint64 { return d &^ (1 << (a & 31)) }),
		keeping(26, "s_bitset1_b32", b32, b32, b32, func(a, d uint64) uint64 { return d | 1<<(a&31) }),
		a32(48, "s_abs_i32", tested(32, func(a, _ uint64) uint64 { return uint64(max(signed(a), -signed(a))) })),
		{code: 28, name: "s_getpc_b64", d: b64, run: func(x *execution, i *instruction) { x.wave.setScalar(i.d, b64, x.wave.pc) }},
		{code: 29, name: "s_setpc_b64", s: [3]kind{b64}, run: func(x *execution, i *instruction) { x.wave.pc = x.wave.scalarPair(i.s[0]) }},
		{code: 30, name: "s_swappc_b64", d: b64, s: [3]kind{b64}, run: func(x *execution, i *instruction) {
			to := x.wave.scalarPair(i.s[0])
			x.wave.setScalar(i.d, b64, x.wave.pc)
			x.wave.pc = to
		}},
	}
	for n, o := range scalarOperations { // each also has an instruction that saves and updates EXEC
		rows = append(rows, row{code: 32 + n, name: o.name[:len(o.name)-2] + "_saveexec_b64", d: b64, s: [3]kind{b64}, checkDefined: func(w *wave, i *instruction) {
			if o.defined(w.read(i, i.s[0], b64, 0), w.exec(), w.definedScalar(i.s[0], b64), ^uint64(0)) != ^uint64(0) {
				fail("%s is read, of which nothing has written all bits", i.s[0])
			}
		}, run: func(x *execution, i *instruction) {
			w := x.wave
			a, exec := w.read(i, i.s[0], b64, 0), w.exec()
			w.setScalar(i.d, b64, exec)
			w.setScalar(execLow, b64, o.f(a, exec))
			w.setSCC(truth(w.exec() != 0))
		}})
	}
	return rows
}

// scalarCompares are the comparisons; the opcodes of unsigned ones are six larger.
var scalarCompares = []struct {
	name string
	f    func(a, b int64) bool
}{
	{"eq", func(a, b int64) bool { return a == b }},
	{"lg", func(a, b int64) bool { return a != b }},
	{"gt", func(a, b int64) bool { return a > b }},
	{"ge", func(a, b int64) bool { return a >= b }},
	{"lt", func(a, b int64) bool { return a < b }},
	{"le", func(a, b int64) bool { return a <= b }},
}

// comparing are the operations that only write SCC.
func comparing() []row {
	only := func(code int, name string, k, b kind, f func(a, b uint64) bool) row {
		return of(code, name, none, k, b, func(a, b, _ uint64) (uint64, uint64) { return 0, truth(f(a, b)) })
	}
	rows := []row{
		only(12, "s_bitcmp0_b32", b32, b32, func(a, b uint64) bool { return a>>(b&31)&1 == 0 }),
		only(13, "s_bitcmp1_b32", b32, b32, func(a, b uint64) bool { return a>>(b&31)&1 != 0 }),
		only(18, "s_cmp_eq_u64", b64, b64, func(a, b uint64) bool { return a == b }),
		only(19, "s_cmp_lg_u64", b64, b64, func(a, b uint64) bool { return a != b }),
	}
	for n, c := range scalarCompares {
		rows = append(rows,
			only(n, "s_cmp_"+c.name+"_i32", b32, b32, func(a, b uint64) bool { return c.f(signed(a), signed(b)) }),
			only(6+n, "s_cmp_"+c.name+"_u32", b32, b32, func(a, b uint64) bool { return c.f(int64(a), int64(b)) }))
	}
	return rows
}

// constant returns the row of an operation on the destination and a 16-bit immediate.
func constant(code int, name string, d kind, f func(a, b, scc uint64) (uint64, uint64)) row {
	return row{code: code, name: name, d: d, s: [3]kind{b32}, scalar: f}
}

// withConstants are the operations with a 16-bit immediate.
func withConstants() []row {
	rows := []row{
		{code: 0, name: "s_movk_i32", d: b32, keeping: func(_, b uint64) uint64 { return b }},
		constant(14, "s_addk_i32", b32, func(a, b, _ uint64) (uint64, uint64) {
			x := signed(a) + signed(b)
			return uint64(x), truth(x != int64(int32(x)))
		}),
		{code: 15, name: "s_mulk_i32", d: b32, s: [3]kind{b32}, keeping: func(a, b uint64) uint64 { return a * b }},
	}
	for n, c := range scalarCompares {
		rows = append(rows,
			constant(2+n, "s_cmpk_"+c.name+"_i32", none, func(a, b, _ uint64) (uint64, uint64) { return 0, truth(c.f(signed(a), signed(b))) }),
			constant(8+n, "s_cmpk_"+c.name+"_u32", none, func(a, b, _ uint64) (uint64, uint64) { return 0, truth(c.f(int64(a), int64(b&0xFFFF))) }))
	}
	return rows
}

// scalarSources reads the sources of a scalar operation.
func (w *wave) scalarSources(i *instruction) (a, b uint64) {
	r := i.row
	if r.format == sopk {
		if r.s[0] != none {
			a = w.read(i, i.d, b32, 0)
		}
		return a, uint64(uint32(i.immediate))
	}
	a = w.read(i, i.s[0], r.s[0], 0)
	if r.s[1] != none {
		b = w.read(i, i.second(), r.s[1], 0)
	}
	return a, b
}

// second returns the second source of a scalar operation, which for SOP1 is the destination.
func (i *instruction) second() operand {
	if i.row.format == sop1 {
		return i.d
	}
	return i.s[1]
}

// scalar executes a row with a function for scalars.
func (x *execution) scalar(i *instruction) {
	w, r := x.wave, i.row
	a, b := w.scalarSources(i)
	bits, scc := w.definedResult(i, a, b)
	result := uint64(0)
	if r.keeping != nil {
		result = r.keeping(a, b)
	} else {
		result, w.scc = r.scalar(a, b, w.scc)
		w.definedSCC = scc
	}
	if r.d != none {
		w.setScalar(i.d, r.d, result)
		w.define(i.d, r.d, bits)
	}
}
