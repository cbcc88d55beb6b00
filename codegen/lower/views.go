package lower

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Views gives buffers without a type one, and replaces the views of them (WGSL §17.14, buffer_view)
// by accesses to its elements:
//
//	var b: buffer            var b: array<u32>
//	p = view b, 16, …        x = load b[4]
//	v = load p: vec2<f32>    y = load b[5]
//	                         v = vec2(bitcast x, bitcast y)
//
// No target has pointers into buffers that change their type. With plain arrays, later passes bound
// and optimise the accesses as usual. The pass runs before the portable passes, but after the
// inlining of functions with pointer parameters, since it must know the buffer of each view.
//
// The elements are u32, or f16 if a view contains halves. A half could not be written into a word
// without a race for its other half.
//
// An access that leaves its view leaves the buffer, too: a dynamic index is compared with the
// count, and an offset with the buffer's size. Robustness and the interpreter then treat it like
// any other access out of bounds.
var Views = opt.Pass{
	Name:  "views",
	Doc:   "replace views of buffers by accesses to arrays",
	Needs: ir.Bound | ir.Structured | ir.Rooted,
	Keeps: ir.AsWritten,

	Replaces: op.SetOf(op.View),

	Run: func(c *opt.Context, m *ir.Module) {
		v := viewer{Rewriter: rewrite.New(c, m)}
		if !v.findBuffers() {
			return
		}
		for _, f := range m.Funcs {
			v.F, v.B.F = f, f
			v.pointers = ir.Zeroed(v.pointers, f.ValueCount())
			v.function()
			f.ApplyReplacements()
		}
	},
}

// viewer rewrites one function at a time.
type viewer struct {
	rewrite.Rewriter
	buffers  []buffer      // by module variable
	pointers []viewPointer // by local value: of pointers into buffers
	// the current address
	at    viewPointer // what is read or written now
	costs []uint32    // by type: the scalars that code of their own moves
	moved uint64      // scalars in all
}

// maxViewed is the greatest number of scalars that a kernel may move through views with separate
// instructions. Each needs an access and a test.
const maxViewed = 1 << 16

// buffer is a variable of a buffer type.
type buffer struct {
	size  ir.Value // in bytes, or 0 if it is determined at run time
	shift int      // the binary logarithm of the bytes of an element, or 0 if it is no buffer
}

// viewPointer is where a pointer leads.
type viewPointer struct {
	root ir.Value // the variable, or 0
	base ir.Value // the index of its first element
	// outer is the pointer that bounds it, and skip its offset in bytes from that. size is the
	// greatest number of its bytes, or 0 for all that are left.
	outer, skip, size ir.Value
	left              ir.Value // the bytes of a view, if computed
}

// findBuffers gives all buffers their types and reports whether there are any.
func (v *viewer) findBuffers() (found bool) {
	m := v.M
	v.buffers = make([]buffer, len(m.Globals))
	for n := range m.Globals {
		if t := m.Element(m.Globals[n].Type); m.IsBuffer(t) {
			size := m.BufferSize(t)
			v.buffers[n] = buffer{size, 2}
			if bytes, ok := m.ConstUint(size); ok && bytes%4 != 0 {
				v.buffers[n].shift = 1
			}
			found = true
		}
	}
	if !found {
		return false
	}
	for _, f := range m.Funcs {
		v.findHalves(f)
	}
	for n := range m.Globals {
		b := &v.buffers[n]
		if b.shift == 0 {
			continue
		}
		g := &m.Globals[n]
		element, count := ir.U32, ir.NoValue
		if b.shift == 1 {
			element = ir.F16
		}
		if bytes, ok := m.ConstUint(b.size); ok {
			count = m.ConstU32(max(uint32(bytes)>>b.shift, 1))
		}
		g.Type = m.PointerTo(m.SpaceOf(g.Type), m.ArrayOf(element, count), m.AccessOf(g.Type))
	}
	return true
}

// findHalves finds the buffers with views that contain f16.
func (v *viewer) findHalves(f *ir.Func) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.View || !hasScalar(v.M, v.M.Element(f.Type(i)), scalar.F16) {
			continue
		}
		root := f.Arg(i, 0)
		for d, ok := f.Def(root); ok && f.Op(d) == op.View; d, ok = f.Def(root) {
			root = f.Arg(d, 0)
		}
		if root.IsGlobal() && v.buffers[root.Index()].shift != 0 {
			v.buffers[root.Index()].shift = 1
		}
	}
}

func (v *viewer) function() {
	f := v.F
	for i := f.First(f.Entry); i != 0 && v.moved <= maxViewed; {
		next := f.After(i, f.Entry)
		switch f.Op(i) {
		case op.View:
			v.begin(i)
			v.view(i)
		case op.Access:
			if p, ok := v.pointer(f.Arg(i, 0)); ok {
				v.begin(i)
				v.access(i, p)
			}
		case op.Load:
			if p, ok := v.pointer(f.Arg(i, 0)); ok && v.charge(i, f.Type(i)) {
				v.begin(i)
				v.at = p
				f.Replace(f.Result(i), v.read(v.Type, 0))
				f.Remove(i)
			}
		case op.Store:
			if p, ok := v.pointer(f.Arg(i, 0)); ok && v.charge(i, f.TypeOf(f.Arg(i, 1))) {
				v.begin(i)
				v.at = p
				v.write(f.TypeOf(v.X[1]), 0, v.X[1])
				f.Remove(i)
			}
		case op.Copy:
			to, into := v.pointer(f.Arg(i, 0))
			from, out := v.pointer(f.Arg(i, 1))
			if t := v.M.Element(f.TypeOf(f.Arg(i, 0))); (into || out) && v.charge(i, t) {
				v.begin(i)
				v.copy(t, to, from)
				f.Remove(i)
			}
		case op.ArrayLength:
			if _, ok := v.pointer(f.Arg(i, 0)); ok {
				v.begin(i)
				length := v.bytes(v.X[0])
				if t := v.M.Element(f.TypeOf(v.X[0])); !v.X[0].IsGlobal() && v.M.IsRuntimeArray(t) {
					length = v.Op(op.Div, length, v.M.ConstU32(v.M.Stride(t)))
				}
				f.Replace(f.Result(i), length)
				f.Remove(i)
			}
		default:
			v.refuse(i)
		}
		i = next
	}
}

// begin makes an instruction the current one. Its replacement is not known to be in bounds.
func (v *viewer) begin(i ir.Inst) {
	v.At(i)
	v.B.Flags = 0
}

// charge counts the scalars that an instruction moves, and reports an error if there are too many.
func (v *viewer) charge(i ir.Inst, t ir.Type) bool {
	for n := len(v.costs); n < v.M.TypeCount(); n++ { // each after those it consists of
		v.costs = append(v.costs, v.cost(ir.Type(n)))
	}
	if v.moved += uint64(v.costs[t]); v.moved <= maxViewed {
		return true
	}
	v.fail(i, fmt.Sprintf("the kernel moves more than %d scalars through views of buffers", maxViewed))
	return false
}

func (v *viewer) cost(t ir.Type) uint32 {
	switch v.M.KindOf(t) {
	case ir.StructType:
		total := uint32(0)
		for _, member := range v.M.Members(t) {
			total = min(total+v.costs[member.Type], 2*maxViewed)
		}
		return total
	case ir.ArrayType:
		if v.isBulk(t) {
			return v.costs[v.M.Element(t)]
		}
	}
	n, _ := v.M.Slots(t)
	return n
}

// refuse reports an error if an instruction has a pointer into a buffer that the pass cannot
// replace. In WGSL only calls do, and opt.Specialize comes before.
func (v *viewer) refuse(i ir.Inst) {
	for _, a := range v.F.Args(i) {
		if _, ok := v.pointer(a); ok {
			v.fail(i, "a view of a buffer cannot be an operand of "+v.F.Op(i).String())
			return
		}
	}
}

func (v *viewer) fail(i ir.Inst, message string) {
	v.Context.List.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: v.F.SpanOf(i), Message: message})
}

// pointer returns the root and offset of a pointer into a buffer; ok is false if it is none.
func (v *viewer) pointer(p ir.Value) (viewPointer, bool) {
	switch {
	case p.IsGlobal():
		if v.buffers[p.Index()].shift != 0 {
			return viewPointer{root: p, base: v.M.ConstU32(0)}, true
		}
	case p.IsLocal() && int(p) < len(v.pointers):
		return v.pointers[p], v.pointers[p].root != 0
	}
	return viewPointer{}, false
}

// shift returns the binary logarithm of the bytes of a buffer's element.
func (v *viewer) shift(root ir.Value) int { return v.buffers[root.Index()].shift }

// view computes the start and the size of a view.
func (v *viewer) view(i ir.Inst) {
	m := v.M
	p, ok := v.pointer(v.X[0])
	if !ok {
		v.fail(i, "a view begins at a variable or at another view")
		return
	}
	shift := v.shift(p.root)
	t := m.Element(v.Type)
	align := uint32(1) << shift
	if p.size, p.left = v.X[2], ir.NoValue; p.size == m.ConstU32(1<<32-1) {
		p.size = ir.NoValue // all there is
	}
	if m.IsBuffer(t) {
		switch size := m.BufferSize(t); {
		case p.size == ir.NoValue:
			p.size = size
		case size != ir.NoValue:
			p.size = v.Op(op.Min, p.size, size)
		}
	} else {
		align = max(align, m.Align(t))
	}
	p.outer, p.skip = v.X[0], v.Op(op.And, v.X[1], m.ConstU32(-align))
	p.base = v.plus(p.base, v.Shr(p.skip, shift))
	result := v.F.Result(i)
	v.pointers[result] = p
	if !m.IsBuffer(t) && v.guards() {
		p.left = v.bytes(result)
		p.base = v.within(v.Op(op.Ge, p.left, m.ConstU32(v.minSize(t))), p.base)
		v.pointers[result] = p
	}
	v.F.Remove(i)
}

// guards reports whether accesses are kept within their views.
func (v *viewer) guards() bool { return v.Context.Bounds != opt.BoundsOff }

// outside is an element index out of range of every buffer, as are those after it: buffers have
// less than 2^32 bytes.
const outside = 1 << 31

// within returns base, or an index out of range of the buffer unless a condition holds. Robustness
// handles that.
func (v *viewer) within(condition, base ir.Value) ir.Value {
	if condition == v.M.ConstBool(true) {
		return base
	}
	return v.Select(condition, base, v.M.ConstU32(outside))
}

// minSize returns the least size in bytes of a view of a type (MinTypeSize of WGSL §17.14).
func (v *viewer) minSize(t ir.Type) uint32 {
	m := v.M
	if m.KindOf(t) == ir.StructType {
		members := m.Members(t)
		if last := members[len(members)-1]; m.IsRuntimeArray(last.Type) {
			return last.Offset + m.Stride(last.Type)
		}
	}
	if m.IsRuntimeArray(t) {
		return m.Stride(t)
	}
	return m.Size(t)
}

// access adds up the indices of an access.
func (v *viewer) access(i ir.Inst, p viewPointer) {
	m, f := v.M, v.F
	shift := v.shift(p.root)
	t := m.Element(f.TypeOf(v.X[0]))
	constant := uint32(0)
	for _, index := range f.Args(i)[1:] {
		count, known := m.Count(t)
		if n, ok := m.ConstUint(index); ok && known && n < uint64(count) {
			constant += m.PartOffset(t, uint32(n))
			t = m.PartType(t, uint32(n))
			continue
		}
		index = v.B.Convert(scalar.U32, index)
		base := v.plus(p.base, v.times(index, m.PartOffset(t, 1)>>shift))
		if v.guards() {
			base = v.within(v.Op(op.Lt, index, v.count(t, v.X[0], constant)), base)
		}
		p.base, t = base, m.PartType(t, 0)
	}
	p.outer, p.skip, p.size, p.left = v.X[0], m.ConstU32(constant), ir.NoValue, ir.NoValue
	p.base = v.plus(p.base, m.ConstU32(constant>>shift))
	v.pointers[f.Result(i)] = p
	f.Remove(i)
}

// count builds the element count of a type at distance bytes behind a pointer.
func (v *viewer) count(t ir.Type, pointer ir.Value, distance uint32) ir.Value {
	if n, ok := v.M.Count(t); ok {
		return v.M.ConstU32(n)
	}
	left, skip := v.bytes(pointer), v.M.ConstU32(distance)
	return v.Op(op.Div, v.Op(op.Sub, left, v.Op(op.Min, left, skip)), v.M.ConstU32(v.M.Stride(t)))
}

// bytes builds the number of bytes from a pointer to the end of its bound.
func (v *viewer) bytes(p ir.Value) ir.Value {
	if p.IsGlobal() {
		b := &v.buffers[p.Index()]
		if b.size != ir.NoValue {
			return b.size
		}
		// in a processor's memory, buffers may have 2^32 bytes and more
		length := v.B.Emit(op.ArrayLength, ir.U32, 0, p)
		return v.Shl(v.Op(op.Min, length, v.M.ConstU32(math.MaxUint32>>b.shift)), b.shift)
	}
	at := &v.pointers[p]
	if at.left != ir.NoValue {
		return at.left
	}
	left := v.bytes(at.outer)
	left = v.Op(op.Sub, left, v.Op(op.Min, left, at.skip))
	if at.size != ir.NoValue {
		left = v.Op(op.Min, left, at.size)
	}
	return left
}

// plus adds elements; a zero adds nothing.
func (v *viewer) plus(x, y ir.Value) ir.Value {
	zero := v.M.ConstU32(0)
	switch {
	case x == zero:
		return y
	case y == zero:
		return x
	}
	return v.Op(op.Add, x, y)
}

// times multiplies an index by a stride in elements.
func (v *viewer) times(index ir.Value, stride uint32) ir.Value {
	if stride == 1 {
		return index
	}
	return v.Op(op.Mul, index, v.M.ConstU32(stride))
}

// element returns a pointer to the element at distance bytes after the current address.
func (v *viewer) element(distance uint32) ir.Value {
	return v.B.Access(v.at.root, v.plus(v.at.base, v.M.ConstU32(distance>>v.shift(v.at.root))))
}

// word loads the u32 at a distance.
func (v *viewer) word(distance uint32) ir.Value {
	if v.shift(v.at.root) == 2 {
		return v.B.Load(v.element(distance))
	}
	low := v.B.Load(v.element(distance))
	high := v.B.Load(v.element(distance + 2))
	return v.B.Bitcast(ir.U32, v.B.Construct(v.M.VectorOf(ir.F16, 2), low, high))
}

// Leaf loads a scalar.
func (v *viewer) Leaf(k scalar.Kind, distance uint32) ir.Value {
	if k == scalar.F16 {
		return v.B.Load(v.element(distance))
	}
	return v.FromWords(k, distance, v.word)
}

// Vector leaves vectors to Leaf.
func (v *viewer) Vector(ir.Type, uint32) ir.Value { return ir.NoValue }

// storeLeaf stores a scalar.
func (v *viewer) storeLeaf(k scalar.Kind, distance uint32, x ir.Value) {
	halves := v.shift(v.at.root) == 1
	switch {
	case k == scalar.Bool:
		v.storeLeaf(scalar.U32, distance, v.B.Convert(scalar.U32, x))
	case k.Bits() == 64:
		pair := v.B.Bitcast(v.M.VectorOf(ir.U32, 2), x)
		v.storeLeaf(scalar.U32, distance, v.B.Extract(pair, 0))
		v.storeLeaf(scalar.U32, distance+4, v.B.Extract(pair, 1))
	case halves && k != scalar.F16:
		pair := v.B.Bitcast(v.M.VectorOf(ir.F16, 2), x)
		v.storeLeaf(scalar.F16, distance, v.B.Extract(pair, 0))
		v.storeLeaf(scalar.F16, distance+2, v.B.Extract(pair, 1))
	case halves:
		v.B.Store(v.element(distance), x)
	default:
		v.B.Store(v.element(distance), v.Cast(scalar.U32, x))
	}
}

// isBulk reports whether a value is moved by loops.
func (v *viewer) isBulk(t ir.Type) bool {
	n, ok := v.M.Slots(t)
	return !ok || n > bulkScalars
}

// read loads a value of type t at distance bytes after the current address.
func (v *viewer) read(t ir.Type, distance uint32) ir.Value {
	if !v.isBulk(t) {
		return v.Compose(t, distance, v)
	}
	variable := v.B.Var(t, "")
	v.move(t, distance, variable, false)
	return v.B.Load(variable)
}

// write stores a value of type t at distance bytes after the current address.
func (v *viewer) write(t ir.Type, distance uint32, x ir.Value) {
	switch {
	case v.isBulk(t):
		variable := v.B.Var(t, "")
		v.B.Store(variable, x)
		v.move(t, distance, variable, true)
	case v.M.IsScalar(t):
		v.storeLeaf(scalar.Kind(t), distance, x)
	default:
		n, _ := v.M.Count(t)
		for k := range n {
			part := v.M.PartType(t, k)
			v.write(part, distance+v.M.PartOffset(t, k), v.B.Emit(op.Extract, part, 0, x, v.M.ConstU32(k)))
		}
	}
}

// copy copies a value between two pointers, one or both of which are into buffers. If both are, it
// uses a variable, since they may overlap.
func (v *viewer) copy(t ir.Type, to, from viewPointer) {
	switch {
	case to.root == ir.NoValue:
		v.at = from
		v.move(t, 0, v.X[0], false)
	case from.root == ir.NoValue:
		v.at = to
		v.move(t, 0, v.X[1], true)
	default:
		v.at = from
		x := v.read(t, 0)
		v.at = to
		v.write(t, 0, x)
	}
}

// move copies a value between a variable and distance bytes after the current address, into the
// buffer or out of it.
func (v *viewer) move(t ir.Type, distance uint32, variable ir.Value, into bool) {
	m := v.M
	switch {
	case !v.isBulk(t) && into:
		v.write(t, distance, v.B.Load(variable))
		return
	case !v.isBulk(t):
		v.B.Store(variable, v.read(t, distance))
		return
	}
	count, _ := m.Count(t)
	if m.KindOf(t) == ir.StructType {
		for n := range count {
			v.move(m.PartType(t, n), distance+m.PartOffset(t, n), v.B.AccessWithin(variable, m.ConstU32(n)), into)
		}
		return
	}
	base := v.at.base
	v.B.Count(count, func(k ir.Value) {
		v.at.base = v.plus(base, v.times(k, m.PartOffset(t, 1)>>v.shift(v.at.root)))
		v.move(m.PartType(t, 0), distance, v.B.AccessWithin(variable, k), into)
	})
	v.at.base = base
}
