package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// This file loads embedded kernels in parallel with the program.

// Preloading is the loading of kernels that Preload has begun.
type Preloading struct {
	workers sync.WaitGroup
	ctx     context.Context
	device  *Device
	archive string
	names   []string
	all     bool         // the names are all kernels of the archive
	next    atomic.Int64 // of the names

	mutex    sync.Mutex
	failures []error // by name
	err      error   // that ended it
}

// Preload begins to load kernels of an archive that `gpuc gen` wrote, and returns at once: those
// with the given names, or all of them. As many are loaded at a time as the program uses
// processors. The first launch of a kernel, or Embedded.Load, finds it loaded, waits until it is,
// or loads it before the others.
//
// Wait returns errors; a kernel with an error is loaded again when it is launched, which returns
// the error, too. When ctx ends, no further kernels are loaded.
func (d *Device) Preload(ctx context.Context, archive string, names ...string) *Preloading {
	p := &Preloading{ctx: ctx, device: d, archive: archive, names: names}
	if p.err = p.prepare(); p.err != nil {
		return p
	}
	p.failures = make([]error, len(p.names))
	for range min(len(p.names), runtime.GOMAXPROCS(0)) {
		p.workers.Go(p.work)
	}
	return p
}

// prepare checks the arguments, and finds the names.
func (p *Preloading) prepare() error {
	if p.ctx == nil {
		p.ctx = context.Background()
	}
	if !p.device.valid() {
		return invalid("preload kernels: device", deviceMaker)
	}
	archive, err := p.device.openArchive(p.archive)
	if err != nil {
		return fmt.Errorf("preload kernels: %w", err)
	}
	if len(p.names) > 0 {
		return nil
	}
	index, err := archive.Index()
	if err != nil {
		return fmt.Errorf("preload kernels: %w", err)
	}
	p.all = true
	for _, k := range index.Kernels {
		p.names = append(p.names, k.Name)
	}
	return nil
}

// work loads kernels until there is none left, ctx ends or the device is closed.
func (p *Preloading) work() {
	for {
		n := p.next.Add(1) - 1
		if n >= int64(len(p.names)) {
			return
		}
		err := p.ctx.Err()
		if err == nil {
			e := Embedded{Archive: p.archive, Name: p.names[n]}
			_, err = e.Load(p.device)
			if !errors.Is(err, ErrClosed) {
				p.failures[n] = err // of which each has one worker
				continue
			}
		}
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if p.err == nil {
			p.err = fmt.Errorf("preload kernels: %w", err)
		}
		return
	}
}

// Wait waits until the kernels are loaded, and returns their errors (see Embedded.Load) joined. If
// the kernels were not named, those that the device cannot run are no error. It is the error of
// Preload's ctx if that has ended before they were loaded, and ErrClosed if the device was closed.
func (p *Preloading) Wait() error {
	if p == nil || p.ctx == nil {
		return invalid("wait for kernels", "Device.Preload")
	}
	p.workers.Wait()
	if p.err != nil {
		return p.err
	}
	var failures []error
	for _, err := range p.failures {
		if !p.all || !errors.Is(err, ErrUnsupported) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}
