package serve

import (
	"bytes"
	lru "container/list"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/devices"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/memlimit"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file runs entry points and compiles them for targets. Each worker has its own cache,
// since a lock around a shared cache would cost more than to compile a program twice.

// Limits of a request and of a worker's cache.
const (
	maxRunBytes  = 1 << 28 // in the buffers of a run
	maxDispatch  = 65535   // workgroups in a dimension (WebGPU §3.6.2)
	keptPrograms = 64      // programs in a cache

	maxKeptRequest = 1 << 17 // maximum of server.keptRequest
)

// serveWorker answers one request at a time. It reuses memory from one request to the next.
type serveWorker struct {
	server   *server
	compiler *wgsl.Compiler
	context  opt.Context
	set      *source.Set
	list     diag.List
	cache    programCache
	stream   *gpu.Stream // on the server's device; made when first needed
	held     uint64      // bytes taken of server.work
	hung     bool        // a launch on the device has not ended
}

// hold gives back the memory for work that the worker has, and then takes so many bytes, for which
// it may wait. While it waits it has none.
func (w *serveWorker) hold(bytes uint64) {
	if w.held > 0 {
		w.server.work.Give(w.held)
	}
	if w.held = bytes; bytes > 0 {
		w.server.work.Take(0, bytes)
	}
}

// newServeWorker returns a worker of a server.
func newServeWorker(s *server) *serveWorker {
	w := &serveWorker{server: s, compiler: wgsl.NewCompiler()}
	w.cache.entries = map[[sha256.Size]byte]*lru.Element{}
	return w
}

// forget drops the memory that is reused. It is as large as the largest request needed.
func (w *serveWorker) forget() {
	w.compiler, w.context, w.set, w.list = wgsl.NewCompiler(), opt.Context{}, nil, diag.List{}
}

// close releases the worker's programs and stream.
func (w *serveWorker) close() {
	w.cache.shrink(0, 0)
	w.hold(0)
	if w.stream != nil {
		w.stream.Close()
		w.stream = nil
	}
}

// serveProgram is an entry point compiled for the interpreter or for the device.
type serveProgram struct {
	interpreted *interp.Program
	kernel      *gpu.Kernel
	description *abi.Kernel
	large       *abi.Coarse // the large-launch variant, or nil
	warnings    []string
	bytes       int // of memory
}

// launchMemory is the memory for a launch, without buffers.
func (p *serveProgram) launchMemory() uint64 {
	if p.interpreted == nil {
		return 0
	}
	return p.interpreted.LaunchBytes()
}

// build compiles an entry point for a target.
func (w *serveWorker) build(r *request, a *answer) {
	target, err := all.Find(r.Target)
	if err != nil {
		a.Error = err.Error()
		return
	}
	artefact := w.compile(r, a, target)
	if artefact != nil {
		a.Artefact, a.Kernel = artefact.Code, &artefact.Kernel
	}
}

// compile compiles the request's entry point for a target. It returns nil if there are errors.
func (w *serveWorker) compile(r *request, a *answer, target *codegen.Target) *abi.Artefact {
	module := w.load(r, a)
	if module == nil {
		return nil
	}
	options := codegen.Options{Settings: r.settings(), Context: &w.context, ByValue: true, Coarse: w.server.large && r.Stage == "run"}
	artefact := codegen.Compile(module, r.entry(), target, &options, &w.list)
	w.judge(a)
	w.compiler.Recycle(module)
	return artefact
}

// run executes an entry point and answers with the buffers that it changed.
func (w *serveWorker) run(r *request, a *answer) {
	total, err := r.bufferBytes()
	if err == nil {
		err = checkDispatch(r.Dispatch)
	}
	if err == nil {
		err = devices.CheckByteOrder(binary.NativeEndian)
	}
	if err != nil {
		a.Error = err.Error()
		return
	}
	program := w.program(r, a)
	if program == nil {
		return
	}
	if len(r.Code) > w.server.keptRequest {
		w.forget() // before the run takes memory
	}
	// there are two copies of the answer, with buffers in base64
	w.hold(requestMemory + program.launchMemory() + total + 2*(total/3+1)*4)
	buffers := r.buffers()
	ctx, cancel := context.WithTimeout(context.Background(), w.server.timeout)
	defer cancel()
	if program.kernel != nil {
		err = w.launch(ctx, program.kernel, r, buffers)
		w.hung = errors.Is(err, context.DeadlineExceeded)
		a.Large = program.isLarge(r)
	} else {
		err = interpret(ctx, program.interpreted, r, buffers)
	}
	a.OK, a.Warnings = err == nil, program.warnings
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		a.Error = fmt.Sprintf("the run has not ended after %v", w.server.timeout)
	case err != nil:
		a.Error = err.Error()
	default:
		a.Buffers = changed(r.Bindings, buffers)
	}
}

// bufferBytes returns the size of all bindings.
func (r *request) bufferBytes() (total uint64, err error) {
	for i, b := range r.Bindings {
		size := max(b.Size, uint64(len(b.Data)))
		if b.Size != 0 && b.Size < size {
			return 0, fmt.Errorf("binding %d of group %d has %d bytes of data, more than its size of %d", b.Binding, b.Group, len(b.Data), b.Size)
		}
		if total += min(size, maxRunBytes+1); total > maxRunBytes {
			return 0, fmt.Errorf("the buffers have more than %d bytes", maxRunBytes)
		}
		for _, other := range r.Bindings[:i] {
			if other.Group == b.Group && other.Binding == b.Binding {
				return 0, fmt.Errorf("binding %d of group %d is given twice", b.Binding, b.Group)
			}
		}
	}
	return total, nil
}

// buffers returns the contents of the bindings, aligned for atomics of 8 bytes.
func (r *request) buffers() [][]byte {
	buffers := make([][]byte, len(r.Bindings))
	for i, b := range r.Bindings {
		size := max(b.Size, uint64(len(b.Data)))
		buffers[i] = memlimit.AlignedBytes(size)
		copy(buffers[i], b.Data)
	}
	return buffers
}

// immediates returns the immediates for a kernel that has the given number of bytes.
func (r *request) immediates(bytes int) []byte {
	data := make([]byte, bytes)
	copy(data, r.Immediates)
	return data
}

// checkDispatch checks the number of workgroups.
func checkDispatch(dispatch []uint32) error {
	if len(dispatch) != 3 {
		return fmt.Errorf("dispatch has %d numbers; it must have 3", len(dispatch))
	}
	for _, n := range dispatch {
		if n > maxDispatch {
			return fmt.Errorf("dispatch has %d workgroups; at most %d are allowed in each dimension", n, maxDispatch)
		}
	}
	return nil
}

// bound returns the index of the request's binding for a variable of at least the given number of
// bytes.
func (r *request) bound(group, binding uint32, name string, bytes uint64) (int, error) {
	for i, b := range r.Bindings {
		if b.Group != group || b.Binding != binding {
			continue
		}
		if size := max(b.Size, uint64(len(b.Data))); size < bytes {
			return 0, fmt.Errorf("`%s` (group %d, binding %d) is bound to %d bytes; it needs at least %d", name, group, binding, size, bytes)
		}
		return i, nil
	}
	return 0, fmt.Errorf("nothing is bound to `%s` (group %d, binding %d)", name, group, binding)
}

// interpret runs a program with one goroutine, since there are several workers. So the order of
// workgroups is always the same.
func interpret(ctx context.Context, p *interp.Program, r *request, buffers [][]byte) error {
	launch := interp.Launch{Grid: [3]uint32(r.Dispatch), Workers: 1, Context: ctx}
	for _, b := range p.Bindings() {
		i, err := r.bound(b.Group, b.Binding, b.Name, uint64(b.Size)+uint64(b.Stride))
		if err != nil {
			return err
		}
		launch.Buffers = append(launch.Buffers, buffers[i])
	}
	launch.Immediates = r.immediates(p.Immediates())
	_, err := p.Run(&launch)
	return err
}

// launch runs a kernel on the device.
func (w *serveWorker) launch(ctx context.Context, k *gpu.Kernel, r *request, buffers [][]byte) (err error) {
	if w.stream == nil {
		if w.stream, err = w.server.device.NewStream(); err != nil {
			return err
		}
	}
	arguments := k.Args()
	bindings := k.Describe().Arguments()
	on := make([]*gpu.Buffer[byte], len(bindings))
	at := make([]int, len(bindings))
	for i, b := range bindings {
		if at[i], err = r.bound(b.Group, b.Binding, b.Name, b.MinimumBytes()); err != nil {
			return err
		}
		if on[i], err = gpu.Upload(ctx, w.server.device, buffers[at[i]]); err != nil {
			return err
		}
		defer on[i].Close()
		if err = arguments.Set(i, on[i]); err != nil {
			return err
		}
	}
	if err = arguments.SetImmediates(r.immediates(k.Describe().ValueBytes())); err != nil {
		return err
	}
	grid := gpu.Grid{X: r.Dispatch[0], Y: r.Dispatch[1], Z: r.Dispatch[2]}
	if grid.Y == 0 || grid.Z == 0 { // WebGPU allows it
		grid = gpu.D1(0)
	}
	if err = w.stream.Launch(arguments, grid); err != nil {
		return err
	}
	if err = w.stream.Wait(ctx); err != nil {
		w.stream.Close() // the next launch must not wait for this one
		w.stream = nil
		return err
	}
	for i, b := range bindings {
		if b.Access != abi.ReadWrite {
			continue
		}
		if err = on[i].Read(ctx, w.stream, buffers[at[i]]); err != nil {
			return err
		}
	}
	return nil
}

// changed returns the buffers that differ from what the request held.
func changed(bindings []boundBytes, buffers [][]byte) []boundBytes {
	var out []boundBytes
	for i, b := range bindings {
		data := buffers[i]
		if n := len(b.Data); !bytes.Equal(data[:n], b.Data) || !allZero(data[n:]) {
			out = append(out, boundBytes{Group: b.Group, Binding: b.Binding, Data: data})
		}
	}
	return out
}

// allZero reports whether all bytes are zero.
func allZero(data []byte) bool {
	for _, x := range data {
		if x != 0 {
			return false
		}
	}
	return true
}

// program returns the compiled entry point, from the cache if it is there. If there are errors, it
// puts them into the answer and returns nil.
func (w *serveWorker) program(r *request, a *answer) *serveProgram {
	key := r.key()
	if p := w.cache.get(key); p != nil {
		return p
	}
	p := new(serveProgram)
	var err error
	if w.server.device == nil {
		if p.interpreted, err = w.interpretable(r, a); p.interpreted != nil {
			p.bytes = p.interpreted.Bytes()
		}
	} else if artefact := w.compile(r, a, w.server.target()); artefact != nil {
		if err = refuseHandles(&artefact.Kernel); err == nil {
			if artefact.Coarse != nil {
				artefact.Coarse.MinInvocations = 0 // for launches of any size
			}
			p.kernel, err = w.loadInTime(artefact)
			p.description, p.large = &artefact.Kernel, artefact.Coarse
			p.bytes = loadedFactor * len(artefact.Code)
			if w.server.device.Info().Kind == driver.Software {
				p.bytes += softwareBytes
			}
		}
	}
	if err != nil {
		a.OK, a.Error = false, err.Error()
	}
	if p.interpreted == nil && p.kernel == nil {
		return nil
	}
	p.warnings = a.Warnings
	w.cache.add(key, p, w.server.kept)
	return p
}

// loadInTime loads a kernel on the device within the server's timeout.
func (w *serveWorker) loadInTime(artefact *abi.Artefact) (*gpu.Kernel, error) {
	type loaded struct {
		kernel *gpu.Kernel
		err    error
	}
	done := make(chan loaded, 1)
	go func() {
		k, err := w.server.device.Load(artefact)
		done <- loaded{k, err}
	}()
	timer := time.NewTimer(w.server.timeout)
	defer timer.Stop()
	select {
	case l := <-done:
		return l.kernel, l.err
	case <-timer.C:
		w.hung = true
		return nil, fmt.Errorf("the driver has not compiled the kernel after %v", w.server.timeout)
	}
}

// isLarge reports whether a launch runs the large-launch variant.
func (p *serveProgram) isLarge(r *request) bool {
	given := abi.LaunchValues{Grid: [3]uint32(r.Dispatch), Immediates: r.immediates(p.description.ValueBytes())}
	for _, b := range p.description.Arguments() {
		n, err := r.bound(b.Group, b.Binding, b.Name, 0)
		if err != nil {
			return false
		}
		given.Sizes = append(given.Sizes, max(r.Bindings[n].Size, uint64(len(r.Bindings[n].Data))))
	}
	_, ok := p.large.Grid(&given)
	return ok
}

// interpretable compiles an entry point for the interpreter: with the limits of WebGPU, and after
// the portable passes. Without an error and a program, the answer has the reason.
func (w *serveWorker) interpretable(r *request, a *answer) (*interp.Program, error) {
	module := w.load(r, a)
	if module == nil {
		return nil, nil
	}
	defer w.compiler.Recycle(module)
	kernel := codegen.Prepare(module, r.entry(), r.settings(), &codegen.WebLimits, &w.list)
	if kernel != nil {
		w.context.List = &w.list
		w.context.Run(module, opt.Standard(), ir.Initial)
		ir.Verify(module, &w.list)
	}
	if w.judge(a); !a.OK {
		return nil, nil
	}
	p, err := interp.Compile(module, kernel)
	if err != nil {
		return nil, err
	}
	if handles := p.Handles(); len(handles) > 0 {
		return nil, unbindable(handles[0].Name)
	}
	return p, nil
}

// refuseHandles returns an error for a kernel with textures or samplers.
func refuseHandles(k *abi.Kernel) error {
	if len(k.Handles) > 0 {
		return unbindable(k.Handles[0].Name)
	}
	return nil
}

// unbindable is the error about a texture or sampler.
func unbindable(name string) error {
	return fmt.Errorf("`%s` is a texture or sampler, which requests cannot bind; `gpuc run` can", name)
}

// key returns a hash of all that a program is compiled from.
func (r *request) key() [sha256.Size]byte {
	text, err := json.Marshal([]any{r.Features, r.entry(), r.settings(), r.Code})
	if err != nil {
		panic(err) // strings and finite numbers have a JSON form
	}
	return sha256.Sum256(text)
}

// programCache is a cache of programs, least recently used first out.
type programCache struct {
	entries map[[sha256.Size]byte]*lru.Element
	order   lru.List // of *cachedProgram, the most recently used in front
	bytes   int      // of all programs
}

type cachedProgram struct {
	key     [sha256.Size]byte
	program *serveProgram
}

// loadedFactor estimates the host memory of a loaded kernel as a multiple of the size of its code.
const loadedFactor = 4

// softwareBytes estimates the memory for a kernel's machine code on a software device: 0.2 to 0.4
// MB on llvmpipe.
const softwareBytes = 384 << 10

func (c *programCache) get(key [sha256.Size]byte) *serveProgram {
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedProgram).program
}

// add adds a program, and drops others to keep the total size at most bytes. A larger program stays
// until the request is answered.
func (c *programCache) add(key [sha256.Size]byte, p *serveProgram, bytes int) {
	c.shrink(keptPrograms-1, bytes-p.bytes)
	c.entries[key] = c.order.PushFront(&cachedProgram{key, p})
	c.bytes += p.bytes
}

// shrink drops the least recently used programs until at most so many, of at most the given number
// of bytes, are left.
func (c *programCache) shrink(programs, bytes int) {
	for c.order.Len() > programs || c.order.Len() > 0 && c.bytes > bytes {
		old := c.order.Remove(c.order.Back()).(*cachedProgram)
		delete(c.entries, old.key)
		c.bytes -= old.program.bytes
		if old.program.kernel != nil {
			old.program.kernel.Close()
		}
	}
}
