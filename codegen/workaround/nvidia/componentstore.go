package nvidia

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// WidenComponentStore is workaround nv-vector-store. It widens a store to a component of a vector,
// in memory of the invocation, to the vector:
//
//	%p = access %a, 2u, 1u            %v = access %a, 2u
//	store %p, 7.0f              ─►    %x = load %v
//	                                  %y = insert %x, 7.0f, 1u
//	                                  store %v, %y
//
// NVIDIA's Vulkan driver (580) makes a constant table of an array that is indexed dynamically and
// whose parts are each stored once, with constant indices. It takes a vector and its second
// component for two parts:
//
//	var<private> a: array<vec4f, 3>;
//	b = a[i].x; o[0] = a[2].y; a[2].y = 7.0;
//
// stores 7 to o[0]. If all stores are of vectors, the driver sees that the vector is stored twice.
var WidenComponentStore = opt.Pass{
	Name:  "nv-vector-store",
	Doc:   "widen stores to a component of a vector in private memory to the vector",
	Needs: ir.Structured,
	Run: func(c *opt.Context, m *ir.Module) {
		private := slices.ContainsFunc(m.Globals, func(g ir.Global) bool { return m.SpaceOf(g.Type) == ir.Private })
		for _, f := range m.Funcs {
			if f.Had(&stores) && (private || !f.Kernel || f.Had(&rewrite.Variables)) {
				widenStores(f)
			}
		}
	},
}

var stores = op.SetOf(op.Store)

func widenStores(f *ir.Func) {
	var parts []ir.Inst // the accesses that stores went through
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if part, ok := componentStore(f, i); ok {
			widenStore(f, i, part)
			parts = append(parts, part)
		}
		i = next
	}
	if len(parts) == 0 {
		return
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, a := range f.Args(i) {
			parts = slices.DeleteFunc(parts, func(part ir.Inst) bool { return f.Result(part) == a })
		}
	}
	slices.Sort(parts)
	for _, part := range slices.Compact(parts) {
		f.Remove(part)
	}
}

// widenStore replaces a store through an access to a component of a vector.
func widenStore(f *ir.Func, i, part ir.Inst) {
	b := ir.NewBuilder(f)
	b.SetBefore(i)
	b.Span = f.SpanOf(i)
	args := f.Args(part)
	last := len(args) - 1
	vector, component := args[0], args[last]
	if last > 1 {
		b.Flags = f.Flags(part)
		vector = b.Access(vector, slices.Clone(args[1:last])...)
		b.Flags = 0
	}
	old := b.Load(vector)
	b.Store(vector, b.Emit(op.Insert, f.TypeOf(old), 0, old, f.Arg(i, 1), component))
	f.Remove(i)
}

// componentStore reports whether an instruction stores a component of a vector in memory of the
// invocation, and through which access.
func componentStore(f *ir.Func, i ir.Inst) (access ir.Inst, ok bool) {
	if f.Op(i) != op.Store || f.DefOp(f.Arg(i, 0)) != op.Access {
		return 0, false
	}
	m := f.Module
	access, _ = f.Def(f.Arg(i, 0))
	args := f.Args(access)
	if space := m.SpaceOf(f.TypeOf(args[0])); space != ir.Function && space != ir.Private {
		return 0, false
	}
	t := m.Element(f.TypeOf(args[0]))
	for _, index := range args[1 : len(args)-1] {
		k, _ := m.ConstUint(index)
		t = m.PartType(t, uint32(k))
	}
	return access, m.IsVector(t)
}
