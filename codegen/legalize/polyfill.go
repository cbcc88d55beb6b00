package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Polyfill returns the pass that expresses the given operations by simpler
// ones. An expansion may use operations that are themselves in the list; they
// are then expanded too. An operation without an expansion is a mistake in the
// target's declaration and panics.
func Polyfill(ops ...op.Op) opt.Pass {
	table := new(rules)
	for _, o := range ops {
		if polyfills[o] == nil {
			panic("legalize: no expansion of " + o.String())
		}
		table[o] = polyfills[o]
	}
	return opt.Pass{
		Name: "polyfill",
		Doc:  "express operations that the target lacks by simpler ones",
		Run:  func(c *opt.Context, m *ir.Module) { table.run(c, m) },
	}
}

var polyfills rules
