package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file defers products of packed tiles (tilepanels.go). Strips read and write their sums once
// for each product, which takes long where a loop adds products of little depth to a sum. So the
// slices of several iterations are packed side by side, and multiplied at once.
//
//	loop(%x)                        filled = 0
//	  %y = tile_mul_add %a, %b, %x  loop
//	  next(%y)                        barrier; pack %a and %b behind filled others; filled += 1
//	                                  if filled = n { barrier; multiply; filled = 0 }
//	                                if filled > 0 { barrier; multiply }
//
// Elements of the sum get the same products in the same order. Operands are copied where they were,
// so that the loop may write to their matrices. Nothing else in the loop may use the sum.

// deferredDepth bounds the depth that is multiplied at once. Products of packedDepth or more are
// not deferred: they gain nothing, and what they prefetch comes too early. Tests take less.
var deferredDepth = 128

// deferral is a loop with such a product.
type deferral struct {
	product    ir.Inst
	iterations int
	filled     ir.Value // a variable
}

// findDeferrals finds the loops, and how many iterations are multiplied at once.
func (t *tileLowering) findDeferrals() {
	f := t.f
	t.deferrals = map[ir.Inst]*deferral{}
	if !t.inLanes {
		return
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.TileMulAdd || !t.isDeferrable(i) {
			continue
		}
		p := t.panelProduct(i)
		n := min(deferredDepth/p.slice, packedBytes/(p.slice*p.columnBytes()))
		if p.steps == 1 && p.slice < packedDepth && n > 1 {
			t.deferrals[f.Parent(f.BlockOf(i))] = &deferral{product: i, iterations: n}
		}
	}
}

// deferralOf returns the deferral of a product, or nil.
func (t *tileLowering) deferralOf(i ir.Inst) *deferral {
	if d := t.deferrals[t.f.Parent(t.f.BlockOf(i))]; d != nil && d.product == i {
		return d
	}
	return nil
}

// usesScratch are the operations that have something in workgroup memory.
var usesScratch = [op.Count]bool{op.TileMulAdd: true, op.TileReduce: true, op.TileBroadcast: true, op.TileTranspose: true}

// isDeferrable reports whether each iteration of a loop adds a product to a sum, and only passes
// that on. Nothing else in the loop may be in workgroup memory.
func (t *tileLowering) isDeferrable(product ir.Inst) bool {
	f := t.f
	loop := f.Parent(f.BlockOf(product))
	if loop == 0 || f.Op(loop) != op.Loop || f.Region(loop, 0) != f.BlockOf(product) {
		return false
	}
	array := t.find(f.Result(product))
	isSum := func(v ir.Value) bool {
		return v.IsLocal() && t.m.IsTile(f.TypeOf(v)) && t.find(v) == array
	}
	if !isSum(f.Arg(product, 2)) || isSum(f.Arg(product, 0)) || isSum(f.Arg(product, 1)) {
		return false
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if i == product || t.tileValues.position[i] <= t.tileValues.position[loop] || t.tileValues.position[i] >= t.behind[loop] {
			continue
		}
		switch o := f.Op(i); {
		case o == op.Return, usesScratch[o]:
			return false
		case o.Is(op.Control | op.Terminator):
			if o.Is(op.Terminator) && t.tileValues.position[f.Target(i)] < t.tileValues.position[loop] {
				return false // to a construct around the loop
			}
			for _, p := range t.allPassed(i) {
				if isSum(p.to) != isSum(p.from) {
					return false
				}
			}
		default:
			for _, v := range f.Args(i) {
				if isSum(v) {
					return false
				}
			}
			if r := f.Result(i); r != ir.NoValue && isSum(r) {
				return false
			}
		}
	}
	return true
}

// enterDeferral builds what is before a loop with a deferred product, and behind it.
func (t *tileLowering) enterDeferral(loop ir.Inst, d *deferral) {
	f, b := t.f, &t.b
	b.Flags = 0
	d.filled = b.Var(ir.U32, "filled")
	b.At(loop)
	b.Store(d.filled, t.u32(0))
	b.SetBefore(f.Next(loop))
	p := t.panelProduct(d.product)
	filled := b.Load(d.filled)
	t.when(t.op(op.Ne, filled, 0), func() {
		t.barrier()
		t.multiplyPacked(&p, t.op(op.Mul, filled, p.slice/p.unroll()))
	})
	b.At(loop)
}

// deferProduct packs the slices of a deferred product, and multiplies those of several iterations.
func (t *tileLowering) deferProduct(p *panelProduct, d *deferral) {
	b := &t.b
	filled := b.Load(d.filled)
	p.begin = t.op(op.Mul, filled, p.slice)
	t.barrier()
	t.pack(p, 0, t.u32(0))
	t.pack(p, 1, t.u32(0))
	filled = t.op(op.Add, filled, 1)
	b.Store(d.filled, filled)
	t.when(t.op(op.Eq, filled, d.iterations), func() {
		t.barrier()
		t.findPrefetches(p)
		t.multiplyPacked(p, ir.NoValue)
		b.Store(d.filled, t.u32(0))
	})
}
