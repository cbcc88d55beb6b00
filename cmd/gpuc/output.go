package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file writes results to files, as -out says.

// output is one -out flag.
type output struct {
	index         int // among all variables, as in inputs
	file          string
	extension     string      // of file: what is written
	width, height int         // of a buffer's image
	to            *outputFile // file, once planned
	pipe          io.Writer   // or standard output
}

// resultKind returns the kind of file that results are written to, by its extension.
func resultKind(extension string) (kind fileKind, known bool) {
	switch extension {
	case ".bin": // any bytes may be raw bytes
		return fileKind{}, true
	case ".npy":
		return fileKind{beginsWith(npyMagic), "is no NumPy array"}, true
	case ".png":
		return fileKind{beginsWith("\x89PNG\r\n\x1a\n"), "is no PNG image"}, true
	}
	return fileKind{}, false
}

// parseOuts reads all -out flags and plans their files.
func parseOuts(e *environment, in *inputs, outs []string, files *outputs) ([]output, error) {
	var parsed []output
	for _, text := range outs {
		name, file, found := strings.Cut(text, "=")
		if !found || file == "" {
			return nil, usagef("-out wants NAME=FILE, such as y=y.npy, not `%s`", text)
		}
		i, err := in.find(name)
		if err != nil {
			return nil, err
		}
		if !in.written(i) {
			return nil, usagef("`%s` is only read by the kernel, so there is nothing to write%s", name, in.writtenNames())
		}
		o := output{index: i, file: file}
		if extension, piped, err := pipeSpec(file); piped {
			if err == nil {
				err = o.toPipe(e, name, extension, parsed)
			}
			if err != nil {
				return nil, err
			}
			parsed = append(parsed, o)
			continue
		}
		if at := strings.LastIndex(file, ".png:"); at >= 0 {
			size := file[at+len(".png:"):]
			o.file = file[:at+len(".png")]
			w, h, ok := strings.Cut(size, "x")
			o.width, err = strconv.Atoi(w)
			if err == nil {
				o.height, err = strconv.Atoi(h)
			}
			if !ok || err != nil || o.width < 1 || o.height < 1 || o.width > 1<<20 || o.height > 1<<20 {
				return nil, usagef("`%s` is no image size: want WxH, such as 640x480", size)
			}
		}
		o.extension = strings.ToLower(filepath.Ext(o.file))
		kind, known := resultKind(o.extension)
		if !known {
			return nil, usagef("-out %s: the name of %s has to end in .npy, .bin or .png, which says what is written, or be - for standard output", name, o.file)
		}
		if o.extension == ".png" {
			if err := o.checkPicture(in, name); err != nil {
				return nil, err
			}
		}
		if o.to, err = files.plan(o.file, "-out "+name, kind); err != nil {
			return nil, err
		}
		parsed = append(parsed, o)
	}
	return parsed, nil
}

// writtenNames is the end of a message that says what the kernel writes.
func (in *inputs) writtenNames() string {
	var names []string
	for i := range len(in.buffers) + len(in.handles) {
		if in.written(i) {
			names = append(names, in.name(i))
		}
	}
	if names == nil {
		return ""
	}
	return "; it writes " + strings.Join(names, ", ")
}

// name is that of a variable.
func (in *inputs) name(i int) string {
	if h := i - len(in.buffers); h >= 0 {
		return in.kernel.Handles[h].Name
	}
	return in.kernel.Bindings[i].Name
}

// written reports whether the kernel may write a variable.
func (in *inputs) written(i int) bool {
	if h := i - len(in.buffers); h >= 0 {
		return in.handles[h].image != nil && in.kernel.Handles[h].Texture.Access != abi.Read
	}
	return in.kernel.Bindings[i].Access == abi.ReadWrite
}

// checkPicture refuses a picture of what is none, before the kernel runs.
func (o *output) checkPicture(in *inputs, name string) error {
	if h := o.index - len(in.buffers); h >= 0 {
		d := &in.handles[h].image.Description
		switch i := d.Format.Info(); {
		case o.width != 0:
			return usagef("`%s` has its own size, %s; write -out %s=%s", name, sizeText(d), name, o.file)
		case max(d.Depth, d.Layers) > 1:
			return usagef("`%s` has %d layers or slices, and a .png holds one; write a .npy", name, max(d.Depth, d.Layers))
		case i.Channel == scalar.I32 || i.Channel == scalar.U32 && i.Bits == 32:
			return usagef("a .png cannot hold the numbers of %s; write a .npy", d.Format)
		}
		return nil
	}
	b := &in.kernel.Bindings[o.index]
	if !holdsPixels(in.module, b, &in.layouts[o.index]) {
		return usagef("a .png of a buffer takes packed RGBA, one u32 a pixel or four bytes R, G, B and A, but `%s` is %s: pack its numbers (pack4x8unorm) or write a .npy", name, b.Type)
	}
	if o.width == 0 {
		o.width, o.height = in.imageSize(o.index)
	}
	if o.width == 0 {
		return usagef("no bound image gives %s its size; write -out %s=%s:WxH", o.file, name, o.file)
	}
	if have := len(in.buffers[o.index].bytes) / 4; have != o.width*o.height {
		return usagef("`%s` has %d pixels, and an image of %dx%d takes %d: write -out %s=%s:WxH with a size of all of them",
			name, have, o.width, o.height, o.width*o.height, name, o.file)
	}
	return nil
}

// holdsPixels reports whether a buffer is one of packed RGBA: of u32, or of arrays of four u8, or
// of structures of four u8 whose names begin with r, g, b and a.
func holdsPixels(m *ir.Module, b *abi.Binding, l *layout) bool {
	if b.Element == "u32" {
		return !l.padded()
	}
	if b.Element != "u8" || !m.IsRuntimeArray(l.t) || l.stride != 4 {
		return false
	}
	element := m.Element(l.t)
	if m.KindOf(element) != ir.StructType {
		return true
	}
	members := m.Members(element)
	if len(members) != 4 {
		return false
	}
	for n, member := range members {
		if member.Name == "" || !strings.EqualFold(member.Name[:1], "rgba"[n:n+1]) {
			return false
		}
	}
	return true
}

// imageSize returns the size of an image: that of the variable itself, or of the
// first one that holds an image.
func (in *inputs) imageSize(i int) (width, height int) {
	if d, ok := in.picture(i); ok {
		return int(d.Width), int(d.Height)
	}
	for other := range len(in.buffers) + len(in.handles) {
		if d, ok := in.picture(other); ok {
			return int(d.Width), int(d.Height)
		}
	}
	return 0, 0
}

// write makes the file of a variable's final contents, and says how large these are.
func (o *output) write(in *inputs, contents []byte) (shape string, err error) {
	switch h := o.index - len(in.buffers); {
	case o.extension == ".npy" && h >= 0:
		contents, shape = textureNPY(&in.handles[h].image.Description, in.kernel.Handles[h].Texture.Shape, contents)
	case o.extension == ".npy":
		contents, shape = in.bufferNPY(o.index, contents)
	}
	if picture := o.picture(in, contents); picture != nil {
		var b bytes.Buffer
		if err := png.Encode(&b, picture); err != nil {
			return "", fmt.Errorf("cannot write %s: %w", o.file, err)
		}
		contents, shape = b.Bytes(), fmt.Sprintf("%dx%d", picture.Bounds().Dx(), picture.Bounds().Dy())
	}
	if shape == "" {
		shape = fmt.Sprintf("%d bytes", len(contents))
	}
	if o.pipe != nil {
		if _, err := o.pipe.Write(contents); err != nil {
			return shape, fmt.Errorf("cannot write %s: %w", o.file, err)
		}
		return shape, nil
	}
	return shape, o.to.write(contents)
}

// picture is what a .png shows of a variable's contents; nil for other files.
func (o *output) picture(in *inputs, contents []byte) image.Image {
	if o.extension != ".png" {
		return nil
	}
	if h := o.index - len(in.buffers); h >= 0 {
		return drawTexture(&in.handles[h].image.Description, contents)
	}
	packed := image.NewNRGBA(image.Rect(0, 0, o.width, o.height))
	copy(packed.Pix, contents)
	return packed
}

// toPipe makes standard output the place of a variable's contents, as a NumPy array unless raw
// bytes are asked for. It takes one array and nothing else.
func (o *output) toPipe(e *environment, name, extension string, others []output) error {
	if e.wantsJSON() {
		return usagef("-json writes to standard output, and so does -out %s=%s; name a file, or leave one of them out", name, o.file)
	}
	for n := range others {
		if others[n].pipe != nil {
			return usagef("standard output takes one array, and -out %s=%s is the second; name a file", name, o.file)
		}
	}
	o.file, o.extension, o.pipe = "standard output", cmp.Or(extension, ".npy"), e.stdout
	return nil
}

// drawTexture makes a picture of the only layer. Fractions are clamped to what a
// picture holds; whole numbers stay what they are. Formats of more than 8 bits
// give a picture of 16 bits, formats of one channel a grey one, and those without
// alpha one that is opaque.
func drawTexture(d *texture.Description, texels []byte) image.Image {
	i := d.Format.Info()
	deep := i.Bits != 8
	bounds := image.Rect(0, 0, int(d.Width), int(d.Height))
	most := 255.0
	if deep {
		most = math.MaxUint16
	}
	channel := func(bits uint64) uint16 {
		if i.Channel == scalar.U32 {
			return uint16(min(float64(bits), most))
		}
		x := scalar.ToFloat64(scalar.F32, bits)
		if !(x > 0) { // a NaN, too
			return 0
		}
		return uint16(math.RoundToEven(min(x, 1) * most))
	}
	size := d.Format.Bytes()
	at := func(x, y int) (c [4]uint16) {
		t := d.Format.Decode(texels[(y*int(d.Width)+x)*size:])
		if i.Encoding == texture.SRGB {
			t = plainFormat(d.Format).Decode(texels[(y*int(d.Width)+x)*size:])
		}
		for n := range c {
			c[n] = channel(t[n])
		}
		if i.Channels < 4 {
			c[3] = uint16(most)
		}
		return c
	}
	draw := func(set func(x, y int, c [4]uint16)) {
		for y := range bounds.Max.Y {
			for x := range bounds.Max.X {
				set(x, y, at(x, y))
			}
		}
	}
	switch {
	case i.Channels == 1 && deep:
		m := image.NewGray16(bounds)
		draw(func(x, y int, c [4]uint16) { m.SetGray16(x, y, color.Gray16{Y: c[0]}) })
		return m
	case i.Channels == 1:
		m := image.NewGray(bounds)
		draw(func(x, y int, c [4]uint16) { m.SetGray(x, y, color.Gray{Y: uint8(c[0])}) })
		return m
	case deep:
		m := image.NewNRGBA64(bounds)
		draw(func(x, y int, c [4]uint16) {
			m.SetNRGBA64(x, y, color.NRGBA64{R: c[0], G: c[1], B: c[2], A: c[3]})
		})
		return m
	}
	m := image.NewNRGBA(bounds)
	draw(func(x, y int, c [4]uint16) {
		m.SetNRGBA(x, y, color.NRGBA{R: uint8(c[0]), G: uint8(c[1]), B: uint8(c[2]), A: uint8(c[3])})
	})
	return m
}

// textureNPY makes an array of the stored numbers, red first; formats whose
// channels share a word give what a kernel reads. The axes are layers or slices
// where the type has them, rows, columns, channels.
func textureNPY(d *texture.Description, shape texture.Shape, texels []byte) (file []byte, form string) {
	axes := []uint64{uint64(d.Width), uint64(d.Format.Info().Channels)}
	if d.Dimension != texture.D1 {
		axes = append([]uint64{uint64(d.Height)}, axes...)
	}
	if s := shape.Info(); s.Arrayed || d.Dimension == texture.D3 || s.Dimension == texture.Cube {
		axes = append([]uint64{uint64(max(d.Depth, d.Layers))}, axes...)
	}
	i := d.Format.Info()
	if i.Bits != 0 {
		descr := npyDescr(i.Encoding, i.Bits)
		if i.Reversed {
			texels = bytes.Clone(texels)
			for at := 0; at < len(texels); at += 4 {
				texels[at], texels[at+2] = texels[at+2], texels[at]
			}
		}
		return encodeNPY(inQuotes(descr), axes, texels), shapeText(axes)
	}
	descr := "<f4"
	if i.Channel == scalar.U32 {
		descr = "<u4"
	}
	var out []byte
	for ; len(texels) > 0; texels = texels[d.Format.Bytes():] {
		t := d.Format.Decode(texels)
		for _, bits := range t[:i.Channels] {
			out = binary.LittleEndian.AppendUint32(out, uint32(bits))
		}
	}
	return encodeNPY(inQuotes(descr), axes, out), shapeText(axes)
}

// npyDescr is NumPy's name for the numbers of a channel.
func npyDescr(encoding texture.Encoding, bits int) string {
	for _, t := range arrayTypes {
		if t.bits != bits {
			continue
		}
		for _, e := range t.encodings {
			if e == encoding || e == texture.Unorm && encoding == texture.SRGB {
				return t.descr
			}
		}
	}
	panic("no such channel")
}

// onlyWritten returns the handle of the only texture that is written, or -1.
func (in *inputs) onlyWritten() int {
	only := -1
	for i := range in.handles {
		if !in.written(len(in.buffers) + i) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}
