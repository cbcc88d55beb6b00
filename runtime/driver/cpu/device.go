// The device: memory, kernels and what belongs to all streams.

package cpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Device is an open CPU device. It implements driver.Device and driver.Reporter.
type Device struct {
	driver   Driver
	info     driver.Info
	tier     Tier // the highest to use
	progress atomic.Pointer[driver.Progress]
	shifts   atomic.Uint32 // counts large buffers, to vary their offsets
	mutex    sync.Mutex
	streams  map[*stream]struct{}
	closed   bool
	opened   time.Time
}

func newDevice(d *Driver, index int, tier Tier) *Device {
	if index == Checked {
		tier = Interpreter
	}
	return &Device{driver: *d, info: d.info(index, tier), tier: tier, streams: map[*stream]struct{}{}, opened: time.Now()}
}

// Info describes the device.
func (d *Device) Info() driver.Info { return d.info }

// StopsAbandoned implements driver.Stopper: the work ends at the next check of its stream.
func (d *Device) StopsAbandoned() {}

// OnProgress has f called about every tenth of a second during later launches;
// nil ends that.
func (d *Device) OnProgress(f driver.Progress) {
	if f == nil {
		d.progress.Store(nil)
		return
	}
	d.progress.Store(&f)
}

// Close waits for the work under way and closes the streams. Abandoned work is stopped instead.
func (d *Device) Close() error {
	d.mutex.Lock()
	d.closed = true
	streams := d.streams
	d.streams = nil
	d.mutex.Unlock()
	for s := range streams {
		s.end()
	}
	for s := range streams {
		<-s.served
	}
	return nil
}

func (d *Device) open() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return fmt.Errorf("cpu: device: %w", driver.ErrClosed)
	}
	return nil
}

// memory is an allocation. Work in flight keeps the bytes alive by itself.
type memory struct {
	device *Device
	bytes  []byte
	freed  atomic.Bool
}

// Large buffers begin at different offsets within the chunks that the heap gets from the system.
// Otherwise addresses of elements with the same index are equal modulo megabytes, and compete for
// the same cache sets. Saxpy of 2^24 elements then takes 18 ms instead of 6.
const (
	shiftedBytes = 1 << 20
	shiftCount   = 16
	shiftStep    = 4096 + 256
)

// alignment is that of all memory, in bytes.
const alignment = 256

// largePagesFrom is from which size on, in bytes, buffers have large pages if the system has some.
// It is that of two on most processors, one of which is whole wherever the buffer begins.
const largePagesFrom = 4 << 20

// Alloc reserves zeroed memory.
func (d *Device) Alloc(bytes uint64) (driver.Memory, error) {
	if bytes == 0 {
		return &memory{device: d}, d.open()
	}
	data, err := d.reserve(bytes)
	if err != nil {
		return nil, err
	}
	return &memory{device: d, bytes: data}, nil
}

// reserve makes aligned bytes.
func (d *Device) reserve(bytes uint64) ([]byte, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	if bytes > d.info.MaxBufferBytes {
		return nil, fmt.Errorf("cpu: allocate %d bytes: %w", bytes, driver.ErrOutOfMemory)
	}
	shift := uint64(0)
	if bytes >= shiftedBytes {
		shift = uint64(d.shifts.Add(1)%shiftCount) * shiftStep
	}
	if bytes < largePagesFrom {
		return driver.Aligned(int(shift+bytes), alignment)[shift:][:bytes:bytes], nil
	}
	data := driver.Aligned(int(shift+bytes), os.Getpagesize())
	adviseLargePages(data)
	return data[shift:][:bytes:bytes], nil
}

// block is memory for parts.
type block struct {
	device *Device
	bytes  []byte
}

// Reserve reserves a block, which is zeroed as all memory of Go's.
func (d *Device) Reserve(bytes uint64) (driver.Block, bool, error) {
	data, err := d.reserve(bytes)
	if err != nil {
		return nil, false, err
	}
	return &block{d, data}, true, nil
}

// Part makes memory of some bytes.
func (b *block) Part(offset, bytes uint64) (driver.Memory, error) {
	return &memory{device: b.device, bytes: b.bytes[offset:][:bytes:bytes]}, nil
}

// Free does nothing; the collector takes the block once no part uses it.
func (b *block) Free() error { return nil }

// Clear zeroes memory that no job uses.
func (d *Device) Clear(m driver.Memory) error {
	to, err := d.part(&driver.Slice{Memory: m, Bytes: m.Bytes()})
	if err != nil {
		return fmt.Errorf("cpu: clear: %w", err)
	}
	driver.Clear(to)
	return nil
}

// Drain waits until the jobs of all streams have ended.
func (d *Device) Drain() error {
	d.mutex.Lock()
	streams := slices.Collect(maps.Keys(d.streams))
	d.mutex.Unlock()
	for _, s := range streams {
		if err := s.drain(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// Bytes returns the allocation's size.
func (m *memory) Bytes() uint64 { return uint64(len(m.bytes)) }

// Free lets the memory go; the collector takes it once no work uses it.
func (m *memory) Free() error {
	m.freed.Store(true)
	return nil
}

// part returns the bytes of a slice after checking it.
func (d *Device) part(s *driver.Slice) ([]byte, error) {
	m, ok := s.Memory.(*memory)
	switch {
	case !ok || m.device != d:
		return nil, fmt.Errorf("%w: the memory belongs to another device", driver.ErrUnsupported)
	case m.freed.Load():
		return nil, fmt.Errorf("memory: %w", driver.ErrClosed)
	}
	if err := s.CheckWithin(m.Bytes()); err != nil {
		return nil, err
	}
	return m.bytes[s.Offset:][:s.Bytes:s.Bytes], nil
}

// mode is that of the interpreter in which the device runs kernels.
func (d *Device) mode() interp.Mode {
	if d.info.Index == Checked {
		return interp.Checked
	}
	return interp.Defined
}

// kernel is a loaded kernel.
type kernel struct {
	device  *Device
	program *interp.Program
	code    executor // of a higher tier, or nil
	// variants are for kernels with textures, nil for others.
	variants *variants
	tier     Tier
	refused  error // why the kernel is in no higher tier
	sources  *source.Set
	closed   atomic.Bool

	// bindings and handles are the indices in the description of those that the code uses. Passes
	// may have removed the last use of others.
	bindings, handles []int
	given             [2]int // how many bindings and handles a launch passes
	immediates        int    // how many bytes a launch brings along
}

// Load compiles the IR of an artefact.
func (d *Device) Load(artefact *abi.Artefact) (driver.Kernel, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	k, err := d.load(artefact)
	if err != nil {
		return nil, fmt.Errorf("cpu: load kernel %s: %w", artefact.Kernel.Name, err)
	}
	return k, nil
}

func (d *Device) load(artefact *abi.Artefact) (_ *kernel, err error) {
	defer diag.RecoverError(&err, "loading an artefact")
	if err := d.info.Accepts(artefact); err != nil {
		return nil, err
	}
	if m, f := d.inMemory(artefact); f != nil {
		if k, err := d.loadModule(artefact, m, f, m.Sources); err == nil {
			return k, nil
		}
		// errors name positions in the text
	}
	m, f, sources, err := lower.Read(artefact.Kernel.Name, artefact.Code)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrUnsupported, err)
	}
	return d.loadModule(artefact, m, f, sources)
}

// inMemory returns the module of an artefact and its kernel if the artefact has a module in memory
// and no launch reports positions, which are those of the text.
func (d *Device) inMemory(artefact *abi.Artefact) (*ir.Module, *ir.Func) {
	if d.info.Index == Checked || d.driver.Fuel != 0 {
		return nil, nil
	}
	m, _ := artefact.InMemory.Take().(*ir.Module)
	if m == nil {
		return nil, nil
	}
	return m, m.Func(artefact.Kernel.Name)
}

// loadModule loads a verified module.
func (d *Device) loadModule(artefact *abi.Artefact, m *ir.Module, f *ir.Func, sources *source.Set) (*kernel, error) {
	description := &artefact.Kernel
	program, err := interp.Compile(m, f, d.mode())
	if unsupported := new(*interp.Unsupported); errors.As(err, unsupported) && (*unsupported).Span.Valid() {
		err = fmt.Errorf("%s: %w", sources.Position((*unsupported).Span.Start), err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrUnsupported, err)
	}
	// kernels with tiles have workgroups of their own, and as many of them
	if w := program.Workgroup(); w != description.Workgroup && w != [3]uint32{lower.BlockLanes, 1, 1} {
		return nil, fmt.Errorf("%w: the workgroup is %v in the code and %v in the description", driver.ErrUnsupported, program.Workgroup(), description.Workgroup)
	}
	if program.SubgroupSize() != int(description.SubgroupSize) {
		return nil, fmt.Errorf("%w: the subgroup size is %d in the code and %d in the description", driver.ErrUnsupported, program.SubgroupSize(), description.SubgroupSize)
	}
	k := &kernel{device: d, program: program, sources: sources, given: [2]int{len(description.Bindings), len(description.Handles)},
		immediates: description.ImmediateBytes()}
	s := newSubject(artefact.Code, m, f)
	k.tier, k.code, k.refused = choose(d.tier, s)
	k.variants = newVariants(d.tier, s, program.Handles())
	if n := program.Immediates(); n != 0 && n != k.immediates {
		return nil, fmt.Errorf("%w: the immediates have %d bytes in the code and %d in the description", driver.ErrUnsupported, n, k.immediates)
	}
	for _, b := range program.Bindings() {
		at := slices.IndexFunc(description.Bindings, func(x abi.Binding) bool { return x.Group == b.Group && x.Binding == b.Binding })
		if at < 0 {
			return nil, undescribed(b.Name, b.Group, b.Binding)
		}
		k.bindings = append(k.bindings, at)
	}
	for _, h := range program.Handles() {
		at := slices.IndexFunc(description.Handles, func(x abi.Handle) bool {
			return x.Group == h.Group && x.Binding == h.Binding && (x.Texture == nil) == h.Sampler
		})
		if at < 0 {
			return nil, undescribed(h.Name, h.Group, h.Binding)
		}
		k.handles = append(k.handles, at)
	}
	return k, nil
}

func undescribed(name string, group, binding uint32) error {
	return fmt.Errorf("%w: the code uses %s, %d:%d, which the description lacks", driver.ErrUnsupported, name, group, binding)
}

// run executes a launch.
func (k *kernel) run(launch *interp.Launch) ([]diag.Diagnostic, error) {
	if k.code == nil && k.variants == nil {
		return k.program.Run(launch)
	}
	if err := k.program.Check(launch); err != nil {
		return nil, err
	}
	found, err, ran := k.variants.run(launch)
	switch {
	case ran:
		return found, err
	case k.code != nil:
		return k.code.Run(launch)
	}
	return k.program.Run(launch)
}

// Close lets the kernel go; work in flight keeps it.
func (k *kernel) Close() error {
	k.closed.Store(true)
	return nil
}

// ErrReported is what every Report unwraps to.
var ErrReported = errors.New("the interpreter has something to report")

// Report is the error of a launch in which the interpreter found something.
type Report struct {
	Kernel      string
	Diagnostics []diag.Diagnostic
	// Sources resolves the diagnostics' spans.
	Sources *source.Set
}

// Error lists the diagnostics, one per line, with their positions.
func (r *Report) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s: %s", r.Kernel, ErrReported)
	for _, d := range r.Diagnostics {
		b.WriteByte('\n')
		if d.Span.Valid() {
			fmt.Fprintf(&b, "%s: ", r.Sources.Position(d.Span.Start))
		}
		fmt.Fprintf(&b, "%s: %s [%s]", d.Severity, d.Message, d.Code)
	}
	return b.String()
}

// Failed reports whether one of the diagnostics is an error. Otherwise they are lints, and the
// launch did what WGSL defines.
func (r *Report) Failed() bool {
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			return true
		}
	}
	return false
}

// Unwrap returns ErrReported.
func (r *Report) Unwrap() error { return ErrReported }
