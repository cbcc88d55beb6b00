//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// machine is a library whose calls do what they say, at once, on memory of the host. Its only
// kernel is the drivers' axpy, in arithmetic of Go. A graph's nodes run in a random order that its
// edges allow.
type machine struct {
	rng      *rand.Rand
	next     uintptr
	code     map[uintptr]byte // of modules and functions: its first letter
	memory   map[uintptr][]byte
	graphs   map[uintptr]*machineGraph // and executable ones
	nodes    map[uintptr]*machineNode
	sets     int // kernels of executable graphs that were set
	copies   int // by a kernel that were added
	overlaps int // dependencies that leave the wait to a kernel
	wrong    []string
	refuse   bool // to set kernels
}

// kernelNode is CUDA_KERNEL_NODE_PARAMS_v2.
type kernelNode struct {
	function    uintptr
	grid, block [3]uint32
	shared      uint32
	_           uint32
	parameters  uintptr
	extra       uintptr
	_, _        uintptr // a kernel with its context, instead of the function
}

// fillNode is CUDA_MEMSET_NODE_PARAMS.
type fillNode struct {
	to, _          uintptr // and the pitch
	value, element uint32
	width, height  uintptr
}

type machineGraph struct{ nodes []*machineNode }

type machineNode struct {
	handle uintptr
	after  []uintptr
	run    func()
}

// at views what an address points to.
func at[T any](address uintptr) *T { return (*T)(unsafe.Pointer(dl.First(dl.Bytes(address, 1)))) }

func (m *machine) complain(format string, a ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, a...))
}

// handle stores a new handle.
func (m *machine) handle(to uintptr) uintptr {
	m.next++
	*at[uintptr](to) = m.next
	return m.next
}

// bytes views device memory, which must be live.
func (m *machine) bytes(address, n uintptr) []byte {
	for base, data := range m.memory {
		if address >= base && address+n <= base+uintptr(len(data)) {
			return data[address-base:][:n]
		}
	}
	m.complain("%d bytes at %#x, where there is no memory", n, address)
	return make([]byte, n)
}

func (m *machine) floats(address uintptr, n int) []float32 {
	data := m.bytes(address, uintptr(4*n))
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), n)
}

// axpy returns a launch of the kernel with its parameters as they are now.
func (m *machine) axpy(function uintptr, groups uint32, parameters uintptr) func() {
	list := unsafe.Slice(at[uintptr](parameters), 4)
	code := m.code[function]
	switch code {
	case 'v':
		list = []uintptr{list[0], list[1], list[3], list[2]} // the length precedes the value
	case 'a':
	default:
		m.complain("a launch of function %d, which is gone", function)
	}
	x, y, factor, length := *at[uintptr](list[0]), *at[uintptr](list[1]), *at[uint64](list[2]), int(*at[uint32](list[3]))
	return func() {
		a := math.Float32frombits(uint32(factor))
		if code == 'a' {
			a = m.floats(uintptr(factor), 1)[0]
		}
		to, from := m.floats(y, length), m.floats(x, length)
		for i := range min(length, 64*int(groups)) {
			to[i] += a * from[i]
		}
	}
}

// kernelOf returns the launch of a kernel node.
func (m *machine) kernelOf(address uintptr) func() {
	k := at[kernelNode](address)
	if m.code[k.function] == 'c' {
		list := unsafe.Slice(at[uintptr](k.parameters), 3)
		from, to, vectors := *at[uintptr](list[0]), *at[uintptr](list[1]), *at[uint32](list[2])
		if k.block != [3]uint32{32, 1, 1} || k.grid != [3]uint32{(vectors + 31) / 32, 1, 1} {
			m.complain("a copy of %d vectors by %+v", vectors, *k)
		}
		m.copies++
		return func() { copy(m.bytes(to, uintptr(16*vectors)), m.bytes(from, uintptr(16*vectors))) }
	}
	if k.block != [3]uint32{64, 1, 1} || k.grid[0] == 0 || k.grid[1] != 1 || k.grid[2] != 1 || k.extra != 0 || k.shared != 0 {
		m.complain("a kernel node %+v", *k)
	}
	return m.axpy(k.function, k.grid[0], k.parameters)
}

// node adds a node to a graph.
func (m *machine) node(a *callArguments, run func()) uintptr {
	n := &machineNode{handle: m.handle(a[0]), run: run}
	g := m.graphs[a[1]]
	if a[3] > 0 {
		for _, h := range unsafe.Slice(at[uintptr](a[2]), int(a[3])) {
			if m.nodes[h] == nil {
				m.complain("a node behind one that there is not")
			}
			n.after = append(n.after, h)
		}
	}
	m.nodes[n.handle] = n
	g.nodes = append(g.nodes, n)
	return 0
}

// run runs an executable graph.
func (m *machine) run(g *machineGraph) {
	done := map[uintptr]bool{}
	for len(done) < len(g.nodes) {
		var ready []*machineNode
		for _, n := range g.nodes {
			free := !done[n.handle]
			for _, h := range n.after {
				free = free && done[h]
			}
			if free {
				ready = append(ready, n)
			}
		}
		n := ready[m.rng.IntN(len(ready))]
		n.run()
		done[n.handle] = true
	}
}

const invalidValue = 1

func (m *machine) call(function string, a *callArguments) uintptr {
	switch function {
	case "StreamCreate", "EventCreate", "ContextRetain", "DefaultPool":
		m.handle(a[0])
	case "ModuleLoad", "ModuleFunction":
		code := m.code[a[1]]
		if function == "ModuleLoad" {
			code = *at[byte](a[1])
		}
		m.code[m.handle(a[0])] = code
	case "ModuleUnload":
		delete(m.code, a[0])
	case "FunctionQuery":
		*at[uint32](a[0]) = 1024
	case "AllocAsync":
		data := make([]byte, a[1]+abi.TensorMapAlignment)
		data = data[-uintptr(dl.First(data))%abi.TensorMapAlignment:][:a[1]]
		for i := range data {
			data[i] = 0xab
		}
		*at[uintptr](a[0]) = uintptr(dl.First(data))
		m.memory[uintptr(dl.First(data))] = data
	case "FreeAsync":
		m.bytes(a[0], 1)
		delete(m.memory, a[0])
	case "Fill":
		m.fill(a[0], uint32(a[1]), a[2])
	case "CopyToDevice":
		copy(m.bytes(a[0], a[2]), dl.Bytes(a[1], int(a[2])))
	case "CopyToHost":
		copy(dl.Bytes(a[0], int(a[2])), m.bytes(a[1], a[2]))
	case "CopyOnDevice":
		copy(m.bytes(a[0], a[2]), m.bytes(a[1], a[2]))
	case "Launch":
		m.axpy(a[0], uint32(a[1]), a[9])()
	case "LaunchDependent":
		m.axpy(a[1], at[launchConfig](a[0]).grid[0], a[2])()
	case "GraphCreate":
		m.graphs[m.handle(a[0])] = new(machineGraph)
	case "GraphKernel":
		return m.node(a, m.kernelOf(a[4]))
	case "GraphDependency":
		before, n := *at[uintptr](a[1]), m.nodes[*at[uintptr](a[2])]
		if m.nodes[before] == nil || n == nil || len(n.after) > 0 || a[4] != 1 || *at[edgeData](a[3]) != programmatic {
			m.complain("a dependency of %d on %d, of %d", *at[uintptr](a[2]), before, a[4])
			return invalidValue
		}
		n.after = append(n.after, before)
		m.overlaps++
	case "GraphCopy":
		c := *at[copy3D](a[4])
		if c.source.kind != memoryDevice || c.target.kind != memoryDevice || c.height != 1 || c.depth != 1 || c.source.pitch < c.widthBytes {
			m.complain("a copy node %+v", c)
		}
		return m.node(a, func() { copy(m.bytes(c.target.device, c.widthBytes), m.bytes(c.source.device, c.widthBytes)) })
	case "GraphFill":
		f := *at[fillNode](a[4])
		if f.element != 4 || f.height != 1 {
			m.complain("a fill node %+v", f)
		}
		return m.node(a, func() { m.fill(f.to, f.value, f.width) })
	case "GraphEmpty":
		return m.node(a, func() {})
	case "GraphInstantiate":
		own := new(machineGraph)
		for _, n := range m.graphs[a[1]].nodes {
			copied := *n
			own.nodes = append(own.nodes, &copied)
		}
		m.graphs[m.handle(a[0])] = own
	case "GraphSetKernel":
		if m.refuse {
			return invalidValue
		}
		m.sets++
		for _, n := range m.graphs[a[0]].nodes {
			if n.handle == a[1] {
				n.run = m.kernelOf(a[2])
			}
		}
	case "GraphLaunch":
		g := m.graphs[a[0]]
		if g == nil {
			m.complain("a launch of a graph that is gone")
			return codeInvalidHandle
		}
		m.run(g)
	case "ExecDestroy", "GraphDestroy":
		if m.graphs[a[0]] == nil {
			m.complain("%s of a graph that is gone", function)
		}
		delete(m.graphs, a[0])
	}
	return 0
}

func (m *machine) fill(address uintptr, value uint32, words uintptr) {
	data := m.bytes(address, 4*words)
	for i := uintptr(0); i < 4*words; i += 4 {
		binary.NativeEndian.PutUint32(data[i:], value)
	}
}

// machineDriver is a driver whose devices are machines.
type machineDriver struct{ last *machine }

func (*machineDriver) Name() string { return "fake" }

func (d *machineDriver) Devices() ([]driver.Info, error) {
	return []driver.Info{{Name: "fake", Target: abi.PTX, Memory: 1 << 30, Profile: 90, WorkgroupBytes: 48 << 10, OffsetAlignment: 16,
		MaxInvocations: 1024, MaxWorkgroup: [3]uint32{1024, 1024, 64}, MaxGrid: [3]uint32{1 << 20, 1, 1}}}, nil
}

func (d *machineDriver) Open(int) (driver.Device, error) {
	d.last = &machine{rng: rand.New(rand.NewPCG(1, 1)), code: map[uintptr]byte{}, memory: map[uintptr][]byte{},
		graphs: map[uintptr]*machineGraph{}, nodes: map[uintptr]*machineNode{}}
	loaded = &fakeLibrary{machine: d.last}
	infos, err := d.Devices()
	if err != nil {
		return nil, err
	}
	return openDevice(fakeAll(), candidate{pools: true, info: infos[0]})
}

// axpyForms is the drivers' kernel with its factor by address or by value. A machine knows it by
// the first letter of its code.
func axpyForms() *abi.Artefact {
	a := drivertest.AxpyPTX()
	x, y, length := abi.Parameter{Kind: abi.AddressParameter}, abi.Parameter{Kind: abi.AddressParameter, Binding: 1}, abi.Parameter{Kind: abi.LengthParameter, Binding: 1}
	a.Code, a.Kernel.Parameters = []byte("address"), []abi.Parameter{x, y, {Kind: abi.AddressParameter, Binding: 2}, length}
	a.ByValue = &abi.ByValue{Code: []byte("value"), Parameters: []abi.Parameter{x, y, length, {Kind: abi.ValueParameter, Binding: 2}}}
	return a
}

// copierForm is a kernel that copies. A machine knows it by the first letter.
func copierForm() *abi.Artefact {
	return &abi.Artefact{Target: abi.PTX, Code: []byte("copy"), Kernel: abi.Kernel{Name: "copy", Workgroup: [3]uint32{32, 1, 1},
		Bindings:   []abi.Binding{{Name: "source", Access: abi.Read, Stride: 16}, {Name: "target", Binding: 1, Access: abi.ReadWrite, Stride: 16}},
		Parameters: []abi.Parameter{{Kind: abi.AddressParameter}, {Kind: abi.AddressParameter, Binding: 1}, {Kind: abi.LengthParameter, Binding: 1}},
	}}
}

// TestRecordings runs the tests of all drivers: with factors by value and without, and with copies
// by a kernel and without. A driver that refuses to change graphs has them built anew.
func TestRecordings(t *testing.T) {
	defer func() { fakeAPI.ByValue, fakeAPI.Copier, fakeAPI.Dependent, fakeAPI.Wait = false, nil, 0, nil }()
	for _, c := range []struct {
		name                                string
		byValue, refuse, copying, dependent bool
	}{
		{"by address", false, false, false, false}, {"by value", true, false, true, false}, {"refused changes", true, true, false, false},
		{"dependent", true, false, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeAPI.ByValue, fakeAPI.Copier, fakeAPI.Dependent = c.byValue, nil, 0
			if c.dependent { // those by value do not wait
				fakeAPI.Dependent = 90
				fakeAPI.Wait = func(image []byte, _ string) []byte {
					if image[0] == 'v' {
						return nil
					}
					return bytes.Clone(image)
				}
			}
			if c.copying {
				fakeAPI.Copier = copierForm
			}
			a := axpyForms()
			if !c.byValue {
				a.ByValue = nil
			}
			d := new(refusingDriver)
			d.refuse = c.refuse
			drivertest.Recordings(t, d, a)
			if n := d.made[0].copies; n > 0 != c.copying {
				t.Errorf("%d copies by a kernel", n)
			}
			if n := d.made[0].overlaps; n > 0 != c.dependent {
				t.Errorf("%d launches overlap", n)
			}
			for _, m := range d.made {
				for _, text := range m.wrong {
					t.Error(text)
				}
				if len(m.graphs) != 0 {
					t.Errorf("%d graphs are left", len(m.graphs))
				}
			}
		})
	}
}

// refusingDriver makes machines that may refuse changes, and keeps them.
type refusingDriver struct {
	machineDriver
	refuse bool
	made   []*machine
}

func (d *refusingDriver) Open(n int) (driver.Device, error) {
	device, err := d.machineDriver.Open(n)
	d.last.refuse = d.refuse
	d.made = append(d.made, d.last)
	return device, err
}

// TestRecordedValues: a launch takes by value what the recording has written before, and by address
// what others may have written. A change keeps that up to date.
func TestRecordedValues(t *testing.T) {
	fakeAPI.ByValue = true
	defer func() { fakeAPI.ByValue = false }()
	d := new(machineDriver)
	f := drivertest.New(t, d, axpyForms())
	x, y, z, factor, other := f.Upload([]float32{1, 2}), f.Alloc(8), f.Alloc(8), f.Upload([]float32{5}), f.Upload([]float32{7})
	source := f.Upload([]float32{3})
	r, err := f.Device.(driver.Recorder).NewRecording([]driver.Operation{
		{Launch: drivertest.Launch(f.Kernel, x, y, factor)},
		{Dst: drivertest.Whole(factor), Src: drivertest.Whole(source), Data: drivertest.Bytes([]float32{3}), After: []int{0}},
		{Launch: drivertest.Launch(f.Kernel, x, z, factor), After: []int{1}},
	})
	check(t, err)
	forms := func() (list string) {
		for _, n := range []int{0, 2} {
			list += string(d.last.code[functionOf(r.(*recording), n)])
		}
		return list
	}
	if got := forms(); got != "av" {
		t.Errorf("the launches are of the forms %q, want an address and then a value", got)
	}
	check(t, f.Stream.Write(drivertest.Whole(factor), drivertest.Bytes([]float32{10})))
	check(t, r.Replay(f.Stream))
	if got := append(f.Read(y), f.Read(z)...); got[0] != 10 || got[3] != 6 {
		t.Errorf("got %v", got)
	}
	check(t, r.Change(2, drivertest.Launch(f.Kernel, x, z, other)))
	check(t, r.Replay(f.Stream))
	if got := append(f.Read(y), f.Read(z)...); got[0] != 13 || got[3] != 20 || d.last.sets != 1 {
		t.Errorf("after a change: got %v, and %d changes", got, d.last.sets)
	}
	// the host no longer knows what the replay has written
	check(t, f.Stream.Launch(drivertest.Launch(f.Kernel, x, y, factor)))
	if got := f.Read(y); got[0] != 16 {
		t.Errorf("a launch behind a replay: got %v", got)
	}
	for _, text := range d.last.wrong {
		t.Error(text)
	}
}

// TestRecordedValuesChange: a launch writes what one behind it takes by value, only after a change.
func TestRecordedValuesChange(t *testing.T) {
	fakeAPI.ByValue = true
	defer func() { fakeAPI.ByValue = false }()
	d := new(machineDriver)
	f := drivertest.New(t, d, axpyForms())
	one, y, z, factor, source := f.Upload([]float32{1}), f.Alloc(4), f.Alloc(4), f.Alloc(4), f.Upload([]float32{3})
	made, err := f.Device.(driver.Recorder).NewRecording([]driver.Operation{
		{Dst: drivertest.Whole(factor), Src: drivertest.Whole(source), Data: drivertest.Bytes([]float32{3})},
		{Launch: drivertest.Launch(f.Kernel, one, y, one), After: []int{0}},
		{Launch: drivertest.Launch(f.Kernel, one, z, factor), After: []int{1}},
	})
	check(t, err)
	want := float32(0)
	for round := range 3 {
		to, add := y, float32(3)
		if round == 1 {
			to, add = factor, 4
		}
		check(t, made.Change(1, drivertest.Launch(f.Kernel, one, to, one)))
		check(t, made.Replay(f.Stream))
		want += add
		if got := f.Read(z); got[0] != want {
			t.Errorf("round %d: got %v, want %v", round, got[0], want)
		}
	}
	r := made.(*recording)
	for range 500 {
		check(t, r.Change(1, drivertest.Launch(f.Kernel, one, f.Alloc(4), one)))
	}
	if len(r.written) > 30 {
		t.Errorf("%d slices are written", len(r.written))
	}
	for _, text := range d.last.wrong {
		t.Error(text)
	}
}

// functionOf is the function that launch n of a recording has in its graph.
func functionOf(r *recording, n int) uintptr {
	g := new(graph)
	clear(r.layout.recorded)
	for before := range n {
		r.follow(before)
	}
	if err := r.lay(g, r.work[n].Launch); err != nil {
		return 0
	}
	return uintptr(g.node[0])
}

// TestReplayAllocates: a replay allocates what a call of the fake library does, and no more.
func TestReplayAllocates(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	l, d, s := openFake(t)
	k := loadFake(t, d)
	m, err := d.Alloc(256)
	check(t, err)
	r, err := d.NewRecording([]driver.Operation{{Launch: drivertest.Launch(k, m, m, m)}, {Dst: drivertest.Whole(m), After: []int{0}}})
	check(t, err)
	calls := func(f func() error) float64 {
		return testing.AllocsPerRun(100, func() {
			l.calls = l.calls[:0]
			check(t, f())
		})
	}
	e, err := s.Record()
	check(t, err)
	if replay, await := calls(func() error { return r.Replay(s) }), calls(func() error { return s.Await(e) }); replay > await {
		t.Errorf("a replay allocates %v times, and another call %v times", replay, await)
	}
	launch := drivertest.Launch(k, m, m, m)
	if change, await := calls(func() error { return r.Change(0, launch) }), calls(func() error { return s.Await(e) }); change > await {
		t.Errorf("a change allocates %v times, and another call %v times", change, await)
	}
}

// TestRecordingRefusals: what the library cannot record is left to a list, or an error.
func TestRecordingRefusals(t *testing.T) {
	d := new(machineDriver)
	f := drivertest.New(t, d, axpyForms())
	x, one := f.Upload([]float32{1}), f.Upload([]float32{1})
	launch := func() *driver.Launch { return drivertest.Launch(f.Kernel, x, f.Alloc(4), one) }
	textured := launch()
	textured.Handles = make([]driver.Handle, 1)
	closed := launch()
	check(t, closed.Bindings[1].Memory.Free())
	foreign := launch()
	foreign.Kernel = nil
	recorder := f.Device.(driver.Recorder)
	for name, c := range map[string]struct {
		o  driver.Operation
		is error
	}{
		"textures":                 {driver.Operation{Launch: textured}, driver.ErrUnsupported},
		"freed memory":             {driver.Operation{Launch: closed}, driver.ErrClosed},
		"no kernel":                {driver.Operation{Launch: foreign}, driver.ErrUnsupported},
		"a copy of another length": {driver.Operation{Dst: drivertest.Whole(x), Src: driver.Slice{Memory: one, Bytes: 2}}, driver.ErrUnsupported},
		"zeros beyond the memory":  {driver.Operation{Dst: driver.Slice{Memory: x, Bytes: 400}}, driver.ErrUnsupported},
	} {
		if _, err := recorder.NewRecording([]driver.Operation{c.o}); !errors.Is(err, c.is) {
			t.Errorf("%s: got %v, want %v", name, err, c.is)
		}
	}
	if len(d.last.graphs) != 0 {
		t.Errorf("%d graphs are left", len(d.last.graphs))
	}
	device := f.Device.(*device)
	device.c.GraphLaunch = 0
	if _, err := recorder.NewRecording(nil); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("a library without graphs: %v", err)
	}
}
