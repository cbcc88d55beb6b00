package irgen

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Control instructions with results, and terminators that leave them, also across several levels.

// maxLoops bounds the nesting of loops, and maxTrips their trip counts, so that a kernel ends soon.
const (
	maxLoops = 3
	maxTrips = 4
)

// types returns up to two types.
func (g *generator) types() []ir.Type {
	list := make([]ir.Type, g.random.IntN(3))
	for n := range list {
		list[n] = g.valueType()
	}
	return list
}

func (g *generator) values(types []ir.Type) []ir.Value {
	list := make([]ir.Value, len(types))
	for n, t := range types {
		list[n] = g.value(t)
	}
	return list
}

func (g *generator) control() {
	g.depth++
	defer func() { g.depth-- }()
	switch n := g.random.IntN(10); {
	case n < 4:
		g.branch(g.b.If(g.value(ir.Bool)))
	case n < 5:
		g.multiway()
	case n < 7:
		g.branch(g.b.Scope())
	case g.loops < maxLoops:
		g.loop()
	default:
		g.branch(g.b.If(g.value(ir.Bool)))
	}
}

func (g *generator) multiway() {
	blocks := 2 + g.random.IntN(3)
	i := g.b.Switch(g.value(ir.U32), blocks, g.random.IntN(blocks))
	value := uint32(0)
	for n := range blocks {
		if n != g.f.DefaultCase(i) {
			for range 1 + g.random.IntN(2) {
				g.f.AddCase(i, g.m.ConstU32(value), n)
				value++
			}
		}
	}
	g.branch(i)
}

// branch fills the blocks of an if, switch or scope.
func (g *generator) branch(i ir.Inst) {
	outer := g.b.Block()
	t := target{inst: i, results: g.types()}
	g.targets = append(g.targets, t)
	for n := range g.f.Blocks(i) {
		g.b.SetBlock(g.f.Region(i, n))
		mark := len(g.visible)
		g.statements()
		g.leave()
		g.visible = g.visible[:mark]
	}
	g.finish(i, t, outer)
}

// finish returns to the outer block with the results of a control instruction.
func (g *generator) finish(i ir.Inst, t target, outer ir.Block) {
	g.targets = g.targets[:len(g.targets)-1]
	g.b.SetBlock(outer)
	for _, r := range t.results {
		g.add(g.f.AddResult(i, r))
	}
}

// leave ends a block unless it has ended: usually it leaves the innermost instruction, sometimes an
// outer one.
func (g *generator) leave() {
	if g.b.Terminated() {
		return
	}
	n := len(g.targets) - 1
	if !g.options.NoMultiLevelExits && g.chance(25) {
		for n > 0 && g.chance(60) && !g.targets[n].inContinuing {
			n--
		}
	}
	t := g.targets[n]
	switch {
	case t.inContinuing: // leave the instruction inside of the continuing block
		t = g.targets[len(g.targets)-1]
	case t.next != nil && (n == len(g.targets)-1 || g.chance(70)):
		g.b.Continue(t.inst, g.values(t.next)...)
		return
	case g.f.ResultType != ir.Void && g.chance(5) && !g.insideContinuing():
		g.b.Return(g.value(g.f.ResultType))
		return
	case g.f.Kernel && g.options.NoBarriers && g.chance(3) && !g.insideContinuing():
		g.b.Return(0)
		return
	}
	g.b.Exit(t.inst, g.values(t.results)...)
}

func (g *generator) insideContinuing() bool {
	for _, t := range g.targets {
		if t.inContinuing {
			return true
		}
	}
	return false
}

// loop builds a loop with a counter: its body begins with the test, and its continuing block
// increments.
func (g *generator) loop() {
	outer := g.b.Block()
	f := g.f
	g.loops++
	i := g.b.Loop()
	carried := g.types()
	initial := g.values(carried)
	// the values may have needed instructions, which must precede the loop
	f.Unlink(i)
	g.b.Insert(i)
	counter := f.AddLoopParam(i, g.m.ConstU32(0))
	mark := len(g.visible)
	g.add(counter)
	for n := range carried {
		g.add(f.AddLoopParam(i, initial[n]))
	}
	params := len(g.visible)
	t := target{inst: i, results: g.types(), next: append([]ir.Type{}, g.types()...)}
	g.targets = append(g.targets, t)

	g.b.SetBlock(f.Region(i, 0))
	limit := g.m.ConstU32(uint32(1 + g.random.IntN(maxTrips)))
	done := g.b.Op(op.Ge, counter, limit)
	test := g.b.If(done)
	g.b.SetBlock(f.Region(test, 0))
	g.b.Exit(i, g.values(t.results)...)
	g.b.SetBlock(f.Region(test, 1))
	g.b.Exit(test)
	g.b.SetBlock(f.Region(i, 0))
	g.statements()
	g.leave()
	g.visible = g.visible[:params]

	continuing := f.Region(i, 1)
	g.b.SetBlock(continuing)
	for _, n := range t.next {
		g.add(f.AddParam(continuing, n))
	}
	g.targets[len(g.targets)-1].inContinuing = true
	for range g.random.IntN(4) {
		g.budget--
		g.operation()
	}
	if g.chance(20) && g.depth < 5 {
		g.branch(g.b.If(g.value(ir.Bool)))
	}
	if g.chance(30) {
		g.storeVar()
	}
	next := append([]ir.Value{g.b.Op(op.Add, counter, g.m.ConstU32(1))}, g.values(carried)...)
	if g.chance(40) {
		g.b.Next(i, next, g.value(ir.Bool), g.values(t.results))
	} else {
		g.b.Next(i, next, 0, nil)
	}
	g.visible = g.visible[:mark]
	g.loops--
	g.finish(i, t, outer)
}
