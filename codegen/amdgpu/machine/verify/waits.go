package verify

import "github.com/gpuc/gpuc/codegen/amdgpu/isa"

// This file checks waits. The state before an instruction has two bounds over all paths. For each
// register it is the minimum of accesses that began after the one that writes it. For each counter
// it is the maximum of outstanding accesses.

// idle is the distance of a register that no outstanding access writes.
const idle = 255

// outstanding is the state before an instruction.
type outstanding struct {
	seen    bool
	begun   [4]uint8 // by counter, maximum
	scalars bool     // scalar loads may be outstanding
	// by register: accesses of the counter that began later, or idle
	vectorMemory, local [all]uint8
}

// maxBegun is where counting saturates, above the maximum of all counters.
const maxBegun = 100

func (v *verifier) checkWaits() {
	states := make([]outstanding, len(v.Instructions))
	states[0].clear()
	var now outstanding
	step := func(at int) {
		now = states[at]
		v.wait(at, &now)
	}
	join := func(_, to int) bool { return states[to].add(&now) }
	v.flow(step, join)
}

func (u *outstanding) clear() {
	u.seen = true
	for r := range u.local {
		u.vectorMemory[r], u.local[r] = idle, idle
	}
}

// add merges the state of another path, and reports whether that changes u.
func (u *outstanding) add(o *outstanding) bool {
	if !u.seen {
		*u = *o
		return true
	}
	more := false
	least := func(x *uint8, y uint8) {
		if y < *x {
			*x, more = y, true
		}
	}
	for r := range u.local {
		least(&u.vectorMemory[r], o.vectorMemory[r])
		least(&u.local[r], o.local[r])
	}
	for n := range u.begun {
		if o.begun[n] > u.begun[n] {
			u.begun[n], more = o.begun[n], true
		}
	}
	if o.scalars && !u.scalars {
		u.scalars, more = true, true
	}
	return more
}

// wait checks an instruction and updates the state for it.
func (v *verifier) wait(at int, u *outstanding) {
	i := &v.Instructions[at]
	switch i.Op {
	case isa.SWaitcnt:
		w := isa.DecodeWait(v.Family, i.Immediate)
		u.settle(isa.VectorMemory, w.VM)
		if !u.scalars || w.LGKM == 0 {
			u.settle(isa.ScalarOrLocal, w.LGKM)
		}
		return
	case isa.SWaitcntVscnt:
		u.begun[isa.VectorStores] = min(u.begun[isa.VectorStores], uint8(i.Immediate))
		return
	case isa.SBarrier:
		for n, name := range [...]string{isa.VectorMemory: "to global memory", isa.ScalarOrLocal: "to workgroup memory", isa.VectorStores: "that stores"} {
			if u.begun[n] > 0 {
				v.fail(at, "an access %s may not have ended", name)
			}
		}
	}
	v.eachRegister(at, func(r register, _ int, _ isa.Slot) {
		if u.vectorMemory[r] != idle || u.local[r] != idle {
			v.fail(at, "register %d is used, which an access to memory may not have written", r)
		}
	})
	counter := i.Op.Counter(v.Family)
	if counter == isa.NoCounter {
		return
	}
	u.begun[counter] = min(u.begun[counter]+1, maxBegun)
	u.scalars = u.scalars || i.Op.Format(v.Family) == isa.SMEM
	distances := &u.local
	switch counter {
	case isa.VectorStores:
		return
	case isa.VectorMemory:
		distances = &u.vectorMemory
	}
	for r, d := range distances {
		if d < maxBegun {
			distances[r] = d + 1
		}
	}
	v.eachRegister(at, func(r register, _ int, slot isa.Slot) {
		if slot.Written() {
			distances[r] = 0
		}
	})
}

// settle is a wait until no more than count accesses are outstanding.
func (u *outstanding) settle(counter isa.Counter, count uint8) {
	distances := &u.local
	if counter == isa.VectorMemory {
		distances = &u.vectorMemory
	}
	for r, d := range distances {
		if d >= count {
			distances[r] = idle
		}
	}
	u.begun[counter] = min(u.begun[counter], count)
	if counter == isa.ScalarOrLocal && count == 0 {
		u.scalars = false
	}
}
