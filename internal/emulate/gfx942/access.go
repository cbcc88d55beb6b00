package gfx942

import "encoding/binary"

// Memory accesses: scalar loads, global, private and flat memory, and workgroup memory (LDS).

// scalarLoads are the rows of scalar loads.
func scalarLoads() []row {
	load := func(code int, name string, k kind) row {
		return row{code: code, name: name, d: k, checkDefined: func(w *wave, i *instruction) { w.scalarPair(i.address) }, run: func(x *execution, i *instruction) {
			w := x.wave
			address := w.scalarPair(i.address) + uint64(int64(i.immediate))
			if i.scalarAddress != nothing {
				address += w.scalarWord(i.scalarAddress)
			}
			data := x.memory.at(address&^3, 4*registers[k], false)
			for n := range registers[k] {
				w.setScalar(i.d+operand(n), b32, word(data[4*n:], 4))
			}
		}}
	}
	return []row{
		load(0, "s_load_dword", b32), load(1, "s_load_dwordx2", b64), load(2, "s_load_dwordx4", b128), load(3, "s_load_dwordx8", b256),
		load(4, "s_load_dwordx16", b512),
	}
}

// privateAt returns the index in wave.scratch of a lane's access to private memory.
func (x *execution) privateAt(i *instruction, lane, bytes int) uint64 {
	w := x.wave
	address := uint64(int64(i.immediate))
	if i.vectorAddress {
		address += w.vectorWord(i.address, lane)
	}
	if i.scalarAddress != nothing {
		address += w.scalarWord(i.scalarAddress)
	}
	return x.private(lane, address&0xFFFFFFFF, bytes)
}

// bytesAt returns the bytes of a lane's access to global memory. A flat address must be one of
// global memory too, since gpuc has no others.
func (x *execution) bytesAt(i *instruction, lane, bytes int, writes bool) []byte {
	w := x.wave
	address := uint64(int64(i.immediate))
	if i.scalarAddress != nothing && i.row.format == global {
		address += w.scalarPair(i.scalarAddress) + w.vectorWord(i.address, lane)
	} else {
		address += w.vectorWord(i.address, lane) | w.vectorWord(i.address+1, lane)<<32
	}
	return x.memory.at(address, bytes, writes)
}

// transfers are the loads and stores, with the same opcodes in all segments but workgroup memory.
var transfers = []struct {
	code    int
	name    string
	bytes   int
	store   bool
	convert func(x uint64) uint64 // of the loaded value, or nil
	half    half
}{
	{16, "load_ubyte", 1, false, nil, lowHalf},
	{17, "load_sbyte", 1, false, func(x uint64) uint64 { return uint64(int8(x)) }, lowHalf},
	{18, "load_ushort", 2, false, nil, lowHalf},
	{19, "load_sshort", 2, false, func(x uint64) uint64 { return uint64(int16(x)) }, lowHalf},
	{20, "load_dword", 4, false, nil, lowHalf},
	{21, "load_dwordx2", 8, false, nil, lowHalf},
	{22, "load_dwordx3", 12, false, nil, lowHalf},
	{23, "load_dwordx4", 16, false, nil, lowHalf},
	{24, "store_byte", 1, true, nil, lowHalf},
	{26, "store_short", 2, true, nil, lowHalf},
	{27, "store_short_d16_hi", 2, true, nil, highHalf},
	{28, "store_dword", 4, true, nil, lowHalf},
	{29, "store_dwordx2", 8, true, nil, lowHalf},
	{30, "store_dwordx3", 12, true, nil, lowHalf},
	{31, "store_dwordx4", 16, true, nil, lowHalf},
}

// half selects the half of a register that a store of two bytes writes.
type half uint8

const (
	lowHalf half = iota
	highHalf
)

// loadRegisters writes loaded bytes to a lane's registers.
func (w *wave) loadRegisters(o operand, lane int, data []byte, bytes int, convert func(uint64) uint64) {
	if bytes > 4 {
		for n := range bytes / 4 {
			w.setVectorWord(o+operand(n), lane, binary.LittleEndian.Uint32(data[4*n:]))
		}
		return
	}
	value := word(data, bytes)
	if convert != nil {
		value = convert(value)
	}
	w.setVectorWord(o, lane, uint32(value))
}

// storeRegisters writes a lane's registers to memory.
func (w *wave) storeRegisters(o operand, lane int, data []byte, bytes int, h half) {
	if bytes > 4 {
		for n := range bytes / 4 {
			binary.LittleEndian.PutUint32(data[4*n:], uint32(w.vectorWord(o+operand(n), lane)))
		}
		return
	}
	value := w.vectorWord(o, lane)
	if h == highHalf {
		value >>= 16
	}
	setWord(data, bytes, value)
}

// transferPrivate loads or stores private memory. LLVM spills registers there, undefined ones too.
func (w *wave) transferPrivate(i *instruction, lane int, at uint64, bytes int, stores bool, convert func(uint64) uint64, h half) {
	if !stores {
		w.loadRegisters(i.d, lane, w.scratch[at:], bytes, convert)
		for n := range bytes {
			if r := i.d - vectors + operand(n/4); !w.definedScratch[at+uint64(n)] {
				w.definedLanes[r] &^= 1 << lane
			}
		}
		return
	}
	for n := range bytes {
		r := i.data[0] - vectors + operand(n/4)
		shift := n % 4 * 8
		if h == highHalf {
			shift += 16
		}
		w.scratch[at+uint64(n)] = byte(w.v[r][lane] >> shift)
		w.definedScratch[at+uint64(n)] = w.definedLanes[r]>>lane&1 != 0
	}
}

// atomics are the atomic read-modify-write operations, with opcodes and names for global memory and
// for workgroup memory. f returns the new value from the old one and the operand.
var atomics = []struct {
	code, shared int
	name         string // after global_atomic_
	sharedName   string // after ds_, without the width
	f            func(old, x uint64) uint64
	signed       bool
}{
	{66, 0, "add", "add_u", func(old, x uint64) uint64 { return old + x }, false},
	{67, 1, "sub", "sub_u", func(old, x uint64) uint64 { return old - x }, false},
	{68, 5, "smin", "min_i", func(old, x uint64) uint64 { return uint64(min(int64(old), int64(x))) }, true},
	{69, 7, "umin", "min_u", func(old, x uint64) uint64 { return min(old, x) }, false},
	{70, 6, "smax", "max_i", func(old, x uint64) uint64 { return uint64(max(int64(old), int64(x))) }, true},
	{71, 8, "umax", "max_u", func(old, x uint64) uint64 { return max(old, x) }, false},
	{72, 9, "and", "and_b", func(old, x uint64) uint64 { return old & x }, false},
	{73, 10, "or", "or_b", func(old, x uint64) uint64 { return old | x }, false},
	{74, 11, "xor", "xor_b", func(old, x uint64) uint64 { return old ^ x }, false},
}

// update executes an atomic operation on memory and returns the old value.
func update(data []byte, bytes int, x uint64, f func(old, x uint64) uint64, signed bool) uint64 {
	old := word(data, bytes)
	a, b := old, x
	if signed && bytes == 4 {
		a, b = uint64(int64(int32(a))), uint64(int64(int32(b)))
	}
	setWord(data, bytes, f(a, b))
	return old
}

// change executes an atomic operation of a lane on memory and returns the old value.
type change func(w *wave, i *instruction, lane int, data []byte) uint64

// modify returns the change whose new value is a function of the old one and the operand.
func modify(bytes int, f func(old, x uint64) uint64, signed bool) change {
	return func(w *wave, i *instruction, lane int, data []byte) uint64 {
		return update(data, bytes, w.register(i.data[0], lane, bytes), f, signed)
	}
}

func exchange(bytes int) change {
	return modify(bytes, func(_, x uint64) uint64 { return x }, false)
}

// compareExchange returns the change of a compare-and-swap with the given operands.
func compareExchange(bytes int, operands func(i *instruction) (expected, value operand)) change {
	return func(w *wave, i *instruction, lane int, data []byte) uint64 {
		e, v := operands(i)
		expected := w.register(e, lane, bytes)
		return update(data, bytes, w.register(v, lane, bytes), func(old, x uint64) uint64 {
			if old == expected {
				return x
			}
			return old
		}, false)
	}
}

// register returns four or eight bytes of a lane's registers.
func (w *wave) register(o operand, lane, bytes int) uint64 {
	x := w.vectorWord(o, lane)
	if bytes == 8 {
		x |= w.vectorWord(o+1, lane) << 32
	}
	return x
}

func kindOf(bytes int) kind {
	if bytes == 8 {
		return b64
	}
	return b32
}

// accesses are the rows of flat, global or private accesses.
func accesses(f format, prefix string) (rows []row) {
	for _, t := range transfers {
		rows = append(rows, row{code: t.code, name: prefix + t.name, bytes: t.bytes, stores: t.store, run: func(x *execution, i *instruction) {
			w := x.wave
			x.eachLane(func(lane int) {
				if f == scratch {
					w.transferPrivate(i, lane, x.privateAt(i, lane, t.bytes), t.bytes, t.store, t.convert, t.half)
					return
				}
				data := x.bytesAt(i, lane, t.bytes, t.store)
				if t.store {
					w.storeRegisters(i.data[0], lane, data, t.bytes, t.half)
				} else {
					w.loadRegisters(i.d, lane, data, t.bytes, t.convert)
				}
			})
		}})
	}
	if f != global {
		return rows
	}
	atomic := func(code int, name string, bytes int, change change) {
		rows = append(rows, row{code: code, name: prefix + "atomic_" + name, run: func(x *execution, i *instruction) {
			x.eachLane(func(lane int) {
				data := x.bytesAt(i, lane, bytes, true)
				if address := x.wave.register(i.address, lane, 4) + uint64(int64(i.immediate)); address%uint64(bytes) != 0 {
					fail("a misaligned atomic operation on %d bytes", bytes)
				}
				if old := change(x.wave, i, lane, data); i.returns {
					x.wave.setVector(i.d, lane, kindOf(bytes), old)
				}
			})
		}})
	}
	for n, suffix := range [...]string{"", "_x2"} {
		bytes := 4 << n
		for _, a := range atomics {
			atomic(a.code+32*n, a.name+suffix, bytes, modify(bytes, a.f, a.signed))
		}
		atomic(64+32*n, "swap"+suffix, bytes, exchange(bytes))
		// the registers of the expected value follow those of the new one
		atomic(65+32*n, "cmpswap"+suffix, bytes, compareExchange(bytes, func(i *instruction) (expected, value operand) {
			return i.data[0] + operand(bytes/4), i.data[0]
		}))
	}
	return rows
}

// sharedTransfers are the loads and stores of workgroup memory. The pairs (read2, write2) have two
// offsets in units of stride.
var sharedTransfers = []struct {
	code    int
	name    string
	bytes   int
	store   bool
	stride  uint32 // the unit of a pair's offsets in bytes, or 0
	convert func(x uint64) uint64
	half    half
}{
	{13, "write_b32", 4, true, 0, nil, lowHalf},
	{14, "write2_b32", 4, true, 4, nil, lowHalf},
	{15, "write2st64_b32", 4, true, 4 * 64, nil, lowHalf},
	{30, "write_b8", 1, true, 0, nil, lowHalf},
	{31, "write_b16", 2, true, 0, nil, lowHalf},
	{54, "read_b32", 4, false, 0, nil, lowHalf},
	{55, "read2_b32", 4, false, 4, nil, lowHalf},
	{56, "read2st64_b32", 4, false, 4 * 64, nil, lowHalf},
	{57, "read_i8", 1, false, 0, func(x uint64) uint64 { return uint64(int8(x)) }, lowHalf},
	{58, "read_u8", 1, false, 0, nil, lowHalf},
	{59, "read_i16", 2, false, 0, func(x uint64) uint64 { return uint64(int16(x)) }, lowHalf},
	{60, "read_u16", 2, false, 0, nil, lowHalf},
	{77, "write_b64", 8, true, 0, nil, lowHalf},
	{78, "write2_b64", 8, true, 8, nil, lowHalf},
	{79, "write2st64_b64", 8, true, 8 * 64, nil, lowHalf},
	{118, "read_b64", 8, false, 0, nil, lowHalf},
	{119, "read2_b64", 8, false, 8, nil, lowHalf},
	{120, "read2st64_b64", 8, false, 8 * 64, nil, lowHalf},
	{222, "write_b96", 12, true, 0, nil, lowHalf},
	{223, "write_b128", 16, true, 0, nil, lowHalf},
	{254, "read_b96", 12, false, 0, nil, lowHalf},
	{255, "read_b128", 16, false, 0, nil, lowHalf},
}

// sharedAddress returns a lane's address in workgroup memory, with an offset of 16 bits.
func (w *wave) sharedAddress(i *instruction, lane int) uint64 {
	return w.vectorWord(i.address, lane) + uint64(i.offsets[0]) + uint64(i.offsets[1])<<8
}

// sharedAddresses returns one address, or the two of a pair.
func (w *wave) sharedAddresses(i *instruction, lane int, stride uint32) []uint64 {
	if stride == 0 {
		return []uint64{w.sharedAddress(i, lane)}
	}
	base := w.vectorWord(i.address, lane)
	return []uint64{base + uint64(i.offsets[0]*stride), base + uint64(i.offsets[1]*stride)}
}

// sharedAccesses are the rows of workgroup memory.
func sharedAccesses() (rows []row) {
	for _, t := range sharedTransfers {
		rows = append(rows, row{code: t.code, name: "ds_" + t.name, bytes: t.bytes, stores: t.store, stride: t.stride, run: func(x *execution, i *instruction) {
			w := x.wave
			x.eachLane(func(lane int) {
				// the destination may be the address register, so addresses are computed first
				for n, address := range w.sharedAddresses(i, lane, t.stride) {
					data := x.shared(address, t.bytes)
					if t.store {
						w.storeRegisters(i.data[n], lane, data, t.bytes, t.half)
					} else {
						w.loadRegisters(i.d+operand(n*max(t.bytes/4, 1)), lane, data, t.bytes, t.convert)
					}
				}
			})
		}})
	}
	atomic := func(code int, name string, bytes int, returns bool, change change) {
		rows = append(rows, row{code: code, name: "ds_" + name, run: func(x *execution, i *instruction) {
			w := x.wave
			x.eachLane(func(lane int) {
				old := change(w, i, lane, x.shared(w.sharedAddress(i, lane), bytes))
				if returns {
					w.setVector(i.d, lane, kindOf(bytes), old)
				}
			})
		}})
	}
	for n, width := range [...]string{"32", "64"} {
		bytes := 4 << n
		for _, a := range atomics {
			// "add" and "_u"
			name, kind := a.sharedName[:len(a.sharedName)-2], a.sharedName[len(a.sharedName)-2:]
			atomic(a.shared+64*n, a.sharedName+width, bytes, false, modify(bytes, a.f, a.signed))
			atomic(a.shared+64*n+32, name+"_rtn"+kind+width, bytes, true, modify(bytes, a.f, a.signed))
		}
		compare := compareExchange(bytes, func(i *instruction) (expected, value operand) { return i.data[0], i.data[1] })
		atomic(45+64*n, "wrxchg_rtn_b"+width, bytes, true, exchange(bytes))
		atomic(16+64*n, "cmpst_b"+width, bytes, false, compare)
		atomic(48+64*n, "cmpst_rtn_b"+width, bytes, true, compare)
	}
	return append(rows, row{code: 63, name: "ds_bpermute_b32", run: func(x *execution, i *instruction) {
		w := x.wave
		exec := w.exec()
		var result [lanes]uint32
		x.eachLane(func(lane int) {
			from := w.sharedAddress(i, lane) / 4 % lanes
			if exec>>from&1 != 0 { // reading an inactive lane gives 0
				result[lane] = uint32(w.vectorWord(i.data[0], int(from)))
			}
		})
		x.eachLane(func(lane int) { w.setVectorWord(i.d, lane, result[lane]) })
	}})
}
