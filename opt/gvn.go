package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// Gvn is global value numbering: it merges equal values. Since dominance is lexical, it is one walk
// with a table of the values that are visible. An instruction that equals an earlier one is
// replaced by it, and the end of a block removes the block's entries.
//
// Loads take part: a load's key holds the epoch of the memory that it reads (package analysis).
// Stores, barriers, atomics and calls advance the epochs of what they may change, and control
// instructions those of all that may change inside. A store notes the value it leaves in memory, so
// a load after it gets that value, and a store of what memory holds already is dropped. Races are
// undefined, so memory that other invocations see holds still between barriers.
//
// Inside of an if, its condition is known. So are the operands of an and that holds and of an or
// that does not, and a value that equals a constant. After an if one of whose blocks leads
// elsewhere, the condition is known as well, to the end of the block. In a case of a switch with
// one value the selector is known.
//
// An operation whose operands have become constants is evaluated. Simplify would do so too, but
// does not run at -O0 and after the workarounds (codegen/workaround). There are targets whose
// compilers evaluate some of these inexactly.
var Gvn = Pass{
	Name: "gvn",
	Doc:  "global value numbering: merge equal values, forward stores to loads",
	Run: func(c *Context, m *ir.Module) {
		n := Scratch[numberer](c, "gvn")
		n.kept = c.Bounds != BoundsOff
		for _, f := range m.Funcs {
			n.run(f)
		}
	},
}

type numberer struct {
	f       *ir.Func
	memory  analysis.Memory
	epochs  analysis.Epochs
	counter uint32
	// heads are the chains' first entries by hash; entries is a stack.
	heads   []uint32
	entries []valueEntry
	// known is, by value, the constant that it is known to be at the current instruction.
	known    []ir.Value
	knownSet []ir.Value
	// exits counts, by control instruction, the exits that name it so far.
	exits []uint32
	// cases holds, for the switches around, the selector's value in each block: 0 if nothing is
	// known, several if it is one of several values.
	cases     []ir.Value
	yes, no   ir.Value
	hashShift uint32
	// kept says that accesses will be kept within their variables: a store outside
	// is dropped, a load there reads another element.
	kept bool
}

// valueEntry is a value in the table: the result of inst, or what memory holds
// at a pointer in an epoch.
type valueEntry struct {
	inst    ir.Inst
	pointer ir.Value
	value   ir.Value
	epoch   uint32
	slot    uint32
	next    uint32
	// stored says that the value was stored by what may be outside of its variable,
	// so that a load need not find it there.
	stored bool
}

func (n *numberer) run(f *ir.Func) {
	n.f = f
	n.memory.Analyse(f)
	n.epochs, n.counter = analysis.Epochs{}, 0
	n.hashShift = 26
	for 1<<(32-n.hashShift) < f.InstCount() && n.hashShift > 8 {
		n.hashShift--
	}
	n.heads = ir.Zeroed(n.heads, 1<<(32-n.hashShift))
	n.entries = append(n.entries[:0], valueEntry{})
	n.known = ir.Zeroed(n.known, f.ValueCount())
	n.knownSet = n.knownSet[:0]
	n.exits = ir.Zeroed(n.exits, f.InstCount())
	n.yes, n.no = f.Module.ConstBool(true), f.Module.ConstBool(false)
	n.block(f.Entry)
	f.DropReplacements() // the walk has met every use after what it replaced
}

func (n *numberer) block(b ir.Block) {
	f := n.f
	mark, known := len(n.entries), len(n.knownSet)
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		o := f.Op(i)
		args := f.Args(i)
		for k, a := range args {
			if a.IsLocal() {
				a = f.Resolve(a)
				if a.IsLocal() && n.known[a] != 0 {
					a = n.known[a]
				}
				args[k] = a
			}
		}
		switch {
		case o.Pure():
			n.pure(i)
		case o == op.Load:
			n.load(i)
		case o == op.Store:
			n.store(i)
		case o.Is(op.Control):
			n.control(i)
		case o == op.Exit:
			n.exits[f.Target(i)]++
		default:
			n.epochs.Change(n.memory.Effect(i), &n.counter)
		}
		i = next
	}
	for k := len(n.entries) - 1; k >= mark; k-- {
		n.heads[n.entries[k].slot] = n.entries[k].next
	}
	n.entries = n.entries[:mark]
	n.forget(known)
}

// forget drops what is known since the mark.
func (n *numberer) forget(mark int) {
	for _, v := range n.knownSet[mark:] {
		n.known[v] = 0
	}
	n.knownSet = n.knownSet[:mark]
}

// control walks the blocks, each with the memory as it may be at its start.
func (n *numberer) control(i ir.Inst) {
	f := n.f
	changes := n.memory.Changes(i)
	o := f.Op(i)
	before := n.epochs
	first := len(n.cases)
	if o == op.Switch {
		n.findCases(i)
	}
	var exits [2]uint32 // of an if: after each of its blocks
	for k := range len(f.Blocks(i)) {
		mark := len(n.knownSet)
		switch o {
		case op.Loop:
			n.epochs.Change(changes, &n.counter)
		case op.If:
			n.assume(f.Arg(i, 0), k == 0)
		case op.Switch:
			if v := n.cases[first+k]; v != 0 && v != several {
				n.learn(f.Arg(i, 0), v)
			}
		}
		n.block(f.Region(i, k))
		n.forget(mark)
		n.epochs = before
		if o == op.If {
			exits[k] = n.exits[i]
		}
	}
	n.cases = n.cases[:first]
	n.epochs.Change(changes, &n.counter)
	if o == op.If && exits[1] > 0 {
		switch exits[0] {
		case 0:
			n.assume(f.Arg(i, 0), false)
		case exits[1]:
			n.assume(f.Arg(i, 0), true)
		}
	}
}

// assume notes that a condition holds, or does not.
func (n *numberer) assume(condition ir.Value, holds bool) {
	f := n.f
	if !condition.IsLocal() || n.known[condition] != 0 {
		return
	}
	if holds {
		n.learn(condition, n.yes)
	} else {
		n.learn(condition, n.no)
	}
	i, ok := f.Def(condition)
	if !ok {
		return
	}
	switch o := f.Op(i); {
	case o == op.Not:
		n.assume(f.Arg(i, 0), !holds)
	case o == op.And && holds, o == op.Or && !holds:
		n.assume(f.Arg(i, 0), holds)
		n.assume(f.Arg(i, 1), holds)
	case o == op.Eq && holds, o == op.Ne && !holds:
		// not floats: +0 and -0 are equal, but different values
		if x, c := f.Arg(i, 0), f.Arg(i, 1); c.IsConst() && f.Module.ScalarOf(f.TypeOf(x)).IsInteger() && f.Type(i) == ir.Bool {
			n.learn(x, c)
		}
	}
}

// learn notes that a value is a constant until forget.
func (n *numberer) learn(v, constant ir.Value) {
	if v.IsLocal() && n.known[v] == 0 {
		n.known[v] = constant
		n.knownSet = append(n.knownSet, v)
	}
}

// several is in numberer.cases for more than one value.
const several = ^ir.Value(0)

// findCases notes what the selector of a switch is in each of its blocks.
func (n *numberer) findCases(i ir.Inst) {
	f, first := n.f, len(n.cases)
	for range f.Blocks(i) {
		n.cases = append(n.cases, 0)
	}
	for k, b := range f.CaseTargets(i) {
		if v := &n.cases[first+int(b)]; *v == 0 {
			*v = f.Arg(i, k+1)
		} else {
			*v = several
		}
	}
	n.cases[first+f.DefaultCase(i)] = several
}

func (n *numberer) pure(i ir.Inst) {
	f := n.f
	args := f.Args(i)
	o := f.Op(i)
	if v, ok := f.Module.Fold(o, f.Type(i), f.Aux(i), args); ok {
		n.replace(i, v)
		return
	}
	if o.Info().Commutative {
		// in the order of ir.Value, in which constants come after local values
		args[0], args[1] = min(args[0], args[1]), max(args[0], args[1])
	}
	h := uint32(o)*0x9E3779B1 ^ uint32(f.Type(i))*0x85EBCA77 ^ f.Aux(i)*0xC2B2AE3D
	for _, a := range args {
		h = (h ^ uint32(a)) * 0x27D4EB2F
		h ^= h >> 15
	}
	slot := h * 0x9E3779B1 >> n.hashShift
	for e := n.heads[slot]; e != 0; e = n.entries[e].next {
		if leader := n.entries[e].inst; leader != 0 && n.equal(leader, i) {
			// the leader keeps the freedoms that both have
			keep := ir.Contract | ir.Fast
			f.SetFlags(leader, f.Flags(leader)&(f.Flags(i)|^keep))
			n.replace(i, f.Result(leader))
			return
		}
	}
	n.push(valueEntry{inst: i, value: f.Result(i), slot: slot})
}

func (n *numberer) equal(a, b ir.Inst) bool {
	f := n.f
	if f.Op(a) != f.Op(b) || f.Type(a) != f.Type(b) || f.Aux(a) != f.Aux(b) {
		return false
	}
	x, y := f.Args(a), f.Args(b)
	if len(x) != len(y) {
		return false
	}
	for k := range x {
		if x[k] != y[k] {
			return false
		}
	}
	return true
}

func (n *numberer) push(e valueEntry) {
	e.next = n.heads[e.slot]
	n.entries = append(n.entries, e)
	n.heads[e.slot] = uint32(len(n.entries) - 1)
}

func (n *numberer) replace(i ir.Inst, v ir.Value) {
	n.f.Replace(n.f.Result(i), v)
	n.f.Remove(i)
}

// storedValue returns what memory is known to hold at a pointer, or for a store, what one
// before has stored there.
func (n *numberer) storedValue(pointer ir.Value, t ir.Type, epoch uint32, store bool) (v ir.Value, slot uint32) {
	slot = (uint32(pointer)*0x85EBCA77 ^ epoch*0xC2B2AE3D) * 0x9E3779B1 >> n.hashShift
	for e := n.heads[slot]; e != 0; e = n.entries[e].next {
		entry := &n.entries[e]
		if entry.pointer == pointer && entry.epoch == epoch && n.f.TypeOf(entry.value) == t && (store || !entry.stored) {
			return entry.value, slot
		}
	}
	return 0, slot
}

func (n *numberer) load(i ir.Inst) {
	f := n.f
	pointer := f.Arg(i, 0)
	epoch := n.epochs.Of(n.memory.Class(pointer))
	v, slot := n.storedValue(pointer, f.Type(i), epoch, false)
	if v != 0 {
		n.replace(i, v)
		return
	}
	n.push(valueEntry{pointer: pointer, value: f.Result(i), epoch: epoch, slot: slot})
}

func (n *numberer) store(i ir.Inst) {
	f := n.f
	pointer, value := f.Arg(i, 0), f.Arg(i, 1)
	class := n.memory.Class(pointer)
	if v, _ := n.storedValue(pointer, f.TypeOf(value), n.epochs.Of(class), true); v == value {
		f.Remove(i)
		return
	}
	n.epochs.Change(class, &n.counter)
	epoch := n.epochs.Of(class)
	_, slot := n.storedValue(pointer, f.TypeOf(value), epoch, true)
	n.push(valueEntry{pointer: pointer, value: value, epoch: epoch, slot: slot, stored: n.kept && !storesInBounds(f, pointer)})
}
