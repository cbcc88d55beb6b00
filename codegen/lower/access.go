package lower

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// LowerAccess lowers accesses to byte addresses (LLVM: getelementptr to pointer arithmetic). Every
// pointer becomes a variable plus a dynamic offset plus an immediate:
//
//	access @v, %i, 2u : of array<array<f32, 4>>  ─►  address @v, %i * 16 [offset 8]
//
// Offsets are i64 in buffers and tables, and u32 in memory with 32-bit addresses: workgroup,
// function and private. Constant parts of indices go to the immediate, where machines add them for
// nothing. In 32-bit memory, where offsets wrap like indices do, so do constants that are added to
// an index. Elsewhere that needs a proof that the sum does not wrap (LowerProvenAccess).
//
// Loads and stores get the alignment of the path to them if it differs from the type's.
var LowerAccess = lowerAccess("lower accesses to byte offsets from variables", false)

// LowerProvenAccess is LowerAccess that also moves constants out of indices of tables, if
// analysis.Ranges proves that the sum does not wrap. In buffers it does not: an assembler that
// needs fewer registers for addresses may have fewer loads in flight, and a sparse product became
// slower.
var LowerProvenAccess = lowerAccess("lower accesses to byte offsets from variables; in constant tables also where an index is a sum that does not wrap", true)

func lowerAccess(doc string, proven bool) opt.Pass {
	return opt.Pass{
		Name: "lower-access",
		Doc:  doc,
		// after it no pass can find the parts of variables, to keep accesses within them
		Needs:  ir.Structured | ir.Robust,
		Gives:  ir.Addressed,
		Breaks: ir.Structured,

		Replaces: op.SetOf(op.Access),

		Run: func(c *opt.Context, m *ir.Module) {
			a := opt.Scratch[addresser](c, "lower-access")
			a.m = m
			for _, f := range m.Funcs {
				if a.ranges = nil; proven && a.hasConstOffset(m, f) {
					a.ranges = opt.Scratch[analysis.Ranges](c, "ranges of addresses")
					a.ranges.Arithmetic = true
					a.ranges.Analyse(f)
				}
				a.function(f)
			}
		},
	}
}

// bufferAlign is the alignment of buffers that every runtime guarantees.
const bufferAlign = 16

// address is a lowered pointer: offset and dynamic bytes after root.
type address struct {
	root    ir.Value
	dynamic ir.Value // i64 or u32; 0 is none
	offset  int64
	align   uint32
}

type addresser struct {
	m         *ir.Module
	f         *ir.Func
	b         ir.Builder
	addresses []address // by local value; root is 0 if there is none
	ranges    *analysis.Ranges
}

// hasConstOffset reports whether an index in a table is a sum with a constant.
func (a *addresser) hasConstOffset(m *ir.Module, f *ir.Func) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Access || m.SpaceOf(f.Type(i)) != ir.Constant {
			continue
		}
		for _, index := range f.Args(i)[1:] {
			if sum, ok := f.Def(index); ok && (f.Op(sum) == op.Add || f.Op(sum) == op.Sub) && f.Arg(sum, 1).IsConst() {
				return true
			}
		}
	}
	return false
}

func (a *addresser) function(f *ir.Func) {
	a.f, a.b.F = f, f
	if n := f.ValueCount(); cap(a.addresses) < n {
		a.addresses = make([]address, n+n/2)
	}
	a.addresses = a.addresses[:cap(a.addresses)]
	clear(a.addresses)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch f.Op(i) {
		case op.Access:
			a.access(i)
		case op.Load:
			a.align(i, f.Type(i))
		case op.Store:
			a.align(i, f.TypeOf(f.Arg(i, 1)))
		}
	}
}

// addressOf returns the address of a pointer; variables and parameters are roots.
func (a *addresser) addressOf(v ir.Value) address {
	if v.IsLocal() && int(v) < len(a.addresses) && a.addresses[v].root != 0 {
		return a.addresses[v]
	}
	t := a.f.TypeOf(v)
	p := address{root: v, align: a.m.VariableAlign(a.m.Element(t))}
	if s := a.m.SpaceOf(t); s == ir.Storage || s == ir.Uniform {
		p.align = max(p.align, bufferAlign)
	} else if !v.IsGlobal() && a.f.DefOp(v) != op.Var { // a pointer from elsewhere
		p.align = a.m.Align(a.m.Element(t))
	}
	return p
}

// offsetKind is the kind of dynamic offsets in a space.
func offsetKind(s ir.Space) scalar.Kind {
	switch s {
	case ir.Function, ir.Private, ir.Workgroup, ir.Immediate:
		return scalar.U32
	}
	return scalar.I64
}

// access turns an access into an address.
func (a *addresser) access(i ir.Inst) {
	f, m := a.f, a.m
	p := a.addressOf(f.Arg(i, 0))
	base := f.TypeOf(f.Arg(i, 0))
	t := m.Element(base)
	k := offsetKind(m.SpaceOf(base))
	a.b.At(i)
	for n := 1; n < len(f.Args(i)); n++ {
		index := f.Arg(i, n)
		if m.KindOf(t) == ir.StructType {
			member := uint32(m.ConstBits(index))
			a.shift(&p, int64(m.PartOffset(t, member)))
			t = m.PartType(t, member)
			continue
		}
		stride := m.PartOffset(t, 1)
		t = m.PartType(t, 0)
		if k == scalar.U32 || m.SpaceOf(base) == ir.Constant {
			index = a.splitConst(&p, index, stride, k == scalar.U32)
		}
		if index.IsConst() {
			a.shift(&p, scalar.ToInt64(m.ScalarOf(m.TypeOf(index)), m.ConstBits(index))*int64(stride))
			continue
		}
		p.align = min(p.align, stride&-stride)
		a.add(&p, k, index, stride)
	}
	offset := p.dynamic
	if offset == 0 {
		offset = m.ConstScalar(ir.Type(k), 0)
	}
	if int64(int32(p.offset)) != p.offset {
		// too large for an immediate, which happens only in buffers
		far := m.ConstInt(ir.Type(k), p.offset)
		if p.dynamic == 0 {
			p.dynamic = far
		} else {
			p.dynamic = a.b.Op(op.Add, p.dynamic, far)
		}
		p.offset, offset = 0, p.dynamic
	}
	result := f.Result(i)
	f.SetOp(i, op.Address)
	f.SetArgs(i, p.root, offset)
	f.SetAux(i, uint32(int32(p.offset)))
	f.SetFlags(i, ir.InBounds) // as every access was
	if int(result) < len(a.addresses) {
		a.addresses[result] = p
	}
}

// shift adds constant bytes to an address.
func (a *addresser) shift(p *address, bytes int64) {
	p.offset += bytes
	if bytes != 0 {
		p.align = uint32(min(uint64(p.align), uint64(bytes&-bytes)))
	}
}

// splitConst moves constants that are added to an index to the immediate. Either offsets have the
// width of the index and wrap like it (wraps), or the sum is proved not to wrap.
func (a *addresser) splitConst(p *address, index ir.Value, stride uint32, wraps bool) ir.Value {
	for {
		i, ok := a.f.Def(index)
		if !ok || a.f.TypeOf(index) != ir.U32 && a.f.TypeOf(index) != ir.I32 {
			return index
		}
		x, y := ir.NoValue, ir.NoValue
		sign := int64(1)
		switch a.f.Op(i) {
		case op.Add:
			x, y = a.f.Arg(i, 0), a.f.Arg(i, 1)
			if x.IsConst() {
				x, y = y, x
			}
		case op.Sub:
			x, y = a.f.Arg(i, 0), a.f.Arg(i, 1)
			sign = -1
		}
		if x == ir.NoValue || !y.IsConst() || !wraps && !a.ranges.Proves(i, 1) {
			return index
		}
		// not -1 either, which did not wrap
		if !wraps && a.f.TypeOf(index) == ir.U32 && a.m.ConstBits(y)>>31 != 0 {
			return index
		}
		bytes := sign * int64(int32(uint32(a.m.ConstBits(y)))) * int64(stride)
		if next := p.offset + bytes; next != int64(int32(next)) {
			return index
		}
		a.shift(p, bytes)
		index = x
	}
}

// add adds index·stride to an address's dynamic offset.
func (a *addresser) add(p *address, k scalar.Kind, index ir.Value, stride uint32) {
	m := a.m
	t := ir.Type(k)
	if m.ScalarOf(a.f.TypeOf(index)).Bits() == k.Bits() {
		if field, ok := a.scaledField(index, stride); ok {
			index, stride = field, 1
		}
		index = a.b.Bitcast(t, index)
	} else {
		index = a.b.Convert(k, index)
	}
	if stride != 1 {
		index = a.b.Op(op.Mul, index, m.ConstInt(t, int64(stride)))
	}
	if p.dynamic != 0 {
		index = a.b.Op(op.Add, p.dynamic, index)
	}
	p.dynamic = index
}

// scaledField folds the multiplication by the stride into the extraction of a bit field, by a
// shorter shift:
//
//	(x >> 8 & 0xff) · 4  ─►  x >> 6 & 0x3fc
func (a *addresser) scaledField(index ir.Value, stride uint32) (ir.Value, bool) {
	f, m := a.f, a.m
	masked, ok := f.Def(index)
	if !ok || f.Op(masked) != op.And || f.TypeOf(index) != ir.U32 {
		return ir.NoValue, false
	}
	mask, isConst := m.ConstUint(f.Arg(masked, 1))
	shifted, ok := f.Def(f.Arg(masked, 0))
	if !ok || !isConst || f.Op(shifted) != op.Shr {
		return ir.NoValue, false
	}
	by, ok := m.ConstUint(f.Arg(shifted, 1))
	lower := uint64(bits.TrailingZeros32(stride))
	if !ok || stride != 1<<lower || lower == 0 || lower >= by || by > 31 || mask<<lower > math.MaxUint32 {
		return ir.NoValue, false
	}
	x := a.b.Op(op.Shr, f.Arg(shifted, 0), m.ConstU32(uint32(by-lower)))
	return a.b.Op(op.And, x, m.ConstU32(uint32(mask<<lower))), true
}

// align sets the alignment of a load or store of type t if it differs from the type's. An alignment
// that is set already stays.
func (a *addresser) align(i ir.Inst, t ir.Type) {
	if a.f.Aux(i) != 0 {
		return
	}
	if p := a.addressOf(a.f.Arg(i, 0)); p.align != a.m.Align(t) && !a.m.IsScalar(t) {
		a.f.SetAux(i, p.align)
	}
}
