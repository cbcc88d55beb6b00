// Coarse forms of kernels, for launches with many invocations.

package gpu

import (
	"slices"
	"sync"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// coarse is a kernel's coarse form. It is loaded by the first launch that is large enough for it: most kernels have no such launch, and
// drivers take their time to compile.
type coarse struct {
	form   *abi.Coarse
	mutex  sync.Mutex
	tried  bool
	loaded driver.Kernel // nil if it has not been loaded, or the device does not take it
}

// newCoarse returns the coarse form of an artefact, or nil if there is none, or none for launches with the other form's arguments.
func newCoarse(a *abi.Artefact) *coarse {
	if c := a.Coarse; c != nil && c.Artefact != nil && slices.Equal(c.Artefact.Kernel.Bindings, a.Kernel.Bindings) {
		return &coarse{form: c}
	}
	return nil
}

// kernel returns the form's kernel on a device, or nil if the device does not take it, as for want of registers: then the other one is
// launched.
func (c *coarse) kernel(d *Device) driver.Kernel {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.tried {
		c.tried = true
		c.loaded, _ = d.driver.Load(c.form.Artefact)
	}
	return c.loaded
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
	return c.loaded.Close()
}

// coarsen makes a launch one of the coarse form, if there is one and the launch is large enough. The extent is that of the launch.
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
}
