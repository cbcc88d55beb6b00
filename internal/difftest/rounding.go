package difftest

// The family "rounding": sums, differences and products of f32 whose results are the rounding
// errors of their operands, so that any reassociation shows. WGSL has each operation rounded
// correctly, and lets an implementation fuse a product with the sum that uses it, which rounds once
// (WGSL §15.7.3). The value of an expression is the set of results that this permits; only
// expressions with one value are used. A quarter of the cases are chains of operations with
// constants.

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
)

// rounded is an expression: a number, or an operation.
type rounded struct {
	text   string
	a, b   *rounded
	op     byte // + - * n(egation) t(runc) a(bs); 0 is a leaf
	values []float32
}

// rounder makes one program of the family.
type rounder struct {
	r    *rand.Rand
	d    []uint32
	body strings.Builder
	vars int
	near []float32 // numbers that leaves lie near
}

// mostValues bounds the values of an expression on the way.
const mostValues = 16

func rounding(seed uint64) *Case {
	if seed%4 == 3 {
		return chains(seed)
	}
	s := &rounder{r: rand.New(rand.NewPCG(seed, 0xf32))}
	var o []uint32
	for tries := 0; len(o) < 4; tries++ {
		if tries%8 == 0 {
			s.near = s.near[:0]
			for range 2 {
				s.near = append(s.near, s.number())
			}
		}
		d, vars, before := len(s.d), s.vars, s.body.Len()
		e := s.expression(1 + s.r.IntN(4))
		if e.op == 0 || len(e.values) != 1 {
			text := s.body.String()[:before]
			s.body.Reset()
			s.body.WriteString(text)
			s.d, s.vars = s.d[:d], vars
			continue
		}
		fmt.Fprintf(&s.body, "  o[%d] = bitcast<u32>(%s);\n", len(o), e.text)
		o = append(o, math.Float32bits(e.values[0]))
	}
	c := small("rounding", seed, "", s.body.String(), append(s.d, 0), o)
	c.Rounds = true
	return c
}

// number makes a number with digits to its end.
func (s *rounder) number() float32 {
	v := math.Ldexp(1+s.r.Float64(), s.r.IntN(16)-5)
	if s.r.IntN(2) == 0 {
		v = -v
	}
	return float32(v)
}

// expression makes one; without values it is of no use.
func (s *rounder) expression(depth int) *rounded {
	if depth == 0 || s.r.IntN(6) == 0 {
		return s.leaf()
	}
	e := &rounded{a: s.expression(depth - 1)}
	switch s.r.IntN(12) {
	case 0:
		e.op, e.text = 'n', "-("+e.a.text+")"
	case 1:
		e.op, e.text = 't', "trunc("+e.a.text+")"
	case 2:
		e.op, e.text = 'a', "abs("+e.a.text+")"
	default:
		e.op = "+-*"[s.r.IntN(3)]
		e.b = s.expression(depth - 1)
		if s.r.IntN(2) == 0 {
			e.a, e.b = e.b, e.a
		}
		e.text = "(" + e.a.text + " " + string(e.op) + " " + e.b.text + ")"
	}
	e.evaluate()
	if s.r.IntN(4) == 0 { // compilers see through a variable
		word := []string{"let", "var"}[s.r.IntN(2)]
		fmt.Fprintf(&s.body, "  %s x%d = %s;\n", word, s.vars, e.text)
		e.text = fmt.Sprintf("x%d", s.vars)
		s.vars++
	}
	return e
}

func (s *rounder) leaf() *rounded {
	v := s.near[s.r.IntN(len(s.near))]
	switch s.r.IntN(4) {
	case 0:
		v = s.number()
	case 1:
		v = math.Float32frombits(math.Float32bits(v) + uint32(s.r.IntN(17)) - 8)
	}
	e := &rounded{values: []float32{v}}
	switch s.r.IntN(3) {
	case 0:
		e.text = fmt.Sprintf("bitcast<f32>(d[%d])", len(s.d))
		s.d = append(s.d, math.Float32bits(v))
	case 1:
		fmt.Fprintf(&s.body, "  var x%d = %sf;\n", s.vars, digits(v))
		e.text = fmt.Sprintf("x%d", s.vars)
		s.vars++
	default:
		e.text = digits(v) + "f"
		if v < 0 {
			e.text = "(" + e.text + ")"
		}
	}
	return e
}

// digits writes all digits of a number.
func digits(v float32) string { return fmt.Sprintf("%x", v) }

// evaluate computes what the expression may be, or nothing where a value is not a normal
// number.
func (e *rounded) evaluate() {
	add := func(x *big.Float) {
		v, _ := x.Float32()
		if size := math.Abs(float64(v)); size < 0x1p-100 || size > 0x1p100 {
			e.values = nil
		} else if len(e.values) > 0 && !slices.Contains(e.values, v) {
			e.values = append(e.values, v)
		}
	}
	exact := func(v float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(v)) }
	product := func(x, y float32) *big.Float { return new(big.Float).SetPrec(600).Mul(exact(x), exact(y)) }
	e.values = []float32{float32(math.NaN())} // something to append to
	if e.b == nil {
		for _, x := range e.a.values {
			switch e.op {
			case 'n':
				add(exact(-x))
			case 't':
				add(exact(float32(math.Trunc(float64(x)))))
			case 'a':
				add(exact(float32(math.Abs(float64(x)))))
			}
		}
	} else {
		sum := func(x, y *big.Float) *big.Float {
			if e.op == '-' {
				return new(big.Float).SetPrec(600).Sub(x, y)
			}
			return new(big.Float).SetPrec(600).Add(x, y)
		}
		for _, x := range e.a.values {
			for _, y := range e.b.values {
				if e.op == '*' {
					add(product(x, y))
				} else {
					add(sum(exact(x), exact(y)))
				}
			}
		}
		if e.op != '*' {
			// either operand may be a product that is not rounded
			e.a.products(func(p *big.Float) {
				for _, y := range e.b.values {
					add(sum(p, exact(y)))
				}
			})
			e.b.products(func(p *big.Float) {
				for _, x := range e.a.values {
					add(sum(exact(x), p))
				}
			})
		}
	}
	if len(e.a.values) == 0 || e.b != nil && len(e.b.values) == 0 || len(e.values) < 2 || len(e.values) > mostValues {
		e.values = nil
		return
	}
	e.values = e.values[1:]
}

// products visits the exact values of an expression that is a product, the negation or absolute
// value of one, or one times a power of two. All these keep a product's digits. So compilers may
// remove them or apply them to a factor, and fuse the product with a sum.
func (e *rounded) products(visit func(*big.Float)) {
	switch e.op {
	case 'n':
		e.a.products(func(p *big.Float) { visit(new(big.Float).Neg(p)) })
	case 'a':
		e.a.products(func(p *big.Float) { visit(new(big.Float).Abs(p)) })
	case '*':
		for _, x := range e.a.values {
			for _, y := range e.b.values {
				visit(new(big.Float).SetPrec(600).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y))))
			}
		}
		e.a.scaled(e.b.values, visit)
		e.b.scaled(e.a.values, visit)
	}
}

// scaled visits the exact products that an expression is, times those factors that are powers of
// two.
func (e *rounded) scaled(factors []float32, visit func(*big.Float)) {
	for _, f := range factors {
		if fraction, _ := math.Frexp(math.Abs(float64(f))); fraction == 0.5 {
			e.products(func(p *big.Float) {
				visit(new(big.Float).SetPrec(600).Mul(p, big.NewFloat(float64(f))))
			})
		}
	}
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
		c := small("rounding", seed, declarations, b.String(), []uint32{math.Float32bits(x)}, o)
		c.Bindings[0].Floats, c.Bindings[0].Stride, c.Bindings[0].Count = []FloatField{{}}, 8, 1
		c.Rounds = true
		return c
	}
}
