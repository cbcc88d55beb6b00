package vector

import (
	"unsafe"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file executes operations of subgroups. Where all lanes of a subgroup run, and values are
// columns of words, these are taken as they lie, and integers are joined without package eval.

// meet executes an operation of subgroups in the lanes that run, in the order of package interp.
// Reductions go from the lowest lane to the highest. A lane that reads the value of one that
// does not run keeps its own.
func (w *worker) meet(g *groupOperation) {
	list := w.program.lists[g.list:]
	count := int(g.components)
	results, in := list[:count], list[count:]
	size := w.launch.subgroupSize
	full := w.live == w.program.lanes
	for first := 0; first < w.program.lanes; first += size {
		if full && w.meetFull(g, results, in, first, min(size, w.program.lanes-first)) {
			continue
		}
		w.members = w.members[:0]
		for k := first; k < min(first+size, w.program.lanes); k++ {
			if w.run[k/64]>>(k%64)&1 == 1 {
				w.members = append(w.members, k)
			}
		}
		if len(w.members) > 0 {
			w.meetOne(g, results, in, first)
		}
	}
}

// meetOne executes the operation in one subgroup.
func (w *worker) meetOne(g *groupOperation, results, in []operand, first int) {
	lanes, size := w.members, w.launch.subgroupSize
	give := func(o operand, value uint64) {
		for _, k := range lanes {
			w.put(o, k, value)
		}
	}
	switch {
	case g.op == op.SubgroupElect:
		for n, k := range lanes {
			w.put(results[0], k, oneIf(n == 0))
		}
	case g.op == op.SubgroupAll || g.op == op.SubgroupAny:
		holds := 0
		for _, k := range lanes {
			holds += int(w.get(in[0], k))
		}
		give(results[0], oneIf(holds > 0 && (g.op == op.SubgroupAny || holds == len(lanes))))
	case g.op == op.SubgroupBallot:
		var ballot [4]uint64
		for _, k := range lanes {
			if lane := k - first; w.get(in[0], k) != 0 && lane < 128 {
				ballot[lane/32] |= 1 << (lane % 32)
			}
		}
		for n, r := range results {
			give(r, ballot[n])
		}
	case g.op == op.SubgroupBroadcastFirst:
		for n, r := range results {
			give(r, w.get(in[n], lanes[0]))
		}
	case isReduction(g.op):
		for n, r := range results {
			w.reduce(g, r, in[n])
		}
	default:
		for n, r := range results {
			w.values = w.values[:0]
			for _, k := range lanes {
				operand := uint64(0)
				if g.second {
					operand = w.get(in[len(results)], k)
				}
				from := k
				if lane := source(g.op, uint64(k-first), operand); lane < uint64(size) && first+int(lane) < w.program.lanes {
					if other := first + int(lane); w.run[other/64]>>(other%64)&1 == 1 {
						from = other
					}
				}
				w.values = append(w.values, w.get(in[n], from))
			}
			for m, k := range lanes {
				w.put(r, k, w.values[m])
			}
		}
	}
}

func oneIf(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

func isReduction(o op.Op) bool { return o >= op.SubgroupAdd && o <= op.SubgroupExclusiveMul }

// combining is the operation by which a reduction or scan joins two values.
var combining = [...]op.Op{op.SubgroupAdd: op.Add, op.SubgroupMul: op.Mul, op.SubgroupMin: op.Min, op.SubgroupMax: op.Max,
	op.SubgroupAnd: op.And, op.SubgroupOr: op.Or, op.SubgroupXor: op.Xor,
	op.SubgroupInclusiveAdd: op.Add, op.SubgroupInclusiveMul: op.Mul, op.SubgroupExclusiveAdd: op.Add, op.SubgroupExclusiveMul: op.Mul}

// reduce computes a reduction or a scan over the members of a subgroup.
func (w *worker) reduce(g *groupOperation, to, from operand) {
	f := eval.For(combining[g.op], g.kind)
	lanes := w.members
	sum := w.get(from, lanes[0])
	switch g.op {
	case op.SubgroupInclusiveAdd, op.SubgroupInclusiveMul:
		w.put(to, lanes[0], sum)
		for _, k := range lanes[1:] {
			sum = f(sum, w.get(from, k), 0, 0)
			w.put(to, k, sum)
		}
	case op.SubgroupExclusiveAdd, op.SubgroupExclusiveMul:
		w.put(to, lanes[0], identity(g))
		for _, k := range lanes[1:] {
			own := w.get(from, k)
			w.put(to, k, sum)
			sum = f(sum, own, 0, 0)
		}
	default:
		for _, k := range lanes[1:] {
			sum = f(sum, w.get(from, k), 0, 0)
		}
		for _, k := range lanes {
			w.put(to, k, sum)
		}
	}
}

// identity returns what an exclusive scan gives the first lane: 0 or 1.
func identity(g *groupOperation) uint64 {
	switch {
	case g.op == op.SubgroupExclusiveAdd:
		return 0
	case g.kind.IsFloat():
		return scalar.FromFloat64(g.kind, 1)
	}
	return 1
}

// maxFullLanes bounds the subgroups that are executed as columns.
const maxFullLanes = 128

// lanesOf returns the words of a column in lanes that are neighbours, or nil if the operand is
// none. What holds or does not is a word of ones or zeros.
func (w *worker) lanesOf(o operand, first, count int) []uint32 {
	if o.step != 4 || o.class == mir.Long {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Add(w.arena, int(o.at)+4*first)), count)
}

// copyOf copies the words of an operand in lanes that are neighbours, or the word that they have in
// common.
func (w *worker) copyOf(o operand, first, count int, to *[maxFullLanes]uint32) {
	if from := w.lanesOf(o, first, count); from != nil {
		copy(to[:], from)
	} else {
		fillWords(to[:count], *(*uint32)(w.at(o.at)))
	}
}

func fillWords(to []uint32, value uint32) {
	for k := range to {
		to[k] = value
	}
}

// meetFull executes the operation in a subgroup of so many lanes, which all run, and reports
// whether it has: it leaves what it has no short way for.
func (w *worker) meetFull(g *groupOperation, results, in []operand, first, count int) bool {
	if count > maxFullLanes || isReduction(g.op) && (!g.kind.IsInteger() || g.kind.Bits() != 32) {
		return false
	}
	for _, o := range results {
		if w.lanesOf(o, first, count) == nil {
			return false
		}
	}
	for _, o := range in {
		if o.step != 0 && w.lanesOf(o, first, count) == nil || o.class == mir.Long {
			return false
		}
	}
	var values, operands [maxFullLanes]uint32 // results may lie where operands do
	if g.second {
		w.copyOf(in[len(results)], first, count, &operands)
	}
	for n := range results {
		to := w.lanesOf(results[n], first, count)
		// an election has no operand, and a ballot one for all results
		if n < len(in) && (n == 0 || g.op != op.SubgroupBallot) {
			w.copyOf(in[n], first, count, &values)
		}
		switch {
		case g.op == op.SubgroupElect:
			fillWords(to, 0)
			to[0] = ^uint32(0)
		case g.op == op.SubgroupAll || g.op == op.SubgroupAny:
			all, some := ^uint32(0), uint32(0)
			for _, x := range values[:count] {
				all, some = all&x, some|x
			}
			if g.op == op.SubgroupAny {
				all = some
			}
			fillWords(to, -(all & 1))
		case g.op == op.SubgroupBallot:
			ballot := uint32(0)
			for k, x := range values[min(32*n, count):min(32*n+32, count)] {
				ballot |= x & 1 << k
			}
			fillWords(to, ballot)
		case g.op == op.SubgroupBroadcastFirst:
			fillWords(to, values[0])
		case isReduction(g.op):
			w.joinWords(g, to, values[:count])
		default:
			for k := range to {
				lane := source(g.op, uint64(k), uint64(operands[k]))
				if lane >= uint64(count) {
					lane = uint64(k)
				}
				to[k] = values[lane]
			}
		}
	}
	return true
}

// joinWords is reduce for words of integers.
func (w *worker) joinWords(g *groupOperation, to, from []uint32) {
	sum := from[0]
	switch g.op {
	case op.SubgroupInclusiveAdd, op.SubgroupExclusiveAdd:
		sum = 0
		for k, x := range from {
			if sum += x; g.op == op.SubgroupInclusiveAdd {
				to[k] = sum
			} else {
				to[k] = sum - x
			}
		}
		return
	case op.SubgroupInclusiveMul, op.SubgroupExclusiveMul:
		sum = 1
		for k, x := range from {
			before := sum
			if sum *= x; g.op == op.SubgroupInclusiveMul {
				to[k] = sum
			} else {
				to[k] = before
			}
		}
		return
	case op.SubgroupAdd:
		for _, x := range from[1:] {
			sum += x
		}
	case op.SubgroupMul:
		for _, x := range from[1:] {
			sum *= x
		}
	case op.SubgroupAnd:
		for _, x := range from[1:] {
			sum &= x
		}
	case op.SubgroupOr:
		for _, x := range from[1:] {
			sum |= x
		}
	case op.SubgroupXor:
		for _, x := range from[1:] {
			sum ^= x
		}
	default: // the least or the greatest; with the sign bit flipped, both kinds have one order
		bias := uint32(0)
		if g.kind.IsSigned() {
			bias = 1 << 31
		}
		for _, x := range from[1:] {
			if (x^bias < sum^bias) == (g.op == op.SubgroupMin) {
				sum = x
			}
		}
	}
	for k := range to {
		to[k] = sum
	}
}
