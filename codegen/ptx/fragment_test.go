package ptx_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// fragmentKernel multiplies matrices, for each of two subgroups its own: blocks of a row and of a
// column, in storage or workgroup memory. Elements are combined with others and with their rows and
// columns, and all fragments are stored. A left fragment keeps the elements below its diagonal.
const fragmentKernel = `
var @a : ptr<storage, array<$M>> [group 0, binding 0]
var @b : ptr<storage, array<$M>> [group 0, binding 1]
var @sums : ptr<storage, array<$S>, read_write> [group 0, binding 2]
var @lefts : ptr<storage, array<$M>, read_write> [group 0, binding 3]
var @rights : ptr<storage, array<$M>, read_write> [group 0, binding 4]
var @shared_a : ptr<workgroup, array<$M, $words>>
var @shared_b : ptr<workgroup, array<$M, $words>>

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

kernel @main(%i: u32 [local_invocation_index], %subgroup: u32 [subgroup_id]) [workgroup 64u, 1u, 1u] {
  loop ^copy(%n: u32 = %i) {
    %pa = access @a, %n : ptr<storage, $M>
    %va = load %pa : $M
    %qa = access @shared_a, %n : ptr<workgroup, $M>
    store %qa, %va
    %pb = access @b, %n : ptr<storage, $M>
    %vb = load %pb : $M
    %qb = access @shared_b, %n : ptr<workgroup, $M>
    store %qb, %vb
    continue ^copy()
  } continuing {
    %next = add %n, 64u : u32
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

// fragmentCase is a product of 16 rows. Rows or columns are so many elements further apart than
// those of 16 elements need to be.
type fragmentCase struct {
	element, sum   scalar.Kind
	depth, columns int
	shared         bool
	byColumn       [3]bool // of the left, the right and the result
	offset, more   int
}

const fragmentSide = 16

// text returns the kernel and the sizes of its buffers in bytes.
func (c *fragmentCase) text() (text string, sizes [5]int) {
	memory, sum := c.element.String(), c.sum.String()
	switch c.element {
	case scalar.BF16:
		memory = "u16"
	case scalar.I8:
		memory = "i32"
	case scalar.U8:
		memory = "u32"
	}
	// along and across are how far one step of the depth and of the other side are apart
	place := func(depthFirst bool) (stride, along, across int) {
		if depthFirst {
			stride = 2*c.depth + c.more
			return stride, 1, stride
		}
		stride = 2*fragmentSide + c.more
		return stride, stride, 1
	}
	leftStride, leftAlong, leftAcross := place(!c.byColumn[0])
	rightStride, rightAlong, rightAcross := place(c.byColumn[1])
	elements := c.offset + 2*max(fragmentSide, c.depth)*(2*max(fragmentSide, c.depth)+c.more)
	words, wordBytes := elements, 2 // of the arrays
	if c.element.Bytes() == 1 {
		words, wordBytes = (elements+15)/16*4, 4
	}
	sumStride := fragmentSide + c.more
	sumSize := fragmentSide * sumStride
	constant := map[scalar.Kind]string{scalar.F32: "3f", scalar.F16: "3h", scalar.I32: "3i", scalar.U32: "3u"}
	placeAsSum := "%number = convert %place : " + sum
	if c.sum == scalar.U32 {
		placeAsSum = "%number = add %place, 0u : u32"
	}
	rightType := fmt.Sprintf("right, %s, %d, %d", c.element, c.depth, c.columns)
	rightChange := "%y2 = fragment_add %y1, %y1 : fragment<" + rightType + ">"
	if c.element == scalar.BF16 {
		rightChange = "%y2 = load %right : fragment<" + rightType + ">"
	}
	from := "@"
	if c.shared {
		from = "@shared_"
	}
	u := func(n int) string { return fmt.Sprintf("%du", n) }
	text = strings.NewReplacer(
		"$M", memory, "$Sum", sum, "$S", sum,
		"$T", fmt.Sprintf("left, %s, %d, %d", c.element, fragmentSide, c.depth),
		"$U", rightType, "$R", fmt.Sprintf("result, %s, %d, %d", c.sum, fragmentSide, c.columns),
		"$words", u(words), "$side", u(fragmentSide), "$depth", u(c.depth), "$offset", u(c.offset),
		"$leftByColumn", fmt.Sprint(c.byColumn[0]), "$rightByColumn", fmt.Sprint(c.byColumn[1]), "$sumByColumn", fmt.Sprint(c.byColumn[2]),
		"$leftStride", u(leftStride), "$leftAlong", u(leftAlong), "$leftAcross", u(leftAcross),
		"$rightStride", u(rightStride), "$rightAlong", u(rightAlong), "$rightAcross", u(rightAcross),
		"$sumStride", u(sumStride), "$sumSize", u(sumSize), "$factorSize", u(elements/2),
		"$from_a", from+"a", "$from_b", from+"b", "$three", constant[c.sum], "$placeAsSum", placeAsSum, "$rightChange", rightChange,
	).Replace(fragmentKernel)
	factors := words * wordBytes
	return text, [5]int{factors, factors, 2 * sumSize * c.sum.Bytes(), factors, factors}
}

// fill returns small integers of a kind, and zeros for results.
func (c *fragmentCase) fill(sizes [5]int) (buffers [][]byte) {
	random := rand.New(rand.NewPCG(1, 2))
	for n, size := range sizes {
		data := make([]byte, (size+3)/4*4)
		buffers = append(buffers, data)
		if n > 1 {
			continue
		}
		bytes := c.element.Bytes()
		for at := 0; at+bytes <= len(data); at += bytes {
			bits := uint64(random.Uint32())
			switch small := float64(bits%5) - 2; c.element {
			case scalar.F16:
				bits = scalar.FromFloat64(scalar.F16, small)
			case scalar.BF16:
				bits = scalar.FromFloat64(scalar.F32, small) >> 16
			}
			for k := range bytes {
				data[at+k] = byte(bits >> (8 * k))
			}
		}
	}
	return buffers
}

// interpreted returns the buffers after the portable form was interpreted.
func (c *fragmentCase) interpreted(t *testing.T, text string, buffers [][]byte) [][]byte {
	m := irtest.Parse(t, text)
	pass := &opt.Context{List: new(diag.List), Verify: true, Subgroup: 32}
	pass.Run(m, []opt.Pass{lower.Fragments}, lower.Fragments.Needs)
	p, err := interp.Compile(m, m.Func("main"), interp.Checked)
	if err != nil {
		t.Fatal(err)
	}
	launch := interp.Launch{Grid: [3]uint32{1, 1, 1}, SubgroupSize: 32, Checked: true, Buffers: buffers}
	if said, err := p.Run(&launch); err != nil || len(said) > 0 {
		t.Fatalf("%+v: %v, %v", *c, err, said)
	}
	return buffers
}

// emulated returns the buffers after code was run by the emulator.
func (c *fragmentCase) emulated(code string, sizes [5]int) ([][]byte, error) {
	p, err := read(code)
	if err != nil {
		return nil, err
	}
	buffers := c.fill(sizes)
	var lengths []int64
	for n, data := range buffers {
		each := 4
		if n != 2 && c.element.Bytes() == 2 || n == 2 && c.sum.Bytes() == 2 {
			each = 2
		}
		lengths = append(lengths, int64(len(data)/each))
	}
	return buffers, p.launch("main", [3]uint32{1, 1, 1}, buffers, lengths, nil)
}

// fragmentCaseCount is how many cases there are for a product.
const fragmentCaseCount = 3 << 4

// numbered returns a case of a product: with memory of each kind and order, and rows that begin at
// multiples of 16 bytes, of words, or anywhere. It also returns how many operands ldmatrix loads:
// those of four registers.
func (c fragmentCase) numbered(n int) (_ fragmentCase, matrices int) {
	c.shared = n&1 != 0
	c.byColumn = [3]bool{n&2 != 0, n&4 != 0, n&8 != 0}
	places := [...]struct{ offset, more int }{{16, 16}, {4, 4}, {3, 1}}[n>>4]
	c.offset, c.more = places.offset, places.more
	switch {
	case !c.shared || c.offset%16 != 0:
	case c.element.Bytes() == 2:
		matrices = c.columns / 8
	default: // those with the depth in words
		for operand, depthFirst := range [...]bool{!c.byColumn[0], c.byColumn[1]} {
			if depthFirst && (operand == 0 || c.columns == 16) {
				matrices++
			}
		}
	}
	return c, matrices
}

// TestFragments compares products by instructions with the portable form, in the interpreter. It
// reads what is loaded by ldmatrix: what is aligned, in workgroup memory.
func TestFragments(t *testing.T) {
	ptxas := findAssembler()
	target, err := ptx.Target.With("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	for _, product := range fragmentProductCases {
		for n := range fragmentCaseCount {
			c, matrices := product.numbered(n)
			text, sizes := c.text()
			var want [][]byte
			for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsOff}} {
				if !testmode.Shared(fmt.Sprint(c, o.NoOptimize, o.Bounds), 16) {
					continue
				}
				if want == nil {
					want = c.interpreted(t, text, c.fill(sizes))
				}
				code := compileFor(t, target, text, o)
				if !strings.Contains(code, "mma.sync") || (strings.Contains(code, "ldmatrix") != (matrices > 0)) {
					t.Errorf("%+v: no product, or not %d matrices are loaded:\n%s", c, matrices, code)
				}
				if ptxas != "" {
					assemble(t, ptxas, fmt.Sprint("fragments", c, o.NoOptimize), code, "sm_80")
				}
				got, err := c.emulated(code, sizes)
				if err != nil {
					t.Fatalf("%+v: %v\n%s", c, err, numbered(code))
				}
				for n := range got {
					if string(got[n]) != string(want[n]) {
						t.Fatalf("%+v, %+v: buffer %d is\n%x, want\n%x\n%s", c, o, n, got[n], want[n], numbered(code))
					}
				}
			}
		}
	}
}

// fragmentProductCases are a case for each product of the table.
var fragmentProductCases = []fragmentCase{
	{element: scalar.F16, sum: scalar.F32, depth: 16, columns: 16},
	{element: scalar.F16, sum: scalar.F16, depth: 16, columns: 16},
	{element: scalar.BF16, sum: scalar.F32, depth: 16, columns: 16},
	{element: scalar.I8, sum: scalar.I32, depth: 32, columns: 16},
	{element: scalar.U8, sum: scalar.U32, depth: 32, columns: 16},
	{element: scalar.F16, sum: scalar.F32, depth: 16, columns: 8},
	{element: scalar.F16, sum: scalar.F16, depth: 16, columns: 8},
	{element: scalar.BF16, sum: scalar.F32, depth: 16, columns: 8},
	{element: scalar.I8, sum: scalar.I32, depth: 32, columns: 8},
	{element: scalar.U8, sum: scalar.U32, depth: 32, columns: 8},
}

// TestFragmentMutants exchanges two bits of a layout. That must show in what is stored, as the
// emulator has the layouts of the ISA.
func TestFragmentMutants(t *testing.T) {
	target, err := ptx.Target.With("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	table := target.Profile.FragmentTable
	for n := range table.Instructions {
		x := &table.Instructions[n]
		c := fragmentProductCases[slices.IndexFunc(fragmentProductCases, func(c fragmentCase) bool { return c.element == x.Left && c.sum == x.Sum })]
		c.more = 1
		text, sizes := c.text()
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
					if operand < 2 && m.Left != x.Left || operand == 2 && other != n {
						continue // fragments of one type have one layout
					}
					to := [...]*ir.FragmentLayout{&m.LeftLayout, &m.RightLayout, &m.ResultLayout}[operand]
					to.Rows, to.Columns = changed[:len(l.Rows)], changed[len(l.Rows):]
				}
				profile.FragmentTable, with.Profile = &mutant, &profile
				if want == nil {
					want = c.interpreted(t, text, c.fill(sizes))
				}
				got, err := c.emulated(compileFor(t, &with, text, codegen.Options{}), sizes)
				if err == nil && slices.EqualFunc(got, want, bytes.Equal) {
					t.Errorf("%s: nothing shows that they are exchanged", name)
				}
			}
		}
	}
}
