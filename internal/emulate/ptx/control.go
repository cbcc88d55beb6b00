package ptx

// This file executes moves of several registers, selections, branches and calls.

// choose executes selp; only the chosen source counts.
func choose(t *thread, x *instruction) {
	f := t.frame
	if f.states[x.c] != defined {
		t.checkWritten(x.a, x.b, x.c)
		f.values[x.d], f.states[x.d] = 0, undefined
		return
	}
	from := x.b
	if f.values[x.c] != 0 {
		from = x.a
	}
	if f.states[from] == absent {
		t.checkWritten(from)
	}
	f.values[x.d], f.states[x.d] = f.values[from], f.states[from]
}

// split executes a mov of a register to its parts, the lowest first.
func split(t *thread, x *instruction) {
	f := t.frame
	t.checkWritten(x.a)
	v, s := f.values[x.a], f.states[x.a]
	for _, slot := range x.more {
		f.values[slot], f.states[slot] = v&(1<<x.shift-1), s
		v >>= x.shift
	}
}

// join executes a mov of parts to a register.
func join(t *thread, x *instruction) {
	f := t.frame
	t.checkWritten(x.more...)
	v, s := uint64(0), defined
	for n, slot := range x.more {
		v |= f.values[slot] << (uint(n) * uint(x.shift))
		s &= f.states[slot]
	}
	f.values[x.d], f.states[x.d] = v, s
}

// branch executes bra.
func branch(t *thread, x *instruction) { t.jump(x.more[0]) }

// jump goes on at a place of the function.
func (t *thread) jump(to int32) {
	if int(to) == t.frame.pc {
		fail("a branch to itself")
	}
	t.frame.pc = int(to) - 1 // the run goes on behind
}

// branchIndexed executes brx.idx, whose index must be in the table.
func branchIndexed(t *thread, x *instruction) {
	t.need(x.a)
	n := t.frame.values[x.a]
	if n >= uint64(len(x.more)) {
		fail("an index beyond the labels of the table")
	}
	t.jump(x.more[n])
}

// call executes call. Arguments that were passed have to be written anew.
func call(t *thread, x *instruction) {
	from := t.frame
	to := t.enter(x.callee.function)
	to.call = x
	for _, p := range x.callee.pass {
		a, b := p[0], p[1]
		copy(to.area.bytes[b.address:][:b.size], from.area.bytes[a.address:][:a.size])
		shadow := from.area.shadow[a.address:][:a.size]
		copy(to.area.shadow[b.address:][:b.size], shadow)
		for n := range shadow {
			shadow[n] = undefined
		}
	}
	to.pc = -1
}

// leave executes ret.
func leave(t *thread, _ *instruction) {
	f := t.frame
	t.exit()
	if t.frame == nil {
		t.done = true
		m := t.group.machine
		m.idle = append(m.idle, t.invocation)
		t.invocation = nil
		return
	}
	if a := f.call.callee.answer; a != nil {
		b := f.function.result
		copy(t.frame.area.bytes[a.address:][:a.size], f.area.bytes[b.address:][:b.size])
		copy(t.frame.area.shadow[a.address:][:a.size], f.area.shadow[b.address:][:b.size])
	}
}
