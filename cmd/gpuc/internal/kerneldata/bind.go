package kerneldata

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/imagefile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/memlimit"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/scalartext"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Buffer is the data of one binding.
type Buffer struct {
	Bytes         []byte
	set           bool       // -bind gives it data
	spec          string     // the SPEC of -bind
	array         *npy.Array // the source of the bytes, or nil
	shape         []uint64   // of that array, or of the one that like(NAME) names, or nil
	missing       []string   // members of structures that JSON has no value for
	packed        bool       // the data is a list of values without padding
	width, height int        // of an image, or 0
}

// Inputs are the contents of a kernel's variables. A variable has one index among all: first come
// the buffers of Kernel.Bindings, then the textures and samplers of Kernel.Handles.
type Inputs struct {
	Kernel     *abi.Kernel
	Buffers    []Buffer // as Kernel.Bindings
	Handles    []Handle // as Kernel.Handles
	Immediates []byte
	Files      []outfile.Input // that were read
	Notes      []string        // about what is allowed but probably not meant

	module  *ir.Module
	layouts []layout // of the buffers
	stdin   *Stdin
	limit   *memlimit.Limit // of all data
}

// note adds a note.
func (in *Inputs) note(format string, args ...any) {
	in.Notes = append(in.Notes, fmt.Sprintf(format, args...))
}

// find returns the index of the variable with a name, or with the "group:binding" that name is.
func (in *Inputs) find(name string) (int, error) {
	k := in.Kernel
	var names []string
	for i := range len(k.Bindings) + len(k.Handles) {
		var own string
		var group, binding uint32
		if h := i - len(k.Bindings); h >= 0 {
			own, group, binding = k.Handles[h].Name, k.Handles[h].Group, k.Handles[h].Binding
		} else {
			own, group, binding = k.Bindings[i].Name, k.Bindings[i].Group, k.Bindings[i].Binding
		}
		if own == name || fmt.Sprintf("%d:%d", group, binding) == name {
			return i, nil
		}
		names = append(names, own)
	}
	if k.Immediates != nil {
		names = append(names, k.Immediates.Name)
	}
	for i := range in.module.Globals {
		if g := &in.module.Globals[i]; g.Name == name && (g.Bound || in.module.SpaceOf(g.Type) == ir.Immediate) && !slices.Contains(names, name) {
			return 0, usage.Errorf("entry point `%s` does not use `%s`, so there is nothing to bind or to write; leave it out", k.Name, name)
		}
	}
	if near := usage.Nearest(name, names); near != "" {
		return 0, usage.Errorf("kernel `%s` has no binding `%s`; did you mean `%s`?", k.Name, name, near)
	}
	return 0, usage.Errorf("kernel `%s` has no binding `%s`; it has %s", k.Name, name, strings.Join(names, ", "))
}

// reference is a SPEC that refers to another variable: like(name) or dims(name).
type reference struct {
	index      int
	word, name string
}

// binder reads -bind flags.
type binder struct {
	*Inputs
	set        []bool      // by variable
	members    [][]member  // by buffer; the last are those of the immediates
	references []reference // are resolved when all others are bound
}

// Bind reads the data that -bind flags, NAME=SPEC each, give to the variables of a kernel of the
// module. Extent has the numbers of -extent, or is nil. A SPEC may refer to a variable that is
// bound later. The errors about flags are *usage.Error.
func Bind(m *ir.Module, k *abi.Kernel, binds []string, extent []uint32, stdin *Stdin) (*Inputs, error) {
	in := &Inputs{stdin: stdin, Kernel: k, module: m, Buffers: make([]Buffer, len(k.Bindings)), Handles: make([]Handle, len(k.Handles)),
		limit: memlimit.NewLimit()}
	for i := range k.Bindings {
		in.layouts = append(in.layouts, layoutNamed(m, k.Name, k.Bindings[i].Name))
	}
	b := binder{Inputs: in, set: make([]bool, len(k.Bindings)+len(k.Handles)), members: make([][]member, len(k.Bindings)+1)}
	for _, text := range binds {
		if err := b.bind(text); err != nil {
			return nil, err
		}
	}
	for _, r := range b.references {
		if err := in.resolve(&r); err != nil {
			return nil, err
		}
	}
	if err := in.completeHandles(extent); err != nil {
		return nil, err
	}
	for i := range in.Buffers {
		if err := in.bindMembers(&in.Buffers[i], &k.Bindings[i], &in.layouts[i], b.members[i]); err != nil {
			return nil, err
		}
		if err := in.complete(&k.Bindings[i], &in.layouts[i], &in.Buffers[i]); err != nil {
			return nil, err
		}
	}
	if parts := b.members[len(k.Bindings)]; len(parts) > 0 {
		if err := in.bindImmediateMembers(parts); err != nil {
			return nil, err
		}
	}
	if k.Immediates != nil && in.Immediates == nil {
		in.Immediates = make([]byte, k.ValueBytes())
		in.noteZero(k.Immediates.Name, k.Immediates.Type)
	}
	return in, nil
}

// bind reads one -bind flag.
func (b *binder) bind(text string) error {
	name, spec, found := strings.Cut(text, "=")
	if !found || spec == "" {
		return usage.Errorf("-bind wants NAME=SPEC, such as x=zeros(64) or x=x.npy, not `%s`", text)
	}
	if variable, path := cutMember(name); path != "" {
		i, err := b.findBuffer(variable, name)
		if err == nil {
			b.members[i] = append(b.members[i], member{path, spec})
		}
		return err
	}
	k := b.Kernel
	if k.Immediates != nil && k.Immediates.Name == name {
		b.reads(name, spec)
		return bindError(name, b.bindImmediates(spec))
	}
	i, err := b.find(name)
	if err != nil {
		return err
	}
	if b.set[i] {
		return usage.Errorf("`%s` is bound twice; leave out one -bind", name)
	}
	b.set[i] = true
	h := i - len(k.Bindings)
	switch word, inner, ok := callSpec(spec); {
	case ok && (word == "like" || word == "dims" && h < 0) && !b.isSampler(i):
		b.references = append(b.references, reference{i, word, inner})
	case b.isSampler(i):
		b.Handles[h].set = true
		b.Handles[h].Sampler, err = parseSampler(&k.Handles[h], spec)
	case h >= 0 && strings.HasPrefix(spec, "-"):
		err = usage.Errorf("a texture is not read from standard input; bind a file, or a size")
	case h >= 0:
		files, _ := CutOptions(spec)
		b.reads(name, strings.Split(files, ",")...)
		b.Handles[h], err = readTexture(&k.Handles[h], spec, b.limit)
	default:
		b.reads(name, spec)
		b.Buffers[i], err = b.readSpec(&k.Bindings[i], &b.layouts[i], spec)
	}
	return bindError(name, err)
}

// bindError adds the flag to an error; nil stays nil.
func bindError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("-bind %s: %w", name, err)
}

// reads notes the files that the data of a variable comes from.
func (in *Inputs) reads(name string, paths ...string) {
	for _, path := range paths {
		if _, piped, _ := pipeSpec(path); piped {
			continue
		}
		in.Files = append(in.Files, outfile.Input{Path: path, Use: "bound to `" + name + "`"})
	}
}

// noteZero notes that the kernel reads a variable that nothing is bound to.
func (in *Inputs) noteZero(name, typ string) {
	in.note("nothing is bound to `%s` (%s), so it is zero; -bind %s=… gives it a value", name, typ, name)
}

// bindImmediates reads the value of the kernel's immediates.
func (in *Inputs) bindImmediates(spec string) error {
	if in.Immediates != nil {
		return usage.Errorf("it is bound twice; leave out one of them")
	}
	b, l := in.immediateBinding()
	d, err := in.readSpec(&b, &l, spec)
	if err == nil {
		in.noteMissing(&d, b.Name, nil)
		err = in.complete(&b, &l, &d)
	}
	in.Immediates = d.Bytes
	return err
}

// immediateBinding describes the kernel's immediates as a uniform buffer.
func (in *Inputs) immediateBinding() (abi.Binding, layout) {
	from := in.Kernel.Immediates
	return abi.Binding{Name: from.Name, Size: from.Size, Element: from.Element, Type: from.Type},
		layoutNamed(in.module, in.Kernel.Name, from.Name)
}

// bindImmediateMembers reads the values of members of the kernel's immediates.
func (in *Inputs) bindImmediateMembers(parts []member) error {
	b, l := in.immediateBinding()
	d := Buffer{set: in.Immediates != nil, Bytes: in.Immediates}
	if err := in.bindMembers(&d, &b, &l, parts); err != nil {
		return err
	}
	in.Immediates = d.Bytes
	return in.complete(&b, &l, &d)
}

// findBuffer returns the index of a buffer, or len(in.Buffers) for the immediates. Full is the NAME
// on the command line: the variable with the path of a member.
func (in *Inputs) findBuffer(variable, full string) (int, error) {
	if k := in.Kernel; k.Immediates != nil && k.Immediates.Name == variable {
		return len(k.Bindings), nil
	}
	i, err := in.find(variable)
	if err == nil && i >= len(in.Buffers) {
		err = usage.Errorf("`%s` is a texture or sampler, and has no part that -bind %s could be", variable, full)
	}
	return i, err
}

// isSampler reports whether variable i is a sampler.
func (in *Inputs) isSampler(i int) bool {
	h := i - len(in.Buffers)
	return h >= 0 && in.Kernel.Handles[h].Texture == nil
}

// Image describes the image in variable i: a texture, or a buffer of packed RGBA that an image is
// bound to.
func (in *Inputs) Image(i int) (texture.Description, bool) {
	if h := i - len(in.Buffers); h >= 0 {
		if in.Handles[h].Image == nil {
			return texture.Description{}, false
		}
		return in.Handles[h].Image.Description, true
	}
	b := &in.Buffers[i]
	return texture.Description{Dimension: texture.D2, Format: texture.RGBA8Unorm, Width: uint32(b.width), Height: uint32(b.height),
		Depth: 1, Layers: 1, Levels: 1, Samples: 1}, b.width > 0
}

// resolve gives a variable the contents that another one determines: its size, or zeros.
func (in *Inputs) resolve(r *reference) error {
	other, err := in.find(r.name)
	if err != nil {
		return err
	}
	from, pictured := in.Image(other)
	if h := r.index - len(in.Buffers); h >= 0 {
		if !pictured {
			return usage.Errorf("like(%s) wants a texture or buffer that an image is bound to", r.name)
		}
		in.Handles[h].set = true
		in.Handles[h].Image, err = likeTexture(&in.Kernel.Handles[h], &from, r.name, in.limit)
		return err
	}
	to := &in.Buffers[r.index]
	to.set, to.spec = true, r.word+"("+r.name+")"
	if r.word == "dims" {
		if !pictured {
			return usage.Errorf("dims(%s) wants a texture or buffer that an image is bound to", r.name)
		}
		if b := &in.Kernel.Bindings[r.index]; b.Element != "u32" && b.Element != "i32" {
			return usage.Errorf("dims(%s) gives two u32, but `%s` is %s: declare it as vec2<u32>, or write the numbers", r.name, b.Name, b.Type)
		}
		to.Bytes = binary.LittleEndian.AppendUint32(nil, from.Width)
		to.Bytes = binary.LittleEndian.AppendUint32(to.Bytes, from.Height)
		return nil
	}
	size := from.LevelBytes(0)
	if other < len(in.Buffers) {
		if in.Buffers[other].Bytes == nil {
			return usage.Errorf("like(%s) wants a binding that has data of its own", r.name)
		}
		size = uint64(len(in.Buffers[other].Bytes))
		to.shape = in.Buffers[other].shape
	} else if !pictured {
		return usage.Errorf("like(%s) wants a binding that has data of its own", r.name)
	}
	if err := in.limit.Take("like("+r.name+")", size, 1); err != nil {
		return err
	}
	to.Bytes, to.width, to.height = make([]byte, size), int(from.Width), int(from.Height)
	return nil
}

// complete fills a buffer of fixed size with zeros if nothing is bound to it, and checks that data
// has the size and layout of the buffer.
func (in *Inputs) complete(b *abi.Binding, l *layout, d *Buffer) error {
	if !d.set {
		if b.Stride != 0 {
			return usage.Errorf("`%s` (%s) needs data, because its size is not fixed: -bind %s=zeros(N), say", b.Name, b.Type, b.Name)
		}
		d.Bytes = make([]byte, b.Size)
		if b.Access != abi.ReadWrite {
			in.noteZero(b.Name, b.Type)
		}
	}
	note, err := l.fits(b, d)
	if err != nil {
		return err
	}
	if note != "" {
		in.note("%s", note)
	}
	return nil
}

// callSpec splits a SPEC of the form word(inner).
func callSpec(spec string) (word, inner string, ok bool) {
	word, inner, ok = strings.Cut(spec, "(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return "", "", false
	}
	return word, strings.TrimSuffix(inner, ")"), true
}

// readSpec reads the data of a buffer.
func (in *Inputs) readSpec(b *abi.Binding, l *layout, spec string) (Buffer, error) {
	d := Buffer{set: true, spec: spec}
	if extension, ok, err := pipeSpec(spec); ok {
		if err != nil {
			return d, err
		}
		return in.bindPipe(b, l, spec, extension)
	}
	if isJSON(spec) {
		return d, in.bindJSON(&d, b, l, "", spec)
	}
	if word, inner, ok := callSpec(spec); ok {
		data, err := generate(b, word, inner, in.limit)
		d.Bytes, d.packed = data, word == "range"
		return d, err
	}
	if info, err := os.Stat(spec); err == nil {
		if err := in.limit.Take(spec, uint64(info.Size()), 1); err != nil {
			return d, err
		}
	}
	var err error
	switch strings.ToLower(filepath.Ext(spec)) {
	case ".bin":
		d.Bytes, err = usage.ReadFile(spec)
	case ".npy":
		a, err := npy.Open(spec)
		if err != nil {
			return d, err
		}
		return d, in.bindArray(&d, a, b, l, spec)
	case ".json":
		return d, in.bindJSONFile(&d, b, l, "", spec)
	case ".png", ".jpg", ".jpeg":
		if !holdsPixels(in.module, b, l) {
			return d, usage.Errorf("an image is packed RGBA, one u32 a pixel or four bytes R, G, B and A, but `%s` is %s", b.Name, b.Type)
		}
		return readImage(spec, in.limit)
	default:
		k, err := ScalarOf(b)
		if err != nil {
			return d, err
		}
		for part := range strings.SplitSeq(spec, ",") {
			part = strings.TrimSpace(part)
			bits, err := scalartext.Parse(part, k)
			if _, other := scalartext.ParseNumber(part); err != nil && other != nil {
				err = fmt.Errorf("%w; a SPEC is a file (.npy, .bin, .png, .jpg), -, zeros(N), range(N), rand(N,SEED), dims(NAME), like(NAME) or numbers", other)
			}
			if err != nil {
				return d, usage.Errorf("%v", err)
			}
			d.Bytes = scalartext.Append(d.Bytes, k, bits)
		}
		d.packed = true
	}
	return d, err
}

// ScalarOf returns the scalar type that a binding consists of. It is an error if there are several.
func ScalarOf(b *abi.Binding) (scalar.Kind, error) {
	if k := scalar.Named(b.Element); k != scalar.None {
		return k, nil
	}
	return scalar.None, usage.Errorf("`%s` (%s) does not consist of one scalar type; bind a .bin or .npy file, or zeros(N)", b.Name, b.Type)
}

// generate makes the data of zeros(N), range(N) and rand(N,SEED).
func generate(b *abi.Binding, word, inner string, r *memlimit.Limit) ([]byte, error) {
	count, rest, seeded := strings.Cut(inner, ",")
	n, err := strconv.ParseUint(strings.TrimSpace(count), 10, 63)
	if err != nil {
		return nil, usage.Errorf("%s(%s): `%s` is no count; want a number of scalars, such as %s(64)", word, inner, count, word)
	}
	size := uint64(4)
	k, kindErr := ScalarOf(b)
	if kindErr == nil {
		size = uint64(k.Bytes())
	}
	if err := r.Take(word+"("+inner+")", n, size); err != nil {
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
			data = scalartext.AppendFloat(data, k, float64(i))
		}
	case word == "rand" && seeded:
		seed, err := strconv.ParseUint(strings.TrimSpace(rest), 0, 64)
		if err != nil {
			return nil, usage.Errorf("rand(%s): `%s` is no seed; want a whole number, such as rand(%d,1)", inner, rest, n)
		}
		for range n {
			seed += 0x9E3779B97F4A7C15
			z := splitMix(seed)
			if k.IsFloat() {
				data = scalartext.AppendFloat(data, k, float64(z>>40)/(1<<24))
			} else {
				data = scalartext.Append(data, k, z>>32)
			}
		}
	case word == "rand":
		return nil, usage.Errorf("rand takes a count and a seed: rand(%d,1)", n)
	default:
		return nil, usage.Errorf("`%s(%s)` is none of zeros(N), range(N), rand(N,SEED), dims(NAME), like(NAME)", word, inner)
	}
	return data, nil
}

// splitMix is the output function of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
// Number Generators, 2014).
func splitMix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// readImage reads an image as packed RGBA with straight alpha.
func readImage(name string, r *memlimit.Limit) (Buffer, error) {
	picture, _, err := imagefile.Open(name, 1<<20, r)
	if err != nil {
		return Buffer{}, err
	}
	size := picture.Bounds()
	d := Buffer{set: true, spec: name, width: size.Dx(), height: size.Dy()}
	d.Bytes = make([]byte, 0, 4*d.width*d.height)
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			d.Bytes = append(d.Bytes, c.R, c.G, c.B, c.A)
		}
	}
	return d, nil
}

// Size3 adds the numbers that may be left out.
func Size3(numbers []uint32) [3]uint32 {
	size := [3]uint32{1, 1, 1}
	copy(size[:], numbers)
	return size
}
