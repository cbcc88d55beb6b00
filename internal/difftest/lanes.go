package difftest

// Operations of subgroups whose results depend on which invocations a subgroup has. A subgroup is
// Program.Lanes successive invocations of a workgroup by local_invocation_index; the last one may
// be smaller. That is what subgroups are where gpuc says so (docs/guide/cpu-device.md), and not
// what WGSL promises.
//
// The invocations come to such an operation together, as to a barrier: each stores its operands and
// waits, and reads those of the others afterwards. It may pass operands to the next operation
// before another invocation has read those of this one, but to no later one. So two sets of
// operands suffice.

import (
	"math/bits"
	"strings"
)

// isSubgroup says whether a builtin is an operation of subgroups or of quads.
func isSubgroup(name string) bool {
	return strings.HasPrefix(name, "subgroup") || strings.HasPrefix(name, "quad")
}

// lanesOperation computes an operation's result for one invocation. hand has the operand of each
// participant, me is the invocation's index among them, and at is its second operand.
type lanesOperation func(kind Kind, hand []uint32, me int, at uint32) uint32

// folding makes the operation that puts together what invocations from the first one hand in,
// before the end that is given.
func folding(name string, end func(me, all int) int) lanesOperation {
	start := func(kind Kind) uint32 {
		if name == "*" {
			return 1
		}
		return 0
	}
	return func(kind Kind, hand []uint32, me int, _ uint32) uint32 {
		part := hand[:end(me, len(hand))]
		if len(part) == 0 {
			return start(kind)
		}
		r := part[0]
		for _, v := range part[1:] {
			switch name {
			case "min":
				r = least(kind, r, v)
			case "max":
				r = greatest(kind, r, v)
			default:
				r = intBinary(name, kind, r, v)
			}
		}
		return r
	}
}

func everyone(_, all int) int { return all }
func before(me, _ int) int    { return me }
func through(me, _ int) int   { return me + 1 }

// taking makes the operation that takes what another one handed in: 0 where there is none, which no
// program is to see.
func taking(from func(me int, at uint32) int) lanesOperation {
	return func(_ Kind, hand []uint32, me int, at uint32) uint32 {
		if k := from(me, at); k >= 0 && k < len(hand) {
			return hand[k]
		}
		return 0
	}
}

var lanesOperations = map[string]lanesOperation{
	"subgroupAdd": folding("+", everyone), "subgroupExclusiveAdd": folding("+", before), "subgroupInclusiveAdd": folding("+", through),
	"subgroupMul": folding("*", everyone), "subgroupExclusiveMul": folding("*", before), "subgroupInclusiveMul": folding("*", through),
	"subgroupMin": folding("min", everyone), "subgroupMax": folding("max", everyone), "subgroupAnd": folding("&", everyone),
	"subgroupOr": folding("|", everyone), "subgroupXor": folding("^", everyone), "subgroupAll": folding("&", everyone), "subgroupAny": folding("|", everyone),
	"subgroupBroadcastFirst": taking(func(int, uint32) int { return 0 }),
	"subgroupBroadcast":      taking(func(_ int, at uint32) int { return int(at) }),
	"subgroupShuffle":        taking(func(_ int, at uint32) int { return int(at) }),
	"subgroupShuffleXor":     taking(func(me int, at uint32) int { return me ^ int(at) }),
	"subgroupShuffleUp":      taking(func(me int, at uint32) int { return me - int(at) }),
	"subgroupShuffleDown":    taking(func(me int, at uint32) int { return me + int(at) }),
	"quadBroadcast":          taking(func(me int, at uint32) int { return me&^3 + int(at) }),
	"quadSwapX":              taking(func(me int, _ uint32) int { return me ^ 1 }),
	"quadSwapY":              taking(func(me int, _ uint32) int { return me ^ 2 }),
	"quadSwapDiagonal":       taking(func(me int, _ uint32) int { return me ^ 3 }),
}

// lanes compiles an operation that depends on the size of subgroups.
func (c *compiler) lanes(e *Expr) code {
	c.out.barriers, c.out.lanes = true, true
	size, n := c.p.Lanes, e.Type.leaves()
	var x, at code
	if len(e.Args) > 0 {
		x = c.expr(e.Args[0])
	}
	if len(e.Args) > 1 {
		at = c.expr(e.Args[1])
	}
	// meet stores the operands and waits for the others. It returns the operands of the subgroup,
	// the invocation's index in it, and its second operand, which is evaluated after the first.
	meet := func(t *thread) ([]thread, int, uint32) {
		phase := t.phase
		t.phase ^= 1
		t.handed[phase] = append(t.handed[phase][:0], make([]uint32, x.n)...)
		if x.n > 0 {
			x.into(t, t.handed[phase])
		}
		which := uint32(0)
		if at.n > 0 {
			which = at.one(t)
		}
		t.barrier(e)
		me := int(t.inputs[inputLocalIndex])
		first := me / size * size
		return t.m.threads[first:min(first+size, len(t.m.threads))], me - first, which
	}
	switch e.Name {
	case "subgroupElect":
		return oneCode(func(t *thread) uint32 {
			_, me, _ := meet(t)
			return truth(me == 0)
		})
	case "subgroupBallot":
		return manyCode(n, func(t *thread, out []uint32) {
			phase := t.phase
			all, _, _ := meet(t)
			clear(out)
			for k := range all {
				out[k/32] |= all[k].handed[phase][0] << (k % 32)
			}
		})
	}
	operation := lanesOperations[e.Name]
	if operation == nil {
		panic("unknown builtin " + e.Name)
	}
	kind := e.Type.scalar().Kind
	return maker(n, c.temp(1), func(t *thread, out []uint32) {
		phase := t.phase
		all, me, which := meet(t)
		hand := make([]uint32, len(all))
		for k := range n {
			for i := range all {
				hand[i] = all[i].handed[phase][k]
			}
			out[k] = operation(kind, hand, me, which)
		}
	})
}

// subgroupOperation makes an operation of subgroups of a size that is known.
func (g *generator) subgroupOperation() *Expr {
	numbers := []*Type{u32Type, i32Type, vectorOf(u32Type, 2), vectorOf(i32Type, 3)}
	t := numbers[g.r.IntN(len(numbers))]
	number := func(n int) *Expr { return literalOf(u32Type, uint32(n)) }
	// the least of the workgroup's subgroups has so many invocations
	least := min(g.group, logical)
	if rest := g.group % logical; rest > 0 {
		least = min(least, rest)
	}
	lane := g.binary("&", g.varExpr(g.localIndex), number(logical-1))
	switch g.r.IntN(10) {
	case 0:
		return g.call("subgroupElect", boolType)
	case 1:
		return g.call([]string{"subgroupAll", "subgroupAny"}[g.r.IntN(2)], boolType, g.either())
	case 2:
		return g.call("subgroupBallot", vectorOf(u32Type, 4), g.either())
	case 3:
		return g.call("subgroupBroadcast", t, g.expr(t, 2), number(g.r.IntN(least)))
	case 4:
		return g.call("subgroupShuffle", t, g.expr(t, 2), g.binary("%", g.expr(u32Type, 2), number(least)))
	case 5:
		x := g.expr(t, 2)
		by := 1 << g.r.IntN(bits.Len(uint(least)))
		if by*2 > least || g.group%(2*by) != 0 {
			return g.call("subgroupBroadcastFirst", t, x)
		}
		return g.call("subgroupShuffleXor", t, x, number(by))
	case 6: // from one that is there, and else the operand
		by := number(g.r.IntN(logical))
		old := &Var{Name: g.name("own"), Kind: LetVar, Type: t, Untyped: true, Init: g.expr(t, 2)}
		g.before = append(g.before, &Stmt{Kind: StmtDeclare, Var: old})
		name, there := "subgroupShuffleUp", g.binary(">=", lane, by)
		if g.chance(50) {
			last := number(g.group - 1)
			name, there = "subgroupShuffleDown", g.binary("&&", g.binary("<", g.binary("+", lane, clone(by)), number(logical)),
				g.binary("<=", g.binary("+", g.varExpr(g.localIndex), clone(by)), last))
		}
		return g.call("select", t, g.varExpr(old), g.call(name, t, g.varExpr(old), clone(by)), there)
	case 7:
		if g.group%4 == 0 {
			if g.chance(25) {
				return g.call("quadBroadcast", t, g.expr(t, 2), number(g.r.IntN(4)))
			}
			return g.call([]string{"quadSwapX", "quadSwapY", "quadSwapDiagonal"}[g.r.IntN(3)], t, g.expr(t, 2))
		}
	}
	names := []string{"subgroupAdd", "subgroupExclusiveAdd", "subgroupInclusiveAdd", "subgroupMul", "subgroupExclusiveMul", "subgroupInclusiveMul",
		"subgroupMin", "subgroupMax", "subgroupAnd", "subgroupOr", "subgroupXor"}
	return g.call(names[g.r.IntN(len(names))], t, g.expr(t, 2))
}

// lanesStatements declare what such an operation gives, and mix a part of it into a cell of the
// invocation.
func (g *generator) lanesStatements() []*Stmt {
	e := g.subgroupOperation()
	got := &Var{Name: g.name("got"), Kind: LetVar, Type: e.Type, Untyped: true, Init: e}
	list := append(g.before, &Stmt{Kind: StmtDeclare, Var: got})
	g.before = nil
	g.addSource(g.varExpr(got), false)
	if g.chance(70) {
		s := g.output(1)
		s.Value = g.word(g.descend(g.varExpr(got), e.Type.scalar(), 1))
		list = append(list, s)
	}
	return list
}

// either makes a condition that parts the invocations in one way or another.
func (g *generator) either() *Expr {
	if g.chance(70) {
		return g.live()
	}
	return g.expr(boolType, 2)
}
