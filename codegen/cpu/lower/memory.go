package lower

import (
	"github.com/gpuc/gpuc/ir"
)

// This file gives variables their offsets. Memory of 32-bit addresses is counted from 0: a
// workgroup's from its beginning, an invocation's own too. Tables of constants lie in one block.

// Memory is what a kernel needs of memory besides its bindings.
type Memory struct {
	// Offsets is, by the index of a symbol, its offset in its space; immediates begin at 0.
	Offsets []uint32
	// WorkgroupBytes and PrivateBytes are the sizes of workgroup memory and of each invocation's
	// own, in multiples of 16. An invocation's own need not be zero when a workgroup begins.
	WorkgroupBytes, PrivateBytes uint32
	// ClearedBytes is the part of workgroup memory, from its beginning, that has to be zero. What
	// lies behind is written before it is read.
	ClearedBytes uint32
	// Constants is the memory of the space of constants.
	Constants []byte
}

// layOut lays the symbols out.
func (p *Program) layOut() {
	f := p.F
	p.Offsets = make([]uint32, len(f.Symbols))
	sizes := [...]*uint32{ir.Workgroup: &p.WorkgroupBytes, ir.Private: &p.PrivateBytes}
	tiles := 0
	for n := range f.Symbols[1:] {
		s := &f.Symbols[n+1]
		switch s.Space {
		case ir.Constant:
			at := uint32(len(p.Constants)+15) &^ 15
			p.Offsets[n+1] = at
			p.Constants = append(p.Constants, make([]byte, int(at-uint32(len(p.Constants)))+int(s.Bytes))...)
			f.Module.PutConst(p.Constants[at:], f.Module.Global(s.Variable).Init)
		case ir.Workgroup, ir.Private, ir.Function:
			if s.Space == ir.Workgroup && f.Module.Global(s.Variable).Role == ir.TileRings {
				tiles = n + 1
				continue
			}
			space := s.Space
			if space == ir.Function {
				space = ir.Private
			}
			p.Offsets[n+1] = *sizes[space]
			*sizes[space] += (s.Bytes + 15) &^ 15
		}
	}
	p.ClearedBytes = p.WorkgroupBytes
	if tiles != 0 {
		p.Offsets[tiles] = p.WorkgroupBytes
		p.WorkgroupBytes += (f.Symbols[tiles].Bytes + 15) &^ 15
	}
}
