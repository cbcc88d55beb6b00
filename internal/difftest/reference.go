package difftest

// References to memory: the address of a part of a variable, and loads from it.

import "fmt"

// address is an offset in memory. unit is the offset of the vector that it is a component of.
type address struct {
	off, unit int
	ok        bool // inside of its variable
	loose     bool // outside of a vector or matrix, where a store may be clamped or dropped
}

// reference is code that computes the address of something in memory.
type reference struct {
	t     *Type
	space Space
	at    func(*thread) address
	units int // leaves of the vector that it is a component of, or 0
}

// isPlace says whether an expression is a reference to memory.
func isReference(e *Expr) bool {
	switch e.Op {
	case OpVar:
		return e.Var.Kind == MemoryVar
	case OpDeref:
		return true
	case OpMember, OpIndex:
		return isReference(e.Args[0])
	case OpSwizzle:
		return len(e.Name) == 1 && isReference(e.Args[0])
	}
	return false
}

// componentIndex is the component that a letter of a swizzle names.
func componentIndex(letter byte) int {
	switch letter {
	case 'x', 'r':
		return 0
	case 'y', 'g':
		return 1
	case 'z', 'b':
		return 2
	}
	return 3
}

// reference compiles a reference.
func (c *compiler) reference(e *Expr) reference {
	switch e.Op {
	case OpVar:
		return c.variableReference(e.Var)
	case OpDeref:
		pointer := e.Args[0]
		if pointer.Op == OpAddress {
			return c.reference(pointer.Args[0])
		}
		x := c.expr(pointer)
		return reference{t: e.Type, space: pointer.Type.Space, at: func(t *thread) address {
			at := int(x.one(t))
			return address{off: at, unit: at, ok: true}
		}}
	case OpMember:
		p := c.reference(e.Args[0])
		k := e.Args[0].Type.leafAt(e.Index)
		at := p.at
		return reference{t: e.Type, space: p.space, at: func(t *thread) address {
			a := at(t)
			a.off += k
			a.unit = a.off
			return a
		}}
	case OpSwizzle:
		p := c.reference(e.Args[0])
		k := componentIndex(e.Name[0])
		at := p.at
		return reference{t: e.Type, space: p.space, units: p.t.Count, at: func(t *thread) address {
			a := at(t)
			a.unit = a.off
			a.off += k
			return a
		}}
	case OpIndex:
		return c.indexReference(e)
	}
	panic("expected a reference")
}

func (c *compiler) variableReference(v *Var) reference {
	slot := v.slot
	if v.Space == FunctionSpace {
		return reference{t: v.Type, space: v.Space, at: func(t *thread) address {
			return address{off: t.base + slot, unit: t.base + slot, ok: true}
		}}
	}
	a := address{off: slot, unit: slot, ok: true}
	return reference{t: v.Type, space: v.Space, at: func(*thread) address { return a }}
}

func (c *compiler) indexReference(e *Expr) reference {
	p := c.reference(e.Args[0])
	count := p.t.Count
	stride := p.t.Elem.leaves()
	c.checkIndex(e, count)
	index := c.expr(e.Args[1])
	units := 0
	if p.t.Kind == Vector {
		units = count
	}
	robust := c.p.Robust
	at := p.at
	component, array := p.t.Kind == Vector, p.t.Kind == Array
	return reference{t: e.Type, space: p.space, units: units, at: func(t *thread) address {
		a := at(t)
		i, n := index.one(t), count
		if n == 0 {
			if n = t.m.elements(a.off, stride); t.m.reach != nil {
				t.m.reach[e] = max(t.m.reach[e], i)
			}
		}
		if i >= uint32(n) {
			if !robust {
				t.m.fault(FaultBounds, e, nil, fmt.Sprintf("index %d of %d", int32(i), n))
			}
			t.m.outside = true
			i = uint32(n - 1)
			a.ok = false
			a.loose = a.loose || !array
		}
		a.unit = a.off
		a.off += int(i) * stride
		if !component {
			a.unit = a.off
		}
		return a
	}}
}

// checkIndex notes a constant index outside of its range, an error in any case.
func (c *compiler) checkIndex(e *Expr, count int) {
	if index := e.Args[1]; stageOf(index) != runStage {
		i := c.known(index)[0]
		if count != 0 && i >= uint32(count) || index.Type.Kind == I32 && int32(i) < 0 {
			c.m.fault(FaultConst, e, nil, "constant index out of range")
		}
	}
}

// load reads through a reference.
func (c *compiler) load(p reference, e *Expr) code {
	n, at, space := p.t.leaves(), p.at, p.space
	which := shadowOf(space)
	if which >= 0 {
		if n == 1 {
			return oneCode(func(t *thread) uint32 {
				a := at(t)
				t.touch(which, a.off, 1, false, e)
				return t.mem(space)[a.off]
			})
		}
		return manyCode(n, func(t *thread, out []uint32) {
			a := at(t)
			t.touch(which, a.off, n, false, e)
			copy(out, t.mem(space)[a.off:a.off+n])
		})
	}
	if n == 1 {
		return oneCode(func(t *thread) uint32 { return t.mem(space)[at(t).off] })
	}
	return manyCode(n, func(t *thread, out []uint32) {
		a := at(t)
		copy(out, t.mem(space)[a.off:a.off+n])
	})
}

// part compiles access to a part of a value.
func (c *compiler) part(e *Expr) code {
	base := e.Args[0]
	x := c.expr(base)
	n := e.Type.leaves()
	// get returns the base's leaves.
	var get func(*thread) []uint32
	switch {
	case x.fixed != nil:
		get = func(*thread) []uint32 { return x.fixed }
	case x.slot >= 0:
		get = func(t *thread) []uint32 { return t.stack[t.base+x.slot:] }
	default:
		at := c.temp(x.n)
		get = func(t *thread) []uint32 {
			out := t.frameOf(at, x.n)
			x.into(t, out)
			return out
		}
	}
	temp := c.temp(1)
	switch e.Op {
	case OpMember:
		k := base.Type.leafAt(e.Index)
		if x.slot >= 0 {
			return slotCode(x.slot+k, n)
		}
		return maker(n, temp, func(t *thread, out []uint32) { copy(out, get(t)[k:k+n]) })
	case OpSwizzle:
		letters := make([]int, len(e.Name))
		for i := range letters {
			letters[i] = componentIndex(e.Name[i])
		}
		return maker(n, temp, func(t *thread, out []uint32) {
			v := get(t)
			for i, k := range letters {
				out[i] = v[k]
			}
		})
	}
	c.checkIndex(e, base.Type.Count)
	index := c.expr(e.Args[1])
	count, robust := uint32(base.Type.Count), c.p.Robust
	return maker(n, temp, func(t *thread, out []uint32) {
		v := get(t)
		i := index.one(t)
		if i >= count {
			if !robust {
				t.m.fault(FaultBounds, e, nil, fmt.Sprintf("index %d of %d", int32(i), count))
			}
			t.m.outside = true
			i = count - 1
		}
		copy(out, v[int(i)*n:])
	})
}
