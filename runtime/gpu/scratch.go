// Scratch memory: for variables of invocations that are too large for the device's private memory.

package gpu

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// scratchMemory belongs to a stream. Its launches run one after the other and read nothing from
// earlier ones, so they share it. It grows to the largest launch and is released with the stream.
type scratchMemory struct {
	memory *allocation // nil before the first launch that needs any
	bytes  uint64
}

// scratchFor returns the scratch memory for a launch of a kernel. The stream's mutex is
// held.
func (s *Stream) scratchFor(k *Kernel, grid [3]uint32) (driver.Slice, error) {
	d := &k.description
	bytes := d.Scratch.Bytes(grid, d.Workgroup)
	if most := s.device.info.MaxBufferBytes; bytes > most {
		workgroup := uint64(d.Workgroup[0]) * uint64(d.Workgroup[1]) * uint64(d.Workgroup[2])
		return driver.Slice{}, fmt.Errorf("%w: %d x %d x %d workgroups of %d invocations with %d bytes of variables each, %s, "+
			"but a buffer on %s has at most %d bytes; launch at most %d workgroups at a time or use smaller variables",
			ErrLimit, grid[0], grid[1], grid[2], workgroup, d.Scratch.Stride, largest(d.Scratch),
			s.device.info.ID(), most, most/uint64(d.Scratch.Stride)/max(workgroup, 1))
	}
	if bytes > s.scratch.bytes {
		s.scratch.close() // launches under way still use it: it is freed after them
		memory, err := s.device.allocation(bytes, s.own(), true)
		if err != nil {
			return driver.Slice{}, fmt.Errorf("memory for %d bytes of variables of each invocation, %s: %w", d.Scratch.Stride, largest(d.Scratch), err)
		}
		s.scratch.memory, s.scratch.bytes = memory, bytes
	}
	s.scratch.memory.note(s)
	return driver.Slice{Memory: s.scratch.memory.memory, Bytes: bytes}, nil
}

// largest names the variable that needs most of the memory.
func largest(s *abi.Scratch) string {
	if s.Name == "" {
		return fmt.Sprintf("the largest has %d", s.NameBytes)
	}
	return fmt.Sprintf("the largest is `%s` with %d", s.Name, s.NameBytes)
}

// close releases the memory.
func (m *scratchMemory) close() {
	if m.memory != nil {
		_ = m.memory.close()
	}
	*m = scratchMemory{}
}
