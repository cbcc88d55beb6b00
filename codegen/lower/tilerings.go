package lower

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file groups the loads of operands, and gives each group stages in a ring.

// loadGroup has the loads that share a stage: operands of the same products, or one load.
type loadGroup struct {
	loads []int // in tensorPlan.loads
	block ir.Block
	// last is the instruction of the block behind which the stage is released. It is a product, or
	// has all uses within.
	last ir.Inst
	// joint says that the loads are operands of products in the block alone.
	joint bool
	bytes int
	ring  int
}

// ring is a ring of stages. Groups share one if their stages are released in the order of their
// loads.
type ring struct {
	joint  bool // of joint groups, as those of inner loops are
	bytes  int  // of a stage
	stages int
	offset int // of the first stage
	full   int // offset of the barriers: of each stage that for full, then that for empty
}

// join joins the joint groups of a block that a product has operands of, and lays out the stages.
func (p *tensorPlan) join(f *ir.Func) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.TileMulAdd {
			continue
		}
		first := -1
		for n := 0; n < len(p.groups); n++ {
			g := &p.groups[n]
			if !g.joint || g.block != f.BlockOf(i) || !p.uses(f, g, i) {
				continue
			}
			if first < 0 {
				first = n
				continue
			}
			into := &p.groups[first]
			into.loads = append(into.loads, g.loads...)
			if follows(f, into.last, g.last) {
				into.last = g.last
			}
			p.groups = slices.Delete(p.groups, n, n+1)
			n--
		}
	}
	for n := range p.groups {
		g := &p.groups[n]
		slices.Sort(g.loads)
		for _, load := range g.loads {
			l := &p.loads[load]
			l.group, l.offset = n, g.bytes
			g.bytes += l.bytes()
		}
	}
}

// follows reports whether an instruction follows another in its block.
func follows(f *ir.Func, i, later ir.Inst) bool {
	for ; i != 0 && i != later; i = f.Next(i) {
	}
	return i != 0
}

// share gives the groups their rings. Joint groups share one as long as the products of a block
// come in the order of its loads, and no other loads are between them.
func (p *tensorPlan) share(f *ir.Func) {
	shared := -1
	for n := range p.groups {
		g := &p.groups[n]
		if g.joint && p.inOrder(f, g) {
			if shared < 0 {
				shared = len(p.rings)
				p.rings = append(p.rings, ring{joint: true})
			}
			g.ring = shared
		} else {
			g.ring = len(p.rings)
			p.rings = append(p.rings, ring{joint: g.joint})
		}
		p.rings[g.ring].bytes = max(p.rings[g.ring].bytes, g.bytes)
	}
}

// uses reports whether a product has an operand of a group.
func (p *tensorPlan) uses(f *ir.Func, g *loadGroup, product ir.Inst) bool {
	return slices.ContainsFunc(g.loads, func(l int) bool { return slices.Contains(f.Args(product)[:2], f.Result(p.loads[l].inst)) })
}

// inOrder reports whether between a group's loads and its product there is neither another product
// whose loads come later, nor control with loads.
func (p *tensorPlan) inOrder(f *ir.Func, g *loadGroup) bool {
	first := p.loads[g.loads[0]].inst
	before := map[ir.Inst]bool{} // products whose loads came before
	for n := range p.groups {
		if other := &p.groups[n]; other.block == g.block && !follows(f, f.Next(first), p.loads[other.loads[0]].inst) {
			before[other.last] = true
		}
	}
	for i := first; i != g.last; i = f.Next(i) {
		own := f.Op(i) == op.TileMulAdd && p.uses(f, g, i)
		if f.Op(i) == op.TileMulAdd && !before[i] && !own || f.Op(i).Is(op.Control) {
			return false
		}
	}
	return true
}

// budget gives the rings their stages, and the stores their buffers: for all boxes, if that leaves
// three stages, else for two.
func (p *tensorPlan) budget(boxes int) string {
	const (
		align    = 1024 // of boxes with a swizzle of 128 bytes
		boxBytes = 64 * swizzleBytes
		enough   = 3 // stages
	)
	fixed := align + 16*maxStages*len(p.rings)
	least, wanted := 0, 0
	for n := range p.rings {
		r := &p.rings[n]
		r.bytes = (r.bytes + align - 1) / align * align
		r.stages = 1
		least += r.bytes
		wanted += r.bytes
		if r.joint {
			wanted += (enough - 1) * r.bytes
		}
	}
	wanted = min(wanted, max(least, tensorBytes-fixed-p.consumers*min(boxes, 2)*boxBytes))
	for _, p.buffers = range [...]int{boxes, min(boxes, 2), 0} {
		if fixed+p.consumers*p.buffers*boxBytes+wanted <= tensorBytes {
			break
		}
	}
	if p.buffers == 0 {
		clear(p.stores)
	}
	used := fixed + p.consumers*p.buffers*boxBytes + least
	if used > tensorBytes {
		return fmt.Sprintf("one stage of all operands takes %d bytes of workgroup memory, and there are %d", used, tensorBytes)
	}
	for _, joint := range [...]bool{true, false} {
		for more := true; more; {
			more = false
			for n := range p.rings {
				r := &p.rings[n]
				if r.joint == joint && used+r.bytes <= tensorBytes && r.stages < maxStages {
					r.stages++
					used += r.bytes
					more = true
				}
			}
		}
	}
	offset := 0
	for n := range p.rings {
		p.rings[n].offset = offset
		offset += p.rings[n].bytes * p.rings[n].stages
	}
	p.bufferOffset = offset
	offset += p.consumers * p.buffers * boxBytes
	for n := range p.rings {
		p.rings[n].full = offset
		offset += 16 * p.rings[n].stages
	}
	p.bytes = offset
	p.arrivals = p.consumers * warpgroup / 32
	return ""
}
