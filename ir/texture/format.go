package texture

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file is the table of texel formats: the ones that storage textures name
// (WGSL §6.6.1) and those that sampled and depth textures need besides
// (WebGPU §6.1).

// Format is a texel format.
type Format uint8

// The formats. Those before StorageFormats can be named by storage textures.
const (
	NoFormat Format = iota
	RGBA8Unorm
	RGBA8Snorm
	RGBA8Uint
	RGBA8Sint
	RGBA16Unorm
	RGBA16Snorm
	RGBA16Uint
	RGBA16Sint
	RGBA16Float
	RG8Unorm
	RG8Snorm
	RG8Uint
	RG8Sint
	RG16Unorm
	RG16Snorm
	RG16Uint
	RG16Sint
	RG16Float
	R32Uint
	R32Sint
	R32Float
	RG32Uint
	RG32Sint
	RG32Float
	RGBA32Uint
	RGBA32Sint
	RGBA32Float
	BGRA8Unorm
	R8Unorm
	R8Snorm
	R8Uint
	R8Sint
	R16Unorm
	R16Snorm
	R16Uint
	R16Sint
	R16Float
	RGB10A2Unorm
	RGB10A2Uint
	RG11B10Ufloat
	RGBA8UnormSRGB
	BGRA8UnormSRGB
	RGB9E5Ufloat
	Depth16Unorm
	Depth32Float
	Formats

	// StorageFormats ends the formats of storage textures.
	StorageFormats = RGBA8UnormSRGB
)

// Encoding says how a channel's bits encode a number.
type Encoding uint8

// The encodings. Packed formats have channels of unequal width.
const (
	Unorm              Encoding = iota // n / (2^bits-1)
	Snorm                              // max(n / (2^(bits-1)-1), -1)
	Uint                               // n
	Sint                               // n, two's complement
	Float                              // IEEE binary16 or binary32
	SRGB                               // Unorm; red, green and blue by the sRGB curve
	Packed1010102Unorm                 // 10, 10, 10 and 2 bits from the lowest
	Packed1010102Uint
	Packed111110Ufloat // 11, 11 and 10 bits without sign
	Packed9995Ufloat   // three 9-bit fractions and an exponent they share
)

// FormatInfo is a format's row.
type FormatInfo struct {
	Name string // as WGSL and WebGPU spell it
	// Channel is the scalar kind of the channels as a kernel sees them.
	Channel scalar.Kind
	// Channels is how many are stored; a read yields 0, 0 and 1 for those of
	// green, blue and alpha that are not.
	Channels int
	Bits     int // of a channel in memory; 0 for packed formats
	Encoding Encoding
	// Reversed formats store blue first.
	Reversed bool
	Depth    bool
}

var formats = [Formats]FormatInfo{
	NoFormat:       {Name: "none"},
	RGBA8Unorm:     {Name: "rgba8unorm", Channel: scalar.F32, Channels: 4, Bits: 8, Encoding: Unorm},
	RGBA8Snorm:     {Name: "rgba8snorm", Channel: scalar.F32, Channels: 4, Bits: 8, Encoding: Snorm},
	RGBA8Uint:      {Name: "rgba8uint", Channel: scalar.U32, Channels: 4, Bits: 8, Encoding: Uint},
	RGBA8Sint:      {Name: "rgba8sint", Channel: scalar.I32, Channels: 4, Bits: 8, Encoding: Sint},
	RGBA16Unorm:    {Name: "rgba16unorm", Channel: scalar.F32, Channels: 4, Bits: 16, Encoding: Unorm},
	RGBA16Snorm:    {Name: "rgba16snorm", Channel: scalar.F32, Channels: 4, Bits: 16, Encoding: Snorm},
	RGBA16Uint:     {Name: "rgba16uint", Channel: scalar.U32, Channels: 4, Bits: 16, Encoding: Uint},
	RGBA16Sint:     {Name: "rgba16sint", Channel: scalar.I32, Channels: 4, Bits: 16, Encoding: Sint},
	RGBA16Float:    {Name: "rgba16float", Channel: scalar.F32, Channels: 4, Bits: 16, Encoding: Float},
	RG8Unorm:       {Name: "rg8unorm", Channel: scalar.F32, Channels: 2, Bits: 8, Encoding: Unorm},
	RG8Snorm:       {Name: "rg8snorm", Channel: scalar.F32, Channels: 2, Bits: 8, Encoding: Snorm},
	RG8Uint:        {Name: "rg8uint", Channel: scalar.U32, Channels: 2, Bits: 8, Encoding: Uint},
	RG8Sint:        {Name: "rg8sint", Channel: scalar.I32, Channels: 2, Bits: 8, Encoding: Sint},
	RG16Unorm:      {Name: "rg16unorm", Channel: scalar.F32, Channels: 2, Bits: 16, Encoding: Unorm},
	RG16Snorm:      {Name: "rg16snorm", Channel: scalar.F32, Channels: 2, Bits: 16, Encoding: Snorm},
	RG16Uint:       {Name: "rg16uint", Channel: scalar.U32, Channels: 2, Bits: 16, Encoding: Uint},
	RG16Sint:       {Name: "rg16sint", Channel: scalar.I32, Channels: 2, Bits: 16, Encoding: Sint},
	RG16Float:      {Name: "rg16float", Channel: scalar.F32, Channels: 2, Bits: 16, Encoding: Float},
	R32Uint:        {Name: "r32uint", Channel: scalar.U32, Channels: 1, Bits: 32, Encoding: Uint},
	R32Sint:        {Name: "r32sint", Channel: scalar.I32, Channels: 1, Bits: 32, Encoding: Sint},
	R32Float:       {Name: "r32float", Channel: scalar.F32, Channels: 1, Bits: 32, Encoding: Float},
	RG32Uint:       {Name: "rg32uint", Channel: scalar.U32, Channels: 2, Bits: 32, Encoding: Uint},
	RG32Sint:       {Name: "rg32sint", Channel: scalar.I32, Channels: 2, Bits: 32, Encoding: Sint},
	RG32Float:      {Name: "rg32float", Channel: scalar.F32, Channels: 2, Bits: 32, Encoding: Float},
	RGBA32Uint:     {Name: "rgba32uint", Channel: scalar.U32, Channels: 4, Bits: 32, Encoding: Uint},
	RGBA32Sint:     {Name: "rgba32sint", Channel: scalar.I32, Channels: 4, Bits: 32, Encoding: Sint},
	RGBA32Float:    {Name: "rgba32float", Channel: scalar.F32, Channels: 4, Bits: 32, Encoding: Float},
	BGRA8Unorm:     {Name: "bgra8unorm", Channel: scalar.F32, Channels: 4, Bits: 8, Encoding: Unorm, Reversed: true},
	R8Unorm:        {Name: "r8unorm", Channel: scalar.F32, Channels: 1, Bits: 8, Encoding: Unorm},
	R8Snorm:        {Name: "r8snorm", Channel: scalar.F32, Channels: 1, Bits: 8, Encoding: Snorm},
	R8Uint:         {Name: "r8uint", Channel: scalar.U32, Channels: 1, Bits: 8, Encoding: Uint},
	R8Sint:         {Name: "r8sint", Channel: scalar.I32, Channels: 1, Bits: 8, Encoding: Sint},
	R16Unorm:       {Name: "r16unorm", Channel: scalar.F32, Channels: 1, Bits: 16, Encoding: Unorm},
	R16Snorm:       {Name: "r16snorm", Channel: scalar.F32, Channels: 1, Bits: 16, Encoding: Snorm},
	R16Uint:        {Name: "r16uint", Channel: scalar.U32, Channels: 1, Bits: 16, Encoding: Uint},
	R16Sint:        {Name: "r16sint", Channel: scalar.I32, Channels: 1, Bits: 16, Encoding: Sint},
	R16Float:       {Name: "r16float", Channel: scalar.F32, Channels: 1, Bits: 16, Encoding: Float},
	RGB10A2Unorm:   {Name: "rgb10a2unorm", Channel: scalar.F32, Channels: 4, Encoding: Packed1010102Unorm},
	RGB10A2Uint:    {Name: "rgb10a2uint", Channel: scalar.U32, Channels: 4, Encoding: Packed1010102Uint},
	RG11B10Ufloat:  {Name: "rg11b10ufloat", Channel: scalar.F32, Channels: 3, Encoding: Packed111110Ufloat},
	RGBA8UnormSRGB: {Name: "rgba8unorm-srgb", Channel: scalar.F32, Channels: 4, Bits: 8, Encoding: SRGB},
	BGRA8UnormSRGB: {Name: "bgra8unorm-srgb", Channel: scalar.F32, Channels: 4, Bits: 8, Encoding: SRGB, Reversed: true},
	RGB9E5Ufloat:   {Name: "rgb9e5ufloat", Channel: scalar.F32, Channels: 3, Encoding: Packed9995Ufloat},
	Depth16Unorm:   {Name: "depth16unorm", Channel: scalar.F32, Channels: 1, Bits: 16, Encoding: Unorm, Depth: true},
	Depth32Float:   {Name: "depth32float", Channel: scalar.F32, Channels: 1, Bits: 32, Encoding: Float, Depth: true},
}

// Info returns the format's row. It must not be changed.
func (f Format) Info() *FormatInfo { return &formats[f] }

// String returns the format's name.
func (f Format) String() string { return formats[f].Name }

// FormatNamed finds a format by its name.
func FormatNamed(name string) (Format, bool) {
	for f := NoFormat + 1; f < Formats; f++ {
		if formats[f].Name == name {
			return f, true
		}
	}
	return NoFormat, false
}

// Bytes is the size of a texel in memory.
func (f Format) Bytes() int {
	if i := &formats[f]; i.Bits != 0 {
		return i.Channels * i.Bits / 8
	} else if f == NoFormat {
		return 0
	}
	return 4
}

// MarshalText implements encoding.TextMarshaler.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Format) UnmarshalText(text []byte) error {
	format, ok := FormatNamed(string(text))
	if !ok {
		return unknown("texel format", text)
	}
	*f = format
	return nil
}

func unknown(what string, text []byte) error { return fmt.Errorf("no %s is called %q", what, text) }
