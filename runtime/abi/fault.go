// Faults: what a kernel compiled with -bounds=trap records, and how the runtime reads it after a
// launch.

package abi

import "encoding/binary"

// Fault lists the source positions where a kernel checks accesses. The first invocation that
// accesses something out of bounds describes it in the fault record, the first of Kernel.Bindings
// behind Kernel.Arguments: a buffer of FaultRecordBytes, zero before the launch. While the record
// is not zero, further faults leave no trace. The accesses themselves are clamped to their
// variables, as without -bounds=trap.
type Fault struct {
	Sites []Site `json:"sites"`
}

// Site is a source position that is checked.
type Site struct {
	// File, Line and Column say where it begins, counted from 1, and Length how many bytes it has.
	// Line is 0 if the position is unknown.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Length int    `json:"length"`
	// Name is the variable that is accessed, or "" for a value.
	Name string `json:"name,omitempty"`
	// Signed says that the index is signed.
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

// Decode reads a fault record. It returns false if there was no fault. A site that the description
// does not have, as when a kernel overwrote the record, is returned as the zero Site.
func (f *Fault) Decode(record []byte) (FaultRecord, bool) {
	if f == nil || len(record) < FaultRecordBytes {
		return FaultRecord{}, false
	}
	word := func(offset int) uint32 { return binary.LittleEndian.Uint32(record[offset:]) }
	site := word(FaultSiteOffset)
	if site == 0 {
		return FaultRecord{}, false
	}
	r := FaultRecord{Site: new(Site), Index: int64(word(FaultIndexOffset)), Length: word(FaultLengthOffset)}
	if site <= uint32(len(f.Sites)) {
		r.Site = &f.Sites[site-1]
	}
	if r.Site.Signed {
		r.Index = int64(int32(r.Index))
	}
	for n := range r.Invocation {
		r.Invocation[n] = word(FaultInvocationOffset + 4*n)
	}
	return r, true
}
