package difftest

// Statements, with the order in which they evaluate, against values worked out by hand.

import "testing"

// flowProgram runs body and then stores x and p. The body can use the function's variable x, and a
// function "bump" that adds ten to the private variable p and returns its old value.
func flowProgram(body func(x, p *Expr, bump func() *Expr) []*Stmt) *Program {
	x := &Var{Name: "x", Kind: MemoryVar, Type: u32Type}
	p := &Var{Name: "p", Kind: MemoryVar, Space: PrivateSpace, Type: u32Type, Init: literalOf(u32Type, 1)}
	of := func(v *Var) *Expr { return &Expr{Op: OpVar, Var: v, Type: v.Type} }
	old := &Var{Name: "old", Kind: LetVar, Type: u32Type, Init: of(p)}
	bump := &Func{Name: "bump", Result: u32Type, Body: []*Stmt{
		{Kind: StmtDeclare, Var: old},
		{Kind: StmtAssign, Name: "+", Target: of(p), Value: literalOf(u32Type, 10)},
		{Kind: StmtReturn, Value: of(old)},
	}}
	q := program([]uint32{0}, func(func(*Type, int) *Expr) []*Expr { return []*Expr{of(x), of(p)} })
	q.Globals = append(q.Globals, p)
	main := q.Entry
	list := append([]*Stmt{{Kind: StmtDeclare, Var: x}}, body(of(x), of(p), func() *Expr {
		return &Expr{Op: OpCall, Func: bump, Type: u32Type}
	})...)
	main.Body = append(list, main.Body...)
	q.Funcs = []*Func{bump, main}
	return q
}

func TestFlow(t *testing.T) {
	u := func(v uint32) *Expr { return literalOf(u32Type, v) }
	binary := func(op string, x, y *Expr) *Expr {
		e := &Expr{Op: OpBinary, Name: op, Type: u32Type, Args: []*Expr{x, y}}
		if isComparison(op) || op == "&&" || op == "||" {
			e.Type = boolType
		}
		return e
	}
	assign := func(reference *Expr, op string, value *Expr) *Stmt {
		return &Stmt{Kind: StmtAssign, Name: op, Target: reference, Value: value}
	}
	when := func(cond *Expr, then ...*Stmt) *Stmt { return &Stmt{Kind: StmtIf, Value: cond, Body: then} }
	clause := func(at bool, body []*Stmt, selectors ...uint32) *SwitchCase {
		c := &SwitchCase{Default: at, Body: body}
		for _, s := range selectors {
			c.Selectors = append(c.Selectors, u(s))
		}
		return c
	}
	type variables = func(x, p *Expr, bump func() *Expr) []*Stmt
	for name, k := range map[string]struct {
		x, p uint32
		body variables
	}{
		// The left operand is loaded before the right one's call changes it.
		"operands": {1*100 + 1, 11, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{assign(x, "", binary("+", binary("*", p, u(100)), bump()))}
		}},
		"operands reversed": {1 + 11*100, 11, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{assign(x, "", binary("+", bump(), binary("*", p, u(100))))}
		}},
		// e1 += e2 loads e1 first, so that what the call adds is lost.
		"compound": {0, 2, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{assign(p, "+", bump())}
		}},
		"short circuit": {0, 1, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{when(binary("&&", binary("==", p, u(9)), binary("==", bump(), u(1))), assign(x, "", u(5)))}
		}},
		"no short circuit": {5, 11, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{when(binary("||", binary("==", p, u(9)), binary("==", bump(), u(1))), assign(x, "", u(5)))}
		}},
		// x counts 1 and 2 in the body, 4 is added by each of three continuing blocks.
		"continuing": {3*4 + 1 + 2, 4, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{{
				Kind: StmtLoop,
				Body: []*Stmt{
					when(binary("==", p, u(3)), &Stmt{Kind: StmtContinue}),
					assign(x, "+", p),
				},
				Else:  []*Stmt{assign(x, "+", u(4)), {Kind: StmtStep, Name: "++", Target: p}},
				Value: binary("==", p, u(4)),
			}}
		}},
		"break passes the continuing block": {1, 2, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{{
				Kind: StmtLoop,
				Body: []*Stmt{when(binary("==", p, u(2)), &Stmt{Kind: StmtBreak}), assign(x, "+", p)},
				Else: []*Stmt{{Kind: StmtStep, Name: "++", Target: p}},
			}}
		}},
		// p is 1, 2, 3: the clauses add 10, nothing, and 100 without what follows the break.
		"switch": {110, 4, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{{
				Kind: StmtWhile, Value: binary("<", p, u(4)),
				Body: []*Stmt{
					{Kind: StmtSwitch, Value: p, Cases: []*SwitchCase{
						clause(false, []*Stmt{assign(x, "+", u(10))}, 1, 7),
						clause(true, []*Stmt{assign(x, "+", u(100)), when(binary("==", p, u(3)), &Stmt{Kind: StmtBreak}), assign(x, "+", u(1000))}),
						clause(false, nil, 2),
					}},
					{Kind: StmtStep, Name: "++", Target: p},
				},
			}}
		}},
		"continue in a switch": {20, 3, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{{
				Kind: StmtFor, Value: binary("<", p, u(3)), Update: &Stmt{Kind: StmtStep, Name: "++", Target: p},
				Body: []*Stmt{
					{Kind: StmtSwitch, Value: p, Cases: []*SwitchCase{
						clause(false, []*Stmt{{Kind: StmtContinue}}, 1),
						clause(true, nil),
					}},
					assign(x, "+", binary("*", p, u(10))),
				},
			}}
		}},
		// The counter leaves the loop before its third iteration.
		"fuel": {2, 1, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{{Kind: StmtWhile, Value: binary("==", p, u(1)), Fuel: 2, Body: []*Stmt{{Kind: StmtStep, Name: "++", Target: x}}}}
		}},
		"return": {0, 0, func(x, p *Expr, bump func() *Expr) []*Stmt {
			return []*Stmt{when(binary("==", p, u(1)), &Stmt{Kind: StmtReturn}), assign(x, "", u(3))}
		}},
		// Components y and x become 7 and 8.
		"swizzle": {7*10 + 8, 1, func(x, p *Expr, bump func() *Expr) []*Stmt {
			vec := vectorOf(u32Type, 2)
			v := &Var{Name: "v", Kind: MemoryVar, Type: vec}
			of := &Expr{Op: OpVar, Var: v, Type: vec}
			return []*Stmt{
				{Kind: StmtDeclare, Var: v},
				assign(&Expr{Op: OpSwizzle, Name: "yx", Type: vec, Args: []*Expr{of}}, "", &Expr{Op: OpConstruct, Type: vec, Args: []*Expr{u(7), u(8)}}),
				assign(x, "", binary("+", binary("*", index(of, u(1)), u(10)), index(of, u(0)))),
			}
		}},
	} {
		got := words(t, flowProgram(k.body))
		if got[0] != k.x || got[1] != k.p {
			t.Errorf("%s: expected x %d and p %d, found %d and %d", name, k.x, k.p, got[0], got[1])
		}
	}
}

// TestRobust asserts what accesses outside of arrays do in programs that rely on robust access.
func TestRobust(t *testing.T) {
	build := func(robust bool) *Program {
		a := &Var{Name: "a", Kind: MemoryVar, Space: PrivateSpace, Type: arrayOf(u32Type, 3)}
		q := program([]uint32{5}, func(load func(*Type, int) *Expr) []*Expr {
			return []*Expr{index(&Expr{Op: OpVar, Var: a, Type: a.Type}, load(u32Type, 0))}
		})
		q.Globals = append(q.Globals, a)
		at := func(i *Expr) *Expr { return index(&Expr{Op: OpVar, Var: a, Type: a.Type}, i) }
		input := &Expr{Op: OpVar, Var: q.Globals[0], Type: q.Globals[0].Type}
		store := func(i *Expr, v uint32) *Stmt {
			return &Stmt{Kind: StmtAssign, Target: at(i), Value: literalOf(u32Type, v)}
		}
		q.Entry.Body = append([]*Stmt{store(literalOf(u32Type, 2), 7), store(index(input, literalOf(u32Type, 0)), 9)}, q.Entry.Body...)
		q.Robust = robust
		return q
	}
	if got := words(t, build(true))[0]; got != 7 {
		t.Errorf("expected the last element, which the store outside left alone, found %d", got)
	}
	if _, err := build(false).Case(); err == nil {
		t.Error("expected a fault of an access outside")
	}
}

// TestHiddenFactors asserts that a program whose zeros hide factors beyond the largest f16 is one
// that relies on the order of products.
func TestHiddenFactors(t *testing.T) {
	for _, c := range []struct {
		start   uint32
		factors int
		hides   bool
	}{{0, 3, false}, {0, 4, true}, {1, 1, false}} {
		q := program([]uint32{c.start}, func(load func(*Type, int) *Expr) []*Expr {
			e := &Expr{Op: OpConstruct, Type: f16Type, Args: []*Expr{load(u32Type, 0)}}
			for range c.factors {
				e = &Expr{Op: OpBinary, Name: "*", Type: f16Type, Args: []*Expr{e, literalOf(f16Type, word(31))}}
			}
			return []*Expr{e}
		})
		q.Half = true
		k, err := q.Case()
		if err != nil {
			t.Fatal(err)
		}
		if k.Rounds != c.hides {
			t.Errorf("%d times 31 from %d: expected %v", c.factors, c.start, c.hides)
		}
	}
}
