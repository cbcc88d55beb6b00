package seq

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestPhilox has the known answers of Random123 (kat_vectors, philox4x32 with ten rounds).
func TestPhilox(t *testing.T) {
	const ones = 0xffffffff
	for _, test := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{ones, ones, ones, ones}, [2]uint32{ones, ones}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0}, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(test.counter, test.key); got != test.want {
			t.Errorf("counter %x, key %x: %x, want %x", test.counter, test.key, got, test.want)
		}
	}
}

var generator = Random{Seed: 0x0123456789abcdef, Sequence: 0xfedcba9876543210}

// TestUint32: words of devices are philox's, in the documented order.
func TestUint32(t *testing.T) {
	for _, n := range []int{0, 1, 3, 4, 5, 1023} {
		want := make([]uint32, n)
		for i := range want {
			want[i] = philox([4]uint32{uint32(i / 4), 0, 0x76543210, 0xfedcba98}, [2]uint32{0x89abcdef, 0x01234567})[i%4]
		}
		onDevices(t, map[string]any{}, "", func(e *environment) any {
			x := alloc[uint32](e, n)
			e.check(generator.Uint32(e.s, x))
			if got := read(e, x); !slices.Equal(got, want) {
				t.Errorf("%d words: %x, want %x", n, got, want)
			}
			return nil
		})
	}
}

// TestUniform: numbers are the words as documented, and devices agree about normal ones, to the
// bit. These are compared with functions of package math on the same words.
func TestUniform(t *testing.T) {
	testUniform[float32](t, 24, 2e-6)
	testUniform[float64](t, 53, 1e-14)
}

func testUniform[T Float](t *testing.T, precision int, tolerance float64) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		results := map[string]any{}
		for _, n := range []int{0, 1, 2, 3, 20_001} {
			onDevices(t, results, fmt.Sprint(n), func(e *environment) any {
				perNumber := precision/32 + 1
				uniform, normal, words := alloc[T](e, n), alloc[T](e, n), alloc[uint32](e, (n+1)*perNumber)
				e.check(Uniform(e.s, generator, uniform))
				e.check(Normal(e.s, generator, T(3), T(2), normal))
				e.check(generator.Uint32(e.s, words))
				u, z, w := read(e, uniform), read(e, normal), read(e, words)
				unit := func(i int) float64 {
					if perNumber == 1 {
						return math.Ldexp(float64(w[i]>>8), -24)
					}
					return math.Ldexp(float64((uint64(w[2*i+1])<<32|uint64(w[2*i]))>>11), -53)
				}
				for i := range u {
					if float64(u[i]) != unit(i) {
						t.Fatalf("uniform %d of %d is %v, want %v", i, n, u[i], unit(i))
					}
					first := i &^ 1
					radius := math.Sqrt(-2 * math.Log(unit(first)+math.Ldexp(1, -precision)))
					sine, cosine := math.Sincos(2 * math.Pi * unit(first+1))
					want := 3 + 2*radius*[]float64{cosine, sine}[i%2]
					if math.Abs(float64(z[i])-want) > tolerance*10 {
						t.Fatalf("normal %d of %d is %v, want %v", i, n, z[i], want)
					}
				}
				return []any{u, z}
			})
		}
	})
}

// TestNormalMoments: the first four moments are those of the normal distribution, within five times
// the standard error.
func TestNormalMoments(t *testing.T) {
	const n = 100_000
	e := environments(t)[0]
	x := alloc[float64](e, n)
	e.check(Normal(e.s, Random{Seed: 7}, 0, 1, x))
	var sums [4]float64
	for _, v := range read(e, x) {
		for k, power := 0, v; k < 4; k, power = k+1, power*v {
			sums[k] += power / n
		}
	}
	for k, want := range []float64{0, 1, 0, 3} {
		spread := math.Sqrt([]float64{1, 2, 15, 96}[k] / n)
		near(t, fmt.Sprint("moment ", k+1), sums[k], want, 5*spread)
	}
}

// TestShuffle: a permutation is the order of the documented keys, and moves elements.
func TestShuffle(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000, 5000} {
		order, keys := make([]uint32, n), make([]uint64, n)
		x, y := make([]float32, n), make([]float64, n)
		for i := range order {
			w := philox([4]uint32{uint32(i / 2), 0, 0x76543210, 0xfedcba98}, [2]uint32{0x89abcdef, 0x01234567})
			order[i], keys[i] = uint32(i), uint64(w[i%2*2+1])<<32|uint64(w[i%2*2])
			x[i], y[i] = float32(i), -float64(i)
		}
		slices.SortFunc(order, func(i, j uint32) int {
			if keys[i] < keys[j] {
				return -1
			}
			return 1
		})
		onDevices(t, map[string]any{}, "", func(e *environment) any {
			p, v, w := alloc[uint32](e, n), upload(e, x), upload(e, y)
			e.check(Permutation(e.s, generator, p))
			e.check(Shuffle(e.s, generator, v))
			e.check(Shuffle(e.s, generator, w))
			if got := read(e, p); !slices.Equal(got, order) {
				t.Fatalf("the permutation of %d is %v, want %v", n, got, order)
			}
			short, long := read(e, v), read(e, w)
			for i, k := range order {
				if short[i] != float32(k) || long[i] != -float64(k) {
					t.Fatalf("element %d of %d is %v and %v, want that of %d", i, n, short[i], long[i], k)
				}
			}
			return nil
		})
	}
}
