package amdgpu

import (
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine"
	"github.com/gpuc/gpuc/codegen/amdgpu/object"
)

// Tables for tests.
var (
	TemplatesOf = templatesOf
	Conversions = &conversions
)

// Occupancy returns the occupancy of a kernel with the given registers and memory.
func Occupancy(processor string, vgprs, sgprs, shared, workgroup, wave uint64) *codegen.Usage {
	u, f := new(codegen.Usage), familyOf(processor)
	u.Bind(f.waves, "", f.bounds(&object.Metadata{VGPRs: vgprs, SGPRs: sgprs, Shared: shared, Workgroup: workgroup, Wave: wave})...)
	return u
}

// DirectTo returns Direct with a function that gets each result.
func DirectTo(use func(r *machine.Result)) *codegen.Target {
	t := Direct()
	t.Emit = func(x *codegen.Emission) []byte {
		r, _ := compileDirect(x, 0)
		if r == nil {
			return nil
		}
		use(r)
		return r.Code
	}
	return t
}
