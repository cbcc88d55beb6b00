// Recordings: graphs (CUDA Driver API, "Graph Management"). An operation is a node, which depends
// on the nodes of the operations that it follows.

package cudalike

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// recording is a driver.Recording.
type recording struct {
	device *device
	work   []driver.Operation
	layout stream // no stream: it has the arguments of launches
	graph  *graph // nil if it is to be built anew
	// replays says that there was a replay.
	replays bool
	// list replays the work of a graph that could not be built anew, if that is so.
	list *driver.List
	// generation is that of the last fill of memory that the work uses.
	generation uint64
	// written is what the work writes of memory that is tracked, and sometimes what it did before
	// changes; least is how much of it there is without those.
	written []driver.Slice
	least   int
	// values is the memory to which the work writes what kernels may take by value.
	values map[*memory]bool
	copy   driver.Launch // of the kernel that copies
}

// graph is a CUgraph with its executable form, a CUgraphExec.
type graph struct {
	device           *device
	graph, execution uintptr
	nodes            []uintptr // by operation
	launches         []nodeLaunch
	launched         uintptr // event behind the last launch, unless API.GraphsInOrder

	// what functions get the addresses of
	after  []uintptr
	node   parameters
	copies copy3D
	edge   edgeData
	// dependent says that the kernel of the node that was laid out waits
	dependent bool
}

// nodeLaunch says that a node is a launch, and whether its kernel waits for the one in front of it.
type nodeLaunch struct{ is, waits bool }

// maxCopy is the most bytes of a copy's row that the driver takes (CU_DEVICE_ATTRIBUTE_MAX_PITCH).
const maxCopy = math.MaxInt32

// NewRecording makes a graph. Launches with textures are left to lists: their texture objects
// depend on what was written before.
func (d *device) NewRecording(work []driver.Operation) (driver.Recording, error) {
	r := &recording{device: d, work: work, layout: stream{device: d, recorded: map[*memory]*contents{}}, values: map[*memory]bool{}}
	if !d.c.hasGraphs() || slices.ContainsFunc(work, noNode) {
		return nil, d.named(fmt.Errorf("record: %w: there is no graph for it", driver.ErrUnsupported))
	}
	if err := r.useAll(); err != nil {
		return nil, d.named(fmt.Errorf("record: %w", err))
	}
	if err := r.build(); err != nil {
		return nil, err
	}
	return r, nil
}

// useAll checks all operations, and notes what memory they use.
func (r *recording) useAll() error {
	r.written = r.written[:0]
	for n := range r.work {
		if err := r.use(&r.work[n]); err != nil {
			return err
		}
	}
	r.least = len(r.written)
	return nil
}

// noNode reports whether there is no node for an operation.
func noNode(o driver.Operation) bool {
	return o.Launch != nil && len(o.Launch.Handles) > 0 || o.Launch == nil && o.Src.Memory != nil && o.Dst.Bytes > maxCopy
}

// use checks an operation, and notes what memory it uses.
func (r *recording) use(o *driver.Operation) error {
	switch {
	case o.Launch != nil:
		k, err := r.layout.launched(o.Launch)
		if err != nil {
			return err
		}
		for i := range k.bindings {
			r.useSlice(&o.Launch.Bindings[i], k.bindings[i].Access == abi.ReadWrite)
		}
		return nil
	case o.Src.Memory != nil:
		if err := cmp.Or(r.layout.checkSlice(&o.Dst), r.layout.checkSlice(&o.Src), driver.CheckCopy(&o.Dst, &o.Src)); err != nil {
			return err
		}
		r.useSlice(&o.Src, false)
		if o.Data != nil {
			r.values[o.Dst.Memory.(*memory)] = true
		}
	default:
		if err := r.layout.checkSlice(&o.Dst); err != nil {
			return err
		}
	}
	r.useSlice(&o.Dst, true)
	return nil
}

func (r *recording) useSlice(b *driver.Slice, writes bool) {
	m := b.Memory.(*memory)
	r.generation = max(r.generation, m.generation)
	if writes && m.contents != nil && !slices.Contains(r.written, *b) {
		r.written = append(r.written, *b)
	}
}

// writesValues reports whether a launch writes memory that kernels may take by value.
func (r *recording) writesValues(l *driver.Launch) bool {
	k := l.Kernel.(*kernel)
	for i := range k.bindings {
		if k.bindings[i].Access == abi.ReadWrite && r.values[l.Bindings[i].Memory.(*memory)] {
			return true
		}
	}
	return false
}

// build makes the graph.
func (r *recording) build() error {
	d, c := r.device, r.device.c
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	g := &graph{device: d, nodes: make([]uintptr, len(r.work)), launches: make([]nodeLaunch, len(r.work))}
	err := d.check("create a graph", dl.Call(c.GraphCreate, uintptr(unsafe.Pointer(&g.graph)), 0))
	clear(r.layout.recorded)
	for n := 0; n < len(r.work) && err == nil; n++ {
		if err = r.add(g, n); err == nil {
			r.follow(n)
		}
	}
	if err == nil {
		err = d.check("instantiate a graph", dl.Call(c.GraphInstantiate, uintptr(unsafe.Pointer(&g.execution)), g.graph, 0))
	}
	if err == nil {
		err = d.keep(g)
	}
	if err != nil {
		g.destroy()
		return err
	}
	r.graph = g
	return nil
}

// keep has a graph destroyed with the device.
func (d *device) keep(g *graph) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return d.closedError()
	}
	d.graphs[g] = struct{}{}
	return nil
}

// add adds the node of an operation.
func (r *recording) add(g *graph, n int) error {
	defer runtime.KeepAlive(g)
	d, c, o := r.device, r.device.c, &r.work[n]
	launch := o.Launch
	if launch == nil && o.Src.Memory != nil && r.copies(o) {
		launch = &r.copy
	}
	if launch != nil && !launch.IsEmpty() {
		return r.addLaunch(g, n, launch)
	}
	node, after, count := g.edges(n, o.After)
	switch {
	case o.Launch != nil:
		return d.check("add a node", dl.Call(c.GraphEmpty, node, g.graph, after, count))
	case o.Src.Memory != nil && c.GraphCopy1D != 0:
		const deviceToDevice = 3 // hipMemcpyDeviceToDevice
		return d.check("add a copy", dl.Call(c.GraphCopy1D, node, g.graph, after, count, address(&o.Dst), address(&o.Src), uintptr(o.Dst.Bytes), deviceToDevice))
	case o.Src.Memory != nil:
		width := uintptr(o.Dst.Bytes)
		side := func(b *driver.Slice) end { return end{kind: memoryDevice, device: address(b), pitch: width, height: 1} }
		g.copies = copy3D{source: side(&o.Src), target: side(&o.Dst), widthBytes: width, height: 1, depth: 1}
		return d.check("add a copy", dl.Call(c.GraphCopy, node, g.graph, after, count, uintptr(unsafe.Pointer(&g.copies)), d.context))
	}
	g.node.fill(&c.nodes.Fill, address(&o.Dst), uintptr((o.Dst.Bytes+3)/4))
	return d.check("add a fill", dl.Call(c.GraphFill, node, g.graph, after, count, g.node.address(), d.context))
}

// edges returns the addresses of a node and of those that it depends on, and their number.
func (g *graph) edges(n int, after []int) (node, list, count uintptr) {
	g.after = g.after[:0]
	for _, before := range after {
		g.after = append(g.after, g.nodes[before])
	}
	return uintptr(unsafe.Pointer(&g.nodes[n])), uintptr(unsafe.Pointer(unsafe.SliceData(g.after))), uintptr(len(g.after))
}

// addLaunch adds the node of a launch. A kernel that waits may be on the device before the one
// launch that it follows has finished.
func (r *recording) addLaunch(g *graph, n int, l *driver.Launch) error {
	if err := r.lay(g, l); err != nil {
		return err
	}
	d, c, before := r.device, r.device.c, r.work[n].After
	g.launches[n] = nodeLaunch{true, g.dependent}
	overlaps := g.dependent && c.GraphDependency != 0 && len(before) == 1 && g.launches[before[0]].is
	if overlaps {
		before = nil
	}
	node, after, count := g.edges(n, before)
	err := d.check("add a launch", dl.Call(c.GraphKernel, node, g.graph, after, count, g.node.address()))
	if err == nil && overlaps {
		g.edge = programmatic
		from := uintptr(unsafe.Pointer(&g.nodes[r.work[n].After[0]]))
		err = d.check("add a dependency", dl.Call(c.GraphDependency, g.graph, from, node, uintptr(unsafe.Pointer(&g.edge)), 1))
	}
	return err
}

// copies reports whether a kernel can copy, and makes its launch.
func (r *recording) copies(o *driver.Operation) bool {
	const vector = 16
	bytes := o.Dst.Bytes
	if (uint64(address(&o.Dst))|uint64(address(&o.Src))|bytes)%vector != 0 {
		return false
	}
	k := r.device.copier()
	if k == nil {
		return false
	}
	groups := (bytes/vector + uint64(k.workgroup[0]) - 1) / uint64(k.workgroup[0])
	if groups > uint64(r.device.info.MaxGrid[0]) {
		return false
	}
	r.copy.Kernel, r.copy.Grid = k, [3]uint32{uint32(groups), 1, 1}
	r.copy.Bindings = append(r.copy.Bindings[:0], o.Src, o.Dst)
	return true
}

// loadCopier loads the kernel that copies, or returns nil if that fails: the driver copies, too.
func (d *device) loadCopier() *kernel {
	if d.c.api.Copier == nil {
		return nil
	}
	k, err := d.Load(d.c.api.Copier())
	if err != nil {
		return nil
	}
	return k.(*kernel)
}

// lay fills in the node of a launch.
func (r *recording) lay(g *graph, l *driver.Launch) error {
	s := &r.layout
	k := s.tensored(l.Kernel.(*kernel), l)
	f, err := s.variant(k, l)
	if err != nil {
		return r.device.named(fmt.Errorf("launch kernel %s: %w", k.name, err))
	}
	g.dependent = f.dependent
	g.node.launch(&r.device.c.nodes.Launch, f.function, l.Grid, k.workgroup, k.shared, uintptr(unsafe.Pointer(&s.arguments.pointers[0])))
	return nil
}

// follow notes what an operation writes, for the launches behind it.
func (r *recording) follow(n int) {
	o := &r.work[n]
	if len(r.values) == 0 {
		return
	}
	if o.Launch != nil {
		r.layout.recordWrites(o.Launch.Kernel.(*kernel), o.Launch.Bindings)
		return
	}
	m := o.Dst.Memory.(*memory)
	c := r.layout.recorded[m]
	switch {
	case c != nil && o.Data != nil:
		c.writeBytes(&r.layout, &o.Dst, o.Data)
	case c != nil:
		c.write(&r.layout, &o.Dst)
	case o.Data != nil && m.contents != nil:
		c = new(contents)
		c.writeBytes(&r.layout, &o.Dst, o.Data)
		r.layout.recorded[m] = c
	}
}

// Replay launches the graph, behind the last time that it was.
func (r *recording) Replay(to driver.Stream) error {
	s, ok := to.(*stream)
	if !ok || s.device != r.device {
		return r.device.named(fmt.Errorf("replay: %w: the stream belongs to another device", driver.ErrUnsupported))
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	if r.list != nil {
		return r.replayList(s)
	}
	if r.graph == nil {
		err := r.build()
		if errors.Is(err, driver.ErrUnsupported) { // it had no kernels before a change
			r.list = driver.NewList(r.work)
			return r.replayList(s)
		}
		if err == nil && r.replays {
			err = s.awaitAll() // one of them has the last replay of the graph before
		}
		if err != nil {
			return err
		}
	}
	r.replays = true
	if r.graph.execution == 0 {
		return r.device.closedError()
	}
	if err := s.await(r.generation); err != nil {
		return err
	}
	for n := range r.written {
		b := &r.written[n]
		b.Memory.(*memory).contents.write(s, b)
	}
	return r.launch(s)
}

// replayList enqueues the work, behind the last time that it was.
func (r *recording) replayList(s *stream) error {
	if r.replays {
		if err := s.awaitAll(); err != nil {
			return err
		}
	}
	r.replays = true
	return r.list.Replay(s)
}

// launch launches the graph on a stream. CUDA has one launch of a graph follow the other, and HIP
// does not say so.
func (r *recording) launch(s *stream) error {
	d, c := s.device, s.device.c
	if c.api.GraphsInOrder {
		return d.check("launch a graph", dl.Call2(c.GraphLaunch, r.graph.execution, s.handle))
	}
	g := r.graph
	err := error(nil)
	if g.launched == 0 {
		g.launched, err = d.newEvent(eventWithoutTiming)
	} else {
		err = d.check("wait for an event", dl.Call3(c.StreamWait, s.handle, g.launched, 0))
	}
	if err == nil {
		err = d.check("launch a graph", dl.Call2(c.GraphLaunch, g.execution, s.handle))
	}
	if err == nil {
		err = d.check("record an event", dl.Call2(c.EventRecord, g.launched, s.handle))
	}
	return err
}

// Change replaces a launch: in the executable graph if the driver takes that, and else the next
// replay builds it anew.
func (r *recording) Change(n int, by *driver.Launch) error {
	was := r.work[n].Launch
	o := driver.Operation{Launch: by}
	if noNode(o) {
		return r.device.named(fmt.Errorf("change a launch: %w: there is no graph with textures", driver.ErrUnsupported))
	}
	if err := r.use(&o); err != nil {
		return r.device.named(fmt.Errorf("change a launch: %w", err))
	}
	// a launch of nothing is another kind of node, and values may be known no longer, or again
	rebuild := r.graph == nil || was.IsEmpty() || by.IsEmpty() || r.writesValues(was) || r.writesValues(by)
	was.Set(by)
	if len(r.written) > 2*r.least+16 {
		if err := r.useAll(); err != nil {
			return r.device.named(fmt.Errorf("change a launch: %w", err))
		}
	}
	if r.list != nil {
		return nil
	}
	if rebuild {
		return r.Close()
	}
	if err := r.device.enter(); err != nil {
		return err
	}
	defer r.device.leave()
	clear(r.layout.recorded)
	for before := range n {
		r.follow(before)
	}
	g := r.graph
	if err := r.lay(g, was); err != nil {
		return err
	}
	if g.dependent != g.launches[n].waits {
		return r.Close()
	}
	register := dl.Call3(r.device.c.GraphSetKernel, g.execution, g.nodes[n], g.node.address())
	if err := r.device.check("change a launch", register); errors.Is(err, driver.ErrDeviceLost) {
		return err
	} else if err != nil {
		return r.Close()
	}
	return nil
}

// Close lets the graph go once its launches have finished.
func (r *recording) Close() error {
	g := r.graph
	if r.graph = nil; g == nil {
		return nil
	}
	return r.device.retire(func() { delete(r.device.graphs, g) }, func() error {
		g.destroy()
		return nil
	})
}

// destroy gives the driver's objects back; no work uses them.
func (g *graph) destroy() {
	c := g.device.c
	if g.execution != 0 {
		dl.Call(c.ExecDestroy, g.execution)
	}
	if g.graph != 0 {
		dl.Call(c.GraphDestroy, g.graph)
	}
	if g.launched != 0 {
		dl.Call(c.EventDestroy, g.launched)
	}
	g.execution, g.graph, g.launched = 0, 0, 0
}
