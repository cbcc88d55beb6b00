package tiles

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestCoverage looks for what the kernels of some seeds have together.
func TestCoverage(t *testing.T) {
	found := ""
	for seed := range uint64(50) {
		k := Random(seed)
		found += k.Text
		for _, s := range k.Slices {
			found += "[]" + s.Type
		}
	}
	words := []string{"LoadWindows[", ".Channels(", ".Sub(", ".T()", ", -1,", "MulAdd(", "MapTile[", "MapTile2[", "MapTile3[",
		"SumTile[", "MaxTile[", "MinTile[", "TransposeTile[", "ConvertTile[", "FillTile[", "break\n", "continue\n", "switch ", "for range ", "alone", "+= 32 {"}
	for _, k := range kinds {
		words = append(words, "]"+k.goType+"](it, m", "[]"+k.goType) // loads and slices
	}
	for _, word := range words {
		if !strings.Contains(found, word) {
			t.Errorf("no kernel has %q", word)
		}
	}
}

// TestSame makes a kernel twice.
func TestSame(t *testing.T) {
	a, b := Random(7), Random(7)
	if a.Text != b.Text || len(a.Slices) == 0 || string(a.Slices[0].Data) != string(b.Slices[0].Data) {
		t.Error("a seed has two kernels")
	}
}

// TestNumbers compares elements with those of package gpu, which the compiler's tests hold against
// devices.
func TestNumbers(t *testing.T) {
	patterns := map[int]func(x float32) uint32{
		f16:  func(x float32) uint32 { return uint32(gpu.ToFloat16(x).Bits()) },
		bf16: func(x float32) uint32 { return uint32(gpu.ToBFloat16(x).Bits()) },
		e4m3: func(x float32) uint32 { return uint32(gpu.ToFloat8E4M3(x).Bits()) },
		e5m2: func(x float32) uint32 { return uint32(gpu.ToFloat8E5M2(x).Bits()) },
		i8:   func(x float32) uint32 { return uint32(uint8(int8(int32(x)))) },
		u8:   func(x float32) uint32 { return uint32(uint8(int32(x))) },
	}
	for kind, pattern := range patterns {
		k := &kinds[kind]
		for n := -70000; n <= 70000; n += 1 + max(n, -n)/300 {
			y, ok := k.number(float64(n))
			if !ok {
				continue
			}
			var word [4]byte
			copy(word[:], k.encode(nil, y))
			if got, want := binary.LittleEndian.Uint32(word[:]), pattern(float32(n)); got != want {
				t.Errorf("%s: %d is %#x, want %#x", k.word, n, got, want)
			}
		}
	}
}
