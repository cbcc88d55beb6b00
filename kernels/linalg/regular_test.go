package linalg

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestRegular: copies have the same elements, in rows that begin at multiples of 16 bytes.
func TestRegular(t *testing.T) {
	s := onCPU(t)
	regulars[float32](t, s)
	regulars[float64](t, s)
	regulars[gpu.Float16](t, s)
	regulars[gpu.BFloat16](t, s)
}

func regulars[T Element](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 14)
	each := 16 / int(unsafe.Sizeof(*new(T)))
	copies := 0
	for range 30 {
		a := matrix[T](r, r.IntN(20), r.IntN(40))
		got, err := regular(s, a.MatrixBuffer)
		check(t, err)
		if a.Rows == 0 || a.Cols == 0 {
			continue
		}
		if got.ColStride != 1 || got.RowStride%each != 0 || got.Offset%each != 0 || got.Rows != a.Rows || got.Cols != a.Cols {
			t.Errorf("%v of %T became %v", a.MatrixLayout, *new(T), got.MatrixLayout)
		}
		if got.Buffer == a.Buffer && got.MatrixLayout != a.MatrixLayout {
			t.Errorf("%v of %T became %v without a copy", a.MatrixLayout, *new(T), got.MatrixLayout)
		}
		if got.Buffer != a.Buffer {
			copies++
		}
		b := operand[T]{got, read(r, got.Buffer)}
		for i := range a.Rows {
			for j := range a.Cols {
				if a.at(i, j) != b.at(i, j) {
					t.Fatalf("element (%d, %d) of %v of %T is %v, want %v", i, j, a.MatrixLayout, *new(T), b.at(i, j), a.at(i, j))
				}
			}
		}
		check(t, dropped(got, a.MatrixBuffer))
	}
	if copies == 0 {
		t.Error("there are no copies")
	}
}

// TestChoices: which tiles a product has, and whether its operands are copied.
func TestChoices(t *testing.T) {
	hopper := gpu.Info{Driver: gpu.CUDA, Target: abi.PTX, Profile: 90}
	hopper.Hardware.Units = 132
	cpu, other := gpu.Info{Driver: gpu.CPU}, gpu.Info{Driver: gpu.Vulkan}
	for _, test := range []struct {
		info       gpu.Info
		of         tiles
		rows, cols int
		strict     bool
		isNew      bool
		want       string
	}{
		{hopper, singleTiles, 4096, 4096, false, false, "{256 64} true"},
		{hopper, singleTiles, 4096, 4096, true, false, "{64 64} true"},
		{hopper, singleTiles, 4096, 4096, true, true, "{256 64} true"},
		{hopper, singleTiles, 512, 512, false, false, "{64 64} true"}, {hopper, singleTiles, 192, 192, false, false, "{32 32} false"},
		{hopper, singleTiles, 1024, 511, false, false, "{64 64} false"},
		{hopper, halfTiles, 2048, 2048, false, false, "{128 256} true"},
		{hopper, halfTiles, 1024, 1024, false, false, "{64 64} true"},
		{hopper, halfTiles, 16, 8192, false, false, "{32 32} false"},
		{hopper, squareTiles, 1000, 1000, false, false, "{64 64} true"},
		{cpu, singleTiles, 96, 96, false, false, "{128 128} false"},
		{cpu, singleTiles, 64, 64, false, false, "{64 64} false"},
		{cpu, singleTiles, 256, 256, true, true, "{64 64} false"},
		{cpu, singleTiles, 3, 4000, false, false, "{32 32} false"},
		{other, singleTiles, 512, 512, false, false, "{256 64} false"},
		{other, singleTiles, 128, 128, false, false, "{32 32} false"},
	} {
		c := gpu.MatrixLayout{Rows: test.rows, Cols: test.cols}
		if got := fmt.Sprint(chooseTile(test.info, c, test.of, Option{strict: test.strict}, test.isNew), copies(test.info, c)); got != test.want {
			t.Errorf("%s, %d × %d: %s, want %s", test.info.Driver, test.rows, test.cols, got, test.want)
		}
	}
}

// TestNewChoices: which tiles new results have on devices with tensor maps, and where the left
// matrix is transposed.
func TestNewChoices(t *testing.T) {
	hopper := gpu.Info{Driver: gpu.CUDA, Target: abi.PTX, Profile: 90}
	hopper.Hardware.Units, hopper.Hardware.Matrices = 132, []string{"f16", "bf16"}
	ampere, vulkan := hopper, hopper
	ampere.Profile, vulkan.Target = 80, abi.SPIRV
	none := Option{}
	for _, test := range []struct {
		info       gpu.Info
		rows, cols int
		transposed bool
		o          Option
		single     string
		half       string
	}{
		{hopper, 512, 512, false, none, "{64 64} true", "{64 64} true"},
		{hopper, 1024, 1024, false, none, "{128 64} true", "{64 128} true"},
		{hopper, 2048, 2048, false, none, "{256 64} true", "{128 256} true"},
		{hopper, 2048, 2048, true, none, "{256 128} true", "{128 256} true"},
		{hopper, 3072, 3072, false, none, "{256 64} true", "{128 128} true"},
		{hopper, 8192, 8192, false, none, "{256 128} true", "{128 256} true"},
		{hopper, 8192, 8192, false, joined([]Option{Strict()}), "{256 128} true", "{128 256} false"},
		{hopper, 8192, 8192, false, joined([]Option{Split()}), "{0 0} false", "{128 256} true"},
		{hopper, 8192, 8192, false, joined([]Option{TF32()}), "{0 0} false", "{128 256} true"},
		{hopper, 16, 8192, false, none, "{0 0} false", "{0 0} false"},
		{ampere, 4096, 4096, false, none, "{0 0} false", "{0 0} false"},
		{vulkan, 4096, 4096, false, none, "{0 0} false", "{0 0} false"},
	} {
		a := gpu.MatrixLayout{Rows: test.rows, Cols: 1000, RowStride: 1000, ColStride: 1}
		if test.transposed {
			a.RowStride, a.ColStride = 1, test.rows
		}
		c := gpu.MatrixLayout{Rows: test.rows, Cols: test.cols, RowStride: test.cols, ColStride: 1}
		if got := fmt.Sprint(chooseNewTile[float32](test.info, a, c, test.o)); got != test.single {
			t.Errorf("%v, %d × %d, %v of float32: %s, want %s", test.info.Target, test.rows, test.cols, test.o, got, test.single)
		}
		if got := fmt.Sprint(chooseNewTile[gpu.BFloat16](test.info, a, c, test.o)); got != test.half {
			t.Errorf("%v, %d × %d, %v of BFloat16: %s, want %s", test.info.Target, test.rows, test.cols, test.o, got, test.half)
		}
		if _, ok := chooseNewTile[float64](test.info, a, c, test.o); ok {
			t.Error("float64 has tiles")
		}
	}
}

// TestDoubleChoices: which tiles products of float64 have on devices with units for them.
func TestDoubleChoices(t *testing.T) {
	hopper := gpu.Info{Driver: gpu.CUDA, Target: abi.PTX, Profile: 90}
	hopper.Hardware.Units, hopper.Hardware.Matrices = 132, []string{"f16", "f64"}
	ampere, vulkan, without := hopper, hopper, hopper
	ampere.Profile, vulkan.Target, without.Hardware.Matrices = 80, abi.SPIRV, []string{"f16"}
	for _, test := range []struct {
		info gpu.Info
		want bool
	}{{hopper, true}, {ampere, false}, {vulkan, false}, {without, false}} {
		if got := hasDoubleUnits(test.info); got != test.want {
			t.Errorf("%v %d has units for float64: %v", test.info.Target, test.info.Profile, got)
		}
	}
	for _, test := range []struct {
		rows, depth, cols int
		want              tile
	}{
		{8192, 8192, 8192, tile{128, 128}}, {4096, 4096, 4096, tile{128, 128}}, {2048, 2048, 2048, tile{128, 128}},
		{1536, 1536, 1536, tile{64, 64}}, // 144 tiles of 128 × 128 are two for some multiprocessors
		{1024, 1024, 1024, tile{64, 64}}, {1024, 1024, 2048, tile{128, 128}}, {512, 512, 512, tile{32, 32}},
		{64, 512, 8192, tile{64, 64}}, {32, 512, 4096, tile{32, 32}}, {1, 1, 1, tile{32, 32}}, {8192, 64, 8192, tile{64, 64}},
	} {
		if got := chooseDoubleTile(hopper, gpu.MatrixLayout{Rows: test.rows, Cols: test.cols}, test.depth); got != test.want {
			t.Errorf("%d × %d: tiles of %v, want %v", test.rows, test.cols, got, test.want)
		}
	}
}
