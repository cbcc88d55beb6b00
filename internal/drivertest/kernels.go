// The tests' kernel, and others that are compiled for the device.

package drivertest

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// axpySource is the kernel that tests launch. Group 1 is a gap.
const axpySource = `
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(2) @binding(5) var<uniform> a: f32;

@compute @workgroup_size(64)
fn axpy(@builtin(global_invocation_id) id: vec3u) {
	if id.x < arrayLength(&y) {
		y[id.x] = a * x[id.x] + y[id.x];
	}
}
`

// Axpy compiles the tests' kernel for a target, by its name with a profile ("amdgpu:gfx90a").
func Axpy(target string) *abi.Artefact {
	t, err := all.Find(target)
	if err != nil {
		panic(err)
	}
	a, err := compile(axpySource, "axpy", t)
	if err != nil {
		panic(err)
	}
	return a
}

// compile compiles an entry point of WGSL for a target.
func compile(text, entry string, target *codegen.Target) (*abi.Artefact, error) {
	var sources source.Set
	var list diag.List
	file, err := sources.Add("drivertest.wgsl", text)
	if err != nil {
		return nil, err
	}
	m, err := frontend.Load(&sources, file, frontend.Options{}, &list)
	if m == nil || err != nil {
		return nil, fmt.Errorf("load %s: %v %+v", entry, err, list.Items())
	}
	a := codegen.Compile(m, entry, target, &codegen.Options{ByValue: true}, &list)
	if a == nil {
		return nil, fmt.Errorf("compile %s: %+v", entry, list.Items())
	}
	return a, nil
}

// AxpyPTX is the tests' kernel in PTX, written by hand. Its description lists no parameters, so it
// has all possible ones (abi.Kernel.AllParameters).
func AxpyPTX() *abi.Artefact {
	return &abi.Artefact{Target: abi.PTX, Code: []byte(ptxText), Kernel: abi.Kernel{Name: "axpy", Workgroup: [3]uint32{64, 1, 1}, Bindings: []abi.Binding{
		{Name: "x", Group: 0, Binding: 0, Access: abi.Read, Stride: 4, Element: "f32"},
		{Name: "y", Group: 0, Binding: 1, Access: abi.ReadWrite, Stride: 4, Element: "f32"},
		{Name: "a", Group: 2, Binding: 5, Access: abi.Uniform, Size: 4, Element: "f32"},
	}}}
}

// ptxText has as parameters three addresses, three sizes, and the lengths of x and y.
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
