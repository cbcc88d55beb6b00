// Batches: command buffers being recorded or in flight, with all that must
// outlive them.

package vulkan

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// commandsPerBatch is how many commands are recorded before they are submitted
// unasked, so that the device starts while the host still records.
const commandsPerBatch = 64

// batch is a command buffer with its own pool, so that one reset renews it
// all.
type batch struct {
	device   *device
	pool     handle
	commands uintptr
	queries  handle   // one timestamp
	count    int      // commands recorded
	event    *event   // receives the timestamp when the batch retires
	times    handle   // timestamps of stamps, made when there are some, or 0
	stamped  []*stamp // receive them, in order

	// uses holds what the batch refers to, with when it was last read and written;
	// epoch counts barriers.
	uses    map[*resource]use
	kernels map[*kernel]struct{}
	epoch   uint32
	staging []*chunk

	// pending is how often the batch of a recording is in flight, and ended says that the recording
	// does not need it any more.
	pending  int
	ended    bool
	launches bool // of a recording that has nothing else

	descriptors []*descriptorPool
	recent      [recentSets]boundSets
	nextRecent  int
	bound       *boundSets
	boundKernel *kernel
}

// use says in which epoch a resource was last read and written within a batch; 0 is
// never.
type use struct{ read, written uint32 }

// descriptorPool is a pool with a count of what is left in it.
type descriptorPool struct {
	handle   handle
	sets     uint32 // capacity
	counts   descriptorCounts
	usedSets uint32
	used     descriptorCounts
}

// fits reports whether the pool has room for a launch of k.
func (p *descriptorPool) fits(k *kernel) bool {
	if p.usedSets+uint32(len(k.layouts)) > p.sets {
		return false
	}
	for class, n := range k.counts {
		if p.used[class]+n > p.counts[class] {
			return false
		}
	}
	return true
}

// take removes what a launch of k needs.
func (p *descriptorPool) take(k *kernel) {
	p.usedSets += uint32(len(k.layouts))
	for class, n := range k.counts {
		p.used[class] += n
	}
}

// recentSets is how many launches back a batch looks for descriptor sets with
// the same contents. Loops that alternate buffers or kernels repeat soon.
const recentSets = 8

// boundSets are the descriptor sets of a launch, with what they hold.
type boundSets struct {
	kernel   *kernel
	bindings []driver.Slice
	handles  []driver.Handle
	sets     []handle
}

// takeBatch returns a batch that is recording, with oneSubmit or severalSubmits; the device's mutex
// is held.
func (d *device) takeBatch(submits *commandBufferBeginInfo) (*batch, error) {
	var b *batch
	if n := len(d.idle); n > 0 {
		b, d.idle = d.idle[n-1], d.idle[:n-1]
	} else {
		b = &batch{device: d, uses: map[*resource]use{}, kernels: map[*kernel]struct{}{}}
		if err := b.create(); err != nil {
			b.destroy()
			return nil, d.note(err)
		}
		d.batches = append(d.batches, b)
	}
	if err := b.begin(submits); err != nil {
		d.idle = append(d.idle, b)
		return nil, d.note(err)
	}
	return b, nil
}

// create makes the Vulkan objects of a batch.
func (b *batch) create() error {
	d := b.device
	pool := &commandPoolCreateInfo{sType: typeCommandPoolCreateInfo, flags: commandPoolTransient, family: d.family}
	err := check("create a command pool", dl.Call(d.vk.CreateCommandPool, d.handle,
		uintptr(unsafe.Pointer(pool)), 0, uintptr(unsafe.Pointer(&b.pool))))
	if err != nil {
		return err
	}
	buffer := &commandBufferAllocateInfo{sType: typeCommandBufferAllocateInfo, pool: b.pool, count: 1}
	err = check("allocate a command buffer", dl.Call(d.vk.AllocateCommandBuffers, d.handle,
		uintptr(unsafe.Pointer(buffer)), uintptr(unsafe.Pointer(&b.commands))))
	if err != nil || d.timestampBits == 0 {
		return err
	}
	return d.createQueries(1, &b.queries)
}

// createQueries makes a pool of timestamps.
func (d *device) createQueries(n int, pool *handle) error {
	queries := &queryPoolCreateInfo{sType: typeQueryPoolCreateInfo, kind: queryTimestamp, count: uint32(n)}
	return check("create a query pool", dl.Call(d.vk.CreateQueryPool, d.handle,
		uintptr(unsafe.Pointer(queries)), 0, uintptr(unsafe.Pointer(pool))))
}

// How often a batch is submitted; these are constant and shared.
var (
	oneSubmit      = &commandBufferBeginInfo{sType: typeCommandBufferBeginInfo, flags: commandBufferOneSubmit}
	severalSubmits = &commandBufferBeginInfo{sType: typeCommandBufferBeginInfo, flags: commandBufferSeveral}
)

// begin resets the batch and starts recording with a barrier against all work
// submitted before.
func (b *batch) begin(submits *commandBufferBeginInfo) error {
	d := b.device
	if err := check("reset a command pool", dl.Call3(d.vk.ResetCommandPool, d.handle, uintptr(b.pool), 0)); err != nil {
		return err
	}
	for _, p := range b.descriptors {
		if p.usedSets > 0 {
			if err := check("reset a descriptor pool", dl.Call3(d.vk.ResetDescriptorPool, d.handle, uintptr(p.handle), 0)); err != nil {
				return err
			}
			p.usedSets, p.used = 0, descriptorCounts{}
		}
	}
	err := check("begin a command buffer", dl.Call2(d.vk.BeginCommandBuffer, b.commands, uintptr(unsafe.Pointer(submits))))
	if err != nil {
		return err
	}
	b.count, b.epoch, b.event, b.pending, b.ended, b.launches = 0, 0, nil, 0, false, false
	b.bound, b.boundKernel, b.nextRecent = nil, nil, 0
	b.barrier()
	return nil
}

// deviceBarrier orders kernels and copies; hostBarrier lets the host see copies.
var (
	deviceBarrier = &memoryBarrier{
		sType:  typeMemoryBarrier,
		source: accessShaderWrite | accessTransferWrite,
		target: accessShaderRead | accessShaderWrite | accessUniformRead | accessTransferRead | accessTransferWrite,
	}
	hostBarrier = &memoryBarrier{sType: typeMemoryBarrier, source: accessTransferWrite, target: accessHostRead}
	// kernelBarrier orders kernels alone.
	kernelBarrier = &memoryBarrier{
		sType:  typeMemoryBarrier,
		source: accessShaderWrite,
		target: accessShaderRead | accessShaderWrite | accessUniformRead,
	}
)

// barrier makes all commands recorded so far finish, and their writes visible,
// before those that follow.
func (b *batch) barrier() {
	stages, memory := uintptr(pipelineStageCompute|pipelineStageTransfer), deviceBarrier
	if b.launches {
		stages, memory = pipelineStageCompute, kernelBarrier
	}
	dl.Call10(b.device.vk.CmdPipelineBarrier, b.commands, stages, stages, 0,
		1, uintptr(unsafe.Pointer(memory)), 0, 0, 0, 0)
	b.epoch++
}

// hostRead makes copies to host memory visible to the host when the batch has
// finished.
func (b *batch) hostRead() {
	dl.Call10(b.device.vk.CmdPipelineBarrier, b.commands, pipelineStageTransfer, pipelineStageHost, 0,
		1, uintptr(unsafe.Pointer(hostBarrier)), 0, 0, 0, 0)
}

// conflicts reports whether touching r needs a barrier first, and makes the
// batch hold r. It fails if r has been freed.
func (b *batch) conflicts(r *resource, writes bool) (bool, error) {
	u, known := b.uses[r]
	if r.freed.Load() || !known && !r.acquire() {
		return false, fmt.Errorf("vulkan: %s: %w", r.what, driver.ErrClosed)
	}
	if !known {
		b.uses[r] = use{}
		return false, nil
	}
	return u.written == b.epoch || writes && u.read == b.epoch, nil
}

// touch records that the next command reads or writes r.
func (b *batch) touch(r *resource, writes bool) {
	u := b.uses[r]
	was := u
	if writes {
		u.written = b.epoch
	} else {
		u.read = b.epoch
	}
	if u != was {
		b.uses[r] = u
	}
}

// timestamp has the batch write the device's time at its end.
func (b *batch) timestamp(e *event) {
	d := b.device
	b.event = e
	if b.queries == 0 {
		return
	}
	dl.Call4(d.vk.CmdResetQueryPool, b.commands, uintptr(b.queries), 0, 1)
	dl.Call4(d.vk.CmdWriteTimestamp, b.commands, pipelineStageBottom, uintptr(b.queries), 0)
}

// release makes an ended batch idle once it is not in flight; the device's mutex is held.
func (b *batch) release() {
	if b.ended && b.pending == 0 {
		b.retire()
		b.device.idle = append(b.device.idle, b)
	}
}

// retire lets go of what the batch held; the device's mutex is held.
func (b *batch) retire() {
	d := b.device
	if b.event != nil && b.queries != 0 {
		dl.Call(d.vk.GetQueryPoolResults, d.handle, uintptr(b.queries), 0, 1, 8,
			uintptr(unsafe.Pointer(&b.event.ticks)), 8, queryResult64Bit|queryResultWait)
	}
	b.event = nil
	b.readStamps()
	for r := range b.uses {
		r.drop()
	}
	clear(b.uses)
	for k := range b.kernels {
		k.drop()
	}
	clear(b.kernels)
	for _, c := range b.staging {
		d.staging[c.class].put(c)
	}
	clear(b.staging)
	b.staging = b.staging[:0]
	for i := range b.recent {
		b.recent[i].kernel = nil
		clear(b.recent[i].bindings)
		clear(b.recent[i].handles)
	}
}

// destroy frees the Vulkan objects.
func (b *batch) destroy() {
	d := b.device
	for _, p := range b.descriptors {
		dl.Call(d.vk.DestroyDescriptorPool, d.handle, uintptr(p.handle), 0)
	}
	for _, queries := range []handle{b.queries, b.times} {
		if queries != 0 {
			dl.Call(d.vk.DestroyQueryPool, d.handle, uintptr(queries), 0)
		}
	}
	if b.pool != 0 {
		dl.Call(d.vk.DestroyCommandPool, d.handle, uintptr(b.pool), 0)
	}
}

// binder is the scratch space for making descriptor sets, one per stream.
type binder struct {
	allocate descriptorSetAllocateInfo
	writes   []writeDescriptorSet
	buffers  []descriptorBufferInfo
	images   []descriptorImageInfo
}

// sets returns descriptor sets for a launch, recent ones if they fit.
func (b *batch) sets(k *kernel, bindings []driver.Slice, handles []driver.Handle, scratch *binder) (*boundSets, error) {
	for i := range b.recent {
		r := &b.recent[i]
		if r.kernel == k && slices.Equal(r.bindings, bindings) && slices.Equal(r.handles, handles) {
			return r, nil
		}
	}
	pool, err := b.descriptorPool(k)
	if err != nil {
		return nil, err
	}
	r := &b.recent[b.nextRecent]
	b.nextRecent = (b.nextRecent + 1) % recentSets
	if r.kernel = nil; b.bound == r {
		b.bound = nil
	}
	r.sets = slices.Grow(r.sets[:0], len(k.layouts))[:len(k.layouts)]
	a := &scratch.allocate
	*a = descriptorSetAllocateInfo{
		sType: typeDescriptorSetAllocateInfo, pool: pool.handle,
		count: uint32(len(k.layouts)), layouts: unsafe.SliceData(k.layouts),
	}
	d := b.device
	err = check("allocate descriptor sets", dl.Call3(d.vk.AllocateDescriptorSets, d.handle,
		uintptr(unsafe.Pointer(a)), uintptr(unsafe.Pointer(unsafe.SliceData(r.sets)))))
	if err != nil {
		return nil, err
	}
	pool.take(k)
	scratch.buffers = slices.Grow(scratch.buffers[:0], len(bindings))[:len(bindings)]
	scratch.writes = scratch.writes[:0]
	for i, slot := range k.slots {
		s := bindings[i]
		scratch.buffers[i] = descriptorBufferInfo{s.Memory.(*memory).region.buffer, s.Offset, s.Bytes}
		scratch.writes = append(scratch.writes, writeDescriptorSet{
			sType: typeWriteDescriptorSet, set: r.sets[slot.group], binding: slot.binding,
			count: 1, kind: slot.kind, buffers: &scratch.buffers[i],
		})
	}
	if len(handles) > 0 {
		if err := scratch.handles(k, handles, r.sets); err != nil {
			return nil, err
		}
	}
	dl.Call5(d.vk.UpdateDescriptorSets, d.handle, uintptr(len(scratch.writes)),
		uintptr(unsafe.Pointer(unsafe.SliceData(scratch.writes))), 0, 0)
	r.kernel, r.bindings, r.handles = k, append(r.bindings[:0], bindings...), append(r.handles[:0], handles...)
	return r, nil
}

// handles adds the writes of a launch's textures and samplers.
func (b *binder) handles(k *kernel, handles []driver.Handle, sets []handle) error {
	b.images = slices.Grow(b.images[:0], len(handles))[:len(handles)]
	for i := range k.handles {
		slot, h := &k.handles[i], &handles[i]
		info := &b.images[i]
		*info = descriptorImageInfo{layout: layoutGeneral}
		if expected := slot.expected.Texture; expected == nil {
			info.sampler = h.Sampler.(*sampler).handle
		} else {
			first, count := h.Span(expected)
			view, err := h.Texture.(*image).view(viewType(expected.Shape), first, count)
			if err != nil {
				return err
			}
			info.view = view
		}
		b.writes = append(b.writes, writeDescriptorSet{
			sType: typeWriteDescriptorSet, set: sets[slot.expected.Group], binding: slot.expected.Binding,
			count: 1, kind: slot.kind, images: info,
		})
	}
	return nil
}

// descriptorPool returns a pool with room for a launch of k.
func (b *batch) descriptorPool(k *kernel) (*descriptorPool, error) {
	for _, p := range b.descriptors {
		if p.fits(k) {
			return p, nil
		}
	}
	d := b.device
	const launches = commandsPerBatch / 2
	p := &descriptorPool{sets: launches + uint32(len(k.layouts))}
	sizes := make([]descriptorPoolSize, 0, descriptorClasses)
	for class, n := range k.counts {
		kind := &descriptorKinds[class]
		if p.counts[class] = launches*kind.perLaunch + n; n > 0 && kind.perLaunch == 0 {
			p.counts[class] += launches
		}
		if p.counts[class] > 0 {
			sizes = append(sizes, descriptorPoolSize{kind.kind, p.counts[class]})
		}
	}
	info := &descriptorPoolCreateInfo{
		sType: typeDescriptorPoolCreateInfo, maxSets: p.sets, sizeCount: uint32(len(sizes)), sizes: unsafe.SliceData(sizes),
	}
	err := check("create a descriptor pool", dl.Call(d.vk.CreateDescriptorPool, d.handle,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&p.handle))))
	if err != nil {
		return nil, err
	}
	b.descriptors = append(b.descriptors, p)
	return p, nil
}
