package difftest

// The family "folds": expressions like those that compilers have rules for, of vectors above all.
// x <= (x & mask) is a comparison with the mask if the mask is 2^n - 1; NVIDIA's Vulkan driver
// took -1 for such a mask where another component's was one. Rules for vectors have conditions on
// all components, so here the components' constants are of several kinds, the same
// number is on both sides, and what is made once is used again.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// fold is an expression: its text and its components.
type fold struct {
	text     string
	v        [4]uint32
	constant bool // of larger const-expressions none is made, as their overflow is an error
}

// folder makes the expressions of one program.
type folder struct {
	r     *rand.Rand
	kind  string // u32, i32 or f32
	width int
	d     []uint32
	body  strings.Builder
	// numbers and truths are what has a name, of the kind and of bool.
	numbers, truths []fold
}

// floatOperations are operations on two f32 that are exact for small numbers. A complement is a
// negation there.
var floatOperations = []struct {
	format string
	of     func(x, y float64) float64
}{
	{"(%s + %s)", func(x, y float64) float64 { return x + y }},
	{"(%s - %s)", func(x, y float64) float64 { return x - y }},
	{"(%s * %s)", func(x, y float64) float64 { return x * y }},
	{"min(%s, %s)", math.Min},
	{"max(%s, %s)", math.Max},
	{"(-%s + 0 * %s)", func(x, _ float64) float64 { return -x }},
	{"abs(%s - %s)", func(x, y float64) float64 { return math.Abs(x - y) }},
	{"floor(%s * %s)", func(x, y float64) float64 { return math.Floor(x * y) }},
	{"select(%[1]s, %[2]s, %[1]s < %[2]s)", math.Max},
}

// folds makes a program of the family.
func folds(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 0xf01d))
	f := &folder{r: r, kind: []string{"u32", "i32", "i32", "f32"}[r.IntN(4)], width: 1}
	if r.IntN(5) > 0 {
		f.width = 2 + r.IntN(3)
	}
	for n := range 1 + r.IntN(2) {
		f.numbers = append(f.numbers, f.variable("xy"[n:n+1]))
	}
	for range 2 + r.IntN(4) {
		if r.IntN(2) == 0 {
			f.numbers = append(f.numbers, f.name(f.kind, f.number(1+r.IntN(2))))
		} else {
			f.truths = append(f.truths, f.name("bool", f.truth(1+r.IntN(2))))
		}
	}
	var o []uint32
	put := func(x *fold, format string, scale float32) {
		for k := range f.width {
			component := x.text
			if f.width > 1 {
				component += "." + "xyzw"[k:k+1]
			}
			v := x.v[k]
			if scale != 0 {
				v = uint32(int32(math.Float32frombits(v) * scale))
			}
			fmt.Fprintf(&f.body, "  o[%d] = "+format+";\n", len(o), component)
			o = append(o, v)
		}
	}
	for n := range f.numbers {
		if f.kind == "f32" {
			put(&f.numbers[n], "u32(i32(%s * 64.0))", 64)
		} else {
			put(&f.numbers[n], "u32(%s)", 0)
		}
	}
	for n := range f.truths {
		put(&f.truths[n], "u32(%s)", 0)
	}
	c := small("folds", seed, "", f.body.String(), f.d, o)
	c.Rounds = f.kind == "f32"
	return c
}

// variable gives a name to a vector that is loaded, or of which some components are constants, or
// which is a product of a number and a constant vector of zeros and ones.
func (f *folder) variable(name string) fold {
	r := f.r
	x := fold{text: name}
	if r.IntN(4) == 0 {
		factor, parts := f.scalar(), make([]string, f.width)
		if f.kind != "f32" && r.IntN(2) == 0 {
			factor &= 1
		}
		for k := range parts {
			if parts[k] = f.kind + "(0)"; r.IntN(2) == 0 {
				parts[k] = f.kind + "(1)"
				x.v[k] = factor
			}
		}
		fmt.Fprintf(&f.body, "  let %s = %s(bitcast<%s>(d[%d])) * %[2]s(%[5]s);\n", name, f.typed(f.kind), f.kind, len(f.d), strings.Join(parts, ", "))
		f.d = append(f.d, factor)
		return x
	}
	known := r.IntN(3)
	parts := make([]string, f.width)
	for k := range parts {
		x.v[k] = f.scalar()
		if parts[k] = f.literal(x.v[k]); f.width == 1 || known != 0 || r.IntN(2) == 0 {
			parts[k] = fmt.Sprintf("bitcast<%s>(d[%d])", f.kind, len(f.d))
			f.d = append(f.d, x.v[k])
		}
	}
	fmt.Fprintf(&f.body, "  let %s = %s(%s);\n", name, f.typed(f.kind), strings.Join(parts, ", "))
	return x
}

// literal writes a number of the kind.
func (f *folder) literal(v uint32) string {
	if f.kind == "f32" {
		return fmt.Sprintf("f32(%v)", math.Float32frombits(v))
	}
	return numeral(f.kind == "i32", v)
}

// name gives an expression a name.
func (f *folder) name(scalar string, x fold) fold {
	x.constant = false
	text := fmt.Sprintf("v%d", len(f.numbers)+len(f.truths))
	fmt.Fprintf(&f.body, "  let %s: %s = %s;\n", text, f.typed(scalar), x.text)
	x.text = text
	return x
}

func (f *folder) typed(scalar string) string {
	if f.width == 1 {
		return scalar
	}
	return fmt.Sprintf("vec%d<%s>", f.width, scalar)
}

// scalar makes a number that rules ask for: a mask, a power of two, an extreme, or any.
func (f *folder) scalar() uint32 { return f.scalarOf(f.r.IntN(9)) }

func (f *folder) scalarOf(class int) uint32 {
	r := f.r
	if f.kind == "f32" {
		return math.Float32bits([]float32{0, 0, 1, 1, -1, 2, 0.5, -0.5, 4, 3, -7, 12, 0.25, 60}[r.IntN(14)])
	}
	n := r.IntN(33)
	switch class {
	case 0, 1: // 2^n - 1 for every n, and all of its bits
		return uint32(1<<[...]int{n, 31, 32}[r.IntN(3)] - 1)
	case 2:
		return ^uint32(1<<n - 1)
	case 3:
		return uint32(1 << (n & 31))
	case 4:
		return uint32(1<<31) - uint32(r.IntN(2))
	case 5:
		return -uint32(r.IntN(2))
	}
	return edge(r)
}

// constant makes a constant, whose components are of one class, or the same number, now and then.
func (f *folder) constant() fold {
	x := fold{constant: true}
	parts := make([]string, f.width)
	same, class := f.r.IntN(4) == 0, f.r.IntN(9)
	alike := f.r.IntN(2) == 0
	for k := range parts {
		if x.v[k] = f.scalarOf(class); same {
			x.v[k] = x.v[0]
		} else if !alike {
			class = f.r.IntN(9)
		}
		parts[k] = f.literal(x.v[k])
	}
	x.text = parts[0]
	if f.width > 1 {
		x.text = f.typed(f.kind) + "(" + strings.Join(parts, ", ") + ")"
	}
	return x
}

// number makes an expression of the kind.
func (f *folder) number(depth int) fold {
	r := f.r
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(3) == 0 {
			return f.constant()
		}
		return f.numbers[r.IntN(len(f.numbers))]
	}
	x := f.number(depth - 1)
	if x.constant {
		return x
	}
	if len(f.truths) > 0 && r.IntN(6) == 0 {
		c, y := &f.truths[r.IntN(len(f.truths))], f.number(depth-1)
		z := fold{text: fmt.Sprintf("select(%s, %s, %s)", x.text, y.text, c.text), v: x.v}
		for k := range f.width {
			if c.v[k] == 1 {
				z.v[k] = y.v[k]
			}
		}
		return z
	}
	if f.kind == "f32" {
		return f.float(x, f.number(depth-1))
	}
	signed := f.kind == "i32"
	if r.IntN(3) == 0 {
		u := &unaries[r.IntN(len(unaries))]
		text := fmt.Sprintf(u.format, x.text)
		if !signed {
			text = strings.NewReplacer("(-1 -", "(4294967295u -", "(0 -", "(0u -").Replace(text)
		}
		z := fold{text: text}
		for k := range f.width {
			z.v[k] = u.of(x.v[k], signed)
		}
		return z
	}
	return f.binary(x, f.number(depth-1))
}

// binary makes an operation on two integers.
func (f *folder) binary(x, y fold) fold {
	r, signed := f.r, f.kind == "i32"
	b := &binaries[r.IntN(len(binaries))]
	zero := false
	for k := range f.width {
		zero = zero || y.v[k] == 0
	}
	if strings.Contains(b.format, "Bits(") || y.constant && zero && strings.ContainsAny(b.format[:5], "/%") {
		// fields have one place for all components; a constant divisor of 0 is an error
		b = &binaries[3]
	}
	format := b.format
	if f.width > 1 { // the second operand of shifts is a vector, too
		unsigned := f.typed("u32")
		format = strings.NewReplacer("u32(", unsigned+"(", "31u", unsigned+"(31u)").Replace(format)
	}
	if r.IntN(3) == 0 && !strings.ContainsAny(format, "/%<>") && !y.constant {
		x, y = y, x
	}
	z := fold{text: fmt.Sprintf(format, x.text, y.text)}
	for k := range f.width {
		z.v[k] = b.of(x.v[k], y.v[k], signed)
	}
	return z
}

// float makes an operation of numbers whose result is a small multiple of 1/64, or is one of them.
func (f *folder) float(x, y fold) fold {
	o := &floatOperations[f.r.IntN(len(floatOperations))]
	z := fold{text: fmt.Sprintf(o.format, x.text, y.text)}
	for k := range f.width {
		v := o.of(float64(math.Float32frombits(x.v[k])), float64(math.Float32frombits(y.v[k])))
		if math.Abs(v) > 4096 || v*64 != math.Floor(v*64) {
			return x
		}
		z.v[k] = math.Float32bits(float32(v))
	}
	return z
}

// truth makes a condition, of each component one: a comparison whose sides have something in
// common, or what conditions with names say together.
func (f *folder) truth(depth int) fold {
	r := f.r
	z := fold{}
	if len(f.truths) > 0 && r.IntN(3) == 0 {
		a, b := &f.truths[r.IntN(len(f.truths))], &f.truths[r.IntN(len(f.truths))]
		switch r.IntN(3) {
		case 0:
			z.text = fmt.Sprintf("(%s & !%s)", a.text, b.text)
			for k := range f.width {
				z.v[k] = a.v[k] &^ b.v[k]
			}
		case 1:
			z.text = fmt.Sprintf("(%s | %s)", a.text, b.text)
			for k := range f.width {
				z.v[k] = a.v[k] | b.v[k]
			}
		default:
			z.text = fmt.Sprintf("(%s != %s)", a.text, b.text)
			for k := range f.width {
				z.v[k] = a.v[k] ^ b.v[k]
			}
		}
		return z
	}
	o := &orders[r.IntN(len(orders))]
	x, y, all := f.numbers[r.IntN(len(f.numbers))], fold{}, f.numbers
	switch n := r.IntN(4); {
	case n == 0 && f.kind != "f32": // one rule's worth
		y = f.binary(x, f.constant())
	case n < 2: // something of x on the other side
		f.numbers = []fold{x}
		fallthrough
	default:
		y = f.number(depth)
	}
	f.numbers = all
	if r.IntN(2) == 0 {
		x, y = y, x
	}
	z.text = fmt.Sprintf("(%s %s %s)", x.text, o.text, y.text)
	for k := range f.width {
		holds := o.holds(x.v[k], y.v[k])
		switch f.kind {
		case "i32":
			holds = o.signed(int32(x.v[k]), int32(y.v[k]))
		case "f32": // whose order is that of their multiples
			holds = o.signed(sixtyFourths(x.v[k]), sixtyFourths(y.v[k]))
		}
		if holds {
			z.v[k] = 1
		}
	}
	return z
}

// sixtyFourths returns 64 times an f32 that is a small multiple of 1/64.
func sixtyFourths(v uint32) int32 { return int32(math.Float32frombits(v) * 64) }
