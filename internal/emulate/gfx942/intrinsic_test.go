package gfx942

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Tests of the intrinsics that multiply matrices, in IR that is written by hand.

// intrinsicProducts are the intrinsics of gfx942, by their index in products.
var intrinsicProducts = []op.IntrinsicID{op.MfmaF16, op.MfmaBF16, op.MfmaI8, op.MfmaF32, op.MfmaF64}

// elementTypes are the types of the letters of an intrinsic.
var elementTypes = map[byte]string{'u': "u32", 'f': "f32", 'd': "f64"}

// intrinsicKernel returns a kernel that multiplies what its lanes load, adds the product a second
// time, and stores the result: sums + 2·a·b. With negated, what is added are the negated sums,
// which other instructions compute. They also read the result.
func intrinsicKernel(id op.IntrinsicID, negated bool) string {
	row := id.Info()
	count := len(row.Results)
	words := (len(row.Operands) - count) / 2
	a, sum := elementTypes[row.Operands[0]], elementTypes[row.Results[0]]
	var b strings.Builder
	for n, name := range []string{"a", "b", "c", "d"} {
		t := a
		if n > 1 {
			t = sum
		}
		fmt.Fprintf(&b, "var @%s : ptr<storage, array<%s>, read_write> [group 0, binding %d]\n", name, t, n)
	}
	b.WriteString("\nkernel @product(%i: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] {\n")
	var operands []string
	address := func(name, t string, n, of int) string {
		p := fmt.Sprintf("%%p%s%d", name, n)
		fmt.Fprintf(&b, "  %%m%s%d = mul %%i, %du : u32\n  %%n%s%d = add %%m%s%d, %du : u32\n", name, n, of, name, n, name, n, n)
		fmt.Fprintf(&b, "  %s = access @%s, %%n%s%d : ptr<storage, %s, read_write>\n", p, name, name, n, t)
		return p
	}
	load := func(name, t string, of int) {
		for n := range of {
			fmt.Fprintf(&b, "  %%%s%d = load %s : %s\n", name, n, address(name, t, n, of), t)
			x := fmt.Sprintf("%%%s%d", name, n)
			if name == "c" && negated {
				fmt.Fprintf(&b, "  %%y%d = sub %s, %s : %s\n", n, map[string]string{"u32": "0u", "f32": "0f", "f64": "0lf"}[t], x, t)
				x = fmt.Sprintf("%%y%d", n)
			}
			operands = append(operands, x)
		}
	}
	load("a", a, words)
	load("b", a, words)
	load("c", sum, count)
	result := fmt.Sprintf("vec%d<%s>", count, sum)
	fmt.Fprintf(&b, "  %%first = intrinsic %s [%s] : %s\n", strings.Join(operands, ", "), id, result)
	for n := range count {
		fmt.Fprintf(&b, "  %%f%d = extract %%first, %du : %s\n", n, n, sum)
		operands[2*words+n] = fmt.Sprintf("%%f%d", n)
	}
	fmt.Fprintf(&b, "  %%second = intrinsic %s [%s] : %s\n", strings.Join(operands, ", "), id, result)
	for n := range count {
		fmt.Fprintf(&b, "  %%s%d = extract %%second, %du : %s\n  store %s, %%s%d\n", n, n, sum, address("d", sum, n, count), n)
	}
	b.WriteString("  return\n}\n")
	return b.String()
}

// compileIR compiles a kernel of IR.
func compileIR(t *testing.T, text string, target *codegen.Target, o codegen.Options) bench.Program {
	t.Helper()
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("does not parse: %v\n%s", items, text)
	}
	var list diag.List
	if ir.Verify(m, &list); list.Errors() > 0 {
		t.Fatalf("does not verify: %v\n%s", list.Items(), text)
	}
	target, err := target.With(profile)
	if err != nil {
		t.Fatal(err)
	}
	o.Context = &opt.Context{Verify: true}
	x := codegen.Compile(m, "", target, &o, &list)
	if x == nil {
		t.Fatalf("does not compile: %v\n%s", list.Items(), text)
	}
	return bench.Program{Code: x.Code, Kernel: &x.Kernel}
}

// TestIntrinsics executes the intrinsics by LLVM and without it, and compares the results with
// arithmetic on small integers, which is exact in every type.
func TestIntrinsics(t *testing.T) {
	needTools(t)
	random := rand.New(rand.NewPCG(5, 6))
	for n, id := range intrinsicProducts {
		for _, negated := range []bool{false, true} {
			p := &products[n]
			text := intrinsicKernel(id, negated)
			each := p.depth / 4
			buffers := [][]byte{make([]byte, 64*each*p.operand.bytes), make([]byte, 64*each*p.operand.bytes), make([]byte, 64*4*p.sum.bytes)}
			want := make([]byte, len(buffers[2]))
			var a, b [16][32]int
			for at := range 16 {
				for k := range p.depth {
					a[at][k], b[at][k] = random.IntN(31)-15, random.IntN(31)-15
					p.operand.put(buffers[0], k/each*16+at, each, k%each, a[at][k])
					p.operand.put(buffers[1], k/each*16+at, each, k%each, b[at][k])
				}
			}
			for row := range 16 {
				for column := range 16 {
					lane, element := p.home(row, column)
					sum := random.IntN(1000) - 500
					p.sum.put(buffers[2], lane, 4, element, sum)
					if negated {
						sum = -sum
					}
					for k := range p.depth {
						sum += 2 * a[row][k] * b[column][k]
					}
					p.sum.put(want, lane, 4, element, sum)
				}
			}
			for _, o := range []codegen.Options{{}, {NoOptimize: true}} {
				byLLVM := compileIR(t, text, &amdgpu.Target, o)
				assembled, err := bench.Assemble(profile, []bench.Program{byLLVM})
				if err != nil {
					t.Fatal(err)
				}
				direct := compileIR(t, text, amdgpu.Direct(), o)
				spilled := compileIR(t, text, amdgpu.DirectWithin(40), o)
				for _, c := range []struct {
					name, kernel string
					object       []byte
					program      bench.Program
				}{
					{"LLVM", bench.KernelName(0), assembled.Data, byLLVM}, {"direct", direct.Kernel.Name, direct.Code, direct}, {"few registers", spilled.Kernel.Name, spilled.Code, spilled},
				} {
					loaded, err := Load(c.object)
					if err != nil {
						t.Fatal(err)
					}
					result := make([]byte, len(want))
					l := launchOf(0, c.program.Kernel, [3]uint32{1, 1, 1}, append(buffers[:3:3], result), nil)
					l.Kernel = c.kernel
					count := 0
					l.Count = func(name string, _ bool) {
						if strings.HasPrefix(name, "v_mfma") {
							count++
						}
					}
					if err := loaded.Run(l); err != nil {
						t.Errorf("%s, %s: %v", id, c.name, err)
						continue
					}
					if count != 2 {
						t.Errorf("%s, %s: %d products are executed", id, c.name, count)
					}
					for n := 0; n < len(want); n += 4 {
						if got, want := binary.LittleEndian.Uint32(result[n:]), binary.LittleEndian.Uint32(want[n:]); got != want {
							t.Errorf("%s, %s: byte %d of lane %d is %#x, not %#x", id, c.name, n%(4*p.sum.bytes), n/(4*p.sum.bytes), got, want)
							break
						}
					}
				}
			}
		}
	}
}
