package interp

import (
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file executes subgroup operations for the lanes that meet at one. Lanes are ordered by their
// index and reductions follow that order. A lane that reads the value of one that is not among
// them, or does not exist, keeps its own value. WGSL leaves that open, and this is deterministic.

// reductions gives the operation that a reduction or scan applies, and scans
// say which part of the lanes it covers.
var reductions = [op.Count]op.Op{
	op.SubgroupAdd: op.Add, op.SubgroupMul: op.Mul, op.SubgroupMin: op.Min, op.SubgroupMax: op.Max,
	op.SubgroupAnd: op.And, op.SubgroupOr: op.Or, op.SubgroupXor: op.Xor,
	op.SubgroupInclusiveAdd: op.Add, op.SubgroupInclusiveMul: op.Mul,
	op.SubgroupExclusiveAdd: op.Add, op.SubgroupExclusiveMul: op.Mul,
}

// sources gives, for operations that read another lane, which one: of lane self
// with the second operand.
var sources = [op.Count]func(self, operand uint64) uint64{
	op.SubgroupBroadcast:   func(_, lane uint64) uint64 { return lane },
	op.SubgroupShuffle:     func(_, lane uint64) uint64 { return lane },
	op.SubgroupShuffleXor:  func(self, mask uint64) uint64 { return self ^ mask },
	op.SubgroupShuffleUp:   func(self, delta uint64) uint64 { return self - delta },
	op.SubgroupShuffleDown: func(self, delta uint64) uint64 { return self + delta },
	op.QuadBroadcast:       func(self, index uint64) uint64 { return self&^3 | index&3 },
	op.QuadSwapX:           func(self, _ uint64) uint64 { return self ^ 1 },
	op.QuadSwapY:           func(self, _ uint64) uint64 { return self ^ 2 },
	op.QuadSwapDiagonal:    func(self, _ uint64) uint64 { return self ^ 3 },
}

// meet executes a subgroup operation for lanes in the order of their index.
func (w *worker) meet(s *subgroupOperation, lanes []*invocation) {
	size := uint32(w.launch.subgroupSize)
	switch {
	case s.op == op.ControlBarrier:
		if w.checks != nil {
			w.checks.subgroupBarrier()
		}
	case s.op == op.SubgroupElect:
		for n, v := range lanes {
			v.slots[s.result] = truth(n == 0)
		}
	case s.op == op.SubgroupAll || s.op == op.SubgroupAny:
		ones := 0
		for _, v := range lanes {
			ones += int(v.slots[s.value[0]])
		}
		result := truth(ones > 0)
		if s.op == op.SubgroupAll {
			result = truth(ones == len(lanes))
		}
		for _, v := range lanes {
			v.slots[s.result] = result
		}
	case s.op == op.SubgroupBallot:
		var ballot [4]uint64
		for _, v := range lanes {
			if lane := v.local % size; v.slots[s.value[0]] != 0 && lane < 128 {
				ballot[lane/32] |= 1 << (lane % 32)
			}
		}
		for _, v := range lanes {
			copy(v.slots[s.result:], ballot[:])
		}
	case s.op == op.SubgroupBroadcastFirst:
		for k, from := range s.value[:s.components] {
			bits := lanes[0].slots[from]
			for _, v := range lanes {
				v.slots[int(s.result)+k] = bits
			}
		}
	case sources[s.op] != nil:
		w.exchange(s, lanes, uint64(size))
	case reductions[s.op] != op.Invalid:
		f := eval.For(reductions[s.op], s.kind)
		for k, from := range s.value[:s.components] {
			w.reduce(s, f, lanes, from, s.result+uint32(k))
		}
	default:
		panic("interp: unknown subgroup operation " + s.op.String())
	}
}

// reduce computes a reduction or a scan of one component.
func (w *worker) reduce(s *subgroupOperation, f eval.Function, lanes []*invocation, from, to uint32) {
	sum := lanes[0].slots[from]
	switch s.op {
	case op.SubgroupInclusiveAdd, op.SubgroupInclusiveMul:
		lanes[0].slots[to] = sum
		for _, v := range lanes[1:] {
			sum = f(sum, v.slots[from], 0, 0)
			v.slots[to] = sum
		}
	case op.SubgroupExclusiveAdd, op.SubgroupExclusiveMul:
		lanes[0].slots[to] = identity(s)
		for _, v := range lanes[1:] {
			own := v.slots[from]
			v.slots[to] = sum
			sum = f(sum, own, 0, 0)
		}
	default:
		for _, v := range lanes[1:] {
			sum = f(sum, v.slots[from], 0, 0)
		}
		for _, v := range lanes {
			v.slots[to] = sum
		}
	}
}

// identity returns what an exclusive scan gives the first lane: 0 or 1.
func identity(s *subgroupOperation) uint64 {
	switch {
	case s.op == op.SubgroupExclusiveAdd:
		return 0
	case s.kind.IsFloat():
		return scalar.FromFloat64(s.kind, 1)
	}
	return 1
}

// exchange gives every lane the value of another one.
func (w *worker) exchange(s *subgroupOperation, lanes []*invocation, size uint64) {
	source := sources[s.op]
	w.results = w.results[:0]
	for _, v := range lanes {
		self := uint64(v.local) % size
		operand := uint64(0)
		if len(s.value) > s.components {
			operand = v.slots[s.second]
		}
		from := v
		if lane := source(self, operand); lane < size {
			for _, other := range lanes {
				if uint64(other.local)%size == lane {
					from = other
					break
				}
			}
		}
		for _, slot := range s.value[:s.components] {
			w.results = append(w.results, from.slots[slot])
		}
	}
	for n, v := range lanes {
		copy(v.slots[s.result:], w.results[n*s.components:][:s.components])
	}
}
