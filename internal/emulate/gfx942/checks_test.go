package gfx942

import (
	"strings"
	"testing"

	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/runtime/abi"
)

// wrongKernels are kernels with an error, with the expected message, and some correct ones. Each
// has 128 invocations, which are two waves, and a buffer with a word for each.
var wrongKernels = []struct{ name, body, want string }{
	{"right", `  store i32 7, ptr addrspace(1) %p, align 4
  ret void`, ""},
	{"right with a barrier", `  store i32 %x, ptr addrspace(3) %l, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %y = sub i32 127, %x
  %m = getelementptr i32, ptr addrspace(3) @shared, i32 %y
  %v = load i32, ptr addrspace(3) %m, align 4
  %w = add i32 %v, %x
  %z = sub i32 %w, 120
  store i32 %z, ptr addrspace(1) %p, align 4
  ret void`, ""},
	{"behind a buffer", `  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  store i32 1, ptr addrspace(1) %q, align 4
  ret void`, "an access to bytes 512 to 515 of buffer 0, which has 512"},
	{"before a buffer", `  %q = getelementptr i8, ptr addrspace(1) %p, i64 -4
  store i32 1, ptr addrspace(1) %q, align 4
  ret void`, "of the code, which has"},
	{"far from all buffers", `  %q = getelementptr i8, ptr addrspace(1) %p, i64 9223372036854775807
  %v = load i32, ptr addrspace(1) %q, align 4
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void`, "where there is no buffer"},
	{"misaligned", `  %q = getelementptr i8, ptr addrspace(1) %b0, i64 2
  store i32 1, ptr addrspace(1) %q, align 4
  ret void`, "a misaligned access to 4 bytes at 0x2"},
	{"misaligned atomic", `  %q = getelementptr i8, ptr addrspace(1) %b0, i64 4
  %v = atomicrmw add ptr addrspace(1) %q, i64 1 syncscope("agent") monotonic, align 8
  ret void`, "a misaligned atomic operation on 8 bytes"},
	{"behind workgroup memory", `  %m = getelementptr i8, ptr addrspace(3) %l, i32 4
  store i32 1, ptr addrspace(3) %m, align 4
  ret void`, "an access to bytes 512 to 515 of workgroup memory, which has 512"},
	{"misaligned in workgroup memory", `  %m = getelementptr i8, ptr addrspace(3) @shared, i32 4
  store volatile <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr addrspace(3) %m, align 16
  ret void`, "a misaligned access to 16 bytes of workgroup memory at 0x4"},
	{"behind private memory", `  %a = alloca [64 x i32], align 4, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %a, align 4
  %n = add i32 %x, 100
  %m = getelementptr i32, ptr addrspace(5) %a, i32 %n
  store volatile i32 1, ptr addrspace(5) %m, align 4
  ret void`, "of private memory, which has"},
	{"a vector register that nothing has written", `  %v = call i32 asm sideeffect "v_add_u32 $0, v200, 1", "=v,~{v200}"()
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void`, "is read, which nothing has written"},
	{"a scalar register that nothing has written", `  %v = call i32 asm sideeffect "s_add_u32 $0, s90, 1", "=s,~{s90},~{scc}"()
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void`, "is read, which nothing has written"},
	{"a branch on what nothing has written", `  call void asm sideeffect "s_cmp_eq_u32 s90, 1\0As_cbranch_scc1 end\0Aend:", "~{s90},~{scc}"()
  ret void`, "SCC is read, which nothing has written"},
	{"lanes from what nothing has written", `  call void asm sideeffect "s_mov_b64 exec, s[90:91]", "~{s90},~{s91}"()
  ret void`, "lanes become active by bits that nothing has written"},
	{"a part of a register that is not used", `  call void asm sideeffect "s_or_b64 s[90:91], s[90:91], exec\0As_and_b64 exec, s[90:91], exec", "~{s90},~{s91},~{scc}"()
  store i32 7, ptr addrspace(1) %p, align 4
  ret void`, ""},
	{"a barrier that some lanes reach", `  %c = icmp ult i32 %x, 3
  br i1 %c, label %one, label %two
one:
  call void @llvm.amdgcn.s.barrier()
  br label %two
two:
  ret void`, "a barrier that lanes 0x7 of 0xffffffffffffffff reach"},
	{"a barrier that one wave reaches", `  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %c = icmp ult i32 %f, 64
  br i1 %c, label %one, label %two
one:
  call void @llvm.amdgcn.s.barrier()
  br label %two
two:
  ret void`, "a barrier that 1 of 2 waves reach"},
	{"an endless loop", `  br label %one
one:
  store volatile i32 1, ptr addrspace(1) %p, align 4
  br label %one`, "more than 1000 instructions"},
	{"an unknown instruction", `  call void asm sideeffect "v_sad_u8 v1, v2, v3, v4", "~{v1}"()
  ret void`, "no row of the table has this instruction: v_sad_u8 v1, v2, v3, v4"},
	{"packed words that nothing has written", `  call void asm sideeffect "v_pk_fma_f32 v[90:91], v[94:95], v[94:95], v[96:97]", "~{v90},~{v91},~{v94},~{v95},~{v96},~{v97}"()
  ret void`, "lanes 0xffffffffffffffff of v94 are read, which nothing has written"},
}

// kernelText returns a module with a kernel. It defines the invocation's index, and the address of
// its word in the buffer and in workgroup memory.
func kernelText(body string) string {
	return "target triple = \"amdgcn-amd-amdhsa\"\n@shared = internal addrspace(3) global [128 x i32] undef, align 16\n\n" +
		"define protected amdgpu_kernel void @k(ptr addrspace(1) %b0) #0 {\nbegin:\n" +
		"  %x = call i32 @llvm.amdgcn.workitem.id.x()\n  %o = shl i32 %x, 2\n  %wide = zext i32 %x to i64\n" +
		"  %p = getelementptr i32, ptr addrspace(1) %b0, i64 %wide\n  %l = getelementptr i32, ptr addrspace(3) @shared, i32 %x\n" +
		body + "\n}\nattributes #0 = { norecurse nounwind \"target-cpu\"=\"gfx942\" \"amdgpu-flat-work-group-size\"=\"128,128\" \"uniform-work-group-size\"=\"true\"" +
		" \"amdgpu-no-workitem-id-y\" \"amdgpu-no-workitem-id-z\" \"amdgpu-no-workgroup-id-x\" \"amdgpu-no-workgroup-id-y\" \"amdgpu-no-workgroup-id-z\"" +
		" \"amdgpu-no-implicitarg-ptr\" \"amdgpu-no-dispatch-ptr\" \"amdgpu-no-dispatch-id\" \"amdgpu-no-queue-ptr\" \"amdgpu-no-heap-ptr\" \"amdgpu-no-hostcall-ptr\"" +
		" \"amdgpu-no-default-queue\" \"amdgpu-no-completion-action\" \"amdgpu-no-multigrid-sync-arg\" \"amdgpu-no-lds-kernel-id\" }\n\n" +
		"!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 500}\n"
}

// TestChecks executes the kernels of wrongKernels.
func TestChecks(t *testing.T) {
	needTools(t)
	var programs []bench.Program
	for _, k := range wrongKernels {
		programs = append(programs, bench.Program{Code: []byte(kernelText(k.body)), Kernel: &abi.Kernel{Name: "k"}})
	}
	assembled, err := bench.Assemble(profile, programs)
	if err != nil {
		t.Fatal(err)
	}
	object, err := Load(assembled.Data)
	if err != nil {
		t.Fatal(err)
	}
	for n, k := range wrongKernels {
		t.Run(k.name, func(t *testing.T) {
			data := make([]byte, 4*128)
			err := object.Run(&Launch{Kernel: bench.KernelName(n), Grid: [3]uint32{1, 1, 1}, Workgroup: [3]uint32{128, 1, 1},
				Buffers: [][]byte{data}, Arguments: []Argument{{Buffer: 0}}, Steps: 1000})
			switch {
			case k.want == "" && err != nil:
				t.Error(err)
			case k.want == "":
				for offset := 0; offset < len(data); offset += 4 {
					if data[offset] != 7 {
						t.Fatalf("invocation %d left %d, want 7", offset/4, data[offset])
					}
				}
			case err == nil || !strings.Contains(err.Error(), k.want) || !strings.HasPrefix(err.Error(), bench.KernelName(n)+", workgroup [0 0 0], wave "):
				t.Errorf("got  %v\nwant %s", err, k.want)
			}
		})
	}
}

// TestLoadRefuses loads data that is no code object for this processor.
func TestLoadRefuses(t *testing.T) {
	needTools(t)
	program := []bench.Program{{Code: []byte(strings.ReplaceAll(kernelText("  ret void"), profile, "gfx90a")), Kernel: &abi.Kernel{Name: "k"}}}
	other, err := bench.Assemble("gfx90a", program)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(other.Data); err == nil || !strings.Contains(err.Error(), "no code object for gfx942") {
		t.Errorf("one for gfx90a gives %v", err)
	}
	if _, err := Load([]byte("nothing")); err == nil {
		t.Error("what is no object is loaded")
	}
}
