package gofuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// The size of a launch: workgroups, items of each, and results of an item.
const (
	groups  = 2
	size    = 4
	results = 6
)

// Package returns the source of a program with random kernels K0, K1, …, which runs them and prints
// their slices. Kernels use float64 if doubles is set.
func Package(seed uint64, kernels int, doubles bool) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x60)), others: otherKinds}
	var text strings.Builder
	if doubles {
		text.WriteString(prelude)
	} else {
		g.others = otherKinds[:len(otherKinds)-1]
		for line := range strings.Lines(prelude) {
			if !strings.HasSuffix(line, " // float64\n") {
				text.WriteString(line)
			}
		}
	}
	for n := range kernels {
		g.out.Reset()
		g.kernel(n)
		text.WriteString(g.out.String())
	}
	text.WriteString("\nvar kernels = []kernel{\n")
	for n := range kernels {
		fmt.Fprintf(&text, "\t{\"K%d\", func(c *contents, sh *shared) func(gpu.Item) {\n", n)
		fmt.Fprintf(&text, "\t\treturn func(it gpu.Item) { K%d(it, sh, parameters, c.In, c.Words, c.Reals, c.Out, c.Own, c.Counts, c.Longs, c.Bytes, c.Mixed, c.OwnLongs, c.OwnWords) }\n\t}},\n", n)
	}
	text.WriteString("}\n")
	return text.String()
}

// prelude is the common part of all programs. Programs without float64 lack the lines with the
// comment float64.
const prelude = `package main

import (
	"encoding/json"
	"math"
	"math/bits"
	"os"
	"slices"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type shared struct {
	A [4]int32
	B [2][4]uint32
	S pair
	C [4]int8
	D [4]float64 // float64
}

type mixed struct {
	A int8
	L int64
	W uint16
	F float64 // float64
	Q [3]uint8
	U uint64
	H int16
}

func (m *mixed) update(by int8) int64 {
	m.A ^= by
	m.Q[uint8(by)%3] += uint8(m.W)
	m.L = m.L<<1 | int64(m.H&1)
	return m.L
}

func tiny(x float64) float64 { return float64(int64(x)&1023) * 0.25 } // float64

type pair struct {
	X int32
	Y uint32
	Z [3]int32
}

type plain struct {
	N    int
	Mask uint32
	Pair pair
	Flag bool
	Long int64
	Real float64 // float64
}

var table = [8]int32{3, -7, 11, 100, -2147483648, 2147483647, 0, 5}

var parameters = plain{N: 5, Mask: 0x9e3779b9, Pair: pair{-3, 17, [3]int32{1, 2, 3}}, Flag: true, Long: -5000000000}

func init() { parameters.Real = 3.75 } // float64

func (p *pair) bump(by int32) int32 {
	p.X += by
	p.Z[uint32(by)%3] ^= p.X
	return p.X
}

func (p pair) sum() int32 { return p.X + int32(p.Y) + p.Z[0] + p.Z[1] + p.Z[2] }

func small(x float32) float32 { return float32(int32(x)&255) * 0.5 }

var grid = [2][4]int32{{9, -8, 7, -6}, {5, 1 << 30, -3, 2}}

func at(i int) int { return i & 3 }

func addTo(p *int, n int) { *p += n }

type tally struct{ n uint32 }

func (t *tally) inc() { t.n++ }

type view struct {
	s []int32
	n int
}

func (v *view) next() { v.s, v.n = v.s[1:2], v.n&1 }

func (v view) left() int { return v.n + 2 }

func many(x ...int32) (sum int32) {
	for _, x := range x {
		sum = sum*5 + x
	}
	return sum + int32(len(x)*10+cap(x))
}

func pick[T any](c bool, x, y T) T {
	if c {
		return x
	}
	return y
}

// contents are the slices of the kernels.
type contents struct {
	In     []int32
	Words  []uint32
	Reals  []float32
	Out    []uint32
	Own    []pair
	Counts []uint32
	Longs  []int64
	Bytes  []uint8
	Mixed  []mixed
	// for atomic operations: an element for each item
	OwnLongs []int64
	OwnWords []uint64
}

func begin() *contents {
	c := &contents{
		In:     []int32{1, -1, 0, 2147483647, -2147483648, 12345, -99, 7, 64, -64, 3, 31},
		Words:  []uint32{0, 1, 2, 0xffffffff, 0x80000000, 31, 32, 33, 0x55555555, 100},
		Reals:  []float32{0, 1, -1, 0.5, 2.5, 12, -7.5, 100},
		Out:    make([]uint32, 48),
		Own:    make([]pair, 8),
		Counts: make([]uint32, 4),
		Longs:  []int64{0, -1, 1 << 62, -1 << 63, 4294967296, 77, -4294967297, 1<<63 - 1},
		Bytes:  []uint8{0, 255, 128, 127, 3, 85, 170, 1},
		Mixed:  make([]mixed, 8),

		OwnLongs: []int64{-1, 5, 1<<63 - 1, -1 << 63, 1 << 40, -77, 0, -1 << 33},
		OwnWords: []uint64{0, 1, 1<<64 - 1, 1 << 63, 33, 1<<32 - 1, 1 << 32, 0x9e3779b97f4a7c15},
	}
	for n := range c.Mixed {
		c.Mixed[n] = mixed{A: int8(n * 40), L: int64(n) << 40, W: uint16(n * 9999), Q: [3]uint8{uint8(n), 200, 7}, U: uint64(n) * 0x9e3779b97f4a7c15, H: int16(-n)}
		c.Mixed[n].F = float64(n) / 2 // float64
	}
	for n := range c.Own {
		c.Own[n] = pair{int32(n * 3), uint32(n), [3]int32{int32(n), -1, 2}}
	}
	return c
}

type kernel struct {
	name string
	call func(c *contents, sh *shared) func(gpu.Item)
}

func main() {
	results := map[string][2]*contents{}
	for _, k := range kernels {
		before, c := begin(), begin()
		gpu.EachGroup(gpu.D1(2), gpu.Int3{X: 4, Y: 1, Z: 1}, func() func(gpu.Item) { return k.call(c, new(shared)) })
		results[k.name] = [2]*contents{before, c}
	}
	json.NewEncoder(os.Stdout).Encode(results)
}

// The functions of math/bits with two results, as functions of one result.

func sum64(x, y uint64) uint64 {
	s, carry := bits.Add64(x, y, x>>63)
	d, borrow := bits.Sub64(s, y<<1, carry)
	return d ^ borrow<<40
}

func product64(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ bits.ReverseBytes64(low)
}

func quotient64(x, y uint64) uint64 {
	q, r := bits.Div64(x%(y|1), ^x, y|1)
	return q ^ r<<1 ^ bits.Rem64(x, y, x>>7|1)
}

func sum32(x, y uint32) uint32 {
	s, carry := bits.Add32(x, y, x>>31)
	d, borrow := bits.Sub32(s, y<<1, carry)
	return d ^ borrow<<20
}

func product32(x, y uint32) uint32 {
	high, low := bits.Mul32(x, y)
	return high ^ bits.ReverseBytes32(low)
}

var _, _, _, _ = bits.Len32, slices.Max[[]int], atomic.AddUint32, math.Floor
`

// generator writes one program.
type generator struct {
	r   *rand.Rand
	out strings.Builder

	indent string
	// scope is the visible variables.
	scope []variable
	named int
	// loops are the labels of the enclosing loops, the innermost last, and used the ones that jumps
	// name.
	loops []string
	used  map[string]bool
	// others are the numeric types of other sizes than 32 bits, and sizes says that the current
	// kernel has some.
	others []string
	sizes  bool
	// helpers are the functions that the current kernel may call.
	helpers []helper
	depth   int
	// result is the types of the results of the current function; nil in a kernel.
	result []string
}

// variable is a name and its type: i32, u32, f32, bool, int (from 0 to 7), pair, *pair, [4]int32,
// []int32.
type variable struct {
	name, typ string
	constant  bool // not assigned to
}

// helper is a function that kernels call.
type helper struct {
	name       string
	parameters []string
	results    []string
}

// changes reports whether a call may write through a pointer. Go does not specify the order of such
// a call and the read of a variable in the same expression, so these calls are statements.
func (h *helper) changes() bool { return slices.Contains(h.parameters, "*pair") }

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(g.indent)
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

func (g *generator) name(prefix string) string {
	g.named++
	return fmt.Sprintf("%s%d", prefix, g.named)
}

func (g *generator) one(in int) bool { return g.r.IntN(in) == 0 }

// kernel writes helpers and a kernel that calls them.
func (g *generator) kernel(n int) {
	g.helpers, g.named = nil, 0
	g.sizes = g.one(2)
	for k := range g.r.IntN(4) {
		g.helper(fmt.Sprintf("h%d_%d", n, k))
	}
	g.line("\n//gpuc:kernel workgroup=4")
	g.line("func K%d(it gpu.Item, sh *shared, parameters plain, in []int32, words []uint32, reals []float32, out []uint32, own []pair, counts []uint32, longs []int64, bytes []uint8, mix []mixed, ownLongs []int64, ownWords []uint64) {", n)
	g.indent = "\t"
	g.line("i, l := it.Index(), it.LocalIndex()")
	g.line("_ = l")
	g.scope = []variable{{"parameters.Mask", "u32", true}, {"parameters.Pair.X", "i32", true}, {"parameters.Flag", "bool", true}, {"l", "int", true},
		{"in", "[]int32", true}, {"own[i].X", "i32", false}, {"own[i].Y", "u32", false}, {"&own[i]", "*pair", true}, {"parameters.Pair", "pair", true}}
	if g.sizes {
		g.scope = append(g.scope, variable{"parameters.Long", "i64", true}, variable{"mix[i].A", "i8", false}, variable{"mix[i].L", "i64", false},
			variable{"mix[i].W", "u16", false}, variable{"mix[i].Q[1]", "u8", false}, variable{"mix[i].U", "u64", false}, variable{"mix[i].H", "i16", false})
		if g.doubles() {
			g.scope = append(g.scope, variable{"parameters.Real", "f64", true}, variable{"mix[i].F", "f64", false})
		}
	}
	g.loops, g.used, g.result, g.depth = nil, map[string]bool{}, nil, 0
	for range 2 + g.r.IntN(3) {
		g.declare()
	}
	g.statements(4 + g.r.IntN(6))
	if g.one(2) {
		g.exchange()
		g.statements(2)
	}
	for k := range results {
		if g.sizes && g.one(2) {
			// an integer
			g.line("out[i*%d+%d] -= uint32(%s)", results, k, g.expression(otherKinds[g.r.IntN(len(otherKinds)-1)], 2))
		} else if v := g.find("u32", false); v != "" && g.one(2) {
			g.line("out[i*%d+%d] ^= %s", results, k, v)
		} else {
			g.line("out[i*%d+%d] += uint32(%s)", results, k, g.expression("i32", 2))
		}
	}
	if g.one(2) {
		g.line("atomic.AddUint32(&counts[l], %s)", g.expression("u32", 1))
	}
	g.indent = ""
	g.line("}")
}

// exchange writes statements that exchange values in a workgroup, sometimes in a loop.
func (g *generator) exchange() {
	loop := g.one(2)
	if loop {
		g.line("for iteration := range %d {", 1+g.r.IntN(3))
		g.indent += "\t"
		g.line("_ = iteration")
	}
	x, y := g.name("x"), g.name("y")
	g.line("sh.A[l] = %s", g.expression("i32", 2))
	g.line("sh.B[l&1][l] = %s", g.expression("u32", 1))
	if g.sizes {
		g.line("sh.C[l] = %s", g.expression("i8", 2))
		if g.doubles() {
			g.line("sh.D[l] = tiny(%s)", g.expression("f64", 1))
		}
	}
	g.line("it.Barrier()")
	g.line("%s, %s := sh.A[(l+%d)&3], sh.B[(l+1)&1][(l+1)&3]", x, y, g.r.IntN(4))
	if g.sizes {
		g.line("mix[i].A += sh.C[(l+%d)&3]", g.r.IntN(4))
		if g.doubles() {
			g.line("mix[i].F += sh.D[(l+%d)&3]", g.r.IntN(4))
		}
	}
	g.line("it.Barrier()")
	g.line("own[i].X += %s", x)
	g.line("own[i].Y ^= %s", y)
	if g.one(2) {
		g.subgroup()
	}
	if loop {
		g.indent = g.indent[1:]
		g.line("}")
	}
}

// subgroup writes a subgroup operation. A workgroup is smaller than any subgroup, and all of its
// items are active, so the result is the same on all devices.
func (g *generator) subgroup() {
	n := g.r.IntN(size)
	switch g.r.IntN(5) {
	case 0:
		g.line("own[i].X += gpu.Subgroup%s(it, %s)", g.oneOf("Add", "Mul", "Min", "Max", "And", "Or", "Xor", "InclusiveAdd", "ExclusiveMul"), g.expression("i32", 2))
	case 1:
		g.line("own[i].Y ^= gpu.Subgroup%s(it, %s)", g.oneOf("Add", "Mul", "Min", "Max", "And", "Or", "Xor", "InclusiveMul", "ExclusiveAdd"), g.expression("u32", 2))
	case 2:
		g.line("own[i].X += gpu.%s(it, %s, %d)", g.oneOf("SubgroupBroadcast", "SubgroupShuffleXor", "QuadBroadcast"), g.expression("i32", 2), n)
	case 3:
		g.line("own[i].Y += gpu.SubgroupShuffle(it, %s, (l+%d)&3)", g.expression("u32", 2), n)
	case 4:
		g.line("own[i].Y += gpu.SubgroupBallot(it, %s)[0]", g.expression("bool", 2))
	}
}

// helper writes a function of some parameters and results.
func (g *generator) helper(name string) {
	h := helper{name: name}
	types := []string{"i32", "u32", "bool", "int", "*pair", "[]int32", "pair", "f32", "i64", "u8"}
	if !g.sizes {
		types = types[:8]
	}
	g.scope, g.loops, g.used, g.depth = nil, nil, map[string]bool{}, 0
	var parameters []string
	for k := range 1 + g.r.IntN(4) {
		t := types[g.r.IntN(len(types))]
		h.parameters = append(h.parameters, t)
		p := fmt.Sprintf("p%d", k)
		parameters = append(parameters, p+" "+goType(t))
		if t == "*pair" {
			g.scope = append(g.scope, variable{p, t, true}, variable{p + ".X", "i32", false}, variable{p + ".Y", "u32", false}, variable{"*" + p, "pair", false})
		} else {
			g.scope = append(g.scope, variable{p, t, t == "int" || t == "[]int32"})
		}
	}
	for range 1 + g.r.IntN(2) {
		if g.sizes && g.one(3) {
			h.results = append(h.results, g.others[g.r.IntN(len(g.others))])
			continue
		}
		h.results = append(h.results, g.oneOf("i32", "u32", "bool", "pair", "f32"))
	}
	g.result = h.results
	declared := make([]string, len(h.results))
	for n, t := range h.results {
		declared[n] = goType(t)
	}
	g.line("\nfunc %s(%s) (%s) {", name, strings.Join(parameters, ", "), strings.Join(declared, ", "))
	g.indent = "\t"
	g.declare()
	g.statements(1 + g.r.IntN(4))
	g.returns()
	g.indent = ""
	g.line("}")
	g.helpers = append(g.helpers, h)
}

func goType(t string) string {
	switch t {
	case "i32":
		return "int32"
	case "u32":
		return "uint32"
	case "f32":
		return "float32"
	case "f64":
		return "float64"
	case "i8", "i16", "i64":
		return "int" + t[1:]
	case "u8", "u16", "u64":
		return "uint" + t[1:]
	}
	return t
}

// otherKinds are the numeric types of other sizes than 32 bits; the last is float64.
var otherKinds = []string{"i8", "u8", "i16", "u16", "i64", "u64", "f64"}

// doubles reports whether the program uses float64.
func (g *generator) doubles() bool { return len(g.others) == len(otherKinds) }

// integer returns a random integer type other than a given one.
func (g *generator) integer(than string) string {
	kinds := []string{"i32", "u32"}
	if g.sizes {
		kinds = append(kinds, otherKinds[:len(otherKinds)-1]...)
	}
	for {
		if k := kinds[g.r.IntN(len(kinds))]; k != than {
			return k
		}
	}
}

// returns writes a return statement.
func (g *generator) returns() {
	values := make([]string, len(g.result))
	for n, t := range g.result {
		values[n] = g.expression(t, 1)
	}
	g.line("return %s", strings.Join(values, ", "))
}
