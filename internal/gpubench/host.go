package gpubench

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Measurements on devices. All ways use gpuc's drivers, which also launch nvcc's PTX. So launches,
// memory and clocks are the same, and only the code differs.

// Way is a compiler and its options for a device.
type Way struct {
	Name    string
	Device  string // its driver
	Options codegen.Options
	NVCC    bool
}

// Ways are the measured ways. The results of the first available one are the reference for the
// others.
var Ways = []Way{
	{Name: "nvcc", Device: "cuda", NVCC: true},
	{Name: "cuda", Device: "cuda"},
	{Name: "cuda off", Device: "cuda", Options: codegen.Options{Bounds: codegen.BoundsOff}},
	{Name: "cuda fast", Device: "cuda", Options: codegen.Options{Math: codegen.MathFast}},
	{Name: "vulkan", Device: "vulkan"},
	{Name: "vulkan off", Device: "vulkan", Options: codegen.Options{Bounds: codegen.BoundsOff}},
}

// strictWays measure the cost of strict arithmetic.
var strictWays = []Way{
	{Name: "cuda", Device: "cuda"},
	{Name: "cuda strict", Device: "cuda", Options: codegen.Options{Math: codegen.MathStrict}},
	{Name: "vulkan", Device: "vulkan"},
	{Name: "vulkan strict", Device: "vulkan", Options: codegen.Options{Math: codegen.MathStrict}},
}

// workaroundWays measure the cost of the workarounds for driver bugs: all of them, those that the
// driver needs, and none.
var (
	ofVulkan       = workaround.For(workaround.NVIDIA, 0)
	ofCUDA         = workaround.For(workaround.PTXAS, 0)
	none           workaround.Set
	workaroundWays = []Way{
		{Name: "cuda", Device: "cuda"},
		{Name: "cuda own", Device: "cuda", Options: codegen.Options{Workarounds: &ofCUDA}},
		{Name: "cuda none", Device: "cuda", Options: codegen.Options{Workarounds: &none}},
		{Name: "vulkan", Device: "vulkan"},
		{Name: "vulkan own", Device: "vulkan", Options: codegen.Options{Workarounds: &ofVulkan}},
		{Name: "vulkan none", Device: "vulkan", Options: codegen.Options{Workarounds: &none}},
	}
)

// Options configure a Bench.
type Options struct {
	Folder string // with the kernels
	NVCC   string // the path of nvcc, or "" to omit its way and the libraries
	Small  bool   // the sizes for tests
	Rounds int    // measurements of each way
	Strict bool   // measure strictWays instead of Ways
	// Workarounds measures workaroundWays instead of Ways.
	Workarounds bool
	// Libraries is a folder with cub.so and cublas.so, see BuildLibrary; if "", nvcc builds them.
	Libraries string
}

// Bench is a set of open devices.
type Bench struct {
	options   Options
	devices   []*openDevice
	libraries map[string]*dl.Library // by file
	missing   []string
}

// openDevice is a device and its stream.
type openDevice struct {
	driver string
	device driver.Device
	stream driver.Stream
}

// NewBench opens the first GPU of each driver, or else its first device. It skips drivers without
// devices.
func NewBench(o Options, drivers ...driver.Driver) (*Bench, error) {
	b := &Bench{options: o}
	for _, d := range drivers {
		list, err := d.Devices()
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue
		}
		index := max(slices.IndexFunc(list, func(i driver.Info) bool { return i.Kind == driver.GPU }), 0)
		p := &openDevice{driver: d.Name()}
		if p.device, err = d.Open(index); err != nil {
			return nil, err
		}
		b.devices = append(b.devices, p)
		if p.stream, err = p.device.NewStream(); err != nil {
			return nil, err
		}
		if p.driver == "cuda" && !o.Small {
			if err := b.openLibraries(p); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// Devices returns the names of the open devices.
func (b *Bench) Devices() (names []string) {
	for _, p := range b.devices {
		i := p.device.Info()
		names = append(names, i.ID()+" "+i.Name+", "+i.Version)
	}
	return names
}

// Close closes the devices.
func (b *Bench) Close() (err error) {
	for _, p := range b.devices {
		err = cmp.Or(err, p.stream.Close(), p.device.Close())
	}
	return err
}

// Time is the median time of a kernel in a way, in seconds. Spread is the interquartile range of
// the measurements relative to it.
type Time struct {
	Way     string  `json:"way"`
	Seconds float64 `json:"seconds"`
	Spread  float64 `json:"spread"`
	// how the results differ from the first way's, or ""
	Differs string   `json:"differs,omitempty"`
	Results [][]byte `json:"-"` // of the outputs, if they are kept
}

// Result is the measurements of a kernel.
type Result struct {
	Kernel string  `json:"kernel"`
	Bytes  float64 `json:"bytes"`
	Flops  float64 `json:"flops,omitempty"`
	Times  []Time  `json:"times"`
	// Library is the time of the library call that corresponds to the kernel, or nil.
	Library *Time `json:"library,omitempty"`
}

// run is a loaded kernel of a way, or a library call.
type run struct {
	way     Way
	device  *openDevice
	memory  *memory
	launch  driver.Launch
	library *Library     // whose call it is, nil for a kernel
	begin   func() error // enqueues that call
	samples []float64
}

// memory is the buffers of a kernel on a device.
type memory struct {
	bound    []driver.Slice
	pristine []driver.Slice // the initial contents of the outputs
	outputs  []int          // the indices of the outputs in bound
	// whether outputs are restored before each launch, since the kernel reads them
	restored bool
}

// Kernel runs a kernel in each available way: once for the results, then several times for the
// times. If keep is set, the results are in the Times.
func (b *Bench) Kernel(k *Kernel, keep bool) (*Result, error) {
	n := k.Large
	if b.options.Small {
		n = k.Small
	}
	work := k.Work(n)
	result := &Result{Kernel: k.Name, Bytes: work.Bytes, Flops: work.Flops}
	runs, free, err := b.prepare(k, &work)
	defer free()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.Name, err)
	}
	var first [][]byte
	times := make([]Time, len(runs))
	for i := range runs {
		r := &runs[i]
		results, err := r.results()
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", k.Name, r.way.Name, err)
		}
		t := Time{Way: r.way.Name}
		if first == nil {
			first = results
		}
		if l := r.library; l != nil && l.Differs != nil {
			t.Differs = l.Differs(k, &work, first, results)
		} else {
			t.Differs = k.compare(&work, first, results)
		}
		if keep {
			t.Results = results
		}
		times[i] = t
	}
	first = nil
	if err := rounds(runs, b.options.Rounds); err != nil {
		return nil, fmt.Errorf("%s: %w", k.Name, err)
	}
	for i := range runs {
		if s := runs[i].samples; len(s) > 0 {
			slices.Sort(s)
			t := &times[i]
			t.Seconds = s[len(s)/2]
			t.Spread = (s[len(s)*3/4] - s[len(s)/4]) / t.Seconds
		}
		if runs[i].library != nil {
			result.Library = &times[i]
		} else {
			result.Times = append(result.Times, times[i])
		}
	}
	return result, nil
}

// prepare loads the kernel in each way and allocates its memory on each device. free must be
// called, after an error too.
func (b *Bench) prepare(k *Kernel, work *Work) (runs []run, free func(), err error) {
	var ends []func() error
	free = func() {
		for _, end := range ends {
			end() // closing the device frees the rest
		}
	}
	var initial [][]byte
	for n := range work.Buffers {
		initial = append(initial, work.Buffers[n].Fill(uint64(n)))
	}
	for _, p := range b.devices {
		m := &memory{}
		alloc := func(n int) (driver.Slice, error) {
			a, err := p.device.Alloc(uint64(len(initial[n])))
			if err != nil {
				return driver.Slice{}, err
			}
			ends = append(ends, a.Free)
			s := driver.Slice{Memory: a, Bytes: a.Bytes()}
			return s, p.stream.Write(s, initial[n])
		}
		for n := range work.Buffers {
			s, err := alloc(n)
			if err != nil {
				return nil, free, err
			}
			m.bound = append(m.bound, s)
			if buffer := &work.Buffers[n]; buffer.Output {
				if s, err = alloc(n); err != nil {
					return nil, free, err
				}
				m.outputs, m.pristine = append(m.outputs, n), append(m.pristine, s)
				m.restored = m.restored || buffer.Word != nil
			}
		}
		ways := Ways
		if b.options.Strict {
			ways = strictWays
		} else if b.options.Workarounds {
			ways = workaroundWays
		}
		for _, way := range ways {
			if way.Device != p.driver || way.NVCC && b.options.NVCC == "" {
				continue
			}
			artefact, err := b.compile(k, way, p)
			if err != nil {
				return nil, free, err
			}
			if len(artefact.Kernel.Bindings) != len(m.bound) {
				return nil, free, fmt.Errorf("%d bindings, and the table of kernels has %d buffers", len(artefact.Kernel.Bindings), len(m.bound))
			}
			grid, immediates := work.Grid, []byte(nil)
			for _, word := range work.Immediates {
				immediates = binary.LittleEndian.AppendUint32(immediates, word)
			}
			given := abi.LaunchValues{Grid: grid, Immediates: immediates}
			for _, s := range m.bound {
				given.Sizes = append(given.Sizes, s.Bytes)
			}
			if g, ok := artefact.Coarse.Grid(&given); ok {
				artefact = artefact.Coarse.Artefact
				immediates = append(immediates, make([]byte, artefact.Kernel.ImmediateBytes()-len(immediates))...)
				artefact.Kernel.PutExtent(immediates, grid, [3]uint32{})
				grid = g
			}
			loaded, err := p.device.Load(artefact)
			if err != nil {
				return nil, free, err
			}
			ends = append(ends, loaded.Close)
			r := run{way: way, device: p, memory: m}
			r.launch = driver.Launch{Kernel: loaded, Bindings: m.bound, Grid: grid, Immediates: immediates}
			runs = append(runs, r)
		}
		if r, err := b.libraryRun(k, work, p, m); err != nil {
			return nil, free, err
		} else if r != nil {
			runs = append(runs, *r)
		}
		if err := p.stream.Wait(context.Background()); err != nil {
			return nil, free, err
		}
	}
	return runs, free, nil
}

// compile compiles a kernel for a way and device.
func (b *Bench) compile(k *Kernel, way Way, p *openDevice) (*abi.Artefact, error) {
	info := p.device.Info()
	if way.NVCC {
		return k.CUDA(b.options.Folder, b.options.NVCC, fmt.Sprintf("sm_%d", info.Profile))
	}
	t := all.For(info.Target, info.Profile)
	name := string(t.Name)
	if t.Profile != nil {
		name += ":" + t.Profile.Name
	}
	return k.Compile(b.options.Folder, name, way.Options)
}

// restore resets the outputs to their initial contents.
func (r *run) restore() error {
	for i, n := range r.memory.outputs {
		if err := r.device.stream.Copy(r.memory.bound[n], r.memory.pristine[i]); err != nil {
			return err
		}
	}
	return nil
}

// results launches once and returns the contents of the outputs.
func (r *run) results() (results [][]byte, err error) {
	if err := r.restore(); err != nil {
		return nil, err
	}
	s := r.device.stream
	if err := r.start(); err != nil {
		return nil, err
	}
	for _, n := range r.memory.outputs {
		data := make([]byte, r.memory.bound[n].Bytes)
		if err := s.Read(data, r.memory.bound[n]); err != nil {
			return nil, err
		}
		results = append(results, data)
	}
	return results, s.Wait(context.Background())
}

// sample measures several launches and returns the seconds of one. It enqueues other work first, so
// that the device is not idle between the first event and the launches, which a Vulkan driver
// submits separately.
func (r *run) sample(launches int) (float64, error) {
	s := r.device.stream
	err := error(nil)
	if r.memory.restored {
		launches = 1
		err = r.restore()
	} else {
		err = r.start()
	}
	if err != nil {
		return 0, err
	}
	before, err := s.Record()
	if err != nil {
		return 0, err
	}
	defer before.Close()
	for range launches {
		if err := r.start(); err != nil {
			return 0, err
		}
	}
	after, err := s.Record()
	if err != nil {
		return 0, err
	}
	defer after.Close()
	if err := s.Wait(context.Background()); err != nil {
		return 0, err
	}
	took, err := after.Since(before)
	return took.Seconds() / float64(launches), err
}

// rounds takes samples of all ways, in several rounds that each begin with another way. A sample
// has as many launches as take a millisecond.
func rounds(runs []run, count int) error {
	const duration = time.Millisecond
	launches := make([]int, len(runs))
	for round := -1; round < count; round++ {
		for i := range runs {
			n := (i + max(round, 0)) % len(runs)
			r := &runs[n]
			seconds, err := r.sample(max(launches[n], 1))
			if err != nil {
				return fmt.Errorf("%s: %w", r.way.Name, err)
			}
			if round < 0 { // the first round only sets the number of launches
				launches[n] = int(min(max(duration.Seconds()/max(seconds, 1e-9), 1), 100))
				continue
			}
			r.samples = append(r.samples, seconds)
		}
	}
	return nil
}

// compare returns how results differ from the wanted ones, or "" if they are within the tolerance.
func (k *Kernel) compare(work *Work, want, got [][]byte) string {
	i := 0
	for n := range work.Buffers {
		b := &work.Buffers[n]
		if !b.Output {
			continue
		}
		if beyond, at := k.differing(b, want[i], got[i]); float64(beyond) > k.Outliers*float64(b.Words) {
			return fmt.Sprintf("%d of %d words of buffer %d differ, word %d by %s", beyond, b.Words, n, at, k.wordDifference(b, want[i], got[i], at))
		}
		i++
	}
	return ""
}

// wordDifference formats a word of both.
func (k *Kernel) wordDifference(b *Buffer, want, got []byte, at int) string {
	w, g := binary.LittleEndian.Uint32(want[4*at:]), binary.LittleEndian.Uint32(got[4*at:])
	if b.Float {
		return fmt.Sprintf("%v and %v", math.Float32frombits(w), math.Float32frombits(g))
	}
	return fmt.Sprintf("%d and %d", w, g)
}

// differing counts the words that differ by more than the tolerance, and returns the index of one.
func (k *Kernel) differing(b *Buffer, want, got []byte) (count, index int) {
	const part = 1 << 20
	var total, at atomic.Int64
	var group sync.WaitGroup
	for first := 0; first < b.Words; first += part {
		group.Go(func() {
			for n := first; n < min(first+part, b.Words); n++ {
				w, g := binary.LittleEndian.Uint32(want[4*n:]), binary.LittleEndian.Uint32(got[4*n:])
				if w != g && !(b.Float && k.near(math.Float32frombits(w), math.Float32frombits(g))) {
					total.Add(1)
					at.Store(int64(n))
				}
			}
		})
	}
	group.Wait()
	return int(total.Load()), int(at.Load())
}

// near reports whether two floats differ by at most the tolerance.
func (k *Kernel) near(w, g float32) bool {
	return math.Abs(float64(w)-float64(g)) <= k.Tolerance*max(math.Abs(float64(w)), 1)
}
