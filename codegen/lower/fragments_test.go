package lower_test

import (
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// fragmentProgram multiplies two matrices of integers and stores the result by columns, for each
// subgroup elsewhere. To each element it adds 3, five times its row, and its column. A function
// does the product, and a structure holds the sum.
const fragmentProgram = `
struct S [size 4096, align 4] { n: u32 [offset 0], sum: fragment<result, %[1]s, %[2]d, %[3]d> [offset 4] }
var @a : ptr<storage, array<%[5]s>> [group 0, binding 0]
var @b : ptr<storage, array<%[5]s>> [group 0, binding 1]
var @c : ptr<storage, array<%[5]s>, read_write> [group 0, binding 2]

fn @multiply(%%right: fragment<right, %[1]s, %[4]d, %[3]d>, %%s: S) : S {
  %%left = fragment_load @a, 2u, false, %[4]du : fragment<left, %[1]s, %[2]d, %[4]d>
  %%sum = extract %%s, 1u : fragment<result, %[1]s, %[2]d, %[3]d>
  %%product = fragment_mul_add %%left, %%right, %%sum : fragment<result, %[1]s, %[2]d, %[3]d>
  %%new = construct 1u, %%product : S
  return %%new
}

kernel @main(%%subgroup: u32 [subgroup_id]) [workgroup %[6]du, 1u, 1u] {
  %%right = fragment_load @b, 0u, true, %[4]du : fragment<right, %[1]s, %[4]d, %[3]d>
  %%s = call @multiply, %%right, zero<S> : S
  %%sum = extract %%s, 1u : fragment<result, %[1]s, %[2]d, %[3]d>
  %%three = fragment_splat 3%[7]s : fragment<result, %[1]s, %[2]d, %[3]d>
  %%more = fragment_add %%sum, %%three : fragment<result, %[1]s, %[2]d, %[3]d>
  %%count = fragment_count %%more : u32
  %%all = loop ^elements(%%e: u32 = 0u, %%some: fragment<result, %[1]s, %[2]d, %[3]d> = %%more) : fragment<result, %[1]s, %[2]d, %[3]d> {
    %%row = fragment_row %%some, %%e : u32
    %%column = fragment_column %%some, %%e : u32
    %%rows = mul %%row, 5u : u32
    %%place = add %%rows, %%column : u32
    %%by = bitcast %%place : %[5]s
    %%old = fragment_get %%some, %%e : %[5]s
    %%new = add %%old, %%by : %[5]s
    %%set = fragment_set %%some, %%e, %%new : fragment<result, %[1]s, %[2]d, %[3]d>
    continue ^elements(%%set)
  } continuing(%%last: fragment<result, %[1]s, %[2]d, %[3]d>) {
    %%e1 = add %%e, 1u : u32
    %%end = ge %%e1, %%count : bool
    next ^elements(%%e1, %%last) break_if %%end(%%last)
  }
  %%first = mul %%subgroup, %[8]du : u32
  %%offset = add %%first, 1u : u32
  fragment_store @c, %%offset, %%all, true, %[2]du
  return
}
`

// TestFragments lowers products for workgroups and shapes of many sizes, and interprets them with
// subgroups of every size.
func TestFragments(t *testing.T) {
	for _, c := range []struct {
		element              scalar.Kind
		rows, columns, depth int
		workgroup, subgroup  int // a subgroup of 0 is one of any size
	}{
		{scalar.I32, 8, 8, 8, 64, 0},
		{scalar.U32, 4, 16, 2, 32, 0},
		{scalar.I32, 3, 5, 7, 64, 0},   // no grid divides it
		{scalar.I32, 8, 8, 4, 6, 0},    // two invocations at most
		{scalar.U32, 2, 6, 3, 1, 0},    // a single one
		{scalar.I32, 6, 4, 5, 100, 0},  // the last subgroup is not full
		{scalar.I32, 16, 16, 32, 4, 0}, // loops
		{scalar.I8, 8, 4, 8, 64, 0},
		{scalar.U8, 5, 3, 4, 32, 0},
		{scalar.I32, 8, 8, 8, 128, 32},
		{scalar.U32, 16, 2, 4, 72, 32}, // the last subgroup has eight
		{scalar.I8, 8, 8, 4, 64, 64},
		{scalar.I32, 4, 4, 4, 64, 64}, // more invocations than elements
	} {
		word, suffix := scalar.U32, "u"
		if c.element.IsSigned() {
			word, suffix = scalar.I32, "i"
		}
		apart := (1 + c.rows*c.columns + 3) / 4 * 4
		text := fmt.Sprintf(fragmentProgram, c.element, c.rows, c.columns, c.depth, word, c.workgroup, suffix, apart)
		m := irtest.Parse(t, text)
		pass := &opt.Context{List: new(diag.List), Verify: true, Subgroup: uint32(c.subgroup)}
		pass.Run(m, []opt.Pass{lower.Fragments}, lower.Fragments.Needs)
		p, err := interp.Compile(m, m.Funcs[len(m.Funcs)-1], interp.Checked)
		if err != nil {
			t.Fatal(err)
		}
		bytes := c.element.Bits() / 8
		a, b := fragmentData(2+c.rows*c.depth, bytes, 1), fragmentData(c.depth*c.columns, bytes, 2)
		for size := 4; size <= 128; size *= 2 {
			if c.subgroup != 0 && size != c.subgroup {
				continue
			}
			subgroups := (c.workgroup + size - 1) / size
			got, want := fragmentData(subgroups*apart, bytes, 3), fragmentData(subgroups*apart, bytes, 3)
			for n := range subgroups * c.rows * c.columns {
				subgroup, row, column := n/(c.rows*c.columns), n/c.columns%c.rows, n%c.columns
				sum := uint64(3 + 5*row + column)
				for k := range c.depth {
					sum += elementAt(a, bytes, 2+row*c.depth+k) * elementAt(b, bytes, column*c.depth+k)
				}
				setElement(want, bytes, subgroup*apart+1+column*c.rows+row, sum)
			}
			launch := interp.Launch{Grid: [3]uint32{1, 1, 1}, SubgroupSize: size, Checked: true, Buffers: [][]byte{a, b, got}}
			if said, err := p.Run(&launch); err != nil || len(said) > 0 {
				t.Errorf("%v, subgroups of %d: %v, %v", c, size, err, said)
			}
			if string(got) != string(want) {
				t.Errorf("%v, subgroups of %d:\n%x, want\n%x", c, size, got, want)
			}
		}
	}
}

// fragmentData returns n elements in whole words.
func fragmentData(n, bytes, seed int) []byte {
	data := make([]byte, (n*bytes+3)/4*4)
	for i := range data {
		data[i] = byte(i*7*seed + seed)
	}
	return data
}

func elementAt(data []byte, bytes, n int) (x uint64) {
	for k := range bytes {
		x |= uint64(data[bytes*n+k]) << (8 * k)
	}
	return x
}

func setElement(data []byte, bytes, n int, x uint64) {
	for k := range bytes {
		data[bytes*n+k] = byte(x >> (8 * k))
	}
}
