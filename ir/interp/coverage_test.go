package interp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// TestCoverage executes every operation of the op table: the elementwise ones on
// all their kinds and shapes against package eval, the others by the cases in
// operations_test.go and texture_test.go. An operation that nothing executes is
// named.
func TestCoverage(t *testing.T) {
	executed := map[op.Op]bool{}
	for o := op.Invalid + 1; o < op.Count; o++ {
		if s := op.SignatureOf(o); s.Elementwise() && !o.Is(op.Convergent) {
			t.Run(o.String(), func(t *testing.T) { executed[o] = elementwise(t, o, s) })
		}
	}
	for _, c := range operationCases {
		t.Run(c.name, func(t *testing.T) {
			text := operationText(c.body)
			m, _, _ := ir.ParseString(text)
			p := compile(t, text)
			got := make([]uint32, 32)
			l := interp.Launch{Buffers: [][]byte{bytesOf(operationInput()), bytesOf(got)}, SubgroupSize: 8}
			if c.outside {
				for _, d := range checked(t, p, l) {
					if d.Code != diag.OutOfBounds {
						t.Errorf("%s: %s", d.Code, d.Message)
					}
				}
				run(t, p, l)
			} else {
				runBoth(t, p, l)
			}
			if d := cmp.Diff(c.want, got[:len(c.want)]); d != "" {
				t.Error(d)
			}
			for _, f := range m.Funcs {
				note(f, executed)
			}
		})
	}
	runTextureCases(t, executed)
	for o := op.Invalid; o < op.Count; o++ {
		if reason, ok := notExecutable[o]; ok == executed[o] {
			t.Errorf("%s: executed %v, but listed as not executable: %q", o, executed[o], reason)
		}
	}
}

const fragmentsAreLowered = "codegen replaces fragments; to the interpreter they are unsupported"

// notExecutable says which operations no program executes, and why.
var notExecutable = map[op.Op]string{
	op.Invalid:   "a removed instruction; the verifier refuses it",
	op.Print:     "codegen replaces messages; to the interpreter they are unsupported",
	op.Intrinsic: "an instruction of one target; to the interpreter it is unsupported",
	op.View:      "codegen replaces views; to the interpreter they are unsupported",

	op.FragmentLoad:   fragmentsAreLowered,
	op.FragmentStore:  fragmentsAreLowered,
	op.FragmentSplat:  fragmentsAreLowered,
	op.FragmentMulAdd: fragmentsAreLowered,
	op.FragmentAdd:    fragmentsAreLowered,
	op.FragmentSub:    fragmentsAreLowered,
	op.FragmentMul:    fragmentsAreLowered,
	op.FragmentCount:  fragmentsAreLowered,
	op.FragmentRow:    fragmentsAreLowered,
	op.FragmentColumn: fragmentsAreLowered,
	op.FragmentGet:    fragmentsAreLowered,
	op.FragmentSet:    fragmentsAreLowered,
}

func note(f *ir.Func, executed map[op.Op]bool) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		executed[f.Op(i)] = true
	}
}

// elementwise runs an operation on 64 random operands of each kind and shape,
// one invocation each, and compares with package eval.
func elementwise(t *testing.T, o op.Op, s *op.Signature) bool {
	const n = 64
	random := rand.New(rand.NewPCG(1, uint64(o)))
	ran := false
	for k := scalar.Bool; k < scalar.AbstractInt; k++ {
		if !s.Class.Contains(k) || eval.For(o, k) == nil && o != op.Select {
			continue
		}
		for _, width := range []int{1, 3} {
			if width == 1 && !s.Scalar || width > 1 && !s.Vector {
				continue
			}
			text, kinds, widths, result := elementwiseText(o, s, k, width)
			var buffers [][]byte
			values := make([][]uint64, len(kinds))
			for i, kind := range kinds {
				for range n * widths[i] {
					values[i] = append(values[i], randomScalar(random, kind))
				}
				buffers = append(buffers, encode(kind, values[i]))
			}
			out := encode(result, make([]uint64, n*width))
			runBoth(t, compile(t, text), interp.Launch{Buffers: append(buffers, out), Grid: [3]uint32{n / 16, 1, 1}})
			got := decode(result, out)
			for i := range n * width {
				var a [4]uint64
				for j := range values {
					a[j] = values[j][i/width*widths[j]+i%width%widths[j]]
				}
				if want := eval.For(o, k)(a[0], a[1], a[2], a[3]); got[i] != want {
					t.Fatalf("%s of %s at %x: got %x, want %x\n%s", o, k, a[:len(values)], got[i], want, text)
				}
			}
			ran = true
		}
	}
	return ran
}

// elementwiseText writes a kernel that applies an operation to elements of
// arrays. Memory holds bools as u32, so that they are compared with 0 first.
func elementwiseText(o op.Op, s *op.Signature, k scalar.Kind, width int) (text string, kinds []scalar.Kind, widths []int, result scalar.Kind) {
	typ := func(k scalar.Kind, width int) string {
		if width > 1 {
			return fmt.Sprintf("vec%d<%s>", width, k)
		}
		return k.String()
	}
	stored := func(k scalar.Kind) scalar.Kind {
		if k == scalar.Bool {
			return scalar.U32
		}
		return k
	}
	size := func(k scalar.Kind, width int) int { return k.Bytes() * width }
	kindOf := func(p op.Pattern) scalar.Kind {
		if p.Kind == scalar.None {
			return k
		}
		return p.Kind
	}
	var head, body strings.Builder
	var names []string
	array := func(name string, k scalar.Kind, width int, access string) {
		fmt.Fprintf(&head, "var @%s : ptr<storage, array<%s, stride %d>%s> [group 0, binding %d]\n",
			name, typ(stored(k), width), size(stored(k), width), access, len(kinds))
	}
	for n, p := range s.Operands[:s.Count] {
		kind, w := kindOf(p), width
		if p.Shape == op.ScalarShape {
			w = 1
		}
		name := fmt.Sprintf("a%d", n)
		array(name, kind, w, "")
		fmt.Fprintf(&body, "  %%p%d = access @%s, %%i : ptr<storage, %s>\n", n, name, typ(stored(kind), w))
		fmt.Fprintf(&body, "  %%v%d = load %%p%d : %s\n", n, n, typ(stored(kind), w))
		names = append(names, fmt.Sprintf("%%v%d", n))
		if kind == scalar.Bool {
			fmt.Fprintf(&body, "  %%b%d = convert %%v%d : %s\n", n, n, typ(scalar.Bool, w))
			names[n] = fmt.Sprintf("%%b%d", n)
		}
		kinds, widths = append(kinds, kind), append(widths, w)
	}
	result = kindOf(s.Result)
	array("r", result, width, ", read_write")
	fmt.Fprintf(&body, "  %%r = %s %s : %s\n", o, strings.Join(names, ", "), typ(result, width))
	value := "%r"
	if result == scalar.Bool {
		fmt.Fprintf(&body, "  %%u = convert %%r : %s\n", typ(scalar.U32, width))
		value = "%u"
	}
	fmt.Fprintf(&body, "  %%q = access @r, %%i : ptr<storage, %s, read_write>\n  store %%q, %s\n  return\n", typ(stored(result), width), value)
	return head.String() + "kernel @k(%i: u32 [global_invocation_index]) [workgroup 16u, 1u, 1u] {\n" + body.String() + "}\n", kinds, widths, result
}

// randomScalar returns stored bits with many small numbers among them.
func randomScalar(r *rand.Rand, k scalar.Kind) uint64 {
	switch {
	case k == scalar.Bool:
		return r.Uint64() & 1
	case k.IsFloat() && r.IntN(4) > 0:
		return scalar.FromFloat64(k, r.NormFloat64()*float64(int(1)<<r.IntN(12)))
	case r.IntN(2) == 0:
		return scalar.FromInt64(k, int64(r.IntN(40)-8)) & k.Mask()
	}
	return r.Uint64() & k.Mask()
}

// encode and decode convert between stored scalars and memory.
func encode(k scalar.Kind, values []uint64) []byte {
	memory := bytesOf(make([]uint64, len(values)+1))
	for i, v := range values {
		for b := range k.Bytes() {
			memory[i*k.Bytes()+b] = byte(v >> (8 * b))
		}
	}
	return memory[:(len(values)*k.Bytes()+3)&^3]
}

func decode(k scalar.Kind, memory []byte) []uint64 {
	values := make([]uint64, len(memory)/k.Bytes())
	for i := range values {
		for b := range k.Bytes() {
			values[i] |= uint64(memory[i*k.Bytes()+b]) << (8 * b)
		}
	}
	return values
}
