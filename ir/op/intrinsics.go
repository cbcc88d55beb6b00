package op

import "slices"

// IntrinsicID names an instruction of one target, which only that target's lowering makes. It is
// the attribute of the operation intrinsic (LLVM: target intrinsics).
type IntrinsicID uint32

// The intrinsics of NVIDIA's devices of compute capability 9.0 (PTX ISA, sections of the
// instructions that the table names). Addresses are those of workgroup memory.
const (
	SharedAddress IntrinsicID = iota
	MBarrierInit
	MBarrierExpect
	MBarrierArrive
	MBarrierWait
	MBarrierFence
	AsyncFence
	TensorLoad
	TensorStore
	BulkCommit
	BulkWait
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
	IntrinsicCount
)

// IntrinsicInfo is an intrinsic's row. Operands has a letter for each operand. p is a pointer to a
// variable as a whole, and c a u32 constant. Scalars are u, i, l, f and b: u32, i32, u64, f32 and
// bool. Result says that it has a result, which is a u32.
type IntrinsicInfo struct {
	Name     string
	Operands string
	Result   bool
	Doc      string
}

var intrinsics = [IntrinsicCount]IntrinsicInfo{
	SharedAddress:  {"nv_shared_address", "p", true, "the address of a variable"},
	MBarrierInit:   {"nv_mbarrier_init", "uc", false, "mbarrier.init(address, arrivals)"},
	MBarrierExpect: {"nv_mbarrier_expect", "uu", false, "mbarrier.arrive.expect_tx(address, bytes)"},
	MBarrierArrive: {"nv_mbarrier_arrive", "u", false, "mbarrier.arrive(address)"},
	MBarrierWait:   {"nv_mbarrier_wait", "uu", false, "waits for the phase of a parity: mbarrier.try_wait.parity(address, parity) in a loop"},
	MBarrierFence:  {"nv_mbarrier_fence", "", false, "makes initialised barriers visible to asynchronous copies: fence.mbarrier_init"},
	AsyncFence:     {"nv_async_fence", "", false, "orders accesses before asynchronous ones to workgroup memory: fence.proxy.async"},
	TensorLoad:     {"nv_tensor_load", "cuuii", false, "cp.async.bulk.tensor from memory(map, to, barrier, column, row)"},
	TensorStore:    {"nv_tensor_store", "cuii", false, "cp.async.bulk.tensor to memory(map, from, column, row)"},
	BulkCommit:     {"nv_bulk_commit", "", false, "cp.async.bulk.commit_group"},
	BulkWait:       {"nv_bulk_wait", "c", false, "cp.async.bulk.wait_group.read(groups in flight)"},
	SetRegisters:   {"nv_set_registers", "cc", false, "setmaxnreg(increase, registers)"},
	WgmmaFence:     {"nv_wgmma_fence", "", false, "wgmma.fence"},
	WgmmaCommit:    {"nv_wgmma_commit", "", false, "wgmma.commit_group"},
	WgmmaWait:      {"nv_wgmma_wait", "c", false, "wgmma.wait_group(groups in flight)"},
	Wgmma:          {"nv_wgmma", "pcccllbcc", false, "wgmma.mma_async(sums, first of them, operand type, columns, descriptor a, descriptor b, add, transpose a, transpose b)"},
	WgmmaRegisters: {"nv_wgmma_registers", "pcccuuuulbc", false, "wgmma.mma_async with a in registers(sums, first of them, operand type, columns, four registers of a, descriptor b, add, transpose b)"},
	StoreMatrix:    {"nv_store_matrix", "uuuuu", false, "stmatrix.x4(address, four registers)"},
	StorePair:      {"nv_store_pair", "uff", false, "st.shared.v2.f32(address, first, second)"},
	PackBFloat16:   {"nv_pack_bf16", "ff", true, "cvt.rn.bf16x2.f32(lower, upper)"},
	NamedBarrier:   {"nv_named_barrier", "uc", false, "bar.sync(number, threads)"},
	NamedArrive:    {"nv_named_arrive", "uc", false, "bar.arrive(number, threads)"},
}

// Info returns the intrinsic's row.
func (x IntrinsicID) Info() *IntrinsicInfo { return &intrinsics[x] }

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
