package image

import (
	_ "embed"
	"math"
	"sync"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// archive is that of the compiled kernels, which functions find by name and types.
//
//go:embed gpuc_gen.zip
var archive string

// kernel is the instances of a kernel for uint8, uint16 and float32. Types are those of the
// instances in the kernel's name.
type kernel struct {
	name      string
	types     *[3]string
	once      sync.Once
	instances [3]gpu.Embedded
}

// launch enqueues an instance, by the index of kindOf. A kernel without types has one instance.
func (k *kernel) launch(s *gpu.Stream, kind int, g gpu.Grid, w *words, buffers ...gpu.Bound) error {
	k.once.Do(func() {
		for i := range k.instances {
			k.instances[i].Archive, k.instances[i].Name = archive, k.name
			if k.types != nil {
				k.instances[i].Name += "_" + k.types[i]
			}
		}
	})
	return k.instances[kind].Launch(s, g, w.data[:w.n], buffers...)
}

var (
	sameTypes       = [3]string{"bytes_four_uint32", "halves_two_uint32", "floats_single_float32"}
	toFloatTypes    = [3]string{"bytes_four_uint32_fromBytes", "halves_two_uint32_fromHalves", "floats_single_float32_floats"}
	packedTypes     = [3]string{0: "bytes_four_uint32_gpu_Vec4f", 2: "floats_single_float32_float32"}
	tapsTypes       = [3]string{"bytes_four_uint32_65_float32", "halves_two_uint32_65_float32", "floats_single_float32_65_float32"}
	twoTapsTypes    = [3]string{"bytes_four_uint32_2_float32", "halves_two_uint32_2_float32", "floats_single_float32_2_float32"}
	fourTapsTypes   = [3]string{"bytes_four_uint32_4_float32", "halves_two_uint32_4_float32", "floats_single_float32_4_float32"}
	fiveTapsTypes   = [3]string{"bytes_four_uint32_5_float32", "halves_two_uint32_5_float32", "floats_single_float32_5_float32"}
	matrixTypes     = [3]string{"bytes_four_uint32_matrix", "halves_two_uint32_matrix", "floats_single_float32_matrix"}
	conversionTypes = [3]string{"bytes_four_uint32_conversion", "halves_two_uint32_conversion", "floats_single_float32_conversion"}
	maskTypes       = [3]string{"2_4_uint32", "3_4_uint32", "5_4_uint32"}
	orderedTypes    = [3]string{"orderedBytes_keys4_uint32", "orderedHalves_keys2_uint32", "orderedFloats_floatKey_float32"}
	// Those of filter have both formats.
	filterTypes        = [3]string{"bytes_four_uint32_bytes_uint32", "halves_two_uint32_halves_uint32", "floats_single_float32_floats_float32"}
	filterToFloatTypes = [3]string{"bytes_four_uint32_fromBytes_float32", "halves_two_uint32_fromHalves_float32", "floats_single_float32_floats_float32"}
	// Those of convert are the source's type, and then that of the result.
	fromBytesTypes  = [3]string{"bytes_four_uint32_bytes_four_uint32", "bytes_four_uint32_halves_two_uint32", "bytes_four_uint32_floats_single_float32"}
	fromHalvesTypes = [3]string{"halves_two_uint32_bytes_four_uint32", "halves_two_uint32_halves_two_uint32", "halves_two_uint32_floats_single_float32"}
	fromFloatsTypes = [3]string{"floats_single_float32_bytes_four_uint32", "floats_single_float32_halves_two_uint32", "floats_single_float32_floats_single_float32"}
)

var (
	ofThreeTaps       = kernel{name: "small", types: &sameTypes}
	ofResampleColumns = kernel{name: "resampleColumns", types: &toFloatTypes}
	ofResampleRows    = kernel{name: "resampleRows", types: &sameTypes}
	ofResampleBoth    = kernel{name: "resampleBoth", types: &sameTypes}
	ofResamplePairs   = kernel{name: "resamplePairs"}
	ofSeparableRows   = kernel{name: "separableRows", types: &tapsTypes}
	ofFiveTapsRows    = kernel{name: "separableRows", types: &fiveTapsTypes} // not of uint16
	ofTwoColumns      = kernel{name: "resampleTile", types: &twoTapsTypes}
	ofFourColumns     = kernel{name: "resampleTile", types: &fourTapsTypes}
	ofBox             = kernel{name: "box", types: &maskTypes} // by the number of masks
	ofHalve           = kernel{name: "halve"}
	ofFilter          = kernel{name: "filter", types: &filterTypes}
	ofFilterToFloat   = kernel{name: "filter", types: &filterToFloatTypes}
	ofGradients       = kernel{name: "gradients", types: &toFloatTypes}
	ofGradientRows    = kernel{name: "gradientRows", types: &packedTypes}
	ofGradientWords   = kernel{name: "gradientWords"}
	ofMagnitude       = kernel{name: "magnitude"}
	ofMinMax          = kernel{name: "minMax", types: &orderedTypes}
	ofMedian3         = kernel{name: "median3", types: &orderedTypes}
	ofRank            = kernel{name: "rank", types: &sameTypes}
	ofBilateral       = kernel{name: "bilateral", types: &sameTypes}
	ofWarp            = kernel{name: "warp", types: &sameTypes}
	ofRemap           = kernel{name: "remap", types: &sameTypes}
	ofMix             = kernel{name: "recolour", types: &matrixTypes}
	ofMixWords        = kernel{name: "recolourWords_matrix"}
	ofConversion      = kernel{name: "recolour", types: &conversionTypes}
	ofConversionWords = kernel{name: "recolourWords_conversion"}
	ofCountBins       = kernel{name: "countBins", types: &sameTypes}
	ofThreshold       = kernel{name: "threshold", types: &sameTypes}
	ofClearCounts     = kernel{name: "clearCounts"}
	ofPrefix          = kernel{name: "prefix"}
	ofEqualizing      = kernel{name: "equalizing"}
	ofOtsu            = kernel{name: "otsu"}
	ofLook            = kernel{name: "look"}
	ofEqualizeRegions = kernel{name: "equalizeRegions"}
	ofBlendRegions    = kernel{name: "blendRegions"}
	ofSuppress        = kernel{name: "suppress"}
	ofLink            = kernel{name: "link"}
	ofMark            = kernel{name: "mark"}
	ofOutline         = kernel{name: "outline"}
	ofCombine         = kernel{name: "combine", types: &sameTypes}
	ofConvert         = [3]kernel{
		{name: "convert", types: &fromBytesTypes},
		{name: "convert", types: &fromHalvesTypes},
		{name: "convert", types: &fromFloatsTypes},
	}
)

// words are the values of a launch, in the order of the kernel's parameters.
type words struct {
	data [160]uint32
	n    int
}

func (w *words) ints(values ...int) {
	for _, v := range values {
		w.data[w.n] = uint32(v)
		w.n++
	}
}

func (w *words) floats(values ...float32) {
	for _, v := range values {
		w.data[w.n] = math.Float32bits(v)
		w.n++
	}
}

func (w *words) flag(v bool) {
	if v {
		w.data[w.n] = 1
	}
	w.n++
}

func (w *words) border(b border) {
	w.ints(int(b.Mode))
	w.floats(b.Value[:]...)
}

func (w *words) views(list ...view) {
	for _, v := range list {
		w.ints(int(v.Offset), int(v.Stride), int(v.Width), int(v.Height), int(v.Channels))
	}
}

// kindOf returns the index of a sample's instances.
func kindOf[T Sample]() int {
	switch any(*new(T)).(type) {
	case uint8:
		return 0
	case uint16:
		return 1
	}
	return 2
}

// perWord returns how many samples a word has.
func perWord[T Sample]() int { return 4 >> kindOf[T]() }

// fullOf returns the sample of full intensity.
func fullOf[T Sample]() float32 { return [...]float32{255, 65535, 1}[kindOf[T]()] }

// byRuns is the grid of kernels whose items compute a word of an image.
func byRuns[T Sample](m Image[T]) gpu.Grid {
	return grid((m.Width*m.Channels+perWord[T]()-1)/perWord[T](), m.Height)
}

// grid is workgroups that cover so many items, for each of the rows.
func grid(n, rows int) gpu.Grid { return gpu.D2(uint32((n+items-1)/items), uint32(rows)) }
