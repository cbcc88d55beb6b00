package ptxas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// evaluate returns the bits of the result of a function without control flow.
func evaluate(t *testing.T, f *ir.Func, args ...uint32) uint32 {
	m := f.Module
	values := make([]ir.Value, f.ValueCount())
	for n, p := range f.Params(f.Entry) {
		values[p] = m.ConstI32(int32(args[n]))
	}
	for i := f.First(f.Entry); ; i = f.Next(i) {
		operands := slices.Clone(f.Args(i))
		for n, v := range operands {
			if v.IsLocal() {
				operands[n] = values[v]
			}
		}
		if f.Op(i) == op.Return {
			return uint32(m.ConstBits(operands[0]))
		}
		v, ok := m.Fold(f.Op(i), f.Type(i), f.Aux(i), operands)
		if !ok {
			t.Fatalf("cannot evaluate %s", f.InstText(i))
		}
		values[f.Result(i)] = v
	}
}

// TestKnownBits evaluates random expressions for random operands and compares with their known
// bits.
func TestKnownBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	constants := []string{"0", "1", "7", "255", "1024", "65535", "1073741824", "2147483647"}
	known := 0
	for range 3000 {
		signed := []bool{true, true} // of each value; v0 and v1 are the parameters
		var text strings.Builder
		value := func(sign bool) string {
			suffix := map[bool]string{true: "i", false: "u"}[sign]
			if r.IntN(3) == 0 {
				return constants[r.IntN(len(constants))] + suffix
			}
			from := r.IntN(len(signed))
			if signed[from] == sign {
				return fmt.Sprintf("%%v%d", from)
			}
			return map[bool]string{true: "-2147483648i", false: "4294967040u"}[sign]
		}
		for len(signed) < 8 {
			sign := r.IntN(3) > 0
			kind := map[bool]string{true: "i32", false: "u32"}[sign]
			var right string
			switch n := r.IntN(8); n {
			case 0, 1:
				right = fmt.Sprintf("%s %s, %du : %s", []string{"shl", "shr"}[n], value(sign), r.IntN(32), kind)
			case 2:
				right = fmt.Sprintf("not %s : %s", value(sign), kind)
			case 3:
				right = fmt.Sprintf("bitcast %s : %s", value(!sign), kind)
			case 4:
				narrow := []string{"i8", "u8", "i16", "u16"}[r.IntN(4)]
				fmt.Fprintf(&text, "  %%n%d = convert %s : %s\n", len(signed), value(sign), narrow)
				right = fmt.Sprintf("convert %%n%d : %s", len(signed), kind)
			default:
				o := []string{"or", "and", "xor", "add", "sub", "mul"}[r.IntN(6)]
				right = fmt.Sprintf("%s %s, %s : %s", o, value(sign), value(sign), kind)
			}
			fmt.Fprintf(&text, "  %%v%d = %s\n", len(signed), right)
			signed = append(signed, sign)
		}
		kind := map[bool]string{true: "i32", false: "u32"}[signed[7]]
		m := irtest.Parse(t, fmt.Sprintf("fn @f(%%v0: i32, %%v1: i32) : %s {\n%s  return %%v7\n}\n", kind, text.String()))
		f := m.Funcs[0]
		rw := rewrite.New(&opt.Context{List: new(diag.List)}, m)
		rw.F = f
		last := f.Arg(f.Last(f.Entry), 0)
		k := computeKnownBits(&rw, last, knownBitsDepth)
		if k.Zero|k.One != 0 && last.IsLocal() {
			known++
		}
		for range 20 {
			a, b := r.Uint32(), r.Uint32()>>r.IntN(32)
			if got := evaluate(t, f, a, b); got&k.Zero != 0 || ^got&k.One != 0 {
				t.Fatalf("f(%#x, %#x) = %#x, but the bits %#x are known to be 0, and %#x to be 1\n%s", a, b, got, k.Zero, k.One, m.Text())
			}
		}
	}
	if known < 1000 {
		t.Errorf("only %d expressions have known bits", known)
	}
}
