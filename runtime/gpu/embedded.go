// Kernels that a program brings along, as `gpuc gen` writes them: loaded on a device when they are
// first needed there, and launched with arguments that each stream keeps.

package gpu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Embedded is a kernel in the files of a program, with code for several targets. The launchers
// that `gpuc gen` makes use it, and programs may, too:
//
//	//go:embed gpuc/manifest.json gpuc/Scale.spv gpuc/Scale.ptx
//	var files embed.FS
//
//	var scale = gpu.Embedded{Files: &files, Name: "Scale"}
//
//	err := scale.Launch(stream, gpu.D1(4), []uint32{math.Float32bits(2)}, x)
//
// It must not be copied once it is in use. All methods may be called by several goroutines at once.
type Embedded struct {
	// Files has the folder gpuc with manifest.json and what this lists.
	Files fs.FS
	// Name is the kernel's.
	Name string
}

// embeddedKernel is the kernel of an Embedded on a device.
type embeddedKernel struct {
	mutex  sync.Mutex // held while it is being loaded
	kernel *Kernel
}

// Load returns the kernel on a device. It is loaded the first time and again after it was closed;
// it is closed with its device. The errors are those of Device.Load; it is ErrUnsupported if there
// is no code for the device's target.
func (e *Embedded) Load(d *Device) (*Kernel, error) {
	if e == nil || e.Files == nil {
		return nil, fmt.Errorf("load an embedded kernel: %w: it has no files; set Files and Name", ErrShape)
	}
	if !d.made() {
		return nil, unmade("load kernel "+e.Name+": device", deviceMaker)
	}
	d.mutex.Lock()
	loaded := d.embedded[e]
	if loaded == nil {
		if d.embedded == nil {
			d.embedded = map[*Embedded]*embeddedKernel{}
		}
		loaded = new(embeddedKernel)
		d.embedded[e] = loaded
	}
	d.mutex.Unlock()
	loaded.mutex.Lock()
	defer loaded.mutex.Unlock()
	if loaded.kernel != nil && !loaded.kernel.lifetime.closed.Load() {
		return loaded.kernel, nil
	}
	artefact, err := e.artefact(d.info.Target)
	if err != nil {
		return nil, fmt.Errorf("load kernel %s: %w", e.Name, err)
	}
	loaded.kernel, err = d.Load(artefact)
	return loaded.kernel, err
}

// EmbeddedPackages returns the import paths of the packages whose kernels have been launched or
// loaded on the device as Embedded ones, as far as their manifests say it.
func (d *Device) EmbeddedPackages() (list []string) {
	if !d.made() {
		return nil
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for e := range d.embedded {
		if m, err := e.manifest(); err == nil && m.Package != "" && !slices.Contains(list, m.Package) {
			list = append(list, m.Package)
		}
	}
	slices.Sort(list)
	return list
}

func (e *Embedded) manifest() (*abi.Manifest, error) {
	data, err := fs.ReadFile(e.Files, path.Join(abi.Folder, abi.ManifestFile))
	if err != nil {
		return nil, err
	}
	return abi.UnmarshalManifest(data)
}

// artefact reads the kernel's code and description for a target.
func (e *Embedded) artefact(target abi.Target) (*abi.Artefact, error) {
	m, err := e.manifest()
	if err != nil {
		return nil, err
	}
	k := m.Find(e.Name)
	if k == nil {
		return nil, fmt.Errorf("%w: the manifest has no such kernel; gpuc gen makes it anew", ErrShape)
	}
	file, description := k.For(target)
	if file == nil {
		return nil, fmt.Errorf("%w: there is no code for target %s; gpuc gen -target %s makes it",
			ErrUnsupported, target, strings.Join(append(m.Targets, string(target)), ","))
	}
	a, err := e.read(file, description)
	if v := file.Coarse; v != nil && err == nil {
		if v.Kernel == nil {
			return nil, fmt.Errorf("%w: the manifest says not all of the coarse form; gpuc gen makes it anew", ErrShape)
		}
		a.Coarse = &abi.Coarse{Factor: v.Factor, Least: v.Least, Within: v.Within}
		a.Coarse.Artefact, err = e.read(&v.ManifestArtefact, v.Kernel)
	}
	return a, err
}

// read reads the code of a form of the kernel.
func (e *Embedded) read(file *abi.ManifestArtefact, description *abi.Kernel) (*abi.Artefact, error) {
	code, err := fs.ReadFile(e.Files, path.Join(abi.Folder, file.File))
	if err != nil {
		return nil, err
	}
	a := &abi.Artefact{Target: file.Target, Code: code, Kernel: *description}
	if v := file.ByValue; v != nil {
		a.ByValue = &abi.ByValue{Parameters: v.Parameters}
		a.ByValue.Code, err = fs.ReadFile(e.Files, path.Join(abi.Folder, v.File))
	}
	return a, err
}

// prepared is what a stream keeps for the launches of an embedded kernel.
type prepared struct {
	args *Args
	// buffers is how many a launch takes.
	buffers int
	// uniform is the memory of the uniform buffer, which is the last binding, or nil. The last
	// launch had these values in it, if it came so far that they were written.
	uniform *allocation
	values  []byte
	written bool
}

// Launch enqueues the kernel over a grid of workgroups or items, as Stream.Launch does. Values are
// what its parameters hold that are not slices, in their order: one word for each number, and two
// for each of 64 bits, which begin at a multiple of two and so may leave a word free in front of
// them. They are the kernel's immediates, or its last binding if that is a uniform buffer, which
// the stream keeps. Buffers are for the other bindings, in their order.
//
// Nothing is allocated by the second and later launches on a stream. The stream keeps the buffers
// of the last launch from being collected, not from being closed.
func (e *Embedded) Launch(s *Stream, grid Grid, values []uint32, buffers ...Bound) error {
	p, err := s.prepared(e)
	if err != nil {
		return err
	}
	defer s.leave()
	if err := p.set(s, values, buffers); err != nil {
		return err
	}
	p.args.mutex.Lock()
	defer p.args.mutex.Unlock()
	return s.launchArgs(p.args, grid)
}

// prepared enters the stream and returns what it keeps for a kernel; leave is to follow.
func (s *Stream) prepared(e *Embedded) (*prepared, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	closed := func(k *Kernel) bool { return k.lifetime.closed.Load() }
	for k := (*Kernel)(nil); ; {
		if p := s.embedded[e]; p != nil && !closed(p.args.kernel) {
			return p, nil
		}
		if k != nil && !closed(k) {
			p, err := s.prepare(k)
			if err != nil {
				s.leave()
				return nil, err
			}
			if s.embedded == nil {
				s.embedded = map[*Embedded]*prepared{}
			} else if old := s.embedded[e]; old != nil {
				old.close()
			}
			s.embedded[e] = p
			return p, nil
		}
		s.leave() // loading enters the device
		var err error
		if k, err = e.Load(s.device); err != nil {
			return nil, err
		}
		if err := s.enter(); err != nil {
			return nil, err
		}
	}
}

// prepare makes what a stream keeps for a kernel. The stream is entered.
func (s *Stream) prepare(k *Kernel) (*prepared, error) {
	p := &prepared{args: k.Args(), buffers: len(k.arguments)}
	last := len(k.arguments) - 1
	if last < 0 || k.arguments[last].Access != abi.Uniform {
		return p, nil
	}
	bytes := uint64(k.arguments[last].Size)
	a, err := s.device.allocation(bytes)
	if err != nil {
		return nil, fmt.Errorf("launch kernel %s: %w", k.description.Name, err)
	}
	if err := p.args.Set(last, &Buffer[byte]{allocation: a, length: int(bytes)}); err != nil {
		return nil, errors.Join(err, a.close())
	}
	p.buffers, p.uniform, p.values = last, a, make([]byte, bytes)
	return p, nil
}

// close gives back what is kept.
func (p *prepared) close() {
	if p.uniform != nil {
		_ = p.uniform.close()
	}
}

// set sets the arguments of a launch. The stream is entered.
func (p *prepared) set(s *Stream, values []uint32, buffers []Bound) error {
	a := p.args
	name := a.kernel.description.Name
	if len(buffers) != p.buffers {
		return fmt.Errorf("launch kernel %s: %w: %d buffers for %d bindings", name, ErrShape, len(buffers), p.buffers)
	}
	for i, b := range buffers {
		if a.buffers[i] == b && b != nil {
			continue
		}
		if err := a.Set(i, b); errors.Is(err, errLayout) {
			return fmt.Errorf("%w; if the type has changed since gpuc gen made the kernel's code, run go generate", err)
		} else if err != nil {
			return err
		}
		if n := a.parts[i].Bytes / b.elementBytes(); n > math.MaxInt32 {
			return fmt.Errorf("launch kernel %s: %w: a buffer of %d elements for %s, but int has 32 bits on devices",
				name, ErrLimit, n, a.kernel.arguments[i].Name)
		}
	}
	to := a.immediates[:a.kernel.description.ValueBytes()]
	if p.uniform != nil {
		to = p.values
	}
	if 4*len(values) != len(to) {
		return fmt.Errorf("launch kernel %s: %w: %d words of values, but it takes %d", name, ErrShape, len(values), len(to)/4)
	}
	changed := false
	for n, v := range values {
		word := to[4*n : 4*n+4 : 4*n+4]
		if binary.LittleEndian.Uint32(word) != v {
			binary.LittleEndian.PutUint32(word, v)
			changed = true
		}
	}
	if p.uniform == nil || p.written && !changed {
		return nil
	}
	p.written = false
	if err := s.stream.Write(driver.Slice{Memory: p.uniform.memory, Bytes: uint64(len(to))}, to); err != nil {
		return fmt.Errorf("launch kernel %s: %w", name, err)
	}
	p.written = true
	return nil
}

// TooLarge is the error of a launcher about a parameter of type int or uint that does not fit in
// the 32 bits that these have on devices. It wraps ErrLimit.
func TooLarge[T int | uint](kernel, parameter string, value T) error {
	return fmt.Errorf("launch kernel %s: %w: %s is %d, but int and uint have 32 bits on devices", kernel, ErrLimit, parameter, value)
}

// NoInstance is the error of a launcher of a generic kernel about type arguments that the kernel is
// not compiled for together. F is a function type whose parameters are these. It wraps ErrShape.
func NoInstance[F any](kernel string) error {
	return fmt.Errorf("launch kernel %s: %w: there is no instance for %T; its option types= lists them",
		kernel, ErrShape, *new(F))
}

// Host is a slice of the program that Embedded.Run uploads and, if the kernel writes it, reads
// back.
type Host interface {
	upload(ctx context.Context, d *Device) (Bound, error)
	read(ctx context.Context, s *Stream, from Bound) error
	close(b Bound)
	// span is where it lies.
	span() (start, end uintptr)
}

// HostOf returns a slice for Embedded.Run.
func HostOf[T any](slice []T) Host { return hostSlice[T](slice) }

type hostSlice[T any] []T

func (h hostSlice[T]) upload(ctx context.Context, d *Device) (Bound, error) {
	b, err := Upload(ctx, d, h)
	if err != nil {
		return nil, err // no pointer in the interface
	}
	return b, nil
}

func (h hostSlice[T]) read(ctx context.Context, s *Stream, from Bound) error {
	return from.(*Buffer[T]).Read(ctx, s, h)
}

func (h hostSlice[T]) close(b Bound) { _ = b.(*Buffer[T]).Close() }

func (h hostSlice[T]) span() (start, end uintptr) {
	start = uintptr(unsafe.Pointer(unsafe.SliceData(h)))
	return start, start + uintptr(len(h))*unsafe.Sizeof(*new(T))
}

// Run uploads slices, launches the kernel, waits, and reads back those that it writes. Values are
// as those of Launch. The slices must not share memory with one that is written. ctx bounds the
// waiting; when it has ended, no slice has changed or those read back so far have.
func (e *Embedded) Run(ctx context.Context, d *Device, grid Grid, values []uint32, slices ...Host) error {
	k, err := e.Load(d)
	if err != nil {
		return err
	}
	if err := k.apart(slices); err != nil {
		return fmt.Errorf("run kernel %s: %w", e.Name, err)
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	buffers := make([]Bound, len(slices))
	for i, h := range slices {
		if buffers[i], err = h.upload(ctx, d); err != nil {
			return fmt.Errorf("run kernel %s: %s: %w", e.Name, k.arguments[i].Name, err)
		}
		defer h.close(buffers[i])
	}
	if err := e.Launch(s, grid, values, buffers...); err != nil {
		return err
	}
	err = s.Wait(ctx)
	if err != nil && (ctx.Err() != nil || errors.Is(err, ErrDeviceLost)) {
		return err // there is nothing to read
	}
	for i, h := range slices {
		if k.arguments[i].Access == abi.ReadWrite {
			err = join(err, h.read(ctx, s, buffers[i]))
		}
	}
	return err
}

// apart checks that there are not too many slices for a kernel, and that none shares memory with
// one that it writes.
func (k *Kernel) apart(slices []Host) error {
	if len(slices) > len(k.arguments) {
		return fmt.Errorf("%w: %d slices for %d bindings", ErrShape, len(slices), len(k.arguments))
	}
	for i, h := range slices {
		if h == nil {
			return fmt.Errorf("%w: %s is nil; gpu.HostOf makes one of a slice", ErrShape, k.arguments[i].Name)
		}
		start, end := h.span()
		for j, other := range slices[:i] {
			from, to := other.span()
			written := k.arguments[i].Access == abi.ReadWrite || k.arguments[j].Access == abi.ReadWrite
			if written && start < to && from < end {
				return fmt.Errorf("%w: %s and %s", ErrAlias, k.arguments[j].Name, k.arguments[i].Name)
			}
		}
	}
	return nil
}
