// Devices: what they make, and how they are closed.

package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// Device is an open device. Open makes it.
type Device struct {
	info    Info
	driver  driver.Device
	life    life
	orphans *orphans
	reserve reserve
	pool    *pool
	hosts   hostPool
	// profiled is what the profile that runs knows of the device, or what an earlier one did.
	profiled atomic.Pointer[profiledDevice]
	cache    *kernelcache.Cache // nil if it is off, or the driver keeps nothing

	mutex     sync.Mutex
	transfers []driver.Stream // idle, for Upload and the copies of textures
	embedded  map[embeddedName]*embeddedKernel
	archives  map[archiveMemory]*abi.Archive

	unwanted unwanted // work that was abandoned

	first driver.Event // from which stamps count that are events (streamTimes), or nil

	messaging      sync.Mutex // held for messageOptions, and never while they are called
	messageOptions MessageOptions
	delivering     sync.Mutex // held while messages are printed
}

func openDevice(d driver.Driver, info Info, c *choice) (*Device, error) {
	device, err := d.Open(info.Index)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", info.ID(), err)
	}
	info = device.Info()
	info.OffsetAlignment = max(info.OffsetAlignment, 4)
	queue := new(orphans)
	opening := &Device{
		info: info, driver: device, life: newLife(), orphans: queue, reserve: reserve{orphans: queue},
		pool: newPool(device, &info), cache: c.useCache(device),
	}
	opening.pool.owner = opening
	noteOpen(opening)
	return opening, nil
}

// Info describes the device. It is the zero Info for a nil or zero Device.
func (d *Device) Info() Info {
	if !d.valid() {
		return Info{}
	}
	return d.info
}

// OnProgress has f called from time to time during later launches, from another goroutine, with the
// number of finished workgroups and of all; nil ends that. Only the CPU reports, where launches may
// take long. On other devices it has no effect. f must not make buffers, as that may wait for work.
func (d *Device) OnProgress(f driver.Progress) {
	if !d.valid() {
		return
	}
	if reporter, ok := d.driver.(driver.Reporter); ok {
		reporter.OnProgress(f)
	}
}

// enter begins a call into the driver; leave ends it.
func (d *Device) enter() error {
	if !d.valid() {
		return invalid("device", deviceMaker)
	}
	if !d.life.enter() {
		return fmt.Errorf("device %s: %w", d.info.ID(), ErrClosed)
	}
	return nil
}

func (d *Device) leave() { d.life.leave() }

// closing calls the release of an object of the device. The driver of a closed device has nothing
// left to free.
func (d *Device) closing(end func() error) error {
	if d.life.enter() {
		defer d.life.leave()
	}
	return end()
}

// Close waits for the calls and the work under way, unless the work is abandoned (see Stream.Wait),
// and closes the device with its buffers, host buffers, kernels and streams. Calls that begin
// meanwhile return ErrClosed. Functions that the device calls, for messages or progress, must not
// call it: it waits for them.
func (d *Device) Close() error {
	if !d.valid() {
		return invalid("close a device", deviceMaker)
	}
	if !d.life.end() {
		return nil
	}
	defer close(d.life.ended)
	d.orphans.reclaim()
	var failures []error
	for _, s := range d.transfers {
		failures = append(failures, s.Close())
	}
	if p := profiling.Load(); p != nil {
		p.closing(d)
	}
	failures = append(failures, d.closeDriver(), writeAsAsked(noteClosed(d)))
	return errors.Join(failures...)
}

// Load makes a kernel of an artefact. It is ErrUnsupported if the artefact is for another target,
// or needs more than the device has. It is ErrShape if its description is inconsistent, and
// ErrOutOfMemory if its tables do not fit.
func (d *Device) Load(artefact *abi.Artefact) (*Kernel, error) {
	if !d.valid() {
		return nil, invalid("load a kernel: device", deviceMaker)
	}
	if err := checkArtefact(artefact); err != nil {
		return nil, err
	}
	if artefact.Target != d.info.Target {
		return nil, fmt.Errorf("kernel %s: %w: compiled for %s, but %s takes %s",
			artefact.Kernel.Name, ErrUnsupported, artefact.Target, d.info.ID(), d.info.Target)
	}
	if err := checkHidden(&artefact.Kernel); err != nil {
		return nil, err
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.orphans.reclaim()
	loaded, err := d.driver.Load(artefact)
	if err != nil {
		return nil, err
	}
	coarse := newCoarse(artefact)
	free := func() error { return errors.Join(loaded.Close(), coarse.close()) }
	tables, err := d.tables(&artefact.Kernel)
	if err != nil {
		return nil, errors.Join(err, free())
	}
	if tables != nil {
		free = func() error { return errors.Join(loaded.Close(), coarse.close(), tables.close()) }
	}
	k := &Kernel{device: d, kernel: loaded, description: artefact.Kernel, coarse: coarse, tables: tables, lifetime: new(lifetime)}
	k.arguments = k.description.Arguments()
	k.accepted = make([]acceptedTypes, len(k.arguments))
	k.messages, k.record, k.scratch, _ = k.description.Hidden()
	if k.description.Fault != nil {
		k.sites = &faultSites{kernel: k.description.Name, fault: k.description.Fault}
	}
	if k.description.Messages != nil {
		k.printer = &printer{kernel: k.description.Name, messages: k.description.Messages}
	}
	k.lifetime.open(d.orphans, freeing(d, free))
	return k, nil
}

// checkHidden compares a description with the bindings that the runtime provides.
func checkHidden(k *abi.Kernel) error {
	messages, fault, scratch, tables := k.Hidden()
	if last := max(messages, fault, scratch, tables); last >= len(k.Bindings) {
		return fmt.Errorf("kernel %s: %w: %d bindings are too few for what its description says", k.Name, ErrShape, len(k.Bindings))
	}
	if scratch >= 0 && (k.Scratch.Stride == 0 || k.Scratch.Stride != k.Bindings[scratch].Stride) {
		return fmt.Errorf("kernel %s: %w: %d bytes of scratch memory for each invocation, but its binding has elements of %d",
			k.Name, ErrShape, k.Scratch.Stride, k.Bindings[scratch].Stride)
	}
	return nil
}

// tables allocates and writes a kernel's tables, if it has any.
func (d *Device) tables(k *abi.Kernel) (*allocation, error) {
	if k.Tables == nil {
		return nil, nil
	}
	bytes := uint64(len(k.Tables))
	if bytes < k.Bindings[len(k.Bindings)-1].MinimumBytes() {
		return nil, fmt.Errorf("kernel %s: %w: %d bytes of tables do not fit its last binding", k.Name, ErrShape, bytes)
	}
	a, err := d.allocation(bytes, nil, true)
	if err != nil {
		return nil, err
	}
	if err := d.upload(a, k.Tables); err != nil {
		return nil, errors.Join(fmt.Errorf("kernel %s: write its tables: %w", k.Name, err), a.close())
	}
	return a, nil
}

// upload writes all of new memory and waits, inside enter and leave.
func (d *Device) upload(a *allocation, data []byte) error {
	err := d.onTransferStream(func(stream driver.Stream) error {
		if err := stream.Write(a.whole(), data); err != nil {
			return err
		}
		return stream.Wait(context.Background())
	})
	if err != nil {
		d.pool.abandon(a)
	}
	return err
}

// NewStream makes an ordered queue of work. Close releases it.
func (d *Device) NewStream() (*Stream, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.orphans.reclaim()
	stream, err := d.driver.NewStream()
	if err != nil {
		return nil, err
	}
	s := &Stream{device: d, number: streamNumbers.Add(1), lifetime: new(lifetime), work: work{stream: stream, progress: new(progress), reports: new(reports)}}
	s.lifetime.open(d.orphans, freeing(d, stream.Close))
	return s, nil
}

// freeing wraps the release of a driver object, which a closed device has released already. It runs
// inside enter and leave, or after Close was called.
func freeing(d *Device, free func() error) func() error {
	return func() error {
		if d.life.over() {
			return nil
		}
		return free()
	}
}

// transfer writes host bytes to memory that nothing else uses yet and waits.
func (d *Device) transfer(ctx context.Context, dst driver.Slice, src []byte) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.onTransferStream(func(stream driver.Stream) error {
		ended := ctx.Err() // streams that are idle need not look
		return d.blocking(copyUpload, len(src), func() error {
			if err := stream.Write(dst, src); err != nil {
				return err
			}
			return cmp.Or(stream.Wait(ctx), ended)
		})
	})
}

// onTransferStream calls f with a stream that nothing else uses meanwhile.
func (d *Device) onTransferStream(f func(driver.Stream) error) error {
	d.mutex.Lock()
	var stream driver.Stream
	if n := len(d.transfers); n > 0 {
		stream, d.transfers = d.transfers[n-1], d.transfers[:n-1]
	}
	d.mutex.Unlock()
	if stream == nil {
		var err error
		if stream, err = d.driver.NewStream(); err != nil {
			return err
		}
	}
	defer func() {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.transfers = append(d.transfers, stream)
	}()
	return f(stream)
}
