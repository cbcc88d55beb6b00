package kerneldata

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/imagefile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/memlimit"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Handle is the data of a texture, or a sampler.
type Handle struct {
	set     bool
	Image   *texture.Image // of a texture
	Sampler texture.Sampler
	// chosen says that the SPEC names the format. It is then not replaced by another on a device
	// that lacks it.
	Chosen bool
}

// textureSpec is the parsed SPEC of a texture.
type textureSpec struct {
	text   string
	files  []string
	size   []uint32 // of an empty texture, if there are no files
	format texture.Format
	mips   bool
}

// parseTextureSpec parses files or a size, with options after colons.
func parseTextureSpec(h *abi.Handle, text string) (textureSpec, error) {
	t := textureSpec{text: text}
	if word, _, ok := callSpec(text); ok {
		return t, usage.Errorf("`%s(…)` makes a buffer's data; %s", word, imagefile.Forms)
	}
	files, options := CutOptions(text)
	for _, option := range options {
		format, ok := texture.FormatNamed(option)
		switch {
		case option == "mips":
			t.mips = true
		case ok && t.format == texture.NoFormat:
			t.format = format
		case ok:
			return t, usage.Errorf("`%s` names two formats", text)
		default:
			known := []string{"mips"}
			for f := texture.NoFormat + 1; f < texture.Formats; f++ {
				known = append(known, f.String())
			}
			if near := usage.Nearest(option, known); near != "" {
				return t, usage.Errorf("`%s` is neither `mips` nor a texel format; did you mean `%s`?", option, near)
			}
			return t, usage.Errorf("`%s` is neither `mips` nor a texel format; `gpuc doc format` lists the formats", option)
		}
	}
	if size, ok := parseTexels(files); ok {
		t.size = size
	} else {
		t.files = strings.Split(files, ",")
	}
	return t, t.check(h)
}

// check checks the options against the texture's type.
func (t *textureSpec) check(h *abi.Handle) error {
	shape, channel := h.Texture.Shape, h.Texture.Channel
	switch f := t.format; {
	case t.mips && !shape.HasLevels():
		return usage.Errorf("`%s` (%s) has one level; leave out `:mips`", h.Name, h.Type)
	case t.mips && channel != scalar.F32.String():
		return usage.Errorf("`%s` (%s) holds integers, which are not averaged; leave out `:mips`", h.Name, h.Type)
	case t.mips && len(t.files) == 0:
		return usage.Errorf("an empty texture has one level; leave out `:mips`")
	case f == texture.NoFormat:
	case shape.IsStorage() && f != h.Texture.Format:
		return usage.Errorf("`%s` (%s) says its format itself; leave out `:%s`", h.Name, h.Type, f)
	case shape.IsDepth() != f.Info().Depth:
		return usage.Errorf("`%s` (%s) cannot be of format %s; depth textures, and only they, are depth32float or depth16unorm",
			h.Name, h.Type, f)
	case f.Info().Channel.String() != channel:
		return usage.Errorf("`%s` (%s) yields %s, and %s holds %s", h.Name, h.Type, channel, f, f.Info().Channel)
	}
	return nil
}

// CutOptions splits the SPEC of a texture into files or a size, and options. Options come after the
// colon after an extension or size, since the path of a file may have colons, too.
func CutOptions(text string) (string, []string) {
	at := -1
	for _, extension := range imagefile.Extensions {
		if i := strings.LastIndex(strings.ToLower(text), extension+":"); i >= 0 {
			at = max(at, i+len(extension))
		}
	}
	if at < 0 {
		if size, _, found := strings.Cut(text, ":"); found {
			if _, ok := parseTexels(size); ok {
				at = len(size)
			}
		}
	}
	if at < 0 {
		return text, nil
	}
	return text[:at], strings.Split(text[at+1:], ":")
}

// parseTexels parses a size in texels: W, WxH or WxHxD.
func parseTexels(text string) ([]uint32, bool) {
	var size []uint32
	for part := range strings.SplitSeq(text, "x") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil || len(size) == 3 {
			return nil, false
		}
		size = append(size, uint32(n))
	}
	return size, true
}

// defaultFormat is the format of an empty texture.
func defaultFormat(t *abi.Texture) texture.Format {
	switch {
	case t.Shape.IsStorage():
		return t.Format
	case t.Shape.IsDepth():
		return texture.Depth32Float
	case t.Channel == scalar.U32.String():
		return texture.RGBA8Uint
	case t.Channel == scalar.I32.String():
		return texture.RGBA8Sint
	}
	return texture.RGBA8Unorm
}

// describe returns the description of an image for a texture variable. Size is the width, the
// height, and the depth or the number of layers.
func describe(h *abi.Handle, size [3]uint32, format texture.Format) (texture.Description, error) {
	shape := h.Texture.Shape.Info()
	d := texture.Description{Dimension: shape.Dimension, Format: format,
		Width: size[0], Height: size[1], Depth: 1, Layers: 1, Levels: 1, Samples: 1}
	switch shape.Dimension {
	case texture.D3:
		d.Depth = size[2]
	case texture.Cube:
		d.Dimension = texture.D2
		d.Layers = size[2]
	default:
		d.Layers = size[2]
	}
	if shape.Multisampled {
		d.Samples = 4
	}
	if err := d.Check(); err != nil {
		return d, usage.Errorf("%v", err)
	}
	if err := d.Fits(h.Texture.Shape, h.Texture.Format); err != nil {
		return d, usage.Errorf("%v", err)
	}
	return d, nil
}

// emptySize completes the size of an empty texture with what its type determines.
func emptySize(h *abi.Handle, size []uint32) ([3]uint32, error) {
	shape := h.Texture.Shape.Info()
	all := Size3(size)
	want := int(shape.Dimension)
	switch {
	case shape.Arrayed:
		want = 3
	case shape.Dimension == texture.Cube:
		want = 2
		all[2] = 6
	}
	if len(size) != want {
		return all, usage.Errorf("`%s` (%s) has a size of %s, such as %s", h.Name, h.Type,
			[]string{"one number", "two numbers", "three numbers"}[want-1], exampleSize(h))
	}
	return all, nil
}

// readTexture makes the image that a SPEC describes.
func readTexture(h *abi.Handle, text string, r *memlimit.Limit) (Handle, error) {
	b := Handle{set: true}
	spec, err := parseTextureSpec(h, text)
	if err != nil {
		return b, err
	}
	b.Chosen = spec.format != texture.NoFormat
	if len(spec.files) == 0 {
		size, err := emptySize(h, spec.size)
		if err != nil {
			return b, err
		}
		if !b.Chosen {
			spec.format = defaultFormat(h.Texture)
		}
		b.Image, err = emptyImage(h, size, spec.format, text, r)
		return b, err
	}
	texels, err := imagefile.ReadLayers(h, spec.files, r)
	if err != nil {
		return b, err
	}
	switch {
	case h.Texture.Shape.IsStorage():
		spec.format = h.Texture.Format
	case !b.Chosen:
		spec.format = texels.Format
	}
	d, err := describe(h, texels.Size, spec.format)
	if err != nil {
		return b, err
	}
	if spec.mips {
		d.Levels = d.MaxLevels()
	}
	if err := r.Take(text, d.Bytes(), 1); err != nil {
		return b, err
	}
	b.Image = texture.NewImage(&d)
	texels.Fill(b.Image)
	for level := uint32(1); level < d.Levels; level++ {
		imagefile.Downsample(b.Image, level)
	}
	return b, nil
}

// emptyImage makes an image of zeros.
func emptyImage(h *abi.Handle, size [3]uint32, format texture.Format, text string, r *memlimit.Limit) (*texture.Image, error) {
	d, err := describe(h, size, format)
	if err != nil {
		return nil, err
	}
	if err := r.Take(text, d.Bytes(), 1); err != nil {
		return nil, err
	}
	return texture.NewImage(&d), nil
}

// likeTexture makes an empty image of the size of the variable called name.
func likeTexture(h *abi.Handle, from *texture.Description, name string, r *memlimit.Limit) (*texture.Image, error) {
	format := defaultFormat(h.Texture)
	shape, info := h.Texture.Shape, from.Format.Info()
	if !shape.IsStorage() && info.Channel.String() == h.Texture.Channel && info.Depth == shape.IsDepth() {
		format = from.Format
	}
	size, ok := sizeLike(h, from)
	if !ok {
		return nil, usage.Errorf("`%s` (%s) cannot have the size of `%s`, which is %s; write the size: -bind %s=%s, say",
			h.Name, h.Type, name, SizeText(from), h.Name, exampleSize(h))
	}
	return emptyImage(h, size, format, "like("+name+")", r)
}

// sizeLike returns the size for a texture that is as large as an image; ok is false if their
// dimensions differ.
func sizeLike(h *abi.Handle, from *texture.Description) (size [3]uint32, ok bool) {
	shape := h.Texture.Shape.Info()
	dimension := shape.Dimension
	if dimension == texture.Cube {
		dimension = texture.D2
	}
	size = [3]uint32{from.Width, from.Height, max(from.Depth, from.Layers)}
	if dimension == texture.D2 && shape.Dimension != texture.Cube && !shape.Arrayed {
		size[2] = 1
	}
	return size, from.Dimension == dimension
}

// SizeText returns a size as 640×480, with the depth or layers if there are several.
func SizeText(d *texture.Description) string {
	if n := max(d.Depth, d.Layers); n > 1 || d.Dimension == texture.D1 {
		return textfmt.Size(d.Width, d.Height, n)
	}
	return fmt.Sprintf("%d×%d", d.Width, d.Height)
}

// completeHandles makes the textures and samplers that nothing is bound to. Samplers interpolate. A
// storage texture that the kernel writes is empty, and as large as the bound image or as -extent.
func (in *Inputs) completeHandles(extent []uint32) error {
	images := in.imageSizes()
	for i := range in.Handles {
		h, b := &in.Kernel.Handles[i], &in.Handles[i]
		switch {
		case b.set:
			continue
		case h.Texture == nil:
			b.Sampler = defaultSampler(h)
			continue
		case h.Texture.Access == abi.Read:
			return usage.Errorf("`%s` (%s) needs an image: -bind %s=photo.png, say, or %s=%s for an empty one",
				h.Name, h.Type, h.Name, h.Name, exampleSize(h))
		}
		size, ok := in.unboundSize(h, images, extent)
		if !ok {
			return usage.Errorf("`%s` (%s) needs a size, which no bound image or -extent gives: -bind %s=%s, say",
				h.Name, h.Type, h.Name, exampleSize(h))
		}
		var err error
		if b.Image, err = emptyImage(h, size, h.Texture.Format, h.Name, in.limit); err != nil {
			return fmt.Errorf("`%s`: %w", h.Name, err)
		}
	}
	return nil
}

// imageSizes lists the different sizes of the bound images.
func (in *Inputs) imageSizes() []texture.Description {
	var sizes []texture.Description
	for i := range len(in.Buffers) + len(in.Handles) {
		d, ok := in.Image(i)
		if !ok {
			continue
		}
		known := false
		for _, s := range sizes {
			known = known || s.Dimension == d.Dimension && SizeText(&s) == SizeText(&d)
		}
		if !known {
			sizes = append(sizes, d)
		}
	}
	return sizes
}

// unboundSize returns the size of a texture that nothing is bound to; ok is false if it is not
// known.
func (in *Inputs) unboundSize(h *abi.Handle, images []texture.Description, extent []uint32) ([3]uint32, bool) {
	layered := h.Texture.Shape.Info().Arrayed
	// a single image does not tell the number of layers
	if len(images) == 1 && (!layered || images[0].Layers > 1) {
		if size, ok := sizeLike(h, &images[0]); ok {
			return size, true
		}
	}
	size, err := emptySize(h, extent)
	return size, err == nil
}

// exampleSize returns a size for messages.
func exampleSize(h *abi.Handle) string {
	switch shape := h.Texture.Shape.Info(); {
	case shape.Dimension == texture.D1:
		return "512"
	case shape.Dimension == texture.Cube && shape.Arrayed:
		return "64x64x12"
	case shape.Dimension == texture.Cube:
		return "64x64"
	case shape.Dimension == texture.D3 || shape.Arrayed:
		return "64x64x4"
	}
	return "640x480"
}
