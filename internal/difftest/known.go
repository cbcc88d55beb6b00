package difftest

// The families "known", "picks" and "lanes" are expressions: of numbers that a branch tells, where
// ptxas 12.9 and 13.0 took ~x for x; of numbers that are one of two constants, where NVIDIA's
// Vulkan driver divided a vector of 40 by 1 that it should have divided by 40; and of numbers of
// which some are the same in all invocations, where NVIDIA's compilers took what lies between two
// instructions for such a one too.

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// term is an expression of one integer type: its text, its value, for vectors the second
// component, and whether it is a const-expression, of which larger ones are not made, as
// their overflow is an error.
type term struct {
	text     string
	v        uint32
	constant bool
	second   uint32
}

// terms makes expressions.
type terms struct {
	r      *rand.Rand
	signed bool
	// extremes restricts operations to those that compilers join into minima and maxima.
	extremes bool
	// products restricts them to sums, products, shifts by what is computed, extremes and what
	// negates.
	products bool
	// vectors makes expressions of vectors of two components.
	vectors bool
	leaves  []term
}

// scalar names the type of a component, and whole that of an expression.
func (t *terms) scalar() string {
	if t.signed {
		return "i32"
	}
	return "u32"
}

func (t *terms) whole() string {
	if t.vectors {
		return "vec2<" + t.scalar() + ">"
	}
	return t.scalar()
}

// number makes a constant.
func (t *terms) number(first, second uint32) term {
	text := numeral(t.signed, first)
	if t.vectors {
		text = fmt.Sprintf("%s(%s, %s)", t.whole(), text, numeral(t.signed, second))
	}
	return term{text, first, true, second}
}

// onefold and twofold are operations with the format of their text.
type (
	onefold struct {
		format string
		of     func(x uint32, signed bool) uint32
	}
	twofold struct {
		format string
		of     func(x, y uint32, signed bool) uint32
	}
)

// unaries are operations on one integer.
var unaries = []onefold{
	{"~(%s)", func(x uint32, _ bool) uint32 { return ^x }},
	{"~(%s)", func(x uint32, _ bool) uint32 { return ^x }},
	{"(0 - %s)", func(x uint32, _ bool) uint32 { return -x }},
	{"(-1 - %s)", func(x uint32, _ bool) uint32 { return ^x }},
	{"countOneBits(%s)", func(x uint32, _ bool) uint32 { return uint32(bits.OnesCount32(x)) }},
	{"reverseBits(%s)", func(x uint32, _ bool) uint32 { return bits.Reverse32(x) }},
	{"countLeadingZeros(%s)", func(x uint32, _ bool) uint32 { return uint32(bits.LeadingZeros32(x)) }},
	{"firstTrailingBit(%s)", func(x uint32, _ bool) uint32 {
		if x == 0 {
			return 1<<32 - 1
		}
		return uint32(bits.TrailingZeros32(x))
	}},
	{"abs(%s)", func(x uint32, signed bool) uint32 {
		if signed && int32(x) < 0 {
			return -x
		}
		return x
	}},
}

// binaries are operations on two.
var binaries = []twofold{
	{"(%s + %s)", func(x, y uint32, _ bool) uint32 { return x + y }},
	{"(%s - %s)", func(x, y uint32, _ bool) uint32 { return x - y }},
	{"(%s * %s)", func(x, y uint32, _ bool) uint32 { return x * y }},
	{"(%s & %s)", func(x, y uint32, _ bool) uint32 { return x & y }},
	{"(%s | %s)", func(x, y uint32, _ bool) uint32 { return x | y }},
	{"(%s ^ %s)", func(x, y uint32, _ bool) uint32 { return x ^ y }},
	{"min(%s, %s)", func(x, y uint32, signed bool) uint32 {
		if less(x, y, signed) {
			return x
		}
		return y
	}},
	{"max(%s, %s)", func(x, y uint32, signed bool) uint32 {
		if less(x, y, signed) {
			return y
		}
		return x
	}},
	{"(%s / %s)", func(x, y uint32, signed bool) uint32 {
		if y == 0 || signed && x == 1<<31 && y == 1<<32-1 {
			return x
		} else if signed {
			return uint32(int32(x) / int32(y))
		}
		return x / y
	}},
	{"(%s %% %s)", func(x, y uint32, signed bool) uint32 {
		if y == 0 || signed && x == 1<<31 && y == 1<<32-1 {
			return 0
		} else if signed {
			return uint32(int32(x) % int32(y))
		}
		return x % y
	}},
	{"select(%[2]s, ~%[1]s, %[1]s == %[2]s)", func(x, y uint32, _ bool) uint32 {
		if x == y {
			return ^x
		}
		return y
	}},
	{"(%s << (u32(%s) & 31u))", func(x, y uint32, _ bool) uint32 { return x << (y & 31) }},
	{"(%s >> (u32(%s) & 31u))", shiftedRight},
	{"extractBits(%s, u32(%s), 7u)", func(x, y uint32, signed bool) uint32 {
		if y > 31 {
			return 0
		}
		return shiftedRight(x<<(32-min(y+7, 32)), 32-min(7, 32-y), signed)
	}},
	{"insertBits(%s, %s, u32(%[2]s) & 15u, 9u)", func(x, y uint32, _ bool) uint32 {
		mask := uint32(1<<9-1) << (y & 15)
		return x&^mask | y<<(y&15)&mask
	}},
	{"select(%[1]s, %[2]s, %[1]s < %[2]s)", func(x, y uint32, signed bool) uint32 {
		if less(x, y, signed) {
			return y
		}
		return x
	}},
}

var (
	extremeUnaries  = choice(unaries, func(u onefold) bool { return strings.ContainsAny(u.format, "~-") || strings.HasPrefix(u.format, "abs") })
	extremeBinaries = choice(binaries, func(b twofold) bool {
		return !strings.ContainsAny(b.format, "*&|^B/~") && !strings.Contains(b.format, "%%")
	})
	productBinaries = choice(binaries, func(b twofold) bool {
		return strings.ContainsAny(b.format[3:6], "+-*") || strings.HasPrefix(b.format, "m") || strings.HasPrefix(b.format, "(%s <<")
	})
	// vectorBinaries are those whose operands may be vectors.
	vectorBinaries = choice(binaries, func(b twofold) bool { return !strings.Contains(b.format, "u32(") })
)

func choice[T any](all []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !wanted(x) })
}

func shiftedRight(x, y uint32, signed bool) uint32 {
	if signed {
		return uint32(int32(x) >> (y & 31))
	}
	return x >> (y & 31)
}

func less(x, y uint32, signed bool) bool {
	if signed {
		return int32(x) < int32(y)
	}
	return x < y
}

// make returns an expression of at most the given depth.
func (t *terms) make(depth int) term {
	r := t.r
	if depth == 0 || r.IntN(8) == 0 {
		if r.IntN(4) == 0 {
			return t.number(edge(r), edge(r))
		}
		return t.leaves[r.IntN(len(t.leaves))]
	}
	x := t.make(depth - 1)
	if x.constant {
		return x
	}
	unaries, binaries := unaries, binaries
	kinds := 10
	if t.extremes { // sums, complements, absolute values and extremes only
		unaries, binaries, kinds = extremeUnaries, extremeBinaries, 9
	} else if t.products {
		unaries, binaries = extremeUnaries, productBinaries
	} else if t.vectors {
		binaries, kinds = vectorBinaries, 9
	}
	switch n := r.IntN(kinds); {
	case n < 3:
		u := &unaries[r.IntN(len(unaries))]
		text := fmt.Sprintf(u.format, x.text)
		if !t.signed {
			text = strings.NewReplacer("(-1 -", "(4294967295u -", "(0 -", "(0u -").Replace(text)
		}
		return term{text, u.of(x.v, t.signed), false, u.of(x.second, t.signed)}
	case n == 9:
		by := uint32(r.IntN(32))
		if r.IntN(2) == 0 {
			return term{fmt.Sprintf("(%s << %du)", x.text, by), x.v << by, false, 0}
		}
		return term{fmt.Sprintf("(%s >> %du)", x.text, by), shiftedRight(x.v, by, t.signed), false, 0}
	}
	y := t.make(depth - 1)
	b := &binaries[r.IntN(len(binaries))]
	if r.IntN(3) == 0 {
		x, y = y, x
	}
	if y.constant && (strings.HasPrefix(b.format, "extractBits") || (y.v == 0 || t.vectors && y.second == 0) && strings.ContainsAny(b.format[:5], "/%")) {
		// a constant field that reaches beyond is an error, and so is a division by 0
		b = &binaries[0]
	}
	return term{fmt.Sprintf(b.format, x.text, y.text), b.of(x.v, y.v, t.signed), false, b.of(x.second, y.second, t.signed)}
}

// known makes expressions of a number that a branch around them tells, wholly or in part.
func known(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 0x4e))
	t := &terms{r: r, signed: r.IntN(2) == 0, extremes: r.IntN(2) == 0}
	typed := t.scalar()
	d := []uint32{edge(r), edge(r), edge(r), uint32(r.IntN(3))}
	if r.IntN(3) == 0 {
		d[0] = uint32(r.IntN(40))
	}
	o := make([]uint32, 4)
	x := d[0]
	var body strings.Builder
	fmt.Fprintf(&body, "  let x = bitcast<%s>(d[0]);\n  let y = bitcast<%[1]s>(d[1]);\n", typed)
	zero := []string{"group.x", "local.y", "global.z", "place"}[r.IntN(4)]
	t.leaves = []term{{text: "x", v: x}, {text: "x", v: x}, {text: "x", v: x}, {text: "y", v: d[1]},
		{text: fmt.Sprintf("bitcast<%s>(%s)", typed, zero)}}
	number := numeral(t.signed, x)
	end := "  }\n"
	switch r.IntN(7) {
	case 0, 1:
		fmt.Fprintf(&body, "  if x == %s {\n", number)
	case 2:
		fmt.Fprintf(&body, "  if x != %s { return; }\n  {\n", number)
	case 3:
		fmt.Fprintf(&body, "  switch x {\n    default {}\n    case %s {\n", number)
		end = "    }\n  }\n"
	case 4:
		low, high := x-uint32(r.IntN(9)), x+uint32(r.IntN(9))
		if less(x, low, t.signed) {
			low = x
		}
		if less(high, x, t.signed) {
			high = x
		}
		fmt.Fprintf(&body, "  if x >= %s && x <= %s {\n", numeral(t.signed, low), numeral(t.signed, high))
	case 5: // in one turn of a loop
		turns := uint32(r.IntN(4))
		from := x - turns
		if less(x, from, t.signed) {
			from = x
		}
		fmt.Fprintf(&body, "  for (var n = %s; n <= %s; n++) {\n  let x = n;\n  if d[3] > 2u { break; }\n", numeral(t.signed, from), number)
		if last := uint32(1<<32 - 1); x == last || t.signed && x == last>>1 {
			return known(seed + 1<<32) // the loop would not end
		}
	default:
		mask := edge(r)
		fmt.Fprintf(&body, "  if (x & %s) == %s {\n", numeral(t.signed, mask), numeral(t.signed, x&mask))
	}
	for n := range o {
		e := t.make(2 + r.IntN(3))
		o[n] = e.v
		fmt.Fprintf(&body, "    o[%d] = u32(%s);\n", n, e.text)
	}
	body.WriteString(end)
	return small("known", seed, "", body.String(), d, o)
}

// picks makes expressions of numbers, or of vectors of them, that are one of two constants
// each, which a condition picks: by select, by a branch, or by a switch.
func picks(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 0x91))
	t := &terms{r: r, signed: r.IntN(2) == 0}
	if t.vectors = r.IntN(2) == 0; !t.vectors {
		t.extremes = r.IntN(4) == 0
	}
	d := []uint32{edge(r), edge(r), uint32(r.IntN(3)), 0}
	var body strings.Builder
	fmt.Fprintf(&body, "  let x = %s(bitcast<%s>(d[0]));\n", t.whole(), t.scalar())
	t.leaves = []term{{text: "x", v: d[0], second: d[0]}}
	constant := func() uint32 {
		if r.IntN(3) == 0 {
			return 0
		}
		return edge(r)
	}
	for n := range 1 + r.IntN(3) {
		name := string("vwz"[n])
		order := &orders[r.IntN(len(orders))]
		bound, at := edge(r), r.IntN(3)
		condition := fmt.Sprintf("d[%d] %s %du", at, order.text, bound)
		a, b := t.number(constant(), constant()), t.number(constant(), constant())
		switch r.IntN(3) {
		case 0:
			fmt.Fprintf(&body, "  let %s = select(%s, %s, %s);\n", name, a.text, b.text, condition)
		case 1:
			fmt.Fprintf(&body, "  var %s = %s;\n  if %s { %[1]s = %[4]s; }\n", name, a.text, condition, b.text)
		default:
			fmt.Fprintf(&body, "  var %s: %s;\n  switch u32(%s) {\n    case 1u { %[1]s = %[4]s; }\n    default { %[1]s = %[5]s; }\n  }\n",
				name, t.whole(), condition, b.text, a.text)
		}
		if order.holds(d[at], bound) {
			a = b
		}
		leaf := term{text: name, v: a.v, second: a.second}
		t.leaves = append(t.leaves, leaf, leaf, leaf)
	}
	o := make([]uint32, 4)
	for n := 0; n < len(o); n++ {
		e := t.make(1 + r.IntN(3))
		fmt.Fprintf(&body, "  let e%d = %s;\n", n, e.text)
		if o[n] = e.v; !t.vectors {
			fmt.Fprintf(&body, "  o[%d] = u32(e%[1]d);\n", n)
			continue
		}
		o[n+1] = e.second
		fmt.Fprintf(&body, "  o[%d] = u32(e%[1]d.x);\n  o[%d] = u32(e%[1]d.y);\n", n, n+1)
		n++
	}
	return small("picks", seed, "", body.String(), d, o)
}

// lanes makes expressions of what is the same in all invocations of a workgroup and what is not.
func lanes(seed uint64) *Case {
	const size, groups, results = 64, 2, 2
	d := make([]uint32, 8)
	random := rand.New(rand.NewPCG(seed, 0xd1))
	for n := range d {
		d[n] = edge(random)
	}
	o := make([]uint32, size*groups*results)
	var body strings.Builder
	for at := range uint32(size * groups) {
		// the same expressions for each, of its own numbers
		r := rand.New(rand.NewPCG(seed, 0x1a))
		t := &terms{r: r, signed: r.IntN(2) == 0, extremes: r.IntN(4) == 0}
		typed := t.scalar()
		body.Reset()
		fmt.Fprintf(&body, "  let lane = %[1]s(place);\n  let own = bitcast<%[1]s>(d[place %% 8u]);\n", typed)
		fmt.Fprintf(&body, "  let all = bitcast<%[1]s>(d[group.x]);\n  let workgroup = %[1]s(group.x);\n", typed)
		group, place := at/size, at%size
		t.leaves = []term{{text: "lane", v: place}, {text: "own", v: d[place%8]}, {text: "all", v: d[group]}, {text: "workgroup", v: group}}
		for n := range uint32(results) {
			e := t.make(2 + r.IntN(3))
			o[results*at+n] = e.v
			fmt.Fprintf(&body, "  o[(group.x * %du + place) * %du + %du] = u32(%s);\n", size, results, n, e.text)
		}
	}
	c := small("lanes", seed, "", body.String(), d, o)
	c.Code = strings.Replace(c.Code, "@workgroup_size(1)", fmt.Sprintf("@workgroup_size(%d)", size), 1)
	c.Dispatch = [3]int{groups, 1, 1}
	return c
}
