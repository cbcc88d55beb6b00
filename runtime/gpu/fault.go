// Faults: what kernels compiled with -bounds=trap record, and when a stream
// reports it. Each stream has a record for each such kernel that it launched, so
// that neither streams nor kernels are mistaken for one another.

package gpu

import (
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// ErrFault is what a KernelError unwraps to that is no failed assertion.
var ErrFault = errors.New("out-of-bounds access")

// KernelError is the first fault of a kernel that was compiled with -bounds=trap, an access outside
// of a variable, or the first failed assertion of one that was compiled with debugging on. The
// kernel went on, with an access kept within its variable. The stream's next Wait or Read after the
// launch returns it, once; then the kernel's next fault is the first again. If several kernels had
// faults they are joined, in the order of their first launches.
type KernelError struct {
	Kernel string
	// File, Line and Column say where in the source the access stands; Length is
	// how many bytes it takes there. Line is 0 if that is not known, and Column is 0 as plain Go.
	File         string
	Line, Column int
	Length       int
	// Assertion says that it is an assertion, whose message is Text; Failures is how many there
	// were in all. Then there is nothing in Name, Index and Elements.
	Assertion bool
	Text      string
	Failures  uint32
	// Name is the variable, or "" if a value was indexed.
	Name string
	// Index is the index at fault, Elements how many there are.
	Index    int64
	Elements uint32
	// Invocation is the invocation's global_invocation_id.
	Invocation [3]uint32
}

// Error says where, who and what.
func (e *KernelError) Error() string {
	if e == nil {
		return "no error of a kernel: it is nil"
	}
	text := fmt.Sprintf("kernel %s: %s", e.Kernel, e.Message())
	switch {
	case e.Line > 0 && e.Column > 0:
		text = fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, text)
	case e.Line > 0:
		text = fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
	}
	return text
}

// Message says what happened, without the place.
func (e *KernelError) Message() string {
	if e == nil {
		return "nothing happened: the error is nil"
	}
	if e.Assertion {
		text := fmt.Sprintf("assertion failed: %s, in global invocation (%d, %d, %d)", e.Text, e.Invocation[0], e.Invocation[1], e.Invocation[2])
		if e.Failures > 1 {
			text += fmt.Sprintf(", and %d more", e.Failures-1)
		}
		return text
	}
	place := fmt.Sprintf("the %d elements in %s", e.Elements, e.Name)
	if e.Name == "" {
		place = fmt.Sprintf("a value with %d parts", e.Elements)
	}
	return fmt.Sprintf("index %d is outside of %s, in global invocation (%d, %d, %d)",
		e.Index, place, e.Invocation[0], e.Invocation[1], e.Invocation[2])
}

// Unwrap returns ErrFault or ErrAssertion.
func (e *KernelError) Unwrap() error {
	if e == nil {
		return nil
	}
	if e.Assertion {
		return ErrAssertion
	}
	return ErrFault
}

// KernelErrors goes over the faults and failed assertions in an error of Stream.Wait or
// Buffer.Read, of which there may be one for each kernel that was launched, in the order of their
// first launches.
func KernelErrors(err error) iter.Seq[*KernelError] {
	return func(yield func(*KernelError) bool) { eachKernelError(err, yield) }
}

// eachKernelError yields the kernel errors in an error, and returns false once yield does.
func eachKernelError(err error, yield func(*KernelError) bool) bool {
	switch e := err.(type) {
	case *KernelError:
		return e == nil || yield(e)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if !eachKernelError(inner, yield) {
				return false
			}
		}
	case interface{ Unwrap() error }:
		return eachKernelError(e.Unwrap(), yield)
	}
	return true
}

// faultSites are a kernel's part of what a record needs. Streams hold them and
// not the kernel, which may be collected.
type faultSites struct {
	kernel string
	fault  *abi.Fault
	closed atomic.Bool
}

// faultRecord is one kernel's record on one stream.
type faultRecord struct {
	sites  *faultSites
	memory *allocation
	// pending says that there were launches since the record was last looked at.
	pending bool
}

func (r *faultRecord) part() driver.Slice {
	return driver.Slice{Memory: r.memory.memory, Bytes: abi.FaultRecordBytes}
}

// record returns a kernel's record on the stream, which the first launch makes.
// The stream's mutex is held.
func (s *Stream) record(sites *faultSites) (*faultRecord, error) {
	for i := range s.records {
		if s.records[i].sites == sites {
			return &s.records[i], nil
		}
	}
	memory, err := s.device.allocation(abi.FaultRecordBytes)
	if err != nil {
		return nil, err
	}
	s.records = append(s.records, faultRecord{sites: sites, memory: memory})
	return &s.records[len(s.records)-1], nil
}

// faults reads and empties the records of the kernels launched since the last
// time, once the stream's work has finished, and returns what they hold. The
// stream's mutex is held.
func (s *Stream) faults() error {
	return eachPending(&s.records, func(r *faultRecord) (*bool, *atomic.Bool, *allocation) {
		return &r.pending, &r.sites.closed, r.memory
	}, s.look)
}

// eachPending calls look for what a stream keeps of the kernels launched since the last time, gives
// back what it keeps of closed ones, and returns the errors. State returns whether there were
// launches, whether the kernel is closed, and the memory.
func eachPending[R any](list *[]R, state func(*R) (pending *bool, closed *atomic.Bool, memory *allocation), look func(*R) error) error {
	var found []error
	kept := (*list)[:0]
	for n := range *list {
		r := &(*list)[n]
		pending, closed, memory := state(r)
		if *pending {
			*pending = false
			if err := look(r); err != nil {
				found = append(found, err)
			}
		}
		if closed.Load() {
			_ = memory.close()
			continue
		}
		kept = append(kept, *r)
	}
	clear((*list)[len(kept):])
	*list = kept
	if len(found) == 1 {
		return found[0]
	}
	return errors.Join(found...)
}

// look reads a record and empties it if there is a fault in it.
func (s *Stream) look(r *faultRecord) error {
	var bytes [abi.FaultRecordBytes]byte
	if err := s.stream.Read(bytes[:], r.part()); err != nil {
		return fmt.Errorf("read the fault record of kernel %s: %w", r.sites.kernel, err)
	}
	f, ok := r.sites.fault.Decode(bytes[:])
	if !ok {
		return nil
	}
	clear(bytes[:])
	if err := s.stream.Write(r.part(), bytes[:]); err != nil {
		return fmt.Errorf("empty the fault record of kernel %s: %w", r.sites.kernel, err)
	}
	return &KernelError{
		Kernel: r.sites.kernel, File: f.Site.File, Line: f.Site.Line, Column: f.Site.Column, Length: f.Site.Length,
		Name: f.Site.Name, Index: f.Index, Elements: f.Length, Invocation: f.Invocation,
	}
}

// closeRecords gives the records and the buffers of messages back.
func (s *Stream) closeRecords() {
	for i := range s.records {
		_ = s.records[i].memory.close()
	}
	s.records = nil
	for i := range s.messages {
		_ = s.messages[i].memory.close()
	}
	s.messages = nil
}
