package difftest

// Families of small programs, each about one thing that drivers and compilers conclude too much
// from: how often loops run, and which sums and products may be regrouped. The generator of whole
// programs seldom comes to the numbers where that shows; here all numbers are of that kind. What a
// program computes is computed beside it, step by step.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Family makes programs of one kind, most of them small.
type Family struct {
	Name string
	Doc  string
	Case func(seed uint64) *Case
	// Program makes what Case is of, where that is a program of the generator's, which can be
	// reduced; it is nil otherwise.
	Program func(seed uint64) *Program
}

// Families are all of them.
var Families = []Family{
	{"counts", "loops whose counters start, step and end at extreme numbers", counts, nil},
	{"indices", "sums, differences and complements as values and as indices", indices, nil},
	{"known", "expressions of numbers that a branch tells", known, nil},
	{"picks", "expressions of numbers that are one of two constants", picks, nil},
	{"arms", "switches whose arms loop, in loops, where invocations part", arms, nil},
	{"calls", "functions in which invocations part and return, called where they are together", calls, nil},
	{"lanes", "expressions of what invocations share and what they do not", lanes, nil},
	{"chains", "products and sums with one constant behind another", chains, nil},
	{"signs", "loops in which variables change their signs or their places", signs, nil},
	{"roundings", "sums and products of f32 of which only rounding errors would be left", roundings, nil},
	{"folds", "expressions of vectors that compilers have rules for", folds, nil},
	{"spins", "loops that end by what memory holds, in loops that all invocations count alike", spins, nil},
	{"overwrites", "variables whose parts are stored as constants, and indexed dynamically", overwrites, nil},
	{"exits", "invocations that leave behind tests of several truth values, and behind loops that do nothing else", exits, nil},
	{"turns", "loops that index arrays of the invocation by what they count", turns, nil},
	{"limits", "minima and maxima of sums with numbers that loops step from constants", limits, nil},
	{"repeats", "expressions of what loops of few turns count and hand on, as values and as places", repeats, nil},
	{"items", "kernels in which each invocation does one item, of which compilers make ones in which it does several", items, nil},
	{"tiles", "loops that fill variables of the workgroup and work with them, turn by turn", tiles, nil},
	{"strides", "accesses at places of the grid and of counts, in arrays that are just long enough or just not", strides, nil},
	{"groups", "whole programs with workgroups of several blocks of lanes, of which some live and some do not", groups, Groups},
}

func bytesOf(words []uint32) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// small makes a case of the body of an entry point, the contents of "d", which it reads, and those
// of "o" afterwards.
func small(name string, seed uint64, declarations, body string, d, o []uint32) *Case {
	code := "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n" +
		"@group(0) @binding(1) var<storage, read> d: array<u32>;\n" + declarations +
		"@compute @workgroup_size(1)\nfn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,\n" +
		"  @builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_index) place: u32) {\n" + body + "}\n"
	return &Case{Name: fmt.Sprintf("%s-%d", name, seed), Code: code, Entry: "main", Dispatch: [3]int{1, 1, 1},
		Bindings: []Binding{
			{Name: "o", Kind: "storage", Data: make([]byte, 4*len(o)), Want: bytesOf(o)},
			{Binding: 1, Name: "d", Kind: "read-only-storage", Data: bytesOf(d), Want: bytesOf(d)},
		}}
}

// edges are numbers around which 32-bit arithmetic changes, and small ones.
var edges = []uint32{0, 1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 31, 64, 100, 0x100, 0xffff, 0x10000, 0x3fffffff, 0x40000000, 0x55555555,
	0x7ffffff0, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0x80000003, 0x80000010, 0xaaaaaaaa, 0xc0000000, 0xc0000001,
	0xfffffff0, 0xfffffff8, 0xfffffffd, 0xfffffffe, 0xffffffff}

func edge(r *rand.Rand) uint32 {
	if r.IntN(5) == 0 {
		return r.Uint32()
	}
	return edges[r.IntN(len(edges))]
}

// numeral writes a number of type u32 or i32.
func numeral(signed bool, v uint32) string {
	switch {
	case !signed:
		return fmt.Sprintf("%du", v)
	case v == 1<<31:
		return "i32(-2147483648)"
	}
	return fmt.Sprintf("%di", int32(v))
}

// orders are the comparisons of unsigned and signed numbers.
var orders = []struct {
	text   string
	holds  func(a, b uint32) bool
	signed func(a, b int32) bool
}{
	{"<", func(a, b uint32) bool { return a < b }, func(a, b int32) bool { return a < b }},
	{"<=", func(a, b uint32) bool { return a <= b }, func(a, b int32) bool { return a <= b }},
	{">", func(a, b uint32) bool { return a > b }, func(a, b int32) bool { return a > b }},
	{">=", func(a, b uint32) bool { return a >= b }, func(a, b int32) bool { return a >= b }},
	{"!=", func(a, b uint32) bool { return a != b }, func(a, b int32) bool { return a != b }},
	{"==", func(a, b uint32) bool { return a == b }, func(a, b int32) bool { return a == b }},
}

// mostTurns bounds how often the loops of counts run.
const mostTurns = 24

// counts makes a loop that adds its counters up. It is tested at its beginning or at its end,
// and start, step and bound are constants or loaded.
func counts(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 0xc0))
	for {
		signed, atTop, product := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(10) == 0
		start, step, bound := edge(r), edge(r), edge(r)
		order := &orders[r.IntN(len(orders))]
		if r.IntN(3) == 0 { // small steps across the ends of the numbers
			near := func(n uint32) uint32 { return n + uint32(r.IntN(129)) - 64 }
			start, step = near(uint32(r.IntN(2))<<31), near(0)/uint32(1+r.IntN(8))
			if r.IntN(2) == 0 {
				step = -step
			}
			if r.IntN(2) == 0 {
				bound = near(uint32(r.IntN(2)) << 31)
			}
		}
		if !product && r.IntN(2) == 0 && order.text[1:] == "=" { // seldom met by chance
			bound = start + uint32(r.IntN(mostTurns))*step
		}
		holds := func(k uint32) bool {
			if signed {
				return order.signed(int32(k), int32(bound))
			}
			return order.holds(k, bound)
		}
		next := func(k uint32) uint32 {
			if product {
				return k * step
			}
			return k + step
		}
		o := make([]uint32, 3)
		ended := false
		for k := start; o[1] <= mostTurns; {
			if ended = atTop && !holds(k); ended {
				break
			}
			o[0] = o[0]*31 + k
			o[1]++
			if (int32(k) < 0) == signed {
				o[2]++
			}
			k = next(k)
			if ended = !atTop && holds(k); ended {
				break
			}
		}
		if !ended || o[1] == 0 {
			continue
		}
		typed, low := "u32", "k < 0x80000000u"
		if signed {
			typed, low = "i32", "k < 0i"
		}
		var b strings.Builder
		loaded := 0
		if r.IntN(2) == 0 {
			loaded = r.IntN(8)
		}
		for n, v := range []uint32{start, step, bound} {
			value := numeral(signed, v)
			if loaded>>n&1 == 1 {
				value = fmt.Sprintf("bitcast<%s>(d[%d])", typed, n)
			}
			fmt.Fprintf(&b, "  let %s = %s;\n", [...]string{"start", "step", "bound"}[n], value)
		}
		operator := "+="
		if product {
			operator = "*="
		}
		body := fmt.Sprintf("    o[0] = o[0] * 31u + u32(k);\n    o[1] += 1u;\n    if (%s) { o[2] += 1u; }\n", low)
		if atTop {
			fmt.Fprintf(&b, "  for (var k = start; k %s bound; k %s step) {\n%s  }\n", order.text, operator, body)
		} else {
			fmt.Fprintf(&b, "  var k = start;\n  loop {\n%s    k %s step;\n    continuing { break if k %s bound; }\n  }\n",
				body, operator, order.text)
		}
		return small("counts", seed, "", b.String(), []uint32{start, step, bound}, o)
	}
}

// indices makes an expression of sums, differences, products, negations and complements, of
// numbers that are constant, loaded, or built in, and indexes with its value: an index outside is
// clamped, which is robust access.
func indices(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 0x1d))
	signed := r.IntN(2) == 0
	d := make([]uint32, 7)
	for n := range d {
		d[n] = edge(r)
	}
	cast := func(s string) string {
		if signed {
			return "bitcast<i32>(" + s + ")"
		}
		return s
	}
	var expression func(depth int) (string, uint32, bool)
	expression = func(depth int) (text string, v uint32, constant bool) {
		if depth == 0 || r.IntN(8) == 0 {
			switch n := r.IntN(len(d)); r.IntN(4) {
			case 0:
				v = edge(r)
				return numeral(signed, v), v, true
			case 1:
				return cast(fmt.Sprintf("d[%d]", n)), d[n], false
			}
			if r.IntN(8) == 0 {
				return cast("place"), 0, false
			}
			return cast([]string{"group.", "local.", "global."}[r.IntN(3)] + string("xyz"[r.IntN(3)])), 0, false
		}
		x, a, fixed := expression(depth - 1)
		if operator := r.IntN(6); operator < 2 && !fixed {
			if operator == 0 {
				return "~(" + x + ")", ^a, false
			} else if signed {
				return "-(" + x + ")", -a, false
			}
			return "(0u - " + x + ")", -a, false
		}
		y, b, alsoFixed := expression(depth - 1)
		if fixed && alsoFixed { // whose overflow would be an error
			return x, a, true
		}
		switch r.IntN(5) {
		case 0, 1:
			return "(" + x + " + " + y + ")", a + b, false
		case 2, 3:
			return "(" + x + " - " + y + ")", a - b, false
		}
		return "(" + x + " * " + y + ")", a * b, false
	}
	text, v, _ := expression(2 + r.IntN(3))
	body := fmt.Sprintf("  var k = %s;\n  k += %s;\n  o[0] = u32(k);\n  o[1] = d[k];\n", text, numeral(signed, 1))
	if r.IntN(2) == 0 {
		body = fmt.Sprintf("  let k = %s;\n  o[0] = u32(k);\n  o[1] = d[k];\n", text)
	} else {
		v++
	}
	if r.IntN(2) == 0 { // the value as an index only
		body = strings.Replace(body, "  o[0] = u32(k);\n", "", 1)
		c := small("indices", seed, "", body, d, []uint32{0, d[min(v, uint32(len(d)-1))]})
		c.Robust = true
		return c
	}
	c := small("indices", seed, "", body, d, []uint32{v, d[min(v, uint32(len(d)-1))]})
	c.Robust = true
	return c
}

// chains makes a chain of products with constants, or of sums, which straight code, a loop, or a
// private variable and a function builds. In the order written no result is infinite, subnormal
// or lost; in another one, which fast math allows, it may be. Nothing can be part of an fma that
// rounds otherwise.
func chains(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 0xcc))
	factors := []float32{-566.4375, 1e30, 1e-30, 3, 1e20, 1e-20, 0.1, 1e8, 2, 0.5, 1e38}
	terms := []float32{1e8, -1e8, 3, 0.5, 0.1, 16777216, -566.4375, 1e30, -1e30}
	starts := []float32{0, 1, 1.5, 3.14159, 1e-8, 1e10, -7.25}
	for {
		x := starts[r.IntN(len(starts))]
		list, operator := factors, "*"
		if r.IntN(4) == 0 {
			list, operator = terms, "+"
		}
		form := r.IntN(3)
		constants := make([]float32, 2+r.IntN(14))
		for n := range constants {
			if constants[n] = list[r.IntN(len(list))]; form != 0 && n > 0 {
				constants[n] = constants[0]
			}
		}
		v, ordinary := x, true
		for _, c := range constants {
			if operator == "*" {
				v = float32(v * c)
			} else {
				v = float32(v + c)
			}
			size := math.Abs(float64(v))
			ordinary = ordinary && (size == 0 && (x == 0 || operator == "+") || size > 1e-36 && size < 3e38)
		}
		if !ordinary {
			continue
		}
		var b strings.Builder
		declarations := ""
		b.WriteString("  let x = bitcast<f32>(d[0]);\n")
		switch form {
		case 0:
			b.WriteString("  var v = x;\n")
			for _, c := range constants {
				fmt.Fprintf(&b, "  v = v %s %vf;\n", operator, c)
			}
		case 1:
			fmt.Fprintf(&b, "  var v = x;\n  for (var n = 0; n < %d; n++) { v %s= %vf; }\n", len(constants), operator, constants[0])
		default:
			declarations = fmt.Sprintf("var<private> v: f32;\nfn link() -> u32 { v = v %s %vf; return 1u; }\n", operator, constants[0])
			b.WriteString("  v = x;\n" + strings.Repeat("  o[1] += link();\n", len(constants)))
		}
		sum := ""
		if r.IntN(2) == 0 {
			sum = " + 0.0f"
		}
		fmt.Fprintf(&b, "  o[0] = bitcast<u32>(v%s);\n", sum)
		o := []uint32{math.Float32bits(v), 0}
		if form == 2 {
			o[1] = uint32(len(constants))
		}
		c := small("chains", seed, declarations, b.String(), []uint32{math.Float32bits(x)}, o)
		c.Bindings[0].Floats, c.Bindings[0].Stride, c.Bindings[0].Count = []FloatPlace{{}}, 8, 1
		c.Rounds = true
		return c
	}
}
