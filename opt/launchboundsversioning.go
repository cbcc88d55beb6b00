package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// LaunchBoundsVersioning moves checks of accesses from a kernel to whoever launches it, as loop
// versioning moves them before a loop. In
//
//	if x < w && y < h { b[y * w + x] = a[id.x * 16 + 15]; }
//
// the indices are at most (h - 1) * w + (w - 1) and 16 * (invocations - 1) + 15. All of this is
// known when the kernel is launched, as the lengths of a and b are. So the kernel gets a condition
// for each access (ir.Func.Within), and its accesses are promised to be in bounds. Whoever launches
// launches this variant only if the conditions hold: the host does once for a launch what a device
// would do for each invocation. Launches of this variant have fewer than 2^31 invocations in each
// dimension.
//
// The upper bound of an index is a sum of products of quantities. Their factors are not negative,
// except that of the constant. The index is a sum of products, too, of parts that each have an
// upper bound. All of it is less than an array's length, so no sum or product of the kernel is
// greater in exact arithmetic. That the machine's may wrap on the way changes nothing.
var LaunchBoundsVersioning = Pass{
	Name:  "launch-bounds-versioning",
	Doc:   "replace bounds checks by conditions that the host tests once for a launch",
	Needs: ir.Structured,
	Run: func(c *Context, m *ir.Module) {
		if c.Bounds != BoundsRobust {
			return
		}
		h := Scratch[launchBounder](c, "launch-bounds-versioning")
		for _, f := range m.Funcs {
			if f.Kernel {
				h.run(m, f)
			}
		}
	},
}

const (
	// maxProducts bounds the products of a sum, maxConditions the comparisons of a kernel, which a
	// launch makes one after the other.
	maxProducts   = 8
	maxConditions = 24
	// maxConstant bounds the constants that say something of an index: counts of workgroups are
	// less than 2^21 at best.
	maxConstant = 1 << 20
)

type launchBounder struct {
	m      *ir.Module
	f      *ir.Func
	ranges analysis.Ranges
	bounds bounder
	// within are the comparisons of the current access.
	within []ir.Within
}

// run gives a kernel its conditions.
func (h *launchBounder) run(m *ir.Module, f *ir.Func) {
	h.m, h.f = m, f
	f.Within = f.Within[:0]
	f.IntPositions = true
	h.ranges.Arithmetic, h.ranges.Indices = true, true
	h.ranges.Analyse(f)
	h.bounds = bounder{f, h, &h.ranges}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Access || f.Flags(i)&ir.InBounds != 0 || h.ranges.Proves(i, 0) {
			continue
		}
		array, index := f.Arg(i, 0), f.Arg(i, 1)
		if !h.isArray(array) || !indicesInBounds(f, m.PartType(m.Element(f.TypeOf(array)), 0), f.Args(i)[2:]) {
			continue
		}
		h.within = h.within[:0]
		found, ok := h.bounds.upperBound(index, i, maxBoundDepth)
		if !ok || h.exceeds(found.(sum), array) {
			continue
		}
		h.need(array, found.(sum))
		if len(f.Within)+len(h.within) > maxConditions {
			continue
		}
		for _, w := range h.within {
			if !slices.ContainsFunc(f.Within, func(x ir.Within) bool { return x.Array == w.Array && sameSum(x.Sum, w.Sum) }) {
				f.Within = append(f.Within, w)
			}
		}
		f.SetFlags(i, f.Flags(i)|ir.InBounds)
	}
}

// isArray reports whether a value is a variable that is a runtime-sized array.
func (h *launchBounder) isArray(v ir.Value) bool {
	if !v.IsGlobal() {
		return false
	}
	t := h.m.Element(h.f.TypeOf(v))
	return h.m.KindOf(t) == ir.ArrayType && h.m.IsRuntimeArray(t)
}

// exceeds reports whether a sum is not less than an array's length, however long that is.
func (h *launchBounder) exceeds(s sum, array ir.Value) bool {
	length := false
	for _, p := range s {
		if p.Factor < 0 {
			return false
		}
		// or as many, rounded up
		if len(p.Of) == 1 && p.Of[0].Kind == ir.Elements && p.Of[0].Of == array {
			length = length || p.Factor >= int64(p.Of[0].Over) && p.Of[0].Plus+1 >= p.Of[0].Over
		}
	}
	return length
}

// need adds a comparison, unless it always holds.
func (h *launchBounder) need(array ir.Value, s sum) {
	// every array has an element
	if n := s.constant(); s.isConstant() && n >= 0 && (array == ir.NoValue && n < signBit || n == 0) {
		return
	}
	own := ir.Product{Factor: 1, Of: []ir.Quantity{{Kind: ir.Elements, Of: array}}}
	if array != ir.NoValue && sameSum(s, sum{own, {Factor: -1}}) {
		return
	}
	h.within = append(h.within, ir.Within{Array: array, Sum: s})
}

// known returns the upper bound of a value that a condition around an instruction, its interval, or
// the value itself gives.
func (h *launchBounder) known(v ir.Value, at ir.Inst, depth int) (bound, bool) {
	f := h.f
	t := f.TypeOf(v)
	low, high, known := h.ranges.Of(v).Bounds(t)
	known = known && low >= 0 && high < maxConstant
	if t == ir.U32 || h.bounds.isNonNegative(v, at) {
		before := len(h.within)
		if s, ok := h.limit(v, at, depth); ok && (!known || s.isConstant() && s.constant() < high) {
			return s, true
		}
		h.within = h.within[:before]
	}
	if known {
		return constantSum(high), true
	}
	if s, ok := h.value(v, depth); ok {
		if f.DefOp(v) != op.Load {
			h.need(ir.NoValue, s)
		}
		return s, true
	}
	if i, ok := f.Def(v); ok && f.Op(i) == op.Extract {
		return h.position(i)
	}
	return nil, false
}

func (h *launchBounder) exact(v ir.Value, depth int) (bound, bool) {
	s, ok := h.value(v, depth)
	if ok {
		h.need(ir.NoValue, s)
	}
	return s, ok
}

func (h *launchBounder) constant(n uint32) bound             { return constantSum(int64(n)) }
func (h *launchBounder) plus(x, y bound) (bound, bool)       { return x.(sum).plus(y.(sum)) }
func (h *launchBounder) times(x, y bound) (bound, bool)      { return x.(sum).times(y.(sum)) }
func (h *launchBounder) max(bound, bound) (s bound, ok bool) { return nil, false }
func (h *launchBounder) testCount() int                      { return len(h.within) }
func (h *launchBounder) drop(n int)                          { h.within = h.within[:n] }

// position returns the upper bound of a component of a builtin value.
func (h *launchBounder) position(extract ir.Inst) (sum, bool) {
	f := h.f
	c, ok := h.m.ConstUint(f.Arg(extract, 1))
	n := slices.Index(f.Params(f.Entry), f.Arg(extract, 0))
	if !ok || c > 2 || n < 0 {
		return nil, false
	}
	of := func(kind ir.QuantityKind) sum { return quantitySum(ir.Quantity{Kind: kind, Number: uint32(c)}) }
	switch f.Builtins[n] {
	case ir.GlobalInvocationID:
		return of(ir.Invocations).plus(constantSum(-1))
	case ir.WorkgroupID:
		return of(ir.Workgroups).plus(constantSum(-1))
	case ir.NumWorkgroups:
		return of(ir.Workgroups), true
	}
	return nil, false
}

// limit returns the upper bound of a value that a condition around an instruction gives: that it is
// less than, or not greater than, a known value.
func (h *launchBounder) limit(v ir.Value, at ir.Inst, depth int) (s sum, ok bool) {
	before := len(h.within)
	conditions(h.f, at, func(o op.Op, x, y ir.Value) bool {
		if x != v {
			return false
		}
		bound, known := h.value(y, depth-1)
		if known && o == op.Lt {
			bound, known = h.below(v, bound)
		}
		if !known || bound.isConstant() && bound.constant() < 0 || ok && len(s) <= len(bound) {
			return false
		}
		h.within = h.within[:before]
		if h.f.DefOp(y) != op.ArrayLength {
			// it is that of y mod 2^32, and so of y, if it is not negative
			h.need(ir.NoValue, bound)
		}
		s, ok = bound, true
		return false
	})
	return s, ok
}

// below returns the upper bound of a value that is less than a sum. For a multiple of a power of
// two, such as the count of a loop by steps of eight, that is the greatest multiple below the sum.
func (h *launchBounder) below(v ir.Value, s sum) (sum, bool) {
	r := h.ranges.Residue(v)
	if r.Bits != 0 || r.Count == 0 || r.Count > 16 || len(s) != 1 || s[0].Factor != 1 || len(s[0].Of) != 1 || s[0].Of[0].Over != 0 {
		return s.plus(constantSum(-1))
	}
	q, step := s[0].Of[0], uint32(1)<<r.Count
	q.Plus, q.Over = step-1, step
	return sum{{Factor: int64(step), Of: []ir.Quantity{q}}}.plus(constantSum(-int64(step)))
}

// value returns an unsigned value as a sum, provided that it is less than 2^31, which the caller
// has to test.
func (h *launchBounder) value(v ir.Value, depth int) (s sum, ok bool) {
	f, m := h.f, h.m
	if t := f.TypeOf(v); depth <= 0 || t != ir.U32 && t != ir.I32 {
		return nil, false
	}
	if v.IsConst() {
		return constantSum(int64(int32(m.ConstBits(v)))), true
	}
	i, ok := f.Def(v)
	if !ok {
		return nil, false
	}
	switch o := f.Op(i); o {
	case op.ArrayLength:
		if a := f.Arg(i, 0); h.isArray(a) {
			return quantitySum(ir.Quantity{Kind: ir.Elements, Of: a}), true
		}
	case op.Load:
		if q, ok := h.word(f.Arg(i, 0)); ok {
			return quantitySum(q), true
		}
	case op.Extract:
		return h.component(i)
	case op.Convert:
		return h.value(f.Arg(i, 0), depth-1)
	case op.Add, op.Sub, op.Mul:
		return h.arithmetic(o, f.Arg(i, 0), f.Arg(i, 1), depth-1)
	case op.Shl:
		if by, ok := m.ConstUint(f.Arg(i, 1)); ok && by < 31 {
			if x, ok := h.value(f.Arg(i, 0), depth-1); ok {
				return x.times(constantSum(1 << by))
			}
		}
	case op.Div, op.Shr:
		return h.quotient(i, depth-1)
	}
	return nil, false
}

// component returns a component of a vector as a sum: of the number of workgroups, or of
// immediates.
func (h *launchBounder) component(extract ir.Inst) (sum, bool) {
	f := h.f
	if n := slices.Index(f.Params(f.Entry), f.Arg(extract, 0)); n >= 0 && f.Builtins[n] == ir.NumWorkgroups {
		return h.position(extract)
	}
	c, constant := h.m.ConstUint(f.Arg(extract, 1))
	if load, ok := f.Def(f.Arg(extract, 0)); ok && constant && c < 4 && f.Op(load) == op.Load {
		if q, ok := h.word(f.Arg(load, 0)); ok {
			q.Number += 4 * uint32(c)
			return quantitySum(q), true
		}
	}
	return nil, false
}

// arithmetic returns the sum, difference or product of two values as a sum.
func (h *launchBounder) arithmetic(o op.Op, a, b ir.Value, depth int) (sum, bool) {
	x, ok := h.value(a, depth)
	if !ok {
		return nil, false
	}
	y, ok := h.value(b, depth)
	switch {
	case !ok:
		return nil, false
	case o == op.Add:
		return x.plus(y)
	case o == op.Mul:
		return x.times(y)
	}
	if y, ok = y.times(constantSum(-1)); ok {
		return x.plus(y)
	}
	return nil, false
}

// quotient returns a quotient by a constant as a sum, also one that is a shift.
func (h *launchBounder) quotient(i ir.Inst, depth int) (sum, bool) {
	f := h.f
	by, ok := h.m.ConstUint(f.Arg(i, 1))
	if f.Op(i) == op.Shr {
		by = 1 << (by & 31)
	}
	x, known := h.value(f.Arg(i, 0), depth)
	if !ok || by == 0 || by >= signBit || !known || !x.isQuantity() {
		return nil, false
	}
	if len(x) == 2 || f.Type(i) == ir.I32 {
		h.need(ir.NoValue, x)
	}
	q := x[0].Of[0]
	q.Plus, q.Over = uint32(x.constant()), uint32(by)
	return quantitySum(q), true
}

// word returns the word of the immediates that a pointer leads to.
func (h *launchBounder) word(pointer ir.Value) (q ir.Quantity, ok bool) {
	f, m := h.f, h.m
	base, offset := pointer, uint32(0)
	if i, local := f.Def(pointer); local {
		if f.Op(i) != op.Access || !f.Arg(i, 0).IsGlobal() {
			return q, false
		}
		base = f.Arg(i, 0)
		t := m.Element(f.TypeOf(base))
		for _, index := range f.Args(i)[1:] {
			n, ok := m.ConstUint(index)
			if !ok || m.KindOf(t) != ir.StructType || n >= uint64(len(m.Members(t))) {
				return q, false
			}
			offset += m.Members(t)[n].Offset
			t = m.Members(t)[n].Type
		}
	}
	if !base.IsGlobal() || m.SpaceOf(f.TypeOf(base)) != ir.Immediate {
		return q, false
	}
	return ir.Quantity{Kind: ir.Word, Of: base, Number: offset}, true
}

// sum is a sum of products, of which none has the same quantities as another. The last one is the
// constant, if there is one.
type sum []ir.Product

func constantSum(n int64) sum       { return sum{{Factor: n}} }
func quantitySum(q ir.Quantity) sum { return sum{{Factor: 1, Of: []ir.Quantity{q}}} }

// constant returns the constant of a sum.
func (s sum) constant() int64 {
	if n := len(s); n > 0 && len(s[n-1].Of) == 0 {
		return s[n-1].Factor
	}
	return 0
}

// isQuantity reports whether a sum is a quantity, or one plus a positive constant.
func (s sum) isQuantity() bool {
	return len(s[0].Of) == 1 && s[0].Factor == 1 && s[0].Of[0].Over == 0 && (len(s) == 1 || len(s) == 2 && s.constant() > 0)
}

// isConstant reports whether a sum has no quantities.
func (s sum) isConstant() bool { return len(s) == 1 && len(s[0].Of) == 0 }

// plus returns the sum of two sums, if it is not too long.
func (s sum) plus(t sum) (sum, bool) {
	made := make(sum, 0, len(s)+len(t))
	last := int64(0)
	for _, list := range [...]sum{s, t} {
		for _, p := range list {
			if len(p.Of) == 0 {
				last += p.Factor
				continue
			}
			if k := slices.IndexFunc(made, func(q ir.Product) bool { return slices.Equal(p.Of, q.Of) }); k >= 0 {
				made[k].Factor += p.Factor
				continue
			}
			made = append(made, p)
		}
	}
	made = slices.DeleteFunc(made, func(p ir.Product) bool { return p.Factor == 0 })
	if last != 0 || len(made) == 0 {
		made = append(made, ir.Product{Factor: last})
	}
	return made, len(made) <= maxProducts && made.isSmall()
}

// times returns the product of two sums, if it is not too long.
func (s sum) times(t sum) (sum, bool) {
	made := constantSum(0)
	for _, p := range s {
		for _, q := range t {
			of := slices.Concat(p.Of, q.Of)
			slices.SortFunc(of, compareQuantities)
			longer, ok := made.plus(sum{{Factor: p.Factor * q.Factor, Of: of}})
			if !ok || len(of) > 3 {
				return nil, false
			}
			made = longer
		}
	}
	return made, made.isSmall()
}

// isSmall reports whether the factors are so small that no product of two of them has more than 64
// bits.
func (s sum) isSmall() bool {
	return !slices.ContainsFunc(s, func(p ir.Product) bool { return p.Factor >= signBit || p.Factor <= -signBit })
}

func compareQuantities(a, b ir.Quantity) int {
	switch {
	case a.Kind != b.Kind:
		return int(a.Kind) - int(b.Kind)
	case a.Of != b.Of:
		return int(int64(a.Of) - int64(b.Of))
	case a.Over != b.Over:
		return int(int64(a.Over) - int64(b.Over))
	case a.Plus != b.Plus:
		return int(int64(a.Plus) - int64(b.Plus))
	}
	return int(int64(a.Number) - int64(b.Number))
}

// sameSum reports whether two sums have the same products, in whichever order.
func sameSum(s, t []ir.Product) bool {
	return len(s) == len(t) && !slices.ContainsFunc(s, func(p ir.Product) bool {
		return !slices.ContainsFunc(t, func(q ir.Product) bool { return p.Factor == q.Factor && slices.Equal(p.Of, q.Of) })
	})
}
