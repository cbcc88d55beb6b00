package webgpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall/js"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// device is a GPUDevice. Its streams share its queue, which executes in order.
type device struct {
	info    driver.Info
	gpu     js.Value
	queue   js.Value
	onError js.Func

	mutex   sync.Mutex
	closed  bool
	lost    error
	errs    []error // that no call has caught, for the next wait
	streams map[*stream]struct{}
	staging []staging // idle
}

func newDevice(info driver.Info, gpu js.Value) *device {
	d := &device{info: info, gpu: gpu, queue: gpu.Get("queue"), streams: map[*stream]struct{}{}}
	d.onError = js.FuncOf(func(_ js.Value, events []js.Value) any {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.errs = append(d.errs, failed("an earlier call", errors.New(message(events[0].Get("error")))))
		return nil
	})
	gpu.Set("onuncapturederror", d.onError)
	promised(gpu.Get("lost"), func(about js.Value) error {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.lost = fmt.Errorf("webgpu: %w: %s", driver.ErrDeviceLost, about.Get("message").String())
		return nil
	})
	return d
}

// open begins a call.
func (d *device) open() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return fmt.Errorf("webgpu: device: %w", driver.ErrClosed)
	}
	return d.lost
}

// failures returns the errors that no call has caught, and forgets them.
func (d *device) failures() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	err := errors.Join(append(d.errs, d.lost)...)
	d.errs = nil
	return err
}

// Info implements driver.Device.
func (d *device) Info() driver.Info { return d.info }

// usages of buffers (WebGPU §5.1.2).
const (
	mapRead = 0x1
	copySrc = 0x4
	copyDst = 0x8
	uniform = 0x40
	storage = 0x80
)

// checkedBytes is the size from which on an allocation waits for the browser's answer.
const checkedBytes = 1 << 20

// Alloc implements driver.Device. The browser zeroes new buffers.
func (d *device) Alloc(bytes uint64) (driver.Memory, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	if bytes > d.info.MaxBufferBytes {
		return nil, fmt.Errorf("webgpu: allocate %d bytes: %w", bytes, driver.ErrOutOfMemory)
	}
	b, err := d.buffer(max((bytes+3)&^3, 4), copySrc|copyDst|uniform|storage)
	if err != nil {
		return nil, fmt.Errorf("webgpu: allocate %d bytes: %w", bytes, err)
	}
	return &memory{device: d, buffer: b, bytes: bytes}, nil
}

// buffer makes a GPUBuffer.
func (d *device) buffer(bytes uint64, usage int) (b js.Value, err error) {
	checked := bytes >= checkedBytes
	if checked {
		d.gpu.Call("pushErrorScope", "out-of-memory")
	}
	err = attempt(func() {
		b = d.gpu.Call("createBuffer", object(map[string]any{"size": float64(bytes), "usage": usage}))
	})
	if checked {
		if refused, failure := await(d.gpu.Call("popErrorScope")); failure != nil || refused.Truthy() {
			err = driver.ErrOutOfMemory
		}
	}
	return b, err
}

// Reserve implements driver.Device. A block has no buffer of its own, but each part is one. A
// dispatch must not read a buffer and write another part of it (WebGPU §3.4.5, "compatible usage
// list").
func (d *device) Reserve(bytes uint64) (b driver.Block, zeros bool, err error) {
	if err := d.open(); err != nil {
		return nil, false, err
	}
	if bytes > d.info.MaxBufferBytes {
		return nil, false, fmt.Errorf("webgpu: reserve %d bytes: %w", bytes, driver.ErrOutOfMemory)
	}
	return &block{d}, true, nil
}

type block struct{ device *device }

// Part implements driver.Block.
func (b *block) Part(_, bytes uint64) (driver.Memory, error) { return b.device.Alloc(bytes) }

// Free implements driver.Block.
func (b *block) Free() error { return nil }

// memory is a GPUBuffer of whole words.
type memory struct {
	device *device
	buffer js.Value
	bytes  uint64

	mutex sync.Mutex
	freed bool
}

// Bytes implements driver.Memory.
func (m *memory) Bytes() uint64 { return m.bytes }

// Free implements driver.Memory. The browser keeps the buffer for work that was submitted, and
// streams submit before they free.
func (m *memory) Free() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.freed {
		return nil
	}
	m.freed = true
	m.device.submitAll()
	m.buffer.Call("destroy")
	return nil
}

// words is the size in bytes of the buffer.
func (m *memory) words() uint64 { return max((m.bytes+3)&^3, 4) }

// hostMemory is memory of Go's: bytes are copied to JavaScript and back in any case.
type hostMemory struct {
	bytes []byte
	freed atomic.Bool
}

// Bytes implements driver.HostMemory.
func (m *hostMemory) Bytes() []byte { return m.bytes }

// Free implements driver.HostMemory. The collector takes the memory once no copy uses it.
func (m *hostMemory) Free() error {
	m.freed.Store(true)
	return nil
}

// NewHostMemory implements driver.Device.
func (d *device) NewHostMemory(bytes uint64) (driver.HostMemory, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	if bytes > d.info.MaxBufferBytes {
		return nil, fmt.Errorf("webgpu: %d bytes of the host: %w", bytes, driver.ErrOutOfMemory)
	}
	return &hostMemory{bytes: driver.Aligned(int(bytes), 256)}, nil
}

// Clear implements driver.Device. The queue executes in order.
func (d *device) Clear(m driver.Memory) error {
	of, err := d.own(m)
	if err != nil {
		return fmt.Errorf("webgpu: clear: %w", err)
	}
	d.submitAll()
	encoder := d.gpu.Call("createCommandEncoder")
	encoder.Call("clearBuffer", of.buffer, 0, float64(of.words()))
	d.submit(encoder)
	return nil
}

// own returns memory of the device that was not freed.
func (d *device) own(m driver.Memory) (*memory, error) {
	of, ok := m.(*memory)
	if !ok || of.device != d {
		return nil, fmt.Errorf("%w: the memory belongs to another device", driver.ErrUnsupported)
	}
	of.mutex.Lock()
	defer of.mutex.Unlock()
	if of.freed {
		return nil, fmt.Errorf("memory: %w", driver.ErrClosed)
	}
	return of, d.open()
}

// submit submits what an encoder has.
func (d *device) submit(encoder js.Value) {
	d.queue.Call("submit", []any{encoder.Call("finish")})
}

// submitAll submits what streams have encoded.
func (d *device) submitAll() {
	d.mutex.Lock()
	var list []*stream
	for s := range d.streams {
		list = append(list, s)
	}
	d.mutex.Unlock()
	for _, s := range list {
		s.mutex.Lock()
		s.submit()
		s.mutex.Unlock()
	}
}

// Drain implements driver.Device.
func (d *device) Drain() error {
	if err := d.open(); err != nil {
		return err
	}
	d.submitAll()
	d.mutex.Lock()
	var reads []*promise
	for s := range d.streams {
		reads = append(reads, s.reads...)
	}
	d.mutex.Unlock()
	_, err := await(d.queue.Call("onSubmittedWorkDone"))
	for _, r := range reads {
		_, _ = r.wait(context.Background())
	}
	return err
}

// NewTexture implements driver.Device.
func (d *device) NewTexture(*texture.Description) (driver.Texture, error) {
	return nil, fmt.Errorf("webgpu: %w: textures", driver.ErrUnsupported)
}

// NewSampler implements driver.Device.
func (d *device) NewSampler(*texture.Sampler) (driver.Sampler, error) {
	return nil, fmt.Errorf("webgpu: %w: samplers", driver.ErrUnsupported)
}

// kernel is a GPUComputePipeline with the layouts of its bind groups.
type kernel struct {
	pipeline    js.Value
	layouts     []js.Value
	description *abi.Kernel
	immediates  int
}

// Close implements driver.Kernel: the collector of JavaScript frees pipelines.
func (k *kernel) Close() error { return nil }

// Load implements driver.Device.
func (d *device) Load(artefact *abi.Artefact) (driver.Kernel, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	if err := d.info.Accepts(artefact); err != nil {
		return nil, fmt.Errorf("webgpu: %w", err)
	}
	k := &artefact.Kernel
	if len(k.Handles) > 0 {
		return nil, fmt.Errorf("webgpu: kernel %s: %w: textures", k.Name, driver.ErrUnsupported)
	}
	made := &kernel{description: k, immediates: k.ImmediateBytes()}
	var pipeline, module js.Value
	err := attempt(func() {
		module = d.gpu.Call("createShaderModule", object(map[string]any{"code": string(artefact.Code), "label": k.Name}))
		layout := map[string]any{"bindGroupLayouts": d.layouts(made)}
		if made.immediates > 0 {
			layout["immediateSize"] = (made.immediates + 3) &^ 3
		}
		pipeline = d.gpu.Call("createComputePipelineAsync", object(map[string]any{
			"layout":  d.gpu.Call("createPipelineLayout", object(layout)),
			"compute": map[string]any{"module": module, "entryPoint": k.Name},
		}))
	})
	if err == nil {
		made.pipeline, err = await(pipeline)
	}
	if err != nil {
		return nil, fmt.Errorf("webgpu: kernel %s: %w: %v%s", k.Name, driver.ErrUnsupported, err, compilerMessages(module))
	}
	return made, nil
}

// layouts makes the layouts of bind groups, also of groups without bindings below the last.
func (d *device) layouts(k *kernel) (list []any) {
	kinds := map[abi.Access]string{abi.Uniform: "uniform", abi.Read: "read-only-storage", abi.ReadWrite: "storage"}
	for group := uint32(0); ; group++ {
		entries, more := []any{}, false
		for _, b := range k.description.Bindings {
			if more = more || b.Group > group; b.Group == group {
				entries = append(entries, map[string]any{"binding": b.Binding, "visibility": 4, "buffer": map[string]any{"type": kinds[b.Access]}})
			}
		}
		if len(entries) == 0 && !more {
			return list
		}
		made := d.gpu.Call("createBindGroupLayout", object(map[string]any{"entries": entries}))
		k.layouts, list = append(k.layouts, made), append(list, made)
	}
}

// compilerMessages returns what the browser's compiler says of a module.
func compilerMessages(module js.Value) string {
	if !module.Truthy() {
		return ""
	}
	about, err := await(module.Call("getCompilationInfo"))
	if err != nil {
		return ""
	}
	var text strings.Builder
	for list, n := about.Get("messages"), 0; n < list.Length(); n++ {
		m := list.Index(n)
		fmt.Fprintf(&text, "\n%d:%d: %s: %s", m.Get("lineNum").Int(), m.Get("linePos").Int(), m.Get("type").String(), m.Get("message").String())
	}
	return text.String()
}

// Close implements driver.Device.
func (d *device) Close() error {
	if d.open() == nil {
		_ = d.Drain()
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	d.gpu.Set("onuncapturederror", js.Null())
	d.onError.Release()
	d.gpu.Call("destroy")
	return nil
}
