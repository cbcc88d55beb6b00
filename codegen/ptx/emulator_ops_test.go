package ptx_test

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// What the emulator's instructions do, by the PTX ISA.

type action = func(t *thread, x *instruction)

// behaviour returns what an instruction does; unknown ones panic as they are
// read.
func behaviour(x *instruction) action {
	if f, ok := actions[x.op[0]]; ok {
		return f(x)
	}
	panic("unknown instruction " + x.text)
}

// actions give an opcode's behaviour from its modifiers.
var actions = map[string]func(x *instruction) action{
	"mov":        func(x *instruction) action { return move },
	"cvta":       unaryBits(func(a uint64, _ kind) uint64 { return a }),
	"ld":         func(x *instruction) action { return loadAction },
	"st":         func(x *instruction) action { return storeAction },
	"add":        arithmetic(op.Add, func(a, b uint64, _ kind) uint64 { return a + b }),
	"sub":        arithmetic(op.Sub, func(a, b uint64, _ kind) uint64 { return a - b }),
	"mul":        multiplication,
	"mad":        ternary(func(a, b, c uint64, _ kind) uint64 { return a*b + c }),
	"div":        arithmetic(op.Div, quotient),
	"rem":        arithmetic(op.Rem, rest),
	"min":        arithmetic(op.Min, func(a, b uint64, k kind) uint64 { return pick(a, b, less(a, b, k)) }),
	"max":        arithmetic(op.Max, func(a, b uint64, k kind) uint64 { return pick(b, a, less(a, b, k)) }),
	"neg":        unaryNumber(op.Neg, func(a uint64, _ kind) uint64 { return -a }),
	"abs":        unaryNumber(op.Abs, func(a uint64, k kind) uint64 { return uint64(max(signed(a, k), -signed(a, k))) }),
	"fma":        fused,
	"sqrt":       floatFunction(op.Sqrt),
	"rsqrt":      floatFunction(op.InverseSqrt),
	"sin":        floatFunction(op.Sin),
	"cos":        floatFunction(op.Cos),
	"ex2":        floatFunction(op.Exp2),
	"lg2":        floatFunction(op.Log2),
	"rcp":        unaryBits(func(a uint64, _ kind) uint64 { return single(1 / float32Of(a)) }),
	"copysign":   binary2(func(a, b uint64, _ kind) uint64 { return a&(1<<31) | b&(1<<31-1) }),
	"and":        binary2(func(a, b uint64, _ kind) uint64 { return a & b }),
	"or":         binary2(func(a, b uint64, _ kind) uint64 { return a | b }),
	"xor":        binary2(func(a, b uint64, _ kind) uint64 { return a ^ b }),
	"not":        unaryBits(func(a uint64, _ kind) uint64 { return ^a }),
	"shl":        binary2(func(a, b uint64, k kind) uint64 { return a << min(b, uint64(k.bits)) }),
	"shr":        binary2(shiftRight),
	"popc":       unaryBits(func(a uint64, _ kind) uint64 { return uint64(bits.OnesCount64(a)) }),
	"clz":        unaryBits(func(a uint64, k kind) uint64 { return uint64(bits.LeadingZeros64(a) - 64 + k.bits) }),
	"brev":       unaryBits(func(a uint64, k kind) uint64 { return bits.Reverse64(a) >> (64 - k.bits) }),
	"bfind":      findBit,
	"bfe":        ternary(extractField),
	"bfi":        func(*instruction) action { return insertField },
	"setp":       comparison,
	"selp":       func(*instruction) action { return selection },
	"cvt":        conversion,
	"prmt":       func(*instruction) action { return permute },
	"dp4a":       dotProduct,
	"atom":       atomic,
	"red":        atomic,
	"bra":        func(*instruction) action { return branch },
	"ret":        func(*instruction) action { return leave },
	"trap":       func(*instruction) action { return func(*thread, *instruction) { panic("trap") } },
	"call":       func(*instruction) action { return callAction },
	"bar":        func(*instruction) action { return wait },
	"activemask": func(*instruction) action { return wait },
	"shfl":       func(*instruction) action { return wait },
	"vote":       func(*instruction) action { return wait },
}

func wait(t *thread, x *instruction) { t.waiting = x }

func move(t *thread, x *instruction) {
	to, from := &x.args[0], &x.args[1]
	switch {
	case to.kind == tupleOperand:
		v, width := t.get(from), x.kind.bits/len(to.args)
		for n := range to.args {
			t.set(&to.args[n], v>>(n*width))
		}
	case from.kind == tupleOperand:
		v, width := uint64(0), x.kind.bits/len(from.args)
		for n := range from.args {
			v |= t.get(&from.args[n]) << (n * width)
		}
		t.set(to, v)
	default:
		t.set(to, t.get(from))
	}
}

// shape returns an access's state space and number of elements.
func shape(x *instruction) (space string, n int) {
	n = 1
	for _, part := range x.op[1:] {
		switch part {
		case "global", "shared", "local", "const", "param":
			space = part
		case "v2":
			n = 2
		case "v4":
			n = 4
		}
	}
	return space, n
}

func elements(o *parsed) []parsed {
	if o.kind == tupleOperand {
		return o.args
	}
	return []parsed{*o}
}

func loadAction(t *thread, x *instruction) {
	space, n := shape(x)
	width := x.kind.bits / 8
	b := t.bytes(space, &x.args[1], width*n)
	for k, o := range elements(&x.args[0]) {
		t.set(&o, load(b[k*width:][:width]))
	}
}

func storeAction(t *thread, x *instruction) {
	space, n := shape(x)
	width := x.kind.bits / 8
	b := t.bytes(space, &x.args[0], width*n)
	for k, o := range elements(&x.args[1]) {
		store(b[k*width:][:width], t.get(&o))
	}
}

// trim cuts a value to a kind's width.
func trim(v uint64, k kind) uint64 {
	if k.bits == 64 {
		return v
	}
	return v & (1<<k.bits - 1)
}

func signed(v uint64, k kind) int64 { return int64(v<<(64-k.bits)) >> (64 - k.bits) }

func less(a, b uint64, k kind) bool {
	if k.letter == 's' {
		return signed(a, k) < signed(b, k)
	}
	return trim(a, k) < trim(b, k)
}

func pick(a, b uint64, first bool) uint64 {
	if first {
		return a
	}
	return b
}

func quotient(a, b uint64, k kind) uint64 {
	if trim(b, k) == 0 {
		panic("division by zero")
	}
	if k.letter == 's' {
		if signed(b, k) == -1 && signed(a, k) == math.MinInt64>>(64-k.bits) {
			panic("division overflows")
		}
		return uint64(signed(a, k) / signed(b, k))
	}
	return trim(a, k) / trim(b, k)
}

func rest(a, b uint64, k kind) uint64 { return trim(a, k) - quotient(a, b, k)*b }

func shiftRight(a, b uint64, k kind) uint64 {
	n := min(b, uint64(k.bits))
	if k.letter == 's' {
		return uint64(signed(a, k) >> n)
	}
	return trim(a, k) >> n
}

func unaryBits(f func(a uint64, k kind) uint64) func(*instruction) action {
	return func(*instruction) action {
		return func(t *thread, x *instruction) { t.set(&x.args[0], f(trim(t.get(&x.args[1]), x.kind), x.kind)) }
	}
}

func binary2(f func(a, b uint64, k kind) uint64) func(*instruction) action {
	return func(*instruction) action {
		return func(t *thread, x *instruction) {
			t.set(&x.args[0], trim(f(t.get(&x.args[1]), t.get(&x.args[2]), x.kind), x.kind))
		}
	}
}

func ternary(f func(a, b, c uint64, k kind) uint64) func(*instruction) action {
	return func(*instruction) action {
		return func(t *thread, x *instruction) {
			t.set(&x.args[0], trim(f(t.get(&x.args[1]), t.get(&x.args[2]), t.get(&x.args[3]), x.kind), x.kind))
		}
	}
}

var floatKinds = map[int]scalar.Kind{16: scalar.F16, 32: scalar.F32}

// rounded panics unless a float instruction names its rounding, without which
// the assembler may fuse it.
func rounded(x *instruction) {
	switch x.op[0] {
	case "add", "sub", "mul", "fma":
		if !slices.Contains(x.op, "rn") && !slices.Contains(x.op, "rm") {
			panic("no rounding: " + x.text)
		}
	}
}

func arithmetic(o op.Op, f func(a, b uint64, k kind) uint64) func(*instruction) action {
	return func(x *instruction) action {
		if x.kind.letter != 'f' {
			return binary2(f)(x)
		}
		rounded(x)
		g := eval.For(o, floatKinds[x.kind.bits])
		return func(t *thread, x *instruction) {
			t.set(&x.args[0], g(t.get(&x.args[1]), t.get(&x.args[2]), 0, 0))
		}
	}
}

func unaryNumber(o op.Op, f func(a uint64, k kind) uint64) func(*instruction) action {
	return func(x *instruction) action {
		if x.kind.letter != 'f' {
			return unaryBits(f)(x)
		}
		return floatFunction(o)(x)
	}
}

func floatFunction(o op.Op) func(*instruction) action {
	return func(x *instruction) action {
		g := eval.For(o, floatKinds[x.kind.bits])
		return func(t *thread, x *instruction) { t.set(&x.args[0], g(t.get(&x.args[1]), 0, 0, 0)) }
	}
}

func multiplication(x *instruction) action {
	if x.op[1] == "wide" {
		return func(t *thread, x *instruction) {
			a, b := t.get(&x.args[1]), t.get(&x.args[2])
			if x.kind.letter == 's' {
				a, b = uint64(signed(a, x.kind)), uint64(signed(b, x.kind))
			} else {
				a, b = trim(a, x.kind), trim(b, x.kind)
			}
			t.set(&x.args[0], a*b)
		}
	}
	return arithmetic(op.Mul, func(a, b uint64, _ kind) uint64 { return a * b })(x)
}

func fused(x *instruction) action {
	rounded(x)
	if x.op[1] == "rm" {
		return func(t *thread, x *instruction) {
			exact := math.FMA(float64(float32Of(t.get(&x.args[1]))), float64(float32Of(t.get(&x.args[2]))), float64(float32Of(t.get(&x.args[3]))))
			v := float32(exact)
			if float64(v) > exact {
				v = math.Nextafter32(v, float32(math.Inf(-1)))
			}
			t.set(&x.args[0], single(v))
		}
	}
	g := eval.For(op.Fma, floatKinds[x.kind.bits])
	return func(t *thread, x *instruction) {
		t.set(&x.args[0], g(t.get(&x.args[1]), t.get(&x.args[2]), t.get(&x.args[3]), 0))
	}
}

func float32Of(v uint64) float32 { return math.Float32frombits(uint32(v)) }
func single(v float32) uint64    { return uint64(math.Float32bits(v)) }

// findBit emulates bfind: the highest bit that differs from the sign, or its
// distance from the top; all ones if there is none.
func findBit(x *instruction) action {
	amount := slices.Contains(x.op, "shiftamt")
	return func(t *thread, x *instruction) {
		a := trim(t.get(&x.args[1]), x.kind)
		if x.kind.letter == 's' && signed(a, x.kind) < 0 {
			a = trim(^a, x.kind)
		}
		v := uint64(math.MaxUint64)
		if a != 0 {
			v = uint64(63 - bits.LeadingZeros64(a))
			if amount {
				v = uint64(x.kind.bits-1) - v
			}
		}
		t.set(&x.args[0], v)
	}
}

func extractField(a, position, length uint64, k kind) uint64 {
	position, length = position&255, length&255
	if position+length > uint64(k.bits) {
		panic("a bit field beyond the width")
	}
	if length == 0 {
		return 0
	}
	field := trim(a, k) >> position
	if k.letter == 's' {
		return uint64(int64(field<<(64-length)) >> (64 - length))
	}
	return field & (1<<length - 1)
}

func insertField(t *thread, x *instruction) {
	from, into, position, length := t.get(&x.args[1]), t.get(&x.args[2]), t.get(&x.args[3]), t.get(&x.args[4])
	if position+length > uint64(x.kind.bits) {
		panic("a bit field beyond the width")
	}
	mask := uint64(1)<<length - 1
	if length == 64 {
		mask = math.MaxUint64
	}
	t.set(&x.args[0], into&^(mask<<position)|from&mask<<position)
}

// comparison emulates setp.
func comparison(x *instruction) action {
	relation := x.op[1]
	if x.kind.letter == 'f' {
		return func(t *thread, x *instruction) {
			a := scalar.ToFloat64(floatKinds[x.kind.bits], t.get(&x.args[1]))
			b := scalar.ToFloat64(floatKinds[x.kind.bits], t.get(&x.args[2]))
			v := false
			switch relation {
			case "eq":
				v = a == b
			case "neu":
				v = a != b
			case "lt":
				v = a < b
			case "le":
				v = a <= b
			case "gt":
				v = a > b
			case "ge":
				v = a >= b
			case "nan":
				v = a != a || b != b
			default:
				panic(x.text)
			}
			t.set(&x.args[0], pick(1, 0, v))
		}
	}
	return func(t *thread, x *instruction) {
		a, b := trim(t.get(&x.args[1]), x.kind), trim(t.get(&x.args[2]), x.kind)
		v := false
		switch relation {
		case "eq":
			v = a == b
		case "ne":
			v = a != b
		case "lt":
			v = less(a, b, x.kind)
		case "le":
			v = !less(b, a, x.kind)
		case "gt":
			v = less(b, a, x.kind)
		case "ge":
			v = !less(a, b, x.kind)
		default:
			panic(x.text)
		}
		t.set(&x.args[0], pick(1, 0, v))
	}
}

func selection(t *thread, x *instruction) {
	t.set(&x.args[0], pick(t.get(&x.args[1]), t.get(&x.args[2]), t.get(&x.args[3]) != 0))
}

var roundings = map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil}

// conversion emulates cvt.
func conversion(x *instruction) action {
	to, from := kindOf(x.op[len(x.op)-2]), x.kind
	round := roundings[x.op[1]]
	switch {
	case from.letter == 'f' && to.letter == 'f' && round != nil:
		return func(t *thread, x *instruction) {
			v := round(scalar.ToFloat64(floatKinds[from.bits], t.get(&x.args[1])))
			t.set(&x.args[0], scalar.FromFloat64(floatKinds[to.bits], v))
		}
	case from.letter == 'f' && to.letter == 'f':
		if to.bits < from.bits && x.op[1] != "rn" {
			panic("no rounding: " + x.text)
		}
		g := eval.Convert(floatKinds[to.bits], floatKinds[from.bits])
		return func(t *thread, x *instruction) { t.set(&x.args[0], g(t.get(&x.args[1]))) }
	case from.letter == 'f':
		if round == nil {
			panic("no rounding: " + x.text)
		}
		return func(t *thread, x *instruction) {
			v := round(scalar.ToFloat64(floatKinds[from.bits], t.get(&x.args[1])))
			t.set(&x.args[0], saturated(v, to))
		}
	case to.letter == 'f':
		if x.op[1] != "rn" {
			panic("no rounding: " + x.text)
		}
		source := map[kind]scalar.Kind{{'s', 32}: scalar.I32, {'u', 32}: scalar.U32, {'s', 64}: scalar.I64, {'u', 64}: scalar.U64}[from]
		g := eval.Convert(floatKinds[to.bits], source)
		return func(t *thread, x *instruction) { t.set(&x.args[0], g(t.get(&x.args[1]))) }
	}
	return func(t *thread, x *instruction) {
		v := trim(t.get(&x.args[1]), from)
		if from.letter == 's' {
			v = uint64(signed(v, from))
		}
		t.set(&x.args[0], trim(v, to))
	}
}

// saturated returns a float as an integer, held at the ends of its range.
func saturated(v float64, k kind) uint64 {
	if v != v {
		if k.bits == 64 {
			return 1 << 63 // what hardware gives; 32-bit conversions give 0
		}
		return 0
	}
	low, high := 0.0, math.Ldexp(1, k.bits)
	if k.letter == 's' {
		low, high = -math.Ldexp(1, k.bits-1), math.Ldexp(1, k.bits-1)
	}
	switch {
	case v < low:
		return trim(uint64(int64(low)), k)
	case v >= high && k.letter == 's':
		return 1<<(k.bits-1) - 1
	case v >= high:
		return trim(math.MaxUint64, k)
	case k.letter == 's':
		return uint64(int64(v))
	}
	return uint64(v)
}

func permute(t *thread, x *instruction) {
	both := t.get(&x.args[1]) | t.get(&x.args[2])<<32
	selector, v := t.get(&x.args[3]), uint64(0)
	for n := range 4 {
		v |= both >> (8 * (selector >> (4 * n) & 7)) & 255 << (8 * n)
	}
	t.set(&x.args[0], v)
}

func dotProduct(x *instruction) action {
	return func(t *thread, x *instruction) {
		a, b := t.get(&x.args[1]), t.get(&x.args[2])
		sum := t.get(&x.args[3])
		for n := range 4 {
			p, q := a>>(8*n)&255, b>>(8*n)&255
			if x.kind.letter == 's' {
				p, q = uint64(int8(p)), uint64(int8(q))
			}
			sum += p * q
		}
		t.set(&x.args[0], sum)
	}
}

// atomic emulates atom and red, whose last part but one names the operation.
func atomic(x *instruction) action {
	operation := x.op[len(x.op)-2]
	if x.op[1] != "relaxed" {
		panic("not relaxed: " + x.text)
	}
	return func(t *thread, x *instruction) {
		args := x.args
		var result *parsed
		if x.op[0] == "atom" {
			result, args = &args[0], args[1:]
		}
		space, _ := shape(x)
		b := t.bytes(space, &args[0], x.kind.bits/8)
		old, v := load(b), t.get(&args[1])
		next := v
		switch operation {
		case "add":
			next = old + v
			if x.kind.letter == 'f' {
				next = single(float32Of(old) + float32Of(v))
			}
		case "min":
			next = pick(old, v, less(old, v, x.kind))
		case "max":
			next = pick(v, old, less(old, v, x.kind))
		case "and":
			next = old & v
		case "or":
			next = old | v
		case "xor":
			next = old ^ v
		case "exch":
		case "cas":
			next = pick(t.get(&args[2]), old, trim(v, x.kind) == old)
		default:
			panic(x.text)
		}
		store(b, next)
		if result != nil {
			t.set(result, old)
		}
	}
}

func branch(t *thread, x *instruction) {
	to, ok := t.f.labels[x.args[0].name]
	if !ok {
		panic("no label " + x.args[0].name)
	}
	if to == t.pc {
		panic("a branch to itself")
	}
	t.pc = to
}

func leave(t *thread, _ *instruction) {
	caller := t.caller
	if caller == nil {
		t.done = true
		return
	}
	if t.answer != "" {
		caller.params[t.answer] = t.params["result"]
	}
	t.local = t.local[:t.frame.local]
	t.frame = caller
	t.pc++
}

// callAction emulates call (answer), function, (arguments).
func callAction(t *thread, x *instruction) {
	args, answer := x.args, ""
	if args[0].kind == tupleOperand {
		answer, args = args[0].args[0].name, args[1:]
	}
	f := t.group.p.functions[args[0].name]
	if f == nil || len(args[1].args) != len(f.params) {
		panic("call of " + args[0].name + " does not fit")
	}
	params := map[string][]byte{}
	for n, a := range args[1].args {
		params[f.params[n]] = slices.Clone(t.params[a.name])
	}
	t.enter(f, params, answer)
}

// warpResult computes what lane n gets from an instruction that the lanes
// execute together.
func warpResult(x *instruction, lanes []*thread, n int, present uint64) uint64 {
	t := lanes[n]
	switch x.op[0] {
	case "activemask":
		return present
	case "vote":
		ballot := uint64(0)
		for k, other := range lanes {
			if other != nil && other.get(&x.args[1]) != 0 {
				ballot |= 1 << k
			}
		}
		switch mask := t.get(&x.args[2]); x.op[2] {
		case "all":
			return pick(1, 0, ballot&mask == mask)
		case "any":
			return pick(1, 0, ballot&mask != 0)
		case "ballot":
			return ballot & mask
		}
		panic(x.text)
	case "shfl":
		b, c := int(t.get(&x.args[2])), int(t.get(&x.args[3]))
		segment := c >> 8 & 31
		low := n & segment
		high := low | c&31&^segment
		source := n
		inside := false
		switch x.op[2] {
		case "up":
			source = n - b
			inside = source >= n&segment|c&31&^segment
		case "down":
			source = n + b
			inside = source <= high
		case "bfly":
			source = n ^ b
			inside = source <= high
		case "idx":
			source = low | b&31&^segment
			inside = source <= high
		}
		if !inside {
			source = n
		}
		if source < 0 || source > 31 || lanes[source] == nil {
			if strings.Contains(x.text, "idx") || source < 0 || source > 31 {
				panic(fmt.Sprintf("lane %d takes from lane %d, which does not take part: %s", n, source, x.text))
			}
			return 0xDEADBEEF // undefined
		}
		return lanes[source].get(&x.args[1])
	}
	return 0
}
