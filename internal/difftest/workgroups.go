package difftest

// The family "workgroups" has whole programs for executors that run a workgroup in blocks of lanes.
// There are several blocks at once, sizes that are no multiple of a block, lanes without an
// invocation, and lanes that a hash of their index deactivates. What the generator makes otherwise
// has mostly workgroups of few invocations, and conditions that few of them see differently. The
// programs are smaller by as much as there are more invocations to evaluate.

import "fmt"

// groupSizes are the sizes of workgroups: one block and less, block by block to its ends, and in
// several dimensions.
var groupSizes = [][3]int{
	{1, 1, 1}, {7, 1, 1}, {8, 1, 1}, {9, 1, 1}, {31, 1, 1}, {32, 1, 1}, {33, 1, 1}, {40, 1, 1}, {63, 1, 1}, {64, 1, 1}, {65, 1, 1}, {96, 1, 1},
	{127, 1, 1}, {128, 1, 1}, {129, 1, 1}, {200, 1, 1}, {255, 1, 1}, {256, 1, 1}, {255, 1, 1}, {33, 1, 1},
	{8, 8, 1}, {16, 16, 1}, {5, 3, 1}, {7, 5, 3}, {4, 4, 4}, {3, 5, 7}, {1, 33, 1}, {2, 31, 4}, {1, 1, 64}, {17, 15, 1}, {1, 9, 3}, {85, 3, 1},
}

// groupGrids are how many workgroups there are.
var groupGrids = [][3]int{{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {1, 2, 1}, {2, 1, 2}, {1, 3, 1}}

const (
	groupLanes = 800 // invocations of a program at most
	// scalars of a variable of workgroup memory, of which devices may have 16 KiB
	sharedLeaves = 1500
	logical      = 32 // invocations of a subgroup, where programs depend on that
)

// Workgroups makes the program of a seed of the family "workgroups". Most of them are well-defined
// without robust access.
func Workgroups(seed uint64) *Program { return generate(seed, true) }

// grow makes the generator one of the family.
func (g *generator) grow() {
	p := *g.profile
	g.profile = &p
	g.p.Name = fmt.Sprintf("workgroups-%d", g.p.Seed)
	g.p.Robust = g.chance(15)
	if p.shared = 0; g.chance(55) {
		p.shared = 100
	}
	g.weights[wLive] = 14
	if p.shared > 0 {
		g.weights[wShare] = max(g.weights[wShare], 24)
	}
}

// largeShape chooses a size, a grid and how many statements there are.
func (g *generator) largeShape() {
	g.size = groupSizes[g.r.IntN(len(groupSizes))]
	g.group = g.size[0] * g.size[1] * g.size[2]
	for g.lanes = groupLanes + 1; g.lanes > groupLanes; {
		g.p.Dispatch = groupGrids[g.r.IntN(len(groupGrids))]
		g.lanes = g.group * g.p.Dispatch[0] * g.p.Dispatch[1] * g.p.Dispatch[2]
	}
	g.budget = 4 + g.r.IntN(9)
	if g.lanes < 100 {
		g.budget += g.r.IntN(14)
	}
}

// spot is a number that tells the invocations of a workgroup apart, or those of the dispatch.
func (g *generator) spot() *Expr {
	if g.f.Entry && g.chance(60) {
		return g.varExpr(g.localIndex)
	}
	return g.varExpr(g.lane)
}

// hash makes a number of few bits that says nothing about the one that it is made of.
func (g *generator) hash(bits int) *Expr {
	x := g.binary("*", g.binary("+", g.spot(), literalOf(u32Type, uint32(g.r.IntN(50)))), literalOf(u32Type, g.r.Uint32()|1))
	if g.chance(30) {
		x = g.binary("^", x, g.spot())
	}
	return g.binary(">>", x, literalOf(u32Type, uint32(32-bits)))
}

// live makes a condition that holds for some invocations.
func (g *generator) live() *Expr {
	number := func(n int) *Expr { return literalOf(u32Type, uint32(n)) }
	comparison := func() string { return []string{"<", ">=", "==", "!="}[g.pick([]int{4, 4, 1, 1})] }
	bit := func(of *Expr) *Expr {
		return g.binary("==", g.binary("&", g.binary(">>", literalOf(u32Type, g.r.Uint32()), of), number(1)), number(1))
	}
	switch g.r.IntN(8) {
	case 0: // those at the end
		return g.binary(comparison(), g.spot(), number(g.r.IntN(g.group+1)))
	case 1:
		return bit(g.binary("&", g.spot(), number(31)))
	case 2: // whole blocks
		return bit(g.binary("&", g.binary(">>", g.spot(), number(3)), number(31)))
	case 3:
		return g.binary(comparison(), g.binary("%", g.spot(), number(2+g.r.IntN(11))), number(g.r.IntN(5)))
	case 4:
		return g.binary([]string{"&&", "||"}[g.r.IntN(2)], g.binary(comparison(), g.hash(6), number(g.r.IntN(64))), g.expr(boolType, 2))
	}
	return g.binary(comparison(), g.hash(8), number(g.r.IntN(256)))
}

// parted makes a statement that some invocations execute, or some more often than others.
func (g *generator) parted(depth int) *Stmt {
	switch k := g.r.IntN(10); {
	case k < 4 && depth > 0:
		return g.trips(depth)
	case k == 4 && !g.noReturn && !g.continuing:
		return g.dying()
	case k == 5 && g.loops > 0 && g.switches == 0 && !g.continuing:
		jump := []StmtKind{StmtBreak, StmtContinue}[g.r.IntN(2)]
		return &Stmt{Kind: StmtIf, Value: g.live(), Body: one(&Stmt{Kind: jump}), Style: g.style()}
	}
	s := &Stmt{Kind: StmtIf, Value: g.live(), Body: g.nested(depth, 1), Style: g.style()}
	if g.chance(40) {
		s.Else = g.nested(depth, 1)
	}
	return s
}

// dying makes a return of some invocations.
func (g *generator) dying() *Stmt {
	s := &Stmt{Kind: StmtReturn}
	if g.f.Result != nil {
		s.Value = g.expr(g.f.Result, 2)
	}
	return &Stmt{Kind: StmtIf, Value: g.live(), Body: one(s), Style: g.style()}
}

// trips makes a loop whose trip count differs between invocations.
func (g *generator) trips(depth int) *Stmt {
	mark, switches, continuing := len(g.sources), g.switches, g.continuing
	v := &Var{Name: g.name("iteration"), Kind: MemoryVar, Type: u32Type, Init: literalOf(u32Type, 0), Untyped: true}
	s := &Stmt{Kind: StmtFor, Style: g.style(), Init: &Stmt{Kind: StmtDeclare, Var: v}}
	iterations := g.hash(1 + g.r.IntN(3))
	if s.Update = (&Stmt{Kind: StmtStep, Target: g.varExpr(v), Name: "++"}); g.chance(35) {
		v.Init, s.Value = iterations, g.binary("!=", g.varExpr(v), literalOf(u32Type, 0))
		s.Update.Name = "--"
	} else {
		s.Value = g.binary("<", g.varExpr(v), iterations)
	}
	g.loops++
	g.switches, g.continuing = 0, false
	g.addSource(g.varExpr(v), false)
	s.Body = g.nested(depth, 1)
	g.loops--
	g.switches, g.continuing, g.sources = switches, continuing, g.sources[:mark]
	return s
}
