package texture

// This file describes samplers.

// AddressMode says which texel a coordinate outside of the image selects.
type AddressMode uint8

// The address modes (WebGPU §7.1).
const (
	ClampToEdge AddressMode = iota
	Repeat
	MirrorRepeat
	AddressModes
)

var addressModeNames = [AddressModes]string{"clamp-to-edge", "repeat", "mirror-repeat"}

// String returns the mode's name in WebGPU.
func (a AddressMode) String() string { return addressModeNames[a] }

// Filter says how many texels a sample is made of.
type Filter uint8

// The filters.
const (
	Nearest Filter = iota
	Linear
	Filters
)

var filterNames = [Filters]string{"nearest", "linear"}

// String returns the filter's name in WebGPU.
func (f Filter) String() string { return filterNames[f] }

// Compare is the function of a comparison sampler: reference against texel.
type Compare uint8

// The functions. NoCompare is that of samplers that do not compare.
const (
	NoCompare Compare = iota
	Never
	Less
	Equal
	LessEqual
	Greater
	NotEqual
	GreaterEqual
	Always
	Compares
)

var compareNames = [Compares]string{"none", "never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"}

// String returns the function's name in WebGPU.
func (c Compare) String() string { return compareNames[c] }

// Sampler is a sampler's description. The zero value reads the nearest texel of
// level 0 and clamps coordinates.
type Sampler struct {
	Address                   [3]AddressMode // by coordinate
	Magnify, Minify, Mipmap   Filter
	LowestLevel, HighestLevel float32 // what levels of detail are clamped to
	Compare                   Compare // NoCompare, or that of a comparison sampler
}

// Smooth is a sampler that interpolates between texels and between all levels.
var Smooth = Sampler{Magnify: Linear, Minify: Linear, Mipmap: Linear, HighestLevel: 32}
