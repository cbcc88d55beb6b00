package difftest

// Compilation of functions and statements.

// function compiles a function. Its frame holds the result, the parameters, and then variables
// and intermediate values.
func (c *compiler) function(f *Func) *funcCode {
	code := &funcCode{}
	c.frame, c.deepest, c.current = 0, 0, code
	if f.Result != nil {
		code.result = c.temp(f.Result.leaves())
	}
	for _, p := range f.Params {
		p.slot = c.temp(p.Type.leaves())
		code.params = append(code.params, p.slot)
	}
	c.result = code.result
	peak := c.frame
	c.m.code.barriers = false
	code.body = c.block(f.Body, &peak)
	code.frame = max(peak, c.frame)
	code.stack = code.frame + c.deepest
	code.barrier = c.m.code.barriers
	return code
}

// block compiles statements. Their variables and intermediate values are given up at its end.
func (c *compiler) block(list []*Stmt, peak *int) exec {
	mark := c.frame
	run := make([]exec, len(list))
	for i, s := range list {
		if s.Kind == StmtDeclare && s.Var.Kind != ConstVar {
			s.Var.slot = c.temp(s.Var.Type.leaves())
		}
		after := c.frame
		run[i] = c.statement(s, peak)
		*peak = max(*peak, c.frame)
		c.frame = after
	}
	c.frame = mark
	if len(run) == 1 {
		one := run[0]
		return func(t *thread) flow { t.step(1); return one(t) }
	}
	return func(t *thread) flow {
		for _, r := range run {
			t.step(1)
			if f := r(t); f != next {
				return f
			}
		}
		return next
	}
}

func (c *compiler) statement(s *Stmt, peak *int) exec {
	switch s.Kind {
	case StmtDeclare:
		return c.declare(s.Var)
	case StmtAssign:
		return c.assign(s)
	case StmtStep:
		return c.increment(s)
	case StmtIf:
		cond, yes, no := c.expr(s.Value), c.nested(s.Body, peak), c.nested(s.Else, peak)
		return func(t *thread) flow {
			if cond.one(t) != 0 {
				return yes(t)
			}
			return no(t)
		}
	case StmtSwitch:
		return c.choose(s, peak)
	case StmtLoop, StmtFor, StmtWhile:
		return c.loop(s, peak)
	case StmtBlock:
		return c.nested(s.Body, peak)
	case StmtBreak:
		return func(*thread) flow { return breaks }
	case StmtContinue:
		return func(*thread) flow { return continues }
	case StmtReturn:
		if s.Value == nil {
			return func(*thread) flow { return returns }
		}
		x, at := c.expr(s.Value), c.result
		temp := c.temp(x.n)
		return func(t *thread) flow {
			// Through a temporary: the value may be computed from parameters beside it.
			v := t.frameOf(temp, x.n)
			x.into(t, v)
			copy(t.frameOf(at, x.n), v)
			return returns
		}
	case StmtCall, StmtPhony:
		return c.discard(s)
	case StmtExchange:
		return c.exchange(s)
	}
	panic("unknown statement")
}

// nested compiles statements after the intermediate values of the one that they belong to.
func (c *compiler) nested(list []*Stmt, peak *int) exec { return c.block(list, peak) }

func (c *compiler) declare(v *Var) exec {
	if v.Kind == ConstVar {
		c.constant(v)
		return func(*thread) flow { return next }
	}
	slot, n := v.slot, v.Type.leaves()
	if v.Init == nil {
		return func(t *thread) flow {
			clear(t.frameOf(slot, n))
			return next
		}
	}
	x := c.expr(v.Init)
	temp := c.temp(n)
	return func(t *thread) flow {
		value := t.frameOf(temp, n)
		x.into(t, value)
		copy(t.frameOf(slot, n), value)
		return next
	}
}

// write stores through a reference.
func (t *thread) write(p *reference, a address, value []uint32, e *Expr) {
	if !a.ok {
		if a.loose {
			t.m.fault(FaultBounds, e, nil, "store to a component outside of its vector or matrix")
		}
		return
	}
	if which := shadowOf(p.space); which >= 0 {
		at, n := a.off, len(value)
		if p.units > 0 { // writing a component may write the whole vector
			at, n = a.unit, p.units
		}
		t.touch(which, at, n, true, e)
	}
	copy(t.mem(p.space)[a.off:], value)
}

// read loads through a reference.
func (t *thread) read(p *reference, a address, out []uint32, e *Expr) {
	if which := shadowOf(p.space); which >= 0 {
		t.touch(which, a.off, len(out), false, e)
	}
	copy(out, t.mem(p.space)[a.off:])
}

func (c *compiler) assign(s *Stmt) exec {
	e := s.Target
	if e.Op == OpSwizzle && len(e.Name) > 1 {
		return c.assignSwizzle(s)
	}
	p := c.reference(e)
	x := c.expr(s.Value)
	n := p.t.leaves()
	temp, other := c.temp(n), c.temp(n)
	if s.Name == "" {
		return func(t *thread) flow {
			a := p.at(t)
			v := t.frameOf(temp, n)
			x.into(t, v)
			t.write(&p, a, v, e)
			return next
		}
	}
	apply := c.compound(s, e.Type, &x)
	return func(t *thread) flow {
		a := p.at(t)
		old := t.frameOf(other, n)
		t.read(&p, a, old, e)
		v := t.frameOf(temp, n)
		apply(t, old, v)
		t.write(&p, a, v, e)
		return next
	}
}

// compound is the operation of a compound assignment: it evaluates the right operand after the
// left one was loaded.
func (c *compiler) compound(s *Stmt, t *Type, x *code) func(t *thread, old, out []uint32) {
	n := t.leaves()
	at := c.temp(n)
	left := slotCode(at, n)
	// The operation as an expression whose left operand is the loaded value.
	loaded := &Var{Kind: LetVar, Type: t, slot: at}
	e := &Expr{Op: OpBinary, Name: s.Name, Type: t, Args: []*Expr{{Op: OpVar, Var: loaded, Type: t}, s.Value}}
	var result code
	if s.Name == "*" && s.Value.Type.Kind == Matrix {
		result = c.matrixProduct(e, s, left, *x)
	} else {
		result = c.zip(n, left, *x, c.scalarBinary(nil, s, s.Name, t.scalar().Kind, s.Value))
	}
	return func(t *thread, old, out []uint32) {
		copy(t.frameOf(at, n), old)
		result.into(t, out)
	}
}

// assignSwizzle writes several components of a vector.
func (c *compiler) assignSwizzle(s *Stmt) exec {
	e := s.Target
	p := c.reference(e.Args[0])
	n, all := len(e.Name), p.t.Count
	x := c.expr(s.Value)
	temp, vectors, other := c.temp(n), c.temp(all), c.temp(n)
	var apply func(t *thread, old, out []uint32)
	if s.Name != "" {
		apply = c.compound(s, e.Type, &x)
	}
	return func(t *thread) flow {
		a := p.at(t)
		v := t.frameOf(temp, n)
		if apply != nil {
			vector, old := t.frameOf(vectors, all), t.frameOf(other, n)
			t.read(&p, a, vector, e)
			for i := range n {
				old[i] = vector[componentIndex(e.Name[i])]
			}
			apply(t, old, v)
		} else {
			x.into(t, v)
		}
		if !a.ok {
			t.write(&p, a, nil, e)
			return next
		}
		if which := shadowOf(p.space); which >= 0 {
			t.touch(which, a.off, all, true, e)
		}
		memory := t.mem(p.space)
		for i := range n {
			memory[a.off+componentIndex(e.Name[i])] = v[i]
		}
		return next
	}
}

func (c *compiler) increment(s *Stmt) exec {
	p := c.reference(s.Target)
	by := uint32(1)
	if s.Name == "--" {
		by = 1<<32 - 1
	}
	temp := c.temp(1)
	return func(t *thread) flow {
		a := p.at(t)
		v := t.frameOf(temp, 1)
		t.read(&p, a, v, s.Target)
		v[0] += by
		t.write(&p, a, v, s.Target)
		return next
	}
}

func (c *compiler) choose(s *Stmt, peak *int) exec {
	x := c.expr(s.Value)
	target := map[uint32]int{}
	other := -1
	bodies := make([]exec, len(s.Cases))
	for i, k := range s.Cases {
		for _, e := range k.Selectors {
			v := c.known(e)[0]
			if _, double := target[v]; double {
				c.m.fault(FaultStatic, e, nil, "two equal selectors")
			}
			target[v] = i
		}
		if k.Default {
			other = i
		}
		bodies[i] = c.nested(k.Body, peak)
	}
	return func(t *thread) flow {
		i, ok := target[x.one(t)]
		if !ok {
			i = other
		}
		if f := bodies[i](t); f != breaks {
			return f
		}
		return next
	}
}

func (c *compiler) loop(s *Stmt, peak *int) exec {
	mark := c.frame
	init := func(*thread) flow { return next }
	if s.Init != nil {
		if s.Init.Kind == StmtDeclare && s.Init.Var.Kind != ConstVar {
			s.Init.Var.slot = c.temp(s.Init.Var.Type.leaves())
		}
		init = c.statement(s.Init, peak)
	}
	var cond, until *code
	if s.Value != nil && s.Kind != StmtLoop {
		x := c.expr(s.Value)
		cond = &x
	}
	// The continuing block sees the body's variables: both are compiled as one block.
	var body, last exec
	if s.Kind == StmtLoop {
		body, last, until = c.loopBody(s, peak)
	} else {
		body = c.nested(s.Body, peak)
		last = func(*thread) flow { return next }
		if s.Update != nil {
			last = c.statement(s.Update, peak)
		}
	}
	*peak = max(*peak, c.frame)
	c.frame = max(mark, c.frame)
	return func(t *thread) flow {
		init(t)
		for i := 0; ; i++ {
			t.step(1)
			if i == maxIterations {
				t.m.fault(FaultLoop, nil, s, "too many iterations")
				return next
			}
			if s.Fuel > 0 && i == s.Fuel && s.Kind == StmtLoop {
				return next
			}
			if cond != nil && cond.one(t) == 0 {
				return next
			}
			if s.Fuel > 0 && i == s.Fuel {
				return next
			}
			switch body(t) {
			case breaks:
				return next
			case returns:
				return returns
			}
			last(t)
			if until != nil && until.one(t) != 0 {
				return next
			}
		}
	}
}

// loopBody compiles the body and the continuing block of a loop, with its break-if condition.
func (c *compiler) loopBody(s *Stmt, peak *int) (body, last exec, until *code) {
	// Variables of the body stay in the frame for the continuing block.
	mark := c.frame
	run := make([]exec, len(s.Body))
	for i, b := range s.Body {
		if b.Kind == StmtDeclare && b.Var.Kind != ConstVar {
			b.Var.slot = c.temp(b.Var.Type.leaves())
		}
		after := c.frame
		run[i] = c.statement(b, peak)
		*peak = max(*peak, c.frame)
		c.frame = after
	}
	body = func(t *thread) flow {
		for _, r := range run {
			t.step(1)
			if f := r(t); f != next {
				return f
			}
		}
		return next
	}
	tail := make([]exec, len(s.Else))
	for i, b := range s.Else {
		if b.Kind == StmtDeclare && b.Var.Kind != ConstVar {
			b.Var.slot = c.temp(b.Var.Type.leaves())
		}
		after := c.frame
		tail[i] = c.statement(b, peak)
		*peak = max(*peak, c.frame)
		c.frame = after
	}
	if s.Value != nil {
		x := c.expr(s.Value)
		until = &x
	}
	*peak = max(*peak, c.frame)
	c.frame = mark
	last = func(t *thread) flow {
		for _, r := range tail {
			t.step(1)
			r(t)
		}
		return next
	}
	return body, last, until
}

// discard evaluates an expression for its effects.
func (c *compiler) discard(s *Stmt) exec {
	e := s.Value
	if e.Op == OpCall && e.Func.Result == nil {
		run := c.invoke(e)
		return func(t *thread) flow { run(t); return next }
	}
	if e.Op == OpBuiltin && e.Type == nil {
		return c.effect(e)
	}
	if e.Op == OpAddress && s.Kind == StmtPhony {
		return func(*thread) flow { return next }
	}
	if e.Op == OpBuiltin && isAtomic(e.Name) {
		x := c.atomic(e, s.Kind == StmtPhony)
		return func(t *thread) flow { x.one(t); return next }
	}
	x := c.expr(e)
	temp := c.temp(x.n)
	return func(t *thread) flow {
		x.into(t, t.frameOf(temp, x.n))
		return next
	}
}

// call compiles a call that gives a value.
func (c *compiler) call(e *Expr) code {
	f := c.funcs[e.Func]
	if f == nil {
		panic("call of a function that is declared later")
	}
	n := e.Type.leaves()
	run := c.invoke(e)
	if n == 1 {
		return oneCode(func(t *thread) uint32 { return t.stack[run(t)+f.result] })
	}
	return manyCode(n, func(t *thread, out []uint32) {
		at := run(t) + f.result
		copy(out, t.stack[at:at+n])
	})
}

// invoke compiles the arguments and the call; the callee's frame starts where the result says.
func (c *compiler) invoke(e *Expr) func(*thread) int {
	f := c.funcs[e.Func]
	if f == nil {
		panic("call of a function that is declared later")
	}
	c.deepest = max(c.deepest, f.stack)
	c.m.code.barriers = c.m.code.barriers || f.barrier
	args := make([]code, len(e.Args))
	temps := make([]int, len(e.Args))
	for i, a := range e.Args {
		args[i] = c.expr(a)
		temps[i] = c.temp(args[i].n)
	}
	// The caller's frame is complete only after its last statement.
	caller := c.current
	return func(t *thread) int {
		t.step(2)
		for i := range args {
			args[i].into(t, t.frameOf(temps[i], args[i].n))
		}
		base := t.base
		callee := base + caller.frame
		for i := range args {
			copy(t.stack[callee+f.params[i]:], t.frameOf(temps[i], args[i].n))
		}
		t.base = callee
		f.body(t)
		t.base = base
		return callee
	}
}
