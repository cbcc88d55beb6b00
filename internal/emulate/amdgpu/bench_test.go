package amdgpu

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/runtime/abi"
)

// programs are kernels with an error and some correct ones, with the expected message. Each has 64
// invocations, and a buffer with 64 times the value 2.
var programs = []struct {
	name, profile, body, want string
}{
	{"right", "gfx1100", `  %b = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  %n = call i32 @llvm.ctpop.i32(i32 %b)
  store i32 %n, ptr addrspace(1) %p, align 4
  ret void`, ""},
	{"right in waves of 64", "gfx90a", `  %b = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %w = call i64 @llvm.ctpop.i64(i64 %b)
  %h = trunc i64 %w to i32
  %n = lshr i32 %h, 1
  store i32 %n, ptr addrspace(1) %p, align 4
  ret void`, ""},
	{"a ballot of another size", "gfx90a", `  %b = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  store i32 %b, ptr addrspace(1) %p, align 4
  ret void`, "a ballot of 32 lanes in a wave of 64"},
	{"divergent barrier", "gfx1100", `  %c = icmp ult i32 %x, 3
  br i1 %c, label %one, label %two
one:
  call void @llvm.amdgcn.s.barrier()
  br label %two
two:
  ret void`, "a barrier is not uniform: 3 of 64 invocations wait at line 11"},
	{"lanes that differ", "gfx1100", `  %l = and i32 %x, 1
  %v = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 %l)
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void`, "a readlane at line 9 of several lanes"},
	{"a lane that is not active", "gfx1100", `  %c = icmp ult i32 %x, 3
  br i1 %c, label %one, label %two
one:
  %v = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 5)
  store i32 %v, ptr addrspace(1) %p, align 4
  br label %two
two:
  ret void`, "a readlane at line 11 of lane 5, which is not active"},
	{"behind a buffer", "gfx1100", `  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  store i32 1, ptr addrspace(1) %q, align 4
  ret void`, "an access outside of a buffer"},
	{"no such intrinsic", "gfx1100", `  %v = call i32 @llvm.amdgcn.workitem.id.w()
  ret void`, "compiler"},
	{"types that differ", "gfx1100", `  %v = fadd float %x, 1.0
  ret void`, "compiler"},
}

func TestBench(t *testing.T) {
	if missing := Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			code := "target triple = \"amdgcn-amd-amdhsa\"\n\ndefine protected amdgpu_kernel void @k(ptr addrspace(1) %b0) #0 {\nbegin:\n" +
				"  %x = call i32 @llvm.amdgcn.workitem.id.x()\n  %o = shl i32 %x, 2\n" +
				"  %p = getelementptr i8, ptr addrspace(1) %b0, i32 %o\n" + p.body + "\n}\nattributes #0 = { nounwind }\n"
			k := &abi.Kernel{Name: "k", Workgroup: [3]uint32{64, 1, 1}, Profile: p.profile, Bindings: []abi.Binding{{Name: "b"}},
				Parameters: []abi.Parameter{{Kind: abi.AddressParameter}}}
			data := []byte(strings.Repeat("\x02\x00\x00\x00", 64))
			j := &fibers.Job{Data: [][]byte{data}}
			Add(j, 0, k, [3]uint32{1, 1, 1}, []int{0}, nil)
			err := Run([]Program{{[]byte(code), k}}, []*fibers.Job{j})
			switch {
			case p.want == "compiler" && err == nil:
				t.Error("it is compiled")
			case p.want == "compiler":
			case err != nil:
				t.Error(err)
			case p.want == "" && j.Err != nil || p.want != "" && (j.Err == nil || j.Err.Error() != p.want):
				t.Errorf("got  %v\nwant %s", j.Err, p.want)
			case p.want == "":
				for n, x := range data {
					if n%4 == 0 && x != 32 {
						t.Errorf("invocation %d left %d, want 32", n/4, x)
					}
				}
			}
		})
	}
}

// TestAssembleRefuses assembles for an unknown processor, for which LLVM only warns.
func TestAssembleRefuses(t *testing.T) {
	if missing := MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	code := "target triple = \"amdgcn-amd-amdhsa\"\ndefine protected amdgpu_kernel void @k() {\n  ret void\n}\n"
	p := []Program{{[]byte(code), &abi.Kernel{Name: "k"}}}
	if _, err := Assemble("gfx1100", p); err != nil {
		t.Error(err)
	}
	if _, err := Assemble("gfx0", p); err == nil || !strings.Contains(err.Error(), "gfx0") {
		t.Errorf("the processor gfx0 gives %v", err)
	}
}
