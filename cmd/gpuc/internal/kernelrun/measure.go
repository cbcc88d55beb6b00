package kernelrun

import (
	"context"
	"fmt"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/chrometrace"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file measures the time of a kernel. A GPU's clock around one launch measures more than the
// kernel: copies that are still under way, and the time that the host needs to launch. Therefore:
//
//   - On CUDA each launch comes after a pause, and the time of the events is subtracted (clock.go).
//   - Elsewhere, as on Vulkan, reading the clock takes too long for that. A sample is a number of
//     launches in a row between two readings, after other launches.
//
// All launches begin with the same contents of buffers. Otherwise a kernel that overwrites its
// input would be measured on its own results. If the kernel reads a buffer that it writes, each
// launch of a sample has its own copy. So the results are those of a single launch, whatever
// -repeat says.

// A sample takes sampleTime at least, so that reading the clock is less than a thousandth of it,
// and has at most maxLaunches launches.
const (
	sampleTime  = 3 * time.Millisecond
	maxLaunches = 1000
)

// aheadTime is the time of the launches before a sample. They keep the device busy while the host
// launches the sample.
const aheadTime = 200 * time.Microsecond

// measured are the measured times of a kernel.
type measured struct {
	times     []time.Duration // of a launch, one for each sample, in order
	launches  int             // in a sample
	warmUps   int             // launches that are not measured
	repeated  bool            // -repeat asks for several samples
	hostBound bool            // launching took the host about as long as running took the device
	overhead  time.Duration   // of reading the clock, which is subtracted from times; or 0
}

// measurer measures the launches of a kernel.
type measurer struct {
	r        *runner
	data     *deviceData
	device   *gpu.Device
	grid     gpu.Grid
	shown    *progress
	own      *gpu.Args           // the arguments of the launch whose results are reported
	renewed  []int               // buffers that are refilled before a launch
	pristine []*gpu.Buffer[byte] // the original contents of these, by buffer
	// If launches have their own copies of buffers, sets are the arguments by launch, and copies
	// the buffers by launch and buffer. They are slices of blocks: a driver may run launches that
	// share no buffer at the same time.
	sets     []*gpu.Args
	copies   [][]*gpu.Buffer[byte]
	blocks   []*gpu.Buffer[byte]
	single   bool          // a sample is one launch
	clock    *launchClock  // for single launches on CUDA, or nil
	launched int           // number of launches so far
	each     time.Duration // time of a launch in the last sample
}

func (r *runner) newMeasurer(data *deviceData, device *gpu.Device, arguments *gpu.Args, grid gpu.Grid) *measurer {
	w := &measurer{r: r, data: data, device: device, grid: grid, own: arguments}
	samples := r.Repeat
	if r.Repeat > 1 {
		samples += r.WarmUp
	}
	w.shown = showProgress(r.e, device, samples)
	// On a CPU a launch ends before its time is read. Messages are shown once for each sample.
	w.single = r.Repeat == 1 || device.Info().Driver == gpu.CPU || r.Debug
	for i := range data.textures {
		if access := data.in.Kernel.Handles[i].Texture; access != nil && access.Access == abi.ReadWrite {
			w.single = true
		}
	}
	return w
}

// measure runs the warm-up launches and the samples.
func (w *measurer) measure(ctx context.Context) (m measured, err error) {
	defer w.close()
	r := w.r
	m.repeated, m.launches = r.Repeat > 1, 1
	if m.repeated {
		for n := range r.WarmUp {
			r.silent = true
			if _, _, err := w.sample(ctx, fmt.Sprintf("warm-up %d", n+1), 1); err != nil {
				return m, err
			}
			w.shown.finish()
		}
	}
	switch {
	case w.single:
	case w.device.Info().Driver == gpu.CUDA:
		w.findRenewed(ctx)
		if w.clock, err = newLaunchClock(ctx, w.device, w.data.stream); err != nil {
			return m, err
		}
		m.overhead = w.clock.overhead
	default:
		if m.launches, err = w.calibrate(ctx); err != nil {
			return m, err
		}
	}
	before := w.launched
	var onHost, onDevice time.Duration
	ahead := 0
	for n := range r.Repeat {
		r.silent = false
		name := fmt.Sprintf("run %d", n+1)
		if m.launches > 1 {
			name = fmt.Sprintf("sample %d, %d launches", n+1, m.launches)
		}
		started := w.launched
		took, host, err := w.sample(ctx, name, m.launches)
		if err != nil {
			return m, err
		}
		ahead += w.launched - started - m.launches
		w.shown.finish()
		m.times = append(m.times, max(took/time.Duration(m.launches)-m.overhead, 0))
		onHost, onDevice = onHost+host, onDevice+took
	}
	m.warmUps = before + ahead
	m.hostBound = m.launches > 1 && onHost > onDevice*9/10
	return m, nil
}

// calibrate determines the number of launches in a sample, and makes their arguments.
func (w *measurer) calibrate(ctx context.Context) (launches int, err error) {
	if !w.findRenewed(ctx) {
		return 1, nil
	}
	const rounds = 5 // the time of a launch is overestimated from a few launches
	launches = 1
	for range rounds {
		took, _, err := w.sample(ctx, "how long it takes", launches)
		if err != nil {
			return 0, err
		}
		each := max(took/time.Duration(launches), 1)
		wanted := int(min(sampleTime/each+1, maxLaunches))
		if wanted > launches && len(w.renewed) > 0 {
			if wanted <= launches+launches/8 {
				return launches, nil
			}
			wanted = w.provide(wanted)
		}
		if wanted == 1 || wanted <= launches+launches/8 {
			return wanted, nil
		}
		launches = wanted
	}
	return launches, nil
}

// findRenewed finds the buffers that the kernel reads and writes, and copies their contents on the
// device. It reports whether the device has memory for that.
func (w *measurer) findRenewed(ctx context.Context) bool {
	in := w.data.in
	pristine := make([]*gpu.Buffer[byte], len(w.data.buffers))
	read := readBuffers(w.r.p.Module, in.Kernel.Name)
	for i := range in.Kernel.Bindings {
		b := &in.Kernel.Bindings[i]
		if !in.Written(i) || !read(b.Group, b.Binding) {
			continue
		}
		copied, err := gpu.Upload(ctx, w.device, in.Buffers[i].Bytes)
		if err != nil {
			closeBuffers(pristine)
			w.renewed = nil
			return false
		}
		w.renewed, pristine[i] = append(w.renewed, i), copied
	}
	w.pristine = pristine
	return true
}

// provide makes arguments with own buffers for the given number of launches, or for fewer if the
// buffers are large. It returns the number of launches.
func (w *measurer) provide(launches int) int {
	const align = 256 // suits every device
	info := w.device.Info()
	room := info.Memory / 8 // other programs may use the device, too
	if room == 0 {
		room = 256 << 20
	}
	each := uint64(0)
	for _, i := range w.renewed {
		bytes := (w.data.buffers[i].Bytes() + align - 1) / align * align
		if each += bytes; info.MaxBufferBytes > 0 {
			launches = int(min(uint64(launches), info.MaxBufferBytes/bytes))
		}
	}
	if launches = int(min(uint64(launches), room/each)); launches < 2 {
		return 1
	}
	w.closeSets()
	w.copies = make([][]*gpu.Buffer[byte], launches)
	for n := range w.copies {
		w.copies[n] = make([]*gpu.Buffer[byte], len(w.data.buffers))
	}
	for _, i := range w.renewed {
		bytes := w.data.buffers[i].Len()
		stride := (bytes + align - 1) / align * align
		block, err := gpu.Alloc[byte](w.device, launches*stride)
		if err != nil {
			w.closeSets()
			return 1
		}
		w.blocks = append(w.blocks, block)
		for n := range launches {
			if w.copies[n][i], err = block.Slice(n*stride, n*stride+bytes); err != nil {
				w.closeSets()
				return 1
			}
		}
	}
	for _, copies := range w.copies {
		arguments, err := w.data.argumentsWith(copies)
		if err != nil {
			w.closeSets()
			return 1
		}
		w.sets = append(w.sets, arguments)
	}
	return launches
}

// closeSets releases the copies of buffers.
func (w *measurer) closeSets() {
	for _, copies := range w.copies {
		closeBuffers(copies)
	}
	closeBuffers(w.blocks)
	w.sets, w.copies, w.blocks = nil, nil, nil
}

// arguments returns the arguments of a sample's n-th launch.
func (w *measurer) arguments(n, launches int) *gpu.Args {
	if launches == 1 || len(w.sets) == 0 {
		return w.own
	}
	return w.sets[n]
}

// renew restores the contents of the buffers of the given number of launches.
func (w *measurer) renew(launches int) error {
	if w.pristine == nil { // the host does it
		if w.launched == 0 {
			return nil
		}
		return w.data.reset()
	}
	for n := range launches {
		to := w.data.buffers
		if launches > 1 && len(w.sets) > 0 {
			to = w.copies[n]
		}
		for _, i := range w.renewed {
			if err := gpu.Copy(w.data.stream, to[i], w.pristine[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// sample runs launches in a row. It returns their time on the device, and the time that the host
// took to launch them.
func (w *measurer) sample(ctx context.Context, name string, launches int) (took, host time.Duration, err error) {
	r, stream := w.r, w.data.stream
	if launches > 1 {
		if err := w.launchAhead(launches); err != nil {
			return 0, 0, err
		}
	}
	end := r.Trace.Span("upload", "contents as before")
	if err := w.renew(launches); err != nil {
		return 0, 0, err
	}
	end()
	if w.clock != nil {
		if err := w.clock.pause(); err != nil {
			return 0, 0, err
		}
	}
	began := time.Now()
	finished := r.Trace.Span("launch", name)
	from, err := stream.Record()
	if err != nil {
		return 0, 0, err
	}
	defer from.Close()
	launching := time.Now()
	for n := range launches {
		if err := stream.Launch(w.arguments(n, launches), w.grid); err != nil {
			return 0, 0, err
		}
	}
	host = time.Since(launching)
	w.launched += launches
	to, err := stream.Record()
	if err != nil {
		return 0, 0, err
	}
	defer to.Close()
	waited := stream.Wait(ctx)
	if waited != nil {
		for _, m := range r.messages { // a run that fails has no results
			showMessages(r.e, m)
		}
	}
	if err := faults(r.e, r.p, waited); err != nil {
		return 0, 0, err
	}
	if took, err = to.Since(from); err != nil {
		return 0, 0, err
	}
	finished()
	r.Trace.Add(chrometrace.DeviceRow, "launch", name, began, took)
	w.each = took / time.Duration(launches)
	return took, host, nil
}

// launchAhead launches the kernel several times before a sample.
func (w *measurer) launchAhead(launches int) error {
	const most = 64
	count := int(min(aheadTime/max(w.each, 1)+1, most))
	for range count {
		if err := w.data.stream.Launch(w.arguments(0, launches), w.grid); err != nil {
			return err
		}
	}
	w.launched += count
	return nil
}

func (w *measurer) close() {
	if w.clock != nil {
		w.clock.close()
	}
	closeBuffers(w.pristine)
	w.closeSets()
}

func closeBuffers(list []*gpu.Buffer[byte]) {
	for _, b := range list {
		if b != nil {
			b.Close()
		}
	}
}

// readBuffers returns the function that reports whether a kernel may read a buffer.
func readBuffers(m *ir.Module, kernel string) (read func(group, binding uint32) bool) {
	known := map[[2]uint32]bool{}
	all := false
	for _, k := range m.Kernels() {
		if k.Name != kernel {
			continue
		}
		for _, f := range ir.ReachOf(m, k).Funcs {
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				for n, a := range f.Args(i) {
					if !f.Op(i).ReadsOperand(n) || !m.IsPointer(f.TypeOf(a)) || m.SpaceOf(f.TypeOf(a)) != ir.Storage {
						continue
					}
					root := a
					for {
						def, ok := f.Def(root)
						if !ok || f.Op(def) != op.Access {
							break
						}
						root = f.Arg(def, 0)
					}
					if !root.IsGlobal() {
						all = true // a parameter may point to any buffer
						continue
					}
					g := m.Global(root)
					known[[2]uint32{g.Group, g.Binding}] = true
				}
			}
		}
	}
	return func(group, binding uint32) bool { return all || known[[2]uint32{group, binding}] }
}
