package kerneldata

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/imagefile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Output is an -out flag: a variable whose final contents are written.
type Output struct {
	Index     int // of the variable, as in Inputs
	File      string
	Extension string    // of the file, which determines the format
	Pipe      io.Writer // standard output, or nil

	width, height int           // of a buffer's image
	to            *outfile.File // nil for a pipe
}

// resultKind returns the kind of the files with an extension that results are written to.
func resultKind(extension string) (kind outfile.Kind, known bool) {
	switch extension {
	case ".bin": // any bytes may be raw bytes
		return outfile.Kind{}, true
	case ".npy":
		return outfile.Kind{Magic: npy.Magic, Foreign: "is no NumPy array"}, true
	case ".png":
		return outfile.Kind{Magic: "\x89PNG\r\n\x1a\n", Foreign: "is no PNG image"}, true
	}
	return outfile.Kind{}, false
}

// ParseOutputs parses -out flags, NAME=FILE each, and plans their files.
func ParseOutputs(e *cli.Env, in *Inputs, outs []string, files *outfile.Plan) ([]Output, error) {
	var parsed []Output
	for _, text := range outs {
		name, file, found := strings.Cut(text, "=")
		if !found || file == "" {
			return nil, usage.Errorf("-out wants NAME=FILE, such as y=y.npy, not `%s`", text)
		}
		i, err := in.find(name)
		if err != nil {
			return nil, err
		}
		if !in.Written(i) {
			return nil, usage.Errorf("`%s` is only read by the kernel, so there is nothing to write%s", name, in.writtenNames())
		}
		o := Output{Index: i, File: file}
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
			o.File = file[:at+len(".png")]
			w, h, ok := strings.Cut(size, "x")
			o.width, err = strconv.Atoi(w)
			if err == nil {
				o.height, err = strconv.Atoi(h)
			}
			if !ok || err != nil || o.width < 1 || o.height < 1 || o.width > 1<<20 || o.height > 1<<20 {
				return nil, usage.Errorf("`%s` is no image size: want WxH, such as 640x480", size)
			}
		}
		o.Extension = strings.ToLower(filepath.Ext(o.File))
		kind, known := resultKind(o.Extension)
		if !known {
			return nil, usage.Errorf("-out %s: the name of %s has to end in .npy, .bin or .png, which selects the format, or be - for standard output", name, o.File)
		}
		if o.Extension == ".png" {
			if err := o.checkPicture(in, name); err != nil {
				return nil, err
			}
		}
		if o.to, err = files.Add(o.File, "-out "+name, kind); err != nil {
			return nil, err
		}
		parsed = append(parsed, o)
	}
	return parsed, nil
}

// writtenNames returns the end of a message that says which variables the kernel writes.
func (in *Inputs) writtenNames() string {
	var names []string
	for i := range len(in.Buffers) + len(in.Handles) {
		if in.Written(i) {
			names = append(names, in.Name(i))
		}
	}
	if names == nil {
		return ""
	}
	return "; it writes " + strings.Join(names, ", ")
}

// Name returns the name of variable i.
func (in *Inputs) Name(i int) string {
	if h := i - len(in.Buffers); h >= 0 {
		return in.Kernel.Handles[h].Name
	}
	return in.Kernel.Bindings[i].Name
}

// Written reports whether the kernel may write variable i.
func (in *Inputs) Written(i int) bool {
	if h := i - len(in.Buffers); h >= 0 {
		return in.Handles[h].Image != nil && in.Kernel.Handles[h].Texture.Access != abi.Read
	}
	return in.Kernel.Bindings[i].Access == abi.ReadWrite
}

// checkPicture checks that a variable can be written as an image, before the kernel runs.
func (o *Output) checkPicture(in *Inputs, name string) error {
	if h := o.Index - len(in.Buffers); h >= 0 {
		d := &in.Handles[h].Image.Description
		switch i := d.Format.Info(); {
		case o.width != 0:
			return usage.Errorf("`%s` has its own size, %s; write -out %s=%s", name, SizeText(d), name, o.File)
		case max(d.Depth, d.Layers) > 1:
			return usage.Errorf("`%s` has %d layers or slices, and a .png holds one; write a .npy", name, max(d.Depth, d.Layers))
		case i.Channel == scalar.I32 || i.Channel == scalar.U32 && i.Bits == 32:
			return usage.Errorf("a .png cannot hold the numbers of %s; write a .npy", d.Format)
		}
		return nil
	}
	b := &in.Kernel.Bindings[o.Index]
	if !holdsPixels(in.module, b, &in.layouts[o.Index]) {
		return usage.Errorf("a .png of a buffer takes packed RGBA, one u32 a pixel or four bytes R, G, B and A, but `%s` is %s: pack its numbers (pack4x8unorm) or write a .npy", name, b.Type)
	}
	if o.width == 0 {
		o.width, o.height = in.imageSize(o.Index)
	}
	if o.width == 0 {
		return usage.Errorf("no bound image gives %s its size; write -out %s=%s:WxH", o.File, name, o.File)
	}
	if have := len(in.Buffers[o.Index].Bytes) / 4; have != o.width*o.height {
		return usage.Errorf("`%s` has %d pixels, and an image of %dx%d takes %d: write -out %s=%s:WxH with a size of all of them",
			name, have, o.width, o.height, o.width*o.height, name, o.File)
	}
	return nil
}

// holdsPixels reports whether a buffer has packed RGBA. Its elements are u32, arrays of four u8, or
// structures of four u8 with names that begin with r, g, b and a.
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

// imageSize returns the size of the image in variable i, or else in the first variable that has
// one.
func (in *Inputs) imageSize(i int) (width, height int) {
	if d, ok := in.Image(i); ok {
		return int(d.Width), int(d.Height)
	}
	for other := range len(in.Buffers) + len(in.Handles) {
		if d, ok := in.Image(other); ok {
			return int(d.Width), int(d.Height)
		}
	}
	return 0, 0
}

// Write writes a variable's final contents, and returns their shape for people.
func (o *Output) Write(in *Inputs, contents []byte) (shape string, err error) {
	switch h := o.Index - len(in.Buffers); {
	case o.Extension == ".npy" && h >= 0:
		contents, shape = imagefile.EncodeNPY(&in.Handles[h].Image.Description, in.Kernel.Handles[h].Texture.Shape, contents)
	case o.Extension == ".npy":
		contents, shape = in.bufferNPY(o.Index, contents)
	}
	if picture := o.Picture(in, contents); picture != nil {
		var b bytes.Buffer
		if err := png.Encode(&b, picture); err != nil {
			return "", fmt.Errorf("cannot write %s: %w", o.File, err)
		}
		contents, shape = b.Bytes(), fmt.Sprintf("%dx%d", picture.Bounds().Dx(), picture.Bounds().Dy())
	}
	if shape == "" {
		shape = fmt.Sprintf("%d bytes", len(contents))
	}
	if o.Pipe != nil {
		if _, err := o.Pipe.Write(contents); err != nil {
			return shape, fmt.Errorf("cannot write %s: %w", o.File, err)
		}
		return shape, nil
	}
	return shape, o.to.Write(contents)
}

// Picture returns a variable's contents as an image if they are written to a .png; otherwise nil.
func (o *Output) Picture(in *Inputs, contents []byte) image.Image {
	if o.Extension != ".png" {
		return nil
	}
	if h := o.Index - len(in.Buffers); h >= 0 {
		return imagefile.Draw(&in.Handles[h].Image.Description, contents)
	}
	packed := image.NewNRGBA(image.Rect(0, 0, o.width, o.height))
	copy(packed.Pix, contents)
	return packed
}

// toPipe has the contents written to standard output, which takes one variable. The format is that
// of an extension, or a NumPy array if that is "".
func (o *Output) toPipe(e *cli.Env, name, extension string, others []Output) error {
	if e.WantsJSON() {
		return usage.Errorf("-json writes to standard output, and so does -out %s=%s; name a file, or leave one of them out", name, o.File)
	}
	for n := range others {
		if others[n].Pipe != nil {
			return usage.Errorf("standard output takes one array, and -out %s=%s is the second; name a file", name, o.File)
		}
	}
	o.File, o.Extension, o.Pipe = "standard output", cmp.Or(extension, ".npy"), e.Stdout
	return nil
}

// OnlyWrittenTexture returns the index in Handles of the texture that the kernel writes. It is -1
// if there are none or several.
func (in *Inputs) OnlyWrittenTexture() int {
	only := -1
	for i := range in.Handles {
		if !in.Written(len(in.Buffers) + i) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}
