package ptx_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/fragmenttest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// fragmentProducts are a case for each product of the table.
var fragmentProducts = []fragmenttest.Case{
	{Subgroup: 32, Element: scalar.F16, Sum: scalar.F32, Depth: 16, Columns: 16},
	{Subgroup: 32, Element: scalar.F16, Sum: scalar.F16, Depth: 16, Columns: 16},
	{Subgroup: 32, Element: scalar.BF16, Sum: scalar.F32, Depth: 16, Columns: 16},
	{Subgroup: 32, Element: scalar.I8, Sum: scalar.I32, Depth: 32, Columns: 16},
	{Subgroup: 32, Element: scalar.U8, Sum: scalar.U32, Depth: 32, Columns: 16},
	{Subgroup: 32, Element: scalar.F16, Sum: scalar.F32, Depth: 16, Columns: 8},
	{Subgroup: 32, Element: scalar.F16, Sum: scalar.F16, Depth: 16, Columns: 8},
	{Subgroup: 32, Element: scalar.BF16, Sum: scalar.F32, Depth: 16, Columns: 8},
	{Subgroup: 32, Element: scalar.I8, Sum: scalar.I32, Depth: 32, Columns: 8},
	{Subgroup: 32, Element: scalar.U8, Sum: scalar.U32, Depth: 32, Columns: 8},
	{Subgroup: 32, Element: scalar.U8, Sum: scalar.I32, Depth: 32, Columns: 16},
	{Subgroup: 32, Element: scalar.I8, Right: scalar.U8, Sum: scalar.I32, Depth: 32, Columns: 16},
	{Subgroup: 32, Element: scalar.U8, Right: scalar.I8, Sum: scalar.I32, Depth: 32, Columns: 8},
	{Subgroup: 32, Element: scalar.F64, Sum: scalar.F64, Depth: 4, Columns: 8},
	{Subgroup: 32, Element: scalar.F64, Sum: scalar.F64, Depth: 8, Columns: 8},
}

// profileOf returns the lowest profile with the instruction that multiplies what a case does.
func profileOf(c *fragmenttest.Case) string {
	if c.Element == scalar.F64 && c.Depth == 8 {
		return "sm_90"
	}
	return "sm_80"
}

// fragmentCaseCount is how many cases there are for a product.
const fragmentCaseCount = 3 << 4

// fragmentCase returns a case of a product: with memory of each kind and order, and rows that begin
// at multiples of 16 bytes, of words, or anywhere. It also returns how many operands ldmatrix
// loads: those of four registers.
func fragmentCase(c fragmenttest.Case, n int) (_ fragmenttest.Case, matrices int) {
	c.Shared = n&1 != 0
	c.ByColumn = [3]bool{n&2 != 0, n&4 != 0, n&8 != 0}
	from := [...]struct{ offset, more int }{{16, 16}, {4, 4}, {3, 1}}[n>>4]
	c.Offset, c.More = from.offset, from.more
	switch {
	case !c.Shared || c.Offset%16 != 0 || c.Element == scalar.F64:
	case c.Element.Bytes() == 2:
		matrices = c.Columns / 8
	default: // those with the depth in words
		for operand, depthFirst := range [...]bool{!c.ByColumn[0], c.ByColumn[1]} {
			if depthFirst && (operand == 0 || c.Columns == 16) {
				matrices++
			}
		}
	}
	return c, matrices
}

// emulatedFragments returns the buffers of a case after its code was run by the emulator.
func emulatedFragments(c *fragmenttest.Case, code string, sizes [5]int) ([][]byte, error) {
	p, err := read(code)
	if err != nil {
		return nil, err
	}
	buffers := c.Fill(sizes)
	var lengths []int64
	for n, data := range buffers {
		each := 4
		if c.Element == scalar.F64 {
			each = 8
		} else if n != 2 && c.Element.Bytes() == 2 || n == 2 && c.Sum.Bytes() == 2 {
			each = 2
		}
		lengths = append(lengths, int64(len(data)/each))
	}
	return buffers, p.launch("main", [3]uint32{1, 1, 1}, buffers, lengths, nil)
}

// TestFragments compares products by instructions with the portable form, in the interpreter. It
// reads what is loaded by ldmatrix: what is aligned, in workgroup memory.
func TestFragments(t *testing.T) {
	ptxas := findAssembler()
	for _, product := range fragmentProducts {
		profile := profileOf(&product)
		target, err := ptx.Target.With(profile)
		if err != nil {
			t.Fatal(err)
		}
		for n := range fragmentCaseCount {
			c, matrices := fragmentCase(product, n)
			text, sizes := c.Text()
			var want [][]byte
			for k, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsOff}} {
				if !testmode.Shared(fmt.Sprint(c, o.NoOptimize, o.Bounds), 16) || testmode.IsLong() && (n+k)%18 != 0 {
					continue // all take minutes
				}
				if want == nil {
					want = c.Interpreted(t, text, c.Fill(sizes))
				}
				code := compileFor(t, target, text, o)
				if !strings.Contains(code, "mma.sync") || (strings.Contains(code, "ldmatrix") != (matrices > 0)) {
					t.Errorf("%+v: no product, or not %d matrices are loaded:\n%s", c, matrices, code)
				}
				if ptxas != "" {
					assemble(t, ptxas, fmt.Sprint("fragments", c, o.NoOptimize), code, profile)
				}
				got, err := emulatedFragments(&c, code, sizes)
				if err != nil {
					t.Fatalf("%+v: %v\n%s", c, err, numbered(code))
				}
				for n := range got {
					if !bytes.Equal(got[n], want[n]) {
						t.Fatalf("%+v, %+v: buffer %d is\n%x, want\n%x\n%s", c, o, n, got[n], want[n], numbered(code))
					}
				}
			}
		}
	}
}

// TestFragmentsArePortable: without instructions that do what is asked for, there are none.
func TestFragmentsArePortable(t *testing.T) {
	c := fragmentProducts[0]
	ofFloats, _ := c.Text()
	c = fragmentProducts[3]
	ofIntegers, _ := c.Text()
	c = fragmentProducts[len(fragmentProducts)-1]
	ofDoubles, _ := c.Text()
	for _, test := range []struct {
		name, profile, text string
		math                opt.Math
		want                bool
	}{
		{"floats", "sm_80", ofFloats, opt.MathFast, true},
		{"strict floats", "sm_80", ofFloats, opt.MathStrict, false},
		{"doubles", "sm_90", ofDoubles, opt.MathFast, true},
		{"doubles of another shape", "sm_80", ofDoubles, opt.MathFast, false},
		{"strict doubles", "sm_90", ofDoubles, opt.MathStrict, false},
		{"strict integers", "sm_80", ofIntegers, opt.MathStrict, true},
		{"an old device", "sm_75", ofIntegers, opt.MathWGSL, false},
		{"a subgroup that is not full", "sm_80", strings.Replace(ofIntegers, "[workgroup 64u", "[workgroup 48u", 1), opt.MathWGSL, false},
		{"another shape", "sm_80", strings.ReplaceAll(ofIntegers, "16, 32>", "24, 32>"), opt.MathWGSL, false},
	} {
		if test.name == "another shape" {
			test.text = strings.ReplaceAll(test.text, "fragment<result, i32, 16,", "fragment<result, i32, 24,")
		}
		target, err := ptx.Target.With(test.profile)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(compileFor(t, target, test.text, codegen.Options{Math: test.math}), "mma.sync"); got != test.want {
			t.Errorf("%s: products by instructions: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestFragmentMutants exchanges two bits of a layout. That must show in what is stored, as the
// emulator has the layouts of the ISA.
func TestFragmentMutants(t *testing.T) {
	for _, profile := range [...]string{"sm_80", "sm_90"} {
		target, err := ptx.Target.With(profile)
		if err != nil {
			t.Fatal(err)
		}
		findMutants(t, target, profile)
	}
}

// findMutants tries the mutants of a profile's instructions, of those that no lower profile has.
func findMutants(t *testing.T, target *codegen.Target, profile string) {
	table := target.Profile.FragmentTable
	for n := range table.Instructions {
		x := &table.Instructions[n]
		which := slices.IndexFunc(fragmentProducts, func(c fragmenttest.Case) bool {
			return c.Element == x.Left && c.Sum == x.Sum && profileOf(&c) == profile
		})
		if which < 0 {
			continue
		}
		c := fragmentProducts[which]
		c.More = 1
		text, sizes := c.Text()
		var want [][]byte
		for operand, l := range [...]ir.FragmentLayout{x.LeftLayout, x.RightLayout, x.ResultLayout} {
			bits := l.Rows + l.Columns
			for k := 1; k < len(bits); k++ {
				name := fmt.Sprintf("%s·%s, operand %d, bits %c and %c", x.Left, x.Sum, operand, bits[k-1], bits[k])
				if !testmode.Shared(name, 4) {
					continue
				}
				changed := bits[:k-1] + string([]byte{bits[k], bits[k-1]}) + bits[k+1:]
				mutant, profile, with := *table, *target.Profile, *target
				mutant.Instructions = slices.Clone(table.Instructions)
				for other := range mutant.Instructions {
					m := &mutant.Instructions[other]
					if operand < 2 && m.Left != x.Left || operand == 2 && m.Sum != x.Sum {
						continue // fragments of one type have one layout
					}
					to := [...]*ir.FragmentLayout{&m.LeftLayout, &m.RightLayout, &m.ResultLayout}[operand]
					to.Rows, to.Columns = changed[:len(l.Rows)], changed[len(l.Rows):]
				}
				profile.FragmentTable, with.Profile = &mutant, &profile
				if want == nil {
					want = c.Interpreted(t, text, c.Fill(sizes))
				}
				got, err := emulatedFragments(&c, compileFor(t, &with, text, codegen.Options{}), sizes)
				if err == nil && slices.EqualFunc(got, want, bytes.Equal) {
					t.Errorf("%s: nothing shows that they are exchanged", name)
				}
			}
		}
	}
}

// outsideKernel loads a matrix from workgroup memory from an offset on, and stores it.
const outsideKernel = `
var @offsets : ptr<storage, array<u32>> [group 0, binding 0]
var @moved : ptr<storage, array<f16>, read_write> [group 0, binding 1]
var @sums : ptr<storage, array<f32>, read_write> [group 0, binding 2]
struct Shared [size 1040, align 2] { before: array<f16, 8u> [offset 0], elements: array<f16, 504u> [offset 16], after: array<f16, 8u> [offset 1024] }
var @shared : ptr<workgroup, Shared>

kernel @main(%i: u32 [local_invocation_index]) [workgroup 32u, 1u, 1u] {
  loop ^fill(%n: u32 = %i) {
    %p = access @shared, 1u, %n : ptr<workgroup, f16>
    %x = convert %n : f16
    store %p, %x
    continue ^fill()
  } continuing {
    %next = add %n, 32u : u32
    %end = ge %next, 504u : bool
    next ^fill(%next) break_if %end()
  }
  barrier [workgroup]
  %elements = access @shared, 1u : ptr<workgroup, array<f16, 504u>>
  %q = access @offsets, 0u : ptr<storage, u32>
  %eights = load %q : u32
  %offset = mul %eights, 8u : u32
  %left = fragment_load %elements, %offset, false, 16u : fragment<left, f16, 16, 16>
  %right = fragment_load %elements, %offset, false, 16u : fragment<right, f16, 16, 16>
  fragment_store @moved, 0u, %left, false, 16u
  fragment_store @moved, 256u, %right, false, 16u
  %sum = fragment_mul_add %left, %right, zero<fragment<result, f32, 16, 16>> : fragment<result, f32, 16, 16>
  fragment_store @sums, 0u, %sum, false, 16u
  return
}
`

// TestFragmentsOutside: what is outside of an array is its last element, also where ldmatrix loads
// what is inside.
func TestFragmentsOutside(t *testing.T) {
	target, err := ptx.Target.With("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	code := compileFor(t, target, outsideKernel, codegen.Options{})
	if !strings.Contains(code, "ldmatrix") {
		t.Errorf("no matrix is loaded:\n%s", numbered(code))
	}
	p, err := read(code)
	if err != nil {
		t.Fatal(err)
	}
	for _, eights := range []uint32{0, 31, 32, 62, 63, 1000, 1<<29 - 1} {
		offset, moved := binary.LittleEndian.AppendUint32(nil, eights), make([]byte, 2*512)
		if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{offset, moved, make([]byte, 4*256)}, []int64{1, 512, 256}, nil); err != nil {
			t.Fatalf("offset %d: %v\n%s", 8*eights, err, numbered(code))
		}
		for n := range 512 {
			at := 8*eights + uint32(n%256)
			want := scalar.FromFloat64(scalar.F16, float64(min(at, 503)))
			if got := load(moved[2*n : 2*n+2]); got != want {
				t.Fatalf("offset %d: element %d is %#x, want %#x", 8*eights, n, got, want)
			}
		}
	}
}
