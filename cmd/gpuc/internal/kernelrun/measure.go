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

// This file measures how long a kernel takes (-repeat). A GPU's clock around one launch measures
// more than the kernel: what the copies before have left to do, and the time in which the host
// launches. Through CUDA there is a pause before the launch, and what the clock takes is known
// (measure_clock.go). Where reading the clock takes much longer, as through Vulkan, a sample is
// many launches in a row between two readings, which other launches come just before.
//
// Each launch has to begin with the same contents, or a kernel that works in place would be
// measured on what it made of them. Where it reads what it writes, the launches of a sample have
// buffers of their own, which are filled anew before it. So the results are those of one launch,
// too, whatever -repeat says.

// sampleTime is how long a sample is to take at least, so that reading the clock is less than a
// thousandth of it; mostLaunches is how many launches it has at most.
const (
	sampleTime   = 3 * time.Millisecond
	mostLaunches = 1000
)

// aheadTime is how much work comes before a sample, so that the device does not wait for the host
// in it.
const aheadTime = 200 * time.Microsecond

// measured are the times of a kernel's launches.
type measured struct {
	times     []time.Duration // of one launch, a sample each, in their order
	launches  int             // of a sample
	warmUps   int             // launches before those that count
	repeated  bool            // -repeat asked for several
	hostBound bool            // launching took the host about as long as the device
	// that the clock's readings take, and the times are without; 0 where they have a share of it
	overhead time.Duration
}

// measurer measures the launches of a kernel.
type measurer struct {
	r        *runner
	data     *resident
	device   *gpu.Device
	grid     gpu.Grid
	shown    *progress
	own      *gpu.Args           // whose results are shown
	renewed  []int               // buffers that are filled anew before a launch
	pristine []*gpu.Buffer[byte] // what these are filled with
	// sets are the arguments of a sample's launches, if each has buffers of its own, and copies
	// these buffers: parts of one, since launches that have none in common may overlap.
	sets     []*gpu.Args
	copies   [][]*gpu.Buffer[byte]
	whole    []*gpu.Buffer[byte]
	single   bool         // a sample is one launch
	clock    *launchClock // of single launches, or nil
	launched int
	each     time.Duration // a launch of the last sample
}

func (r *runner) newMeasurer(data *resident, device *gpu.Device, arguments *gpu.Args, grid gpu.Grid) *measurer {
	w := &measurer{r: r, data: data, device: device, grid: grid, own: arguments}
	samples := r.Repeat
	if r.Repeat > 1 {
		samples += r.WarmUp
	}
	w.shown = showProgress(r.e, device, samples)
	// A processor's launch ends where its time is read. What kernels print is shown once for each
	// launch.
	w.single = r.Repeat == 1 || device.Info().Driver == gpu.CPU || r.Debug
	for i := range data.textures {
		if access := data.in.Kernel.Handles[i].Texture; access != nil && access.Access == abi.ReadWrite {
			w.single = true
		}
	}
	return w
}

// measure warms the kernel up and measures it.
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

// calibrate finds out how many launches make a sample, and makes their arguments.
func (w *measurer) calibrate(ctx context.Context) (launches int, err error) {
	if !w.findRenewed(ctx) {
		return 1, nil
	}
	const rounds = 5 // a few launches in a row seem longer than many
	launches = 1
	for range rounds {
		took, _, err := w.sample(ctx, "how long it takes", launches)
		if err != nil {
			return 0, err
		}
		each := max(took/time.Duration(launches), 1)
		wanted := int(min(sampleTime/each+1, mostLaunches))
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

// findRenewed finds the buffers that the kernel reads and writes, and keeps what they begin with on
// the device. It reports whether the device has the room.
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

// provide makes the arguments of so many launches, or of fewer if their buffers would be large, and
// returns how many there are.
func (w *measurer) provide(launches int) int {
	const align = 256 // offsets of parts suit every device
	info := w.device.Info()
	room := info.Memory / 8 // the rest is for what others run
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
		whole, err := gpu.Alloc[byte](w.device, launches*stride)
		if err != nil {
			w.closeSets()
			return 1
		}
		w.whole = append(w.whole, whole)
		for n := range launches {
			if w.copies[n][i], err = whole.Slice(n*stride, n*stride+bytes); err != nil {
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

// closeSets gives back what launches in a row have of their own.
func (w *measurer) closeSets() {
	for _, copies := range w.copies {
		closeBuffers(copies)
	}
	closeBuffers(w.whole)
	w.sets, w.copies, w.whole = nil, nil, nil
}

// arguments are those of a sample's n-th launch. One alone is that whose results are shown, and so
// are all where results do not depend on what was there before.
func (w *measurer) arguments(n, launches int) *gpu.Args {
	if launches == 1 || len(w.sets) == 0 {
		return w.own
	}
	return w.sets[n]
}

// renew gives the buffers of some launches what they begin with.
func (w *measurer) renew(launches int) error {
	if w.pristine == nil { // of a single launch, by the host
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

// sample measures some launches in a row, in device time, and how long the host takes to launch
// them.
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
		for _, m := range r.messages { // for which there will be no JSON
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

// launchAhead launches the kernel before a sample.
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

// readBuffers tells which buffers of a kernel it may read, by group and binding.
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
						all = true // a parameter, which may be any
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
