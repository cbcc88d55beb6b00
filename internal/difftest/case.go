package difftest

// The JSON form of a program with its inputs and expected results, as other tools take it.

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Case is a program that every conforming implementation must run alike: source, inputs, and
// the bytes of every buffer afterwards.
type Case struct {
	Name       string             `json:"name"`
	Language   string             `json:"language,omitempty"` // of Code: ir, or WGSL if it is empty
	Code       string             `json:"code"`
	Entry      string             `json:"entry"`
	Constants  map[string]float64 `json:"constants"`
	Dispatch   [3]int             `json:"dispatch"` // workgroups
	Immediates []byte             `json:"immediates"`
	Bindings   []Binding          `json:"bindings"`
	// right only where accesses are clamped and stores dropped
	Robust bool `json:"robust"`
	// right only where floats are rounded, and regrouped, as WGSL says
	Rounds bool `json:"rounds,omitempty"`
	// Subgroup is how many invocations a subgroup has where the case is right; 0 is any number.
	Subgroup int `json:"subgroup,omitempty"`
}

// Binding is a buffer of a Case.
type Binding struct {
	Group   int    `json:"group"`
	Binding int    `json:"binding"`
	Name    string `json:"name"`
	// uniform, storage, read-only-storage, texture or storage-texture
	Kind   string       `json:"kind"`
	Data   []byte       `json:"data"`
	Want   []byte       `json:"want"`
	Floats []FloatField `json:"floats"` // by Stride and Count, where floats lie
	Stride int          `json:"stride"`
	Count  int          `json:"count"`
	// Tolerance is how much a float may differ, relative to its size or, for small ones, to 1.
	Tolerance float64 `json:"tolerance,omitempty"`
	// Zeros, if not 0, is the size of the floats that are all of the buffer, of any format. A zero
	// of either sign is right.
	Zeros int `json:"zeros,omitempty"`
	// Texture describes a texture. Data and Want are its texels without gaps: level by level, in
	// each layer by layer or slice by slice, row by row.
	Texture *TextureShape `json:"texture,omitempty"`
}

// TextureShape is what a texture is made of, in the words of WebGPU.
type TextureShape struct {
	Dimension string `json:"dimension"` // 1d, 2d, 2d-array or 3d
	Format    string `json:"format"`
	// of a storage-texture: write-only, read-only or read-write
	Access string `json:"access,omitempty"`
	Sample string `json:"sample,omitempty"` // of a texture: unfilterable-float, sint or uint
	Size   [3]int `json:"size"`             // width, height, depth or layers
	Levels int    `json:"levels"`
}

// FloatField is a float in each element of a buffer, for which a zero of either sign is right.
// Offset is in bytes. In JSON it is [offset, "f"], or "h" for an f16.
type FloatField struct {
	Offset int
	Half   bool
}

func (f FloatField) MarshalJSON() ([]byte, error) {
	letter := "f"
	if f.Half {
		letter = "h"
	}
	return json.Marshal([]any{f.Offset, letter})
}

func (f *FloatField) UnmarshalJSON(data []byte) error {
	var letter string
	if err := json.Unmarshal(data, &[]any{&f.Offset, &letter}); err != nil {
		return err
	}
	f.Half = letter == "h"
	return nil
}

// Textures says whether the program has textures, which not every target knows.
func (c *Case) Textures() bool {
	return slices.ContainsFunc(c.Bindings, func(b Binding) bool { return b.Texture != nil })
}

// writes reports whether the program changes a buffer.
func (c *Case) writes() bool {
	return slices.ContainsFunc(c.Bindings, func(b Binding) bool { return !bytes.Equal(b.Data, b.Want) })
}

// Compare says where the buffers of a run differ from those expected. got is in the order of
// Bindings; nil is a buffer that was not read back.
func (c *Case) Compare(got [][]byte) error {
	if len(got) != len(c.Bindings) {
		return fmt.Errorf("expected %d buffers, found %d", len(c.Bindings), len(got))
	}
	for i := range c.Bindings {
		if got[i] == nil {
			continue
		}
		if err := c.Bindings[i].compare(got[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b *Binding) compare(got []byte) error {
	if len(got) != len(b.Want) {
		return fmt.Errorf("%s: expected %d bytes, found %d", b.Name, len(b.Want), len(got))
	}
	for i := 0; i < len(got); i++ {
		if got[i] == b.Want[i] || b.alike(got, i) || b.areZeros(got, i) {
			continue
		}
		at := i &^ 3
		end := min(at+4, len(got))
		return fmt.Errorf("%s: byte %d: expected % x, found % x", b.Name, at, b.Want[at:end], got[at:end])
	}
	return nil
}

// areZeros says whether byte i belongs to a float that is zero on both sides. Its highest bit is
// the sign.
func (b *Binding) areZeros(got []byte, i int) bool {
	if b.Zeros == 0 {
		return false
	}
	start := i / b.Zeros * b.Zeros
	for n := start; n < start+b.Zeros && n < len(got); n++ {
		mask := byte(0xFF)
		if n == start+b.Zeros-1 {
			mask = 0x7F
		}
		if (got[n]|b.Want[n])&mask != 0 {
			return false
		}
	}
	return true
}

// alike says whether byte i belongs to a float that is zero on both sides, or within the tolerance.
func (b *Binding) alike(got []byte, i int) bool {
	if b.Stride == 0 || i >= b.Stride*b.Count {
		return false
	}
	start := i / b.Stride * b.Stride
	for _, f := range b.Floats {
		at, size := start+f.Offset, 4
		if f.Half {
			size = 2
		}
		if at <= i && i < at+size {
			x, y := f.value(got[at:]), f.value(b.Want[at:])
			return x == 0 && y == 0 || b.Tolerance > 0 && (math.Abs(x-y) <= b.Tolerance*max(1, math.Abs(x), math.Abs(y)) || x == y || x != x && y != y)
		}
	}
	return false
}

// value decodes the field's float.
func (f FloatField) value(data []byte) float64 {
	if f.Half {
		return float64(halfValue(binary.LittleEndian.Uint16(data)))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
}
