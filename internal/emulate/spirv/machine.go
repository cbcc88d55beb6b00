package spirv

import (
	"fmt"

	"github.com/gpuc/gpuc/internal/emulate"
)

// machine is the state of one launch of a program.
type machine struct {
	*program
	memories        []memory // by variable
	lanes           []lane
	shared          []uint64
	undefinedShared []bool
	sharedShadows   shadows
	subgroupSize    uint32
	groups          [3]uint32
	steps           uint64 // the remaining ones
	stage           []uint64
	tainted         bool

	// The clock of race.go.
	clock            uint32
	firstOfGroup     uint32 // lane.who of the workgroup's first invocation
	barriers         [memoryKinds]uint32
	subgroupBarriers [memoryKinds][]uint32

	// Of the current subgroup operation.
	active  []bool
	results []uint64
	unknown []bool // which results are undefined

	matrices [][]uint64 // of the workgroup, after program.fixedMatrices

	images []image // by variable, none if no variable is one
}

// memory is the buffer of a variable.
type memory struct {
	data     []byte
	readOnly bool
	shadows  shadows
}

const (
	defaultSubgroup = 32
	maximumSubgroup = 128 // as many as a ballot has bits
	defaultSteps    = 1 << 26
	// maximumLaneSlots limits the registers and memory of a workgroup's invocations.
	maximumLaneSlots = 1 << 27
)

func newMachine(p *program, l *emulate.Launch) (*machine, error) {
	m := &machine{program: p, subgroupSize: l.Subgroup, steps: l.Steps}
	if m.subgroupSize == 0 {
		m.subgroupSize = defaultSubgroup
	}
	if s := m.subgroupSize; s > maximumSubgroup || s&(s-1) != 0 {
		return nil, &Error{Message: fmt.Sprintf("expected a power of two up to %d as the size of subgroups, found %d", maximumSubgroup, s)}
	}
	if m.steps == 0 {
		m.steps = defaultSteps
	}
	if err := m.bind(l); err != nil {
		return nil, err
	}
	if err := m.bindImages(l); err != nil {
		return nil, err
	}
	count := p.size[0] * p.size[1] * p.size[2]
	if uint64(count)*uint64(p.registers+p.memory) > maximumLaneSlots {
		return nil, &Error{Message: "not supported: a workgroup whose values take more than a GiB"}
	}
	m.lanes = make([]lane, count)
	registers := make([]uint64, count*p.registers)
	own, undefined := make([]uint64, count*p.memory), make([]bool, count*p.memory)
	iterations := make([]uint32, int(count)*len(p.loops))
	for n := range m.lanes {
		x := &m.lanes[n]
		x.registers, registers = registers[:p.registers:p.registers], registers[p.registers:]
		x.memory, own = own[:p.memory:p.memory], own[p.memory:]
		x.undefinedMemory, undefined = undefined[:p.memory:p.memory], undefined[p.memory:]
		x.iterations, iterations = iterations[:len(p.loops)], iterations[len(p.loops):]
		copy(x.registers, p.constants)
		x.local, x.subgroup = uint32(n), uint32(n)/m.subgroupSize
	}
	m.shared, m.undefinedShared = make([]uint64, m.program.shared), make([]bool, m.program.shared)
	m.sharedShadows = shadows{words: make([]shadow, m.program.shared), kind: sharedMemory}
	subgroups := (count + m.subgroupSize - 1) / m.subgroupSize
	for k := range m.subgroupBarriers {
		m.subgroupBarriers[k] = make([]uint32, subgroups)
	}
	m.active = make([]bool, m.subgroupSize)
	m.results, m.unknown = make([]uint64, 4*m.subgroupSize), make([]bool, 4*m.subgroupSize)
	return m, nil
}

// bind finds the buffers of the variables.
func (m *machine) bind(l *emulate.Launch) error {
	m.memories = make([]memory, len(m.variables))
	shift := m.grain
	for n := range m.variables {
		v := &m.variables[n]
		if !v.isBuffer() {
			continue
		}
		b := &m.memories[n]
		b.readOnly = v.readOnly
		if v.class == classPushConstant {
			b.data = l.Immediates
			continue
		}
		var err error
		if b.data, err = l.Buffer(v.set, v.binding); err != nil {
			return &Error{Message: err.Error()}
		}
		if uint64(len(b.data)) >= 1<<31 {
			return &Error{Message: "not supported: a buffer of 2 GiB or more"}
		}
		if !b.readOnly {
			b.shadows = shadows{words: make([]shadow, (len(b.data)+1<<shift-1)>>shift), shift: shift, kind: bufferMemory}
		}
	}
	return nil
}

// launch executes the workgroups one after another.
func (m *machine) launch(grid [3]uint32) error {
	m.groups = grid
	index := uint32(0)
	for z := range grid[2] {
		for y := range grid[1] {
			for x := range grid[0] {
				m.begin([3]uint32{x, y, z}, index)
				if err := m.workgroup(); err != nil {
					return err
				}
				index++
			}
		}
	}
	return nil
}

// begin prepares the lanes for a workgroup.
func (m *machine) begin(id [3]uint32, index uint32) {
	count := uint32(len(m.lanes))
	m.firstOfGroup = index*count + 1
	for n := range m.undefinedShared {
		m.undefinedShared[n] = true
	}
	clear(m.sharedShadows.words)
	m.matrices = m.matrices[:0]
	for n := range m.lanes {
		l := &m.lanes[n]
		l.pc, l.state, l.calls = m.entry, running, l.calls[:0]
		l.who = m.firstOfGroup + l.local
		local := [3]uint32{l.local % m.size[0], l.local / m.size[0] % m.size[1], l.local / m.size[0] / m.size[1]}
		for k := range l.id {
			l.id[k] = id[k]*m.size[k] + local[k]
		}
		for k := range m.variables {
			v := &m.variables[k]
			switch v.class {
			case classPrivate:
				fill(l.memory[v.base:], l.undefinedMemory[v.base:], v)
			case classInput:
				m.input(l, v, id, local)
			}
		}
	}
}

// input sets the value of a builtin.
func (m *machine) input(l *lane, v *variable, group, local [3]uint32) {
	slots := l.memory[v.base:]
	vector := func(x [3]uint32) {
		for k := range x {
			slots[k] = uint64(x[k])
		}
	}
	switch v.builtin {
	case builtinNumWorkgroups:
		vector(m.groups)
	case builtinWorkgroupID:
		vector(group)
	case builtinLocalID:
		vector(local)
	case builtinGlobalID:
		vector(l.id)
	case builtinLocalIndex:
		slots[0] = uint64(l.local)
	case builtinSubgroupSize:
		slots[0] = uint64(m.subgroupSize)
	case builtinNumSubgroups:
		slots[0] = uint64(len(m.subgroupBarriers[0]))
	case builtinSubgroupID:
		slots[0] = uint64(l.subgroup)
	case builtinSubgroupLane:
		slots[0] = uint64(l.local % m.subgroupSize)
	}
}
