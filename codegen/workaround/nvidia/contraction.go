package nvidia

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// NoContraction forbids the driver to fuse sums and products. What peephole.FMAContraction has not
// fused rounds by itself, unless the mode is fast:
//
//	mul %x, 3.3f [contract]  ─►  mul %x, 3.3f
//
// NVIDIA's Vulkan driver (580) fuses more than a product with a sum. It makes (c - x)·d of
// constants c and d a single fma, c·d - x·d with c·d rounded: (1000.3 - x)·3.3 is off by a fifth
// where x is next to 1000.3. It also makes x·(c·d) of (x·c)·d. WGSL permits regrouping only where
// the result is as exact (WGSL §15.7.3, §15.7.4.1). The difference, the product and the sum must
// all be protected: one of them is not enough.
var NoContraction = opt.Pass{
	Name: "nv-contraction",
	Doc:  "forbid drivers to fuse sums and products",
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

// contracted are the operations that drivers fuse, and what they become. A dot product is a sum in
// any order to begin with.
var contracted = op.SetOf(op.Add, op.Sub, op.Mul, op.Fma)
