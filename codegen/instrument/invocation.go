package instrument

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
)

// invocationID provides the global_invocation_id for records. In a kernel it is a parameter, which
// is added if missing. Other functions load a private variable that the kernel sets.
type invocationID struct {
	name      string   // of the parameter and the variable
	parameter ir.Value // of the kernel, or NoValue; another kernel needs another one
	variable  ir.Value // of the module, or NoValue
}

// load returns the id, at the builder.
func (v *invocationID) load(b *ir.Builder) ir.Value {
	f := b.F
	if f.Kernel {
		if v.parameter == ir.NoValue {
			v.parameter = rewrite.Builtin(f, ir.GlobalInvocationID, v.name)
		}
		return v.parameter
	}
	if v.variable == ir.NoValue {
		v.variable = rewrite.CopiedBuiltin(f.Module, ir.GlobalInvocationID, v.name)
	}
	return b.Load(v.variable)
}
