package codegen

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/opt"
)

// Constraint says that in every pipeline with two passes the last run of one comes before the first
// run of the other. The properties of passes (opt.Pass) decide what would be wrong; a constraint
// decides what would be slow, or large, or undone.
type Constraint struct {
	Before, After string // names of passes
	Why           string // completes "before AFTER: …"
}

// Constraints are the order constraints that no property expresses. Check tests them.
var Constraints = []Constraint{
	{"remove-printf", "inline", "code that only messages use is not worth inlining"},
	{"indvar-normalize", "strip-mine", "loop passes recognise loops that count from zero"},
	{"indvar-normalize", "unroll", "loop passes recognise loops that count from zero"},
	{"indvar-normalize", "unroll-by-period", "loop passes recognise loops that count from zero"},
	{"indvar-normalize", "software-pipeline", "loop passes recognise loops that count from zero"},
	{"strip-mine", "unroll-strided", "a loop over a tile cannot be strip-mined once it is unrolled"},
	{"unroll", "merge-branches", "the iterations of an unrolled loop test the same condition"},
	{"unroll", "reassociate-division", "the sums of unrolled iterations differ by a multiple of the divisor"},
	{"unroll-by-period", "merge-branches", "the iterations of an unrolled loop test the same condition"},
	{"unroll-by-period", "licm", "remainders that unrolling makes constant are loop-invariant"},
	{"range-simplify", "software-pipeline", "range-simplify proves that the loads of the next iteration are in bounds"},
	{"software-pipeline", "runtime-unroll", "a loop over tiles should have one iteration in flight, not several"},
	{"software-pipeline", "launch-bounds-versioning", "the host should check the loads of the first tile, too, which pipelining adds"},
	{"launch-bounds-versioning", "runtime-unroll", "both test the same accesses, and the host tests them once"},
	{"robustness", "var-for-dynamic-index", "accesses to the variables that var-for-dynamic-index makes are in bounds and need no guard"},
	{"polyfill", "define-arithmetic", "polyfills make shifts, which need guards"},
	{"combine-trunc-ext", "define-arithmetic", "a combined conversion needs no guard"},
	{"div-by-constant", "define-arithmetic", "a division by a constant needs no guard"},
	{"define-arithmetic", "expand-i64", "a 64-bit shift needs one guard, and its halves would need two"},
	{"div-sqrt-to-rsqrt", "fma-contraction", "a product can be fused with a sum, a quotient cannot"},
	{"define-arithmetic", "fma-contraction", "guards are products and sums, too"},
	{"fma-contraction", "lower-access", "address arithmetic is not contracted"},
	{"scope-to-if", "lower-multi-level-breaks", "exits of scopes have become exits of ifs"},
}

// ConstraintsOn returns the constraints about a pass.
func ConstraintsOn(pass string) (list []Constraint) {
	for _, c := range Constraints {
		if c.Before == pass || c.After == pass {
			list = append(list, c)
		}
	}
	return list
}

// ordered reports the first constraint that a pipeline breaks.
func ordered(passes []opt.Pass) error {
	for _, c := range Constraints {
		if broken, _ := c.In(passes); broken {
			return fmt.Errorf("pass %s does not come before %s: %s", c.Before, c.After, c.Why)
		}
	}
	return nil
}

// In reports whether a pipeline breaks the constraint, and whether it has both passes.
func (c *Constraint) In(passes []opt.Pass) (broken, applies bool) {
	first := slices.IndexFunc(passes, func(p opt.Pass) bool { return p.Name == c.After })
	if first < 0 {
		return false, false
	}
	broken = slices.ContainsFunc(passes[first:], func(p opt.Pass) bool { return p.Name == c.Before })
	return broken, broken || slices.ContainsFunc(passes[:first], func(p opt.Pass) bool { return p.Name == c.Before })
}
