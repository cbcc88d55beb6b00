package ptx

import "fmt"

// Instructions of a warp or warpgroup on registers: setmaxnreg and stmatrix.

// registerFile is how many registers a multiprocessor has.
const registerFile = 64 << 10

// readRegisterCount parses a count of registers.
func readRegisterCount(p *parser, x *instruction, _ *form) {
	n := p.integer(256)
	if n < 24 || n%8 != 0 {
		p.refuse("%d registers", n)
	}
	x.a = p.constantSlot(n)
}

// setRegisters executes setmaxnreg.
func setRegisters(threads []thread, x *instruction) {
	g := threads[0].group
	g.warpgroupOf(threads).registers = threads[0].frame.values[x.a]
	total := uint64(0)
	for n := range g.asynchronous.warpgroups {
		total += warpgroupSize * g.asynchronous.warpgroups[n].registers
	}
	if total > registerFile {
		fail(fmt.Sprintf("the warpgroups have %d registers, of %d", total, registerFile))
	}
}

// readStoreMatrix parses an address and four registers.
func readStoreMatrix(p *parser, x *instruction, _ *form) {
	x.space = shared
	p.address(x)
	p.expect(',')
	x.more = p.registerTuple(kinds["b32"], 4)
}

// storeMatrix executes stmatrix. Each lane has the address of a row of eight elements: lanes 0 to 7
// those of the first matrix. Four lanes have the elements of a row.
func storeMatrix(threads []thread, x *instruction) {
	g := threads[0].group
	row := instruction{access: access{width: 8, count: 2}}
	for n := range threads {
		t := &threads[n]
		g.running = t
		at := t.tileAt(x, chunkBytes, chunkBytes)
		t.checkRace(g.tiles, at, &row, true)
		slot := x.more[n/8]
		for k := range uint64(4) {
			f := threads[n%8*4+int(k)].frame
			if f.states[slot] != defined {
				threads[n%8*4+int(k)].checkWritten(slot)
			}
			g.tiles.set(at+4*k, 4, f.values[slot], f.states[slot])
		}
	}
}
