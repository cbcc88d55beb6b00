package amdgpu

import (
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine"
	"github.com/gpuc/gpuc/codegen/amdgpu/object"
)

// What tests of other packages see of the table.
var (
	FormsOf     = formsOf
	Conversions = &conversions
)

// Occupancy is what so much of everything allows.
func Occupancy(processor string, vgprs, sgprs, shared, workgroup, wave uint64) *codegen.Usage {
	u, f := new(codegen.Usage), familyOf(processor)
	u.Bind(f.waves, "", f.bounds(&object.Metadata{VGPRs: vgprs, SGPRs: sgprs, Shared: shared, Workgroup: workgroup, Wave: wave})...)
	return u
}

// DirectTo returns Direct with a function that is given what it makes.
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
