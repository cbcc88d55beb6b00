package gfx942

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Execution of launches, one workgroup after another. The waves of a workgroup run in time slices.

// Argument is a parameter of a kernel: the address of a buffer, or bytes.
type Argument struct {
	Buffer int    // index in the launch's buffers, if Bytes is nil
	Bytes  []byte // as they are in the kernarg segment
	Align  uint32 // of the bytes
}

// Launch is what is executed.
type Launch struct {
	Kernel    string
	Grid      [3]uint32 // workgroups
	Workgroup [3]uint32 // invocations
	Buffers   [][]byte  // the memory itself: the launch writes to it
	Arguments []Argument
	// Unit is the size of the smallest elements that the program accesses, except for bytes: 2 or
	// 4; 0 means 4. It is the alignment of larger accesses too.
	Unit uint64
	// Steps is the limit of executed instructions of waves; 0 means 1<<26.
	Steps uint64
	// TimeSlice is how many instructions a wave executes before the next one continues, unless it
	// waits earlier; 0 means 1<<12. Backwards makes the last wave run first. Neither affects the
	// results of programs without races.
	TimeSlice int
	Backwards bool
	// Count, if not nil, is called for each executed instruction.
	Count func(name string, byMGPUSim bool)
}

// execution is a launch with its state.
type execution struct {
	object    *Object
	launch    *Launch
	kernel    *kernel
	memory    memory
	base      uint64 // of the image
	arguments uint64 // their address
	packet    uint64
	lds       []byte
	waves     []*wave
	wave      *wave  // the one whose timeSlice it is
	steps     uint64 // executed ones
	limit     uint64
	foreign   *foreign
}

// Error is an error of an instruction.
type Error struct {
	Kernel, Instruction string
	Address             uint64 // of the instruction, in the image
	Group               [3]uint32
	Wave                int
	Problem             string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s, workgroup %v, wave %d, %s at %#x: %s", e.Kernel, e.Group, e.Wave, e.Instruction, e.Address, e.Problem)
}

// Run executes a launch.
func (o *Object) Run(l *Launch) error {
	k := o.kernels[l.Kernel]
	if k == nil {
		return fmt.Errorf("there is no kernel %s", l.Kernel)
	}
	x := &execution{object: o, launch: l, kernel: k, limit: l.Steps}
	if x.limit == 0 {
		x.limit = 1 << 26
	}
	if x.memory.unit = l.Unit; l.Unit == 0 {
		x.memory.unit = 4
	}
	x.base = x.memory.add(region{name: "the code", data: o.image})
	var addresses []uint64
	for n, data := range l.Buffers {
		addresses = append(addresses, x.memory.add(region{bufferName(n), data, true}))
	}
	segment, err := x.segment(addresses)
	if err != nil {
		return err
	}
	x.arguments = x.memory.add(region{name: "the arguments", data: segment})
	x.packet = x.memory.add(region{name: "the dispatch packet", data: x.dispatch()})
	x.foreign = newForeign(x)
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for n := range l.Grid[0] {
				if err := x.group([3]uint32{n, y, z}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// implicitBytes is the size of the supported implicit arguments, which a runtime appends: the
// number of workgroups and their size.
const implicitBytes = 24

// segment returns the kernarg segment: the arguments with their alignment, then the implicit ones
// with an alignment of 8.
func (x *execution) segment(addresses []uint64) ([]byte, error) {
	var data []byte
	align := func(n uint32) {
		for n > 0 && len(data)%int(n) != 0 {
			data = append(data, unwritten)
		}
	}
	for _, a := range x.launch.Arguments {
		if a.Bytes != nil {
			align(a.Align)
			data = append(data, a.Bytes...)
			continue
		}
		align(8)
		data = binary.LittleEndian.AppendUint64(data, addresses[a.Buffer])
	}
	explicit := len(data)
	if size := int(x.kernel.argumentsOf); size > explicit {
		align(8)
		for _, n := range x.launch.Grid {
			data = binary.LittleEndian.AppendUint32(data, n)
		}
		for _, n := range x.launch.Workgroup {
			data = binary.LittleEndian.AppendUint16(data, uint16(n))
		}
		for len(data) < explicit+implicitBytes || len(data) < size {
			data = append(data, unwritten)
		}
	} else if size < explicit {
		return nil, fmt.Errorf("%s has %d bytes of arguments, and takes %d", x.kernel.name, explicit, size)
	}
	align(16) // an aligned load of four words may read beyond three words of arguments
	return data, nil
}

// packetBytes is the size of a dispatch packet (HSA Platform System Architecture, "AQL kernel
// dispatch packet").
const packetBytes = 64

// dispatch returns the dispatch packet. LLVM reads the size of workgroups from it if it moves
// private variables to workgroup memory.
func (x *execution) dispatch() []byte {
	data := make([]byte, packetBytes)
	for n, size := range x.launch.Workgroup {
		binary.LittleEndian.PutUint16(data[4+2*n:], uint16(size))
		binary.LittleEndian.PutUint32(data[12+4*n:], size*x.launch.Grid[n])
	}
	binary.LittleEndian.PutUint32(data[24:], x.kernel.private)
	binary.LittleEndian.PutUint32(data[28:], x.kernel.shared)
	return data
}

// group executes a workgroup.
func (x *execution) group(number [3]uint32) (err error) {
	l, k := x.launch, x.kernel
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fault:
			err = x.failed(number, string(p))
		default:
			if message, ok := foreignProblem(p); ok {
				err = x.failed(number, message)
				return
			}
			panic(p)
		}
	}()
	x.lds = make([]byte, k.shared)
	fill(x.lds)
	x.foreign.begin(x.lds)
	count := l.Workgroup[0] * l.Workgroup[1] * l.Workgroup[2]
	x.waves = x.waves[:0]
	for first := uint32(0); first < count; first += lanes {
		x.waves = append(x.waves, x.begin(number, first, min(count-first, lanes)))
	}
	if l.Backwards {
		for a, b := 0, len(x.waves)-1; a < b; a, b = a+1, b-1 {
			x.waves[a], x.waves[b] = x.waves[b], x.waves[a]
		}
	}
	timeSlice := l.TimeSlice
	if timeSlice == 0 {
		timeSlice = 1 << 12
	}
	for {
		waiting, ended := 0, 0
		for _, w := range x.waves {
			x.wave = w
			for n := 0; n < timeSlice && !w.done && !w.atBarrier; n++ {
				x.step()
			}
			waiting += int(truth(w.atBarrier))
			ended += int(truth(w.done))
		}
		switch {
		case ended == len(x.waves):
			return nil
		case waiting == len(x.waves):
			for _, w := range x.waves {
				w.atBarrier = false
			}
		case waiting+ended == len(x.waves):
			fail("a barrier that %d of %d waves reach", waiting, len(x.waves))
		}
	}
}

func fill(data []byte) {
	for n := range data {
		data[n] = unwritten
	}
}

// failed returns the error of the current instruction.
func (x *execution) failed(group [3]uint32, message string) *Error {
	e := &Error{Kernel: x.kernel.name, Group: group, Problem: message, Instruction: "an instruction"}
	if w := x.wave; w != nil {
		e.Wave, e.Address = w.index, w.current-x.base
		if i := x.object.code[e.Address]; i != nil {
			e.Instruction = i.name()
		}
	}
	return e
}

// begin returns a wave in its initial state (User Guide for AMDGPU Backend, "Initial Kernel
// Execution State").
func (x *execution) begin(group [3]uint32, first, count uint32) *wave {
	l, k := x.launch, x.kernel
	w := &wave{index: int(first / lanes), pc: x.base + k.entry, start: ^uint64(0) >> (lanes - count),
		scratch: make([]byte, lanes*k.private), definedScratch: make([]bool, lanes*k.private)}
	fill(w.scratch)
	w.setScalar(execLow, b64, w.start)
	next := operand(0)
	for _, user := range []struct {
		there   bool
		address uint64
	}{{k.packet, x.packet}, {k.arguments, x.arguments}} {
		if user.there && next+2 <= k.userScalars {
			w.setScalar(next, b64, user.address)
			next += 2
		}
	}
	next = k.userScalars
	for n, there := range k.group {
		if there {
			w.setScalar(next, b32, uint64(group[n]))
			next++
		}
	}
	for lane := range int(count) {
		n := first + uint32(lane)
		id := n % l.Workgroup[0] // the dimensions are packed in one register
		if k.identifiers >= 1 {
			id |= n / l.Workgroup[0] % l.Workgroup[1] << 10
		}
		if k.identifiers >= 2 {
			id |= n / l.Workgroup[0] / l.Workgroup[1] << 20
		}
		w.setVectorWord(vectors, lane, id)
	}
	return w
}

// step executes an instruction.
func (x *execution) step() {
	w := x.wave
	w.current = w.pc
	if x.steps++; x.steps > x.limit {
		fail("more than %d instructions", x.limit)
	}
	i := x.object.at(w.pc - x.base)
	w.pc += i.size
	if x.launch.Count != nil {
		x.launch.Count(i.name(), i.foreign != nil)
	}
	if i.row.checkDefined != nil {
		i.row.checkDefined(w, i)
	}
	if i.foreign != nil {
		x.foreign.run(i)
	} else {
		x.executeRow(i)
	}
}

// executeRow executes an instruction by its row.
func (x *execution) executeRow(i *instruction) {
	switch r := i.row; {
	case r.run != nil:
		if i.form == subdword || i.form == permuted {
			fail("no such form of %s", i.name())
		}
		if isVector[r.format] && !r.moves {
			x.wave.require(i)
		}
		r.run(x, i)
	case r.scalar != nil || r.keeping != nil:
		x.scalar(i)
	default:
		x.vector(i)
	}
}

// eachLane calls a function for the active lanes.
func (x *execution) eachLane(f func(lane int)) {
	for exec := x.wave.exec(); exec != 0; exec &= exec - 1 {
		f(bits.TrailingZeros64(exec))
	}
}
