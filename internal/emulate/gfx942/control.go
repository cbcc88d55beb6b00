package gfx942

// Control instructions: branches, barriers, the end of a wave, and hints and waits, which have no
// effect.

func control() []row {
	branch := func(code int, name string, checkDefined func(w *wave, i *instruction), taken func(w *wave) bool) row {
		return row{code: code, name: name, checkDefined: checkDefined, run: func(x *execution, i *instruction) {
			if w := x.wave; taken(w) {
				w.pc += uint64(int64(i.immediate) * 4)
			}
		}}
	}
	status := func(w *wave, _ *instruction) { w.readSCC() }
	vcc := func(w *wave, _ *instruction) { w.scalarPair(vccLow) }
	rows := []row{
		{code: 1, name: "s_endpgm", run: func(x *execution, _ *instruction) { x.wave.done = true }},
		{code: 10, name: "s_barrier", run: func(x *execution, _ *instruction) {
			w := x.wave
			if w.exec() != w.start {
				fail("a barrier that lanes %#x of %#x reach", w.exec(), w.start)
			}
			w.atBarrier = true
		}},
		branch(2, "s_branch", nil, func(*wave) bool { return true }),
		branch(4, "s_cbranch_scc0", status, func(w *wave) bool { return w.scc == 0 }),
		branch(5, "s_cbranch_scc1", status, func(w *wave) bool { return w.scc != 0 }),
		branch(6, "s_cbranch_vccz", vcc, func(w *wave) bool { return w.status(vccZero) != 0 }),
		branch(7, "s_cbranch_vccnz", vcc, func(w *wave) bool { return w.status(vccZero) == 0 }),
		branch(8, "s_cbranch_execz", nil, func(w *wave) bool { return w.exec() == 0 }),
		branch(9, "s_cbranch_execnz", nil, func(w *wave) bool { return w.exec() != 0 }),
	}
	for _, idle := range []struct {
		code int
		name string
	}{{0, "s_nop"}, {12, "s_waitcnt"}, {14, "s_sleep"}, {15, "s_setprio"}} {
		rows = append(rows, row{code: idle.code, name: idle.name, run: func(*execution, *instruction) {}})
	}
	return rows
}
