package gfx942

// rowOf are the rows by format and opcode.
var rowOf = func() (found [formats]map[int]*row) {
	for f, rows := range [formats][]row{
		sop2: two(), sopk: withConstants(), sop1: one(), sopc: comparing(), sopp: control(), smem: scalarLoads(),
		vop2: append(integerTwo(), floatTwo()...), vop1: append(integerOne(), floatOne()...), vopc: comparisons(),
		vop3: append(integerThree(), floatThree()...), vop3p: append(packed(), matrixProducts()...), ds: sharedAccesses(),
		flat: accesses(flat, "flat_"), global: accesses(global, "global_"), scratch: accesses(scratch, "scratch_"),
	} {
		found[f] = make(map[int]*row, len(rows))
		for n := range rows {
			r := &rows[n]
			r.format = format(f)
			if found[f][r.code] != nil {
				panic("two rows for the opcode of " + r.name)
			}
			found[f][r.code] = r
		}
	}
	return found
}()
