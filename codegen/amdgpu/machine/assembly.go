package machine

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

// Assembly is the whole kernel as text.
func (r *Result) Assembly(k *Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n.text\n.globl %s\n.protected %s\n.p2align 8\n.type %s,@function\n%s:\n", k.Processor, k.Name, k.Name, k.Name, k.Name)
	for n := 0; n+4 <= len(r.Code); n += 4 {
		fmt.Fprintf(&b, ".long %d\n", binary.LittleEndian.Uint32(r.Code[n:]))
	}
	fmt.Fprintf(&b, ".Lend:\n.size %s, .Lend-%s\n", k.Name, k.Name)
	fmt.Fprintf(&b, ".rodata\n.p2align 6\n.amdhsa_kernel %s\n", k.Name)
	put := func(name string, n int) { fmt.Fprintf(&b, "  .amdhsa_%s %d\n", name, n) }
	put("group_segment_fixed_size", int(r.Shared))
	put("private_segment_fixed_size", int(r.Private))
	put("kernarg_size", int(k.ArgumentBytes))
	put("user_sgpr_kernarg_segment_ptr", 1)
	for c, n := range []string{"x", "y", "z"} {
		put("system_sgpr_workgroup_id_"+n, int(k.Groups>>c&1))
	}
	put("system_vgpr_workitem_id", max(bits.Len8(k.Identifiers)-1, 0))
	put("next_free_vgpr", max(r.Vectors, 1))
	put("next_free_sgpr", max(r.Scalars, 1))
	put("accum_offset", max((r.Vectors+3)&^3, 4))
	b.WriteString(".end_amdhsa_kernel\n")
	return b.String()
}
