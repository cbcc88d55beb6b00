package op

import "slices"

// IntrinsicID names an instruction of one target, which only that target's lowering makes. It is
// the attribute of the operation intrinsic (LLVM: target intrinsics).
type IntrinsicID uint32

// The intrinsics of NVIDIA's devices of compute capability 9.0, and from LoadMatrix on of 8.0 (PTX
// ISA, sections of the instructions that the table names). Addresses are those of workgroup memory.
const (
	SharedAddress IntrinsicID = iota
	MBarrierInit
	MBarrierExpect
	MBarrierArrive
	MBarrierWait
	MBarrierFence
	AsyncFence
	TensorLoad
	TensorLoadWindows
	TensorStore
	BulkCommit
	BulkWait
	BulkFinish
	SetRegisters
	WgmmaFence
	WgmmaCommit
	WgmmaWait
	Wgmma
	WgmmaRegisters
	StoreMatrix
	StorePair
	PackBFloat16
	NamedBarrier
	NamedArrive
	WarpBarrier
	LoadMatrix
	MatrixF32
	MatrixF16
	MatrixI32
	MatrixF64
	MatrixWideF64
	GlobalAddress
	CopyAsync
	CopyAsyncWhere
	CopyCommit
	CopyWait
	StoreWord
	StoreWords
	StoreDoubles
	Resident
	firstAMD
)

// The intrinsics of AMD's devices: products of matrices by a wave, of 16×16 sums. Each lane has
// some elements of the operands, in words (AMD Instinct MI300 ISA, "Matrix Arithmetic
// Instructions"; RDNA3 and RDNA4 ISA, "Wave Matrix Multiply Accumulate"):
//
//	instruction           a: row, k               sums: row, column
//	Mfma, n elements of a lane%16, n·(lane/16)+e  4·(lane/16)+e, lane%16
//	MfmaF64               lane%16, lane/16        4·e+lane/16, lane%16
//	Wmma                  lane%16, e              2·e+lane/16, lane%16
//	WmmaSplit             lane%16, 8·(lane/16)+e  8·(lane/16)+e, lane%16
//
// Element e of b has the row k and the column that a's element has as k and row. The first element
// of a word is in its lowest bits. Lanes that are not active take part, with what they have.
const (
	MfmaF16 = firstAMD + iota
	MfmaBF16
	MfmaI8
	MfmaI8Short
	MfmaF32
	MfmaF64
	WmmaF16
	WmmaBF16
	WmmaI8
	WmmaSplitF16
	WmmaSplitBF16
	WmmaSplitI8
	firstSPIRV
)

// The intrinsics of SPIR-V.
const (
	// LoadWords loads from a variable that nothing writes. Another variable has the same
	// descriptor, and an array of vectors (SPIR-V, "Aliasing").
	LoadWords = firstSPIRV + iota
	firstCPU
)

// The intrinsics of the CPU.
const (
	// Prefetch brings the line with an element of an array in a buffer to the caches. There need
	// not be such an element (Intel SDM volume 2, "PREFETCHh").
	Prefetch = firstCPU + iota
	IntrinsicCount
)

// IntrinsicInfo is an intrinsic's row. Operands has a letter for each operand. p is a pointer to a
// variable as a whole, and c a u32 constant. Scalars are u, i, l, f, d and b: u32, i32, u64, f32,
// f64 and bool. Results has a letter for each component of the result: of a scalar, a vector, or
// with more than four components an array.
type IntrinsicInfo struct {
	Name     string
	Operands string
	Results  string
	Doc      string
}

var intrinsics = [IntrinsicCount]IntrinsicInfo{
	SharedAddress:     {"nv_shared_address", "p", "u", "the address of a variable"},
	MBarrierInit:      {"nv_mbarrier_init", "uc", "", "mbarrier.init(address, arrivals)"},
	MBarrierExpect:    {"nv_mbarrier_expect", "uu", "", "mbarrier.arrive.expect_tx(address, bytes)"},
	MBarrierArrive:    {"nv_mbarrier_arrive", "u", "", "mbarrier.arrive(address)"},
	MBarrierWait:      {"nv_mbarrier_wait", "uu", "", "waits for the phase of a parity: mbarrier.try_wait.parity(address, parity) in a loop"},
	MBarrierFence:     {"nv_mbarrier_fence", "", "", "makes initialised barriers visible to asynchronous copies: fence.mbarrier_init"},
	AsyncFence:        {"nv_async_fence", "", "", "orders accesses before asynchronous ones to workgroup memory: fence.proxy.async"},
	TensorLoad:        {"nv_tensor_load", "cuuii", "", "cp.async.bulk.tensor from memory(map, to, barrier, column, row)"},
	TensorLoadWindows: {"nv_tensor_load_windows", "cuuiiiiii", "", "cp.async.bulk.tensor.im2col from memory(map, to, barrier, channel, pixel, row, image, pixels and rows from the first of a window on)"},
	TensorStore:       {"nv_tensor_store", "cuii", "", "cp.async.bulk.tensor to memory(map, from, column, row)"},
	BulkCommit:        {"nv_bulk_commit", "", "", "cp.async.bulk.commit_group"},
	BulkWait:          {"nv_bulk_wait", "c", "", "cp.async.bulk.wait_group.read(groups in flight)"},
	BulkFinish:        {"nv_bulk_finish", "c", "", "cp.async.bulk.wait_group(groups in flight)"},
	SetRegisters:      {"nv_set_registers", "cc", "", "setmaxnreg(increase, registers)"},
	WgmmaFence:        {"nv_wgmma_fence", "", "", "wgmma.fence"},
	WgmmaCommit:       {"nv_wgmma_commit", "", "", "wgmma.commit_group"},
	WgmmaWait:         {"nv_wgmma_wait", "c", "", "wgmma.wait_group(groups in flight)"},
	Wgmma:             {"nv_wgmma", "pcccllbcc", "", "wgmma.mma_async(sums, first of them, operand type, columns, descriptor a, descriptor b, add, transpose a, transpose b)"},
	WgmmaRegisters:    {"nv_wgmma_registers", "pcccuuuulbc", "", "wgmma.mma_async with a in registers(sums, first of them, operand type, columns, four registers of a, descriptor b, add, transpose b)"},
	StoreMatrix:       {"nv_store_matrix", "uuuuu", "", "stmatrix.x4(address, four registers)"},
	StorePair:         {"nv_store_pair", "uff", "", "st.shared.v2.f32(address, first, second)"},
	PackBFloat16:      {"nv_pack_bf16", "ff", "u", "cvt.rn.bf16x2.f32(lower, upper)"},
	NamedBarrier:      {"nv_named_barrier", "uc", "", "bar.sync(number, threads)"},
	NamedArrive:       {"nv_named_arrive", "uc", "", "bar.arrive(number, threads)"},
	WarpBarrier:       {"nv_warp_barrier", "", "", "bar.warp.sync of all lanes"},
	LoadMatrix:        {"nv_load_matrix", "cu", "uuuu", "ldmatrix.x4(transposed, address)"},
	MatrixF32:         {"nv_matrix_f32", "cuuuuuuffff", "ffff", "mma.sync with sums of f32(operand type, four registers of a, two of b, four of c)"},
	MatrixF16:         {"nv_matrix_f16", "cuuuuuuuu", "uu", "mma.sync with sums of f16(operand type, four registers of a, two of b, two of c)"},
	MatrixI32:         {"nv_matrix_i32", "cuuuuuuuuuu", "uuuu", "mma.sync with sums of 32 bits(operand type, four registers of a, two of b, four of c)"},
	MatrixF64:         {"nv_matrix_f64", "cdddd", "dd", "mma.sync of 8 rows with sums of f64(operand type, a, b, two of c)"},
	MatrixWideF64:     {"nv_matrix_wide_f64", "cdddddddddd", "dddd", "mma.sync of 16 rows with sums of f64(operand type, four of a, two of b, four of c)"},
	GlobalAddress:     {"nv_global_address", "p", "l", "the address of a variable in storage"},
	CopyAsync:         {"nv_copy_async", "ulu", "", "cp.async.cg.shared.global of 16 bytes(to, from, bytes that are read; the rest are zeros)"},
	CopyAsyncWhere:    {"nv_copy_async_where", "ulb", "", "cp.async.cg.shared.global of 16 bytes(to, from, whether it copies)"},
	CopyCommit:        {"nv_copy_commit", "", "", "cp.async.commit_group"},
	CopyWait:          {"nv_copy_wait", "c", "", "cp.async.wait_group(groups in flight)"},
	StoreWord:         {"nv_store_word", "lu", "", "st.global.b32(address, word)"},
	StoreWords:        {"nv_store_words", "luu", "", "st.global.v2.b32(address, first, second)"},
	StoreDoubles:      {"nv_store_doubles", "ldd", "", "st.global.v2.b64(address, first, second)"},
	Resident:          {"nv_resident", "c", "", "the kernel has .minnctapersm(workgroups)"},

	MfmaF16:       {"amd_mfma_f16", "uuuuffff", "ffff", "v_mfma_f32_16x16x16_f16(two words of a, two of b, four sums)"},
	MfmaBF16:      {"amd_mfma_bf16", "uuuuffff", "ffff", "v_mfma_f32_16x16x16_bf16(two words of a, two of b, four sums)"},
	MfmaI8:        {"amd_mfma_i8", "uuuuuuuu", "uuuu", "v_mfma_i32_16x16x32_i8(two words of a, two of b, four sums)"},
	MfmaI8Short:   {"amd_mfma_i8_short", "uuuuuu", "uuuu", "v_mfma_i32_16x16x16_i8(a, b, four sums)"},
	MfmaF32:       {"amd_mfma_f32", "ffffff", "ffff", "v_mfma_f32_16x16x4_f32(a, b, four sums)"},
	MfmaF64:       {"amd_mfma_f64", "dddddd", "dddd", "v_mfma_f64_16x16x4_f64(a, b, four sums)"},
	WmmaF16:       {"amd_wmma_f16", "uuuuuuuuuuuuuuuuffffffff", "ffffffff", "v_wmma_f32_16x16x16_f16 of gfx11(eight words of a, eight of b, eight sums)"},
	WmmaBF16:      {"amd_wmma_bf16", "uuuuuuuuuuuuuuuuffffffff", "ffffffff", "v_wmma_f32_16x16x16_bf16 of gfx11(eight words of a, eight of b, eight sums)"},
	WmmaI8:        {"amd_wmma_i8", "cuuuuuuuuuuuuuuuu", "uuuuuuuu", "v_wmma_i32_16x16x16_iu8 of gfx11(signed: 1 for a, 2 for b, four words of a, four of b, eight sums)"},
	WmmaSplitF16:  {"amd_wmma_split_f16", "uuuuuuuuffffffff", "ffffffff", "v_wmma_f32_16x16x16_f16 of gfx12(four words of a, four of b, eight sums)"},
	WmmaSplitBF16: {"amd_wmma_split_bf16", "uuuuuuuuffffffff", "ffffffff", "v_wmma_f32_16x16x16_bf16 of gfx12(four words of a, four of b, eight sums)"},
	WmmaSplitI8:   {"amd_wmma_split_i8", "cuuuuuuuuuuuu", "uuuuuuuu", "v_wmma_i32_16x16x16_iu8 of gfx12(signed: 1 for a, 2 for b, two words of a, two of b, eight sums)"},

	Prefetch: {"cpu_prefetch", "puc", "", "brings the line with an element of an array to the caches(variable, index, bytes behind it)"},

	LoadWords: {"spirv_load_words", "pu", "uuuu", "OpLoad of 16 bytes of an array(variable, bytes before them / 16)"},
}

// Info returns the intrinsic's row.
func (x IntrinsicID) Info() *IntrinsicInfo { return &intrinsics[x] }

// IntrinsicOwner says whose an intrinsic is.
type IntrinsicOwner uint8

// The owners.
const (
	OfNVIDIA IntrinsicOwner = iota
	OfAMD
	OfSPIRV
	OfCPU
)

// Owner returns whose the intrinsic is.
func (x IntrinsicID) Owner() IntrinsicOwner {
	switch {
	case x >= firstCPU:
		return OfCPU
	case x >= firstSPIRV:
		return OfSPIRV
	case x >= firstAMD:
		return OfAMD
	}
	return OfNVIDIA
}

// String returns the intrinsic's name.
func (x IntrinsicID) String() string {
	if x >= IntrinsicCount {
		return "an unknown intrinsic"
	}
	return intrinsics[x].Name
}

// IntrinsicNamed returns the intrinsic with this name.
func IntrinsicNamed(name string) (x IntrinsicID, ok bool) {
	n := slices.IndexFunc(intrinsics[:], func(i IntrinsicInfo) bool { return i.Name == name })
	return IntrinsicID(max(n, 0)), n >= 0
}
