package check

import (
	"slices"

	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks buffer types and views of buffers (WGSL §6.3 buffer types, §17.14 buffer views;
// the language feature buffer_view). Conditions on overrides become pipeline-creation checks.

// viewNote says how to access the contents of a buffer.
const viewNote = "bufferView<T>(&b, offset) gives a pointer to the T that lies in a buffer b, bufferLength(&b) its size"

// bufferType reads buffer or buffer<N>.
func (c *Checker) bufferType(n *syntax.ExprNode, arguments []syntax.Expr) ir.Type {
	if !n.HasTemplate {
		return c.module.BufferOf(ir.NoValue)
	}
	if !c.templateCount(n, len(arguments), 1, 1) {
		return ir.Void
	}
	size, ok := c.creationInteger(arguments[0], "the size of a buffer")
	if !ok {
		return ir.Void
	}
	granule := uint64(4) // bytes
	if c.enabled&extensionF16 != 0 {
		granule = 2
	}
	if size.IsOverride() {
		c.sizeConditions(size, granule, arguments[0])
		return c.module.BufferOf(size)
	}
	bytes, positive := c.module.ConstUint(size)
	if !positive || bytes == 0 || bytes%granule != 0 {
		c.error(diag.InvalidType, c.tree.Expr(arguments[0]).Span,
			"the size of a buffer is a number of bytes, greater than 0 and a multiple of "+itoa(granule)+", found "+c.constText(size))
		return ir.Void
	}
	return c.module.BufferOf(c.module.ConstU32(uint32(bytes)))
}

// bufferSize is the size of a buffer type that depends on overrides, with its pipeline-creation
// checks.
type bufferSize struct {
	size   ir.Value
	checks [2]ir.Check
}

// sizeConditions records the rules for a size that depends on overrides. Functions that use a
// variable of this size check them (functionBody).
func (c *Checker) sizeConditions(size ir.Value, granule uint64, e syntax.Expr) {
	if c.sizeChecks(c.module.BufferOf(size)) != nil {
		return
	}
	m := c.module
	t := m.TypeOf(size)
	c.b.Span = c.tree.Expr(e).Span
	rest := c.b.Emit(op.Rem, t, 0, size, m.ConstInt(t, int64(granule)))
	shown := []ir.Value{size}
	c.sizes = append(c.sizes, bufferSize{size, [2]ir.Check{
		{Value: c.expander.Compare(op.Gt, size, m.Zero(t)), Message: "this is {} and must be greater than 0", Shown: shown},
		{Value: c.expander.Compare(op.Eq, rest, m.Zero(t)), Message: "this is {} and must be a multiple of " + itoa(granule), Shown: shown}}})
}

// sizeChecks returns the pipeline-creation checks of a variable of type t.
func (c *Checker) sizeChecks(t ir.Type) []ir.Check {
	if len(c.sizes) == 0 || !c.module.IsBuffer(t) {
		return nil
	}
	size := c.module.BufferSize(t)
	for i := range c.sizes {
		if s := &c.sizes[i]; s.size == size {
			return s.checks[:]
		}
	}
	return nil
}

// bufferRequirement says what an address space needs instead of a buffer type, or "" if it allows
// one. variable says that one is declared, not a pointer to one.
func (c *Checker) bufferRequirement(space ir.Space, t ir.Type, variable bool) string {
	size := c.module.BufferSize(t)
	switch {
	case space != ir.Storage && space != ir.Uniform && space != ir.Workgroup:
		return "a type other than a buffer (buffers are in storage, uniform and workgroup memory)"
	case size == 0 && variable && space != ir.Storage:
		return "a buffer of known size, such as buffer<64>"
	case size.IsOverride() && space != ir.Workgroup:
		return "a buffer whose size is a constant"
	}
	return ""
}

// viewedPointer is a pointer type in the program that only buffer views have.
type viewedPointer struct {
	typ  ir.Type
	span source.Span
}

// onlyViewed reports whether only buffer views have a pointer type, because no variable can have
// its store type.
func (c *Checker) onlyViewed(pointer ir.Type) bool {
	space, t := c.module.SpaceOf(pointer), c.module.Element(pointer)
	return (space == ir.Uniform || space == ir.Workgroup) &&
		(c.types.Is(t, types.HoldsRuntime) || c.module.IsBuffer(t) && c.module.BufferSize(t) == ir.NoValue)
}

// checkViewed reports pointer types that no pointer can have (WGSL §6.5.3): those that only views
// have, in an address space without buffers.
func (c *Checker) checkViewed() {
	m := c.module
	for _, v := range c.viewed {
		space := m.SpaceOf(v.typ)
		if !slices.ContainsFunc(m.Globals, func(g ir.Global) bool { return m.SpaceOf(g.Type) == space && m.IsBuffer(m.Element(g.Type)) }) {
			c.error(diag.InvalidType, v.span, "a pointer to "+c.types.Name(m.Element(v.typ))+" in address space "+space.String()+
				" comes from a buffer alone, and the program has no buffer there")
		}
	}
}

// bufferValue reports an expression whose value would be a buffer. whole says that its address may
// be meant.
func (c *Checker) bufferValue(e syntax.Expr, whole bool) {
	d := diag.Diagnostic{Code: diag.NotAValue, Span: c.tree.Expr(e).Span, Message: "a buffer has no value", Notes: []diag.Note{{Message: viewNote}}}
	if whole && e != c.stored { // a pointer cannot be stored
		c.overloads.WrapFix(&d, diag.FixReference, d.Span, "&", "")
	}
	c.list.Add(d)
}

// bufferPointer reports whether t is a pointer to a buffer.
func (c *Checker) bufferPointer(t ir.Type) bool {
	return c.module.IsPointer(t) && c.module.IsBuffer(c.module.Element(t))
}

// shrinks reports whether an argument that points to a buffer converts to the type of a parameter
// (WGSL §6.1.2): a buffer without a size, or a smaller one.
func (c *Checker) shrinks(from, to ir.Type) bool {
	m := c.module
	if from == to || !c.bufferPointer(from) || !c.bufferPointer(to) ||
		m.SpaceOf(from) != m.SpaceOf(to) || m.AccessOf(from) != m.AccessOf(to) {
		return false
	}
	have, want := m.BufferSize(m.Element(from)), m.BufferSize(m.Element(to))
	if want == 0 {
		return true
	}
	return have.IsConst() && want.IsConst() && m.ConstBits(want) < m.ConstBits(have)
}

// viewedType checks the type of a view.
func (c *Checker) viewedType(n *syntax.ExprNode, t ir.Type, array bool) bool {
	k, want := c.types.ClassOf(t), ""
	switch {
	case c.module.IsBuffer(t):
		want = "a type other than a buffer"
	case k&types.HoldsAtomic != 0:
		want = "a type without atomics"
	case k&types.HostShareable == 0:
		want = "a type that can be shared with the host, which bool, pointers and textures cannot"
	case array && k&types.HoldsRuntime == 0:
		want = "a runtime-sized array, or a structure that ends in one"
	default:
		return true
	}
	d := diag.Diagnostic{Code: diag.InvalidType, Span: c.tree.Expr(c.tree.ExprList(c.tree.Expr(n.A).List)[0]).Span,
		Message: c.callName(n) + " needs " + want + ", found " + c.types.Name(t)}
	if array && k&(types.HostShareable|types.HoldsAtomic) == types.HostShareable {
		d.Notes = append(d.Notes, diag.Note{Message: "bufferView gives pointers to types of fixed size, too"})
	}
	c.list.Add(d)
	return false
}

// viewLayout is what a view of a type requires, in bytes.
type viewLayout struct {
	minSize uint32 // minimum size (MinTypeSize of WGSL §17.14)
	start   uint32 // offset of its runtime-sized array (ArrayOffset)
	stride  uint32 // of that array, or 0
}

func (c *Checker) viewLayout(t ir.Type) viewLayout {
	m := c.module
	l, tail := viewLayout{}, t
	if m.KindOf(t) == ir.StructType && c.types.Is(t, types.HoldsRuntime) {
		members := m.Members(t)
		last := &members[len(members)-1]
		l.start, tail = last.Offset, last.Type
	}
	if !m.IsRuntimeArray(tail) {
		l.minSize = m.Size(t)
		return l
	}
	l.stride = m.Stride(tail)
	l.minSize = l.start + l.stride
	return l
}

// holds reports whether a condition can hold. One that depends on overrides becomes a
// pipeline-creation check, with a message and the values in it.
func (c *Checker) holds(condition ir.Value, message string, shown ...ir.Value) bool {
	if condition.IsOverride() {
		c.require(condition, message, shown...)
		return true
	}
	return c.module.ConstBits(condition) != 0
}

// viewBytes returns an offset or size of a view as u32, or 0 if it is not constant. what names it
// in messages. It reports a negative one.
func (c *Checker) viewBytes(n *syntax.ExprNode, e syntax.Expr, what string) (bytes ir.Value, ok bool) {
	m := c.module
	v := c.info.Exprs[e].Value
	if v == 0 {
		return 0, true
	}
	c.b.Span = c.tree.Expr(e).Span
	bytes = c.unsigned(v)
	if m.TypeOf(v) == ir.I32 && !c.holds(c.expander.Compare(op.Lt, bytes, m.ConstU32(1<<31)), "this is {} and must be at least 0", v) {
		c.error(diag.EvaluationError, c.b.Span, what+" of "+c.callName(n)+" must be at least 0, found "+constInt(scalar.ToInt64(scalar.I32, m.ConstBits(v))))
		return 0, false
	}
	return bytes, true
}

// multiple returns the condition that bytes - start is a multiple of unit.
func (c *Checker) multiple(bytes ir.Value, start, unit uint32) ir.Value {
	m := c.module
	if start != 0 {
		bytes = c.b.Emit(op.Sub, ir.U32, 0, bytes, m.ConstU32(start))
	}
	return c.expander.Compare(op.Eq, c.b.Emit(op.Rem, ir.U32, 0, bytes, m.ConstU32(unit)), m.ConstU32(0))
}

// restrictView checks the offset and the size of bufferView and bufferArrayView, as far as they are
// known (WGSL §17.14).
func (c *Checker) restrictView(n *syntax.ExprNode, pointer, t ir.Type, arguments []syntax.Expr) {
	m := c.module
	layout := c.viewLayout(t)
	name := c.callName(n)
	offset, ok := c.viewBytes(n, arguments[1], "the offset")
	known := func(i int) ir.Value { return c.info.Exprs[arguments[i]].Value } // as written
	if offset != 0 && !c.holds(c.multiple(offset, 0, m.Align(t)), "this is {} and must be a multiple of "+itoa(uint64(m.Align(t))), known(1)) {
		c.error(diag.EvaluationError, c.b.Span, "the offset of "+name+" must be a multiple of "+itoa(uint64(m.Align(t)))+", the alignment of "+c.types.Name(t)+", found "+c.constText(offset))
		ok = false
	}
	size := ir.NoValue
	if len(arguments) > 2 {
		var sizeOK bool
		if size, sizeOK = c.viewBytes(n, arguments[2], "the size"); size != 0 {
			if sizeOK = c.viewSize(n, size, known(2), t, layout); !sizeOK {
				size = 0
			}
		}
		ok = ok && sizeOK
	}
	limit := c.unsigned(m.BufferSize(pointer))
	if limit == 0 || !ok {
		return
	}
	c.b.Span = n.Span
	least := "this is {} and must be at least " + itoa(uint64(layout.minSize))
	if !c.holds(c.expander.Compare(op.Ge, limit, m.ConstU32(layout.minSize)), least, m.BufferSize(pointer)) {
		c.error(diag.EvaluationError, n.Span, c.types.Name(t)+" needs at least "+diag.Plural(int(layout.minSize), "byte")+", and "+c.types.Name(pointer)+" has fewer")
		return
	}
	if size != 0 {
		c.b.Span = c.tree.Expr(arguments[2]).Span
		if !c.holds(c.expander.Compare(op.Le, size, limit), "this is {} and must be at most {}", known(2), m.BufferSize(pointer)) {
			c.error(diag.EvaluationError, c.b.Span, "the size of "+name+" is greater than that of "+c.types.Name(pointer)+": "+c.constText(size))
			return
		}
	}
	if offset == 0 || m.IsZero(offset) {
		return
	}
	extent := size
	if len(arguments) == 2 {
		extent = m.ConstU32(layout.minSize)
	} else if size == 0 {
		extent = m.ConstU32(0)
	}
	c.b.Span = c.tree.Expr(arguments[1]).Span
	behind := c.b.Emit(op.Add, ir.U32, 0, c.b.Emit(op.Sub, ir.U32, 0, limit, extent), m.ConstU32(1))
	if !c.holds(c.expander.Compare(op.Lt, offset, behind), "this is {} and must be below {}", known(1), behind) {
		what := "offset " + c.constText(offset)
		if !m.IsZero(extent) {
			what = diag.Plural(int(m.ConstBits(extent)), "byte") + " at " + what
		}
		c.error(diag.EvaluationError, c.b.Span, what+" would lie outside of "+c.types.Name(pointer))
	}
}

// viewSize checks a known size of bufferArrayView; messages show it as given.
func (c *Checker) viewSize(n *syntax.ExprNode, size, given ir.Value, t ir.Type, layout viewLayout) bool {
	m := c.module
	if !c.holds(c.expander.Compare(op.Ge, size, m.ConstU32(layout.minSize)), "this is {} and must be at least "+itoa(uint64(layout.minSize)), given) {
		c.error(diag.EvaluationError, c.b.Span, "the size of "+c.callName(n)+" must be at least "+itoa(uint64(layout.minSize))+", what one element of "+c.types.Name(t)+" needs, found "+c.constText(size))
		return false
	}
	want := "a multiple of " + itoa(uint64(layout.stride))
	if layout.start != 0 {
		want = itoa(uint64(layout.start)) + " plus " + want
	}
	if !c.holds(c.multiple(size, layout.start, layout.stride), "this is {} and must be "+want, given) {
		c.error(diag.EvaluationError, c.b.Span, "the size of "+c.callName(n)+" must be "+want+", so that "+c.types.Name(t)+" has whole elements, found "+c.constText(size))
		return false
	}
	return true
}
