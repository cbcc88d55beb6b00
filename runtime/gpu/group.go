// Several devices that are used together.

package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Group is several open devices, in an order. OpenAll and NewGroup make it. The devices remain
// independent: each has its own memory, streams and kernels, and one that is lost leaves the others
// as they are.
type Group struct{ devices []*Device }

// Count has OpenAll open n devices instead of all that there are. One that is named with its number
// is opened n times, and so are the CPU and software devices, for tests of programs for several.
// Open takes no notice of it.
func Count(n int) Option {
	return func(c *choice) { c.count = n }
}

// OpenAll opens all GPUs of the first preferred driver that has any. With Named it opens all GPUs
// of that driver, or the one device that is named. It is ErrNoDevice if there are none, or fewer
// than Count says.
func OpenAll(options ...Option) (*Group, error) { return openAll(drivers, options) }

func openAll(drivers []driver.Driver, options []Option) (*Group, error) {
	c, drivers, err := choose(drivers, options)
	if err != nil {
		return nil, err
	}
	if c.count < 0 {
		return nil, fmt.Errorf("open devices: %w: %d of them", ErrShape, c.count)
	}
	d, infos, err := c.found(drivers)
	if err != nil {
		return nil, err
	}
	count := cmp.Or(c.count, len(infos))
	if count > len(infos) && infos[0].Kind == driver.GPU && !strings.Contains(c.named, ":") {
		return nil, fmt.Errorf("%w: %d devices wanted, and %s has %d here", ErrNoDevice, count, d.Name(), len(infos))
	}
	g := new(Group)
	for n := range count {
		device, err := openDevice(d, infos[n%len(infos)], &c)
		if err != nil {
			return nil, errors.Join(err, closeAll(g.devices))
		}
		g.devices = append(g.devices, device)
	}
	return g, nil
}

// found returns the devices that OpenAll may open, at least one, and their driver.
func (c *choice) found(drivers []driver.Driver) (driver.Driver, []Info, error) {
	if c.named != "" {
		d, infos, index, err := findNamed(drivers, c.named)
		if err != nil {
			return nil, nil, err
		}
		if strings.Contains(c.named, ":") || infos[index].Kind != driver.GPU && !c.isOutside(d.Name()) {
			return d, infos[index : index+1], nil
		}
		return d, c.gpus(infos), nil
	}
	var failures []error
	for _, name := range c.prefer {
		d, err := find(drivers, name)
		if err != nil {
			return nil, nil, err
		}
		infos, err := d.Devices()
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", name, err))
		}
		if list := c.gpus(infos); len(list) > 0 {
			return d, list, nil
		}
		if name == CPU && len(infos) > 0 {
			return d, infos[:1], nil // the second one checks kernels
		}
	}
	if len(failures) > 0 {
		return nil, nil, errors.Join(failures...)
	}
	return nil, nil, fmt.Errorf("%w: no GPU found through %s; install its driver, or pass AllowCPU to run on the processor",
		ErrNoDevice, strings.Join(c.prefer, " or "))
}

// gpus returns the GPUs of a driver's devices, and all of them for a driver of another module.
func (c *choice) gpus(infos []Info) []Info {
	return slices.DeleteFunc(slices.Clone(infos), func(i Info) bool { return i.Kind != driver.GPU && !c.isOutside(i.Driver) })
}

// NewGroup makes a group of open devices, at least one, none of them twice. They may be of several
// drivers.
func NewGroup(devices ...*Device) (*Group, error) {
	if len(devices) == 0 {
		return nil, fmt.Errorf("make a group: %w: it has no devices", ErrShape)
	}
	for n, d := range devices {
		if !d.valid() {
			return nil, invalid("make a group: device", deviceMaker)
		}
		if slices.Contains(devices[:n], d) {
			return nil, fmt.Errorf("make a group: %w: device %d is in it twice", ErrShape, n)
		}
	}
	return &Group{slices.Clone(devices)}, nil
}

// Len is the number of devices, 0 for a nil or zero Group.
func (g *Group) Len() int {
	if g == nil {
		return 0
	}
	return len(g.devices)
}

// Devices returns the devices in order.
func (g *Group) Devices() []*Device {
	if g == nil {
		return nil
	}
	return slices.Clone(g.devices)
}

// NewStreams makes a stream for each device.
func (g *Group) NewStreams() ([]*Stream, error) {
	if !g.valid() {
		return nil, invalid("make streams: group", groupMaker)
	}
	var streams []*Stream
	for _, d := range g.devices {
		s, err := d.NewStream()
		if err != nil {
			for _, made := range streams {
				err = join(err, made.Close())
			}
			return nil, err
		}
		streams = append(streams, s)
	}
	return streams, nil
}

// Close closes all devices, as Device.Close does.
func (g *Group) Close() error {
	if !g.valid() {
		return invalid("close a group", groupMaker)
	}
	return closeAll(g.devices)
}

func closeAll(devices []*Device) error {
	var failures []error
	for _, d := range devices {
		failures = append(failures, d.Close())
	}
	return errors.Join(failures...)
}

// Split returns the elements that part i of several gets of n: from start to end-1. Parts are as
// large as each other, but the first n%parts of them have one element more.
func Split(n, parts, i int) (start, end int) {
	if n < 0 || parts < 1 || i < 0 || i >= parts {
		return 0, 0
	}
	size, more := n/parts, n%parts
	start = i*size + min(i, more)
	end = start + size
	if i < more {
		end++
	}
	return start, end
}
