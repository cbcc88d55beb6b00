package gfx942

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// This file executes launches: workgroup after workgroup, the waves of one in turns.

// Argument is a parameter of a kernel: the address of a buffer, or bytes.
type Argument struct {
	Buffer int    // the place in the launch's buffers, if Bytes is nil
	Bytes  []byte // as they are in the segment of arguments
	Align  uint32 // of the bytes
}

// Launch is what is executed.
type Launch struct {
	Kernel    string
	Grid      [3]uint32 // workgroups
	Workgroup [3]uint32 // invocations
	Buffers   [][]byte  // read and written in place
	Arguments []Argument
	// Unit is how many bytes the smallest elements have that the program accesses, but for single
	// bytes: 2 or 4, and 0 means 4. No access is at an address that is not a multiple of it, unless
	// it is smaller.
	Unit uint64
	// Steps is the most instructions of waves that are executed; 0 means 1<<26.
	Steps uint64
	// Turn is how many instructions a wave executes before the next one has its turn, unless it
	// waits before; 0 means 1<<12. Backwards has the last wave begin. Code in which invocations do
	// not race gives the same whatever these are.
	Turn      int
	Backwards bool
	// Count, if not nil, is told of each instruction that is executed.
	Count func(name string, theirs bool)
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
	wave      *wave  // the one whose turn it is
	steps     uint64 // executed, of which there must not be more than most
	most      uint64
	foreign   *foreign
}

// Error is what is wrong with a launch.
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
	x := &execution{object: o, launch: l, kernel: k, most: l.Steps}
	if x.most == 0 {
		x.most = 1 << 26
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

// implicitBytes are those of the arguments that a runtime adds, which are read here: how many
// workgroups there are, and their size.
const implicitBytes = 24

// segment makes the segment of arguments, each at a multiple of its alignment, with the implicit
// ones behind them at a multiple of 8.
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
	align(16) // an aligned load of four words where three are arguments is one that hardware can do
	return data, nil
}

// packetBytes are the bytes of a dispatch packet (HSA Platform System Architecture, "AQL kernel
// dispatch packet").
const packetBytes = 64

// dispatch makes the packet, of which LLVM reads how large a workgroup is where it moves private
// variables to workgroup memory.
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
		case problem:
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
	turn := l.Turn
	if turn == 0 {
		turn = 1 << 12
	}
	for {
		waiting, ended := 0, 0
		for _, w := range x.waves {
			x.wave = w
			for n := 0; n < turn && !w.done && !w.waits; n++ {
				x.step()
			}
			waiting += int(truth(w.waits))
			ended += int(truth(w.done))
		}
		switch {
		case ended == len(x.waves):
			return nil
		case waiting == len(x.waves):
			for _, w := range x.waves {
				w.waits = false
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

// failed makes the error of a problem that the wave's instruction has.
func (x *execution) failed(group [3]uint32, message string) *Error {
	e := &Error{Kernel: x.kernel.name, Group: group, Problem: message, Instruction: "an instruction"}
	if w := x.wave; w != nil {
		e.Wave, e.Address = w.number, w.current-x.base
		if i := x.object.code[e.Address]; i != nil {
			e.Instruction = i.name()
		}
	}
	return e
}

// begin makes a wave as hardware starts it (User Guide for AMDGPU Backend, "Initial Kernel
// Execution State").
func (x *execution) begin(group [3]uint32, first, count uint32) *wave {
	l, k := x.launch, x.kernel
	w := &wave{number: int(first / lanes), pc: x.base + k.entry, start: ^uint64(0) >> (lanes - count),
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
		id := n % l.Workgroup[0] // the dimensions are parts of one register
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
	if x.steps++; x.steps > x.most {
		fail("more than %d instructions", x.most)
	}
	i := x.object.at(w.pc - x.base)
	w.pc += i.size
	if x.launch.Count != nil {
		x.launch.Count(i.name(), i.theirs != nil)
	}
	if i.row.decides != nil {
		i.row.decides(w, i)
	}
	if i.theirs != nil {
		x.foreign.run(i)
	} else {
		x.own(i)
	}
}

// own executes an instruction by its row.
func (x *execution) own(i *instruction) {
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
