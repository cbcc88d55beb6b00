package spirv

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
)

// BenchmarkRun measures 64 invocations of about 1000 instructions each.
func BenchmarkRun(b *testing.B) {
	body := `OpBranch %head
%head = OpLabel
%n = OpPhi %u32 u:0 %entry %next %cont
%x = OpPhi %u32 u:1 %entry %x2 %cont
OpLoopMerge %merge %cont 0
OpBranch %body
%body = OpLabel
%a = OpIMul %u32 %x u:5
%e = OpBitwiseAnd %u32 %a u:7
%p = OpAccessChain %pu32 %data u:0 %e
%c = OpLoad %u32 %p
%x2 = OpIAdd %u32 %c %a
%next = OpIAdd %u32 %n u:1
%more = OpULessThan %bool %next u:90
OpBranch %cont
%cont = OpLabel
OpBranchConditional %more %head %merge
%merge = OpLabel
%at = OpIAdd %u32 %i u:8
` + put("%at", "%x2")
	code := assemble(b, strings.Replace(kernel("", body), "17 4 1 1", "17 64 1 1", 1))
	data := make([]byte, 4*(64+8)*4)
	b.ReportAllocs()
	for b.Loop() {
		if err := Run(code, &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: data}}}); err != nil {
			b.Fatal(err)
		}
	}
}
