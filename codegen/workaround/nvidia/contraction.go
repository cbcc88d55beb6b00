// Package nvidia has the workarounds for NVIDIA's Vulkan driver.
package nvidia

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// NoContraction is workaround nv-contraction. It clears the contract flag of sums and products
// that peephole.FMAContraction has left alone, unless the mode is fast:
//
//	mul %x, 3.3f [contract]  ─►  mul %x, 3.3f
//
// NVIDIA's Vulkan driver (580) also contracts (c - x)·d with constants c and d to a single fma, c·d
// - x·d, with c·d rounded. The error of (1000.3 - x)·3.3 is then a fifth of the result where x is
// near 1000.3. It also reassociates (x·c)·d to x·(c·d). WGSL permits neither, since the result is
// less exact (WGSL §15.7.3, §15.7.4.1). The difference, the product and the sum must all lose the
// flag: one of them is not enough.
var NoContraction = opt.Pass{
	Name: "nv-contraction",
	Doc:  "forbid drivers to contract sums and products",
	Run: func(c *opt.Context, m *ir.Module) {
		if c.Math == opt.MathFast {
			return
		}
		for _, f := range m.Funcs {
			if !f.Had(&contracted) {
				continue
			}
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				if contracted.Has(f.Op(i)) {
					f.SetFlags(i, f.Flags(i)&^ir.Contract)
				}
			}
		}
	},
}

// contracted are the operations that drivers fuse, and their results. A dot product may be summed
// in any order anyway.
var contracted = op.SetOf(op.Add, op.Sub, op.Mul, op.Fma)
