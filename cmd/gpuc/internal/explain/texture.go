package explain

import (
	"fmt"
	"io"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/kerneldata"
	"github.com/gpuc/gpuc/ir/texture"
)

// samplerTypes are the types of samplers.
var samplerTypes = []struct{ name, doc string }{
	{"sampler", "how a texture is read between its texels and outside of them"},
	{"sampler_comparison",
		"a sampler that compares a reference with the texels of a depth texture: reads yield the part for which that holds"},
}

// typeNames lists the types of textures and samplers.
func typeNames() (names []string) {
	for s := texture.Shape(0); s < texture.Shapes; s++ {
		names = append(names, s.String())
	}
	for _, t := range samplerTypes {
		names = append(names, t.name)
	}
	return names
}

// explainType explains a type of texture or sampler.
func explainType(w io.Writer, name string) bool {
	for _, t := range samplerTypes {
		if t.name != name {
			continue
		}
		fmt.Fprintf(w, "type %s\n  %s\n", name, t.doc)
		fmt.Fprintf(w, "  gpuc run takes %s\n", "-bind s=WORD,… of "+strings.Join(kerneldata.SamplerWords(name == "sampler_comparison"), ", "))
		return true
	}
	s, ok := texture.ShapeNamed(name)
	if !ok {
		return false
	}
	fmt.Fprintf(w, "type %s\n  %s\n", spelled(s), describeShape(s))
	switch {
	case s.IsStorage():
		fmt.Fprintln(w, "  FORMAT is a texel format (gpuc doc format), ACCESS is write, read or read_write\n"+
			"  stores outside of it are dropped")
	case s.Typed():
		fmt.Fprintln(w, "  T is f32, i32 or u32")
	}
	fmt.Fprintln(w, "  loads outside of it read the last texel, layer, level or sample there is in that direction;\n"+
		"  negative numbers count as large ones")
	fmt.Fprintf(w, "  gpuc run takes %s\n", textureExamples(s))
	return true
}

// spelled returns a type's name with its template parameters.
func spelled(s texture.Shape) string {
	switch {
	case s.IsStorage():
		return s.String() + "<FORMAT, ACCESS>"
	case s.Typed():
		return s.String() + "<T>"
	}
	return s.String()
}

// describeShape describes a type of texture.
func describeShape(s texture.Shape) string {
	i := s.Info()
	text := [...]string{"a texture", "a depth texture", "a storage texture"}[i.Class]
	switch {
	case i.Dimension == texture.Cube && i.Arrayed:
		text += " of several cubes, six square layers each"
	case i.Dimension == texture.Cube:
		text += " of the six faces of a cube, square layers"
	default:
		text += " of " + [...]string{"", "one dimension", "two dimensions", "three dimensions"}[i.Dimension]
		if i.Arrayed {
			text += ", in layers"
		}
	}
	switch {
	case s == texture.External:
		text += " from elsewhere, such as a frame of a video; to gpuc one of f32 with a single level"
	case i.Multisampled:
		text += ", with several samples in each texel"
	}
	if i.Class == texture.Depth {
		text += "; reads yield one f32"
	}
	return text
}

// textureExamples returns examples of -bind for a type.
func textureExamples(s texture.Shape) string {
	switch i := s.Info(); {
	case i.Dimension == texture.D1:
		return "-bind t=row.npy, t=512"
	case i.Dimension == texture.Cube && i.Arrayed:
		return "-bind t=cubes.npy, t=64x64x12, or files separated by commas, six a cube: +x, -x, +y, -y, +z, -z"
	case i.Dimension == texture.Cube:
		return "-bind t=px.png,nx.png,py.png,ny.png,pz.png,nz.png, t=64x64"
	case i.Arrayed:
		return "-bind t=first.png,second.png, t=layers.npy, t=64x64x4"
	case i.Dimension == texture.D3:
		return "-bind t=volume.npy, t=64x64x64, or files separated by commas, one a slice"
	}
	return "-bind t=photo.png, t=values.npy, t=640x480"
}

// formatNames lists the texel formats.
func formatNames() (names []string) {
	for f := texture.NoFormat + 1; f < texture.Formats; f++ {
		names = append(names, f.String())
	}
	return names
}

// encodingDocs describe how stored integers encode values.
var encodingDocs = [...]string{
	texture.Unorm:              "0 to the largest value means 0 to 1",
	texture.Snorm:              "the values mean -1 to 1",
	texture.Uint:               "whole numbers",
	texture.Sint:               "whole numbers with a sign",
	texture.Float:              "IEEE floats",
	texture.SRGB:               "0 to 255 means 0 to 1; red, green and blue by the curve of sRGB",
	texture.Packed1010102Unorm: "10, 10, 10 and 2 bits of 32, which mean 0 to 1",
	texture.Packed1010102Uint:  "10, 10, 10 and 2 bits of 32, whole numbers",
	texture.Packed111110Ufloat: "floats without sign of 11, 11 and 10 bits",
	texture.Packed9995Ufloat:   "three fractions of 9 bits and an exponent that they share",
}

// explainFormat explains a texel format.
func explainFormat(w io.Writer, name string) bool {
	f, ok := texture.FormatNamed(name)
	if !ok {
		return false
	}
	i := f.Info()
	fmt.Fprintf(w, "texel format %s\n  ", name)
	switch {
	case i.Bits != 0 && i.Channels == 1:
		fmt.Fprintf(w, "a channel of %d bits: ", i.Bits)
	case i.Bits != 0:
		fmt.Fprintf(w, "%d channels of %d bits: ", i.Channels, i.Bits)
	}
	fmt.Fprintf(w, "%s\n", encodingDocs[i.Encoding])
	if i.Reversed {
		fmt.Fprintln(w, "  blue comes first in memory")
	}
	fmt.Fprintf(w, "  %d bytes a texel, read as %s", f.Bytes(), i.Channel)
	switch {
	case i.Depth:
		fmt.Fprintln(w, " by depth textures only")
	case f >= texture.StorageFormats:
		fmt.Fprintln(w, ", not by storage textures")
	default:
		fmt.Fprintln(w)
	}
	return true
}
