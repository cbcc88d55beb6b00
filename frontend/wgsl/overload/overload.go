// Package overload resolves calls of builtin functions and operators to an overload, and explains
// why no overload matches.
package overload

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file is overload resolution (WGSL §6.1.2, §6.1.3). A row with type parameters represents all
// overloads that its classes allow. They are not enumerated: matching collects the scalar kinds
// that the arguments give a type parameter, and picks the cheapest kind to which all of them
// convert. By the order of the conversion ranks, that is the overload that the specification
// prefers.

// View is the part of an argument's type that matching needs.
type View struct {
	kind                ir.TypeKind
	scalar              scalar.Kind
	columns, rows       uint16 // a vector has only columns
	Type                ir.Type
	pointee             ir.Type
	shape               texture.Shape
	channel             scalar.Kind // of a texture
	comparison, runtime bool
}

// ViewOf returns the View of a type.
func (r *Resolver) ViewOf(t ir.Type) View {
	m := r.module
	v := View{kind: m.KindOf(t), Type: t}
	switch v.kind {
	case ir.ScalarType:
		v.scalar, v.columns = scalar.Kind(t), 1
	case ir.VectorType:
		v.scalar, v.columns = m.ScalarOf(t), uint16(m.Components(t))
	case ir.MatrixType:
		n, _ := m.Count(t)
		v.scalar, v.columns, v.rows = m.ScalarOf(t), uint16(n), uint16(m.Components(m.Element(t)))
	case ir.TileType:
		k, rows, columns := m.TileShape(t)
		v.scalar, v.rows, v.columns = k, uint16(rows), uint16(columns)
	case ir.FragmentType:
		var rows, columns int
		v.scalar, rows, columns = m.FragmentShape(t)
		v.columns, v.rows = uint16(columns), uint16(rows)
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

// Resolver resolves and explains overloads for the expressions of a program.
type Resolver struct {
	info   *sem.Info
	tree   *syntax.Tree
	module *ir.Module
	types  *types.Table
}

// NewResolver returns a Resolver for a program.
func NewResolver(info *sem.Info, types *types.Table) Resolver {
	return Resolver{info, info.Tree, info.Module, types}
}

// Binding is an assignment to the parameters of a signature.
type Binding struct {
	Kinds      [4]scalar.Kind
	shapes     [4]uint16 // components; 0 is unknown
	dimensions [dimensionCount]uint16
	pointer    ir.Type
	texture    ir.Type
	matrix     ir.Type // a subgroup matrix
	Template   ir.Type // set after resolution, which it does not affect
}

func (b *Binding) dimension(pattern uint8, actual uint16) bool {
	if pattern < dimensionN {
		return uint16(pattern) == actual
	}
	d := &b.dimensions[pattern-dimensionN]
	if *d == 0 {
		*d = actual
	}
	return *d == actual
}

func (b *Binding) size(pattern uint8) int {
	if pattern < dimensionN {
		return int(pattern)
	}
	return int(b.dimensions[pattern-dimensionN])
}

// join adds a kind to a type parameter, and reports whether a common kind exists.
func (b *Binding) join(p *pattern, k scalar.Kind) bool {
	if p.kind != scalar.None {
		return types.ConversionRank(k, p.kind) < types.Infeasible
	}
	common := types.CommonKind(b.Kinds[p.variable], k)
	if common == scalar.None {
		return false
	}
	b.Kinds[p.variable] = common
	return true
}

// matchOne matches one argument with a pattern, and adds its bindings to b.
func (r *Resolver) matchOne(p *pattern, a *View, b *Binding) bool {
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
	case tileForm, convertedForm:
		return a.kind == ir.TileType && b.dimension(p.rows, a.rows) && b.dimension(p.columns, a.columns) && b.join(p, a.scalar)
	case tileViewForm:
		return r.types.IsTileView(a.Type)
	case texelForm:
		return a.kind == ir.VectorType && a.columns == 4 && types.ConversionRank(a.scalar, r.texelKind(b.texture)) < types.Infeasible
	case samplerForm:
		return a.kind == ir.SamplerType && !a.comparison
	case comparisonForm:
		return a.kind == ir.SamplerType && a.comparison
	case textureForm:
		return a.kind == ir.TextureType && r.matchTexture(p, a, b)
	case matrixUseForm:
		return a.kind == ir.FragmentType && r.module.FragmentUse(a.Type) == p.use &&
			b.dimension(p.columns, a.columns) && b.dimension(p.rows, a.rows) && b.join(p, a.scalar)
	case anyMatrixForm:
		b.matrix = a.Type
		return a.kind == ir.FragmentType && b.join(p, scalar.Kind(r.module.FragmentScalar(a.Type)))
	}
	return a.kind == ir.PointerType && r.matchPointer(p, a, b)
}

// matchPointer is matchOne for an argument that is a pointer.
func (r *Resolver) matchPointer(p *pattern, a *View, b *Binding) bool {
	m := r.module
	isAtomic := m.KindOf(a.pointee) == ir.AtomicType
	switch p.form {
	case atomicForm:
		if !isAtomic || m.AccessOf(a.Type) != ir.ReadWrite {
			return false
		}
		element := m.Element(a.pointee)
		if p.columns != 0 {
			return m.IsVector(element) && m.SpaceOf(a.Type) == ir.Storage
		}
		return m.IsScalar(element) && b.join(p, scalar.Kind(element))
	case runtimeForm:
		return a.runtime
	case bufferForm:
		b.pointer = a.Type
		return m.IsBuffer(a.pointee)
	case sharedForm:
		b.pointer = a.Type
		return m.KindOf(a.pointee) == ir.ArrayType
	case elementsForm, wordsForm:
		space, element := m.SpaceOf(a.Type), m.Element(a.pointee)
		return m.KindOf(a.pointee) == ir.ArrayType && (space == ir.Workgroup || space == ir.Storage) &&
			(m.IsScalar(element) || p.form == wordsForm && m.IsVector(element)) && b.join(p, m.ScalarOf(element))
	case workgroupForm:
		b.pointer = a.Type
		return m.SpaceOf(a.Type) == ir.Workgroup && (isAtomic && m.IsScalar(m.Element(a.pointee)) || r.types.Is(a.pointee, types.Constructible))
	}
	return false
}

// matchTexture is matchOne for an argument and a pattern that are textures.
func (r *Resolver) matchTexture(p *pattern, a *View, b *Binding) bool {
	if p.textures>>a.shape&1 == 0 {
		return false
	}
	b.texture = a.Type
	if p.needsAccess {
		access := r.module.AccessOf(a.Type)
		return access == p.access || access == ir.ReadWrite
	}
	return p.variable == 255 || b.join(p, a.channel) && (p.kind == scalar.None || p.kind == a.channel)
}

// texelKind returns the channel kind of a storage texture.
func (r *Resolver) texelKind(texture ir.Type) scalar.Kind {
	if texture == ir.Void {
		return scalar.None
	}
	return r.module.ChannelOf(texture)
}

// settle chooses a kind in its class for each type parameter.
func (s *signature) settle(b *Binding, concrete bool) bool {
	for i := range s.count {
		b.Kinds[i] = types.Cheapest(b.Kinds[i], s.variables[i].kinds, concrete)
		if b.Kinds[i] == scalar.None {
			return false
		}
	}
	return true
}

// match matches a row with arguments. If concrete, no type may stay abstract, because an argument
// is not a const-expression. rank is the sum of the ranks of the conversions.
func (r *Resolver) match(s *signature, args []View, concrete bool, b *Binding) (rank, matched int, ok bool) {
	*b = Binding{}
	if int(s.arity) != len(args) {
		return 0, -1, false
	}
	for i := range args {
		if r.matchOne(&s.parameters[i], &args[i], b) {
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
				to = b.Kinds[p.variable]
			}
			r := types.ConversionRank(args[i].scalar, to)
			if r == types.Infeasible || concrete && to.IsAbstract() {
				return 0, matched, false
			}
			rank += r
		}
	}
	return rank, matched, true
}

// Resolve returns the row with the lowest rank, and its binding in b, or 0 if no row matches.
func (r *Resolver) Resolve(rows sem.Rows, args []View, concrete bool, b *Binding) uint16 {
	var trial Binding
	best, bestRank := uint16(0), 0
	for i := rows.First; i < rows.First+rows.Count; i++ {
		rank, _, ok := r.match(signatureOf(i), args, concrete, &trial)
		if ok && (best == 0 || rank < bestRank) {
			best, bestRank, *b = i, rank, trial
			if rank == 0 {
				break
			}
		}
	}
	return best
}

// Arities returns the least and the greatest number of parameters of rows.
func Arities(rows sem.Rows) (least, most int) {
	least = sem.MaxParameters
	for i := rows.First; i < rows.First+rows.Count; i++ {
		least, most = min(least, int(signatureOf(i).arity)), max(most, int(signatureOf(i).arity))
	}
	return least, most
}

// TakesTemplate reports whether a row takes a type as template argument.
func TakesTemplate(row uint16) bool { return signatureOf(row).template }

// IsOffset reports whether a parameter of a texture builtin is a texel offset.
func IsOffset(row uint16, parameter int) bool {
	p := &signatureOf(row).parameters[parameter]
	return p.form == vectorForm && p.kind == scalar.I32
}

// IsChannel reports whether a parameter of a texture builtin is a channel index.
func IsChannel(row uint16, parameter int) bool {
	return parameter == 0 && signatureOf(row).parameters[0].form == scalarForm
}

// Parameter returns the type of a parameter of a resolved row.
func (r *Resolver) Parameter(row uint16, i int, b *Binding) ir.Type {
	return r.instantiate(&signatureOf(row).parameters[i], b)
}

// Result returns the type of the result of a resolved row.
func (r *Resolver) Result(row uint16, b *Binding) ir.Type {
	return r.instantiate(&signatureOf(row).result, b)
}

// instantiate returns the type of a pattern under a binding.
func (r *Resolver) instantiate(p *pattern, b *Binding) ir.Type {
	m := r.module
	k := p.kind
	if k == scalar.None && p.variable < 4 {
		k = b.Kinds[p.variable]
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
	case matrixUseForm:
		if p.ofTemplate {
			k = scalar.Kind(b.Template)
		}
		return m.FragmentOf(p.use, ir.Type(k), b.size(p.rows), b.size(p.columns))
	case anyMatrixForm:
		return b.matrix
	case pointeeForm:
		t := m.Element(b.pointer)
		if m.KindOf(t) == ir.AtomicType {
			return m.Element(t)
		}
		return t
	case templateForm:
		return b.Template
	case tileForm:
		return m.TileOf(ir.Type(k), b.size(p.rows), b.size(p.columns))
	case convertedForm:
		return m.TileOf(b.Template, b.size(p.rows), b.size(p.columns))
	case viewForm:
		return m.PointerTo(m.SpaceOf(b.pointer), b.Template, m.AccessOf(b.pointer))
	case texelForm:
		return m.VectorOf(ir.Type(r.texelKind(b.texture)), 4)
	case frexpForm, modfForm, exchangeForm:
		return r.types.ResultStructure(resultOf[p.form], b.Kinds[p.variable], max(int(b.shapes[p.variable]), 1))
	}
	return ir.Void
}

// resultOf are the result structures of forms.
var resultOf = [...]types.Result{frexpForm: types.FrexpResult, modfForm: types.ModfResult, exchangeForm: types.ExchangeResult}
