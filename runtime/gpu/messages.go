// Messages: what kernels compiled for debugging print. A stream has a buffer for each such kernel
// that it launched, and reads it when it is waited for. Messages are printed launch by launch,
// sorted by invocation, and for each invocation in its order, so that repeated runs print the same.

package gpu

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// ErrAssertion is the error of a failed assertion: a KernelError whose Assertion is true wraps it.
var ErrAssertion = errors.New("assertion failed")

// Message is what an invocation printed with Item.Printf or WGSL's printf, or a failed assertion.
type Message struct {
	// File, Line and Column are the source position; Line is 0 if it is unknown.
	File         string
	Line, Column int
	// Invocation is the invocation's global_invocation_id: what Item.Global returns.
	Invocation [3]uint32
	Text       string
	// Failed says that it is the message of an assertion.
	Failed bool
}

// String returns the line of a message, without a line break:
//
//	kernel.go:12: [3 0 0] x = 4.5
func (m Message) String() string {
	text := m.Text
	if m.Failed {
		text = "assertion failed: " + text
	}
	return fmt.Sprintf("%s:%d: %d %s", path.Base(strings.ReplaceAll(m.File, "\\", "/")), m.Line, m.Invocation, text)
}

// Messages are what launches of a kernel on a stream printed since they were last read.
type Messages struct {
	Kernel string
	// List is ordered by launch, then by invocation (Z, Y, X), then as the invocation printed.
	List []Message
	// Dropped is how many more did not fit into the buffer, which has Bytes.
	Dropped uint32
	Bytes   int
}

// String returns the lines of the messages, and a last line if some were dropped.
func (m Messages) String() string {
	var b strings.Builder
	for _, message := range m.List {
		b.WriteString(message.String())
		b.WriteByte('\n')
	}
	if m.Dropped > 0 {
		fmt.Fprintf(&b, "kernel %s: and %d more messages, which did not fit into %d bytes\n", m.Kernel, m.Dropped, m.Bytes)
	}
	return b.String()
}

// MessageOptions say where messages go.
type MessageOptions struct {
	// To is where they are printed; nil means os.Stderr.
	To io.Writer
	// Handle, if not nil, is called with one batch after the other instead, and nothing is printed.
	// It must not call the stream that is waited for, nor wait for another stream of the device.
	Handle func(Messages)
	// Bytes is the size of the buffer of each kernel on each stream; 0 means DefaultMessageBytes.
	Bytes int
}

// DefaultMessageBytes is the default size of a buffer of messages: about 50,000 with one value
// each.
const DefaultMessageBytes = 1 << 20

// minMessageBytes has room for the header and one message.
const minMessageBytes = 1 << 8

// SetMessages sets where the messages of kernels on the device go. Streams that have launched such
// a kernel keep the size of its buffer, and messages that are being printed go where they went
// before.
func (d *Device) SetMessages(o MessageOptions) {
	if !d.valid() {
		return
	}
	d.messaging.Lock()
	d.messageOptions = o
	d.messaging.Unlock()
}

// messageBytes is the size of new buffers.
func (d *Device) messageBytes() int {
	d.messaging.Lock()
	defer d.messaging.Unlock()
	return max(cmp.Or(d.messageOptions.Bytes, DefaultMessageBytes), minMessageBytes) &^ 3
}

// deliver prints messages, one batch after the other.
func (d *Device) deliver(m Messages) error {
	d.delivering.Lock()
	defer d.delivering.Unlock()
	d.messaging.Lock()
	o := d.messageOptions
	d.messaging.Unlock()
	if o.Handle != nil {
		o.Handle(m)
		return nil
	}
	to := o.To
	if to == nil {
		to = os.Stderr
	}
	if _, err := io.WriteString(to, m.String()); err != nil {
		return fmt.Errorf("print the messages of kernel %s: %w", m.Kernel, err)
	}
	return nil
}

// printer is what messages need of a kernel. Streams keep it as they keep faultSites.
type printer struct {
	kernel   string
	messages *abi.Messages
	closed   atomic.Bool
}

// messageBuffer is the buffer of a kernel's messages on one stream.
type messageBuffer struct {
	printer *printer
	memory  *allocation
	bytes   int
	launch  uint16 // counts launches
	// number is launch as it is written, here so that launches do not allocate.
	number  [4]byte
	pending bool // there were launches since it was read
}

func (b *messageBuffer) part() driver.Slice {
	return driver.Slice{Memory: b.memory.memory, Bytes: uint64(b.bytes)}
}

// messageBufferFor returns a kernel's buffer on the stream, which the first launch makes, ready for
// the next launch. The stream's mutex is held.
func (s *Stream) messageBufferFor(p *printer) (*messageBuffer, error) {
	n := slices.IndexFunc(s.messages, func(b messageBuffer) bool { return b.printer == p })
	if n < 0 {
		bytes := s.device.messageBytes()
		memory, err := s.device.allocation(uint64(bytes), s.own(), true)
		if err != nil {
			return nil, fmt.Errorf("a buffer for messages: %w", err)
		}
		n = len(s.messages)
		s.messages = append(s.messages, messageBuffer{printer: p, memory: memory, bytes: bytes})
	}
	b := &s.messages[n]
	if r := s.recorder.Load(); r != nil && r.changes != nil {
		b.memory.note(s)
		return b, nil // the number is written before
	}
	b.launch++
	b.memory.note(s)
	binary.LittleEndian.PutUint32(b.number[:], uint32(b.launch)<<16)
	return b, s.stream.Write(driver.Slice{Memory: b.memory.memory, Offset: abi.MessagesLaunchOffset, Bytes: 4}, b.number[:])
}

// readMessages reads and clears the buffers of the kernels launched since the last time, once the
// work has finished, and delivers the messages. It returns the first failed assertion of each
// kernel. The stream's mutex is held.
func (s *Stream) readMessages(from *reports) error {
	return eachPending(&from.messages, from.recorded, func(b *messageBuffer) (*bool, *atomic.Bool, *allocation) {
		return &b.pending, &b.printer.closed, b.memory
	}, s.readMessageBuffer)
}

// readMessageBuffer is readMessages for one buffer.
func (s *Stream) readMessageBuffer(b *messageBuffer) error {
	fail := func(what string, err error) error {
		return fmt.Errorf("%s the messages of kernel %s: %w", what, b.printer.kernel, err)
	}
	part := b.part()
	part.Bytes = abi.MessagesWordsOffset
	var header [abi.MessagesWordsOffset]byte
	if err := s.stream.Read(header[:], part); err != nil {
		return fail("read", err)
	}
	part.Bytes = abi.MessagesUsed(header[:], uint64(b.bytes))
	data := make([]byte, part.Bytes)
	if err := s.stream.Read(data, part); err != nil {
		return fail("read", err)
	}
	list, damage := b.printer.messages.Decode(data[abi.MessagesWordsOffset:])
	if damage != nil {
		damage = fail("read", damage)
	}
	clear(data)
	b.memory.note(s)
	if err := s.stream.Write(part, data); err != nil {
		return fail("clear", err)
	}
	m := Messages{Kernel: b.printer.kernel, Bytes: b.bytes,
		Dropped: binary.LittleEndian.Uint32(header[abi.MessagesDroppedOffset:])}
	sortRecords(list)
	var failed *abi.MessageRecord
	for n := range list {
		r := &list[n]
		if r.Message.Assert && failed == nil {
			failed = r
		}
		m.List = append(m.List, Message{File: r.Message.File, Line: r.Message.Line, Column: r.Message.Column,
			Invocation: r.Invocation, Text: r.Text(), Failed: r.Message.Assert})
	}
	var err error
	if len(m.List) > 0 || m.Dropped > 0 {
		err = s.device.deliver(m)
	}
	if assertion := b.printer.failure(header[:], failed); assertion != nil {
		err = join(err, assertion)
	}
	return join(err, damage)
}

// sortRecords sorts the records of each launch by invocation (Z, Y, X). The sort is stable.
func sortRecords(list []abi.MessageRecord) {
	for start := 0; start < len(list); {
		end := start
		for end < len(list) && list[end].Launch == list[start].Launch {
			end++
		}
		slices.SortStableFunc(list[start:end], func(x, y abi.MessageRecord) int {
			a, b := x.Invocation, y.Invocation
			return cmp.Or(cmp.Compare(a[2], b[2]), cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
		})
		start = end
	}
}

// failure returns the error of failed assertions, from the header and the record of the first one.
// That record may not have fit; then the header says which assertion it was.
func (p *printer) failure(header []byte, first *abi.MessageRecord) *KernelError {
	word := func(offset int) uint32 { return binary.LittleEndian.Uint32(header[offset:]) }
	index := word(abi.MessagesFirstOffset)
	if index == 0 && first == nil {
		return nil
	}
	e := &KernelError{Kernel: p.kernel, Assertion: true, Failures: word(abi.MessagesFailedOffset)}
	var at *abi.Message
	switch {
	case first != nil:
		at, e.Text, e.Invocation = first.Message, first.Text(), first.Invocation
	case int(index) <= len(p.messages.List):
		at = &p.messages.List[index-1]
		e.Text = at.Format + " (the values did not fit into the buffer of messages)"
		for n := range e.Invocation {
			e.Invocation[n] = word(abi.MessagesInvocationOffset + 4*n)
		}
	default:
		e.Text = "a kernel wrote over the buffer of messages"
		return e
	}
	e.File, e.Line, e.Column, e.Length = at.File, at.Line, at.Column, at.Length
	return e
}
