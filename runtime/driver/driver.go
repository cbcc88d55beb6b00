// Package driver is the small interface that every device driver implements.
// Users import runtime/gpu; this package exists so that drivers and gpu can
// meet without knowing each other.
package driver

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// Kind says what a device is.
type Kind uint8

// The kinds of device.
const (
	CPU      Kind = iota // runs kernels on this machine's processor
	GPU                  // a graphics processor
	Software             // another's software driver, such as lavapipe
)

// String returns the word shown by `gpuc devices`.
func (k Kind) String() string { return [...]string{"cpu", "gpu", "software"}[k] }

// Info describes a device.
type Info struct {
	Driver       string // "cpu", "vulkan", "cuda"
	Index        int    // among the driver's devices
	Label        string // a word that users may write instead of the index, or ""
	Name         string // as the driver reports it
	Kind         Kind
	Target       abi.Target
	Memory       uint64 // bytes of device memory, 0 if unknown
	SubgroupSize uint32
	// SubgroupSizes are the smallest and the largest that a kernel can request
	// (@subgroup_size); zeros where it can request none.
	SubgroupSizes [2]uint32
	// MaxWorkgroup limits the invocations by dimension, MaxInvocations in all.
	MaxWorkgroup   [3]uint32
	MaxInvocations uint32
	MaxGrid        [3]uint32
	WorkgroupBytes uint32 // workgroup memory of one workgroup
	MaxBufferBytes uint64
	// MaxCountedBytes limits a binding that ends in an array without a size, which
	// the kernel counts; 0 means MaxBufferBytes.
	MaxCountedBytes uint64
	// OffsetAlignment is what the offset of a bound slice must be a multiple of,
	// a power of two of at least 4; 0 means 4.
	OffsetAlignment uint32
	// PartAlignment is what the offsets of a block's parts are multiples of, a power of two of at
	// least 256; 0 means 256.
	PartAlignment uint32
	Features      []abi.Feature
	// Profile is the highest of the target's profiles that the device runs, as an ordered number:
	// 0x10600 for SPIR-V 1.6, 90 for compute capability 9.0. For AMD it is the processor, 0x90a for
	// gfx90a, which runs that profile and its family's. For Apple's devices it is the family, 7 for
	// apple7. It is 0 where targets have no profiles, or the device none of its own.
	Profile uint32
	Version string // driver and interface version, for people
	// Compiler names what compiles code further for the device, as the table of workarounds has it
	// (codegen/workaround): "nvidia", "ptxas", "mesa"; "other" for one without a row, "" if
	// unknown. CompilerVersion is major·10⁶ + minor·10³ + patch, or 0 if unknown.
	Compiler        string
	CompilerVersion uint32
	// Inexact says what strict arithmetic does not have on the device, for people: one sentence for
	// each thing.
	Inexact  []string
	Peak     Peak
	Hardware Hardware
}

// Peak is the theoretical peak performance, from figures that the driver reports. No kernel reaches
// it.
type Peak struct {
	BytesPerSecond float64 // that its memory moves, read and written, or 0 if unknown
	FlopsPerSecond float64 // operations on f32, two in a fused multiply-add, or 0 if unknown
	// Memory and Arithmetic say what these were computed of, for people.
	Memory, Arithmetic string
}

// ID is the name under which users open the device: "vulkan:1".
func (i Info) ID() string {
	if i.Label != "" {
		return i.Driver + ":" + i.Label
	}
	return i.Driver + ":" + strconv.Itoa(i.Index)
}

// hasProfile refuses an artefact whose profile the device does not run. PTX profiles that end in a
// are for one compute capability, AMD's for one processor or a family, and Metal's may be for the
// families from one on.
func (i *Info) hasProfile(artefact *abi.Artefact) error {
	switch artefact.Target {
	case abi.SPIRV:
		if len(artefact.Code) < 8 {
			return nil // no module, which the driver says
		}
		if version := binary.LittleEndian.Uint32(artefact.Code[4:]); version > i.Profile {
			return fmt.Errorf("%w: its code is SPIR-V %d.%d, but the device takes up to %d.%d", ErrUnsupported,
				version>>16&0xff, version>>8&0xff, i.Profile>>16&0xff, i.Profile>>8&0xff)
		}
	case abi.PTX:
		name, exact := strings.CutSuffix(strings.TrimPrefix(artefact.Kernel.Profile, "sm_"), "a")
		if name == "" {
			return nil
		}
		n, err := strconv.ParseUint(name, 10, 32)
		if err != nil || uint32(n) > i.Profile || exact && uint32(n) != i.Profile {
			return fmt.Errorf("%w: its code is for %s, but the device is sm_%d", ErrUnsupported, artefact.Kernel.Profile, i.Profile)
		}
	case abi.MSL: // versions of the language depend on the system, whose compiler says so
		name, isFamily := strings.CutPrefix(artefact.Kernel.Profile, "apple")
		n, err := strconv.ParseUint(name, 10, 32)
		if isFamily && (err != nil || uint32(n) > i.Profile) {
			return fmt.Errorf("%w: its code is for %s, which the device does not run", ErrUnsupported, artefact.Kernel.Profile)
		}
	case abi.AMDGPU:
		if profile := artefact.Kernel.Profile; profile != "" && !abi.ProcessorRuns(i.Profile, profile) {
			return fmt.Errorf("%w: its code is for %s, but the device is gfx%x", ErrUnsupported, profile, i.Profile)
		}
	}
	return nil
}

// Accepts compares an artefact with the device's target, features and limits. The
// error wraps ErrUnsupported.
func (i Info) Accepts(artefact *abi.Artefact) error {
	if artefact == nil {
		return fmt.Errorf("%w: the artefact is nil", ErrUnsupported)
	}
	k := &artefact.Kernel
	if artefact.Target != i.Target {
		return fmt.Errorf("%w: its target is %s, not %s", ErrUnsupported, artefact.Target, i.Target)
	}
	if err := i.hasProfile(artefact); err != nil {
		return err
	}
	for _, feature := range k.Requires {
		if !slices.Contains(i.Features, feature) {
			return fmt.Errorf("%w: %s has no %s", ErrUnsupported, i.Name, feature)
		}
	}
	invocations := uint64(1)
	for n, size := range k.Workgroup {
		if size == 0 || size > i.MaxWorkgroup[n] {
			return fmt.Errorf("%w: workgroup %v, but the device takes at most %v", ErrUnsupported, k.Workgroup, i.MaxWorkgroup)
		}
		invocations *= uint64(size)
	}
	if invocations > uint64(i.MaxInvocations) {
		return fmt.Errorf("%w: %d invocations in a workgroup, but the device takes at most %d", ErrUnsupported, invocations, i.MaxInvocations)
	}
	if err := i.acceptsSubgroups(k); err != nil {
		return err
	}
	if k.WorkgroupBytes > i.WorkgroupBytes {
		return fmt.Errorf("%w: %d bytes of workgroup memory, but the device has %d", ErrUnsupported, k.WorkgroupBytes, i.WorkgroupBytes)
	}
	if k.DynamicBytes > k.WorkgroupBytes {
		return fmt.Errorf("%w: %d bytes of dynamic workgroup memory, but its description has %d in all", ErrUnsupported, k.DynamicBytes, k.WorkgroupBytes)
	}
	return nil
}

// acceptsSubgroups compares the subgroup size that a kernel requests with those
// that the device gives.
func (i *Info) acceptsSubgroups(k *abi.Kernel) error {
	n, sizes := k.SubgroupSize, i.SubgroupSizes
	switch {
	case n == 0:
		return nil
	case n&(n-1) != 0 || k.Workgroup[0]%n != 0:
		return fmt.Errorf("%w: workgroups of width %d do not consist of subgroups of %d", ErrUnsupported, k.Workgroup[0], n)
	case sizes[1] == 0:
		return fmt.Errorf("%w: subgroups of %d, but kernels cannot choose the size on this device", ErrUnsupported, n)
	case n >= sizes[0] && n <= sizes[1]:
		return nil
	case sizes[0] == sizes[1]:
		return fmt.Errorf("%w: subgroups of %d, but the device's have %d", ErrUnsupported, n, sizes[0])
	}
	return fmt.Errorf("%w: subgroups of %d, but the device's have %d to %d", ErrUnsupported, n, sizes[0], sizes[1])
}

// Spin is how long a wait polls before it blocks. A blocked thread is woken some 100 µs late (H200,
// virtual machine), so polling for about as long at most doubles the cost of a wait.
const Spin = 150 * time.Microsecond

// Driver finds and opens devices.
type Driver interface {
	// Name is the driver's name as users write it.
	Name() string
	// Devices lists what is there. A machine without the driver's library has
	// no devices and no error; a library that fails is an error.
	Devices() ([]Info, error)
	// Open opens the device with this index.
	Open(index int) (Device, error)
}

// Absent is implemented by drivers that load a library.
type Absent interface {
	// Absent says, once Devices was called, what is missing where that has found no library, and
	// nil where it has.
	Absent() error
}

// Device is an open device. All methods are safe for concurrent use.
type Device interface {
	Info() Info
	// Alloc reserves zero-filled memory. Size may be 0.
	Alloc(bytes uint64) (Memory, error)
	// Reserve reserves a block of at least one byte. Its contents are undefined, unless it says
	// that they are zeros.
	Reserve(bytes uint64) (b Block, zeros bool, err error)
	// Clear fills memory that no work uses with zeros, before any work that is submitted later.
	Clear(m Memory) error
	// Drain waits until all work has finished that streams were given before. Other goroutines may
	// use the streams meanwhile. Errors of the work stay for Stream.Wait.
	Drain() error
	// NewHostMemory reserves zero-filled memory of the host, at least one byte, which the device
	// copies from and to by itself, at the full speed of its bus. It begins at a multiple of 256.
	NewHostMemory(bytes uint64) (HostMemory, error)
	// NewTexture makes an image whose texels are zero. The description has passed
	// its Check. A format that the device cannot sample or store is ErrUnsupported.
	NewTexture(d *texture.Description) (Texture, error)
	NewSampler(s *texture.Sampler) (Sampler, error)
	// Load makes a kernel of an artefact whose target is Info().Target.
	Load(artefact *abi.Artefact) (Kernel, error)
	// NewStream makes an ordered queue of work.
	NewStream() (Stream, error)
	// Close waits for the work under way and closes the device. Work that was abandoned (see
	// Stream.Close) is stopped if the driver can.
	Close() error
}

// Memory is a device allocation.
type Memory interface {
	Bytes() uint64
	// Free releases the memory once all work submitted before has finished.
	Free() error
}

// Block is device memory that is used in parts.
type Block interface {
	// Part makes memory of some bytes of the block, at least one. The offset is a multiple of
	// Info.PartAlignment, and up to the next multiple behind its end nothing else uses the block.
	// The contents are undefined. It is ErrOutOfMemory if the driver has no room for a part.
	//
	// Parts may overlap. Work by one of two such parts has finished before work by the other is
	// enqueued. On one stream, a Stream.Clear in between will do.
	Part(offset, bytes uint64) (Memory, error)
	// Free releases the block once all work submitted before has finished. Its parts are freed.
	Free() error
}

// Slice is a part of an allocation. Offset is a multiple of 4.
type Slice struct {
	Memory Memory
	Offset uint64
	Bytes  uint64
}

// HostMemory is memory of the host that a device reaches.
type HostMemory interface {
	// Bytes are valid until Free.
	Bytes() []byte
	// Free releases the memory. No work uses it.
	Free() error
}

// Texture is a device image.
type Texture interface {
	Description() *texture.Description
	// Free releases the image once all work submitted before has finished.
	Free() error
}

// Sampler is a device's sampler.
type Sampler interface {
	// Free releases the sampler once all work submitted before has finished.
	Free() error
}

// Handle is what a launch binds for an abi.Handle: a texture's levels from Level
// on, or a sampler.
type Handle struct {
	Texture Texture
	Level   uint32 // the first level that the kernel sees; of storage textures the only one
	// Levels is how many levels the kernel sees, or 0 for all from Level on. Making
	// a texture's levels from one another takes launches that see a single one.
	Levels  uint32
	Sampler Sampler
}

// Kernel is a loaded kernel.
type Kernel interface {
	Close() error
}

// Launch is one dispatch: a kernel, its bindings in the order of
// abi.Kernel.Bindings, its handles in that of abi.Kernel.Handles, its immediates,
// and the number of workgroups.
type Launch struct {
	Kernel     Kernel
	Bindings   []Slice
	Handles    []Handle
	Immediates []byte
	Grid       [3]uint32
}

// Stream is an ordered queue. Its methods may be called from one goroutine at
// a time; different streams are independent. Errors of asynchronous work come
// from a later Wait.
type Stream interface {
	// Launch enqueues a dispatch. It must not retain l or its slices.
	Launch(l *Launch) error
	// Write copies host bytes to device memory. The bytes may be reused when it
	// returns.
	Write(dst Slice, src []byte) error
	// Read copies device memory to host bytes, after all work enqueued before.
	// dst is complete when it returns.
	Read(dst []byte, src Slice) error
	// WriteFrom enqueues a copy of dst.Bytes bytes of host memory, from an offset on, to device
	// memory. They are unchanged until it has finished. Offset and size need no alignment.
	WriteFrom(dst Slice, src HostMemory, offset uint64) error
	// ReadTo enqueues a copy of device memory to src.Bytes bytes of host memory, from an offset on.
	// The host may see them once it has waited for the work.
	ReadTo(dst HostMemory, offset uint64, src Slice) error
	// Copy copies between device slices of equal size.
	Copy(dst, src Slice) error
	// Clear fills memory with zeros, after all work enqueued before and before all that is enqueued
	// later, whatever parts of a block that uses.
	Clear(m Memory) error
	// WriteTexture copies host bytes to a level: texture.Description.LevelBytes of
	// them. The bytes may be reused when it returns.
	WriteTexture(dst Texture, level uint32, src []byte) error
	// ReadTexture copies a level to host bytes, after all work enqueued before. dst
	// is complete when it returns.
	ReadTexture(dst []byte, src Texture, level uint32) error
	// Record enqueues an event.
	Record() (Event, error)
	// Wait blocks until the stream is idle or ctx ends; submitted work is not
	// cancelled then.
	Wait(ctx context.Context) error
	// Close ends the stream; its work still finishes. If the last call before was a Wait
	// that ctx ended, nothing waits for the work any more, and a driver that can ends it.
	Close() error
}

// Awaiter is a Stream that waits for events on the device. For others the host waits.
type Awaiter interface {
	// Await has the work that is enqueued later wait for an event of the same device.
	Await(e Event) error
}

// Event is a moment in a stream's work.
type Event interface {
	// Done reports whether the moment has passed.
	Done() (bool, error)
	Wait(ctx context.Context) error
	// Since returns the device time that passed between an earlier event and
	// this one; both must be done.
	Since(earlier Event) (time.Duration, error)
	Close() error
}

// The errors that callers tell apart. Drivers wrap them with the details.
var (
	ErrOutOfMemory = errors.New("out of device memory")
	ErrDeviceLost  = errors.New("device lost")
	ErrUnsupported = errors.New("not supported by the device")
	ErrClosed      = errors.New("already closed")
)

// Progress is called during a long launch on the CPU with the finished part of
// the workgroups.
type Progress func(done, total uint64)

// Trimmer is a Device that keeps memory which was freed.
type Trimmer interface {
	// Trim gives such memory back to the system.
	Trim() error
}

// Sharer is a Device that uses memory of the host as its own. Others are none, or all of their
// devices have memory of their own.
type Sharer interface {
	// Share makes device memory of host bytes, at least one, which stay where they are. They begin
	// at a multiple of ShareAlignment. The device may read and write up to the next multiple behind
	// them. Memory.Free is called when no work uses it. It is ErrUnsupported if the device has
	// memory of its own.
	Share(host []byte) (Memory, error)
	// ShareAlignment is a power of two, or 0 if the device has memory of its own.
	ShareAlignment() uint64
}

// Reporter is a Device that reports progress. Drivers whose launches the host
// cannot watch are none.
type Reporter interface {
	// OnProgress has f called during later launches; nil ends that.
	OnProgress(f Progress)
}

// Stopper is a Device that stops work which was abandoned when it, or the stream, is closed.
type Stopper interface {
	StopsAbandoned()
}

// Caching is a Device that keeps on disk what it compiles. Devices that compile nothing, or whose
// system keeps it, are none.
type Caching interface {
	// SetCache has later calls of Load look in a cache, and add to it; nil ends that.
	SetCache(c *kernelcache.Cache)
}
