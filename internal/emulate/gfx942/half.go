package gfx942

import (
	"math"

	"github.com/gpuc/gpuc/internal/emulate"
)

func halfValue(bits uint64) float64 { return emulate.HalfValue(bits) }

// halfBits rounds to binary16. A NaN keeps its sign.
func halfBits(x float64) uint64 { return emulate.HalfBits(x, math.Float64bits(x)>>48&0x8000|0x7E00) }

// fused returns a·b + c, rounded once.
func fused(a, b, c float32) float32 {
	return float32(emulate.SumToOdd(float64(a)*float64(b), float64(c)))
}
