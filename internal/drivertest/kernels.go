// The tests' kernel in the form of each driver.

package drivertest

import (
	"encoding/binary"

	"github.com/gpuc/gpuc/runtime/abi"
)

// AxpyMSL is the tests' kernel for Metal, written by hand.
func AxpyMSL() *abi.Artefact {
	a := axpy(abi.MSL, []byte(mslText))
	a.Kernel.Lengths = &abi.Lengths{Buffer: 3, Bindings: []uint32{0, 1}}
	return a
}

// mslText has the three buffers of the description and the table of lengths behind them.
const mslText = `// Metal written by hand
// language: -std=metal2.4
// mathematics: -fno-fast-math (MTLMathMode.safe)
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

kernel void axpy(
  device const float* x [[buffer(0)]],
  device float* y [[buffer(1)]],
  constant float& a [[buffer(2)]],
  constant uint* lengths [[buffer(3)]],
  uint3 id [[thread_position_in_grid]]
) {
  if (id.x < lengths[1]) {
    y[id.x] = a * x[id.x] + y[id.x];
  }
}
`

// AxpyAMDGPU is the tests' kernel for a processor of AMD's, written by hand as target amdgpu would:
// with the parameters that it reads.
func AxpyAMDGPU(processor string) *abi.Artefact {
	a := axpy(abi.AMDGPU, []byte(amdText))
	a.Kernel.Profile = processor
	a.Kernel.Parameters = []abi.Parameter{{Kind: abi.AddressParameter, Binding: 0}, {Kind: abi.AddressParameter, Binding: 1},
		{Kind: abi.AddressParameter, Binding: 2}, {Kind: abi.LengthParameter, Binding: 1}}
	return a
}

const amdText = `target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @axpy(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %a, i32 %length) #0 {
begin:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %local = call i32 @llvm.amdgcn.workitem.id.x()
  %first = mul i32 %group, 64
  %index = add i32 %first, %local
  %inside = icmp ult i32 %index, %length
  br i1 %inside, label %compute, label %done
compute:
  %wide = zext i32 %index to i64
  %offset = mul i64 %wide, 4
  %at_x = getelementptr i8, ptr addrspace(1) %x, i64 %offset
  %at_y = getelementptr i8, ptr addrspace(1) %y, i64 %offset
  %value_x = load float, ptr addrspace(1) %at_x, align 4
  %value_y = load float, ptr addrspace(1) %at_y, align 4
  %value_a = load float, ptr addrspace(1) %a, align 4
  %product = fmul float %value_a, %value_x
  %sum = fadd float %product, %value_y
  store float %sum, ptr addrspace(1) %at_y, align 4
  br label %done
done:
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-implicitarg-ptr" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
`

// AxpyPTX is the tests' kernel for CUDA.
func AxpyPTX() *abi.Artefact { return axpy(abi.PTX, []byte(ptxText)) }

// ptxText is the tests' kernel written by hand, with all parameters that it can have
// (abi.Kernel.AllParameters), for its description lists none: three addresses, three
// sizes, and the lengths of x and y.
const ptxText = `
.version 6.0
.target sm_70
.address_size 64

.visible .entry axpy(
	.param .u64 x, .param .u64 y, .param .u64 a,
	.param .u32 x_bytes, .param .u32 y_bytes, .param .u32 a_bytes,
	.param .u32 x_length, .param .u32 y_length)
.reqntid 64, 1, 1
{
	.reg .pred outside;
	.reg .u32 index, group, size, length;
	.reg .u64 at_x, at_y, at_a, offset;
	.reg .f32 value_x, value_y, value_a;

	mov.u32 group, %ctaid.x;
	mov.u32 size, %ntid.x;
	mov.u32 index, %tid.x;
	mad.lo.u32 index, group, size, index;
	ld.param.u32 length, [y_length];
	setp.ge.u32 outside, index, length;
	@outside bra done;

	ld.param.u64 at_x, [x];
	ld.param.u64 at_y, [y];
	ld.param.u64 at_a, [a];
	cvta.to.global.u64 at_x, at_x;
	cvta.to.global.u64 at_y, at_y;
	cvta.to.global.u64 at_a, at_a;
	mul.wide.u32 offset, index, 4;
	add.u64 at_x, at_x, offset;
	add.u64 at_y, at_y, offset;
	ld.global.f32 value_x, [at_x];
	ld.global.f32 value_y, [at_y];
	ld.global.f32 value_a, [at_a];
	mul.rn.f32 value_x, value_a, value_x;
	add.rn.f32 value_y, value_x, value_y;
	st.global.f32 [at_y], value_y;
done:
	ret;
}
`

// assembler collects the words of a SPIR-V module.
type assembler struct{ words []uint32 }

// op appends an instruction.
func (a *assembler) op(opcode uint32, operands ...uint32) {
	a.words = append(a.words, uint32(len(operands)+1)<<16|opcode)
	a.words = append(a.words, operands...)
}

// AxpySPIRV is the tests' kernel assembled by hand from the SPIR-V specification.
func AxpySPIRV() *abi.Artefact {
	const (
		void = iota + 1
		function
		u32
		f32
		vec3
		floats
		block
		parameter
		inputPointer
		blockPointer
		parameterPointer
		floatPointer
		uniformPointer
		u32Pointer
		boolean
		zero
		id
		x
		y
		a
		main
		entry
		index
		indexAt
		length
		inside
		then
		merge
		xAt
		yAt
		aAt
		xValue
		yValue
		aValue
		product
		sum
		bound
	)
	name := []uint32{binary.LittleEndian.Uint32([]byte("axpy")), 0}
	m := &assembler{words: []uint32{0x07230203, 0x00010300, 0, bound, 0}}
	m.op(17, 1)    // OpCapability Shader
	m.op(14, 0, 1) // OpMemoryModel Logical GLSL450
	m.op(15, append(append([]uint32{5, main}, name...), id)...)
	m.op(16, main, 17, 64, 1, 1)  // OpExecutionMode LocalSize
	m.op(71, id, 11, 28)          // BuiltIn GlobalInvocationId
	m.op(71, floats, 6, 4)        // ArrayStride 4
	m.op(71, block, 2)            // Block
	m.op(72, block, 0, 35, 0)     // Offset 0
	m.op(71, parameter, 2)        // Block
	m.op(72, parameter, 0, 35, 0) // Offset 0
	for _, v := range []struct{ variable, group, binding uint32 }{{x, 0, 0}, {y, 0, 1}, {a, 2, 5}} {
		m.op(71, v.variable, 34, v.group)   // DescriptorSet
		m.op(71, v.variable, 33, v.binding) // Binding
	}
	m.op(71, product, 42) // NoContraction
	m.op(71, sum, 42)
	m.op(19, void)
	m.op(33, function, void)
	m.op(21, u32, 32, 0)
	m.op(22, f32, 32)
	m.op(23, vec3, u32, 3)
	m.op(20, boolean)
	m.op(29, floats, f32)
	m.op(30, block, floats)
	m.op(30, parameter, f32)
	m.op(32, inputPointer, 1, vec3)
	m.op(32, u32Pointer, 1, u32)
	m.op(32, blockPointer, 12, block)
	m.op(32, floatPointer, 12, f32)
	m.op(32, parameterPointer, 2, parameter)
	m.op(32, uniformPointer, 2, f32)
	m.op(43, u32, zero, 0)
	m.op(59, inputPointer, id, 1)
	m.op(59, blockPointer, x, 12)
	m.op(59, blockPointer, y, 12)
	m.op(59, parameterPointer, a, 2)
	m.op(54, void, main, 0, function)
	m.op(248, entry)
	m.op(65, u32Pointer, indexAt, id, zero)
	m.op(61, u32, index, indexAt)
	m.op(68, u32, length, y, 0) // OpArrayLength
	m.op(176, boolean, inside, index, length)
	m.op(247, merge, 0)
	m.op(250, inside, then, merge)
	m.op(248, then)
	m.op(65, floatPointer, xAt, x, zero, index)
	m.op(65, floatPointer, yAt, y, zero, index)
	m.op(65, uniformPointer, aAt, a, zero)
	m.op(61, f32, xValue, xAt)
	m.op(61, f32, yValue, yAt)
	m.op(61, f32, aValue, aAt)
	m.op(133, f32, product, aValue, xValue)
	m.op(129, f32, sum, product, yValue)
	m.op(62, yAt, sum)
	m.op(249, merge)
	m.op(248, merge)
	m.op(253)
	m.op(56)
	return axpy(abi.SPIRV, Bytes(m.words))
}
