package gfx942

// Tracking of undefined values. LLVM's code reads registers that were never written, if nothing
// depends on them: it merges lane masks bit by bit, and copies upper words that are not used. So
// undefined bits may be read and make results undefined. But branches, execution masks, addresses
// and stored values must not depend on them.

// upperWord is the mask of the upper word, which an operand of one word does not have.
const upperWord = 0xFFFFFFFF_00000000

// isVector are the formats of vector operations on registers.
var isVector = [formats]bool{vop1: true, vop2: true, vopc: true, vop3: true, vop3p: true}

// The defined bits of a bitwise operation's result: those of which both sources are defined, and
// those that one defined source determines alone.
func definedBoth(_, _, definedA, definedB uint64) uint64 { return definedA & definedB }
func definedAnd(a, b, definedA, definedB uint64) uint64 {
	return definedA&definedB | definedA&^a | definedB&^b
}
func definedOr(a, b, definedA, definedB uint64) uint64 {
	return definedA&definedB | definedA&a | definedB&b
}
func definedAndNot(a, b, definedA, definedB uint64) uint64 {
	return definedAnd(a, ^b, definedA, definedB)
}
func definedOrNot(a, b, definedA, definedB uint64) uint64 {
	return definedOr(a, ^b, definedA, definedB)
}

// definedScalar returns which bits of a scalar operand are defined.
func (w *wave) definedScalar(o operand, k kind) uint64 {
	if o >= scalars {
		return ^uint64(0)
	}
	x := uint64(w.definedBits[o])
	if registers[k] == 2 {
		return x | uint64(w.definedBits[o+1])<<32
	}
	return x | upperWord
}

// define sets which bits of written scalar registers are defined. All bits of EXEC must be.
func (w *wave) define(o operand, k kind, bits uint64) {
	w.definedBits[o] = uint32(bits)
	if registers[k] == 2 {
		w.definedBits[o+1] = uint32(bits >> 32)
	}
	if (o == execLow || o == execLow+1) && bits != ^uint64(0) {
		fail("lanes become active by bits that nothing has written")
	}
}

// definedResult returns which bits of a scalar operation's result are defined, and whether SCC is.
func (w *wave) definedResult(i *instruction, a, b uint64) (bits uint64, scc bool) {
	r := i.row
	definedA, definedB := ^uint64(0), ^uint64(0)
	switch {
	case r.format == sopk && r.s[0] != none:
		definedA = w.definedScalar(i.d, b32)
	case r.format != sopk:
		definedA = w.definedScalar(i.s[0], r.s[0])
		if r.s[1] != none {
			definedB = w.definedScalar(i.second(), r.s[1])
		}
	}
	all := definedA&definedB == ^uint64(0)
	switch {
	case r.readsSCC && !w.definedSCC:
		return 0, false
	case r.readsSCC && r.selects: // one source is not used
		if w.scc != 0 {
			return definedA, true
		}
		return definedB, true
	case r.bitwise != nil:
		bits = r.bitwise(a, b, definedA, definedB)
		if registers[r.d] == 1 {
			bits |= upperWord
		}
		result, _ := r.scalar(a, b, 0)
		return bits, bits == ^uint64(0) || result&bits != 0
	case r.moves:
		return definedA, true
	case all:
		return ^uint64(0), true
	}
	return 0, false
}

// known is the lanes in which the sources of a vector operation are defined, for the lower and the
// upper word of its result.
type known struct{ low, high uint64 }

// definedOperand returns which lanes of an operand's words are defined.
func (w *wave) definedOperand(o operand, k kind) known {
	if o < vectors {
		bits := w.definedScalar(o, k)
		switch {
		case k == mask: // a bit for each lane
			return known{bits, bits}
		case uint32(bits) != ^uint32(0):
			return known{}
		case bits != ^uint64(0):
			return known{low: ^uint64(0)}
		}
		return known{^uint64(0), ^uint64(0)}
	}
	n := o - vectors
	result := known{w.definedLanes[n], ^uint64(0)}
	for more := 1; more < registers[k]; more++ {
		result.high &= w.definedLanes[n+operand(more)]
	}
	return result
}

// definedSources returns which lanes of all sources are defined.
func (w *wave) definedSources(i *instruction) known {
	r := i.row
	result := known{^uint64(0), ^uint64(0)}
	if r.selects { // the third source selects one of the others
		a, b, m := w.definedOperand(i.s[0], b32), w.definedOperand(i.s[1], b32), w.read(i, i.s[2], mask, 0)
		if i.form == permuted {
			a.low = w.permutedLanes(i, a.low)
		}
		x := (m&b.low | ^m&a.low) & w.definedOperand(i.s[2], mask).low
		return known{x, x}
	}
	for n, k := range r.s {
		if k == none {
			continue
		}
		x := w.definedOperand(i.s[n], k)
		if i.form == permuted && n == 0 {
			x.low = w.permutedLanes(i, x.low)
		}
		if r.wordwise {
			result.low &= x.low
			result.high &= x.low & x.high
		} else {
			result.low &= x.low & x.high
			result.high = result.low
		}
	}
	return result
}

// permutedLanes permutes the bits of lanes by the DPP pattern.
func (w *wave) permutedLanes(i *instruction, bits uint64) (moved uint64) {
	for lane := range lanes {
		from, inside := i.origin(lane)
		if !inside || w.exec()>>from&1 == 0 || bits>>from&1 != 0 {
			moved |= 1 << lane
		}
	}
	return moved
}

// defineResult sets in which active lanes the result of a vector operation is defined.
func (w *wave) defineResult(i *instruction, exec uint64, k known) {
	r := i.row
	if r.compare != nil || r.carry != nil {
		// the bit depends on both words
		w.define(i.sd, mask, k.low&k.high|^exec)
	}
	if r.compare != nil {
		return
	}
	if i.form == permuted {
		for lane := range lanes {
			if exec>>lane&1 != 0 && !w.lands(i, lane) {
				exec &^= 1 << lane
			}
		}
	}
	n := i.d - vectors
	w.definedLanes[n] &= k.low | ^exec
	if registers[r.d] == 2 {
		w.definedLanes[n+1] &= k.high | ^exec
	}
}

// require fails if a source of an instruction has a lane that is active and not defined.
func (w *wave) require(i *instruction) {
	for n, k := range i.row.s {
		if k == none {
			continue
		}
		x := w.definedOperand(i.s[n], k)
		if missing := w.exec() &^ (x.low & x.high); missing != 0 {
			fail("lanes %#x of %s are read, which nothing has written", missing, i.s[n])
		}
	}
}

// needed reads a scalar operand that must be defined.
func (w *wave) needed(i *instruction, o operand) uint64 {
	if w.definedScalar(o, b32) != ^uint64(0) {
		fail("%s is read, which nothing has written", o)
	}
	return w.read(i, o, b32, 0)
}

// definedMove returns the defined bits of a lane's word: all or none.
func (w *wave) definedMove(i *instruction, lane int) uint64 {
	if w.definedOperand(i.s[0], b32).low>>lane&1 == 0 {
		return 0
	}
	return ^uint64(0)
}

// moveToScalar copies a lane's word to a scalar register, even if it is undefined.
func (w *wave) moveToScalar(i *instruction, lane int) {
	bits := w.definedMove(i, lane)
	w.setScalar(i.d, b32, w.read(i, i.s[0], b32, lane))
	w.define(i.d, b32, bits)
}
