// Kernels that set the size of their subgroups (@subgroup_size).

package drivertest

import (
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// subgroupSizes runs a kernel with every size that the device supports, and expects an error for
// others. The kernel counts lanes in two ways: the builtin value and a sum over the subgroup.
func subgroupSizes(f *Fixture) {
	const text = `
		enable subgroup_size_control;
		@group(0) @binding(0) var<storage, read_write> out : array<vec2u>;
		@compute @workgroup_size(128, 2) @subgroup_size(%d)
		fn main(@builtin(local_invocation_index) i : u32, @builtin(subgroup_size) n : u32) {
			out[i] = vec2u(n, subgroupAdd(1u));
		}`
	sizes := f.Device.Info().SubgroupSizes
	for size := uint32(1); size <= 128; size *= 2 {
		if (f.code.Target == abi.PTX || f.code.Target == abi.MSL || f.code.Target == abi.AMDGPU) && size != sizes[0] {
			continue // the compiler refuses those
		}
		a := f.artefact(fmt.Sprintf(text, size), "main")
		k, err := f.Device.Load(a)
		if sizes[1] == 0 || size < sizes[0] || size > sizes[1] {
			if !errors.Is(err, driver.ErrUnsupported) {
				f.Errorf("subgroups of %d on a device that has %v: got %v, want ErrUnsupported", size, sizes, err)
			}
			continue
		}
		f.Check(err)
		out := f.Alloc(8 * 256)
		f.Check(f.Stream.Launch(&driver.Launch{Kernel: k, Bindings: []driver.Slice{Whole(out)}, Grid: [3]uint32{1, 1, 1}}))
		lanes := make([]uint32, 2*256)
		f.Check(f.Stream.Read(Bytes(lanes), Whole(out)))
		for i, n := range lanes {
			if n != size {
				f.Fatalf("subgroups of %d: number %d is %d", size, i, n)
			}
		}
	}
}
