package ptx_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/ir/op"
)

// intrinsicKernel has each intrinsic. It is for the assembler alone, as it waits for what nobody
// sends.
const intrinsicKernel = `var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @memory : ptr<workgroup, array<u32, 2048u>>

kernel @main(%i: u32 [local_invocation_index]) [workgroup 384u, 1u, 1u] {
  %sums = var : ptr<function, array<f32, 32u>>
  %at = intrinsic @memory [nv_shared_address] : u32
  intrinsic %at, 1u [nv_mbarrier_init]
  intrinsic [nv_mbarrier_fence]
  intrinsic 1u, 128u [nv_named_barrier]
  intrinsic 1u, 256u [nv_named_arrive]
  intrinsic [nv_warp_barrier]
  %box = add %at, 1024u : u32
  intrinsic %at, 4096u [nv_mbarrier_expect]
  intrinsic 0u, %box, %at, 0i, 64i [nv_tensor_load]
  intrinsic 2u, %box, %at, 0i, 1i, 2i, 3i, 0i, 1i [nv_tensor_load_windows]
  intrinsic %at, 0u [nv_mbarrier_wait]
  %producer = lt %i, 128u : bool
  if ^role %producer {
    intrinsic 0u, 40u [nv_set_registers]
    exit ^role()
  } else {
    intrinsic 1u, 232u [nv_set_registers]
    store %sums, zero<array<f32, 32u>>
    %low = convert %box : u64
    intrinsic [nv_wgmma_fence]
    intrinsic %sums, 0u, 0u, 64u, %low, %low, true, 0u, 1u [nv_wgmma]
    intrinsic %sums, 0u, 1u, 64u, %i, %i, %at, %at, %low, true, 0u [nv_wgmma_registers]
    intrinsic [nv_wgmma_commit]
    intrinsic 0u [nv_wgmma_wait]
    intrinsic %at [nv_mbarrier_arrive]
    %p = access %sums, 0u : ptr<function, f32>
    %q = access %sums, 31u : ptr<function, f32>
    %x = load %p : f32
    %y = load %q : f32
    %pair = intrinsic %x, %y [nv_pack_bf16] : u32
    intrinsic %box, %pair, %pair, %pair, %pair [nv_store_matrix]
    intrinsic %box, %x, %y [nv_store_pair]
    %four = intrinsic 1u, %at [nv_load_matrix] : vec4<u32>
    %r = extract %four, 3u : u32
    %singles = intrinsic 0u, %r, %r, %r, %r, %r, 5u, %x, %x, %x, 0f [nv_matrix_f32] : vec4<f32>
    %s = extract %singles, 1u : f32
    %bits = bitcast %s : u32
    %halves = intrinsic 2u, %r, %r, %r, %r, %bits, %r, %r, 0u [nv_matrix_f16] : vec2<u32>
    %h = extract %halves, 1u : u32
    %integers = intrinsic 4u, %r, %r, %r, %r, %h, %r, %r, %r, %r, 7u [nv_matrix_i32] : vec4<u32>
    %w = extract %integers, 2u : u32
    intrinsic %w, %x, %y [nv_store_pair]
    intrinsic [nv_async_fence]
    intrinsic 1u, %box, 0i, 64i [nv_tensor_store]
    intrinsic [nv_bulk_commit]
    intrinsic 0u [nv_bulk_wait]
    intrinsic 0u [nv_bulk_finish]
    %from = intrinsic @out [nv_global_address] : u64
    intrinsic %box, %from, 16u [nv_copy_async]
    intrinsic %box, %from, %pair [nv_copy_async]
    intrinsic %from, %pair [nv_store_word]
    intrinsic %from, %pair, 5u [nv_store_words]
    intrinsic %box, %from, %producer [nv_copy_async_where]
    %x64 = convert %x : f64
    %narrow = intrinsic 7u, %x64, 2lf, %x64, 0lf [nv_matrix_f64] : vec2<f64>
    %n = extract %narrow, 1u : f64
    %wide = intrinsic 8u, %x64, %n, 1lf, %n, %n, %x64, %n, 0lf, %n, %x64 [nv_matrix_wide_f64] : vec4<f64>
    %d = extract %wide, 3u : f64
    intrinsic %from, %d, 3lf [nv_store_doubles]
    intrinsic [nv_copy_commit]
    intrinsic 1u [nv_resident]
    intrinsic 1u [nv_copy_wait]
    %o = access @out, %i : ptr<storage, u32, read_write>
    store %o, %pair
    exit ^role()
  }
  return
}
`

// TestIntrinsics: the assembler takes each intrinsic, for the profile that has them.
func TestIntrinsics(t *testing.T) {
	for id := range op.IntrinsicCount {
		if id.Owner() != op.OfNVIDIA {
			continue
		}
		if !strings.Contains(intrinsicKernel, "["+id.String()+"]") {
			t.Errorf("the kernel has no %s", id)
		}
	}
	target, err := ptx.Target.With("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []codegen.Options{{}, {NoOptimize: true}} {
		text := compileFor(t, target, intrinsicKernel, o)
		for _, want := range []string{"tensorMap_0", "tensorMap_1", "m64n64k16.f32.f16.f16", "m64n64k16.f32.bf16.bf16", "setmaxnreg.inc.sync.aligned.u32 232", "\n.minnctapersm 1\n", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", "mma.sync.aligned.m8n8k4.row.col.f64", "mma.sync.aligned.m16n8k8.row.col.f64"} {
			if !strings.Contains(text, want) {
				t.Errorf("the code has no %s:\n%s", want, numbered(text))
			}
		}
		assembleAll(t, assembler(t), "intrinsics", text, "sm_90a")
	}
}

// TestResident: the number of workgroups that a multiprocessor is to hold survives the text form,
// and becomes a launch bound.
func TestResident(t *testing.T) {
	const kernel = `var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]

kernel @main(%i: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] [resident 3] {
  %p = access @out, %i : ptr<storage, u32, read_write>
  store %p, %i
  return
}
`
	if text := compileFor(t, &ptx.Target, kernel, codegen.Options{}); !strings.Contains(text, "\n.reqntid 64, 1, 1\n.minnctapersm 3\n") {
		t.Errorf("the code has no launch bound:\n%s", numbered(text))
	}
	if text := compileFor(t, &ptx.Target, strings.Replace(kernel, " [resident 3]", "", 1), codegen.Options{}); strings.Contains(text, "minnctapersm") {
		t.Errorf("the code has a launch bound without being asked:\n%s", numbered(text))
	}
}
