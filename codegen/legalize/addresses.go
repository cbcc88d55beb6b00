package legalize

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Addresses turns accesses into byte addresses, the second level of addressing:
// every pointer becomes a variable plus a number of bytes plus an immediate.
// Offsets are i64 in buffers and tables, and u32 in memory with 32-bit
// addresses: workgroup, function and private. Constant parts of indices go to
// the immediate, where machines add them for nothing; in 32-bit memory, where
// offsets wrap like indices do, also those behind an addition.
//
// Loads and stores get the alignment that the path to them gives, if it is
// another than the type's.
var Addresses = opt.Pass{
	Name: "addresses",
	Doc:  "turn accesses into byte offsets from variables",
	// behind it no pass can find the parts of variables, to keep accesses within them
	Needs:  ir.Structured | ir.Robust,
	Gives:  ir.Addressed,
	Breaks: ir.Structured,
	Keeps:  ir.Uncounted | ir.Unchained,

	Replaces: op.SetOf(op.Access),

	Run: func(c *opt.Context, m *ir.Module) {
		a := opt.Scratch[addresser](c, "addresses")
		a.m = m
		for _, f := range m.Funcs {
			a.function(f)
		}
	},
}

// bufferAlign is the alignment of buffers that every runtime guarantees.
const bufferAlign = 16

// place is where a pointer leads: offset bytes and dynamic bytes behind root.
type place struct {
	root    ir.Value
	dynamic ir.Value // i64 or u32; 0 is none
	offset  int64
	align   uint32
}

type addresser struct {
	m      *ir.Module
	f      *ir.Func
	b      ir.Builder
	places []place // by local value; root 0 is none
}

func (a *addresser) function(f *ir.Func) {
	a.f, a.b.F = f, f
	if n := f.ValueCount(); cap(a.places) < n {
		a.places = make([]place, n+n/2)
	}
	a.places = a.places[:cap(a.places)]
	clear(a.places)
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

// place returns where a pointer leads; variables and parameters are roots.
func (a *addresser) place(v ir.Value) place {
	if v.IsLocal() && int(v) < len(a.places) && a.places[v].root != 0 {
		return a.places[v]
	}
	t := a.f.TypeOf(v)
	p := place{root: v, align: a.m.VariableAlign(a.m.Element(t))}
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
	p := a.place(f.Arg(i, 0))
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
		if k == scalar.U32 {
			index = a.peel(&p, index, stride)
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
		// beyond an immediate: rare, and only buffers are that large
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
	if int(result) < len(a.places) {
		a.places[result] = p
	}
}

// shift moves a place by a constant.
func (a *addresser) shift(p *place, bytes int64) {
	p.offset += bytes
	if bytes != 0 {
		p.align = uint32(min(uint64(p.align), uint64(bytes&-bytes)))
	}
}

// peel takes constants that are added to an index into the immediate. It is
// right where offsets have the width of the index and wrap like it.
func (a *addresser) peel(p *place, index ir.Value, stride uint32) ir.Value {
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
		if x == ir.NoValue || !y.IsConst() {
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

// add adds index·stride to a place's dynamic offset.
func (a *addresser) add(p *place, k scalar.Kind, index ir.Value, stride uint32) {
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

// scaledField returns index·stride where that is a field of bits which can be taken from one place lower, and so costs no
// multiplication:
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

// align notes the alignment of a load or store if it is another than the
// type's; an attribute that is there already stays.
func (a *addresser) align(i ir.Inst, t ir.Type) {
	if a.f.Aux(i) != 0 {
		return
	}
	if p := a.place(a.f.Arg(i, 0)); p.align != a.m.Align(t) && !a.m.IsScalar(t) {
		a.f.SetAux(i, p.align)
	}
}
