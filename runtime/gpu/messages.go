// Messages: what kernels compiled with debugging on print. Each stream has a buffer for each such
// kernel that it launched, which is read when the stream is waited for, like the records of faults.
// What one wait finds is printed at once, launch by launch, in the order of invocations and for
// each in its own order, so that a run that is repeated prints the same.

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

// ErrAssertion is what a KernelError unwraps to whose Assertion is true.
var ErrAssertion = errors.New("assertion failed")

// Message is what an invocation has printed with Item.Printf, or WGSL's printf, or an assertion
// that does not hold.
type Message struct {
	// File, Line and Column say where in the source it is printed; Line is 0 if that is not known.
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

// Messages are what the launches of a kernel on a stream have printed since they were last read.
type Messages struct {
	Kernel string
	// List has launches in their order, in each of them invocations by Z, Y and X, and of each what
	// it printed in its order.
	List []Message
	// Dropped is how many more did not fit into the buffer, which has Bytes.
	Dropped uint32
	Bytes   int
}

// String returns the lines of the messages, and one that says how many there are no lines of.
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

// MessageOptions say what becomes of messages.
type MessageOptions struct {
	// To is where they are printed; nil is os.Stderr.
	To io.Writer
	// Handle, if not nil, takes them, and nothing is printed. It is called for one batch after the
	// other, so that it must not call the stream that is waited for, and wait for no other one of
	// the device.
	Handle func(Messages)
	// Bytes is the size of the buffer of each kernel on each stream; 0 is DefaultMessageBytes.
	Bytes int
}

// DefaultMessageBytes is the size of a buffer of messages, about 50,000 of one number each.
const DefaultMessageBytes = 1 << 20

// least is room for the header and one message.
const leastMessageBytes = 1 << 8

// SetMessages says what becomes of the messages that kernels print on the device. Streams that have
// launched such a kernel keep the size of its buffer, and messages that are being printed meanwhile
// go where they went before.
func (d *Device) SetMessages(o MessageOptions) {
	if !d.made() {
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
	return max(cmp.Or(d.messageOptions.Bytes, DefaultMessageBytes), leastMessageBytes) &^ 3
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

// printer is a kernel's part of what its messages need, which streams hold as they hold faultSites.
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
	launch  uint16 // the number of the last one
	// number is what is written of it, here so that a launch allocates nothing.
	number  [4]byte
	pending bool // there were launches since it was read
}

func (b *messageBuffer) part() driver.Slice {
	return driver.Slice{Memory: b.memory.memory, Bytes: uint64(b.bytes)}
}

// prints returns a kernel's buffer on the stream, which the first launch makes, ready for the next
// launch. The stream's mutex is held.
func (s *Stream) prints(p *printer) (*messageBuffer, error) {
	n := slices.IndexFunc(s.messages, func(b messageBuffer) bool { return b.printer == p })
	if n < 0 {
		bytes := s.device.messageBytes()
		memory, err := s.device.allocation(uint64(bytes))
		if err != nil {
			return nil, fmt.Errorf("a buffer for messages: %w", err)
		}
		n = len(s.messages)
		s.messages = append(s.messages, messageBuffer{printer: p, memory: memory, bytes: bytes})
	}
	b := &s.messages[n]
	b.launch++
	binary.LittleEndian.PutUint32(b.number[:], uint32(b.launch)<<16)
	return b, s.stream.Write(driver.Slice{Memory: b.memory.memory, Offset: abi.MessagesLaunchOffset, Bytes: 4}, b.number[:])
}

// tell reads and empties the buffers of the kernels launched since the last time, once the stream's
// work has finished, and delivers what they hold. It returns the first failed assertion of each.
// The stream's mutex is held.
func (s *Stream) tell() error {
	return eachPending(&s.messages, func(b *messageBuffer) (*bool, *atomic.Bool, *allocation) {
		return &b.pending, &b.printer.closed, b.memory
	}, s.tellOf)
}

// tellOf is tell for one buffer.
func (s *Stream) tellOf(b *messageBuffer) error {
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
	if err := s.stream.Write(part, data); err != nil {
		return fail("clear", err)
	}
	m := Messages{Kernel: b.printer.kernel, Bytes: b.bytes,
		Dropped: binary.LittleEndian.Uint32(header[abi.MessagesDroppedOffset:])}
	order(list)
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

// order sorts the records of each launch by invocation, Z first, and leaves those of an invocation
// as they are.
func order(list []abi.MessageRecord) {
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

// failure returns the error of assertions that do not hold, by the header and the first record of
// one. Without a record, which may not have fit, it is about the one that the header names.
func (p *printer) failure(header []byte, first *abi.MessageRecord) *KernelError {
	word := func(offset int) uint32 { return binary.LittleEndian.Uint32(header[offset:]) }
	number := word(abi.MessagesFirstOffset)
	if number == 0 && first == nil {
		return nil
	}
	e := &KernelError{Kernel: p.kernel, Assertion: true, Failures: word(abi.MessagesFailedOffset)}
	var at *abi.Message
	switch {
	case first != nil:
		at, e.Text, e.Invocation = first.Message, first.Text(), first.Invocation
	case int(number) <= len(p.messages.List):
		at = &p.messages.List[number-1]
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
