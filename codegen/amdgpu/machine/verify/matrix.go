package verify

import "github.com/gpuc/gpuc/codegen/amdgpu/isa"

// This file has the rules of matrix products ("AMD Instinct MI300 Instruction Set Architecture",
// "Dependency Resolution: Required Independent Instructions").

// matrixKind is a kind of products whose results are ready at different times.
type matrixKind uint8

const (
	noProduct   matrixKind = iota
	narrow                 // of floats of 16 bits and of bytes
	singleFloat            // of f32
	doubleFloat            // of f64
)

func kindOf(o isa.Op, f isa.Family) matrixKind {
	switch {
	case o.Format(f) != isa.MAI:
		return noProduct
	case o == isa.VMfmaF3216x16x4F32:
		return singleFloat
	case o == isa.VMfmaF6416x16x4F64:
		return doubleFloat
	}
	return narrow
}

// The ways to use a register after a product.
func readsAsOperand(o isa.Op, f isa.Family, slot isa.Slot) bool {
	return o.Format(f) == isa.MAI && slot.Read() && !slot.Inline()
}

// readsAsSums is of the third source, which can also be a constant.
func readsAsSums(o isa.Op, f isa.Family, slot isa.Slot) bool {
	return o.Format(f) == isa.MAI && slot.Read() && slot.Inline()
}

func inMemory(o isa.Op, f isa.Family) bool {
	switch o.Format(f) {
	case isa.Global, isa.Scratch, isa.MUBUF, isa.DS:
		return true
	}
	return false
}

func isVector(o isa.Op, f isa.Family) bool { return o.Format(f).Vector() && o.Format(f) != isa.MAI }

func usedByVector(o isa.Op, f isa.Family, _ isa.Slot) bool { return isVector(o, f) }

func loaded(o isa.Op, f isa.Family, slot isa.Slot) bool { return inMemory(o, f) && slot.Written() }

func stored(o isa.Op, f isa.Family, slot isa.Slot) bool { return inMemory(o, f) && slot.Read() }

func overwrites(o isa.Op, f isa.Family, slot isa.Slot) bool {
	return (isVector(o, f) || inMemory(o, f)) && slot.Written()
}

// sameSums reports whether a product adds to the whole result of another one.
func sameSums(earlier, later *isa.Instruction) bool {
	return earlier.Operands[0] == later.Operands[3] && earlier.Words(isa.GFX942, 0) == later.Words(isa.GFX942, 3)
}

// matrixHazards returns the rules.
func matrixHazards() []hazard {
	list := []hazard{{name: "a product of what a vector instruction writes", states: 2,
		earlier: func(o isa.Op, f isa.Family, slot isa.Slot, _ int) bool { return isVector(o, f) && slot.Written() },
		later:   func(o isa.Op, f isa.Family, slot isa.Slot) bool { return o.Format(f) == isa.MAI && slot.Read() }}}
	for _, r := range [...]struct {
		kind                                               matrixKind
		operand, sums, vector, loaded, stored, overwritten int
	}{
		{kind: narrow, operand: 7, sums: 5, vector: 7, loaded: 7, stored: 7, overwritten: 3},
		{kind: singleFloat, operand: 10, sums: 8, vector: 10, loaded: 10, stored: 10},
		{kind: doubleFloat, operand: 11, sums: 9, vector: 11, loaded: 11, stored: 18},
	} {
		writes := func(o isa.Op, f isa.Family, slot isa.Slot, _ int) bool {
			return kindOf(o, f) == r.kind && slot.Written()
		}
		list = append(list,
			hazard{name: "a product of another's result", states: r.operand, earlier: writes, later: readsAsOperand},
			hazard{name: "a product that adds to parts of another's result", states: r.sums, earlier: writes, later: readsAsSums, unless: sameSums},
			hazard{name: "a use of a product's result", states: r.vector, earlier: writes, later: usedByVector},
			hazard{name: "a load to a product's result", states: r.loaded, earlier: writes, later: loaded},
			hazard{name: "a store of a product's result", states: r.stored, earlier: writes, later: stored})
		if r.overwritten > 0 {
			list = append(list, hazard{name: "a write to what a product adds to", states: r.overwritten, later: overwrites,
				earlier: func(o isa.Op, f isa.Family, slot isa.Slot, _ int) bool {
					return kindOf(o, f) == r.kind && readsAsSums(o, f, slot)
				}})
		}
	}
	return list
}

// doubleStates are the wait states between a product of f64 and v_fma_f64.
const doubleStates = 2

// checkDoubles checks the products of f64 before each v_fma_f64.
func (v *verifier) checkDoubles() {
	for at := range v.Instructions {
		if v.Instructions[at].Op == isa.VFmaF64 {
			v.searchDouble(at, at, doubleStates)
		}
	}
}

// searchDouble looks back from an instruction, over the given number of wait states.
func (v *verifier) searchDouble(of, from, states int) {
	for _, p := range v.predecessors[from] {
		i := &v.Instructions[p]
		if kindOf(i.Op, v.Family) == doubleFloat {
			v.fail(of, "it is too close to instruction %d, a product of f64", p)
		}
		left := states - 1
		if i.Op == isa.SNop {
			left -= int(i.Immediate)
		}
		if left > 0 {
			v.searchDouble(of, p, left)
		}
	}
}
