// Package fragmenttest has kernels with fragments of many forms, to compare the instructions of a
// target with the portable form.
package fragmenttest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// kernel multiplies matrices, for each of two subgroups its own. They are blocks of a row and of a
// column, in storage or workgroup memory. Elements are combined with others and with their
// positions, and all fragments are stored. A left or right fragment keeps the elements below its
// diagonal.
const kernel = `
var @a : ptr<storage, array<$M>> [group 0, binding 0]
var @b : ptr<storage, array<$N>> [group 0, binding 1]
var @sums : ptr<storage, array<$S>, read_write> [group 0, binding 2]
var @lefts : ptr<storage, array<$M>, read_write> [group 0, binding 3]
var @rights : ptr<storage, array<$N>, read_write> [group 0, binding 4]
var @shared_a : ptr<workgroup, array<$M, $words>>
var @shared_b : ptr<workgroup, array<$N, $words>>

fn @below(%x: fragment<$T>) : fragment<$T> {
  %kept = var : ptr<function, fragment<$T>>
  store %kept, %x
  %count = fragment_count %x : u32
  loop ^elements(%e: u32 = 0u) {
    %row = fragment_row %x, %e : u32
    %column = fragment_column %x, %e : u32
    %below = gt %row, %column : bool
    %v = fragment_get %x, %e : $M
    %w = select %below, %v, zero<$M> : $M
    %before = load %kept : fragment<$T>
    %after = fragment_set %before, %e, %w : fragment<$T>
    store %kept, %after
    continue ^elements()
  } continuing {
    %e1 = add %e, 1u : u32
    %all = ge %e1, %count : bool
    next ^elements(%e1) break_if %all()
  }
  %y = load %kept : fragment<$T>
  return %y
}

kernel @main(%i: u32 [local_invocation_index], %subgroup: u32 [subgroup_id]) [workgroup $items, 1u, 1u] {
  loop ^copy(%n: u32 = %i) {
    %pa = access @a, %n : ptr<storage, $M>
    %va = load %pa : $M
    %qa = access @shared_a, %n : ptr<workgroup, $M>
    store %qa, %va
    %pb = access @b, %n : ptr<storage, $N>
    %vb = load %pb : $N
    %qb = access @shared_b, %n : ptr<workgroup, $N>
    store %qb, %vb
    continue ^copy()
  } continuing {
    %next = add %n, $items : u32
    %end = ge %next, $words : bool
    next ^copy(%next) break_if %end()
  }
  barrier [workgroup]
  %left = var : ptr<function, fragment<$T>>
  %right = var : ptr<function, fragment<$U>>
  %sum = loop ^depth(%k: u32 = 0u, %s: fragment<$R> = zero<fragment<$R>>) : fragment<$R> {
    %other = mul %subgroup, $side : u32
    %block = mul %k, $depth : u32
    %lo = mul %other, $leftAcross : u32
    %lb = mul %block, $leftAlong : u32
    %l = add %lo, %lb : u32
    %la = add %l, $offset : u32
    %x = fragment_load $from_a, %la, $leftByColumn, $leftStride : fragment<$T>
    %ro = mul %other, $rightAcross : u32
    %rb = mul %block, $rightAlong : u32
    %r = add %ro, %rb : u32
    %ra = add %r, $offset : u32
    %y = fragment_load $from_b, %ra, $rightByColumn, $rightStride : fragment<$U>
    store %left, %x
    store %right, %y
    %product = fragment_mul_add %x, %y, %s : fragment<$R>
    continue ^depth(%product)
  } continuing(%t: fragment<$R>) {
    %k1 = add %k, 1u : u32
    %last = ge %k1, 2u : bool
    next ^depth(%k1, %t) break_if %last(%t)
  }
  %three = fragment_splat $three : fragment<$R>
  %tripled = fragment_mul %sum, %three : fragment<$R>
  %squares = fragment_sub %tripled, %sum : fragment<$R>
  %moved = var : ptr<function, fragment<$R>>
  store %moved, %squares
  %count = fragment_count %sum : u32
  loop ^elements(%e: u32 = 0u) {
    %row = fragment_row %sum, %e : u32
    %column = fragment_column %sum, %e : u32
    %twice = mul %row, 2u : u32
    %place = add %twice, %column : u32
    $placeAsSum
    %v = fragment_get %squares, %e : $S
    %w = add %v, %number : $S
    %before = load %moved : fragment<$R>
    %after = fragment_set %before, %e, %w : fragment<$R>
    store %moved, %after
    continue ^elements()
  } continuing {
    %e1 = add %e, 1u : u32
    %all = ge %e1, %count : bool
    next ^elements(%e1) break_if %all()
  }
  %result = load %moved : fragment<$R>
  %sumAt = mul %subgroup, $sumSize : u32
  fragment_store @sums, %sumAt, %result, $sumByColumn, $sumStride
  %x1 = load %left : fragment<$T>
  %x2 = call @below, %x1 : fragment<$T>
  %to = mul %subgroup, $factorSize : u32
  fragment_store @lefts, %to, %x2, $leftByColumn, $leftStride
  %y1 = load %right : fragment<$U>
  $rightChange
  fragment_store @rights, %to, %y2, $rightByColumn, $rightStride
  return
}
`

// Case is a product of 16 rows. Rows or columns are that many elements further apart
// than they need to be.
type Case struct {
	// Subgroup is the size of the two subgroups of the kernel.
	Subgroup     int
	Element, Sum scalar.Kind
	Right        scalar.Kind // of the elements of the right fragment, or None for Element
	Depth        int
	Columns      int     // of the sums, or 0 for 16
	Shared       bool    // the factors are in workgroup memory
	ByColumn     [3]bool // of the left, the right and the result
	Offset, More int
}

const side = 16

// Variants is how many variants of a product there are.
const Variants = 3 << 4

// Variant returns a variant of a product: with memory of each kind and order, and rows that begin
// at multiples of 16 bytes, of words, or anywhere.
func (c Case) Variant(n int) Case {
	c.Shared = n&1 != 0
	c.ByColumn = [3]bool{n&2 != 0, n&4 != 0, n&8 != 0}
	rows := [...]struct{ offset, more int }{{16, 16}, {4, 4}, {3, 1}}[n>>4]
	c.Offset, c.More = rows.offset, rows.more
	return c
}

// Text returns the kernel and the sizes of its buffers in bytes.
func (c *Case) Text() (text string, sizes [5]int) {
	right := cmp.Or(c.Right, c.Element)
	sum := c.Sum.String()
	// along and across are how far one step of the depth and of the other side are apart
	place := func(depthFirst bool) (stride, along, across int) {
		if depthFirst {
			stride = 2*c.Depth + c.More
			return stride, 1, stride
		}
		stride = 2*side + c.More
		return stride, stride, 1
	}
	leftStride, leftAlong, leftAcross := place(!c.ByColumn[0])
	rightStride, rightAlong, rightAcross := place(c.ByColumn[1])
	elements := c.Offset + 2*max(side, c.Depth)*(2*max(side, c.Depth)+c.More)
	words, wordBytes := elements, c.Element.Bytes() // of the arrays
	if wordBytes == 1 {
		words, wordBytes = (elements+15)/16*4, 4
	}
	sumStride := side + c.More
	sumSize := side * sumStride
	constant := map[scalar.Kind]string{scalar.F32: "3f", scalar.F16: "3h", scalar.F64: "3lf", scalar.I32: "3i", scalar.U32: "3u"}
	placeAsSum := "%number = convert %place : " + sum
	if c.Sum == scalar.U32 {
		placeAsSum = "%number = add %place, 0u : u32"
	}
	rightType := fmt.Sprintf("right, %s, %d, %d", right, c.Depth, cmp.Or(c.Columns, side))
	rightChange := "%y2 = fragment_add %y1, %y1 : fragment<" + rightType + ">"
	if c.Element == scalar.BF16 {
		rightChange = "%y2 = load %right : fragment<" + rightType + ">"
	}
	from := "@"
	if c.Shared {
		from = "@shared_"
	}
	u := func(n int) string { return fmt.Sprintf("%du", n) }
	text = strings.NewReplacer(
		"$M", memoryOf(c.Element), "$N", memoryOf(right), "$Sum", sum, "$S", sum,
		"$T", fmt.Sprintf("left, %s, %d, %d", c.Element, side, c.Depth),
		"$U", rightType, "$R", fmt.Sprintf("result, %s, %d, %d", c.Sum, side, cmp.Or(c.Columns, side)),
		"$items", u(2*c.Subgroup), "$words", u(words), "$side", u(side), "$depth", u(c.Depth), "$offset", u(c.Offset),
		"$leftByColumn", fmt.Sprint(c.ByColumn[0]), "$rightByColumn", fmt.Sprint(c.ByColumn[1]), "$sumByColumn", fmt.Sprint(c.ByColumn[2]),
		"$leftStride", u(leftStride), "$leftAlong", u(leftAlong), "$leftAcross", u(leftAcross),
		"$rightStride", u(rightStride), "$rightAlong", u(rightAlong), "$rightAcross", u(rightAcross),
		"$sumStride", u(sumStride), "$sumSize", u(sumSize), "$factorSize", u(elements/2),
		"$from_a", from+"a", "$from_b", from+"b", "$three", constant[c.Sum], "$placeAsSum", placeAsSum, "$rightChange", rightChange,
	).Replace(kernel)
	factors := words * wordBytes
	return text, [5]int{factors, factors, 2 * sumSize * c.Sum.Bytes(), factors, factors}
}

// memoryOf returns the type of what has elements of a kind in memory.
func memoryOf(k scalar.Kind) string {
	switch k {
	case scalar.BF16:
		return "u16"
	case scalar.I8:
		return "i32"
	case scalar.U8:
		return "u32"
	}
	return k.String()
}

// Fill returns small integers of a kind, and zeros for results.
func (c *Case) Fill(sizes [5]int) (buffers [][]byte) {
	random := rand.New(rand.NewPCG(1, 2))
	for n, size := range sizes {
		data := make([]byte, (size+3)/4*4)
		buffers = append(buffers, data)
		if n > 1 {
			continue
		}
		bytes := c.Element.Bytes()
		for at := 0; at+bytes <= len(data); at += bytes {
			bits := uint64(random.Uint32())
			switch small := float64(bits%5) - 2; c.Element {
			case scalar.F16:
				bits = scalar.FromFloat64(scalar.F16, small)
			case scalar.BF16:
				bits = scalar.FromFloat64(scalar.F32, small) >> 16
			case scalar.F32, scalar.F64:
				bits = scalar.FromFloat64(c.Element, small)
			}
			for k := range bytes {
				data[at+k] = byte(bits >> (8 * k))
			}
		}
	}
	return buffers
}

// Interpreted returns the buffers after the portable form was interpreted.
func (c *Case) Interpreted(t testing.TB, text string, buffers [][]byte) [][]byte {
	t.Helper()
	m := irtest.Parse(t, text)
	pass := &opt.Context{List: new(diag.List), Verify: true, Subgroup: uint32(c.Subgroup)}
	pass.Run(m, []opt.Pass{lower.Fragments}, lower.Fragments.Needs)
	p, err := interp.Compile(m, m.Func("main"), interp.Checked)
	if err != nil {
		t.Fatal(err)
	}
	launch := interp.Launch{Grid: [3]uint32{1, 1, 1}, SubgroupSize: c.Subgroup, Checked: true, Buffers: buffers}
	if said, err := p.Run(&launch); err != nil || len(said) > 0 {
		t.Fatalf("%+v: %v, %v", *c, err, said)
	}
	return buffers
}
