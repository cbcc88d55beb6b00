package signal

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// role is which buffer of a plan's call a step has.
type role uint8

const (
	input role = iota
	output
	scratchA
	scratchB
	scratchC
	scratchD
	operand // a second input
	longSignal
	longKernel
	spectrum
	kernelSpectrum
	roleCount
)

// step is a launch of a plan. Its kernel has the tables as its first buffers, and then those of
// the roles.
type step struct {
	kernel *gpu.Embedded
	grid   gpu.Grid
	values []uint32
	tables []gpu.Bound
	roles  []role
}

// engine is what all plans consist of: lists of launches, tables and scratch memory.
type engine struct {
	operation string // for errors
	stream    *gpu.Stream
	double    bool // float64
	strict    bool // the same passes on all devices
	// mutex keeps the launches of a call together, since calls share the scratch memory.
	mutex    sync.Mutex
	closed   bool
	tables   map[tableKey]gpu.Bound
	scratch  [roleCount]int // numbers of two floats
	buffers  [roleCount]gpu.Bound
	closable []interface{ Close() error }
}

// tableKey names a table: what it is for, and its size.
type tableKey struct {
	kind string
	n, m int
}

// room is how many numbers a workgroup transforms.
func (e *engine) room() int {
	if e.double {
		return 1024
	}
	return 2048
}

// compositeRoom is room for composite rows, which a larger kernel transforms where devices have the
// memory.
func (e *engine) compositeRoom() int {
	if !e.double && !e.strict && e.stream.Device().Info().WorkgroupBytes >= 64<<10 {
		return 4096
	}
	return e.room()
}

// roomOf is room for composite rows of a length. The larger kernel has those of which workgroups of
// the other one have at most one.
func (e *engine) roomOf(length int) int {
	if 2*length > e.room() {
		return e.compositeRoom()
	}
	return e.room()
}

// most is the longest transform of a pass whose numbers are not adjacent. So a workgroup has at
// least eight columns.
func (e *engine) most() int { return e.room() / 8 }

// table returns the buffer of a table, which is made once.
func (e *engine) table(key tableKey, values func() []complex128) (gpu.Bound, error) {
	if b := e.tables[key]; b != nil {
		return b, nil
	}
	b, err := e.upload(values())
	if err != nil {
		return nil, err
	}
	if e.tables == nil {
		e.tables = map[tableKey]gpu.Bound{}
	}
	e.tables[key] = b
	return b, nil
}

// upload makes a buffer of complex numbers, rounded to the plan's type.
func (e *engine) upload(values []complex128) (gpu.Bound, error) {
	if e.double {
		return kept(e, values)
	}
	single := make([]complex64, len(values))
	for n, v := range values {
		single[n] = complex64(v)
	}
	return kept(e, single)
}

// uploadReal makes a buffer of real numbers.
func (e *engine) uploadReal(values []float64) (gpu.Bound, error) {
	if e.double {
		return kept(e, values)
	}
	single := make([]float32, len(values))
	for n, v := range values {
		single[n] = float32(v)
	}
	return kept(e, single)
}

// kept enqueues the upload of host, and closes the buffer with the engine.
func kept[T any](e *engine, host []T) (gpu.Bound, error) {
	b, err := gpu.AllocUninitialized[T](e.stream, len(host))
	if err != nil {
		return nil, err
	}
	e.closable = append(e.closable, b)
	return b, b.Write(e.stream, host)
}

// fits reports scratch memory of so many rows that a device cannot have or count.
func (e *engine) fits(rows, length int) error {
	bytes := uint64(8)
	if e.double {
		bytes = 16
	}
	n, ok := product(rows, length)
	if limit := e.stream.Device().Info().MaxBufferBytes; !ok || uint64(n)*bytes > limit {
		return fmt.Errorf("%s: %w: it needs scratch memory of %d × %d numbers", e.operation, gpu.ErrLimit, rows, length)
	}
	return nil
}

// need makes room for so many complex numbers in scratch memory.
func (e *engine) need(r role, numbers int) { e.scratch[r] = max(e.scratch[r], numbers) }

// allocate makes the scratch memory.
func (e *engine) allocate() error {
	for r, n := range e.scratch {
		if n == 0 {
			continue
		}
		var err error
		if e.double {
			e.buffers[r], err = scratchOf[complex128](e, n)
		} else {
			e.buffers[r], err = scratchOf[complex64](e, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func scratchOf[C Complex](e *engine, n int) (gpu.Bound, error) {
	b, err := gpu.AllocUninitialized[C](e.stream, n)
	if err != nil {
		return nil, err
	}
	e.closable = append(e.closable, b)
	return b, nil
}

// run enqueues the steps.
func (e *engine) run(steps []step, in, out, second gpu.Bound) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return fmt.Errorf("%s: %w", e.operation, gpu.ErrClosed)
	}
	e.buffers[input], e.buffers[output], e.buffers[operand] = in, out, second
	defer func() { e.buffers[input], e.buffers[output], e.buffers[operand] = nil, nil, nil }()
	for n := range steps {
		s := &steps[n]
		var list [8]gpu.Bound
		count := copy(list[:], s.tables)
		for _, r := range s.roles {
			list[count] = e.buffers[r]
			count++
		}
		if err := s.kernel.Launch(e.stream, s.grid, s.values, list[:count]...); err != nil {
			return fmt.Errorf("%s: %w", e.operation, err)
		}
	}
	return nil
}

// close frees the plan's memory once its work has finished.
func (e *engine) close() error {
	if e == nil {
		return nil
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.closed = true
	var list []error
	for _, b := range e.closable {
		list = append(list, b.Close())
	}
	e.closable = nil
	return errors.Join(list...)
}

// gridOf has so many workgroups, see groupOf.
func gridOf(groups int) gpu.Grid {
	const wide = 1 << 15
	if groups <= wide {
		return gpu.D1(uint32(groups))
	}
	return gpu.D2(wide, uint32((groups+wide-1)/wide))
}

// scratchBytes is the size of the scratch memory.
func (e *engine) scratchBytes() (bytes int) {
	for _, n := range e.scratch {
		bytes += 8 * n
	}
	if e.double {
		bytes *= 2
	}
	return bytes
}
