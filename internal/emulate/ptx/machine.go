package ptx

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Launches of entry points and execution of invocations.

// warpSize is the number of invocations of a warp.
const warpSize = 32

// timeSlice is how many instructions an invocation executes before others run, so that an
// invocation that polls memory sees the stores of others.
const timeSlice = 1 << 14

// machine is the state that the workgroups of a launch share.
type machine struct {
	*Module
	f         *function
	grid      [3]uint32
	steps     uint64 // the remaining ones
	buffers   []region
	tables    []region
	constants region
	arguments region // the entry point's parameters
	objects   []object
	granule   uint8 // the module's
	epoch     uint32
	clock     uint32 // counts what orders accesses of warps
	maps      []tensorMap
	frames    [][]*frame // unused, by function
	idle      []*invocation
}

// group is a workgroup.
type group struct {
	*machine
	id      [3]uint32
	shared  region
	dynamic region
	// tiles is the one of these that asynchronous operations access, or nil. Its first address is
	// tilesAt.
	tiles   *region
	tilesAt uint64
	threads []thread
	running *thread
	first   uint32   // epoch with which it began
	orders  []uint32 // barriers passed, by warp
	// known is what each warp knows of the others: the accesses of a warp up to a time are ordered
	// before what it does next. Behind the warps it has the completed phases of barrier objects.
	known [][]uint32
	// signals are arrivals at barriers of those who do not wait.
	signals      [barrierNumbers]signals
	asynchronous *asynchronous
}

// thread is an invocation.
type thread struct {
	*invocation
	group   *group
	id      [3]uint32
	index   uint16
	lane    int
	warp    int
	started bool
	done    bool
	waiting *instruction // where it waits for other invocations, or nil
	asynchronousThread
	copyingThread
}

// invocation is the state of a running thread.
type invocation struct {
	frame *frame
	local region
}

// frame is a function that is being executed.
type frame struct {
	*function
	pc     int
	values []uint64
	states []byte
	area   region // of parameters
	base   int    // offset of its local memory
	caller *frame
	call   *instruction // of the caller
}

// Run executes an entry point. The kernel describes the order of the parameters and the
// runtime-sized arrays. Its buffers are those of the launch with the same group and binding. The
// error names the instruction and the invocation.
func (m *Module) Run(kernel *abi.Kernel, launch *emulate.Launch) error {
	return m.run(kernel, launch, nil, nil, nil)
}

// RunWithTextures is Run with textures and samplers, in the order of the kernel's Handles.
func (m *Module) RunWithTextures(kernel *abi.Kernel, launch *emulate.Launch, textures []Texture) error {
	return m.run(kernel, launch, nil, textures, nil)
}

// RunWithLengths is Run with given lengths of the runtime-sized arrays, by binding, instead of
// those of the buffers. A kernel then accesses memory far outside of a small buffer, and the error
// shows the address.
func (m *Module) RunWithLengths(kernel *abi.Kernel, launch *emulate.Launch, lengths []uint32) error {
	return m.run(kernel, launch, lengths, nil, nil)
}

func (m *Module) run(kernel *abi.Kernel, launch *emulate.Launch, lengths []uint32, textures []Texture, maps []tensorMap) error {
	f := m.function(launch.Entry)
	if f == nil || !f.entry {
		return fmt.Errorf("there is no entry point %q", launch.Entry)
	}
	if f.workgroup != kernel.Workgroup {
		return fmt.Errorf("the workgroup has %v invocations, the description says %v", f.workgroup, kernel.Workgroup)
	}
	if launch.Subgroup != 0 && launch.Subgroup != warpSize {
		return fmt.Errorf("a subgroup has %d invocations, found %d", warpSize, launch.Subgroup)
	}
	x := &machine{Module: m, f: f, grid: launch.Grid, steps: launch.Steps, granule: m.granule, frames: make([][]*frame, len(m.functions)),
		clock: 1, maps: maps}
	if x.steps == 0 {
		x.steps = 1 << 26
	}
	if err := x.bind(kernel, launch, lengths, textures); err != nil {
		return err
	}
	x.constants = region{bytes: m.constants, shadow: m.constant.shadow, name: "constant memory", readOnly: true}
	for _, s := range m.tables {
		x.tables = append(x.tables, region{bytes: s.bytes, name: s.name, readOnly: true})
	}
	g := &group{machine: x, threads: make([]thread, f.workgroup[0]*f.workgroup[1]*f.workgroup[2])}
	g.orders = make([]uint32, (len(g.threads)+warpSize-1)/warpSize)
	g.known = make([][]uint32, len(g.orders))
	g.shared = region{bytes: make([]byte, len(m.shared.shadow)), name: "workgroup memory", group: true}
	g.shared.shadow = make([]byte, len(m.shared.shadow))
	g.shared.stamps = x.stampPages(len(m.shared.shadow))
	dynamic := 0
	if m.dynamic != nil {
		dynamic = int(kernel.WorkgroupBytes)
	}
	g.dynamic = region{bytes: make([]byte, dynamic), shadow: make([]byte, dynamic), stamps: x.stampPages(dynamic),
		name: "dynamic workgroup memory", group: true}
	if m.copies {
		g.shared.startCopies()
		g.dynamic.startCopies()
	}
	switch {
	case !m.asynchronous:
	case m.dynamic != nil:
		g.tiles, g.tilesAt = &g.dynamic, windows[shared]+windowBytes/2
	default:
		g.tiles, g.tilesAt = &g.shared, windows[shared]
	}
	g.asynchronous = newAsynchronous(g.tiles, len(g.threads))
	for z := range launch.Grid[2] {
		for y := range launch.Grid[1] {
			for x := range launch.Grid[0] {
				if err := g.run([3]uint32{x, y, z}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// bind sets the entry point's arguments as the driver does: buffers, textures and immediates in the
// order of the kernel's parameters.
func (x *machine) bind(kernel *abi.Kernel, launch *emulate.Launch, lengths []uint32, textures []Texture) error {
	x.arguments = region{bytes: make([]byte, len(x.f.area.shadow)), shadow: bytes.Clone(x.f.area.shadow), name: "parameters"}
	next := 0
	pass := func(argument []byte) error {
		if next == len(x.f.parameters) {
			return fmt.Errorf("the entry point has %d parameters, the description says more", next)
		}
		p := x.f.parameters[next]
		if p.size != uint64(len(argument)) {
			return fmt.Errorf("parameter %s has %d bytes, the argument has %d", p.name, p.size, len(argument))
		}
		next++
		copy(x.arguments.bytes[p.address:], argument)
		for n := range argument {
			x.arguments.shadow[p.address+uint64(n)] = defined
		}
		return nil
	}
	for _, b := range kernel.Bindings {
		data, err := launch.Buffer(b.Group, b.Binding)
		if err != nil {
			return err
		}
		if uint64(len(data)) < b.MinimumBytes() || uint64(len(data)) > math.MaxUint32 {
			return fmt.Errorf("the buffer of %s has %d bytes, expected %d to %d", b.Name, len(data), b.MinimumBytes(), uint32(math.MaxUint32))
		}
		x.buffers = append(x.buffers, region{bytes: data, stamps: x.stampPages(len(data)),
			name: fmt.Sprintf("global memory, buffer %s of group %d, binding %d", b.Name, b.Group, b.Binding), readOnly: b.Access == abi.Read || b.Access == abi.Uniform})
	}
	if len(launch.Immediates) != kernel.ImmediateBytes() {
		return fmt.Errorf("%d bytes of immediates, expected %d", len(launch.Immediates), kernel.ImmediateBytes())
	}
	parameters, err := kernel.PassedParameters()
	if err != nil {
		return err
	}
	for _, p := range parameters {
		var argument []byte
		switch p.Kind {
		case abi.AddressParameter:
			argument = binary.LittleEndian.AppendUint64(nil, globalAddress(p.Binding, false)|generic)
		case abi.BytesParameter:
			argument = binary.LittleEndian.AppendUint32(nil, uint32(len(x.buffers[p.Binding].bytes)))
		case abi.LengthParameter:
			length := kernel.Bindings[p.Binding].Length(uint64(len(x.buffers[p.Binding].bytes)))
			if lengths != nil {
				length = lengths[p.Binding]
			}
			argument = binary.LittleEndian.AppendUint32(nil, length)
		case abi.ValueParameter:
			argument = x.buffers[p.Binding].bytes[:kernel.Bindings[p.Binding].Size]
		case abi.ImmediatesParameter:
			argument = launch.Immediates
		case abi.TensorMapParameter:
			if p.Binding >= len(x.maps) {
				return fmt.Errorf("the launch has no tensor map %d", p.Binding)
			}
			argument = encodeMap(p.Binding)
		default:
			if argument, err = x.textureArgument(kernel, p, textures); err != nil {
				return err
			}
		}
		if err := pass(argument); err != nil {
			return err
		}
	}
	if next != len(x.f.parameters) {
		return fmt.Errorf("the entry point has %d parameters, the description says %d", len(x.f.parameters), next)
	}
	return nil
}

// run executes a workgroup.
func (g *group) run(id [3]uint32) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			err = g.explain(r)
		default:
			panic(r)
		}
	}()
	g.id = id
	g.epoch++
	g.first = g.epoch
	clear(g.orders)
	for n := range g.known {
		g.known[n] = make([]uint32, len(g.orders))
	}
	g.asynchronous.reset()
	clear(g.shared.pending)
	clear(g.dynamic.pending)
	copy(g.shared.shadow, g.Module.shared.shadow)
	for n := range g.shared.bytes {
		g.shared.bytes[n] = 0xA5 // uninitialised
	}
	for n := range g.dynamic.bytes {
		g.dynamic.bytes[n], g.dynamic.shadow[n] = 0xA5, undefined
	}
	size := g.f.workgroup
	for n := range g.threads {
		k := uint32(n)
		g.threads[n] = thread{group: g, index: uint16(n), lane: n % warpSize, warp: n / warpSize,
			id: [3]uint32{k % size[0], k / size[0] % size[1], k / size[0] / size[1]}}
	}
	for {
		running := false
		for n := range g.threads {
			if t := &g.threads[n]; !t.done && t.waiting == nil {
				g.running = t
				t.run()
				running = true
			}
		}
		g.running = nil
		if !running && !g.release() {
			return nil
		}
	}
}

// explain returns the error for a fault of the running thread.
func (g *group) explain(f fault) error {
	t := g.running
	if t == nil || t.invocation == nil || t.frame == nil {
		return fmt.Errorf("workgroup %v: %s", g.id, string(f))
	}
	x := &t.frame.code[t.frame.pc]
	return fmt.Errorf("line %d, %s: workgroup %v, invocation %v: %s", x.line, x.form.name, g.id, t.id, string(f))
}

// enter begins a function.
func (t *thread) enter(f *function) *frame {
	g := t.group
	var x *frame
	if pool := g.frames[f.index]; len(pool) > 0 {
		x = pool[len(pool)-1]
		g.frames[f.index] = pool[:len(pool)-1]
	} else {
		x = &frame{function: f, values: make([]uint64, len(f.values)), states: make([]byte, len(f.values)),
			area: region{bytes: make([]byte, len(f.area.shadow)), shadow: make([]byte, len(f.area.shadow)), name: "parameters"}}
	}
	copy(x.values, f.values)
	copy(x.states, f.states)
	copy(x.area.shadow, f.area.shadow)
	for _, s := range f.specials {
		x.values[s.slot] = t.special(s.value)
	}
	x.pc, x.caller, x.base = 0, t.frame, len(t.local.bytes)
	if n := len(f.locals.shadow); n > 0 {
		x.base = (x.base + 15) &^ 15
		if x.base+n > windowBytes {
			fail("local memory is exhausted")
		}
		t.local.bytes = append(t.local.bytes, make([]byte, x.base+n-len(t.local.bytes))...)
		t.local.shadow = append(t.local.shadow, make([]byte, x.base-len(t.local.shadow))...)
		t.local.shadow = append(t.local.shadow, f.locals.shadow...)
		for _, p := range f.localAddresses {
			x.values[p.slot] = windows[local] + uint64(x.base) + p.value
		}
	}
	t.frame = x
	return x
}

// special returns the value of a special register.
func (t *thread) special(n uint64) uint64 {
	if n == specialRegisters["%laneid"] {
		return uint64(t.lane)
	}
	return uint64([...][3]uint32{t.id, t.group.f.workgroup, t.group.id, t.group.grid}[n/3][n%3])
}

// exit leaves the function. Its frame is reused by the next call.
func (t *thread) exit() {
	f := t.frame
	t.local.bytes, t.local.shadow = t.local.bytes[:f.base], t.local.shadow[:f.base]
	t.group.frames[f.index] = append(t.group.frames[f.index], f)
	t.frame = f.caller
}

// start enters the entry point.
func (t *thread) start() {
	m := t.group.machine
	if n := len(m.idle); n > 0 {
		t.invocation, m.idle = m.idle[n-1], m.idle[:n-1]
	} else {
		t.invocation = &invocation{local: region{name: "local memory"}}
	}
	t.started = true
	f := t.enter(m.f)
	copy(f.area.bytes, m.arguments.bytes)
	copy(f.area.shadow, m.arguments.shadow)
}

// run executes instructions until the invocation ends, waits, or has used its time slice.
func (t *thread) run() {
	if !t.started {
		t.start()
	}
	m := t.group.machine
	f := t.frame
	pc, code, values, states := f.pc, f.code, f.values, f.states
	budget := min(m.steps, timeSlice)
	m.steps -= budget
	for ; budget > 0; budget-- {
		x := &code[pc]
		if x.guard != 0 {
			if states[x.guard] != defined {
				f.pc = pc
				t.need(x.guard)
			}
			if values[x.guard] != 0 == x.negated {
				pc++
				continue
			}
		}
		if x.execute == nil {
			s := states[x.a] & states[x.b] & states[x.c]
			if s == defined && x.determined != nil && !x.determined(x, values[x.a], values[x.b]) {
				values[x.d], states[x.d] = 0, undefined
			} else if s == defined {
				f.pc = pc
				values[x.d] = x.evaluate(x, values[x.a], values[x.b], values[x.c]) & x.mask
				states[x.d] = defined
			} else {
				f.pc = pc
				t.evaluateUndefined(x)
			}
			pc++
			continue
		}
		f.pc = pc
		x.execute(t, x)
		if t.waiting != nil || t.done {
			m.steps += budget - 1
			return
		}
		if t.frame != f {
			f = t.frame
			code, values, states = f.code, f.values, f.states
		}
		f.pc++
		pc = f.pc
	}
	f.pc = pc
	if m.steps == 0 {
		fail("the limit of executed instructions is reached")
	}
}

// checkWritten fails if one of some registers was never written.
func (t *thread) checkWritten(slots ...int32) {
	for _, s := range slots {
		switch t.frame.states[s] {
		case absent:
			fail("register " + t.frame.registerName(s) + " is read before it is written")
		case pending:
			fail("register " + t.frame.registerName(s) + " is read while a product is under way that has it")
		}
	}
}

// need fails unless the values of some slots are defined.
func (t *thread) need(slots ...int32) {
	t.checkWritten(slots...)
	for _, s := range slots {
		if t.frame.states[s] != defined {
			fail("register " + t.frame.registerName(s) + " has an undefined value: it comes from memory that was never written, or from a division by zero")
		}
	}
}

// evaluateUndefined evaluates an instruction with undefined sources. The result is undefined,
// unless another source alone determines it.
func (t *thread) evaluateUndefined(x *instruction) {
	f := t.frame
	t.checkWritten(x.a, x.b, x.c)
	f.values[x.d], f.states[x.d] = 0, undefined
	for _, s := range [...]int32{x.a, x.b} {
		if f.states[s] != defined {
			continue
		}
		switch v := f.values[s]; {
		case x.absorbing == zeroAbsorbs && v == 0, x.absorbing == onesAbsorb && v == x.mask:
			f.values[x.d], f.states[x.d] = v, defined
		}
	}
}

// registerName returns the name of a register.
func (f *function) registerName(slot int32) string {
	for name, r := range f.registers {
		if slot >= r.first && uint64(slot-r.first) < r.count {
			return fmt.Sprintf("%s%d", name, slot-r.first)
		}
	}
	return "without a name"
}
