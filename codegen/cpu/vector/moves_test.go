package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

func pointer(words []uint32) unsafe.Pointer { return unsafe.Pointer(&words[0]) }

// TestMasks makes masks of columns and columns of masks.
func TestMasks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for lanes := 8; lanes <= 264; lanes += 8 {
		column := make([]uint32, lanes)
		want := make([]uint64, (lanes+63)/64)
		for n := range column {
			if random.IntN(2) == 1 {
				column[n] = 0xFFFFFFFF
				want[n/64] |= 1 << (n % 64)
			}
		}
		mask := make([]uint64, len(want))
		bitsOf(mask, pointer(column), lanes)
		if !slices.Equal(mask, want) {
			t.Fatalf("the mask is %x, expected %x", mask, want)
		}
		back := make([]uint32, lanes)
		expand(pointer(back), mask, lanes)
		if !slices.Equal(back, column) {
			t.Fatalf("the column is %x, expected %x", back, column)
		}
	}
}

// TestFollows checks that columns grow by steps, and changes one lane after the other.
func TestFollows(t *testing.T) {
	for _, lanes := range []int{7, 8, 64, 256} {
		for _, step := range []uint32{1, 2, 4} {
			column := make([]uint32, lanes)
			for n := range column {
				column[n] = 0xFFFFFFF0 + uint32(n)*step
			}
			if !isConsecutive(lanes, pointer(column), step) {
				t.Errorf("%d lanes do not follow by %d", lanes, step)
			}
			for n := range column {
				column[n]++
				if isConsecutive(lanes, pointer(column), step) {
					t.Errorf("%d lanes follow by %d though lane %d does not", lanes, step, n)
				}
				column[n]--
			}
		}
	}
}

// TestGatherScatter gathers and scatters words in windows of bytes: neighbours, the same for eight
// lanes, any, and some outside of the window. The bytes around the window must stay.
func TestGatherScatter(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const lanes, before, inside, after = 64, 16, 1000, 64
	for round := range 2000 {
		scale := []uint32{1, 2, 4, 12, 16}[round%5]
		memory := make([]byte, before+inside+after)
		for n := range memory {
			memory[n] = byte(random.Uint32())
		}
		w := window{base: unsafe.Pointer(&memory[before]), add: uint32(random.IntN(5)) - 2, last: (inside - 4) / scale, scale: scale, step: 4 / scale, bound: 0xFFFFFFFF}
		if round%4 == 1 {
			w.bound = uint32(random.IntN(int(w.last)))
		}
		if w.step*scale != 4 {
			w.step = 0
		}
		index, mask, words := make([]uint32, lanes), make([]uint32, lanes), make([]uint32, lanes)
		for n := range index {
			words[n] = random.Uint32()
			if random.IntN(3) > 0 || round%3 == 0 {
				mask[n] = 0xFFFFFFFF
			}
			switch first := n &^ 7; {
			case n > first && round%7 < 3: // neighbours
				index[n] = index[first] + uint32(n-first)*w.step
			case n > first && round%7 < 5: // the same
				index[n] = index[first]
			default:
				index[n] = uint32(random.IntN(int(w.last)+20)) - 4
			}
		}
		read := func(n int) (at int, ok bool) {
			element := min(index[n], w.bound) + w.add
			return before + int(element)*int(scale), element <= w.last
		}
		got := make([]uint32, lanes)
		gather(lanes, pointer(got), pointer(index), &w)
		for n := range got {
			want := uint32(0)
			if at, ok := read(n); ok {
				want = uint32(memory[at]) | uint32(memory[at+1])<<8 | uint32(memory[at+2])<<16 | uint32(memory[at+3])<<24
			}
			if got[n] != want {
				t.Fatalf("lane %d reads %#x, expected %#x: window %+v, index %v", n, got[n], want, w, index)
			}
		}
		want := slices.Clone(memory)
		for n := range words {
			if at, ok := read(n); ok && mask[n] != 0 {
				for k := range 4 {
					want[at+k] = byte(words[n] >> (8 * k))
				}
			}
		}
		scatter(lanes, pointer(words), pointer(index), pointer(mask), &w)
		if !slices.Equal(memory, want) {
			t.Fatalf("other bytes than expected are stored: window %+v, index %v, mask %x", w, index, mask)
		}
	}
}

// TestMoves copies, fills and blends columns of both widths, and multiplies words to longs.
func TestMoves(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const lanes = 24
	words, other, mask := make([]uint32, lanes), make([]uint32, lanes), make([]uint32, lanes)
	longs, others := make([]uint64, lanes), make([]uint64, lanes)
	for n := range words {
		words[n], other[n], longs[n], others[n] = random.Uint32(), random.Uint32(), random.Uint64(), random.Uint64()
		mask[n] = uint32(random.IntN(2)) * 0xFFFFFFFF
	}
	for _, move := range []struct {
		word, long  uint16
		one, masked bool
	}{{copyWord, copyLong, false, false}, {fillWord, fillLong, true, false}, {blendWord, blendLong, false, true}, {blendFillWord, blendFillLong, true, true}} {
		to, wide := slices.Clone(other), slices.Clone(others)
		primitives()[move.word](lanes, pointer(to), pointer(words), pointer(mask), nil)
		primitives()[move.long](lanes, unsafe.Pointer(&wide[0]), unsafe.Pointer(&longs[0]), pointer(mask), nil)
		for n := range to {
			from := n
			if move.one {
				from = 0
			}
			word, long := words[from], longs[from]
			if move.masked && mask[n] == 0 {
				word, long = other[n], others[n]
			}
			if to[n] != word || wide[n] != long {
				t.Errorf("primitives %d and %d: lane %d is %#x and %#x, expected %#x and %#x", move.word, move.long, n, to[n], wide[n], word, long)
			}
		}
	}
	products := make([]uint64, lanes)
	for form := range uint16(3) {
		for _, signed := range []bool{false, true} {
			first := uint16(mulWideUnsigned)
			if signed {
				first = mulWideSigned
			}
			primitives()[first+form](lanes, unsafe.Pointer(&products[0]), pointer(words), pointer(other), nil)
			for n := range products {
				x, y := words[n], other[n]
				if form == withUniform {
					y = other[0]
				}
				if form == ofUniform {
					x = words[0]
				}
				want := uint64(x) * uint64(y)
				if signed {
					want = uint64(int64(int32(x)) * int64(int32(y)))
				}
				if products[n] != want {
					t.Errorf("form %d, signed %t: %#x times %#x is %#x, expected %#x", form, signed, x, y, products[n], want)
				}
			}
		}
	}
}
