// The kernel that copies in graphs.

package cuda

import "github.com/gpuc/gpuc/runtime/abi"

// copier copies vectors of 16 bytes. In a graph a copy by the driver moves two thirds of what a
// kernel moves, and begins later behind a kernel.
func copier() *abi.Artefact {
	const stride = 16
	return &abi.Artefact{Target: abi.PTX, Code: []byte(copierText), Kernel: abi.Kernel{
		Name: "copy", Workgroup: [3]uint32{256, 1, 1},
		Bindings: []abi.Binding{
			{Name: "source", Access: abi.Read, Stride: stride},
			{Name: "target", Binding: 1, Access: abi.ReadWrite, Stride: stride},
		},
		Parameters: []abi.Parameter{{Kind: abi.AddressParameter}, {Kind: abi.AddressParameter, Binding: 1}, {Kind: abi.LengthParameter, Binding: 1}},
	}}
}

const copierText = `
.version 6.3
.target sm_70
.address_size 64

.visible .entry copy(
	.param .u64 .ptr .global .align 16 source,
	.param .u64 .ptr .global .align 16 target,
	.param .u32 length
)
.reqntid 256, 1, 1
{
	.reg .pred %p<2>;
	.reg .b32 %r<9>;
	.reg .b64 %d<6>;

	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r3, %r1, 256, %r2;
	ld.param.b32 %r4, [length];
	setp.ge.u32 %p1, %r3, %r4;
	@%p1 bra $done;

	ld.param.b64 %d1, [source];
	ld.param.b64 %d2, [target];
	cvta.to.global.u64 %d1, %d1;
	cvta.to.global.u64 %d2, %d2;
	mul.wide.u32 %d3, %r3, 16;
	add.s64 %d4, %d1, %d3;
	add.s64 %d5, %d2, %d3;
	ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%d4];
	st.global.v4.b32 [%d5], {%r5, %r6, %r7, %r8};
$done:
	ret;
}
`
