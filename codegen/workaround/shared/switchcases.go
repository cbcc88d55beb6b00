package shared

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// SingleCaseBlocks is workaround nv-switch-cases. Each block of a switch gets one selector, and
// the default block none. Tests of a value against several constants become one:
//
//	switch %x {                      %hit = eq min (xor %x, 4u), (xor %x, 7u), 0u
//	case 4u, 7u { … }          ─►    %y = select %hit, 4u, %x
//	…                                switch %y { case 4u { … } …
//
//	or (eq %x, 4u), (eq %x, 7u)    ─►  eq min (xor %x, 4u), (xor %x, 7u), 0u
//	and (ne %x, 4u), (ne %x, 7u)   ─►  ne min (xor %x, 4u), (xor %x, 7u), 0u
//
// NVIDIA's compilers (driver 580, Vulkan and PTX) seem to split a block with several selectors by
// selector if it tests %x again, or uses it as an index. A loop in it then runs too few iterations,
// or never ends, for the invocations of one selector. The same happens with
// `if (x == 4 || x == 7)`. They do not split the test of a min; a select for each selector is not
// enough.
var SingleCaseBlocks = opt.Pass{
	Name: "nv-switch-cases",
	Doc:  "give each block of a switch one selector, and test a value against several constants at once",
	Run: func(c *opt.Context, m *ir.Module) {
		mergeEqualities(c, m)
		s := opt.Scratch[switchRewriter](c, "nv-switch-cases")
		s.r = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if !f.Had(&switches) {
				continue
			}
			s.r.F, s.r.B.F = f, f
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				if f.Op(i) == op.Switch {
					s.rewriteSwitch(i)
				}
			}
		}
	},
}

var switches = op.SetOf(op.Switch)

var equalityRules = rewrite.Rules{
	op.Or:  func(r *rewrite.Rewriter) ir.Value { return mergeEqualityTests(r, op.Eq) },
	op.And: func(r *rewrite.Rewriter) ir.Value { return mergeEqualityTests(r, op.Ne) },
}

var mergeEqualities = equalityRules.Everywhere()

// mergeEqualityTests merges two tests of the same value.
func mergeEqualityTests(r *rewrite.Rewriter, test op.Op) ir.Value {
	if r.Type != ir.Bool {
		return ir.NoValue
	}
	var tests [2]equality
	for n := range tests {
		var ok bool
		if tests[n], ok = matchEquality(r, r.X[n], test); !ok || tests[n].of != tests[0].of {
			return ir.NoValue
		}
	}
	minimum := r.Op(op.Min, difference(r, tests[0]), difference(r, tests[1]))
	return r.Op(test, minimum, r.M.ConstU32(0))
}

// equality is a test of a value, as the bits of a u32: against one other value, or whether the
// minimum of its differences is 0.
type equality struct{ of, with, minimum ir.Value }

// matchEquality matches a test.
func matchEquality(r *rewrite.Rewriter, v ir.Value, test op.Op) (e equality, ok bool) {
	i, ok := r.F.Def(v)
	if !ok || r.F.Op(i) != test || !rewrite.IsInteger32(r.F, r.F.Arg(i, 0)) {
		return equality{}, false
	}
	x, y := r.F.Resolve(r.F.Arg(i, 0)), r.F.Resolve(r.F.Arg(i, 1))
	if x.IsConst() {
		x, y = y, x
	}
	if of, ok := matchMin(r, x); ok && r.M.IsZero(y) {
		return equality{of: of, minimum: x}, true
	}
	return equality{of: withoutCast(r, x), with: y}, true
}

// matchMin matches a minimum of xors with the same value, which it returns.
func matchMin(r *rewrite.Rewriter, v ir.Value) (of ir.Value, ok bool) {
	i, ok := r.F.Def(v)
	if !ok || r.F.Op(i) != op.Min {
		return ir.NoValue, false
	}
	var sides [2]ir.Value
	for n := range sides {
		side := r.F.Resolve(r.F.Arg(i, n))
		if d, ok := r.F.Def(side); ok && r.F.Op(d) == op.Xor {
			sides[n] = withoutCast(r, r.F.Resolve(r.F.Arg(d, 0)))
		} else if sides[n], ok = matchMin(r, side); !ok {
			return ir.NoValue, false
		}
	}
	return sides[0], sides[0] == sides[1]
}

// withoutCast removes a bitcast of a 32-bit integer.
func withoutCast(r *rewrite.Rewriter, v ir.Value) ir.Value {
	if i, ok := r.F.Def(v); ok && r.F.Op(i) == op.Bitcast {
		if x := r.F.Resolve(r.F.Arg(i, 0)); rewrite.IsInteger32(r.F, x) {
			return x
		}
	}
	return v
}

// difference returns a value that is 0 if the test holds.
func difference(r *rewrite.Rewriter, e equality) ir.Value {
	if e.minimum != ir.NoValue {
		return e.minimum
	}
	return r.Op(op.Xor, r.Cast(scalar.U32, e.of), r.Cast(scalar.U32, e.with))
}

type switchRewriter struct {
	r      rewrite.Rewriter
	blocks []caseBlock
}

// caseBlock is a block of a switch: the number of its selectors, the first of them, and a value
// that is 0 if the switch's operand is any of them.
type caseBlock struct {
	count          int
	first, minimum ir.Value
}

// choice rewrites a switch.
func (s *switchRewriter) rewriteSwitch(i ir.Inst) {
	r, f := &s.r, s.r.F
	s.blocks = ir.Zeroed(s.blocks, len(f.Blocks(i)))
	several := false
	for n, target := range f.CaseTargets(i) {
		b := &s.blocks[target]
		if b.count++; b.count == 1 {
			b.first = f.Arg(i, n+1)
		}
		several = several || b.count > 1 || int(target) == f.DefaultCase(i)
	}
	if !several {
		return
	}
	s.blocks[f.DefaultCase(i)].count = 0
	r.At(i)
	x := r.Cast(scalar.U32, r.X[0])
	for n, target := range f.CaseTargets(i) {
		b := &s.blocks[target]
		if b.count < 2 {
			continue
		}
		difference := r.Op(op.Xor, x, r.M.ConstU32(uint32(r.M.ConstBits(f.Arg(i, n+1)))))
		if b.minimum == ir.NoValue {
			b.minimum = difference
		} else {
			b.minimum = r.Op(op.Min, b.minimum, difference)
		}
	}
	selector := r.X[0]
	for n := range s.blocks {
		if b := &s.blocks[n]; b.count > 1 {
			selector = r.Select(r.Op(op.Eq, b.minimum, r.M.ConstU32(0)), b.first, selector)
		}
	}
	f.SetArg(i, 0, selector)
	f.RemoveCases(i, func(value ir.Value, block int) bool {
		return s.blocks[block].count == 0 || s.blocks[block].first != value
	})
}
