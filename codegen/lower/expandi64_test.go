package lower_test

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// wideResults computes the operations that ExpandI64 splits, in Go: of x, of an inserted value, and
// of a field that lies within x.
var wideResults = map[op.Op]func(signed bool, x, y, offset, count uint64) uint64{
	op.MulHigh: func(_ bool, x, y, _, _ uint64) uint64 {
		product := new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(y))
		return product.Rsh(product, 64).Uint64()
	},
	op.CountOneBits: func(_ bool, x, _, _, _ uint64) uint64 { return uint64(bits.OnesCount64(x)) },
	op.ReverseBits:  func(_ bool, x, _, _, _ uint64) uint64 { return bits.Reverse64(x) },
	op.FirstLeadingBit: func(signed bool, x, _, _, _ uint64) uint64 {
		if signed && int64(x) < 0 {
			x = ^x
		}
		return uint64(bits.Len64(x)) - 1
	},
	op.FirstTrailingBit: func(_ bool, x, _, _, _ uint64) uint64 {
		if x == 0 {
			return 1<<64 - 1
		}
		return uint64(bits.TrailingZeros64(x))
	},
	op.ExtractBits: func(signed bool, x, _, offset, count uint64) uint64 {
		field := x >> offset & (1<<count - 1)
		if signed && count > 0 && field>>(count-1) == 1 {
			field |= ^uint64(0) << count
		}
		return field
	},
	op.InsertBits: func(_ bool, x, y, offset, count uint64) uint64 {
		mask := uint64(1<<count-1) << offset
		return x&^mask | y<<offset&mask
	},
}

// TestExpandI64 runs each operation on 64-bit integers after the pass, and fields of 32-bit
// integers after DefineArithmetic, which expands them to shifts.
func TestExpandI64(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 4))
	for o := range op.Count {
		if lower.ExpandI64Rules[o] == nil {
			continue
		}
		kinds := []scalar.Kind{scalar.I64, scalar.U64}
		isField := o == op.ExtractBits || o == op.InsertBits
		if isField {
			kinds = append(kinds, scalar.I32, scalar.U32)
		}
		for _, k := range kinds {
			if !op.SignatureOf(o).Class.Contains(k) {
				continue
			}
			width := k.Bits()
			for _, components := range []int{1, 2} {
				integer := func(m *ir.Module) ir.Type {
					if components == 1 {
						return ir.Type(k)
					}
					return m.VectorOf(ir.Type(k), components)
				}
				types := func(m *ir.Module) []ir.Type {
					var list []ir.Type
					for _, p := range op.SignatureOf(o).Operands[:op.SignatureOf(o).Count] {
						list = append(list, m.PatternType(p, integer(m)))
					}
					return list
				}
				m := kernelOf(o, ir.Void, types)
				c := &opt.Context{List: new(diag.List), Verify: true}
				c.Run(m, []opt.Pass{lower.DefineArithmetic(lower.GuardBitField), lower.ExpandI64}, ir.Initial)
				if isField && strings.Contains(m.Text(), "= "+o.String()+" ") {
					t.Errorf("%s of %s is still there", o, k)
				}
				x, y := make([]uint64, cases*components), make([]uint64, cases*components)
				for n := range x {
					x[n], y[n] = random.Uint64()>>(64-width)>>random.IntN(width+1), random.Uint64()&k.Mask()
					if random.IntN(2) == 0 {
						x[n] = ^x[n] & k.Mask()
					}
				}
				offset, count := make([]uint64, cases), make([]uint64, cases)
				for n := range offset {
					offset[n], count[n] = uint64(random.IntN(width+1)), uint64(random.IntN(width+1))
					if random.IntN(8) == 0 {
						offset[n] = uint64(random.Uint32())
					}
				}
				inputs := map[op.Op][][]uint64{op.ExtractBits: {x, offset, count}, op.InsertBits: {x, y, offset, count}, op.MulHigh: {x, y}}[o]
				if inputs == nil {
					inputs = [][]uint64{x}
				}
				for n, got := range runKernel(t, m, inputs) {
					at := n / components
					first := min(offset[at], uint64(width))
					length := min(count[at], uint64(width)-first)
					if want := wideResults[o](k.IsSigned(), x[n], y[n], first, length) & k.Mask(); got != want {
						t.Fatalf("%s of %s %#x, %#x, %d, %d is %#x, want %#x", o, k, x[n], y[n], offset[at], count[at], got, want)
					}
				}
			}
		}
	}
}
