package signal

import (
	"math"
	"slices"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// kernel is a kernel for float32 and for float64, as steps launch it: with any buffers that
// consist of such numbers.
type kernel [2]gpu.Embedded

var (
	compositeKernel     = kernel{{Archive: gpucArchive, Name: "composite_4096_2_float32"}, {Archive: gpucArchive, Name: "compositeDoubles"}}
	wideCompositeKernel = gpu.Embedded{Archive: gpucArchive, Name: "composite_8192_2_float32"}
	chirpInKernel       = kernel{{Archive: gpucArchive, Name: "chirpIn_float32"}, {Archive: gpucArchive, Name: "chirpIn_float64"}}
	chirpOutKernel      = kernel{{Archive: gpucArchive, Name: "chirpOut_float32"}, {Archive: gpucArchive, Name: "chirpOut_float64"}}
	multiplyKernel      = kernel{{Archive: gpucArchive, Name: "multiply_float32"}, {Archive: gpucArchive, Name: "multiply_float64"}}
	splitSpectrumKernel = kernel{{Archive: gpucArchive, Name: "splitSpectrum_float32"}, {Archive: gpucArchive, Name: "splitSpectrum_float64"}}
	joinSpectrumKernel  = kernel{{Archive: gpucArchive, Name: "joinSpectrum_float32"}, {Archive: gpucArchive, Name: "joinSpectrum_float64"}}
	widenKernel         = kernel{{Archive: gpucArchive, Name: "widen_float32"}, {Archive: gpucArchive, Name: "widen_float64"}}
	firstHalfKernel     = kernel{{Archive: gpucArchive, Name: "firstHalf_float32"}, {Archive: gpucArchive, Name: "firstHalf_float64"}}
	mirrorKernel        = kernel{{Archive: gpucArchive, Name: "mirror_float32"}, {Archive: gpucArchive, Name: "mirror_float64"}}
	directKernel        = kernel{{Archive: gpucArchive, Name: "direct_float32"}, {Archive: gpucArchive, Name: "direct_float64"}}
	windowKernel        = kernel{{Archive: gpucArchive, Name: "window_float32"}, {Archive: gpucArchive, Name: "window_float64"}}
	cutKernel           = kernel{{Archive: gpucArchive, Name: "cut_float32"}, {Archive: gpucArchive, Name: "cut_float64"}}
	overlapKernel       = kernel{{Archive: gpucArchive, Name: "overlap_float32"}, {Archive: gpucArchive, Name: "overlap_float64"}}
	evenFirstKernel     = kernel{{Archive: gpucArchive, Name: "evenFirst_float32"}, {Archive: gpucArchive, Name: "evenFirst_float64"}}
	evenLastKernel      = kernel{{Archive: gpucArchive, Name: "evenLast_float32"}, {Archive: gpucArchive, Name: "evenLast_float64"}}
	cosinesKernel       = kernel{{Archive: gpucArchive, Name: "cosines_float32"}, {Archive: gpucArchive, Name: "cosines_float64"}}
	fromCosinesKernel   = kernel{{Archive: gpucArchive, Name: "fromCosines_float32"}, {Archive: gpucArchive, Name: "fromCosines_float64"}}
	quarterKernel       = kernel{{Archive: gpucArchive, Name: "quarter_float32"}, {Archive: gpucArchive, Name: "quarter_float64"}}
	quarterOutKernel    = kernel{{Archive: gpucArchive, Name: "quarterOut_float32"}, {Archive: gpucArchive, Name: "quarterOut_float64"}}
	realPartKernel      = kernel{{Archive: gpucArchive, Name: "realPart_float32"}, {Archive: gpucArchive, Name: "realPart_float64"}}
)

// of returns the kernel for an engine.
func (k *kernel) of(e *engine) *gpu.Embedded {
	if e.double {
		return &k[1]
	}
	return &k[0]
}

// The binary kernels by the length of their transforms, a power of two from 256 for rows, from 64
// for columns, and from 1024 for wide ones.
var (
	binaryRowsKernels = [...]gpu.Embedded{
		{Archive: gpucArchive, Name: "binaryRows_n256"},
		{Archive: gpucArchive, Name: "shortRows_n512"},
		{Archive: gpucArchive, Name: "shortRows_n1024"},
		{Archive: gpucArchive, Name: "binaryRows_n2048"},
		{Archive: gpucArchive, Name: "binaryRows_n4096"},
	}
	binaryColumnsKernels = [...]gpu.Embedded{
		{Archive: gpucArchive, Name: "binaryColumns_n64"},
		{Archive: gpucArchive, Name: "binaryColumns_n128"},
		{Archive: gpucArchive, Name: "binaryColumns_n256"},
		{Archive: gpucArchive, Name: "binaryColumns_n512"},
		{Archive: gpucArchive, Name: "binaryColumns_n1024"},
		{Archive: gpucArchive, Name: "binaryColumns_n2048"},
	}
	wideColumnsKernels = [...]gpu.Embedded{
		{Archive: gpucArchive, Name: "wideColumns_n1024"},
		{Archive: gpucArchive, Name: "wideColumns_n2048"},
	}
)

// words returns the values of a launch, see gpu.Embedded.Launch.
func (p *rows) words() []uint32 {
	return []uint32{
		p.Count, p.Length, p.PerBatch, p.InDistance, p.InLength, p.OutDistance, p.OutLength, p.N, p.M, p.Inner, p.Flags,
	}
}

func (p *sums) words() []uint32 {
	return []uint32{
		p.Batch, p.OutRows, p.OutColumns, p.InRows, p.InColumns, p.KernelRows, p.KernelCols, p.Row, p.Column, p.Step, p.Blocks, p.Reversed,
	}
}

func (p *windowed) words() []uint32 {
	return []uint32{p.Batch, p.Rows, p.Columns, p.InRows, p.InColumns, p.Row, p.Column, p.Reversed}
}

func (p *framing) words() []uint32 {
	return []uint32{p.Batch, p.Samples, p.Frames, p.Length, p.Hop}
}

// withScale appends a number of the engine's type to the values of a launch.
func (e *engine) withScale(words []uint32, scale float64) []uint32 {
	if !e.double {
		return append(words, math.Float32bits(float32(scale)))
	}
	bits := math.Float64bits(scale)
	if len(words)%2 == 1 {
		words = append(words, 0)
	}
	return append(slices.Clip(words), uint32(bits), uint32(bits>>32))
}
