package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Mem2Reg promotes variables to values (LLVM's mem2reg). In structured code that needs no dominance
// frontiers: where a variable can get a new value follows from the blocks that its stores are in.
// Two walks do it:
//
//  1. collect: for each variable the block that holds all its accesses (its
//     extent), and for each control instruction inside of the extent the
//     variables stored in it. Those get a result there, of a loop also a body
//     parameter, and a parameter of the continuing block if the body stores.
//  2. rename: walk in execution order with the current value of each variable;
//     what a block changes is undone at its end.
//
// Then parameters and results that prove to be one value, and those that no one uses, are removed
// again.
//
// A vector variable accessed by component is promoted as one value: component
// loads and stores become extract and insert, also with dynamic indices, which
// clamp as robust access may. A variable that is read before any store is zero.
var Mem2Reg = Pass{
	Name:  "mem2reg",
	Doc:   "promote variables that are only loaded and stored to values",
	Needs: ir.Structured,
	Gives: ir.Promoted,
	Transform: func(c *Context, m *ir.Module) (changed bool) {
		for _, f := range m.Funcs {
			// dead code that goes may have held the only call a pointer is passed to
			for Scratch[promoter](c, "mem2reg").run(f) {
				changed = true
				c.trim(m)
				Scratch[redundancy](c, "redundant").run(f)
				f.ApplyReplacements()
				e := Scratch[eliminator](c, "dce")
				e.globalRead = e.globalRead[:0]
				e.run(f)
				c.trim(m)
			}
		}
		return changed
	},
}

// PromoteTiles is Mem2Reg for variables that hold tiles, which are in no memory on any target.
var PromoteTiles = Pass{
	Name:  "promote-tiles",
	Doc:   "promote variables that hold tiles to values",
	Needs: ir.Structured,
	Keeps: ir.AsWritten,
	Run: func(c *Context, m *ir.Module) {
		p := Scratch[promoter](c, "mem2reg")
		p.tiles = true
		defer func() { p.tiles = false }()
		for _, f := range m.Funcs {
			if p.run(f) {
				c.trim(m)
				Scratch[redundancy](c, "redundant").run(f)
				f.ApplyReplacements()
			}
		}
	},
}

type promoter struct {
	f *ir.Func
	b ir.Builder
	// tiles says that only variables that hold tiles are promoted.
	tiles bool
	// vars are the candidates; number is, by local value, a variable's or a
	// component pointer's index in vars plus one.
	vars   []promoted
	number []uint32
	// depth is that of a block below the entry.
	depth []uint32
	path  []ir.Block // by depth: the blocks around what is being collected
	// nextStore chains the stores of a variable.
	nextStore []ir.Inst
	// stamp and bodyStamp say for which variable a control instruction was seen
	// last, as storing at all and as a loop that stores in its body.
	stamp, bodyStamp []uint32
	// stored lists, by control instruction, the variables that get a result.
	stored []varList
	links  []varLink

	current []ir.Value
	undo    []change
	results []ir.Value
}

type promoted struct {
	value      ir.Value
	pointee    ir.Type
	extent     ir.Block
	firstStore ir.Inst
	rejected   bool
	// seen, and whether the first access was a store directly in the extent:
	// then no value enters it from outside.
	seen, fresh bool
	first       ir.Block
}

// varList is a list in links, in the order of the variables.
type varList struct{ first, last uint32 }

type varLink struct {
	variable uint32
	inBody   bool
	next     uint32
}

type change struct {
	variable uint32
	old      ir.Value
}

var variables = op.SetOf(op.Var)

// run promotes what it can in a function and reports whether it changed it.
func (p *promoter) run(f *ir.Func) bool {
	if !f.Had(&variables) {
		return false
	}
	p.f, p.b.F = f, f
	p.vars = p.vars[:0]
	p.number = ir.Zeroed(p.number, f.ValueCount())
	p.depth = ir.Zeroed(p.depth, f.BlockCount())
	p.nextStore = ir.Zeroed(p.nextStore, f.InstCount())
	p.undo = p.undo[:0]
	any := false
	for i := f.First(f.Entry); i != 0; i = f.Next(i) {
		if f.Op(i) != op.Var {
			continue
		}
		any = true
		t := f.Module.Element(f.Type(i))
		if slots, ok := f.Module.Slots(t); !ok || slots > ir.PromotedSlots || p.tiles && !f.Module.IsTile(t) {
			continue
		}
		p.vars = append(p.vars, promoted{value: f.Result(i), pointee: t})
		p.number[f.Result(i)] = uint32(len(p.vars))
	}
	if !any {
		f.Lacks(op.Var)
	}
	if len(p.vars) == 0 {
		return false
	}
	p.collect(f.Entry)
	changed := false
	for n := range p.vars {
		changed = changed || !p.vars[n].rejected
	}
	if !changed {
		return false
	}
	p.placeResults()
	p.current = ir.Zeroed(p.current, len(p.vars))
	p.rename(f.Entry)
	return true
}

// variable returns the candidate that a pointer names, or a component of it.
func (p *promoter) variable(pointer ir.Value) (n uint32, ok bool) {
	if !pointer.IsLocal() || int(pointer) >= len(p.number) || p.number[pointer] == 0 {
		return 0, false
	}
	n = p.number[pointer] - 1
	return n, !p.vars[n].rejected
}

func (p *promoter) reject(pointer ir.Value) {
	if pointer.IsLocal() && p.number[pointer] != 0 {
		p.vars[p.number[pointer]-1].rejected = true
	}
}

// collect finds the accesses of the candidates and rejects those that are used
// in another way.
func (p *promoter) collect(b ir.Block) {
	f := p.f
	p.path = append(p.path[:p.depth[b]], b)
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		switch {
		case o == op.Load:
			p.access(f.Arg(i, 0), b, 0)
		case o == op.Store:
			p.access(f.Arg(i, 0), b, i)
		case o == op.Copy:
			// the source is read before the target is written
			p.access(f.Arg(i, 1), b, 0)
			p.access(f.Arg(i, 0), b, i)
		case o == op.Access:
			base := f.Arg(i, 0)
			n, ok := p.variable(base)
			if !ok {
				break
			}
			v := &p.vars[n]
			if base == v.value && len(f.Args(i)) == 2 && f.Module.IsVector(v.pointee) {
				p.number[f.Result(i)] = n + 1
			} else {
				v.rejected = true
			}
		default:
			for _, a := range f.Args(i) {
				p.reject(a)
			}
			if o.Is(op.Control) {
				for _, inner := range f.Blocks(i) {
					p.depth[inner] = p.depth[b] + 1
					p.collect(ir.Block(inner))
					p.path = p.path[:p.depth[b]+1]
				}
			}
		}
	}
}

func (p *promoter) access(pointer ir.Value, b ir.Block, store ir.Inst) {
	n, ok := p.variable(pointer)
	if !ok {
		return
	}
	v := &p.vars[n]
	if !v.seen {
		v.seen, v.extent, v.first = true, b, b
		v.fresh = store != 0 && pointer == v.value
	} else {
		v.extent = p.meet(v.extent, b)
	}
	if store != 0 {
		p.nextStore[store], v.firstStore = v.firstStore, store
	}
}

// meet returns the innermost block that holds two others, of which the second is being collected.
// It climbs from the first alone, which becomes the result: climbs from all accesses of a variable
// need as many steps as blocks are nested.
func (p *promoter) meet(a, b ir.Block) ir.Block {
	f := p.f
	for p.depth[a] > p.depth[b] || p.path[p.depth[a]] != a {
		a = f.BlockOf(f.Parent(a))
	}
	return a
}

// placeResults gives the control instructions between a variable's extent and
// its stores a result for it.
func (p *promoter) placeResults() {
	f := p.f
	n := f.InstCount()
	p.stamp, p.bodyStamp = ir.Zeroed(p.stamp, n), ir.Zeroed(p.bodyStamp, n)
	p.stored = ir.Zeroed(p.stored, n)
	p.links = append(p.links[:0], varLink{})
	for k := range p.vars {
		v := &p.vars[k]
		if v.rejected {
			continue
		}
		extent := v.extent
		if !v.fresh || v.first != extent {
			extent = f.Entry
		}
		for s := v.firstStore; s != 0; s = p.nextStore[s] {
			p.storedIn(uint32(k), f.BlockOf(s), extent)
		}
	}
}

func (p *promoter) storedIn(n uint32, b, extent ir.Block) {
	f := p.f
	for b != extent {
		control := f.Parent(b)
		inBody := f.Op(control) == op.Loop && f.Region(control, 0) == b
		seen := p.stamp[control] == n+1
		if !seen {
			p.stamp[control] = n + 1
			p.links = append(p.links, varLink{variable: n})
			l := &p.stored[control]
			if l.first == 0 {
				l.first = uint32(len(p.links) - 1)
			} else {
				p.links[l.last].next = uint32(len(p.links) - 1)
			}
			l.last = uint32(len(p.links) - 1)
		}
		if inBody && p.bodyStamp[control] != n+1 {
			p.bodyStamp[control] = n + 1
			p.links[p.stored[control].last].inBody = true
		}
		if seen {
			return
		}
		b = f.BlockOf(control)
	}
}

func (p *promoter) set(n uint32, v ir.Value) {
	p.undo = append(p.undo, change{n, p.current[n]})
	p.current[n] = v
}

// get returns a variable's value now.
func (p *promoter) get(n uint32) ir.Value {
	if v := p.current[n]; v != 0 {
		return v
	}
	return p.f.Module.Zero(p.vars[n].pointee)
}

// unwind returns to the values that variables had when undo was this long.
func (p *promoter) unwind(mark int) {
	for k := len(p.undo) - 1; k >= mark; k-- {
		p.current[p.undo[k].variable] = p.undo[k].old
	}
	p.undo = p.undo[:mark]
}

// rename replaces the accesses in a block by values.
func (p *promoter) rename(b ir.Block) {
	f := p.f
	mark := len(p.undo)
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		switch o := f.Op(i); {
		case o == op.Load:
			if n, ok := p.variable(f.Arg(i, 0)); ok {
				p.load(i, n)
			}
		case o == op.Store:
			if n, ok := p.variable(f.Arg(i, 0)); ok {
				p.store(i, n, f.Resolve(f.Arg(i, 1)))
			}
		case o == op.Copy:
			p.copy(i)
		case o == op.Access:
			if _, ok := p.variable(f.Result(i)); ok {
				f.Remove(i) // load and store still read its index
			}
		case o == op.Var:
			if _, ok := p.variable(f.Result(i)); ok {
				f.Remove(i)
			}
		case o.Is(op.Control):
			p.control(i)
		case o == op.Exit:
			p.pass(i, false)
		case o == op.Continue:
			p.pass(i, true)
		case o == op.Next:
			p.next(i)
		}
		i = next
	}
	p.unwind(mark)
}

func (p *promoter) load(i ir.Inst, n uint32) {
	f := p.f
	pointer, value := f.Arg(i, 0), p.get(n)
	if pointer != p.vars[n].value {
		access, _ := f.Def(pointer)
		f.SetOp(i, op.Extract)
		f.SetAux(i, 0)
		f.SetFlags(i, 0)
		f.SetArgs(i, value, f.Arg(access, 1))
		return
	}
	f.Replace(f.Result(i), value)
	f.Remove(i)
}

func (p *promoter) store(i ir.Inst, n uint32, value ir.Value) {
	f := p.f
	if pointer := f.Arg(i, 0); pointer != p.vars[n].value {
		access, _ := f.Def(pointer)
		p.b.At(i)
		value = p.b.Emit(op.Insert, p.vars[n].pointee, 0, p.get(n), value, f.Arg(access, 1))
	}
	p.set(n, value)
	f.SetName(value, f.ValueName(p.vars[n].value))
	f.Remove(i)
}

// copy replaces the promoted sides of a copy, which names variables or
// memory.
func (p *promoter) copy(i ir.Inst) {
	f := p.f
	to, from := f.Arg(i, 0), f.Arg(i, 1)
	target, intoVar := p.variable(to)
	source, fromVar := p.variable(from)
	if !intoVar && !fromVar {
		return
	}
	var value ir.Value
	p.b.At(i)
	if fromVar {
		value = p.get(source)
		if from != p.vars[source].value {
			access, _ := f.Def(from)
			value = p.b.Emit(op.Extract, f.Module.Element(f.TypeOf(from)), 0, value, f.Arg(access, 1))
		}
	} else {
		value = p.b.Load(from)
	}
	if intoVar {
		f.SetArgs(i, to, value)
		p.store(i, target, value)
		return
	}
	f.SetOp(i, op.Store)
	f.SetArgs(i, to, value)
}

// control adds results and parameters, walks the blocks, and goes on with the
// results.
func (p *promoter) control(i ir.Inst) {
	f := p.f
	first := p.stored[i].first
	if f.Op(i) == op.Loop {
		p.loop(i, first)
	} else {
		for n := range len(f.Blocks(i)) {
			p.rename(f.Region(i, n))
		}
	}
	for l := first; l != 0; l = p.links[l].next {
		n := p.links[l].variable
		r := f.AddResult(i, p.vars[n].pointee)
		f.SetName(r, f.ValueName(p.vars[n].value))
		p.set(n, r)
	}
}

func (p *promoter) loop(i ir.Inst, first uint32) {
	f := p.f
	body, continuing := f.Region(i, 0), f.Region(i, 1)
	for l := first; l != 0; l = p.links[l].next {
		f.AppendArg(i, p.get(p.links[l].variable))
	}
	mark := len(p.undo)
	p.parameters(body, first, false)
	p.rename(body)
	p.parameters(continuing, first, true)
	p.rename(continuing)
	p.unwind(mark)
}

func (p *promoter) parameters(b ir.Block, first uint32, onlyInBody bool) {
	f := p.f
	for l := first; l != 0; l = p.links[l].next {
		n := p.links[l].variable
		if onlyInBody && !p.links[l].inBody {
			continue
		}
		v := f.AddParam(b, p.vars[n].pointee)
		f.SetName(v, f.ValueName(p.vars[n].value))
		p.set(n, v)
	}
}

// pass gives an exit or continue the values of the variables that its target has an operand for.
func (p *promoter) pass(i ir.Inst, onlyInBody bool) {
	f := p.f
	for l := p.stored[f.Target(i)].first; l != 0; l = p.links[l].next {
		if !onlyInBody || p.links[l].inBody {
			f.AppendArg(i, p.get(p.links[l].variable))
		}
	}
}

// next gives the end of an iteration its values. The loop's parameters were
// added already, its results were not, so the operands are split by hand.
func (p *promoter) next(i ir.Inst) {
	f := p.f
	first := p.stored[f.Target(i)].first
	if first == 0 {
		return
	}
	added := 0
	for l := first; l != 0; l = p.links[l].next {
		added++
	}
	old := len(f.Params(f.Region(f.Target(i), 0))) - added
	args := f.Args(i)
	p.results = append(p.results[:0], args[:old]...)
	for l := first; l != 0; l = p.links[l].next {
		p.results = append(p.results, p.get(p.links[l].variable))
	}
	if len(args) > old {
		p.results = append(p.results, args[old:]...)
		for l := first; l != 0; l = p.links[l].next {
			p.results = append(p.results, p.get(p.links[l].variable))
		}
	}
	f.SetArgs(i, p.results...)
}
