package jit

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// This file executes the rows of the tables, one template at a time, and compares with package
// eval.

// special are bits that operations are likely to treat in a way of their own: limits, zeros of both
// signs, infinities, NaNs, subnormals, ties.
var special = map[scalar.Kind][]uint64{
	scalar.F32: {0, 1 << 31, 1, 0x807FFFFF, 0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x3FC00000, 0x40200000, 0xC0200000, 0x4B000001, 0x4EFFFFFF, 0x4F000000,
		0xCF000000, 0xCF000001, 0x4F7FFFFF, 0x4F800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7FC12345, 0x477FF000, 0x33000000, 0x38800000},
	scalar.F64: {0, 1 << 63, 1, 0x3FF0000000000000, 0xBFE0000000000000, 0x4004000000000000, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000, 0x41EFFFFFFFE00000,
		0x41F0000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000012345, 0x3FDFFFFFFFFFFFFF},
	scalar.F16:  {0, 0x8000, 1, 0x83FF, 0x3C00, 0xBC00, 0x3800, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7D01, 0x3E00, 0x4100},
	scalar.U32:  {0, 1, 2, 31, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x00FFFFFF, 0x01000001, 0xAAAAAAAA, 0x55555555, 0x0000FFFF, 0xFFFF0000},
	scalar.U64:  {0, 1, 2, 63, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 1, 1<<32 - 1, 1 << 32, 1<<31 - 1, 1 << 31, 0xAAAAAAAAAAAAAAAA, 0x123456789ABCDEF0},
	scalar.Bool: {0, 1},
}

func valuesOf(k scalar.Kind) []uint64 {
	switch k {
	case scalar.I32, scalar.I8, scalar.U8, scalar.I16, scalar.U16:
		k = scalar.U32
	case scalar.I64:
		k = scalar.U64
	}
	return special[k]
}

// tuple is the operands of one lane.
type tuple [4]uint64

// bench executes a template on tuples.
type bench struct {
	t         *template
	kinds     [4]scalar.Kind
	result    scalar.Kind
	operands  int
	constants [4]bool // operands that are the first tuple's, as constants
	general   bool
}

// run returns the results.
func (b *bench) run(t *testing.T, tuples []tuple) []uint64 {
	t.Helper()
	width := b.width()
	perVector := 32 / width
	if b.general {
		perVector = 1
	}
	var out []uint64
	memory := make([]byte, 64*8)
	memory = memory[-uintptr(unsafe.Pointer(unsafe.SliceData(memory)))&31:]
	code := b.code(t, tuples[0])
	loaded, err := execmem.Load("template", code)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	for len(tuples) > 0 {
		group := tuples[:min(perVector, len(tuples))]
		tuples = tuples[len(group):]
		for n := range b.operands {
			for k := range perVector {
				x := group[min(k, len(group)-1)][n]
				if b.kinds[n] == scalar.Bool && !b.general {
					x = -x
				}
				if width == 8 {
					if b.kinds[n].Bits() != 64 && b.kinds[n] != scalar.Bool {
						x = uint64(uint32(x))
					}
					binary.LittleEndian.PutUint64(memory[32*(n+1)+8*k:], x)
				} else {
					binary.LittleEndian.PutUint32(memory[32*(n+1)+4*k:], uint32(x))
				}
			}
		}
		loaded.Call(0, unsafe.Pointer(&memory[0]))
		for k := range group {
			var x uint64
			if width == 8 {
				x = binary.LittleEndian.Uint64(memory[8*k:])
			} else {
				x = uint64(binary.LittleEndian.Uint32(memory[4*k:]))
			}
			if b.result == scalar.Bool {
				x &= 1
			}
			out = append(out, x)
		}
	}
	return out
}

// width is how many bytes a lane has.
func (b *bench) width() int {
	if b.general {
		return 8
	}
	for _, k := range b.kinds[:b.operands] {
		if k.Bits() == 64 {
			return 8
		}
	}
	return 4
}

// code makes a function that loads the operands, computes, and stores the result, with its NaNs set
// right.
func (b *bench) code(t *testing.T, first tuple) []byte {
	var s selector
	var args [4]taken
	at := func(n int) amd64.Address { return amd64.At(amd64.RDI, int32(32*n)) }
	for n := range b.operands {
		switch {
		case b.constants[n]:
			args[n] = taken{constant: true, bits: first[n], wide: b.kinds[n].Bits() == 64}
		case b.general:
			args[n] = from(s.freshGeneral())
			s.load(amd64.Mov, amd64.Wide, args[n].register, at(n+1))
		default:
			args[n] = from(s.freshVector())
			s.load(amd64.VMovUPS, amd64.Wide, args[n].register, at(n+1))
		}
	}
	if b.general {
		w := amd64.Narrow
		if b.kinds[0].Bits() == 64 || b.kinds[0] == scalar.Bool && b.kinds[1].Bits() == 64 {
			w = amd64.Wide
		}
		d := s.freshGeneral()
		s.expand(b.t, w, d, args[:])
		s.store(amd64.Mov, amd64.Wide, at(0), d)
	} else {
		d := s.freshVector()
		s.expand(b.t, amd64.Wide, d, args[:])
		s.store(amd64.VMovUPS, amd64.Wide, at(0), d)
	}
	s.emit(amd64.Ret, 0)
	s.allocator.analyse(s.list, s.banks, s.labs)
	s.verified(512)
	code, _, err := s.machine.row().assemble(&s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// inDomain reports whether legalisers let operands through (the text in rows.go).
func inDomain(o op.Op, k scalar.Kind, x *tuple) bool {
	bits := uint64(k.Bits())
	switch o {
	case op.Div, op.Rem:
		lowest := uint64(1) << (bits - 1)
		return k.IsFloat() || x[1] != 0 && !(k.IsSigned() && x[0] == lowest && x[1] == 1<<bits-1)
	case op.Shl, op.Shr:
		return x[1] < bits
	case op.ExtractBits:
		return x[1] <= bits && x[2] <= bits-x[1]
	case op.InsertBits:
		return x[2] <= bits && x[3] <= bits-x[2]
	}
	return true
}

// TestRows executes the templates of operations on all pairs of special values and on random bits.
func TestRows(t *testing.T) {
	needCode(t)
	rng := rand.New(rand.NewPCG(1, 2))
	compared, templates := 0, 0
	for _, general := range [...]bool{false, true} {
		all := table()
		if general {
			all = scalarTable()
		}
		for o := range op.Op(op.Count) {
			for k := range scalar.Kind(scalar.Count) {
				for by, template := range all[o][k] {
					if template == nil || k.Bits() < 32 && k != scalar.Bool {
						continue
					}
					templates++
					compared += testRow(t, rng, o, k, byConstant(by), general, template)
				}
			}
		}
	}
	t.Logf("%d templates, %d results compared", templates, compared)
	if templates < 150 || compared < 30000 {
		t.Error("that is too few")
	}
}

// benchOf returns a bench for the template of an operation.
func benchOf(o op.Op, k scalar.Kind, general bool, template *template) *bench {
	b := &bench{t: template, general: general, result: k}
	switch o {
	case op.Eq, op.Ne, op.Lt, op.Le, op.Gt, op.Ge:
		b.result = scalar.Bool
	}
	b.kinds = [4]scalar.Kind{k, k, k, k}
	b.operands = 2
	switch o {
	case op.Select:
		b.kinds, b.operands = [4]scalar.Kind{scalar.Bool, k, k}, 3
	case op.Clamp, op.Fma:
		b.operands = 3
	case op.Shl, op.Shr:
		b.kinds[1] = scalar.U32
	case op.ExtractBits:
		b.kinds, b.operands = [4]scalar.Kind{k, scalar.U32, scalar.U32}, 3
	case op.InsertBits:
		b.kinds, b.operands = [4]scalar.Kind{k, k, scalar.U32, scalar.U32}, 4
	}
	return b
}

// tuples returns operands in the domain of an operation: combinations of special values, and random
// ones.
func (b *bench) tuples(rng *rand.Rand, o op.Op, k scalar.Kind) (tuples []tuple) {
	add := func(x tuple) {
		for n := range x {
			if b.kinds[n] != scalar.Bool {
				if b.kinds[n].Bits() == 32 {
					x[n] = uint64(uint32(x[n]))
				}
			} else {
				x[n] &= 1
			}
		}
		if inDomain(o, k, &x) {
			tuples = append(tuples, x)
		}
	}
	for _, x := range valuesOf(b.kinds[0]) {
		for _, y := range valuesOf(b.kinds[1]) {
			add(tuple{x, y, y, x})
			if b.operands > 2 {
				for _, z := range valuesOf(b.kinds[2]) {
					add(tuple{x, y, z, uint64(rng.Uint32N(33))})
				}
			}
		}
	}
	for range 100 {
		x := tuple{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()}
		if o == op.Shl || o == op.Shr || o == op.ExtractBits {
			x[1], x[2] = uint64(rng.Uint32N(64)), uint64(rng.Uint32N(33))
		}
		if o == op.InsertBits {
			x[2], x[3] = uint64(rng.Uint32N(33)), uint64(rng.Uint32N(33))
		}
		add(x)
	}
	return tuples
}

// evaluator returns the operation of package eval.
func evaluator(o op.Op, k scalar.Kind) func(a, b, c, d uint64) uint64 {
	switch o {
	case op.Dot4I8:
		return func(a, b, _, _ uint64) uint64 { return eval.Dot4I8(a, b) }
	case op.Dot4U8:
		return func(a, b, _, _ uint64) uint64 { return eval.Dot4U8(a, b) }
	}
	return eval.For(o, k)
}

func testRow(t *testing.T, rng *rand.Rand, o op.Op, k scalar.Kind, by byConstant, general bool, template *template) int {
	b := benchOf(o, k, general, template)
	tuples := b.tuples(rng, o, k)
	want := evaluator(o, k)
	if want == nil {
		t.Errorf("%v of %v: package eval has no such operation", o, k)
		return 0
	}
	compared := 0
	compare := func(tuples []tuple) {
		got := b.run(t, tuples)
		for n, x := range tuples {
			expected := want(x[0], x[1], x[2], x[3])
			if compared++; got[n] != expected && !(k.IsFloat() && b.result != scalar.Bool && arithmetic[o] && isNaN(k, expected) && isNaN(k, got[n])) {
				t.Errorf("%v of %v, general %v, constant %v: of %#x comes %#x, not %#x", o, k, general, by, x[:b.operands], got[n], expected)
				return
			}
		}
	}
	if by == byAny {
		compare(tuples)
		return compared
	}
	b.constants[1], b.constants[2] = true, by == byRange
	if by == byRange {
		slices.SortStableFunc(tuples, func(x, y tuple) int { return cmp.Compare(x[2], y[2]) })
		tuples = slices.DeleteFunc(tuples, func(x tuple) bool { return !byLesser.accepts(b.kinds[2], x[2]) })
	}
	slices.SortStableFunc(tuples, func(x, y tuple) int { return int(x[1]>>1) - int(y[1]>>1) })
	tuples = slices.DeleteFunc(tuples, func(x tuple) bool { return !by.accepts(b.kinds[1], x[1]) })
	groups := 24
	if by == byRange {
		groups *= 24
	}
	for range groups {
		if len(tuples) == 0 {
			break
		}
		same := 0
		for same < len(tuples) && tuples[same][1] == tuples[0][1] && (by != byRange || tuples[same][2] == tuples[0][2]) {
			same++
		}
		compare(tuples[:same])
		tuples = tuples[same:]
	}
	return compared
}

func isNaN(k scalar.Kind, bits uint64) bool { x := scalar.ToFloat64(k, bits); return x != x }

// TestRemainders compares remainders of floats with package eval for each pair of exponents:
// quotients of all sizes, subnormal numbers, zeros, infinities and NaNs.
func TestRemainders(t *testing.T) {
	needCode(t)
	rng := rand.New(rand.NewPCG(3, 4))
	b := bench{t: table()[op.Rem][scalar.F32][byAny], kinds: [4]scalar.Kind{scalar.F32, scalar.F32}, result: scalar.F32, operands: 2}
	want := eval.For(op.Rem, scalar.F32)
	masks := [...]uint32{0x7FFFFF, 0, 1, 0x400000, 0x700000}
	for x := range uint32(256) {
		var tuples []tuple
		for y := range uint32(256) {
			number := func(exponent uint32) uint64 {
				return uint64(rng.Uint32()&(1<<31) | exponent<<23 | rng.Uint32()&masks[rng.IntN(len(masks))])
			}
			// the largest quotients
			tuples = append(tuples, tuple{number(x), number(y)}, tuple{uint64(x<<23 | rng.Uint32()&0x7FFFFF), uint64(3 + y)})
		}
		for n, got := range b.run(t, tuples) {
			if expected := want(tuples[n][0], tuples[n][1], 0, 0); got != expected && !(isNaN(scalar.F32, got) && isNaN(scalar.F32, expected)) {
				t.Fatalf("of %#x comes %#x, not %#x", tuples[n][:2], got, expected)
			}
		}
	}
}
