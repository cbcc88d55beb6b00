// Messages: what a kernel compiled with debugging on prints, and how the runtime reads it.

package abi

import (
	"encoding/binary"
	"fmt"

	"github.com/gpuc/gpuc/ir/printf"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Messages lists the source positions where a kernel prints. Records are in the first of
// Kernel.Bindings after Kernel.Arguments, after a header of MessagesWordsOffset bytes. All is zero
// before the launch, except the launch number in the header.
//
// A record is these words: the message's index in List plus 1 (low half) and the launch number
// (high half); global_invocation_id; and the values (see printf.Argument). Records of one
// invocation are in its order, and those of a launch follow those of earlier launches on the
// stream.
type Messages struct {
	List []Message `json:"list"`
}

// Message is a source position that prints.
type Message struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Length int    `json:"length"`
	// Format is as that of Go's package fmt.
	Format string `json:"format"`
	// Assert says that the message is printed where an assertion fails.
	Assert bool `json:"assert,omitempty"`
	// Values are the types of what the format shows.
	Values []MessageValue `json:"values,omitempty"`
}

// MessageValue is the type of a value that a message shows.
type MessageValue struct {
	// Kind is the scalar: "f32".
	Kind string `json:"kind"`
	// Count is how many scalars a vector has, 0 if it is none.
	Count int `json:"count,omitempty"`
}

// The layout of the header: little-endian u32 at these offsets.
const (
	MessagesUsedOffset    = 0 // how many words records take, or want to take
	MessagesDroppedOffset = 4 // how many messages did not fit
	// the first failed assertion's position in Messages.List plus 1, or 0
	MessagesFirstOffset  = 8
	MessagesFailedOffset = 12 // how many assertions failed
	// the first failed assertion's global_invocation_id, three numbers
	MessagesInvocationOffset = 16
	MessagesLaunchOffset     = 28 // the launch's number, in the high half
	MessagesWordsOffset      = 32 // where the records begin
)

// messageHead is how many words of a record precede its values.
const messageHead = 4

// MessageRecord is a message that a kernel has printed.
type MessageRecord struct {
	Message    *Message
	Launch     uint16
	Invocation [3]uint32 // global_invocation_id
	values     []any
}

// Text returns the formatted message, without position and invocation.
func (r *MessageRecord) Text() string {
	if r == nil || r.Message == nil {
		return ""
	}
	return printf.Text(r.Message.Format, r.values)
}

// MessagesUsed returns how many bytes of the buffer, the header among them, hold records: as many
// as there may be in one of this size.
func MessagesUsed(header []byte, size uint64) uint64 {
	if len(header) < MessagesUsedOffset+4 {
		return 0
	}
	return min(MessagesWordsOffset+4*uint64(binary.LittleEndian.Uint32(header[MessagesUsedOffset:])), size)
}

// Decode reads the records after the header. The error says that they are none, as when a kernel
// wrote over them; those before are returned with it.
func (m *Messages) Decode(records []byte) (list []MessageRecord, err error) {
	words := make([]uint32, len(records)/4)
	for n := range words {
		words[n] = binary.LittleEndian.Uint32(records[4*n:])
	}
	for len(words) > messageHead-1 && words[0] != 0 { // 0 is where a record did not fit
		number := int(words[0] & 0xffff)
		if number == 0 || number > len(m.List) {
			return list, fmt.Errorf("the buffer of messages holds a record of message %d, and there are %d", number, len(m.List))
		}
		r := MessageRecord{Message: &m.List[number-1], Launch: uint16(words[0] >> 16), Invocation: [3]uint32(words[1:messageHead])}
		words = words[messageHead:]
		for _, v := range r.Message.Values {
			a := printf.Argument{Kind: scalar.Named(v.Kind), Count: v.Count}
			if a.Words() > len(words) {
				return list, fmt.Errorf("a record of message %d ends behind the buffer of messages", number)
			}
			r.values = append(r.values, a.Value(words))
			words = words[a.Words():]
		}
		list = append(list, r)
	}
	return list, nil
}
