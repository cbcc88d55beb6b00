package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // -bind reads photographs
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

// This file gives a kernel's bindings their contents and writes them to files.

// bound is the data of one binding.
type bound struct {
	bytes         []byte
	set           bool
	width, height int // of an image
}

// findBinding resolves a NAME of the command line.
func findBinding(k *abi.Kernel, name string) (int, error) {
	var names []string
	for i, b := range k.Bindings {
		if b.Name == name || fmt.Sprintf("%d:%d", b.Group, b.Binding) == name {
			return i, nil
		}
		names = append(names, b.Name)
	}
	if near := nearest(name, names); near != "" {
		return 0, usagef("kernel `%s` has no binding `%s`; did you mean `%s`?", k.Name, name, near)
	}
	return 0, usagef("kernel `%s` has no binding `%s`; it has %s", k.Name, name, strings.Join(names, ", "))
}

// bindData reads all -bind flags. Specifications that refer to other bindings
// may stand before those.
func bindData(k *abi.Kernel, binds []string) ([]bound, error) {
	data := make([]bound, len(k.Bindings))
	type later struct {
		index      int
		word, name string
	}
	var references []later
	memory := newRoom()
	for _, text := range binds {
		name, spec, found := strings.Cut(text, "=")
		if !found || spec == "" {
			return nil, usagef("-bind wants NAME=SPEC, not `%s`", text)
		}
		i, err := findBinding(k, name)
		if err != nil {
			return nil, err
		}
		if data[i].set {
			return nil, usagef("`%s` is bound twice", name)
		}
		data[i].set = true
		if word, inner, ok := callSpec(spec); ok && (word == "dims" || word == "like") {
			references = append(references, later{i, word, inner})
			continue
		}
		b := &k.Bindings[i]
		if data[i], err = readSpec(b, spec, memory); err != nil {
			return nil, fmt.Errorf("-bind %s: %w", name, err)
		}
	}
	for _, r := range references {
		other, err := findBinding(k, r.name)
		if err != nil {
			return nil, err
		}
		from := &data[other]
		switch {
		case r.word == "dims" && from.width == 0:
			return nil, usagef("dims(%s) wants a binding that holds an image", r.name)
		case r.word == "dims":
			data[r.index].bytes = binary.LittleEndian.AppendUint32(nil, uint32(from.width))
			data[r.index].bytes = binary.LittleEndian.AppendUint32(data[r.index].bytes, uint32(from.height))
		case from.bytes == nil:
			return nil, usagef("like(%s) wants a binding that has data of its own", r.name)
		default:
			if err := memory.take("like("+r.name+")", uint64(len(from.bytes)), 1); err != nil {
				return nil, err
			}
			data[r.index] = bound{make([]byte, len(from.bytes)), true, from.width, from.height}
		}
	}
	for i := range data {
		if err := complete(k, i, &data[i]); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// complete fills an unbound variable of fixed size with zeros and checks sizes.
func complete(k *abi.Kernel, i int, d *bound) error {
	b := &k.Bindings[i]
	if !d.set {
		if b.Stride != 0 {
			return usagef("`%s` (%s) needs data, because its size is not fixed: -bind %s=zeros(N), say", b.Name, b.Type, b.Name)
		}
		d.bytes = make([]byte, b.Size)
	}
	for len(d.bytes)%4 != 0 {
		d.bytes = append(d.bytes, 0) // devices copy whole words
	}
	switch need := b.MinimumBytes(); {
	case uint64(len(d.bytes)) < need:
		return usagef("`%s` (%s) needs at least %d bytes, its data has %d", b.Name, b.Type, need, len(d.bytes))
	case b.Stride == 0 && uint64(len(d.bytes)) > need:
		return usagef("`%s` (%s) takes %d bytes, its data has %d", b.Name, b.Type, need, len(d.bytes))
	}
	return nil
}

// callSpec splits `word(inner)`.
func callSpec(spec string) (word, inner string, ok bool) {
	word, inner, ok = strings.Cut(spec, "(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return "", "", false
	}
	return word, strings.TrimSuffix(inner, ")"), true
}

// room is how many bytes of data may still be made: half of the machine's memory
// in all, since the device may be this machine and needs as much again. It turns a
// slip in a count into a message.
type room struct{ left, all uint64 }

func newRoom() *room {
	const unknown = 64 << 30 // where the system does not tell
	all := uint64(unknown)
	if infos, err := new(cpu.Driver).Devices(); err == nil && infos[0].Memory > 0 {
		all = infos[0].Memory
	}
	return &room{all / 2, all}
}

// take reserves n elements of size bytes.
func (r *room) take(spec string, n, size uint64) error {
	if n > r.left/size {
		return usagef("`%s` and what else is bound need more than half of this machine's memory of %.1f GiB", spec, float64(r.all)/(1<<30))
	}
	r.left -= n * size
	return nil
}

func readSpec(b *abi.Binding, spec string, r *room) (bound, error) {
	d := bound{set: true}
	if word, inner, ok := callSpec(spec); ok {
		data, err := generate(b, word, inner, r)
		d.bytes = data
		return d, err
	}
	if info, err := os.Stat(spec); err == nil {
		if err := r.take(spec, uint64(info.Size()), 1); err != nil {
			return d, err
		}
	}
	var err error
	switch strings.ToLower(filepath.Ext(spec)) {
	case ".bin":
		d.bytes, err = os.ReadFile(spec)
	case ".npy":
		d.bytes, err = readNPY(spec, b)
	case ".png", ".jpg", ".jpeg":
		if b.Element != "u32" {
			return d, usagef("an image is packed RGBA, one u32 a pixel, but `%s` is %s", b.Name, b.Type)
		}
		return readImage(spec)
	default:
		k, err := kindOf(b)
		if err != nil {
			return d, err
		}
		for part := range strings.SplitSeq(spec, ",") {
			x, err := parseNumber(strings.TrimSpace(part))
			if err != nil {
				return d, usagef("%v; a SPEC is a file (.npy, .bin, .png, .jpg), zeros(N), range(N), rand(N,SEED), dims(NAME), like(NAME) or numbers", err)
			}
			d.bytes = appendScalar(d.bytes, k, x)
		}
	}
	return d, err
}

// kindOf returns the scalar that a binding consists of.
func kindOf(b *abi.Binding) (scalar.Kind, error) {
	for k := scalar.Bool; k < scalar.Count; k++ {
		if k.String() == b.Element {
			return k, nil
		}
	}
	return scalar.None, usagef("`%s` (%s) mixes scalars; bind a .bin file", b.Name, b.Type)
}

// appendScalar appends a number in the kind's memory form.
func appendScalar(data []byte, k scalar.Kind, x float64) []byte {
	bits := uint64(int64(x))
	if k.IsFloat() {
		bits = scalar.FromFloat64(k, x)
	}
	return appendBits(data, k, bits)
}

func appendBits(data []byte, k scalar.Kind, bits uint64) []byte {
	switch k.Bytes() {
	case 2:
		return binary.LittleEndian.AppendUint16(data, uint16(bits))
	case 4:
		return binary.LittleEndian.AppendUint32(data, uint32(bits))
	}
	return binary.LittleEndian.AppendUint64(data, bits)
}

func generate(b *abi.Binding, word, inner string, r *room) ([]byte, error) {
	count, rest, seeded := strings.Cut(inner, ",")
	n, err := strconv.ParseUint(strings.TrimSpace(count), 10, 63)
	if err != nil {
		return nil, usagef("%s(%s): `%s` is no count", word, inner, count)
	}
	size := uint64(4)
	k, kindErr := kindOf(b)
	if kindErr == nil {
		size = uint64(k.Bytes())
	}
	if err := r.take(word+"("+inner+")", n, size); err != nil {
		return nil, err
	}
	if word == "zeros" && !seeded {
		return make([]byte, n*size), nil
	}
	if kindErr != nil {
		return nil, kindErr
	}
	data := make([]byte, 0, n*size)
	switch {
	case word == "range" && !seeded:
		for i := range n {
			data = appendScalar(data, k, float64(i))
		}
	case word == "rand" && seeded:
		seed, err := strconv.ParseUint(strings.TrimSpace(rest), 0, 64)
		if err != nil {
			return nil, usagef("rand(%s): `%s` is no seed", inner, rest)
		}
		for range n {
			seed += 0x9E3779B97F4A7C15
			z := splitMix(seed)
			if k.IsFloat() {
				data = appendScalar(data, k, float64(z>>40)/(1<<24))
			} else {
				data = appendBits(data, k, z>>32)
			}
		}
	default:
		return nil, usagef("`%s(%s)` is none of zeros(N), range(N), rand(N,SEED), dims(NAME), like(NAME)", word, inner)
	}
	return data, nil
}

// splitMix is the output function of SplitMix64 (Steele, Lea, Flood 2014).
func splitMix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// readImage reads an image as packed RGBA, not premultiplied.
func readImage(name string) (bound, error) {
	f, err := os.Open(name)
	if err != nil {
		return bound{}, err
	}
	defer f.Close()
	picture, _, err := image.Decode(f)
	if err != nil {
		return bound{}, fmt.Errorf("%s: %w", name, err)
	}
	size := picture.Bounds()
	d := bound{set: true, width: size.Dx(), height: size.Dy()}
	d.bytes = make([]byte, 0, 4*d.width*d.height)
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			d.bytes = append(d.bytes, c.R, c.G, c.B, c.A)
		}
	}
	return d, nil
}

// output is one -out flag.
type output struct {
	index         int
	file          string
	width, height int
}

func parseOuts(k *abi.Kernel, data []bound, outs []string) ([]output, error) {
	var parsed []output
	for _, text := range outs {
		name, file, found := strings.Cut(text, "=")
		if !found || file == "" {
			return nil, usagef("-out wants NAME=FILE, not `%s`", text)
		}
		i, err := findBinding(k, name)
		if err != nil {
			return nil, err
		}
		if k.Bindings[i].Access != abi.ReadWrite {
			return nil, usagef("`%s` is only read by the kernel, so there is nothing to write", name)
		}
		o := output{index: i, file: file}
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
		switch ext := strings.ToLower(filepath.Ext(o.file)); ext {
		case ".bin", ".npy":
		case ".png":
			if o.width == 0 {
				o.width, o.height = imageSize(data, i)
			}
			if o.width == 0 {
				return nil, usagef("no bound image gives %s its size; write -out %s=%s:WxH", o.file, name, o.file)
			}
			if have := len(data[i].bytes) / 4; have < o.width*o.height {
				return nil, usagef("`%s` has %d pixels, an image of %dx%d needs %d", name, have, o.width, o.height, o.width*o.height)
			}
		default:
			return nil, usagef("-out writes .npy, .bin and .png, not `%s`", ext)
		}
		parsed = append(parsed, o)
	}
	return parsed, nil
}

// imageSize returns the size of an image: that of the binding itself, or of the
// first bound image.
func imageSize(data []bound, i int) (width, height int) {
	if data[i].width > 0 {
		return data[i].width, data[i].height
	}
	for _, d := range data {
		if d.width > 0 {
			return d.width, d.height
		}
	}
	return 0, 0
}

func (o *output) write(k *abi.Kernel, data []bound, results [][]byte) error {
	contents := results[o.index]
	switch strings.ToLower(filepath.Ext(o.file)) {
	case ".npy":
		contents = encodeNPY(&k.Bindings[o.index], contents)
	case ".png":
		picture := image.NewNRGBA(image.Rect(0, 0, o.width, o.height))
		copy(picture.Pix, contents)
		var b bytes.Buffer
		if err := png.Encode(&b, picture); err != nil {
			return err
		}
		contents = b.Bytes()
	}
	return writeWhole(o.file, contents)
}

// readBits returns element i of a buffer, in the kind's memory form.
func readBits(k scalar.Kind, data []byte, i int) uint64 {
	switch k.Bytes() {
	case 2:
		return uint64(binary.LittleEndian.Uint16(data[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return binary.LittleEndian.Uint64(data[8*i:])
}
