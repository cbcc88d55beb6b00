// Faults: what kernels compiled with -bounds=trap record, and when a stream reports it. A stream
// has a record for each such kernel that it launched, so that faults are attributed to the right
// stream and kernel.

package gpu

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// ErrFault is the error of an access out of bounds: a KernelError wraps it unless Assertion is
// true.
var ErrFault = errors.New("out-of-bounds access")

// KernelError is the first fault of a kernel compiled with -bounds=trap, an access out of bounds,
// or the first failed assertion of a kernel compiled for debugging. The kernel went on, with the
// access clamped to its variable.
//
// The next Wait or Read of the stream after the launch returns it, once. Then the kernel's next
// fault is the first again. The errors of several kernels are joined in the order of their first
// launches.
type KernelError struct {
	Kernel string
	// File, Line and Column are the source position of the access, and Length its bytes. Line is 0
	// if the position is unknown; Column is 0 as plain Go.
	File         string
	Line, Column int
	Length       int
	// Assertion says that it is a failed assertion with the message Text, and Failures how many
	// failed in all. Name, Index and Elements are zero then.
	Assertion bool
	Text      string
	Failures  uint32
	// Name is the variable, or "" for an indexed value.
	Name string
	// Index is the index that was used, and Elements how many elements there are.
	Index    int64
	Elements uint32
	// Invocation is the invocation's global_invocation_id.
	Invocation [3]uint32
}

// Error returns position, kernel and message.
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

// Message says what happened, without the position.
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
	what := fmt.Sprintf("the %d elements in %s", e.Elements, e.Name)
	if e.Name == "" {
		what = fmt.Sprintf("a value with %d parts", e.Elements)
	}
	return fmt.Sprintf("index %d is outside of %s, in global invocation (%d, %d, %d)",
		e.Index, what, e.Invocation[0], e.Invocation[1], e.Invocation[2])
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

// KernelErrors iterates over the faults and failed assertions in an error of Stream.Wait or
// Buffer.Read: one for each kernel that had any, in the order of their first launches.
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

// faultSites is what a fault record needs of a kernel. Streams keep it and not the kernel, which
// may be collected.
type faultSites struct {
	kernel string
	fault  *abi.Fault
	closed atomic.Bool
}

// faultRecord is one kernel's record on one stream.
type faultRecord struct {
	sites  *faultSites
	memory *allocation
	// pending says that there were launches since the record was last read.
	pending bool
}

func (r *faultRecord) part() driver.Slice {
	return driver.Slice{Memory: r.memory.memory, Bytes: abi.FaultRecordBytes}
}

// faultRecordFor returns a kernel's record on the stream, which the first launch makes. The
// stream's mutex is held.
func (s *Stream) faultRecordFor(sites *faultSites) (*faultRecord, error) {
	for i := range s.records {
		if s.records[i].sites == sites {
			return &s.records[i], nil
		}
	}
	memory, err := s.device.allocation(abi.FaultRecordBytes, s.own(), true)
	if err != nil {
		return nil, err
	}
	s.records = append(s.records, faultRecord{sites: sites, memory: memory})
	return &s.records[len(s.records)-1], nil
}

// reports are what launches leave for a Wait.
type reports struct {
	records  []faultRecord
	messages []messageBuffer
	recorded bool
}

// recordedReports are those of a recording. The stream that has replayed it last reads them.
type recordedReports struct {
	mutex sync.Mutex // held within those of streams
	by    *Stream
	lists []*reports // of the streams in the capture
}

// readReports reads and clears what the work has left, once it has finished, and returns the errors
// of it. The stream's mutex is held.
func (s *Stream) readReports() error {
	err := s.readFrom(s.reports)
	for _, r := range s.replayed {
		err = join(err, r.read(s))
	}
	clear(s.replayed)
	s.replayed = s.replayed[:0]
	return err
}

// read is readFrom for all lists, if the stream is the last.
func (r *recordedReports) read(s *Stream) (err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.by != s {
		return nil
	}
	r.by = nil
	for _, list := range r.lists {
		err = join(err, s.readFrom(list))
	}
	return err
}

// note notes a replay on a stream, whose next wait reads the reports.
func (r *recordedReports) note(s *Stream) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.by = s; len(r.lists) == 0 {
		return
	}
	for _, list := range r.lists {
		list.mark()
	}
	if !slices.Contains(s.replayed, r) {
		s.replayed = append(s.replayed, r)
	}
}

// close forgets the lists, which are freed then.
func (r *recordedReports) close() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.lists = nil
}

func (s *Stream) readFrom(r *reports) error { return join(s.readMessages(r), s.readFaults(r)) }

// readFaults reads and clears the records of the kernels launched since the last time, and returns
// their errors.
func (s *Stream) readFaults(from *reports) error {
	return eachPending(&from.records, from.recorded, func(r *faultRecord) (*bool, *atomic.Bool, *allocation) {
		return &r.pending, &r.sites.closed, r.memory
	}, s.readRecord)
}

// eachPending calls read for the records of kernels launched since the last time, frees those of
// closed kernels except in recordings, and returns the errors. State returns whether there were
// launches, whether the kernel is closed, and the memory.
func eachPending[R any](list *[]R, recorded bool, state func(*R) (pending *bool, closed *atomic.Bool, memory *allocation), read func(*R) error) error {
	var found []error
	kept := (*list)[:0]
	for n := range *list {
		r := &(*list)[n]
		pending, closed, memory := state(r)
		if *pending {
			*pending = false
			if err := read(r); err != nil {
				found = append(found, err)
			}
		}
		if closed.Load() && !recorded {
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

// readRecord reads a record, and clears it if it holds a fault.
func (s *Stream) readRecord(r *faultRecord) error {
	var bytes [abi.FaultRecordBytes]byte
	if err := s.stream.Read(bytes[:], r.part()); err != nil {
		return fmt.Errorf("read the fault record of kernel %s: %w", r.sites.kernel, err)
	}
	f, ok := r.sites.fault.Decode(bytes[:])
	if !ok {
		return nil
	}
	clear(bytes[:])
	r.memory.note(s)
	if err := s.stream.Write(r.part(), bytes[:]); err != nil {
		return fmt.Errorf("empty the fault record of kernel %s: %w", r.sites.kernel, err)
	}
	return &KernelError{
		Kernel: r.sites.kernel, File: f.Site.File, Line: f.Site.Line, Column: f.Site.Column, Length: f.Site.Length,
		Name: f.Site.Name, Index: f.Index, Elements: f.Length, Invocation: f.Invocation,
	}
}

// mark notes launches since the last read.
func (r *reports) mark() {
	for i := range r.records {
		r.records[i].pending = true
	}
	for i := range r.messages {
		r.messages[i].pending = true
	}
}

// close frees the fault records and the buffers of messages.
func (r *reports) close() {
	for i := range r.records {
		_ = r.records[i].memory.close()
	}
	for i := range r.messages {
		_ = r.messages[i].memory.close()
	}
	r.records, r.messages = nil, nil
}
