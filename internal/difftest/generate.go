package difftest

// The generator of programs. It makes a program without caring whether every access is in bounds,
// every sum exact and every loop short. The evaluator says where that is not so, and only there the
// program is repaired. So indices that no analysis can bound stay as they are where they happen to
// be right.

import (
	"fmt"
	"math/rand/v2"
)

// Weights of kinds of statements and expressions; a profile raises some.
type weight int

const (
	wDeclare weight = iota
	wAssign
	wCompound
	wStep
	wIf
	wSwitch
	wLoop
	wFor
	wWhile
	wBlock
	wCall
	wReturn
	wJump
	wOut
	wPointer
	wSwizzle
	wAtomic
	wShare
	wGuard
	wPhony
	wCarry
	wSwap
	wTexel
	wLive
	weights
)

var baseWeights = [weights]int{
	wDeclare: 10, wAssign: 10, wCompound: 8, wStep: 3, wIf: 8, wSwitch: 4, wLoop: 3, wFor: 4, wWhile: 2, wBlock: 1,
	wCall: 4, wReturn: 1, wJump: 3, wOut: 8, wPointer: 3, wSwizzle: 3, wAtomic: 1, wShare: 0, wGuard: 3, wPhony: 1, wCarry: 2, wSwap: 2,
}

// profile is a flavour of programs.
type profile struct {
	name  string
	boost map[weight]int
	kinds [5]int // how often scalars are bool, i32, u32, f32, f16
	// Chances in percent.
	matrices, calls, arrays, shared, bits, consts int
}

var profiles = []profile{
	{name: "control", boost: map[weight]int{wIf: 20, wLoop: 12, wFor: 8, wWhile: 8, wReturn: 4, wJump: 14}, kinds: [5]int{2, 4, 4, 1, 0}, calls: 10},
	{name: "switch", boost: map[weight]int{wSwitch: 30, wLoop: 8, wJump: 14}, kinds: [5]int{1, 5, 5, 1, 0}, calls: 10},
	{name: "range", boost: map[weight]int{wGuard: 24, wCarry: 20, wFor: 8}, kinds: [5]int{1, 5, 6, 0, 0}, arrays: 40, bits: 15},
	{name: "calls", boost: map[weight]int{wCall: 24, wPointer: 12, wReturn: 3}, kinds: [5]int{1, 4, 4, 2, 0}, calls: 40, arrays: 15},
	{name: "memory", boost: map[weight]int{wAssign: 24, wPointer: 14, wCompound: 14, wSwizzle: 6}, kinds: [5]int{1, 4, 4, 3, 0}, arrays: 40, matrices: 5, calls: 10},
	{name: "matrix", boost: map[weight]int{wAssign: 14, wCompound: 12, wSwizzle: 8}, kinds: [5]int{0, 2, 2, 8, 0}, matrices: 50, arrays: 10},
	{name: "workgroup", boost: map[weight]int{wShare: 16}, kinds: [5]int{1, 4, 5, 2, 0}, shared: 100},
	{name: "atomics", boost: map[weight]int{wAtomic: 24}, kinds: [5]int{1, 4, 5, 0, 0}, shared: 60},
	{name: "floats", boost: map[weight]int{wCompound: 12}, kinds: [5]int{1, 2, 2, 10, 0}, matrices: 10},
	{name: "half", boost: map[weight]int{wCompound: 12, wSwizzle: 6}, kinds: [5]int{1, 2, 2, 3, 8}, matrices: 12},
	{name: "bits", boost: map[weight]int{wCompound: 14}, kinds: [5]int{1, 5, 6, 1, 0}, bits: 50},
	{name: "consts", boost: map[weight]int{wDeclare: 20}, kinds: [5]int{1, 4, 4, 2, 0}, consts: 60, arrays: 15},
	{name: "order", boost: map[weight]int{wCall: 14, wCompound: 14, wAssign: 14}, kinds: [5]int{2, 5, 5, 0, 0}, calls: 50, arrays: 20},
	{name: "wild", boost: map[weight]int{wShare: 6, wAtomic: 5, wSwitch: 8, wLoop: 6, wCall: 8, wGuard: 6}, kinds: [5]int{2, 4, 4, 3, 1}, matrices: 12, calls: 20, arrays: 20, shared: 40, bits: 15, consts: 15},
}

// textured is how many programs of a profile, with and without Robust, there are for one with
// textures.
const textured = 6

// source is something that expressions can read and statements can write.
type source struct {
	expr  *Expr // a template, cloned at each use
	t     *Type
	write bool
}

type generator struct {
	r        *rand.Rand
	p        *Program
	profile  *profile
	weights  [weights]int
	names    int
	budget   int // statements left
	structs  []*Type
	sources  []source
	atomics  []source // arrays of atomics that all invocations may change
	globals  int      // sources that are visible everywhere
	funcs    []*Func
	out      *Var
	outs     int // cells of out per invocation
	lane     *Var
	lanes    int // invocations of the dispatch
	group    int // invocations of a workgroup
	size     [3]int
	width    *Var // the override that gives the workgroup's size along x, or nil
	shares   []*Var
	owns     []*Var   // storage arrays with an element for each invocation
	cells    []*Var   // the same, of atomics
	uniforms []*Expr  // scalars that are the same in all invocations of a workgroup
	textures []handle // those in scope
	swaps    []*Func  // functions with barriers, of a value and local_invocation_index
	effects  map[*Func]*effects

	f *Func
	// The statement being made lies in so many loops, and in a switch within the innermost.
	loops, switches int
	continuing      bool // in a continuing block, outside of loops in it
	noReturn        bool
	depth           int  // of the function's body; statements in it have less
	uniform         bool // the statement list is executed by all invocations alike
	localIndex      *Var
	pure            int     // calls are not allowed
	many            bool    // the entry point has a function called many times
	large           bool    // a program of the family "workgroups"
	before          []*Stmt // declarations that the expression being made needs
}

// Generate makes the program of a seed: well-defined, except that programs with Robust set need
// accesses outside of arrays to be clamped, and stores there to be dropped.
func Generate(seed uint64) *Program { return generate(seed, false) }

func generate(seed uint64, large bool) *Program {
	for attempt := uint64(0); ; attempt++ {
		if p := generateOnce(seed, attempt, large); p != nil {
			return p
		}
	}
}

func generateOnce(seed, attempt uint64, large bool) *Program {
	g := &generator{large: large, r: rand.New(rand.NewPCG(seed, attempt^0x9e3779b97f4a7c15)), effects: map[*Func]*effects{}}
	g.profile = &profiles[seed%uint64(len(profiles))]
	g.p = &Program{Seed: seed, Profile: g.profile.name, Name: fmt.Sprintf("%s-%d", g.profile.name, seed)}
	g.p.Robust = seed/uint64(len(profiles))%2 == 1
	g.weights = baseWeights
	for w, n := range g.profile.boost {
		g.weights[w] = n
	}
	if large {
		g.grow()
	}
	g.program()
	if !repair(g.p, g.r) {
		return nil
	}
	return g.p
}

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) style() uint8 { return uint8(g.r.Uint32()) }

// pick chooses an index by weights.
func (g *generator) pick(weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	if total == 0 {
		return g.r.IntN(len(weights))
	}
	k := g.r.IntN(total)
	for i, w := range weights {
		if k < w {
			return i
		}
		k -= w
	}
	return 0
}

// program makes types, variables, functions and entry points.
func (g *generator) program() {
	p := g.p
	g.p.Half = g.profile.kinds[4] > 0
	if g.large {
		g.largeShape()
	} else {
		g.smallShape()
	}
	g.makeTypes()
	g.makeConstants()
	g.makeSizes()
	g.makeBuffers()
	if p.Seed/uint64(2*len(profiles))%textured == textured-1 && !g.large {
		g.makeTextures()
	}
	g.makeVariables()
	g.globals = len(g.sources)
	functions := g.r.IntN(3) + g.profile.calls/15
	if g.large {
		functions = min(functions, 2)
	}
	for range functions {
		g.makeFunction()
	}
	if len(g.shares) > 0 && g.chance(50) {
		g.makeSwap()
	}
	p.Subgroups = g.profile.shared > 0 && g.chance(15)
	if g.large {
		if p.Subgroups = g.profile.shared > 0 && g.chance(35); p.Subgroups {
			p.Lanes = logical
		}
	}
	entries := 1
	if g.chance(20) {
		entries = 2
	}
	for range entries {
		g.makeEntry()
	}
	last := p.Funcs[len(p.Funcs)-entries:]
	p.Entry = last[g.r.IntN(len(last))]
	g.hideNames()
}

// smallShape chooses the size of workgroups, how many there are, and how many statements.
func (g *generator) smallShape() {
	sizes := [][3]int{{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {8, 1, 1}, {16, 1, 1}, {2, 2, 1}, {2, 2, 2}, {4, 2, 1}, {3, 1, 1}, {5, 1, 1}, {32, 1, 1}, {1, 8, 1}, {64, 1, 1}, {33, 1, 1}, {7, 3, 1}, {3, 2, 2}}
	size := sizes[g.r.IntN(len(sizes))]
	if g.profile.shared < 50 && g.chance(30) {
		size = sizes[0]
	}
	groups := [][3]int{{1, 1, 1}, {1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {3, 1, 1}, {2, 1, 2}}
	d := groups[g.r.IntN(len(groups))]
	g.p.Dispatch = d
	g.group = size[0] * size[1] * size[2]
	g.lanes = g.group * d[0] * d[1] * d[2]
	g.budget = 6 + g.r.IntN(20)
	switch g.r.IntN(4) {
	case 0:
		g.budget += g.r.IntN(90)
	case 1:
		g.budget = 3 + g.r.IntN(6)
	}
	g.size = size
}

func (g *generator) scalar() *Type {
	for {
		if t := scalarTypes[g.pick(g.profile.kinds[:])]; t != f16Type || g.p.Half {
			return t
		}
	}
}

func (g *generator) integer() *Type {
	if g.chance(50) {
		return i32Type
	}
	return u32Type
}

// valueType is a type of values of limited size.
func (g *generator) valueType(depth int) *Type {
	k := g.r.IntN(100)
	switch {
	case k < g.profile.matrices && g.profile.kinds[3]+g.profile.kinds[4] > 0:
		s := f32Type
		if g.p.Half && g.chance(40) {
			s = f16Type
		}
		return matrixOf(s, 2+g.r.IntN(3), 2+g.r.IntN(3))
	case k >= 85 && depth > 0 || k >= 100-g.profile.arrays && depth > 0:
		if len(g.structs) > 0 && g.chance(50) {
			return g.structs[g.r.IntN(len(g.structs))]
		}
		return arrayOf(g.valueType(depth-1), 1+g.r.IntN(7))
	case k >= 55:
		return vectorOf(g.scalar(), 2+g.r.IntN(3))
	}
	return g.scalar()
}

// shareable is a value type for buffers.
func (g *generator) shareable(depth int) *Type {
	for {
		if t := g.valueType(depth); t.isShareable() && t.leaves() <= 60 {
			return t
		}
	}
}

func (g *generator) makeTypes() {
	for range g.r.IntN(3) {
		t := &Type{Kind: Struct, Name: g.name("S")}
		shareable := g.chance(70)
		for range 1 + g.r.IntN(4) {
			m := Member{Name: g.name("m")}
			if shareable {
				m.Type = g.shareable(1)
			} else {
				m.Type = g.valueType(1)
			}
			if shareable && g.chance(15) {
				m.Align = m.Type.alignOf() << g.r.IntN(3)
			}
			if shareable && g.chance(15) {
				m.Size = m.Type.sizeOf() + 4*g.r.IntN(5)
			}
			t.Members = append(t.Members, m)
		}
		if t.leaves() <= 60 {
			g.structs = append(g.structs, t)
			g.p.Structs = append(g.p.Structs, t)
		}
	}
	for range g.r.IntN(3) {
		t := vectorOf(g.scalar(), 2+g.r.IntN(3))
		fresh := true
		for _, a := range g.p.Aliases {
			fresh = fresh && a.Type != t
		}
		if fresh {
			g.p.Aliases = append(g.p.Aliases, Alias{g.name("A"), t})
		}
	}
}

func (g *generator) makeConstants() {
	for range g.r.IntN(3) + g.profile.consts/15 {
		v := &Var{Name: g.name("C"), Kind: ConstVar}
		switch {
		case g.chance(g.profile.consts) && g.chance(60):
			n := 2 + g.r.IntN(12)
			if g.chance(10) {
				n = 60 + g.r.IntN(300)
			}
			if g.chance(2) {
				n = 1000 + g.r.IntN(4000)
			}
			v.Type = arrayOf(g.scalar(), n)
		case g.chance(25):
			v.Type = wideType
		default:
			v.Type = g.valueType(1)
		}
		if v.Type.leaves() > 400 && !v.Type.Elem.isScalar() {
			continue
		}
		g.pure++
		if v.Type == wideType {
			v.Init = g.wideExpr(3)
		} else {
			v.Init = g.constant(v.Type, 2)
		}
		g.pure--
		v.Untyped = g.chance(40)
		g.p.Globals = append(g.p.Globals, v)
		g.addSource(&Expr{Op: OpVar, Var: v, Type: v.Type}, false)
	}
	for i := range g.r.IntN(2) + g.r.IntN(1+g.profile.consts/20+1) {
		v := &Var{Name: g.name("O"), Kind: OverrideVar, Type: g.scalar(), ID: -1}
		if v.Type == f16Type {
			v.Type = f32Type
		}
		if g.chance(50) {
			v.ID = 3 + 7*i
		}
		if v.Set = g.chance(50); v.Set {
			v.Value = g.literal(v.Type).Bits
		}
		if !v.Set || g.chance(50) {
			v.Init = g.constant(v.Type, 2)
		}
		v.Untyped = v.Init != nil && g.chance(30)
		g.p.Globals = append(g.p.Globals, v)
		g.addSource(&Expr{Op: OpVar, Var: v, Type: v.Type}, false)
	}
}

func (g *generator) addSource(e *Expr, write bool) {
	g.sources = append(g.sources, source{e, e.Type, write})
}

// constant makes a const-expression.
func (g *generator) constant(t *Type, depth int) *Expr {
	was := g.sources
	g.sources = nil
	for _, s := range was {
		if stageOf(s.expr) != runStage {
			g.sources = append(g.sources, s)
		}
	}
	onlyConst := g.sources[:0:0]
	for _, s := range g.sources {
		if stageOf(s.expr) == constStage {
			onlyConst = append(onlyConst, s)
		}
	}
	g.sources = onlyConst
	g.pure++
	e := g.expr(t, depth)
	g.pure--
	g.sources = was
	return e
}

func (g *generator) varExpr(v *Var) *Expr {
	return &Expr{Op: OpVar, Var: v, Type: v.Type, Style: g.style()}
}

func index(base, i *Expr) *Expr {
	return &Expr{Op: OpIndex, Type: base.Type.Elem, Args: []*Expr{base, i}}
}

func literalOf(t *Type, bits uint32) *Expr { return &Expr{Op: OpLiteral, Type: t, Bits: bits} }
