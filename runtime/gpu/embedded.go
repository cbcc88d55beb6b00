// Kernels that a program embeds, as `gpuc gen` writes them: loaded on a device when they are first
// needed there, and launched with arguments that each stream keeps.

package gpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
)

// Embedded is a kernel in an archive that the program embeds, with code for several targets. The
// functions that `gpuc gen` writes are made of it:
//
//	//go:embed gpuc_gen.zip
//	var gpucArchive string
//
//	var gpucOfScale = gpu.Embedded{Archive: gpucArchive, Name: "Scale"}
//
// Programs that need a *Kernel for Args of their own get it from Load.
//
// It must not be copied once it is in use. All methods may be called by several goroutines at once.
type Embedded struct {
	// Archive is the contents of a file that `gpuc gen` wrote (abi.ArchiveFile).
	Archive string
	// Name is the kernel's.
	Name string
}

// archiveMemory tells archives apart by their memory, which is quick to compare.
type archiveMemory struct {
	first *byte
	bytes int
}

// embeddedName tells kernels apart.
type embeddedName struct {
	archive archiveMemory
	name    string
}

// embeddedKernel is the kernel of an Embedded on a device.
type embeddedKernel struct {
	mutex  sync.Mutex // held while it is being loaded
	kernel *Kernel
}

// Load returns the kernel on a device. It is loaded the first time and again after it was closed;
// it is closed with its device. The errors are those of Device.Load; it is ErrUnsupported if there
// is no code for the device's target, and ErrShape if the archive has no such kernel.
func (e *Embedded) Load(d *Device) (*Kernel, error) {
	if e == nil || e.Archive == "" {
		return nil, fmt.Errorf("load an embedded kernel: %w: it has no archive; set Archive and Name", ErrShape)
	}
	if !d.valid() {
		return nil, invalid("load kernel "+e.Name+": device", deviceMaker)
	}
	name := embeddedName{memoryOf(e.Archive), e.Name}
	d.mutex.Lock()
	loaded := d.embedded[name]
	if loaded == nil {
		if d.embedded == nil {
			d.embedded = map[embeddedName]*embeddedKernel{}
		}
		loaded = new(embeddedKernel)
		d.embedded[name] = loaded
	}
	d.mutex.Unlock()
	loaded.mutex.Lock()
	defer loaded.mutex.Unlock()
	if loaded.kernel != nil && !loaded.kernel.lifetime.closed.Load() {
		return loaded.kernel, nil
	}
	artefact, err := e.artefact(d)
	if err != nil {
		return nil, fmt.Errorf("load kernel %s: %w", e.Name, err)
	}
	loaded.kernel, err = d.Load(artefact)
	return loaded.kernel, err
}

func memoryOf(archive string) archiveMemory {
	return archiveMemory{unsafe.StringData(archive), len(archive)}
}

// openArchive opens an archive once for the device: many kernels are in one, with one index.
func (d *Device) openArchive(file string) (*abi.Archive, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if a := d.archives[memoryOf(file)]; a != nil {
		return a, nil
	}
	a, err := abi.OpenArchive(file)
	if err != nil {
		return nil, err
	}
	if d.archives == nil {
		d.archives = map[archiveMemory]*abi.Archive{}
	}
	d.archives[memoryOf(file)] = a
	return a, nil
}

// artefact reads the kernel's code for the device's target from the archive.
func (e *Embedded) artefact(d *Device) (*abi.Artefact, error) {
	archive, err := d.openArchive(e.Archive)
	if err != nil {
		return nil, err
	}
	a, err := archive.Artefact(e.Name, d.info.Target)
	switch {
	case errors.Is(err, abi.ErrNoKernel):
		err = fmt.Errorf("%w: %w", ErrShape, err)
	case errors.Is(err, abi.ErrNoTarget):
		err = fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return a, err
}

// EmbeddedPackages returns the import paths of the packages whose kernels have been launched or
// loaded on the device as Embedded ones, sorted. Archives that cannot be read are left out.
func (d *Device) EmbeddedPackages() (list []string) {
	if !d.valid() {
		return nil
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, archive := range d.archives {
		if index, err := archive.Index(); err == nil && !slices.Contains(list, index.Package) {
			list = append(list, index.Package)
		}
	}
	slices.Sort(list)
	return list
}

// prepared is what a stream keeps for the launches of an embedded kernel.
type prepared struct {
	args *Args
	// buffers is how many a launch takes.
	buffers int
	// uniform is the memory of the uniform buffer, which is the last binding, or nil. values are
	// its contents, if written: those of the last launch.
	uniform *allocation
	values  []byte
	written bool
}

// Launch enqueues the kernel over a grid of workgroups or items, as Stream.Launch does. Values are
// the parameters that are not slices, in their order, as 32-bit words. Values of 64 bits have two
// words and begin at an even one. They are the kernel's immediates, or its last binding if that is
// a uniform buffer, which the stream keeps. Buffers are for the other bindings, in their order.
//
// The second and later launches on a stream allocate nothing. The stream keeps the buffers of the
// last launch reachable, but does not keep them from being closed. Errors are those of Load,
// Args.Set and Stream.Launch.
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

// prepared enters the stream and returns what it keeps for a kernel. The caller calls leave.
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
	p.buffers, p.values = last, make([]byte, k.arguments[last].Size)
	return p, p.newUniform(s)
}

// newUniform makes the uniform buffer.
func (p *prepared) newUniform(s *Stream) error {
	bytes := uint64(len(p.values))
	a, err := s.device.allocation(bytes, s.own(), true)
	if err != nil {
		return fmt.Errorf("launch kernel %s: %w", p.args.kernel.description.Name, err)
	}
	if err := p.args.Set(p.buffers, &Buffer[byte]{allocation: a, length: int(bytes)}); err != nil {
		return errors.Join(err, a.close())
	}
	p.close()
	p.uniform, p.written = a, false
	return nil
}

// close frees the uniform buffer.
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
	write := func() error {
		p.uniform.note(s)
		return s.stream.Write(p.uniform.whole(), to)
	}
	if s.recorder.Load() != nil { // a captured launch has a buffer of its own, written once
		if err := p.newUniform(s); err != nil {
			return err
		}
		write = func() error { return s.device.upload(p.uniform, to) }
	}
	if err := write(); err != nil {
		return fmt.Errorf("launch kernel %s: %w", name, err)
	}
	p.written = true
	return nil
}
