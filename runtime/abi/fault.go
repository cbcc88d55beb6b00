// Faults: what a kernel compiled with -bounds=trap writes down, for the runtime
// that reads it after a launch.

package abi

import "encoding/binary"

// Fault lists the places of the source where a kernel may be found to access
// what lies outside of a variable. The first invocation that does so describes
// it in the fault record, the first of Kernel.Bindings behind Kernel.Arguments: a buffer of
// FaultRecordBytes bytes that is zero before. As long as the record is not zero,
// further faults leave no trace. The accesses themselves are kept within their
// variables, as without -bounds=trap.
type Fault struct {
	Sites []Site `json:"sites"`
}

// Site is a place of the source that is checked.
type Site struct {
	// File, Line and Column say where it begins, counted from 1, and Length how
	// many bytes it has. Line is 0 if the code came from nowhere.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Length int    `json:"length"`
	// Name is the variable that is accessed, or "" for a value.
	Name string `json:"name,omitempty"`
	// Signed says that the index is a signed number.
	Signed bool `json:"signed,omitempty"`
}

// The layout of the fault record: little-endian u32 at these offsets.
const (
	FaultSiteOffset       = 0  // the site's position in Fault.Sites plus 1, or 0
	FaultIndexOffset      = 4  // the index, its low 32 bits
	FaultLengthOffset     = 8  // the number of elements that there are
	FaultInvocationOffset = 16 // global_invocation_id, three numbers

	FaultRecordBytes = 32
)

// FaultRecord is a fault record that is not empty.
type FaultRecord struct {
	Site       *Site
	Index      int64
	Length     uint32
	Invocation [3]uint32 // global_invocation_id
}

// Decode reads a fault record. It returns false if there was no fault. A site
// that the description does not have, as when a kernel wrote over the record,
// is one without a place.
func (f *Fault) Decode(record []byte) (FaultRecord, bool) {
	if f == nil || len(record) < FaultRecordBytes {
		return FaultRecord{}, false
	}
	word := func(offset int) uint32 { return binary.LittleEndian.Uint32(record[offset:]) }
	number := word(FaultSiteOffset)
	if number == 0 {
		return FaultRecord{}, false
	}
	r := FaultRecord{Site: new(Site), Index: int64(word(FaultIndexOffset)), Length: word(FaultLengthOffset)}
	if number <= uint32(len(f.Sites)) {
		r.Site = &f.Sites[number-1]
	}
	if r.Site.Signed {
		r.Index = int64(int32(r.Index))
	}
	for n := range r.Invocation {
		r.Invocation[n] = word(FaultInvocationOffset + 4*n)
	}
	return r, true
}
