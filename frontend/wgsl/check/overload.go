package check

import (
	"strconv"

	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file is overload resolution (WGSL §6.1.2, §6.1.3) over the compiled
// signatures. A row with type parameters stands for all overloads that its
// classes allow. Instead of trying each, matching collects the scalar kinds that
// the arguments give a parameter and takes the cheapest kind that all of them
// convert to: the conversion ranks order abstract kinds so that this is the
// overload that the specification prefers.

// infeasible is the rank of a conversion that does not exist.
const infeasible = 100

// conversionRank is ConversionRank of WGSL §6.1.2 between scalar kinds.
func conversionRank(from, to scalar.Kind) int {
	if from == to {
		return 0
	}
	switch from {
	case scalar.AbstractInt:
		switch to {
		case scalar.I32:
			return 3
		case scalar.U32:
			return 4
		case scalar.AbstractFloat:
			return 5
		case scalar.F32:
			return 6
		case scalar.F16:
			return 7
		}
	case scalar.AbstractFloat:
		switch to {
		case scalar.F32:
			return 1
		case scalar.F16:
			return 2
		}
	}
	return infeasible
}

// byRank lists the kinds an abstract kind converts to, cheapest first.
var byRank = [scalar.Count][]scalar.Kind{
	scalar.AbstractInt:   {scalar.AbstractInt, scalar.I32, scalar.U32, scalar.AbstractFloat, scalar.F32, scalar.F16},
	scalar.AbstractFloat: {scalar.AbstractFloat, scalar.F32, scalar.F16},
}

// commonKind returns the kind that two kinds convert to, or None.
func commonKind(a, b scalar.Kind) scalar.Kind {
	switch {
	case a == b || b == scalar.None:
		return a
	case a == scalar.None || conversionRank(a, b) < infeasible:
		return b
	case conversionRank(b, a) < infeasible:
		return a
	}
	return scalar.None
}

// view is what matching needs to know of an argument's type.
type view struct {
	kind                ir.TypeKind
	scalar              scalar.Kind
	columns, rows       uint8 // a vector has columns only
	typ                 ir.Type
	pointee             ir.Type
	shape               texture.Shape
	channel             scalar.Kind // of a texture
	comparison, runtime bool
}

func (c *Checker) viewOf(t ir.Type) view {
	m := c.module
	v := view{kind: m.KindOf(t), typ: t}
	switch v.kind {
	case ir.ScalarType:
		v.scalar, v.columns = scalar.Kind(t), 1
	case ir.VectorType:
		v.scalar, v.columns = m.ScalarOf(t), uint8(m.Components(t))
	case ir.MatrixType:
		n, _ := m.Count(t)
		v.scalar, v.columns, v.rows = m.ScalarOf(t), uint8(n), uint8(m.Components(m.Element(t)))
	case ir.PointerType:
		v.pointee = m.Element(t)
		v.runtime = m.IsRuntimeArray(v.pointee)
	case ir.TextureType:
		v.shape, v.channel = m.ShapeOf(t), m.ChannelOf(t)
	case ir.SamplerType:
		v.comparison = m.IsComparison(t)
	}
	return v
}

// binding is what the parameters of a signature stand for.
type binding struct {
	kinds      [4]scalar.Kind
	shapes     [4]uint8 // components; 0 is not known
	dimensions [dimensionCount]uint8
	pointer    ir.Type
	texture    ir.Type
	template   ir.Type // set once a row is chosen; it decides nothing
}

func (b *binding) dimension(pattern, actual uint8) bool {
	if pattern < dimensionN {
		return pattern == actual
	}
	d := &b.dimensions[pattern-dimensionN]
	if *d == 0 {
		*d = actual
	}
	return *d == actual
}

func (b *binding) size(pattern uint8) int {
	if pattern < dimensionN {
		return int(pattern)
	}
	return int(b.dimensions[pattern-dimensionN])
}

// join adds a kind to what a type parameter has to hold.
func (b *binding) join(p *pattern, k scalar.Kind) bool {
	if p.kind != scalar.None {
		return conversionRank(k, p.kind) < infeasible
	}
	common := commonKind(b.kinds[p.variable], k)
	if common == scalar.None {
		return false
	}
	b.kinds[p.variable] = common
	return true
}

// matchOne matches one argument by its form and adds what it says to b.
func (c *Checker) matchOne(p *pattern, a *view, b *binding) bool {
	m := c.module
	switch p.form {
	case scalarForm:
		return a.kind == ir.ScalarType && b.join(p, a.scalar)
	case shapedForm:
		if a.kind != ir.ScalarType && a.kind != ir.VectorType {
			return false
		}
		shape := &b.shapes[p.shape]
		if *shape == 0 {
			*shape = a.columns
		}
		return *shape == a.columns && b.join(p, a.scalar)
	case vectorForm:
		return a.kind == ir.VectorType && b.dimension(p.columns, a.columns) && b.join(p, a.scalar)
	case matrixForm:
		return a.kind == ir.MatrixType && b.dimension(p.columns, a.columns) && b.dimension(p.rows, a.rows) && b.join(p, a.scalar)
	case atomicForm:
		if a.kind != ir.PointerType || m.KindOf(a.pointee) != ir.AtomicType || m.AccessOf(a.typ) != ir.ReadWrite {
			return false
		}
		element := m.Element(a.pointee)
		if p.columns != 0 {
			return m.IsVector(element) && m.SpaceOf(a.typ) == ir.Storage
		}
		return m.IsScalar(element) && b.join(p, scalar.Kind(element))
	case runtimeForm:
		return a.kind == ir.PointerType && a.runtime
	case bufferForm:
		b.pointer = a.typ
		return a.kind == ir.PointerType && m.IsBuffer(a.pointee)
	case workgroupForm:
		b.pointer = a.typ
		return a.kind == ir.PointerType && m.SpaceOf(a.typ) == ir.Workgroup &&
			(m.KindOf(a.pointee) == ir.AtomicType && m.IsScalar(m.Element(a.pointee)) || c.is(a.pointee, constructible))
	case textureForm:
		if a.kind != ir.TextureType || p.textures>>a.shape&1 == 0 {
			return false
		}
		b.texture = a.typ
		if p.needsAccess {
			access := m.AccessOf(a.typ)
			return access == p.access || access == ir.ReadWrite
		}
		return p.variable == 255 || b.join(p, a.channel) && (p.kind == scalar.None || p.kind == a.channel)
	case texelForm:
		if a.kind != ir.VectorType || a.columns != 4 {
			return false
		}
		return conversionRank(a.scalar, c.texelKind(b.texture)) < infeasible
	case samplerForm:
		return a.kind == ir.SamplerType && !a.comparison
	case comparisonForm:
		return a.kind == ir.SamplerType && a.comparison
	}
	return false
}

// texelKind returns the channel kind of a storage texture.
func (c *Checker) texelKind(texture ir.Type) scalar.Kind {
	if texture == ir.Void {
		return scalar.None
	}
	return c.module.ChannelOf(texture)
}

// settle chooses a kind in its class for every type parameter.
func (s *signature) settle(b *binding, concrete bool) bool {
	for i := range s.count {
		k := b.kinds[i]
		class := s.variables[i].kinds
		if class>>k&1 != 0 && !(concrete && k.IsAbstract()) {
			continue
		}
		found := false
		for _, to := range byRank[k] {
			if class>>to&1 != 0 && !(concrete && to.IsAbstract()) {
				b.kinds[i], found = to, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// match matches a row with arguments. Concrete says that no type may stay
// abstract, because an argument is no const-expression. The rank is the sum of
// the conversions' ranks; matched counts the arguments that fit when not all do.
func (c *Checker) match(s *signature, args []view, concrete bool, b *binding) (rank, matched int, ok bool) {
	*b = binding{}
	if int(s.arity) != len(args) {
		return 0, -1, false
	}
	for i := range args {
		if c.matchOne(&s.parameters[i], &args[i], b) {
			matched++
		}
	}
	if matched < len(args) || !s.settle(b, concrete) {
		return 0, matched, false
	}
	for i := range args {
		p := &s.parameters[i]
		switch p.form {
		case scalarForm, shapedForm, vectorForm, matrixForm:
			to := p.kind
			if to == scalar.None {
				to = b.kinds[p.variable]
			}
			r := conversionRank(args[i].scalar, to)
			if r == infeasible || concrete && to.IsAbstract() {
				return 0, matched, false
			}
			rank += r
		}
	}
	return rank, matched, true
}

// resolveOverload returns the row of a run that fits the arguments best, or 0.
func (c *Checker) resolveOverload(r semantics.Rows, args []view, concrete bool, b *binding) uint16 {
	var trial binding
	best, bestRank := uint16(0), 0
	for i := r.First; i < r.First+r.Count; i++ {
		rank, _, ok := c.match(&signatures[i], args, concrete, &trial)
		if ok && (best == 0 || rank < bestRank) {
			best, bestRank, *b = i, rank, trial
			if rank == 0 {
				break
			}
		}
	}
	return best
}

// instantiate returns the type that a pattern stands for.
func (c *Checker) instantiate(p *pattern, b *binding) ir.Type {
	m := c.module
	k := p.kind
	if k == scalar.None && p.variable < 4 {
		k = b.kinds[p.variable]
	}
	switch p.form {
	case scalarForm:
		return ir.Type(k)
	case shapedForm:
		if n := b.shapes[p.shape]; n > 1 {
			return m.VectorOf(ir.Type(k), int(n))
		}
		return ir.Type(k)
	case vectorForm:
		return m.VectorOf(ir.Type(k), b.size(p.columns))
	case matrixForm:
		return m.MatrixOf(ir.Type(k), b.size(p.columns), b.size(p.rows))
	case pointeeForm:
		t := m.Element(b.pointer)
		if m.KindOf(t) == ir.AtomicType {
			return m.Element(t)
		}
		return t
	case templateForm:
		return b.template
	case viewForm:
		return m.PointerTo(m.SpaceOf(b.pointer), b.template, m.AccessOf(b.pointer))
	case texelForm:
		return m.VectorOf(ir.Type(c.texelKind(b.texture)), 4)
	case frexpForm, modfForm, exchangeForm:
		return c.resultStructure(p.form, b.kinds[p.variable], max(int(b.shapes[p.variable]), 1))
	}
	return ir.Void
}

// resultKey finds a result structure in Checker.results.
type resultKey struct {
	form form
	kind scalar.Kind
	n    uint8
	typ  ir.Type
}

// resultStructure returns a structure type that a builtin yields (WGSL §17.5,
// §17.8), making it on first use.
func (c *Checker) resultStructure(f form, k scalar.Kind, n int) ir.Type {
	for i := range c.results {
		if r := &c.results[i]; r.form == f && r.kind == k && int(r.n) == n {
			return r.typ
		}
	}
	m := c.module
	shape := func(k scalar.Kind) ir.Type {
		if n > 1 {
			return m.VectorOf(ir.Type(k), n)
		}
		return ir.Type(k)
	}
	suffix := k.String()
	if k.IsAbstract() {
		suffix = "abstract"
	}
	if n > 1 {
		suffix = "vec" + strconv.Itoa(n) + "_" + suffix
	}
	var members []ir.Member
	name := ""
	switch f {
	case frexpForm:
		exponent := scalar.I32
		if k.IsAbstract() {
			exponent = scalar.AbstractInt
		}
		name = "__frexp_result_" + suffix
		members = []ir.Member{{Name: "fract", Type: shape(k)}, {Name: "exp", Type: shape(exponent)}}
	case modfForm:
		name = "__modf_result_" + suffix
		members = []ir.Member{{Name: "fract", Type: shape(k)}, {Name: "whole", Type: shape(k)}}
	default:
		name = "__atomic_compare_exchange_result_" + suffix
		members = []ir.Member{{Name: "old_value", Type: ir.Type(k)}, {Name: "exchanged", Type: ir.Bool}}
	}
	size, align := m.LayoutStruct(members, nil, nil)
	t := m.NewStruct(name, members, size, align)
	c.results = append(c.results, resultKey{f, k, uint8(n), t})
	return t
}
