package ptx

// Moves of several registers, selections, branches and calls.

// selectValue executes selp. Only the selected source must have been written.
func selectValue(t *thread, x *instruction) {
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
	if f.states[from]&undefined == 0 {
		t.checkWritten(from)
	}
	f.values[x.d], f.states[x.d] = f.values[from], f.states[from]
}

// unpack executes a mov of a register to its parts, the lowest first.
func unpack(t *thread, x *instruction) {
	f := t.frame
	t.checkWritten(x.a)
	v, s := f.values[x.a], f.states[x.a]
	for _, slot := range x.more {
		f.values[slot], f.states[slot] = v&(1<<x.shift-1), s
		v >>= x.shift
	}
}

// pack executes a mov of parts to a register.
func pack(t *thread, x *instruction) {
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

// jump continues at an instruction of the function.
func (t *thread) jump(to int32) {
	if int(to) == t.frame.pc {
		fail("a branch to itself")
	}
	t.frame.pc = int(to) - 1 // run increments it
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

// call executes call. The caller's arguments become undefined: the next call must write them again.
func call(t *thread, x *instruction) {
	from := t.frame
	to := t.enter(x.callee.function)
	to.call = x
	for _, p := range x.callee.arguments {
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
		t.checkStores()
		t.checkCopiesEnd()
		t.done = true
		m := t.group.machine
		m.idle = append(m.idle, t.invocation)
		t.invocation = nil
		return
	}
	if a := f.call.callee.result; a != nil {
		b := f.function.result
		copy(t.frame.area.bytes[a.address:][:a.size], f.area.bytes[b.address:][:b.size])
		copy(t.frame.area.shadow[a.address:][:a.size], f.area.shadow[b.address:][:b.size])
	}
}
