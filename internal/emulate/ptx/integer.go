package ptx

import (
	"math/bits"
	"strings"
)

// Integer instructions (PTX ISA, Integer Arithmetic Instructions, Logic and Shift Instructions,
// Comparison and Selection).

// fault is an error of an invocation, as the value of a panic.
type fault string

// fail ends a launch.
func fail(message string) { panic(fault(message)) }

func highUnsigned(x *instruction, a, b, _ uint64) uint64 {
	if x.shift == 32 {
		return a * b >> 32
	}
	high, _ := bits.Mul64(a, b)
	return high
}

func highSigned(x *instruction, a, b, _ uint64) uint64 {
	if x.shift == 32 {
		return uint64(x.signed(a) * x.signed(b) >> 32)
	}
	high, _ := bits.Mul64(a, b)
	return high - a&uint64(int64(b)>>63) - b&uint64(int64(a)>>63)
}

// dividesUnsigned and dividesSigned report whether the ISA specifies a quotient and remainder. A
// division by zero or with overflow is unspecified: code may compute it, but not use the result.
func dividesUnsigned(_ *instruction, _, b uint64) bool { return b != 0 }

func dividesSigned(x *instruction, a, b uint64) bool {
	n := x.signed(a)
	return b != 0 && (x.signed(b) != -1 || n<<x.shift != -1<<63 || n == 0)
}

func divideUnsigned(_ *instruction, a, b, _ uint64) uint64 { return a / b }

func remainderUnsigned(_ *instruction, a, b, _ uint64) uint64 { return a % b }

func divideSigned(x *instruction, a, b, _ uint64) uint64 { return uint64(x.signed(a) / x.signed(b)) }

func remainderSigned(x *instruction, a, b, _ uint64) uint64 { return uint64(x.signed(a) % x.signed(b)) }

func dotUnsigned(_ *instruction, a, b, c uint64) uint64 {
	for n := 0; n < 32; n += 8 {
		c += a >> n & 255 * (b >> n & 255)
	}
	return c
}

func dotSigned(_ *instruction, a, b, c uint64) uint64 {
	sum := int64(c)
	for n := 0; n < 32; n += 8 {
		sum += int64(int8(a>>n)) * int64(int8(b>>n))
	}
	return uint64(sum)
}

func countOnes(_ *instruction, a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }

func countLeadingZeros(x *instruction, a, _, _ uint64) uint64 {
	return uint64(bits.LeadingZeros64(a) - int(x.shift))
}

func reverseBits(x *instruction, a, _, _ uint64) uint64 { return bits.Reverse64(a) >> x.shift }

// findBit returns the evaluation of bfind: the position of the highest bit that differs from the
// sign, or with amount the shift that makes it the highest bit. It is all ones if there is none.
func findBit(f *form, amount bool) evaluation {
	negative := f.t.letter == 's'
	return func(x *instruction, a, _, _ uint64) uint64 {
		if negative && x.signed(a) < 0 {
			a = ^a & (1<<(64-x.shift) - 1)
		}
		at := bits.Len64(a) - 1
		if at >= 0 && amount {
			at = 63 - int(x.shift) - at
		}
		return uint64(at)
	}
}

// field extracts a bit field by the ISA's pseudocode for bfe. fill is the value of the other bits.
func field(x *instruction, a, position, length, fill uint64) uint64 {
	position, length = position&255, length&255
	result := uint64(0)
	for n := range 64 - uint64(x.shift) {
		bit := fill
		if n < length && position+n < 64-uint64(x.shift) {
			bit = a >> (position + n) & 1
		}
		result |= bit << n
	}
	return result
}

func extractUnsigned(x *instruction, a, position, length uint64) uint64 {
	return field(x, a, position, length, 0)
}

func extractSigned(x *instruction, a, position, length uint64) uint64 {
	fill := uint64(0)
	if length&255 != 0 {
		fill = a >> min(position&255+length&255-1, 63-uint64(x.shift)) & 1
	}
	return field(x, a, position, length, fill)
}

// insertField executes bfi, which has four sources.
func insertField(t *thread, x *instruction) {
	f := t.frame
	s := f.states[x.a] & f.states[x.b] & f.states[x.c] & f.states[x.more[0]]
	if s&undefined == 0 {
		t.checkWritten(x.a, x.b, x.c, x.more[0])
	}
	from, into := f.values[x.a], f.values[x.b]
	position, length := f.values[x.c]&255, f.values[x.more[0]]&255
	for n := range 64 - uint64(x.shift) {
		if n < length && position+n < 64-uint64(x.shift) {
			into = into&^(1<<(position+n)) | from>>n&1<<(position+n)
		}
	}
	f.values[x.d], f.states[x.d] = into&x.mask, s
}

// lookUp executes lop3: each bit of the result is looked up in the table by the bits of the
// sources.
func lookUp(t *thread, x *instruction) {
	f := t.frame
	s := f.states[x.a] & f.states[x.b] & f.states[x.c]
	if s&undefined == 0 {
		t.checkWritten(x.a, x.b, x.c)
	}
	a, b, c, table := f.values[x.a], f.values[x.b], f.values[x.c], f.values[x.more[0]]
	result := uint64(0)
	for n := range 32 {
		index := a>>n&1<<2 + b>>n&1<<1 + c>>n&1
		result += table >> index & 1 << n
	}
	f.values[x.d], f.states[x.d] = result&x.mask, s
}

// permute is prmt in its default mode; the highest bit of a selector replicates the byte's sign.
func permute(_ *instruction, a, b, selector uint64) uint64 {
	both, result := a|b<<32, uint64(0)
	for n := 0; n < 32; n += 8 {
		s := selector >> (n / 2) & 15
		v := both >> (8 * (s & 7)) & 255
		if s&8 != 0 {
			v = v >> 7 * 255
		}
		result |= v << n
	}
	return result
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// relation returns the comparison of a setp, the second part of its name.
func relation(f *form) string { return strings.Split(f.name, ".")[1] }

// compareIntegers returns the evaluation of setp on integers and bits.
func compareIntegers(f *form) evaluation {
	r := relation(f)
	switch r {
	case "eq":
		return func(_ *instruction, a, b, _ uint64) uint64 { return truth(a == b) }
	case "ne":
		return func(_ *instruction, a, b, _ uint64) uint64 { return truth(a != b) }
	}
	if f.t.letter == 's' {
		return map[string]evaluation{
			"lt": func(x *instruction, a, b, _ uint64) uint64 { return truth(x.signed(a) < x.signed(b)) },
			"le": func(x *instruction, a, b, _ uint64) uint64 { return truth(x.signed(a) <= x.signed(b)) },
			"gt": func(x *instruction, a, b, _ uint64) uint64 { return truth(x.signed(a) > x.signed(b)) },
			"ge": func(x *instruction, a, b, _ uint64) uint64 { return truth(x.signed(a) >= x.signed(b)) },
		}[r]
	}
	return map[string]evaluation{
		"lt": func(_ *instruction, a, b, _ uint64) uint64 { return truth(a < b) },
		"le": func(_ *instruction, a, b, _ uint64) uint64 { return truth(a <= b) },
		"gt": func(_ *instruction, a, b, _ uint64) uint64 { return truth(a > b) },
		"ge": func(_ *instruction, a, b, _ uint64) uint64 { return truth(a >= b) },
	}[r]
}

// joined returns the evaluation of setp that combines the comparison with a predicate, by and or
// or.
func joined(compare func(f *form) evaluation) func(f *form) evaluation {
	return func(f *form) evaluation {
		holds := compare(f)
		if strings.Split(f.name, ".")[2] == "and" {
			return func(x *instruction, a, b, c uint64) uint64 { return holds(x, a, b, 0) & c }
		}
		return func(x *instruction, a, b, c uint64) uint64 { return holds(x, a, b, 0) | c }
	}
}

// convertIntegers returns the evaluation of cvt between integers, which sign-extends signed sources
// and truncates.
func convertIntegers(f *form) evaluation {
	if f.t.letter == 's' {
		return func(x *instruction, a, _, _ uint64) uint64 { return uint64(x.signed(a)) }
	}
	return func(_ *instruction, a, _, _ uint64) uint64 { return a }
}

// readModifyWrite returns the evaluation of atom and red: the new value, from the old one and the
// operands.
func readModifyWrite(f *form) evaluation {
	parts := strings.Split(f.name, ".")
	operation, negative := parts[len(parts)-2], f.t.letter == 's'
	switch {
	case operation == "noftz":
		return ofHalves(func(a, b float64) float64 { return a + b })
	case operation == "add" && f.t.float() && f.t.bits == 64:
		return ofDoubles(func(a, b float64) float64 { return a + b })
	case operation == "add" && f.t.float():
		return ofSingles(func(a, b float32) float32 { return a + b })
	case operation == "min" && negative:
		return func(x *instruction, a, b, _ uint64) uint64 { return uint64(min(x.signed(a), x.signed(b))) }
	case operation == "max" && negative:
		return func(x *instruction, a, b, _ uint64) uint64 { return uint64(max(x.signed(a), x.signed(b))) }
	}
	return map[string]evaluation{
		"add":  func(_ *instruction, a, b, _ uint64) uint64 { return a + b },
		"min":  func(_ *instruction, a, b, _ uint64) uint64 { return min(a, b) },
		"max":  func(_ *instruction, a, b, _ uint64) uint64 { return max(a, b) },
		"and":  func(_ *instruction, a, b, _ uint64) uint64 { return a & b },
		"or":   func(_ *instruction, a, b, _ uint64) uint64 { return a | b },
		"xor":  func(_ *instruction, a, b, _ uint64) uint64 { return a ^ b },
		"exch": func(_ *instruction, _, b, _ uint64) uint64 { return b },
		"cas": func(_ *instruction, a, b, c uint64) uint64 {
			if a == b {
				return c
			}
			return a
		},
	}[operation]
}
