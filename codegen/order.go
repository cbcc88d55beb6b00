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
	{"remove-printf", "inline", "what is computed for messages alone is not worth inlining"},
	{"indvar-normalize", "strip-mine", "it recognises loops that count from zero"},
	{"indvar-normalize", "unroll", "it recognises loops that count from zero"},
	{"indvar-normalize", "unroll-by-period", "it recognises loops that count from zero"},
	{"indvar-normalize", "software-pipeline", "it recognises loops that count from zero"},
	{"strip-mine", "unroll-strided", "a tile is a loop, and no longer one when it is unrolled"},
	{"unroll", "merge-branches", "the iterations of an unrolled loop test the same condition"},
	{"unroll", "reassociate-division", "the sums of unrolled iterations differ by a multiple of the divisor"},
	{"unroll-by-period", "merge-branches", "the iterations of an unrolled loop test the same condition"},
	{"unroll-by-period", "licm", "constant remainders become values that do not change"},
	{"range-simplify", "software-pipeline", "it proves that the loads of the next iteration are in bounds"},
	{"software-pipeline", "runtime-unroll", "a loop over tiles has one iteration in flight, not several"},
	{"software-pipeline", "launch-bounds-versioning", "it adds the loads of the first tile, which the host checks, too"},
	{"launch-bounds-versioning", "runtime-unroll", "both test the same accesses, and the host does it once"},
	{"robustness", "var-for-dynamic-index", "the variables that it makes are indexed in bounds"},
	{"polyfill", "define-arithmetic", "it makes shifts"},
	{"combine-trunc-ext", "define-arithmetic", "a narrow value needs no guard for its upper bits"},
	{"div-by-constant", "define-arithmetic", "what remains are the divisions that can be by zero"},
	{"define-arithmetic", "expand-i64", "a 64-bit shift has one guard, and its halves have two"},
	{"div-sqrt-to-rsqrt", "fma-contraction", "a product takes part in a sum, and a quotient does not"},
	{"define-arithmetic", "fma-contraction", "nothing makes products or sums afterwards"},
	{"fma-contraction", "lower-access", "the arithmetic of addresses is not contracted"},
	{"scope-to-if", "lower-multi-level-breaks", "exits of scopes are exits of conditionals then"},
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
