package amdgputest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file compares the rows of a target's table with package eval, on random operands and on
// limits. For each kind there is a kernel with all operations on it, in strict mode.

// tested are the kinds of operands. Narrow integers are words in registers and have no rows.
var tested = []scalar.Kind{scalar.I32, scalar.U32, scalar.I64, scalar.U64, scalar.F16, scalar.F32, scalar.F64}

// regular are the operations on scalars that eval has, with the maximum relative error of results
// that are floats.
var regular = map[op.Op]float64{
	op.Neg: 0, op.Add: 0, op.Sub: 0, op.Mul: 0, op.MulHigh: 0, op.Div: 0, op.Rem: 0x1p-18, op.Abs: 0, op.Min: 0, op.Max: 0, op.Clamp: 0, op.Sign: 0, op.Fma: 0,
	op.Not: 0, op.And: 0, op.Or: 0, op.Xor: 0, op.Shl: 0, op.Shr: 0, op.CountOneBits: 0, op.CountLeadingZeros: 0, op.CountTrailingZeros: 0,
	op.FirstLeadingBit: 0, op.FirstTrailingBit: 0, op.ReverseBits: 0, op.ExtractBits: 0, op.InsertBits: 0,
	op.Eq: 0, op.Ne: 0, op.Lt: 0, op.Le: 0, op.Gt: 0, op.Ge: 0,
	op.Floor: 0, op.Ceil: 0, op.Trunc: 0, op.Round: 0, op.Fract: 0, op.Sqrt: 0, op.InverseSqrt: 0x1p-21, op.Sin: 0x1p-11, op.Cos: 0x1p-11,
	op.Exp2: 0x1p-20, op.Log2: 0x1p-20, op.QuantizeF16: 0,
}

// shape returns the number of operands of an operation, and the index of the first that is u32.
func shape(o op.Op) (count, words int) {
	signature, _, _ := strings.Cut(o.Info().Signature, "->")
	if _, list, found := strings.Cut(signature, ";"); found {
		signature = list
	}
	words = 9
	for n, part := range strings.Split(signature, ",") {
		if count++; strings.Contains(part, "u32") {
			words = min(words, n)
		}
	}
	return count, words
}

// result is an operation, or a conversion, whose result a kernel stores.
type result struct {
	o     op.Op
	to    scalar.Kind // of the result
	count int         // of operands
	words int         // index of the first operand that is u32
}

const (
	invocations = 256 // of a kernel, each with other operands
	slots       = 64  // results of an invocation in each buffer; there is a buffer for each kind
)

// programOf returns the kernel for a kind, and its results.
func programOf(k scalar.Kind, has func(o op.Op, k scalar.Kind) bool) (string, []result) {
	var results []result
	var head, body strings.Builder
	for n := range 3 {
		fmt.Fprintf(&head, "var @x%d : ptr<storage, array<%s>> [group 0, binding %d]\n", n, k, n)
		fmt.Fprintf(&body, "  %%px%d = access @x%d, %%i : ptr<storage, %s>\n  %%v%d = load %%px%d : %s\n", n, n, k, n, n, k)
	}
	for n := range 2 {
		fmt.Fprintf(&head, "var @n%d : ptr<storage, array<u32>> [group 0, binding %d]\n", n, 3+n)
		fmt.Fprintf(&body, "  %%pn%d = access @n%d, %%i : ptr<storage, u32>\n  %%u%d = load %%pn%d : u32\n", n, n, n, n)
	}
	for n, of := range tested {
		fmt.Fprintf(&head, "var @o_%s : ptr<storage, array<%s>, read_write> [group 1, binding %d]\n", of, of, n)
	}
	fmt.Fprintf(&body, "  %%first = mul %%i, %du : u32\n", slots)
	keep := func(r result, text string) {
		n := len(results)
		value, stored := fmt.Sprintf("%%r%d", n), r.to
		fmt.Fprintf(&body, "  %s = %s : %s\n", value, text, r.to)
		if r.to == scalar.Bool {
			fmt.Fprintf(&body, "  %%w%d = convert %s : u32\n", n, value)
			value, stored = fmt.Sprintf("%%w%d", n), scalar.U32
		}
		fmt.Fprintf(&body, "  %%at%d = add %%first, %du : u32\n  %%po%d = access @o_%s, %%at%d : ptr<storage, %s, read_write>\n  store %%po%d, %s\n",
			n, n, n, stored, n, stored, n, value)
		results = append(results, r)
	}
	for o := op.Neg; o < op.Count; o++ {
		_, listed := regular[o]
		if !listed || !has(o, k) && !(k == scalar.F16 && has(o, scalar.F32) && o != op.QuantizeF16) {
			continue
		}
		if eval.For(o, k) == nil {
			continue
		}
		count, words := shape(o)
		r := result{o: o, to: k, count: count, words: words}
		if o >= op.Eq && o <= op.Ge {
			r.to = scalar.Bool
		}
		var args []string
		for n := range count {
			if n >= words {
				args = append(args, fmt.Sprintf("%%u%d", n-words))
			} else {
				args = append(args, fmt.Sprintf("%%v%d", n))
			}
		}
		keep(r, o.String()+" "+strings.Join(args, ", "))
	}
	for _, to := range append(tested, scalar.Bool) {
		if to != k {
			keep(result{o: op.Convert, to: to, count: 1, words: 9}, "convert %v0")
		}
	}
	return head.String() + fmt.Sprintf("kernel @main(%%i: u32 [global_invocation_index]) [workgroup %du, 1u, 1u] {\n%s  return\n}\n", invocations, body.String()), results
}

// limits are bit patterns at limits and special values of the kinds.
var limits = map[scalar.Kind][]uint64{
	scalar.I32: {0, 1, 1<<32 - 1, 1 << 31, 1<<31 - 1, 255}, scalar.U32: {0, 1, 1<<32 - 1, 1 << 31, 1<<31 - 1, 31, 32, 33},
	scalar.I64: {0, 1, 1<<64 - 1, 1 << 63, 1<<63 - 1, 1 << 32}, scalar.U64: {0, 1, 1<<64 - 1, 1 << 63, 63, 64, 1 << 32},
	scalar.F16: {0, 1 << 15, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x7BFF, 1, 0x0400, 0x3800},
	scalar.F32: {0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 1, 0x00800000},
	scalar.F64: {0, 1 << 63, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x41E0000000000000, 0x43E0000000000000, 1},
}

func randomBits(random *rand.Rand, k scalar.Kind) uint64 {
	switch {
	case random.IntN(4) == 0:
		return limits[k][random.IntN(len(limits[k]))]
	case k.IsFloat():
		return scalar.FromFloat64(k, (random.Float64()-0.5)*math.Ldexp(1, random.IntN(12)))
	}
	return random.Uint64() >> random.IntN(64) & k.Mask()
}

func read(b []byte, k scalar.Kind, n int) uint64 {
	var word [8]byte
	copy(word[:], b[n*k.Bytes():][:k.Bytes()])
	return binary.LittleEndian.Uint64(word[:])
}

// Operations are kernels with all operations that a target has on each kind, and their launches.
type Operations struct {
	Programs []bench.Program
	Jobs     []*fibers.Job
	all      [][]result // by program
	inputs   [][][]byte // by program
}

// NewOperations compiles the kernels in strict mode. has reports whether the target has an
// operation on a kind; others are left out. An error is one of the compiler.
func NewOperations(target *codegen.Target, has func(o op.Op, k scalar.Kind) bool) (*Operations, error) {
	random := rand.New(rand.NewPCG(11, 13))
	x := new(Operations)
	for _, k := range tested {
		text, results := programOf(k, has)
		m, _, items := ir.ParseString(text)
		if m == nil {
			return nil, fmt.Errorf("%+v\n%s", items, text)
		}
		var list diag.List
		a := codegen.Compile(m, "main", target, &codegen.Options{Math: opt.MathStrict, NoOptimize: true, Context: &opt.Context{Verify: true}}, &list)
		if a == nil {
			return nil, fmt.Errorf("%s: %+v", k, list.Items())
		}
		j := new(fibers.Job)
		var in [][]byte
		for n := range 5 {
			of := k
			if n >= 3 {
				of = scalar.U32
			}
			data := make([]byte, 0, invocations*8)
			for range invocations {
				v := randomBits(random, of)
				if n >= 3 && random.IntN(4) != 0 {
					v = uint64(random.IntN(70)) // for shifts and bit fields
				}
				data = append(data, binary.LittleEndian.AppendUint64(nil, v)[:of.Bytes()]...)
			}
			in = append(in, data)
			j.Data = append(j.Data, data)
		}
		for _, of := range tested {
			j.Data = append(j.Data, make([]byte, invocations*slots*of.Bytes()))
		}
		bindings := make([]int, len(j.Data))
		for n := range bindings {
			bindings[n] = n
		}
		bench.Add(j, len(x.Programs), &a.Kernel, [3]uint32{1, 1, 1}, bindings, nil)
		x.Programs, x.Jobs = append(x.Programs, bench.Program{Code: a.Code, Kernel: &a.Kernel}), append(x.Jobs, j)
		x.all, x.inputs = append(x.all, results), append(x.inputs, in)
	}
	return x, nil
}

// Compare returns the number of operations, and a message for each whose results in the jobs'
// memory are wrong.
func (x *Operations) Compare() (compared int, wrong []string) {
	for p, k := range tested {
		if err := x.Jobs[p].Err; err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", k, err))
			continue
		}
		for n, r := range x.all[p] {
			compared++
			for i := range invocations {
				var args [4]uint64
				for a := range r.count {
					if a >= r.words {
						args[a] = read(x.inputs[p][3+a-r.words], scalar.U32, i)
					} else {
						args[a] = read(x.inputs[p][a], k, i)
					}
				}
				stored, want := r.to, uint64(0)
				if r.to == scalar.Bool {
					stored = scalar.U32
				}
				if r.o == op.Convert {
					want = eval.Convert(r.to, k)(args[0])
				} else {
					want = eval.For(r.o, k)(args[0], args[1], args[2], args[3])
				}
				if got := read(x.Jobs[p].Data[5+slices.Index(tested, stored)], stored, i*slots+n); !close(r, k, args, want&stored.Mask(), got) {
					wrong = append(wrong, fmt.Sprintf("%s of %s to %s: %x gives %x, want %x", r.o, k, r.to, args[:r.count], got, want))
					break
				}
			}
		}
	}
	return compared, wrong
}

// close reports whether a result is within the allowed error.
func close(r result, k scalar.Kind, args [4]uint64, want, got uint64) bool {
	if want == got {
		return true
	}
	if !r.to.IsFloat() {
		return false
	}
	a, b := scalar.ToFloat64(r.to, want), scalar.ToFloat64(r.to, got)
	x := scalar.ToFloat64(k, args[0])
	switch {
	case a != a && b != b || a == b: // the sign of a zero is free
		return true
	case (r.o == op.Min || r.o == op.Max || r.o == op.Clamp || r.o == op.Sign) && (a != a || b != b):
		return true // of a NaN and another value, either may be the result
	case (r.o == op.Sin || r.o == op.Cos) && (math.IsInf(x, 0) || math.Abs(x) > 1e5):
		return true // there is no bound on the error
	case r.o == op.Rem && (math.IsInf(scalar.ToFloat64(k, args[1]), 0) || math.Abs(x) > 0x1p20*math.Abs(scalar.ToFloat64(k, args[1]))):
		return true
	case regular[r.o] == 0 || math.IsNaN(a) || math.IsInf(a, 0):
		return false
	}
	bound := regular[r.o] * max(math.Abs(a), 0x1p-3)
	if r.to == scalar.F16 {
		bound = max(bound, math.Abs(a)*0x1p-9)
	}
	return math.Abs(a-b) <= bound
}
