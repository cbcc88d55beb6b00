package abi

import (
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
)

// TestFilterOf compares the filters of both objects with the rule (Vulkan, "Texel Filtering"). The
// level of detail is clamped to the sampler's bounds, and magnified if it is at most 0.
func TestFilterOf(t *testing.T) {
	for _, bounds := range [][2]float32{{0, 0}, {0, 32}, {0, 0.25}, {0.25, 32}, {1, 1}, {2, 5}} {
		s := &texture.Sampler{Magnify: texture.Linear, Minify: texture.Nearest, LowestLevel: bounds[0], HighestLevel: bounds[1]}
		for _, level := range []float32{-3, 0, 0.125, 1, 40} {
			kept := min(max(level, bounds[0]), bounds[1])
			want := texture.Linear
			if kept > 0 {
				want = texture.Nearest
			}
			if got := FilterOf(s, level > 0); got != want {
				t.Errorf("level %v within %v: %s, want %s", level, bounds, got, want)
			}
		}
	}
}

// TestCompared lists relations, filters, levels and formats of comparisons.
func TestCompared(t *testing.T) {
	const less, equal, greater = ComparesLess, ComparesEqual, ComparesGreater
	for compare, want := range map[texture.Compare]Comparison{
		texture.Never: 0, texture.Less: less, texture.Equal: equal, texture.LessEqual: less | equal, texture.Greater: greater,
		texture.NotEqual: less | greater, texture.GreaterEqual: greater | equal, texture.Always: less | equal | greater,
	} {
		if got := Compared(&texture.Sampler{Compare: compare, HighestLevel: 32}, texture.Depth32Float, 1); got != want {
			t.Errorf("%s: %b, want %b", compare, got, want)
		}
	}
	s := &texture.Sampler{Compare: texture.Less, Magnify: texture.Linear, HighestLevel: 32}
	if got := Compared(s, texture.Depth16Unorm, 4); got != less|ComparesLinearly|ComparesUnorm {
		t.Errorf("a linear filter and a format of fractions: %b", got)
	}
	for lowest, want := range map[float32]uint32{0: 0, 0.25: 0, 0.5: 1, 1.25: 1, 2.5: 3, 9: 3} {
		s.LowestLevel = lowest
		if got := Compared(s, texture.Depth32Float, 4); got.Level() != want || (got&ComparesLinearly != 0) != (lowest == 0) {
			t.Errorf("from level %v: level %d and filter %b", lowest, got.Level(), got)
		}
	}
}
