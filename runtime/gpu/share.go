// Buffers whose memory is a slice of the program.

package gpu

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Share makes a buffer whose memory is the slice: kernels read and write its elements, and nothing
// is copied. That needs a device which has the host's memory: the CPU, Apple's GPUs, and GPUs that
// are part of a processor, also through Vulkan. Other devices are ErrUnsupported; Upload, and
// AllocHost with WriteAsync, are for them.
//
// The first byte is a multiple of Device.ShareAlignment, and so is the number of bytes, or the
// slice's capacity has room for the rest, which the device may write. Otherwise it is ErrShape.
// MakeShared makes such slices; those of make have no alignment that is promised.
//
// The program uses the elements as a kernel of another stream would. It waits for the work that
// writes them, and enqueues later what needs its own values. Close waits for all work of the
// device; afterwards the slice is the program's alone. It stays alive until then. Nothing finds out
// that two buffers have the same slice: launches with both are not ErrAlias.
func Share[T any](d *Device, host []T) (*Buffer[T], error) {
	element, err := elementOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.orphans.reclaim()
	sharer, alignment, err := d.sharer()
	if err != nil {
		return nil, fmt.Errorf("share a slice: %w", err)
	}
	bytes := bytesOf(host)
	switch room := bytesOf(host[:cap(host)]); {
	case len(host) == 0:
		return nil, fmt.Errorf("share a slice: %w: it has no elements", ErrShape)
	case uint64(len(bytes)) > d.info.MaxBufferBytes:
		return nil, fmt.Errorf("share a slice of %d bytes: %w: a buffer has at most %d bytes on %s", len(bytes), ErrLimit, d.info.MaxBufferBytes, d.info.ID())
	case !suits(bytes, uint64(len(room)), alignment):
		return nil, fmt.Errorf("share a slice: %w: %s needs that it begins at a multiple of %d bytes, and that its capacity has room up to the next; MakeShared makes such slices",
			ErrShape, d.info.ID(), alignment)
	}
	m, err := sharer.Share(bytes)
	if err != nil {
		return nil, err
	}
	pin := pinSlice(d, unsafe.Pointer(unsafe.SliceData(host)))
	a := &allocation{device: d, memory: m, users: new(users)}
	a.lifetime.open(d.orphans, freeing(d, func() error {
		err := errors.Join(d.driver.Drain(), m.Free())
		pin.end()
		return err
	}))
	return &Buffer[T]{allocation: a, length: len(host), element: element}, nil
}

// MakeShared makes a slice of n zeros that Share takes.
func MakeShared[T any](d *Device, n int) ([]T, error) {
	if _, err := elementOf(reflect.TypeFor[T]()); err != nil {
		return nil, err
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	_, alignment, err := d.sharer()
	if err != nil {
		return nil, fmt.Errorf("make a shared slice: %w", err)
	}
	size := uint64(unsafe.Sizeof(*new(T)))
	if n < 0 || uint64(n) > d.info.MaxBufferBytes/size {
		return nil, fmt.Errorf("make a shared slice of %d elements: %w: a buffer has at most %d bytes on %s", n, ErrLimit, d.info.MaxBufferBytes, d.info.ID())
	}
	// room for whole elements after the last byte that the device may write
	whole := roundUp(size*uint64(n), alignment) + size
	data := driver.Aligned(int(whole), int(max(alignment, 64)))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), whole/size)[:n], nil
}

// ShareAlignment is the number of bytes whose multiples shared slices begin and end at, a power of
// two, or 0 if the device has memory of its own. It is 4 on the CPU, 16 KiB for Metal, and most
// often 4096 for Vulkan.
func (d *Device) ShareAlignment() int {
	if !d.valid() {
		return 0
	}
	if sharer, ok := d.driver.(driver.Sharer); ok {
		return int(sharer.ShareAlignment())
	}
	return 0
}

// sharer returns the driver's part of sharing.
func (d *Device) sharer() (driver.Sharer, uint64, error) {
	sharer, ok := d.driver.(driver.Sharer)
	if ok {
		if alignment := sharer.ShareAlignment(); alignment != 0 {
			return sharer, alignment, nil
		}
	}
	return nil, 0, fmt.Errorf("%w: %s has memory of its own; Upload copies a slice there, and AllocHost makes one that is copied fast", ErrUnsupported, d.info.ID())
}

// suits reports whether bytes begin at a multiple of an alignment and have room up to the next.
func suits(bytes []byte, room, alignment uint64) bool {
	return uint64(hostAddress(bytes))%alignment == 0 && roundUp(uint64(len(bytes)), alignment) <= room
}

func roundUp(n, alignment uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

// pin keeps a slice alive and where it is. All pins are reachable: a Pinner that is collected ends
// the program, and nobody must close a device.
type pin struct {
	device *Device
	pinner runtime.Pinner
}

// pins are those that have not ended.
var pins struct {
	mutex sync.Mutex
	held  map[*pin]struct{}
}

func pinSlice(d *Device, first unsafe.Pointer) *pin {
	p := &pin{device: d}
	p.pinner.Pin((*byte)(first))
	pins.mutex.Lock()
	defer pins.mutex.Unlock()
	if pins.held == nil {
		pins.held = map[*pin]struct{}{}
	}
	pins.held[p] = struct{}{}
	return p
}

// end ends a pin, once.
func (p *pin) end() {
	pins.mutex.Lock()
	defer pins.mutex.Unlock()
	if _, held := pins.held[p]; held {
		delete(pins.held, p)
		p.pinner.Unpin()
	}
}

// endPins ends those of a device that is closed.
func endPins(d *Device) {
	pins.mutex.Lock()
	defer pins.mutex.Unlock()
	for p := range pins.held {
		if p.device == d {
			delete(pins.held, p)
			p.pinner.Unpin()
		}
	}
}
