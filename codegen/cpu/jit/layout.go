package jit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/ir"
)

// This file is what launches have to know of code. That is enough to launch code that is linked
// into the program, without the kernel that it was made of.

// Version is that of the agreement between code and launches. It covers the context's fields and
// what the code does with them, the table of invocations, the statuses, the calls, and the fields
// of Layout. Code of another version is not launched, so it grows with each change of these.
const Version = 4

// Layout is what a launch has to know of a kernel's code.
type Layout struct {
	Name       string
	Workgroup  [3]uint32
	Bindings   []lower.Binding // by number, as in lower.Program
	Needed     []uint64        // by binding: how many bytes code relies on
	Immediates uint32          // bytes
	// WorkgroupBytes is the size of workgroup memory.
	WorkgroupBytes uint32
	// ContextBytes is the size of a context, FrameBytes that of the memory of one block of lanes,
	// of which there are Frames.
	ContextBytes, FrameBytes, Frames int
	// Blocks is how many blocks of lanes a workgroup has.
	Blocks int
	// Together is how many blocks of lanes are executed together.
	Together int
	// Calls are the operations that Go executes.
	Calls []Call `json:",omitempty"`
	// Constants is the memory of the space of constants.
	Constants []byte
}

// layoutOf returns what is known of a program before it is compiled.
func layoutOf(p *lower.Program) Layout {
	return Layout{Name: p.F.Source.Name, Workgroup: p.Workgroup, Bindings: p.Bindings, Needed: needed(p), Immediates: p.Immediates, WorkgroupBytes: p.WorkgroupBytes, Constants: p.Constants, Blocks: int(blocks(p))}
}

// needed returns how large buffers have to be for code that keeps within variables to keep within
// them, too: one element of an array at the end.
func needed(p *lower.Program) []uint64 {
	m := p.F.Module
	list := make([]uint64, 0, len(p.Bindings))
	reach := ir.ReachOf(m, p.F.Source)
	for n, v := range reach.Resources {
		if b := &p.Bindings[n]; b.Stride > 0 {
			list = append(list, uint64(b.Offset)+uint64(b.Stride))
		} else {
			list = append(list, uint64(m.Size(m.Element(m.TypeOf(v)))))
		}
	}
	return list
}

// text returns the layout as parseLayout reads it.
func (l *Layout) text() (string, error) {
	text, err := json.Marshal(l)
	return string(text), err
}

func parseLayout(text string) (l Layout, err error) {
	err = json.Unmarshal([]byte(text), &l)
	return l, err
}

// invocations returns how many invocations a workgroup has, and width how many lanes its blocks
// have together.
func (l *Layout) invocations() uint32 { return l.Workgroup[0] * l.Workgroup[1] * l.Workgroup[2] }
func (l *Layout) width() uint32       { return uint32(l.Blocks) * lanes }

// tableBytes is the size of the table of invocations.
func (l *Layout) tableBytes() int { return columns * 4 * int(l.width()) }

// putTable writes the table of invocations (group.go).
func (l *Layout) putTable(to []byte) {
	w, width := l.Workgroup, l.width()
	for n := range width {
		ids := [columns]uint32{n % w[0], n / w[0] % w[1], n / w[0] / w[1], 0}
		if n < l.invocations() {
			ids[tableLives] = ^uint32(0)
		}
		for c, id := range ids {
			binary.LittleEndian.PutUint32(to[4*(uint32(c)*width+n):], id)
		}
	}
}

// Key returns the name of a kernel's code among all that is linked into a program. It is a digest
// of the kernel's IR text, whatever its lines end with, and of Version.
func Key(text []byte) string {
	h := sha256.New()
	h.Write(strconv.AppendInt([]byte("gpuc native "), Version, 10))
	// lines that git gave the ends which they have on Windows have the same key
	for from := 0; from < len(text); {
		to := from
		for to < len(text) && text[to] != '\r' {
			to++
		}
		h.Write(text[from:to])
		from = to + 1
	}
	return hex.EncodeToString(h.Sum(nil))
}
