package exectest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// This file draws the programs of faults.go: accesses with indices that the
// compiler knows, knows something of or does not know, behind the conditions that
// guard them, or others.

// faultGenerator draws a program.
type faultGenerator struct {
	random    *rand.Rand
	inputs    [faultInputs]uint32
	accesses  int // how many may still be made
	names     int
	counters  []string
	functions []*faultFunction
}

func (g *faultGenerator) chance(n int) bool { return g.random.IntN(n) == 0 }

func (g *faultGenerator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// index draws an index, and the expressions that read it without effects: a guard
// names it again.
func (g *faultGenerator) index() (make func() faultExpression, before []faultStatement) {
	k := g.random.IntN(faultInputs)
	input := &faultInput{k}
	switch g.random.IntN(8) {
	case 0: // known to the compiler
		n := &faultLet{g.name("c"), &faultNumber{uint32(g.random.IntN(9)), false}}
		return func() faultExpression { return &faultVariableUse{n.name, false} }, []faultStatement{n}
	case 1:
		n := &faultLet{g.name("c"), &faultNumber{uint32(g.random.IntN(9)) - 2, true}}
		return func() faultExpression { return &faultVariableUse{n.name, true} }, []faultStatement{n}
	case 2: // signed
		minus := uint32(g.random.IntN(3))
		return func() faultExpression {
			return &faultOperation{"(i32(", "", fmt.Sprintf(") - %d)", minus), []faultExpression{input}, func(x []uint32) uint32 { return x[0] - minus }, true}
		}, nil
	case 3: // surely below 4
		return func() faultExpression {
			return &faultOperation{"(", "", " & 3u)", []faultExpression{input}, func(x []uint32) uint32 { return x[0] & 3 }, false}
		}, nil
	case 4:
		if len(g.counters) > 0 {
			counter := g.counters[g.random.IntN(len(g.counters))]
			plus := uint32(g.random.IntN(5))
			return func() faultExpression {
				return &faultOperation{"(", "", fmt.Sprintf(" + %du)", plus), []faultExpression{&faultVariableUse{counter, false}},
					func(x []uint32) uint32 { return x[0] + plus }, false}
			}, nil
		}
	case 5: // another access
		if g.accesses > 0 {
			g.accesses--
			n := &faultLet{g.name("x"), &faultAccess{v: &faultVariables[5], indices: []faultExpression{input}}}
			return func() faultExpression { return &faultVariableUse{n.name, false} }, []faultStatement{n}
		}
	}
	return func() faultExpression { return input }, nil
}

// below compares an index with a bound: as it should be, or off by one.
func (g *faultGenerator) below(index func() faultExpression, bound uint32) faultExpression {
	if g.chance(6) {
		bound++
	}
	if index().signed() {
		low := &faultOperation{"(", "", " >= 0)", []faultExpression{index()}, func(x []uint32) uint32 { return truth(int32(x[0]) >= 0) }, false}
		high := &faultOperation{"(", "", fmt.Sprintf(" < %d)", bound), []faultExpression{index()}, func(x []uint32) uint32 { return truth(int32(x[0]) < int32(bound)) }, false}
		return &faultLogic{false, low, high}
	}
	if g.chance(2) {
		over := &faultOperation{"(", "", fmt.Sprintf(" >= %du)", bound), []faultExpression{index()}, func(x []uint32) uint32 { return truth(x[0] >= bound) }, false}
		return not(over)
	}
	return &faultOperation{"(", "", fmt.Sprintf(" < %du)", bound), []faultExpression{index()}, func(x []uint32) uint32 { return truth(x[0] < bound) }, false}
}

func not(x faultExpression) faultExpression {
	return &faultOperation{"(!", "", ")", []faultExpression{x}, func(x []uint32) uint32 { return 1 - x[0] }, false}
}

// condition draws one that has nothing to do with an index.
func (g *faultGenerator) condition() faultExpression {
	bound := uint32(g.random.IntN(8))
	return &faultOperation{"(", "", fmt.Sprintf(" < %du)", bound), []faultExpression{&faultInput{g.random.IntN(faultInputs)}},
		func(x []uint32) uint32 { return truth(x[0] < bound) }, false}
}

// access draws an access, the condition that guards it, and what stands before
// both.
func (g *faultGenerator) access(v *faultVariable) (a *faultAccess, guard faultExpression, before []faultStatement) {
	a = &faultAccess{v: v}
	for n := range v.dims {
		index, first := g.index()
		before = append(before, first...)
		a.indices = append(a.indices, index())
		condition := g.below(index, v.dims[n])
		if guard == nil {
			guard = condition
		} else {
			guard = &faultLogic{false, guard, condition}
		}
	}
	if g.chance(5) {
		guard = g.condition()
	}
	return a, guard, before
}

func (g *faultGenerator) statements(depth int) []faultStatement {
	var list []faultStatement
	for n := 1 + g.random.IntN(3); n > 0 || depth == 0 && g.accesses > 0; n-- {
		if g.accesses <= 0 {
			break
		}
		g.accesses--
		list = append(list, g.statement(depth)...)
	}
	return list
}

// statement draws an access and what guards it, or a control statement.
func (g *faultGenerator) statement(depth int) []faultStatement {
	if depth < 3 && g.chance(4) {
		return g.control(g.condition(), func() []faultStatement { return g.statements(depth + 1) })
	}
	if g.chance(6) {
		return g.called()
	}
	v := &faultVariables[g.random.IntN(len(faultVariables))]
	a, guard, before := g.access(v)
	if depth == 0 && v.workgroup && g.chance(2) {
		// uniform: an input or what is computed of it
		if _, unlike := a.indices[0].(*faultVariableUse); !unlike {
			a.uniform = true
			return append(before, &faultSum{a})
		}
	}
	if v.written && g.chance(3) {
		how := accessStore
		if g.chance(3) {
			how = accessAdd
		}
		s := []faultStatement{&faultAssign{a, how, &faultNumber{3, false}}}
		return append(before, g.control(guard, func() []faultStatement { return s })...)
	}
	// components have no addresses
	if v.written && v.kind == inMemory && v.member == "" && g.chance(4) {
		p := &faultPointer{name: g.name("p"), to: a, cond: guard, store: g.chance(2)}
		if g.chance(2) {
			p.cond = g.condition()
		}
		return append(before, p)
	}
	positive := &faultOperation{"(", "", " > 2u)", []faultExpression{a}, func(x []uint32) uint32 { return truth(x[0] > 2) }, false}
	one := []faultStatement{&faultSum{&faultNumber{1, false}}}
	switch g.random.IntN(9) {
	case 0:
		return append(before, &faultIf{&faultLogic{false, guard, positive}, one, nil})
	case 1:
		return append(before, &faultIf{&faultLogic{true, not(guard), positive}, nil, one})
	case 2:
		value := faultExpression(a)
		switch g.random.IntN(3) {
		case 0: // it is computed with in between
			value = &faultOperation{"(", "", " * 3u + 1u)", []faultExpression{a}, func(x []uint32) uint32 { return 3*x[0] + 1 }, false}
		case 1: // and chosen twice
			value = &faultSelect{a, g.condition()}
		}
		return append(before, &faultSum{&faultSelect{value, guard}})
	case 3: // nobody wants it
		return append(before, g.control(guard, func() []faultStatement { return []faultStatement{&faultLet{g.name("u"), a}} })...)
	case 4: // unguarded
		if g.chance(3) {
			return append(before, &faultSum{a})
		}
	case 5:
		return append(before, &faultLoop{loopWhile, g.counter(), &faultNumber{2, false}, &faultLogic{false, guard, positive}, one})
	}
	return append(before, g.control(guard, func() []faultStatement { return []faultStatement{&faultSum{a}} })...)
}

func (g *faultGenerator) counter() string { return g.name("n") }

// control draws a control statement whose body runs if the condition holds.
func (g *faultGenerator) control(cond faultExpression, body func() []faultStatement) []faultStatement {
	switch form := g.random.IntN(8); form {
	case 0, 1:
		return []faultStatement{&faultIf{cond, body(), nil}}
	case 2:
		return []faultStatement{&faultIf{not(cond), nil, body()}}
	case 3: // the selector is the condition
		selector := &faultOperation{"select(4u, 1u, ", "", ")", []faultExpression{cond}, func(x []uint32) uint32 { return 4 - 3*x[0] }, false}
		if g.chance(2) {
			return []faultStatement{&faultSwitch{selector, []uint32{1, 9}, body(), nil}}
		}
		return []faultStatement{&faultSwitch{selector, []uint32{4}, nil, body()}}
	default:
		l := &faultLoop{form: form - 4, counter: g.counter(), limit: &faultInput{g.random.IntN(faultInputs)}, cond: cond}
		g.counters = append(g.counters, l.counter)
		l.body = body()
		g.counters = g.counters[:len(g.counters)-1]
		return []faultStatement{l}
	}
}

// called draws a function, which guards its access by an early return, and a call.
func (g *faultGenerator) called() []faultStatement {
	modules := []string{"rt", "st", "pr", "wg", "ct", "fa"}
	name := modules[g.random.IntN(len(modules))]
	v := &faultVariables[slices.IndexFunc(faultVariables, func(v faultVariable) bool { return v.name == name })]
	f := &faultFunction{name: g.name("f"), store: v.written && g.chance(3)}
	pointers := map[string]string{"rt": "ptr<storage, %s, read_write>", "st": "ptr<storage, %s, read_write>", "pr": "ptr<private, %s>",
		"wg": "ptr<workgroup, %s>", "fa": "ptr<function, %s>"}
	arrays := map[string]string{"rt": "array<u32>", "st": "array<u32, 5>", "pr": "array<u32, 4>", "wg": "array<u32, 7>", "fa": "array<u32, 5>"}
	k := func() faultExpression { return &faultVariableUse{"k", false} }
	f.access = &faultAccess{v: v, indices: []faultExpression{k()}}
	f.cond = g.below(k, v.dims[0])
	index, before := g.index()
	call := &faultCall{f: f, argument: &faultInput{g.random.IntN(faultInputs)}}
	switch {
	case pointers[name] != "" && g.chance(2): // to one element
		f.element = true
		f.pointer = fmt.Sprintf(pointers[name], "u32")
		call.pointer = &faultAccess{v: v, indices: []faultExpression{index()}}
	case name == "fa" || pointers[name] != "" && g.chance(2):
		f.pointer = fmt.Sprintf(pointers[name], arrays[name])
		f.access.prefix = "(*p)"
	}
	if !f.element && !index().signed() {
		call.argument = index()
	}
	g.functions = append(g.functions, f)
	return append(before, &faultSum{call})
}
