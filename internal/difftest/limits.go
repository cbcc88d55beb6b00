package difftest

// The family "limits": minima and maxima of sums with numbers that depend on constants
// alone, in loops within loops that a number from memory may end. Compilers unroll the inner loop,
// move what it computes out of the outer one, and only then put constants in. ptxas loses
// signs there (ptxas.BiasLateMinMax).

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
)

// limited is a number that the inner loop steps and whose limits are stored.
type limited struct {
	name  string
	value int32
	step  func(v int32) int32
	next  string // the statement that steps it
}

func limits(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 0x11317))
	numbers := make([]limited, 1+r.IntN(2))
	starts := []int32{1, 2, 19, 33, 100, -3, -40, 7, 1783596262, 2147483647, -2147483648}
	for n := range numbers {
		k := &numbers[n]
		k.name = fmt.Sprintf("k%d", n)
		k.value = starts[r.IntN(len(starts))]
		c := int32(2 + r.IntN(60))
		switch r.IntN(14) {
		case 7:
			k.next, k.step = fmt.Sprintf("%s = reverseBits(%s) >> 3u;", k.name, k.name), func(v int32) int32 { return int32(bits.Reverse32(uint32(v))) >> 3 }
		case 8:
			k.next, k.step = fmt.Sprintf("%s = countOneBits(%s) - 5;", k.name, k.name), func(v int32) int32 { return int32(bits.OnesCount32(uint32(v))) - 5 }
		case 9:
			k.next, k.step = fmt.Sprintf("%s = extractBits(%s, 1u, 7u);", k.name, k.name), func(v int32) int32 { return v << 24 >> 25 }
		case 10:
			k.next, k.step = fmt.Sprintf("%s = insertBits(%s, %d, 2u, 3u);", k.name, k.name, c), func(v int32) int32 { return v&^0x1c | c<<2&0x1c }
		case 11:
			k.next, k.step = fmt.Sprintf("%s = countLeadingZeros(%s) * %d;", k.name, k.name, c), func(v int32) int32 { return int32(bits.LeadingZeros32(uint32(v))) * c }
		case 12:
			k.next, k.step = fmt.Sprintf("%s = dot4I8Packed(u32(%s), 0x01ff0203u);", k.name, k.name), func(v int32) int32 {
				return int32(int8(v))*3 + int32(int8(v>>8))*2 - int32(int8(v>>16)) + int32(int8(v>>24))
			}
		case 13:
			k.next, k.step = fmt.Sprintf("%s = i32(f32(%s & 0xffff) * 0.5) - %d;", k.name, k.name, c), func(v int32) int32 { return v&0xffff/2 - c }
		case 0:
			k.next, k.step = fmt.Sprintf("%s %%= %d;", k.name, c), func(v int32) int32 { return v % c }
		case 1:
			k.next, k.step = fmt.Sprintf("%s /= %d;", k.name, c), func(v int32) int32 { return v / c }
		case 2:
			k.next, k.step = fmt.Sprintf("%s *= %d;", k.name, c), func(v int32) int32 { return v * c }
		case 3:
			k.next, k.step = fmt.Sprintf("%s ^= %d;", k.name, c), func(v int32) int32 { return v ^ c }
		case 4:
			k.next, k.step = fmt.Sprintf("%s >>= %du;", k.name, c%32), func(v int32) int32 { return v >> (c % 32) }
		case 5:
			k.next, k.step = fmt.Sprintf("%s = max(%s - %d, -%d);", k.name, k.name, c, c), func(v int32) int32 { return max(v-c, -c) }
		default:
			k.next, k.step = fmt.Sprintf("%s += %d;", k.name, c), func(v int32) int32 { return v + c }
		}
	}
	d := []uint32{r.Uint32N(40), r.Uint32(), 1}
	loads := map[string]int32{"i32(d[0])": int32(d[0]), "i32(d[1])": int32(d[1])}
	loaded := [...]string{"i32(d[0])", "i32(d[1])"}

	outer, inner := 1+r.IntN(3), 1+r.IntN(4)
	var body, steps strings.Builder
	var o []uint32
	var stores []func()
	for n := range 1 + r.IntN(3) {
		e, value := limit(r, numbers, loaded[:], loads)
		// each turn of the inner loop has a place of its own, or all have one
		base := len(o)
		index := fmt.Sprintf("%d", base)
		count := 1
		if r.IntN(2) == 0 {
			index, count = fmt.Sprintf("%du + turn", base), inner
		}
		if r.IntN(3) == 0 { // the value is where something is stored
			count = 4
			o = append(o, make([]uint32, count)...)
			fmt.Fprintf(&steps, "      o[%d + clamp(%s, 0, 3)] += %du;\n", base, e, n+1)
			stores = append(stores, func() { o[base+int(min(max(value(), 0), 3))] += uint32(n + 1) })
			continue
		}
		o = append(o, make([]uint32, count)...)
		fmt.Fprintf(&steps, "      o[%s] = o[%s] * 3 + u32(%s);\n", index, index, e)
		turns := 0
		stores = append(stores, func() {
			place := base
			if count > 1 {
				place += turns % inner
			}
			turns++
			o[place] = o[place]*3 + uint32(value())
		})
	}
	fmt.Fprintf(&body, "  var fuel = %du;\n  loop {\n    if (fuel == 0u) { break; }\n    fuel--;\n", outer)
	for n := range numbers {
		fmt.Fprintf(&body, "    var %s = %s;\n", numbers[n].name, numeral(true, uint32(numbers[n].value)))
	}
	fmt.Fprintf(&body, "    for (var turn = 0u; turn < %du; turn++) {\n%s", inner, steps.String())
	for n := range numbers {
		fmt.Fprintf(&body, "      %s\n", numbers[n].next)
	}
	body.WriteString("    }\n")
	turns := outer
	if r.IntN(4) > 0 { // the number that ends it is never, or always, less than what is loaded
		if r.IntN(2) == 0 {
			body.WriteString("    if d[2] >= 1u { break; }\n")
			turns = 1
		} else {
			body.WriteString("    if d[2] > 1u { break; }\n")
		}
	}
	body.WriteString("  }\n")
	first := make([]int32, len(numbers))
	for n := range numbers {
		first[n] = numbers[n].value
	}
	for range turns {
		for n := range numbers {
			numbers[n].value = first[n]
		}
		for range inner {
			for _, store := range stores {
				store()
			}
			for n := range numbers {
				numbers[n].value = numbers[n].step(numbers[n].value)
			}
		}
	}
	return small("limits", seed, "", body.String(), d, o)
}

// limit makes an expression that limits a sum, and what computes it.
func limit(r *rand.Rand, numbers []limited, loaded []string, loads map[string]int32) (text string, value func() int32) {
	k := &numbers[r.IntN(len(numbers))]
	c := []int32{1, -1, 7, -7, 2, -2, 31, 0, 100, -100}[r.IntN(10)]
	var sum func() int32
	constant := "(" + numeral(true, uint32(c)) + ")"
	switch r.IntN(7) {
	case 0:
		text, sum = "~"+k.name, func() int32 { return ^k.value }
	case 1:
		text, sum = "(-"+k.name+" - 1)", func() int32 { return -k.value - 1 }
	case 2:
		text, sum = "("+constant+" - "+k.name+")", func() int32 { return c - k.value }
	case 3:
		text, sum = "("+k.name+" - "+constant+")", func() int32 { return k.value - c }
	case 4:
		other := &numbers[r.IntN(len(numbers))]
		text, sum = "("+k.name+" - "+other.name+" * 3)", func() int32 { return k.value - other.value*3 }
	case 5:
		l := loaded[r.IntN(len(loaded))]
		text, sum = "("+k.name+" - "+l+")", func() int32 { return k.value - loads[l] }
	default:
		text, sum = "("+k.name+" + "+constant+")", func() int32 { return k.value + c }
	}
	low := []int32{0, 0, 0, 3, -1, -5, 1, 20}[r.IntN(8)]
	lowText, lowValue := "("+numeral(true, uint32(low))+")", func() int32 { return low }
	if r.IntN(5) == 0 {
		l := loaded[r.IntN(len(loaded))]
		lowText, lowValue = l, func() int32 { return loads[l] }
	}
	switch r.IntN(6) {
	case 0:
		return fmt.Sprintf("max(%s, %s)", text, lowText), func() int32 { return max(sum(), lowValue()) }
	case 1:
		return fmt.Sprintf("min(%s, %s)", text, lowText), func() int32 { return min(sum(), lowValue()) }
	case 2:
		high := low + 3
		return fmt.Sprintf("clamp(%s, %d, %d)", text, low, high), func() int32 { return min(max(sum(), low), high) }
	case 3:
		return fmt.Sprintf("select(%s, %s, %s > %s)", lowText, text, text, lowText), func() int32 { return max(sum(), lowValue()) }
	case 4:
		return fmt.Sprintf("max(abs(%s), %s)", text, lowText), func() int32 {
			v := sum()
			if v < 0 {
				v = -v
			}
			return max(v, lowValue())
		}
	default:
		return fmt.Sprintf("bitcast<i32>(max(u32(%s), u32(%s)))", text, lowText), func() int32 { return int32(max(uint32(sum()), uint32(lowValue()))) }
	}
}
