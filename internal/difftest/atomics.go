package difftest

// Atomic operations, barriers and subgroup operations whose results hold for any subgroup size.

// effect compiles a builtin without a value.
func (c *compiler) effect(e *Expr) exec {
	switch e.Name {
	case "workgroupBarrier", "storageBarrier":
		c.out.barriers = true
		return func(t *thread) flow {
			t.barrier(e)
			return next
		}
	case "textureStore":
		x := c.texture(e)
		return func(t *thread) flow { x.many(t, nil); return next }
	case "atomicStore":
		x := c.atomic(e, false)
		return func(t *thread) flow { x.one(t); return next }
	}
	panic("unknown builtin " + e.Name)
}

func (t *thread) barrier(e *Expr) {
	if !t.wait(e) {
		panic(stop{})
	}
}

// uniformLoad compiles workgroupUniformLoad: a barrier, a load, and a barrier.
func (c *compiler) uniformLoad(e *Expr) code {
	c.out.barriers = true
	p := c.reference(&Expr{Op: OpDeref, Type: e.Type, Args: e.Args})
	n := e.Type.leaves()
	return maker(n, c.temp(1), func(t *thread, out []uint32) {
		a := p.at(t)
		if !a.ok {
			t.m.fault(FaultBounds, e, nil, "address outside of its variable")
		}
		t.barrier(e)
		copy(out, t.m.workgroup[a.off:a.off+n])
		t.barrier(e)
	})
}

var atomicClasses = map[string]atomicClass{
	"atomicLoad": classLoad, "atomicAdd": classAdd, "atomicSub": classAdd, "atomicAnd": classAnd,
	"atomicOr": classOr, "atomicXor": classXor, "atomicMin": classMin, "atomicMax": classMax,
	"atomicStore": classOther, "atomicExchange": classOther,
}

// atomic compiles an atomic operation; used says whether something depends on its result.
func (c *compiler) atomic(e *Expr, used bool) code {
	p := c.reference(&Expr{Op: OpDeref, Type: e.Args[0].Type.Elem, Args: e.Args[:1]})
	class, ok := atomicClasses[e.Name]
	if !ok {
		panic("unknown builtin " + e.Name)
	}
	kind := p.t.Elem.Kind
	operand := func(*thread) uint32 { return 0 }
	if len(e.Args) > 1 {
		x := c.expr(e.Args[1])
		operand = x.one
	}
	which, name := shadowOf(p.space), e.Name
	return oneCode(func(t *thread) uint32 {
		a := p.at(t)
		x := operand(t)
		if !a.ok {
			if used {
				t.act(which, a.off, classLoad, used, e)
			}
			return t.mem(p.space)[a.off]
		}
		t.act(which, a.off, class, used, e)
		cell := &t.mem(p.space)[a.off]
		old := *cell
		if class == classLoad {
			return old
		}
		*cell = atomicResult(name, kind, old, x)
		return old
	})
}

func atomicResult(name string, kind Kind, old, x uint32) uint32 {
	switch name {
	case "atomicAdd":
		return old + x
	case "atomicSub":
		return old - x
	case "atomicAnd":
		return old & x
	case "atomicOr":
		return old | x
	case "atomicXor":
		return old ^ x
	case "atomicMin":
		return least(kind, old, x)
	case "atomicMax":
		return greatest(kind, old, x)
	}
	return x
}

// exchangeClasses are the operations of compare-exchange loops.
var exchangeClasses = map[string]atomicClass{
	"+": classAdd, "-": classAdd, "*": classMul, "&": classAnd, "|": classOr, "^": classXor, "min": classMin, "max": classMax,
}

// exchange compiles a compare-exchange loop: an atomic operation in all but its spelling.
func (c *compiler) exchange(s *Stmt) exec {
	p := c.reference(s.Target)
	x := c.expr(s.Value)
	class, kind, which := exchangeClasses[s.Name], p.t.Elem.Kind, shadowOf(p.space)
	return func(t *thread) flow {
		a := p.at(t)
		if !a.ok {
			t.m.fault(FaultBounds, s.Target, nil, "a compare-exchange loop outside of its variable")
		}
		v := x.one(t)
		t.act(which, a.off, class, false, s.Target)
		cell := &t.mem(p.space)[a.off]
		switch s.Name {
		case "min":
			*cell = least(kind, *cell, v)
		case "max":
			*cell = greatest(kind, *cell, v)
		default:
			*cell = intBinary(s.Name, kind, *cell, v)
		}
		return next
	}
}

// subgroup compiles a subgroup operation whose result holds for any size of subgroups.
func (c *compiler) subgroup(e *Expr) code {
	x := c.expr(e.Args[0])
	for _, a := range e.Args[1:] {
		c.expr(a)
	}
	alone := c.size[0]*c.size[1]*c.size[2] == 1
	idempotent := false
	n := e.Type.leaves()
	same := func(t *thread, out []uint32) { x.into(t, out) }
	switch e.Name {
	case "subgroupAll", "subgroupAny", "subgroupMin", "subgroupMax", "subgroupAnd", "subgroupOr",
		"subgroupBroadcastFirst", "subgroupBroadcast":
		idempotent = true
	case "subgroupAdd", "subgroupMul", "subgroupXor", "subgroupInclusiveAdd", "subgroupInclusiveMul", "subgroupShuffle":
	case "subgroupExclusiveAdd":
		at := c.temp(n)
		same = func(t *thread, out []uint32) { x.into(t, t.frameOf(at, n)); clear(out) }
	case "subgroupBallot":
		same = func(t *thread, out []uint32) { clear(out); out[0] = x.one(t) }
	default:
		panic("unknown builtin " + e.Name)
	}
	if !alone && !idempotent {
		c.m.fault(FaultStatic, e, nil, "depends on the size of subgroups")
	}
	return maker(n, c.temp(1), same)
}
