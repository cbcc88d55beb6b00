package jit

import (
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// elsewhere are operations that are no rows of the tables: legalisers leave none, or the package
// has code for them.
var elsewhere = map[op.Op]string{
	op.All: "vectors are scalars", op.Any: "vectors are scalars", op.Dot: "vectors are scalars",
	op.Pack4x8Snorm: "polyfilled", op.Pack4x8Unorm: "polyfilled", op.Pack4xI8: "polyfilled",
	op.Pack4xU8: "polyfilled", op.Pack4xI8Clamp: "polyfilled", op.Pack4xU8Clamp: "polyfilled", op.Pack2x16Snorm: "polyfilled",
	op.Pack2x16Unorm: "polyfilled", op.Unpack4x8Snorm: "polyfilled", op.Unpack4x8Unorm: "polyfilled", op.Unpack4xI8: "polyfilled",
	op.Unpack4xU8: "polyfilled", op.Unpack2x16Snorm: "polyfilled", op.Unpack2x16Unorm: "polyfilled",
	op.Pack2x16Float: "selector.packing", op.Unpack2x16Float: "selector.packing",
}

// unsigned are operations of which the machine level has none without a sign, as they do nothing.
var unsigned = map[op.Op]bool{op.Abs: true}

// TestOperations: an operation of the machine level on a kind has a template, or is in the list of
// those that are refused, and not both.
func TestOperations(t *testing.T) {
	kinds := [...]scalar.Kind{scalar.Bool, scalar.I32, scalar.U32, scalar.I64, scalar.U64, scalar.F16, scalar.F32, scalar.F64}
	rows := 0
	for o := range op.Op(op.Count) {
		s := op.SignatureOf(o)
		if s.Special != "" || s.Count == 0 || o >= op.SubgroupElect {
			continue
		}
		if _, ok := elsewhere[o]; ok {
			continue
		}
		for _, k := range kinds {
			if s.Class == op.NoClass || !s.Class.Contains(k) || unsigned[o] && !k.IsSigned() && k.IsInteger() {
				continue
			}
			has := table()[o][k][byAny] != nil || k == scalar.F16 && table()[o][scalar.F32][byAny] != nil && o != op.Fma
			listed := refusals[o].on>>k&1 == 1
			if rows++; has == listed {
				t.Errorf("%v of %v: there is a template: %v, it is refused: %v", o, k, has, listed)
			}
		}
	}
	t.Logf("%d operations on kinds", rows)
	for o, r := range refusals {
		if r.reason == "" || r.on == 0 {
			t.Errorf("%v is refused for no reason", o)
		}
	}
}

// TestAssignmentIsChecked: the check of assigned registers accepts what is right and names what is
// not. The lists are by hand.
func TestAssignmentIsChecked(t *testing.T) {
	v := func(n int) amd64.Operand { return amd64.Vector(amd64.FirstVirtual + n) }
	r := amd64.Vector
	numbered := func(list ...amd64.Instruction) []amd64.Instruction {
		for n := range list {
			list[n].Source = uint32(n + 1)
		}
		return list
	}
	load := func(d amd64.Operand, at int32) amd64.Instruction {
		i := amd64.Of(amd64.VMovUPS, amd64.Wide, d, amd64.Mem)
		i.Address = amd64.At(amd64.RDI, at)
		return i
	}
	keep := func(to int32, x amd64.Operand) amd64.Instruction {
		i := amd64.Of(amd64.VMovUPS, amd64.Wide, amd64.Mem, x)
		i.Address = amd64.At(contextRegister, to)
		return i
	}
	fetch := func(d amd64.Operand, at int32) amd64.Instruction {
		i := amd64.Of(amd64.VMovUPS, amd64.Wide, d, amd64.Mem)
		i.Address = amd64.At(contextRegister, at)
		return i
	}
	add := func(d, x, y amd64.Operand) amd64.Instruction { return amd64.Of(amd64.VAddPS, amd64.Wide, d, x, y) }
	before := numbered(load(v(0), 0), load(v(1), 32), add(v(2), v(0), v(1)), add(v(3), v(2), v(0)))
	with := func(list []amd64.Instruction, at int, more ...amd64.Instruction) []amd64.Instruction {
		return append(append(append([]amd64.Instruction(nil), list[:at]...), more...), list[at:]...)
	}
	good := numbered(load(r(0), 0), load(r(1), 32), add(r(1), r(0), r(1)), add(r(2), r(1), r(0)))
	for _, c := range []struct {
		name string
		code []amd64.Instruction
		ok   bool
	}{
		{"right", good, true},
		{"two values in one register", numbered(load(r(0), 0), load(r(0), 32), add(r(1), r(0), r(0)), add(r(2), r(1), r(0))), false},
		{"a value that was overwritten", numbered(load(r(0), 0), load(r(1), 32), add(r(0), r(0), r(1)), add(r(2), r(0), r(0))), false},
		{"kept in memory", with(numbered(load(r(0), 0), load(r(1), 32), add(r(0), r(0), r(1)), add(r(2), r(0), r(3))), 1, keep(512, r(0))), false},
		{"kept in memory and fetched", with(with(numbered(load(r(0), 0), load(r(1), 32), add(r(0), r(0), r(1)), add(r(2), r(0), r(3))), 3, fetch(r(3), 512)), 1, keep(512, r(0))), true},
		{"fetched from another address", with(with(numbered(load(r(0), 0), load(r(1), 32), add(r(0), r(0), r(1)), add(r(2), r(0), r(3))), 3, fetch(r(3), 544)), 1, keep(512, r(0))), false},
	} {
		err := checkAssignment(before, c.code, 0, 512, 576, 4)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}

	mark := amd64.Of(amd64.Mark, 0, amd64.Label(0))
	again := func(label int) amd64.Instruction {
		i := amd64.Of(amd64.Jcc, 0, amd64.Label(label))
		i.Condition = amd64.NotEqual
		return i
	}
	before = numbered(load(v(0), 0), load(v(1), 32), mark, add(v(1), v(1), v(0)), again(0), add(v(2), v(1), v(0)))
	// Values 0 and 1 are kept at 512 and 544. In the loop they have registers 2 and 3.
	loop := numbered(load(r(0), 0), load(r(1), 32), mark, add(r(3), r(3), r(2)), again(0), add(r(2), r(0), r(1)))
	elsewhere := numbered(load(r(0), 0), load(r(1), 32), mark, add(r(3), r(3), r(2)), again(1), add(r(2), r(0), r(1)))
	atExit := func(list []amd64.Instruction) []amd64.Instruction {
		return with(list, 5, fetch(r(0), 544), fetch(r(1), 512))
	}
	stored := func(list []amd64.Instruction) []amd64.Instruction { return with(atExit(list), 4, keep(544, r(3))) }
	entered := func(list []amd64.Instruction, loads ...amd64.Instruction) []amd64.Instruction {
		return with(with(list, 2, loads...), 2, keep(512, r(0)), keep(544, r(1)))
	}
	for _, c := range []struct {
		name string
		code []amd64.Instruction
		ok   bool
	}{
		{"a loop", entered(stored(loop), fetch(r(2), 512), fetch(r(3), 544)), true},
		{"a loop that does not store what it assigns", entered(atExit(loop), fetch(r(2), 512), fetch(r(3), 544)), false},
		{"a value that is not loaded in front of a loop", entered(stored(loop), fetch(r(3), 544)), false},
		{"values exchanged in front of a loop", entered(stored(loop), fetch(r(3), 512), fetch(r(2), 544)), false},
		{"a jump to another label", entered(stored(elsewhere), fetch(r(2), 512), fetch(r(3), 544)), false},
	} {
		err := checkAssignment(before, c.code, 2, 512, 576, 3)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
