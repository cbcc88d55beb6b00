package gokernels

//lint:file-ignore ST1015 a kernel tests the position of the default clause
//lint:file-ignore SA4011,S1023 a kernel tests a break that leaves a switch

import "github.com/gpuc/gpuc/runtime/gpu"

// find returns the index of a value from start on. It also reports if there is none, or if a large
// value comes first.
func find(data []uint32, value uint32, start int) uint32 {
	for i := start; i < len(data); i++ {
		x := data[i]
		if x == value {
			return uint32(i)
		}
		if x > 240 {
			switch x {
			case 250, 251:
				return 1000 + uint32(i)
			}
		}
	}
	return 9999
}

func classify(x uint32) uint32 {
	if x < 10 {
		return 0
	}
	if x < 100 {
		if x%2 == 0 {
			return 1
		}
	} else {
		return 2
	}
	return 3
}

func nestedReturns(x uint32) uint32 {
	r := uint32(0)
	for i := range uint32(8) {
		c := classify(x + i*13)
		if c == 2 {
			return r + 100
		}
		for {
			r += c
			if r%4 != 0 {
				break
			}
			if r > 50 {
				return r
			}
			r++
		}
	}
	return r
}

func nothing(x uint32) {
	if x > 5 {
		return
	}
}

//gpuc:kernel workgroup=16
func LanguageEarlyReturn(it gpu.Item, data []uint32, results []Vec4u) {
	i := it.Index()
	if i >= len(results) {
		return
	}
	n := uint32(i)
	nothing(n)
	first := find(data, n*3%256, 0)
	next := 0
	if first < 1000 {
		next = int(first) + 1
	}
	second := find(data, n*3%256, next)
	results[i] = gpu.V4[uint32](first, second, nestedReturns(n), classify(nestedReturns(classify(n*7)*40)))
}

func greatestCommonDivisor(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func fibonacci(n uint32) uint32 {
	a, b := uint32(0), uint32(1)
	for ; n > 0; n-- {
		a, b = b, a+b
	}
	return a
}

func sumOfOdds(n uint32) uint32 {
	i, sum := uint32(0), uint32(0)
	for more := true; more; more = i < n {
		if i%2 == 0 {
			i++
			continue
		}
		sum += i
		i++
	}
	return sum
}

func swapped(n uint32) uint32 {
	a, b := uint32(1), uint32(2)
	for range n {
		a, b = b, a
	}
	return a*10 + b
}

func digits(n uint32) uint32 {
	count := uint32(0)
	for {
		count++
		n /= 10
		if n == 0 {
			break
		}
	}
	return count
}

func triangle(n uint32) uint32 {
	count := uint32(0)
rows:
	for i := range n {
		for j := range n {
			if j > i {
				continue rows
			}
			if (i+j)%3 == 0 {
				continue
			}
			for k := j; k < i; k += 2 {
				count += k
			}
		}
	}
	return count
}

//gpuc:kernel workgroup=8
func LanguageLoops(it gpu.Item, results [][6]uint32) {
	i := it.Index()
	if i >= len(results) {
		return
	}
	n := uint32(i)
	results[i] = [6]uint32{
		greatestCommonDivisor(n*12, 90), fibonacci(n), sumOfOdds(n), swapped(n), digits(n * n * n), triangle(n),
	}
}

// trace records the order in which its tests are evaluated.
type trace uint32

func (t *trace) test(bit, mask uint32) bool {
	*t = *t*8 + trace(bit) + 1
	return mask>>bit&1 == 1
}

//gpuc:kernel workgroup=8
func LanguageShortCircuit(it gpu.Item, traces, results []uint32) {
	i := it.Index()
	if i >= len(traces) {
		return
	}
	mask := uint32(i)
	var t trace
	result := uint32(0)
	if t.test(0, mask) && t.test(1, mask) {
		result |= 1
	}
	if t.test(2, mask) || t.test(3, mask) {
		result |= 2
	}
	if (t.test(4, mask) || t.test(0, mask)) && !(t.test(1, mask) && t.test(2, mask)) {
		result |= 4
	}
	third, fourth := t.test(3, mask), t.test(4, mask)
	if first := t.test(1, mask); first || third && fourth {
		result |= 8
	}
	// As a value, not a condition: the right operand must not be evaluated early.
	guarded := mask != 0 && t.test(5, 64/mask)
	result |= one(guarded) << 4
	traces[i] = uint32(t)
	results[i] = result
}

func kindOf(x int32) uint32 {
	r := uint32(7)
	switch x {
	case -1, -2, 3:
		r = 1
	default:
		r = 2
		if x > 100 {
			break // leaves the switch with r as it is
		}
		r += 10
	case 4:
		return 3
	case 5:
	}
	switch uint32(x) & 7 {
	case 1, 6:
		r += 1000
	default:
		r *= 100
	}
	return r
}

func walk(start uint32) uint32 {
	trace := start
	for i := range uint32(12) {
	inner:
		for j := uint32(0); ; j++ {
			switch (trace + j) % 5 {
			case 0:
				trace = trace*3 + 1
				continue inner
			case 1, 2:
				trace += j
				break
			case 3:
				if j > 6 {
					return trace
				}
			default:
				trace ^= 0x55
			}
			if j >= i {
				break inner
			}
			trace++
		}
	}
	return trace
}

//gpuc:kernel workgroup=16
func LanguageSwitch(it gpu.Item, data []int32, kinds, walks []uint32) {
	if i := it.Index(); i < len(data) {
		kinds[i] = kindOf(data[i])
		walks[i] = walk(uint32(i))
	}
}

//gpuc:kernel workgroup=16
func LanguageSwitchEmpty(it gpu.Item, results [][48]uint32) {
	l, g := uint32(it.LocalIndex()), it.Index()
	i := int(l) - 2
	switch l {
	default:
	case 6:
	case 9:
		results[0][g] = 77
	}
	switch l {
	case 1:
		results[1][g] = 10
	case 2:
	case 3:
		results[1][g] = 30
	default:
		results[1][g] = 40
	}
	switch l {
	case 0:
		results[2][g] = 5
	default:
	case 4:
	case 5, 6:
		results[2][g] = 50
	case 7:
	case 8:
		results[2][g] = 80
	}
	switch i {
	default:
		results[3][g] = 1
	case -1:
	case 0, 2:
		results[3][g] = 2
	case 3:
	}
	switch i {
	case -2:
	case -1:
		results[4][g] = 1
	default:
	case 6:
		results[4][g] = 2
	}
	// the value after an empty clause is that before the switch
	carried := l * 3
	switch l & 3 {
	case 0:
	case 1:
		carried += 100
	case 2:
		break
	default:
	}
	results[5][g] = carried
	// an empty clause before one that breaks in the middle
	switch l {
	case 1:
	case 2:
		if carried&1 == 0 {
			break
		}
		results[6][g] = 9
	case 3:
	case 4:
		results[6][g] = 4
	default:
		if l > 8 {
			results[6][g] = l
			break
		}
	}
	// clauses that continue a loop without doing anything, and one that goes on in the next
	count := uint32(0)
	for k := range uint32(16) {
		switch (k ^ l) & 7 {
		case 0:
			continue
		case 1:
		case 2:
			continue
		default:
			count += 16
		case 3:
			fallthrough
		case 4:
		case 5:
			count++
			continue
		}
		count += 256
	}
	results[7][g] = count
	// a switch in an otherwise empty clause of another
	switch l & 1 {
	case 0:
		switch l {
		case 2:
		case 4:
			results[8][g] = 3
		default:
		}
	default:
		switch l {
		default:
			results[8][g] = 6
		case 3:
		case 5:
		}
	}
	// only the default, and it is empty
	switch l {
	default:
	}
	results[9][g] = l + 1
}
