package expr

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// maxPlans is how many plans a context keeps. The one that was used longest ago goes first.
const maxPlans = 256

// Context has the kernels and plans of tensors on one device, and the stream for their work. New
// makes it.
type Context struct {
	device *gpu.Device
	stream *gpu.Stream
	ours   bool // the stream
	math   codegen.Math

	mutex   sync.Mutex
	closed  bool
	epoch   uint64 // of numbers in tensors
	uses    uint64 // of plans
	plans   map[string]*plan
	kernels map[string]*gpu.Kernel // by their text
	stats   Stats
	// of the evaluation under way, reused
	nodes []*Tensor
	key   []byte
	slots []array
}

// Stats counts what a context has done.
type Stats struct {
	Plans    int // made
	Reused   int // evaluations whose plan was there
	Compiled int // kernels
	Launches int
	// Loaded and Stored are the bytes of the tensors that kernels have read and written, each once
	// for a kernel.
	Loaded, Stored uint64
	// Uploads and Downloads count copies from and to the host.
	Uploads, Downloads int
}

// Option is an option of New.
type Option func(*Context)

// On has the work of a context run on a stream, in the order of its other work.
func On(s *gpu.Stream) Option { return func(c *Context) { c.stream = s } }

// Math has kernels compiled with a floating-point mode. With codegen.MathStrict sums, products,
// quotients and roots have the same bits on all devices.
func Math(m codegen.Math) Option { return func(c *Context) { c.math = m } }

// New makes a context for a device. Its work has a stream of its own, unless On names one.
func New(d *gpu.Device, options ...Option) (*Context, error) {
	c := &Context{device: d, plans: map[string]*plan{}, kernels: map[string]*gpu.Kernel{}}
	for _, o := range options {
		if o == nil {
			return nil, fmt.Errorf("expr: make a context: %w: an option is nil", gpu.ErrShape)
		}
		o(c)
	}
	if c.stream == nil {
		s, err := d.NewStream()
		if err != nil {
			return nil, fmt.Errorf("expr: make a context: %w", err)
		}
		c.stream, c.ours = s, true
	}
	if c.stream.Device() != d || d == nil {
		err := fmt.Errorf("expr: make a context: %w: the stream belongs to another device", gpu.ErrShape)
		if c.ours {
			err = errors.Join(err, c.stream.Close())
		}
		return nil, err
	}
	return c, nil
}

// valid reports whether New has made the context.
func (c *Context) valid() bool { return c != nil && c.device != nil }

// errNone is the error of calls on contexts that New has not made.
var errNone = fmt.Errorf("expr: %w: the context is nil or none that New made", gpu.ErrShape)

// Stream returns the stream of the context's work, or nil for a nil or zero Context.
func (c *Context) Stream() *gpu.Stream {
	if c == nil {
		return nil
	}
	return c.stream
}

// Stats returns what the context has done. It is zero for a nil or zero Context.
func (c *Context) Stats() Stats {
	if !c.valid() {
		return Stats{}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.stats
}

// Close ends the context, its kernels and plans. Work under way finishes. Buffers of tensors stay
// until they are closed or collected. Later calls are gpu.ErrClosed. Closing twice is no error.
func (c *Context) Close() error {
	if !c.valid() {
		return errNone
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	var failures []error
	for _, p := range c.plans {
		failures = append(failures, p.close())
	}
	for _, k := range c.kernels {
		failures = append(failures, k.Close())
	}
	c.plans, c.kernels = nil, nil
	if c.ours {
		failures = append(failures, c.stream.Close())
	}
	return errors.Join(failures...)
}

// Run computes tensors together, and does not wait. What several of them depend on is computed
// once. Errors are those of the tensors, of compiling, and of launches.
func (c *Context) Run(tensors ...*Tensor) error {
	if !c.valid() {
		return errNone
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.evaluate(tensors)
}

// begin checks tensors for a call of a name.
func (c *Context) begin(call string, tensors []*Tensor) error {
	if t := refused(call, tensors...); t != nil {
		return t.err
	}
	for _, t := range tensors {
		if t.context != c {
			return fmt.Errorf("expr: %s at %s: %w: the tensor belongs to another context", call, caller(), gpu.ErrShape)
		}
	}
	if c.closed {
		return fmt.Errorf("expr: %s at %s: context: %w", call, caller(), gpu.ErrClosed)
	}
	return nil
}

// Read returns the elements of a tensor, which it computes and copies to the host if they are not
// there. The slice belongs to the tensor, see From. ctx bounds the wait. T must be the tensor's
// type, otherwise it is gpu.ErrShape.
func Read[T Element](ctx context.Context, t *Tensor) ([]T, error) {
	host, err := t.read(ctx, typeOf[T]())
	if err != nil {
		return nil, err
	}
	return host.([]T), nil
}

func (t *Tensor) read(ctx context.Context, element Type) (any, error) {
	if r := refused("Read", t); r != nil {
		return nil, r.err
	}
	if element != t.element {
		return nil, fmt.Errorf("expr: Read at %s: %w: a tensor of %v into a slice of %v; Convert changes the type", caller(), gpu.ErrShape, t.element, element)
	}
	c := t.context
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.begin("Read", []*Tensor{t}); err != nil {
		return nil, err
	}
	if t.onHost {
		return t.host, nil
	}
	if err := c.evaluate([]*Tensor{t}); err != nil {
		return nil, err
	}
	m, host := &memories[t.element], t.host
	if host == nil {
		host = m.make(t.count())
	}
	if t.count() > 0 {
		if err := m.read(ctx, t.device.buffer, c.stream, host); err != nil {
			return nil, fmt.Errorf("expr: Read: %w", err)
		}
		c.stats.Downloads++
	}
	t.host, t.onHost = host, !t.foreign
	return host, nil
}

// Buffer returns the buffer with a tensor's elements, row by row, which it computes and copies to
// the device if they are not there. It belongs to the tensor: Tensor.Close closes it, unless it is
// one of Of. Work that reads it follows on the context's stream, or waits for that. Nothing else
// may write it. T must be the tensor's type, and uint32 for Bool.
func Buffer[T float32 | gpu.Float16 | gpu.BFloat16 | int32 | uint32](t *Tensor) (*gpu.Buffer[T], error) {
	bound, err := t.deviceBuffer()
	if err != nil {
		return nil, err
	}
	b, ok := bound.(*gpu.Buffer[T])
	if !ok {
		return nil, fmt.Errorf("expr: Buffer at %s: %w: a tensor of %v is a %T, not a %T", caller(), gpu.ErrShape, t.element, bound, b)
	}
	return b, nil
}

func (t *Tensor) deviceBuffer() (gpu.Bound, error) {
	if r := refused("Buffer", t); r != nil {
		return nil, r.err
	}
	c := t.context
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.evaluate([]*Tensor{t}); err != nil {
		return nil, err
	}
	if err := t.toDevice(); err != nil {
		return nil, err
	}
	return t.device.buffer, nil
}
