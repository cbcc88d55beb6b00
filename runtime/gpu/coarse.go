// Coarse forms of kernels, for launches with many invocations.

package gpu

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// coarse is a kernel's coarse form. It is loaded by the first launch that is large enough for it:
// most kernels have no such launch, and drivers take their time to compile.
type coarse struct {
	form   *abi.Coarse
	mutex  sync.Mutex
	tried  bool
	loaded driver.Kernel // nil if it has not been loaded, or the device does not take it
	tables driver.Slice  // without memory unless it has other tables than the other form
	free   func() error  // gives them back
	own    bool          // it has other tables
}

// newCoarse returns the coarse form of an artefact, or nil if there is none, or none for launches
// with the other form's arguments.
func newCoarse(a *abi.Artefact) *coarse {
	c := a.Coarse
	if c == nil || c.Artefact == nil {
		return nil
	}
	about := &c.Artefact.Kernel
	if !slices.Equal(about.Bindings, a.Kernel.Bindings) || hidden(about) != hidden(&a.Kernel) {
		return nil
	}
	return &coarse{form: c, own: !bytes.Equal(about.Tables, a.Kernel.Tables)}
}

// hidden says where the bindings are that the runtime provides.
func hidden(k *abi.Kernel) [4]int {
	messages, fault, scratch, tables := k.Hidden()
	return [...]int{messages, fault, scratch, tables}
}

// kernel returns the form's kernel on a device, or nil if the device does not take it, as for want
// of registers: then the other one is launched.
func (c *coarse) kernel(d *Device) driver.Kernel {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.tried {
		c.tried = true
		c.load(d)
	}
	return c.loaded
}

// load loads the form, with its tables.
func (c *coarse) load(d *Device) {
	loaded, err := d.driver.Load(c.form.Artefact)
	if err != nil {
		return
	}
	if c.own {
		if c.tables, c.free, err = d.tables(&c.form.Artefact.Kernel); err != nil {
			_ = loaded.Close() // the other form is launched, and says what is wrong with the device
			return
		}
	}
	c.loaded = loaded
}

// close gives the form back, if it was loaded.
func (c *coarse) close() error {
	if c == nil {
		return nil
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.tried = true
	if c.loaded == nil {
		return nil
	}
	err := c.loaded.Close()
	if c.free != nil {
		err = errors.Join(err, c.free())
	}
	return err
}

// coarsen makes a launch one of the coarse form, if there is one and the launch is large enough.
// The extent is that of the launch.
func (s *Stream) coarsen(c *coarse, l *driver.Launch, extent [3]uint32) {
	if c == nil {
		return
	}
	about := &c.form.Artefact.Kernel
	s.given.Grid, s.given.Extent = l.Grid, extent
	s.given.Immediates = l.Immediates[:min(len(l.Immediates), about.ValueBytes())]
	s.given.Sizes = s.given.Sizes[:0]
	for _, b := range l.Bindings {
		s.given.Sizes = append(s.given.Sizes, b.Bytes)
	}
	grid, ok := c.form.Grid(&s.given)
	s.given.Immediates = nil
	if !ok {
		return
	}
	k := c.kernel(s.device)
	if k == nil {
		return
	}
	s.immediates = append(s.immediates[:0], l.Immediates...)
	for len(s.immediates) < about.ImmediateBytes() {
		s.immediates = append(s.immediates, 0)
	}
	about.PutExtent(s.immediates, l.Grid, extent)
	l.Kernel, l.Grid, l.Immediates = k, grid, s.immediates
	if c.own {
		s.parts = append(s.parts[:0], l.Bindings...)
		s.parts[len(s.parts)-1] = c.tables
		l.Bindings = s.parts
	}
}
