package lower

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Tables moves large constants that are indexed or copied to one read-only storage buffer (LLVM:
// constant pool). The description carries it and the runtime binds it:
//
//	x = load table[i]        x = load tables.0[i]
//	store @v, array(…)       copy @v, tables.1
//
// Drivers copy a variable's initial value into registers or memory of each invocation, or have
// little room for such constants (workaround.Choices). The buffer is the kernel's last binding, one
// past the highest of its highest group.
var Tables = TablesOver(maxTableBytes)

// TablesOver is Tables that leaves up to limit bytes.
func TablesOver(limit uint64) opt.Pass {
	return opt.Pass{
		Name: "tables",
		Doc:  "put large tables of constants into a buffer",
		// its buffer is the kernel's last one (abi.Kernel.Hidden)
		Needs: ir.Bound | ir.Structured | ir.Spilled | ir.Scratched,
		Run: func(_ *opt.Context, m *ir.Module) {
			t := tabler{m: m, constants: slices.ContainsFunc(m.Globals, func(g ir.Global) bool { return m.SpaceOf(g.Type) == ir.Constant })}
			if !t.constants && m.MaxSlots() <= bulkScalars {
				return
			}
			for _, f := range m.Funcs {
				t.f = f
				t.find()
			}
			if t.bytes <= limit || m.WithRole(ir.TableBuffer) != ir.NoValue {
				return
			}
			t.declare()
			for _, f := range m.Funcs {
				t.f, t.b.F = f, f
				t.move(f.Entry)
			}
		},
	}
}

// maxTableBytes is the number of bytes of tables that stay in a kernel's code: small ones are not
// worth a binding.
const maxTableBytes = 1 << 10

// TablesName is a name that no WGSL identifier equals.
const TablesName = "constant.tables"

// tabler moves the tables of a module.
type tabler struct {
	m         *ir.Module
	f         *ir.Func
	b         ir.Builder
	constants bool       // whether there are variables of constants
	tables    []ir.Value // the constants, in the order of their first use
	bytes     uint64
	buffer    ir.Value
}

// variable returns the constant that a variable holds if it is a table, or NoValue.
func (t *tabler) variable(v ir.Value) ir.Value {
	if !v.IsGlobal() {
		return ir.NoValue
	}
	g := t.m.Global(v)
	switch {
	case t.m.SpaceOf(g.Type) != ir.Constant:
		return ir.NoValue
	case g.Init == ir.NoValue:
		return t.m.Zero(t.m.Element(g.Type))
	}
	return g.Init
}

// stored returns the constant that an instruction stores, if it is bulk, or NoValue.
func (t *tabler) stored(i ir.Inst) ir.Value {
	if t.f.Op(i) != op.Store {
		return ir.NoValue
	}
	v := t.f.Arg(i, 1)
	if n, ok := t.m.Slots(t.f.TypeOf(v)); !ok || n <= bulkScalars || !v.IsConst() || t.m.IsZero(v) {
		return ir.NoValue
	}
	return v
}

// find collects the tables that a function uses.
func (t *tabler) find() {
	f := t.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if t.constants {
			for _, a := range f.Args(i) {
				t.add(t.variable(a))
			}
		}
		t.add(t.stored(i))
	}
}

func (t *tabler) add(table ir.Value) {
	if table != ir.NoValue && t.index(table) == len(t.tables) {
		t.tables = append(t.tables, table)
		t.bytes += uint64(t.m.Size(t.m.TypeOf(table)))
	}
}

// index returns the index of a table, or the number of tables.
func (t *tabler) index(table ir.Value) int {
	for n, other := range t.tables {
		if other == table {
			return n
		}
	}
	return len(t.tables)
}

// declare declares the buffer, a structure of all tables.
func (t *tabler) declare() {
	m := t.m
	members := make([]ir.Member, len(t.tables))
	aligns := make([]uint32, len(t.tables))
	for n, table := range t.tables {
		members[n].Type = m.TypeOf(table)
		aligns[n] = m.VariableAlign(members[n].Type)
	}
	size, align := m.LayoutStruct(members, aligns, nil)
	typ := m.NewStruct(TablesName, members, size, align)
	g := ir.Global{Name: TablesName, Bound: true, Role: ir.TableBuffer,
		Type: m.PointerTo(ir.Storage, typ, ir.Read), Init: m.ConstComposite(typ, t.tables)}
	BindLast(m, &g)
	t.buffer = m.AddGlobal(g)
}

// BindLast gives a binding of the runtime the binding number after all others.
func BindLast(m *ir.Module, g *ir.Global) {
	for n := range m.Globals {
		other := &m.Globals[n]
		if other.Bound && (other.Group > g.Group || other.Group == g.Group && other.Binding >= g.Binding) {
			g.Group, g.Binding = other.Group, other.Binding+1
		}
	}
}

// move replaces the uses of tables in a block. Pointers into tables become pointers into the
// buffer.
func (t *tabler) move(b ir.Block) {
	f := t.f
	for _, p := range f.Params(b) {
		t.retype(p)
	}
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		t.b.At(i)
		if v := t.stored(i); v != ir.NoValue {
			t.b.Emit(op.Copy, ir.Void, 0, f.Arg(i, 0), t.address(v))
			f.Remove(i)
			i = next
			continue
		}
		for n := range f.Args(i) {
			table := t.variable(f.Arg(i, n))
			switch {
			case table == ir.NoValue:
			case n == 0 && f.Op(i) == op.Access:
				args := append([]ir.Value{t.buffer, t.member(table)}, f.Args(i)[1:]...)
				f.SetArgs(i, args...)
			default:
				f.SetArg(i, n, t.address(table))
			}
		}
		if r := f.Result(i); r != ir.NoValue {
			t.retype(r)
		}
		if f.Op(i).Is(op.Control) {
			for n := range f.Blocks(i) {
				t.move(f.Region(i, n))
			}
		}
		i = next
	}
}

// member returns the index of a table in the buffer, and address its address.
func (t *tabler) member(table ir.Value) ir.Value { return t.m.ConstU32(uint32(t.index(table))) }

func (t *tabler) address(table ir.Value) ir.Value {
	return t.b.AccessWithin(t.buffer, t.member(table))
}

// retype changes the type of a pointer into a table to one into the buffer.
func (t *tabler) retype(v ir.Value) {
	m := t.m
	if p := t.f.TypeOf(v); m.IsPointer(p) && m.SpaceOf(p) == ir.Constant {
		t.f.SetType(v, m.PointerTo(ir.Storage, m.Element(p), ir.Read))
	}
}
