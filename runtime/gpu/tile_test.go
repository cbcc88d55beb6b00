package gpu

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// onTiles runs a kernel of one workgroup.
func onTiles(items int, kernel func(it Item)) {
	EachGroup(D1(1), Int3{items, 1, 1}, func() func(Item) { return kernel })
}

// random returns numbers from -4 to 4 that a conversion makes elements of.
func random[T any](seed uint32, n int, convert func(x float32) T) []T {
	list := make([]T, n)
	for i := range list {
		seed = seed*1664525 + 1013904223
		list[i] = convert(float32(int32(seed)>>8) * 0x1p-21)
	}
	return list
}

func sameFloat32(x float32) float32 { return x }

// multiplied is a kernel: z = x·y + z, in tiles of 16 by 24 whose depth is 8.
func multiplied[A, B, C, T, U, V any](it Item, x Matrix[T], y Matrix[U], z Matrix[V]) {
	row, col := z.TileAt(it.Group().X, 16, 24)
	sum := LoadTile[C](it, z, row, col)
	for k := 0; k < x.Cols(); k += 8 {
		sum = MulAdd(it, LoadTile[A](it, x, row, k), LoadTile[B](it, y, k, col), sum)
	}
	StoreTile(it, z, row, col, sum)
}

// checkProduct multiplies matrices of odd sizes, and compares with sums whose operations are exact
// or rounded as those of the tiles.
func checkProduct[A, B, C, T, U, V any](t *testing.T, a func(float32) T, b func(float32) U, c func(float32) V, step func(x T, y U, z V) V, value func(V) float64) {
	t.Helper()
	const rows, depth, cols = 37, 21, 53
	x, y := random(1, rows*depth, a), random(2, depth*cols, b)
	z := random(3, rows*cols, c)
	want := make([]V, len(z))
	for row := range rows {
		for col := range cols {
			sum := z[row*cols+col]
			for k := range depth {
				sum = step(x[row*depth+k], y[k*cols+col], sum)
			}
			want[row*cols+col] = sum
		}
	}
	m := NewMatrix(z, rows, cols)
	EachGroup(D1(uint32(m.Tiles(16, 24))), Int3{10, 3, 1}, func() func(Item) {
		return func(it Item) {
			multiplied[A, B, C](it, NewMatrix(x, rows, depth), NewMatrix(y, depth, cols), m)
		}
	})
	for n := range z {
		if got, want := value(z[n]), value(want[n]); got != want {
			t.Fatalf("%T · %T + %T: element %d is %v, want %v", x[0], y[0], z[0], n, got, want)
		}
	}
}

// TestMulAdd compares products of all elements that have them with sums of single products.
func TestMulAdd(t *testing.T) {
	single := func(x float32) float64 { return float64(x) }
	exact := func(x, y, z float32) float32 { return rounded(x, y, z) }
	checkProduct[[16][8]Float16, [8][24]Float16, [16][24]float32](t, ToFloat16, ToFloat16, sameFloat32,
		func(x, y Float16, z float32) float32 { return float32(x.Float32()*y.Float32()) + z }, single)
	checkProduct[[16][8]BFloat16, [8][24]BFloat16, [16][24]float32](t, ToBFloat16, ToBFloat16, sameFloat32,
		func(x, y BFloat16, z float32) float32 { return float32(x.Float32()*y.Float32()) + z }, single)
	checkProduct[[16][8]Float8E4M3, [8][24]Float8E4M3, [16][24]float32](t, ToFloat8E4M3, ToFloat8E4M3, sameFloat32,
		func(x, y Float8E4M3, z float32) float32 { return float32(x.Float32()*y.Float32()) + z }, single)
	checkProduct[[16][8]Float8E4M3, [8][24]Float8E5M2, [16][24]float32](t, ToFloat8E4M3, ToFloat8E5M2, sameFloat32,
		func(x Float8E4M3, y Float8E5M2, z float32) float32 { return float32(x.Float32()*y.Float32()) + z }, single)
	checkProduct[[16][8]float32, [8][24]float32, [16][24]float32](t, sameFloat32, sameFloat32, sameFloat32, exact, single)
	checkProduct[[16][8]float64, [8][24]float64, [16][24]float64](t, third, third, third, math.FMA, func(x float64) float64 { return x })
	toInt8, toUint8 := func(x float32) int8 { return int8(31 * x) }, func(x float32) uint8 { return uint8(int32(31 * x)) }
	large := func(x float32) int32 { return int32(x * 0x1p29) }
	word := func(x int32) float64 { return float64(x) }
	checkProduct[[16][8]int8, [8][24]int8, [16][24]int32](t, toInt8, toInt8, large, func(x, y int8, z int32) int32 { return int32(x)*int32(y) + z }, word)
	checkProduct[[16][8]uint8, [8][24]int8, [16][24]int32](t, toUint8, toInt8, large, func(x uint8, y int8, z int32) int32 { return int32(x)*int32(y) + z }, word)
	checkProduct[[16][8]uint8, [8][24]uint8, [16][24]int32](t, toUint8, toUint8, large, func(x, y uint8, z int32) int32 { return int32(x)*int32(y) + z }, word)
}

func third(x float32) float64 { return float64(x) / 3 }

// rounded returns x·y + z of finite numbers, rounded once.
func rounded(x, y, z float32) float32 {
	number := func(x float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(x)) }
	product := number(x)
	sum, _ := product.Add(product.Mul(product, number(y)), number(z)).Float32()
	return sum
}

// TestMulAddNearDouble: products of floats in tiles are near those in float64.
func TestMulAddNearDouble(t *testing.T) {
	const rows, depth, cols = 19, 45, 29
	x, y, z := random(4, rows*depth, sameFloat32), random(5, depth*cols, sameFloat32), make([]float32, rows*cols)
	m := NewMatrix(z, rows, cols)
	EachGroup(D1(uint32(m.Tiles(16, 24))), Int3{64, 1, 1}, func() func(Item) {
		return func(it Item) {
			multiplied[[16][8]float32, [8][24]float32, [16][24]float32](it, NewMatrix(x, rows, depth), NewMatrix(y, cols, depth).T(), m)
		}
	})
	for row := range rows {
		for col := range cols {
			want := 0.0
			for k := range depth {
				want += float64(x[row*depth+k]) * float64(y[col*depth+k])
			}
			if got := float64(m.At(row, col)); math.Abs(got-want) > 1e-4 {
				t.Fatalf("(%d, %d) is %v, want %v", row, col, got, want)
			}
		}
	}
}

// TestMulAddRoundsOnce has products and sums that are wrong if either is rounded by itself, to
// float32 or to float64.
func TestMulAddRoundsOnce(t *testing.T) {
	check := func(what string, x, y, z, got float32) {
		t.Helper()
		if want := rounded(x, y, z); got != want || math.Signbit(float64(got)) != math.Signbit(float64(want)) {
			t.Errorf("%s: %x·%x + %x is %x, want %x", what, x, y, z, got, want)
		}
	}
	for _, row := range [][3]float32{
		{0x1.000002p0, 1.5, -0x1p-149}, {0x1.000002p0, 1.5, 0}, {0x1.000006p0, 1.5, 0x1p-149},
		{0x1.000002p-12, 0x1.fffffcp-13, 0x1.000002p0}, {0x1.002p-75, 0x1.ffc008p-76, 0x1p-127},
		{0x1.fffffep127, 2, -0x1.fffffep127}, {0x1p-75, 0x1p-75, 0x1p-149}, {0x1p-75, -0x1p-75, 0x1p-149}, {1, 0, 0}, {-1, 1, 1},
	} {
		onTiles(1, func(it Item) {
			var got [1]float32
			sum := MulAdd(it, FillTile[[1][1]float32](it, row[0]), FillTile[[1][1]float32](it, row[1]), FillTile[[1][1]float32](it, row[2]))
			StoreTile(it, NewMatrix(got[:], 1, 1), 0, 0, sum)
			check("float32", row[0], row[1], row[2], got[0])
		})
	}
	// BFloat16 has products beyond the range of float32
	for _, row := range [][3]float32{{0x1p127, 2, -0x1p127}, {0x1.02p-80, 0x1.04p-70, 0x1p-149}, {0x1.02p-80, 0x1.04p-70, 0x1p-130}} {
		onTiles(1, func(it Item) {
			var got [1]float32
			sum := MulAdd(it, FillTile[[1][1]BFloat16](it, ToBFloat16(row[0])), FillTile[[1][1]BFloat16](it, ToBFloat16(row[1])), FillTile[[1][1]float32](it, row[2]))
			StoreTile(it, NewMatrix(got[:], 1, 1), 0, 0, sum)
			check("BFloat16", row[0], row[1], row[2], got[0])
		})
	}
}

// TestMapTile: f sees each element once, in the item that it belongs to, and tiles of one row or
// one column as larger ones.
func TestMapTile(t *testing.T) {
	m, column := numbered(5, 3), NewMatrix([]float32{1, 2, 3, 4, 5}, 5, 1)
	for _, items := range []int{1, 4, 7, 64} {
		var got [3][15]int32
		counts := [5][3]int{}
		var lock sync.Mutex // items are not ordered for the race detector
		onTiles(items, func(it Item) {
			x := LoadTile[[5][3]int32](it, m, 0, 0)
			doubled := MapTile[[5][3]float32](it, x, func(row, col int, x int32) float32 {
				lock.Lock()
				defer lock.Unlock()
				counts[row][col]++
				if it.LocalIndex() != (3*row+col)%items {
					t.Errorf("item %d of %d has (%d, %d)", it.LocalIndex(), items, row, col)
				}
				return float32(2 * x)
			})
			row := LoadTile[[1][3]int32](it, m, 4, 0)
			col := LoadTile[[5][1]float32](it, column, 0, 0)
			one := FillTile[[1][1]uint8](it, uint8(7))
			two := MapTile2[[5][3]int32](it, doubled, row, func(_, _ int, x float32, y int32) int32 { return int32(x) + y })
			outer := MapTile2[[5][3]int32](it, row, col, func(_, _ int, x int32, y float32) int32 { return x * int32(y) })
			three := MapTile3[[5][3]int32](it, col, two, one, func(row, col int, x float32, y int32, z uint8) int32 {
				return int32(1000*row+col) + int32(x)*y + int32(z)
			})
			for n, x := range []Tile[[5][3]int32]{two, outer, three} {
				StoreTile(it, NewMatrix(got[n][:], 5, 3), 0, 0, x)
			}
		})
		for row := range 5 {
			for col := range 3 {
				if counts[row][col] != 1 {
					t.Errorf("f is called %d times for (%d, %d)", counts[row][col], row, col)
				}
				x, last, n := int32(100*row+col), int32(400+col), 3*row+col
				two := 2*x + last
				for k, want := range []int32{two, last * int32(row+1), int32(1000*row+col) + int32(row+1)*two + 7} {
					if got[k][n] != want {
						t.Errorf("%d items, map %d: (%d, %d) is %d, want %d", items, k, row, col, got[k][n], want)
					}
				}
			}
		}
	}
}

// TestTileEdges: a load has zeros for what is outside of a matrix, and a store leaves it out.
func TestTileEdges(t *testing.T) {
	m := numbered(5, 7)
	for _, view := range []struct {
		name string
		of   func(Matrix[int32]) Matrix[int32]
	}{
		{"all", func(m Matrix[int32]) Matrix[int32] { return m }},
		{"the transpose", Matrix[int32].T},
		{"a part", func(m Matrix[int32]) Matrix[int32] { return m.Sub(1, 1, 3, 4) }},
	} {
		for _, at := range [][2]int{{0, 0}, {-2, -1}, {3, 4}, {-9, 0}, {0, 99}, {math.MaxInt - 1, 0}, {0, math.MinInt32}} {
			from, to := view.of(m), NewMatrix(make([]int32, 35), 5, 7)
			var got [12]int32
			onTiles(5, func(it Item) {
				x := LoadTile[[4][3]int32](it, from, at[0], at[1])
				StoreTile(it, NewMatrix(got[:], 4, 3), 0, 0, x)
				StoreTile(it, view.of(to), at[0], at[1], x)
			})
			for n, got := range got {
				row, col := at[0]+n/3, at[1]+n%3
				if want := int32(0); from.has(row, col) && got != from.At(row, col) || !from.has(row, col) && got != want {
					t.Errorf("%s at %v: element %d is %d", view.name, at, n, got)
				}
			}
			for row := range from.Rows() {
				for col := range from.Cols() {
					want := int32(0)
					if row >= at[0] && row-at[0] < 4 && col >= at[1] && col-at[1] < 3 {
						want = from.At(row, col)
					}
					if got := view.of(to).At(row, col); got != want {
						t.Errorf("%s at %v: (%d, %d) is stored as %d, want %d", view.name, at, row, col, got, want)
					}
				}
			}
		}
	}
}

// stored returns the elements of a tile that a workgroup makes.
func stored[A, T any](items, rows, cols int, made func(it Item) Tile[A]) []T {
	got := make([]T, rows*cols)
	onTiles(items, func(it Item) { StoreTile(it, NewMatrix(got, rows, cols), 0, 0, made(it)) })
	return got
}

// TestZeroTile: the zero value is a tile of zeros in every operation.
func TestZeroTile(t *testing.T) {
	type array = [3][4]float32
	var zero Tile[array]
	for name, made := range map[string]func(it Item) Tile[array]{
		"the value": func(it Item) Tile[array] { return zero },
		"a product": func(it Item) Tile[array] { return MulAdd(it, Tile[[3][5]float32]{}, Tile[[5][4]float32]{}, zero) },
		"a map": func(it Item) Tile[array] {
			return MapTile[array](it, zero, func(_, _ int, x float32) float32 { return x })
		},
		"a conversion": func(it Item) Tile[array] { return ConvertTile[array](it, Tile[[3][4]Float16]{}) },
		"a transpose":  func(it Item) Tile[array] { return TransposeTile[array](it, Tile[[4][3]float32]{}) },
		"a map of a sum": func(it Item) Tile[array] {
			return MapTile2[array](it, zero, SumTile[[1][4]float32](it, zero), func(_, _ int, x, y float32) float32 { return x + y })
		},
	} {
		for n, x := range stored[array, float32](7, 3, 4, made) {
			if x != 0 {
				t.Errorf("%s has %v as element %d", name, x, n)
			}
		}
	}
}

// TestTilesAreValues: operations leave their operands as they are.
func TestTilesAreValues(t *testing.T) {
	type array = [2][2]float32
	got := stored[array, float32](3, 2, 2, func(it Item) Tile[array] {
		x := FillTile[array](it, float32(3))
		y := MulAdd(it, x, x, x)
		MulAdd(it, y, x, y)
		MapTile[array](it, x, func(_, _ int, x float32) float32 { return -x })
		ConvertTile[array](it, x)
		return MulAdd(it, x, x, y)
	})
	for _, x := range got {
		if x != 39 {
			t.Errorf("%v, want 39 in each", got)
			break
		}
	}
}

// converted converts numbers that are elements of one type to another.
func converted[R, A, T, U any](values []T) []U {
	return stored[R, U](3, 1, len(values), func(it Item) Tile[R] {
		return ConvertTile[R](it, LoadTile[A](it, NewMatrix(values, 1, len(values)), 0, 0))
	})
}

// TestConvertTile: conversions round, saturate and wrap as in kernels.
func TestConvertTile(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	doubles := []float64{1.75, -1.75, 300, -1, 1e10, -1e10, inf, -inf, nan, 1 + 0x1p-24 + 0x1p-50}
	singles := []float32{1.75, -1.75, 300, -1, 1e10, -1e10, float32(inf), float32(-inf), float32(nan), 1 + 0x1p-23}
	words := []int32{0, 1, -1, 127, 128, 255, 256, math.MaxInt32, math.MinInt32, 16777217}
	for _, test := range []struct {
		name      string
		got, want any
	}{
		{"float64 to int32", converted[[1][10]int32, [1][10]float64, float64, int32](doubles), []int32{1, -1, 300, -1, math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32, 0, 1}},
		{"float32 to int32", converted[[1][10]int32, [1][10]float32, float32, int32](singles), []int32{1, -1, 300, -1, 2147483520, math.MinInt32, 2147483520, math.MinInt32, 0, 1}},
		{"float64 to uint32", converted[[1][10]uint32, [1][10]float64, float64, uint32](doubles), []uint32{1, 0, 300, 0, math.MaxUint32, 0, math.MaxUint32, 0, 0, 1}},
		{"float32 to uint32", converted[[1][10]uint32, [1][10]float32, float32, uint32](singles), []uint32{1, 0, 300, 0, 4294967040, 0, 4294967040, 0, 0, 1}},
		{"float32 to int8", converted[[1][10]int8, [1][10]float32, float32, int8](singles), []int8{1, -1, 44, -1, -128, 0, -128, 0, 0, 1}},
		{"float32 to uint8", converted[[1][10]uint8, [1][10]float32, float32, uint8](singles), []uint8{1, 255, 44, 255, 128, 0, 128, 0, 0, 1}},
		{"float64 to float32", converted[[1][2]float32, [1][2]float64, float64, float32]([]float64{1 + 0x1p-24 + 0x1p-50, 1 + 0x1p-24}), []float32{1 + 0x1p-23, 1}},
		{"float32 to float64", converted[[1][2]float64, [1][2]float32, float32, float64]([]float32{1 + 0x1p-23, 0x1p-149}), []float64{1 + 0x1p-23, 0x1p-149}},
		// float32 rounds it to a tie of Float16
		{"float64 to Float16", converted[[1][2]Float16, [1][2]float64, float64, Float16]([]float64{1 + 0x1p-11 + 0x1p-40, 70000}), []Float16{ToFloat16(1), ToFloat16(float32(inf))}},
		{"float32 to BFloat16", converted[[1][2]BFloat16, [1][2]float32, float32, BFloat16]([]float32{1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-20}), []BFloat16{ToBFloat16(1), ToBFloat16(1 + 0x1p-7)}},
		{"float32 to Float8E4M3", converted[[1][2]Float8E4M3, [1][2]float32, float32, Float8E4M3]([]float32{1.0625, 1e9}), []Float8E4M3{ToFloat8E4M3(1), ToFloat8E4M3(448)}},
		{"Float16 to Float8E5M2", converted[[1][1]Float8E5M2, [1][1]Float16, Float16, Float8E5M2]([]Float16{ToFloat16(-0.3)}), []Float8E5M2{ToFloat8E5M2(-0.3125)}},
		{"Float8E5M2 to float32", converted[[1][1]float32, [1][1]Float8E5M2, Float8E5M2, float32]([]Float8E5M2{ToFloat8E5M2(0x1p-16)}), []float32{0x1p-16}},
		{"Float16 to int32", converted[[1][2]int32, [1][2]Float16, Float16, int32]([]Float16{ToFloat16(-65504), ToFloat16(float32(inf))}), []int32{-65504, 2147483520}},
		{"int32 to int8", converted[[1][10]int8, [1][10]int32, int32, int8](words), []int8{0, 1, -1, 127, -128, -1, 0, -1, 0, 1}},
		{"int32 to uint8", converted[[1][10]uint8, [1][10]int32, int32, uint8](words), []uint8{0, 1, 255, 127, 128, 255, 0, 255, 0, 1}},
		{"int32 to uint32", converted[[1][10]uint32, [1][10]int32, int32, uint32](words), []uint32{0, 1, math.MaxUint32, 127, 128, 255, 256, math.MaxInt32, 1 << 31, 16777217}},
		{"uint32 to int32", converted[[1][2]int32, [1][2]uint32, uint32, int32]([]uint32{math.MaxUint32, 5}), []int32{-1, 5}},
		{"int8 to uint32", converted[[1][2]uint32, [1][2]int8, int8, uint32]([]int8{-1, 5}), []uint32{math.MaxUint32, 5}},
		{"int32 to float32", converted[[1][2]float32, [1][2]int32, int32, float32]([]int32{16777217, 16777219}), []float32{16777216, 16777220}},
		{"uint32 to float64", converted[[1][1]float64, [1][1]uint32, uint32, float64]([]uint32{math.MaxUint32}), []float64{math.MaxUint32}},
		{"uint8 to Float16", converted[[1][1]Float16, [1][1]uint8, uint8, Float16]([]uint8{255}), []Float16{ToFloat16(255)}},
	} {
		if got, want := fmt.Sprint(test.got), fmt.Sprint(test.want); got != want {
			t.Errorf("%s: %s, want %s", test.name, got, want)
		}
	}
}

// TestReduceTile: sums, minimums and maximums of rows and of columns.
func TestReduceTile(t *testing.T) {
	check := func(name string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	// from behind the sums of the first row and column differ
	singles := NewMatrix([]float32{1e8, 1, -1e8, 1, 5, 6, -1e8, 8, 9, 1, -11, 12}, 4, 3)
	load := func(it Item) Tile[[4][3]float32] { return LoadTile[[4][3]float32](it, singles, 0, 0) }
	check("sums of rows", stored[[4][1]float32, float32](3, 4, 1, func(it Item) Tile[[4][1]float32] { return SumTile[[4][1]float32](it, load(it)) }), []float32{0, 12, -1e8 + 16, 2})
	check("sums of columns", stored[[1][3]float32, float32](3, 1, 3, func(it Item) Tile[[1][3]float32] { return SumTile[[1][3]float32](it, load(it)) }), []float32{1, 3, -1e8 + 32})
	check("maximums of rows", stored[[4][1]float32, float32](3, 4, 1, func(it Item) Tile[[4][1]float32] { return MaxTile[[4][1]float32](it, load(it)) }), []float32{1e8, 6, 9, 12})
	check("minimums of columns", stored[[1][3]float32, float32](3, 1, 3, func(it Item) Tile[[1][3]float32] { return MinTile[[1][3]float32](it, load(it)) }), []float32{-1e8, -11, -1e8})
	words := NewMatrix([]int32{math.MaxInt32, 1, -5, 7}, 2, 2)
	check("wrapping sums", stored[[2][1]int32, int32](3, 2, 1, func(it Item) Tile[[2][1]int32] {
		return SumTile[[2][1]int32](it, LoadTile[[2][2]int32](it, words, 0, 0))
	}), []int32{math.MinInt32, 2})
	check("a sum of one row", stored[[1][1]uint32, uint32](3, 1, 1, func(it Item) Tile[[1][1]uint32] {
		return SumTile[[1][1]uint32](it, FillTile[[1][5]uint32](it, uint32(3)))
	}), []uint32{15})
	check("a sum of one column", stored[[1][1]float64, float64](3, 1, 1, func(it Item) Tile[[1][1]float64] {
		return SumTile[[1][1]float64](it, FillTile[[5][1]float64](it, 0.5))
	}), []float64{2.5})
	check("sums of columns of one", stored[[1][3]float64, float64](3, 1, 3, func(it Item) Tile[[1][3]float64] {
		return SumTile[[1][3]float64](it, FillTile[[1][3]float64](it, math.Copysign(0, -1)))
	}), []float64{math.Copysign(0, -1), math.Copysign(0, -1), math.Copysign(0, -1)})
}

// TestTransposeTile compares with the transpose of the matrix.
func TestTransposeTile(t *testing.T) {
	m := numbered(3, 5)
	got := NewMatrix(stored[[5][3]int32, int32](4, 5, 3, func(it Item) Tile[[5][3]int32] {
		return TransposeTile[[5][3]int32](it, LoadTile[[3][5]int32](it, m, 0, 0))
	}), 5, 3)
	for row := range 5 {
		for col := range 3 {
			if got.At(row, col) != m.At(col, row) {
				t.Errorf("(%d, %d) is %d, want %d", row, col, got.At(row, col), m.At(col, row))
			}
		}
	}
}

// TestTilesOrderMemory: an operation sees what other items wrote before it, and they see after it
// what it has stored. Under the race detector nothing is reported.
func TestTilesOrderMemory(t *testing.T) {
	type array = [4][8]float32
	x, y := make([]float32, 3*32), make([]float32, 3*32)
	EachGroup(D1(3), Int3{32, 1, 1}, func() func(Item) {
		shared := new([32]float32)
		return func(it Item) {
			i, part := it.LocalIndex(), NewMatrix(x[32*it.Group().X:], 4, 8)
			for step := range 3 {
				x[it.Index()] = float32(i + step)
				v := LoadTile[array](it, part, 0, 0)
				shared[31-i] = float32(i)
				v = MapTile[array](it, v, func(row, col int, x float32) float32 { return x + shared[8*row+col] })
				StoreTile(it, part, 0, 0, v)
				y[it.Index()] += x[32*it.Group().X+31-i]
				FillTile[array](it, float32(0))
			}
		}
	})
	for n, got := range y {
		if got != 3*31+3 { // in each step i + step + 31 - i
			t.Errorf("element %d is %v", n, got)
		}
	}
}

// TestDivergentTiles: items that do not come to an operation together are reported.
func TestDivergentTiles(t *testing.T) {
	type array = [2][2]float32
	fill := func(it Item) { FillTile[array](it, float32(1)) }
	for _, test := range []struct {
		name   string
		kernel func(it Item)
		want   []string
	}{
		{"some end", func(it Item) {
			if it.LocalIndex() < 3 {
				fill(it)
			}
		}, []string{"diverge at FillTile", "has ended", "waits at tile_test.go:"}},
		{"a subgroup ends", func(it Item) {
			if it.Subgroup() == 1 {
				fill(it)
			}
		}, []string{"diverge at FillTile", "has ended", "waits at tile_test.go:"}},
		{"two operations", func(it Item) {
			if it.LocalIndex() < 3 {
				fill(it)
			} else {
				ConvertTile[array](it, Tile[array]{})
			}
		}, []string{"diverge at FillTile", "waits at tile_test.go:"}},
		{"a barrier", func(it Item) {
			if it.LocalIndex() > 3 {
				fill(it)
			} else {
				it.Barrier()
			}
		}, []string{"diverge at FillTile", "waits at tile_test.go:"}},
		{"a barrier behind an operation", func(it Item) {
			fill(it)
			if it.LocalIndex() > 3 {
				it.Barrier()
			}
		}, []string{"diverge at a barrier", "has ended", "waits at tile_test.go:"}},
	} {
		problem := panics(func() {
			EachGroupWithSubgroups(D1(1), Int3{8, 1, 1}, 4, func() func(Item) { return test.kernel })
		})
		for _, want := range test.want {
			if !strings.Contains(problem, want) {
				t.Errorf("%s: %q lacks %q", test.name, problem, want)
			}
		}
		if items := regexp.MustCompile(`item {\d 0 0}`).FindAllString(problem, -1); len(items) != 2 || items[0] == items[1] {
			t.Errorf("%s: %q does not name two items", test.name, problem)
		}
	}
}

// TestTileProblems: what operations do not have is refused, and so are arguments that differ
// between items.
func TestTileProblems(t *testing.T) {
	type array = [2][2]float32
	m, pixels := NewMatrix(make([]float32, 12), 3, 4), NewTensor(make([]float32, 12), 1, 2, 3, 2)
	nan := float32(math.NaN())
	sameItems := regexp.MustCompile(`items {0 0 0} and {1 0 0} of workgroup {0 0 0} give it different `)
	for _, test := range []struct {
		name    string
		kernel  func(it Item)
		want    string // <nil> if nothing is wrong
		differs bool
	}{
		{"rows", func(it Item) { LoadTile[array](it, m, it.LocalIndex(), 0) }, "LoadTile: items {0 0 0} and {1 0 0} of workgroup {0 0 0} give it different rows, 0 and 1", true},
		{"columns", func(it Item) { StoreTile(it, m, 0, it.LocalIndex()*4, Tile[array]{}) }, "different columns, 0 and 4", true},
		{"matrices", func(it Item) { LoadTile[array](it, m.Sub(0, 0, 3, 1+it.LocalIndex()), 0, 0) }, "different matrices", true},
		{"windows", func(it Item) { LoadWindows[array](it, pixels.Windows(Window{H: 1 + it.LocalIndex(), W: 1}), 0, 0) }, "LoadWindows: items {0 0 0} and {1 0 0} of workgroup {0 0 0} give it different matrices", true},
		{"tensors", func(it Item) {
			LoadWindows[array](it, pixels.Channels(it.LocalIndex(), 1).Windows(Window{H: 1, W: 1}), 0, 0)
		}, "different matrices", true},
		{"the same windows", func(it Item) { LoadWindows[array](it, pixels.Windows(Window{H: 1, W: 1}), -1, 9) }, "<nil>", false},
		{"elements of windows", func(it Item) { LoadWindows[[2][2]int32](it, pixels.Windows(Window{H: 1, W: 1}), 0, 0) }, "gpu: LoadWindows: the elements of Tile[[2][2]int32] are not float32", false},
		{"slices", func(it Item) { LoadTile[array](it, NewMatrix(make([]float32, 4), 2, 2), 0, 0) }, "different matrices", true},
		{"values", func(it Item) { FillTile[array](it, float32(it.LocalIndex())) }, "FillTile: items {0 0 0} and {1 0 0} of workgroup {0 0 0} give it different values, 0 and 1", true},
		{"NaN", func(it Item) { FillTile[array](it, nan) }, "<nil>", false},
		{"the same tile", func(it Item) { x := FillTile[array](it, float32(1)); MulAdd(it, x, x, x) }, "<nil>", false},
		{"tiles", func(it Item) {
			list := [2]Tile[array]{FillTile[array](it, float32(1)), FillTile[array](it, float32(1))}
			ConvertTile[array](it, list[it.LocalIndex()%2])
		}, "ConvertTile: items {0 0 0} and {1 0 0} of workgroup {0 0 0} give it different tiles", true},
		{"no rows", func(it Item) { LoadTile[[4]float32](it, m, 0, 0) }, "gpu: Tile[[4]float32]: a tile's type is an array of rows, as in Tile[[64][32]float32]", false},
		{"no array", func(it Item) { LoadTile[float32](it, m, 0, 0) }, "gpu: Tile[float32]: a tile's type is an array of rows", false},
		{"a slice of rows", func(it Item) { LoadTile[[][2]float32](it, m, 0, 0) }, "a tile's type is an array of rows", false},
		{"nothing", func(it Item) { LoadTile[[0][2]float32](it, m, 0, 0) }, "a tile's type is an array of rows", false},
		{"elements", func(it Item) { FillTile[[2][2]int16](it, int16(1)) }, "gpu: Tile[[2][2]int16]: the elements of a tile are gpu.Float16, gpu.BFloat16, gpu.Float8E4M3, gpu.Float8E5M2, float32, float64, int8, uint8, int32 or uint32", false},
		{"another element", func(it Item) { FillTile[array](it, 1) }, "gpu: FillTile: the elements of Tile[[2][2]float32] are not int", false},
		{"an operand's element", func(it Item) {
			MapTile[array](it, Tile[array]{}, func(_, _ int, x int32) float32 { return 0 })
		}, "gpu: MapTile: the elements of Tile[[2][2]float32] are not int32", false},
		{"the depth", func(it Item) { MulAdd(it, Tile[[2][3]float32]{}, Tile[array]{}, Tile[array]{}) }, "gpu: MulAdd: Tile[[2][3]float32] · Tile[[2][2]float32] + Tile[[2][2]float32]: ", false},
		{"the sum", func(it Item) { MulAdd(it, Tile[[2][3]float32]{}, Tile[[3][2]float32]{}, Tile[[2][3]float32]{}) }, "Tile[[2][3]float32] · Tile[[3][2]float32] + Tile[[2][3]float32]: ", false},
		{"the factors", func(it Item) { MulAdd(it, Tile[[2][2]Float16]{}, Tile[[2][2]BFloat16]{}, Tile[array]{}) }, "the factors are gpu.Float16 with a sum of float32, gpu.BFloat16 with a sum of float32, gpu.Float8E4M3 or gpu.Float8E5M2 with a sum of float32, float32 with a sum of float32, float64 with a sum of float64, int8 or uint8 with a sum of int32", false},
		{"a map of one row", func(it Item) {
			MapTile[array](it, Tile[[1][2]float32]{}, func(_, _ int, x float32) float32 { return x })
		}, "gpu: MapTile: Tile[[2][2]float32] from Tile[[1][2]float32]: both have the same rows and columns", false},
		{"a map", func(it Item) {
			MapTile2[array](it, Tile[array]{}, Tile[[2][3]float32]{}, func(_, _ int, x, y float32) float32 { return x })
		}, "gpu: MapTile2: Tile[[2][2]float32] from Tile[[2][3]float32]: ", false},
		{"a conversion", func(it Item) { ConvertTile[array](it, Tile[[2][3]float32]{}) }, "gpu: ConvertTile: Tile[[2][2]float32] from Tile[[2][3]float32]: ", false},
		{"a sum of both", func(it Item) { SumTile[[1][1]float32](it, Tile[array]{}) }, "gpu: SumTile: Tile[[1][1]float32] from Tile[[2][2]float32]: ", false},
		{"a sum of other elements", func(it Item) { MaxTile[[1][2]float64](it, Tile[array]{}) }, "gpu: MaxTile: Tile[[1][2]float64] from Tile[[2][2]float32]: ", false},
		{"a sum of bytes", func(it Item) { MinTile[[1][2]int8](it, Tile[[2][2]int8]{}) }, "gpu: MinTile of Tile[[2][2]int8]: the elements can be float32, float64, int32 and uint32", false},
		{"a transpose", func(it Item) { TransposeTile[[2][3]float32](it, Tile[[2][3]float32]{}) }, "gpu: TransposeTile: Tile[[2][3]float32] from Tile[[2][3]float32]: ", false},
	} {
		problem := panics(func() { onTiles(4, test.kernel) })
		if !strings.Contains(problem, test.want) {
			t.Errorf("%s: %q lacks %q", test.name, problem, test.want)
		}
		if test.differs && !sameItems.MatchString(problem) {
			t.Errorf("%s: %q does not name two items", test.name, problem)
		}
	}
	problem := panics(func() { Each(D1(1), Int3{4, 1, 1}, func(it Item) { LoadTile[array](it, m, 0, 0) }) })
	if !strings.Contains(problem, "gpu: LoadTile in a kernel that Each runs; EachGroup runs kernels with") {
		t.Errorf("Each: %q", problem)
	}
	if problem := panics(func() { FillTile[array](Item{}, float32(1)) }); !strings.Contains(problem, "zero value") {
		t.Errorf("no item: %q", problem)
	}
}
