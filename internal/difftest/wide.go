package difftest

// Abstract integers: const-expressions of 64 bits, in which overflow is an error (WGSL §8.7).

import (
	"math"
	"math/bits"
)

// fromWide compiles the conversion of an abstract integer to a concrete type.
func (c *compiler) fromWide(e *Expr) code {
	v := c.wide(e.Args[0])
	ok := true
	var bits uint32
	switch e.Type.Kind {
	case I32:
		ok = v >= math.MinInt32 && v <= math.MaxInt32
		bits = uint32(int32(v))
	case U32:
		ok = v >= 0 && v <= math.MaxUint32
		bits = uint32(v)
	case F32, F16:
		ok = representable(float64(v), e.Type.Kind)
		bits = word(float32(v))
	default:
		panic("an abstract integer becomes a number")
	}
	if !ok {
		c.m.fault(FaultConst, e, nil, "abstract integer out of range")
	}
	return fixedCode([]uint32{bits})
}

// wide evaluates an abstract integer.
func (c *compiler) wide(e *Expr) int64 {
	fail := func() int64 {
		c.m.fault(FaultConst, e, nil, "abstract integer overflows")
		return 1
	}
	switch e.Op {
	case OpLiteral:
		return e.Wide
	case OpVar:
		return c.wide(e.Var.Init)
	case OpUnary:
		x := c.wide(e.Args[0])
		if e.Name == "~" {
			return ^x
		}
		if x == math.MinInt64 {
			return fail()
		}
		return -x
	case OpBinary:
	default:
		panic("unknown abstract expression")
	}
	if r, ok := wideOperators[e.Name](c.wide(e.Args[0]), c.wide(e.Args[1])); ok {
		return r
	}
	return fail()
}

// wideOperators are the binary operators on abstract integers, which report whether the result
// exists.
var wideOperators = map[string]func(x, y int64) (r int64, ok bool){
	"+": func(x, y int64) (int64, bool) { return x + y, (x+y > x) == (y > 0) },
	"-": func(x, y int64) (int64, bool) { return x - y, (x-y < x) == (y > 0) },
	"*": func(x, y int64) (int64, bool) {
		high, low := bits.Mul64(uint64(max(x, -x)), uint64(max(y, -y)))
		return x * y, x == 0 || y == 0 || high == 0 && low < 1<<63 && x != math.MinInt64 && y != math.MinInt64
	},
	"/": func(x, y int64) (int64, bool) {
		if !divides(x, y) {
			return 0, false
		}
		return x / y, true
	},
	"%": func(x, y int64) (int64, bool) {
		if !divides(x, y) {
			return 0, false
		}
		return x % y, true
	},
	"&": func(x, y int64) (int64, bool) { return x & y, true },
	"|": func(x, y int64) (int64, bool) { return x | y, true },
	"^": func(x, y int64) (int64, bool) { return x ^ y, true },
	"<<": func(x, y int64) (int64, bool) {
		if y < 0 || y >= 63 {
			return 0, false
		}
		return x << y, x<<y>>y == x
	},
	">>": func(x, y int64) (int64, bool) {
		if y < 0 || y >= 63 {
			return 0, false
		}
		return x >> y, true
	},
}

// divides reports whether the quotient of abstract integers exists.
func divides(x, y int64) bool { return y != 0 && (x != math.MinInt64 || y != -1) }
