// The large-launch variant of a kernel (abi.Coarse).

package gpu

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// coarse is a kernel's large-launch variant. The first launch that is large enough loads it: most
// kernels have none, and drivers take long to compile.
type coarse struct {
	variant *abi.Coarse
	mutex   sync.Mutex
	tried   bool
	loaded  driver.Kernel // nil if it is not loaded, or the device refuses it
	tables  *allocation   // nil unless own
	own     bool          // its tables differ from the kernel's
}

// newCoarse returns the large-launch variant of an artefact, or nil if there is none, or none that
// takes the kernel's arguments.
func newCoarse(a *abi.Artefact) *coarse {
	c := a.Coarse
	if c == nil || c.Artefact == nil {
		return nil
	}
	about := &c.Artefact.Kernel
	if !slices.Equal(about.Bindings, a.Kernel.Bindings) || hidden(about) != hidden(&a.Kernel) {
		return nil
	}
	return &coarse{variant: c, own: !bytes.Equal(about.Tables, a.Kernel.Tables)}
}

// hidden returns the indices of the bindings that the runtime provides.
func hidden(k *abi.Kernel) [4]int {
	messages, fault, scratch, tables := k.Hidden()
	return [...]int{messages, fault, scratch, tables}
}

// kernel returns the variant on a device, or nil if the device refuses it, as for lack of
// registers: then the kernel itself is launched.
func (c *coarse) kernel(d *Device) driver.Kernel {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.tried {
		c.tried = true
		c.load(d)
	}
	return c.loaded
}

// load loads the variant, with its tables.
func (c *coarse) load(d *Device) {
	loaded, err := d.driver.Load(c.variant.Artefact)
	if err != nil {
		return
	}
	if c.own {
		if c.tables, err = d.tables(&c.variant.Artefact.Kernel); err != nil {
			_ = loaded.Close() // launching the kernel itself reports what is wrong
			return
		}
	}
	c.loaded = loaded
}

// close frees the variant, if it was loaded.
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
	if c.tables != nil {
		err = errors.Join(err, c.tables.close())
	}
	return err
}

// coarsen replaces a launch by one of the large-launch variant, if there is one and the launch is
// large enough. The extent is that of the launch.
func (s *Stream) coarsen(c *coarse, l *driver.Launch, extent [3]uint32) {
	if c == nil {
		return
	}
	about := &c.variant.Artefact.Kernel
	s.values.Grid, s.values.Extent = l.Grid, extent
	s.values.Immediates = l.Immediates[:min(len(l.Immediates), about.ValueBytes())]
	s.values.Sizes = s.values.Sizes[:0]
	for _, b := range l.Bindings {
		s.values.Sizes = append(s.values.Sizes, b.Bytes)
	}
	grid, ok := c.variant.Grid(&s.values)
	s.values.Immediates = nil
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
		s.parts[len(s.parts)-1] = c.tables.whole()
		c.tables.note(s)
		l.Bindings = s.parts
	}
}
