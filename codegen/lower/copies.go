package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Copies replaces loads and stores of large values by copies (LLVM: MemCpyOpt). It does so
// if nothing is written between the two and the value has no other use:
//
//	%v = load @a                     copy @b, @a
//	store @b, %v
//
// A value that must be kept, and has more scalars than there are registers, is kept in a variable:
//
//	%v = load @a                     copy %kept, @a
//	store @a, …                      store @a, …
//	%x = extract %v, 3u              %p = access %kept, 3u
//	                                 %x = load %p
//	store @b, %v                     copy @b, %kept
//
// Without the pass such a value is one instruction for each scalar, on every target. Drivers can
// take minutes for the thousands of instructions of a large array.
var Copies = opt.Pass{
	Name:   "copies",
	Doc:    "copy large values instead of loading and storing them",
	Needs:  ir.Structured | ir.Spilled,
	Breaks: ir.Promoted | ir.NoPrivate,
	Run: func(c *opt.Context, m *ir.Module) {
		x := opt.Scratch[keeper](c, "copies")
		x.m = m
		if m.MaxSlots() <= copiedScalars {
			return
		}
		for _, f := range m.Funcs {
			if x.f = f; x.concerns() {
				x.function(f)
			}
		}
	},
}

const (
	// copiedScalars is the greatest number of scalars that are loaded and stored as one value. The
	// front end has the same limit.
	copiedScalars = 32
	// keptScalars is the greatest number of scalars that are kept as one value. No target has more
	// registers for an invocation.
	keptScalars = 255
)

type keeper struct {
	m    *ir.Module
	f    *ir.Func
	b    ir.Builder
	uses []uint32
	kept []ir.Value // by local value: the address where it is kept, or NoValue
}

// concerns reports whether the function has a value that may be copied, which few have.
func (k *keeper) concerns() bool {
	f := k.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); (o == op.Load || o == op.Construct) && k.exceeds(f.Type(i), copiedScalars) {
			return true
		}
	}
	return false
}

func (k *keeper) function(f *ir.Func) {
	k.b.F = f
	k.uses = f.CountUses(k.uses)
	k.kept = ir.Zeroed(k.kept, f.ValueCount())
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		o := f.Op(i)
		if o == op.Construct && k.exceeds(f.Type(i), keptScalars) {
			k.construct(i)
			next = f.Next(i) // the store that was there may be gone
			f.Remove(i)
			i = next
			continue
		}
		for n := range len(f.Args(i)) {
			if at := k.address(f.Arg(i, n)); at != ir.NoValue {
				k.use(i, n, at)
			}
		}
		if o == op.Load && k.exceeds(f.Type(i), copiedScalars) {
			next = k.load(i)
		}
		i = next
	}
	f.ApplyReplacements()
}

// address returns the address where a value is kept, or NoValue.
func (k *keeper) address(v ir.Value) ir.Value {
	if !v.IsLocal() || int(v.Index()) >= len(k.kept) {
		return ir.NoValue
	}
	return k.kept[v.Index()]
}

// exceeds reports whether a type has more scalars than limit.
func (k *keeper) exceeds(t ir.Type, limit uint32) bool {
	if k.m.Components(t) > 0 {
		return false
	}
	n, ok := k.m.Slots(t)
	return ok && n > limit
}

// load replaces the load of a large value by a copy to where it is stored, or to a variable, and
// returns the next instruction. A store back to the loaded address is removed.
func (k *keeper) load(i ir.Inst) (next ir.Inst) {
	f := k.f
	from := f.Arg(i, 0)
	if store := k.destination(i); store != 0 && f.Arg(store, 0) == from {
		f.Remove(store)
	} else if store != 0 {
		copyInstead(f, store, from)
	} else if k.exceeds(f.Type(i), keptScalars) {
		k.b.Emit(op.Copy, ir.Void, 0, k.variable(i), from)
	} else {
		return f.Next(i)
	}
	next = f.Next(i)
	f.Remove(i)
	return next
}

// construct stores the parts of a large value one by one, to where it is stored or to a variable.
func (k *keeper) construct(i ir.Inst) {
	f := k.f
	var to ir.Value
	store := k.destination(i)
	if store != 0 {
		k.at(store)
		to = f.Arg(store, 0)
	} else {
		to = k.variable(i)
	}
	for n := range len(f.Args(i)) {
		v := f.Arg(i, n)
		part := k.b.AccessWithin(to, k.m.ConstU32(uint32(n)))
		if at := k.address(v); at != ir.NoValue {
			k.b.Emit(op.Copy, ir.Void, 0, part, at)
		} else {
			k.b.Store(part, v)
		}
	}
	if store != 0 {
		f.Remove(store)
	}
}

// variable declares a variable for the result of an instruction, and sets the builder before that.
func (k *keeper) variable(i ir.Inst) ir.Value {
	k.at(i)
	v := k.b.Var(k.f.Type(i), "kept")
	k.kept[k.f.Result(i).Index()] = v
	return v
}

// destination returns the store of an instruction's result if that is its only use and nothing is
// written between the two, or 0.
func (k *keeper) destination(from ir.Inst) ir.Inst {
	f := k.f
	v := f.Result(from)
	if k.uses[v.Index()] != 1 {
		return 0
	}
	for i := f.Next(from); i != 0; i = f.Next(i) {
		if f.Op(i) == op.Store && f.Arg(i, 1) == v {
			return i
		}
		if o := f.Op(i); o.Writes() || o.Is(op.Control) {
			return 0
		}
	}
	return 0
}

// use makes an instruction read operand n from where it is kept.
func (k *keeper) use(i ir.Inst, n int, kept ir.Value) {
	f := k.f
	k.at(i)
	switch o := f.Op(i); {
	case o == op.Store:
		copyInstead(f, i, kept)
	case o == op.Extract:
		part, r := k.b.AccessWithin(kept, f.Arg(i, 1)), f.Result(i)
		if k.exceeds(f.Type(i), keptScalars) {
			k.kept[r.Index()] = part
		} else {
			f.Replace(r, k.b.Load(part))
		}
		f.Remove(i)
	default:
		f.SetArg(i, n, k.b.Load(kept))
	}
}

// copyInstead replaces a store of a loaded value by a copy.
func copyInstead(f *ir.Func, store ir.Inst, from ir.Value) {
	f.SetOp(store, op.Copy)
	f.SetAux(store, 0)
	f.SetArgs(store, f.Arg(store, 0), from)
}

func (k *keeper) at(i ir.Inst) {
	k.b.At(i)
}
