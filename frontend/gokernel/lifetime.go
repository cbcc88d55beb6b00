// This file reports slices and pointers that outlive the iteration of the variable that they refer
// to. In Go each iteration has a new variable; on devices all iterations share one, so that the
// reference would see the value of a later iteration.

package gokernel

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
)

// owner identifies a variable by the instruction of a frame that allocates it, or the parameter
// that points to it. path are the fields that lead to a part of it.
type owner struct {
	frame *frame
	at    ssa.Value
	path  []int
}

// field returns the owner of a field.
func (o owner) field(n int) owner {
	o.path = append(slices.Clip(o.path), n)
	return o
}

// name returns the name of a variable or a part of it, or otherwise for one without a name.
func (o owner) name(otherwise string) string {
	v, ok := o.at.(*ssa.Alloc)
	if !ok || name(v.Comment) == "" || v.Comment == "complit" {
		return otherwise
	}
	called, t := v.Comment, pointee(v)
	for _, n := range o.path {
		field := t.Underlying().(*types.Struct).Field(n)
		called, t = called+"."+field.Name(), field.Type()
	}
	return called
}

// outlives reports whether a reference stored in a record may be read after its variable has been
// allocated anew, for another iteration, without a store to the record in between.
func (f *frame) outlives(stored *ssa.Store, r *record, base ir.Value) bool {
	declared, ok := f.t.owners[base]
	if !ok || r.owner.frame == nil {
		return false
	}
	x := r.owner.frame
	anew, save := x.within(declared.frame, declared.at.(ssa.Instruction)), x.within(f, stored)
	if anew == nil || save == nil || anew == save && f.always(declared, stored) {
		return false // the variable is not allocated anew while the record holds the reference
	}
	from := []ssa.Instruction{anew}
	if declared.frame == x {
		for _, use := range *declared.at.Referrers() {
			if phi, ok := use.(*ssa.Phi); ok {
				if _, next := loopVariable(phi); next != nil {
					from = append(from, next)
				}
			}
		}
	}
	over := f != x && r.owner.overwrites(f, stored)
	writes := func(i ssa.Instruction) bool { return over && i == save || r.owner.touches(i) == writing }
	reads := func(i ssa.Instruction) bool { return !writes(i) && r.owner.touches(i) == reading }
	return slices.ContainsFunc(from, func(at ssa.Instruction) bool {
		return reaches(save, writes, func(i ssa.Instruction) bool { return i == at }) && reaches(at, writes, reads)
	})
}

// overwrites reports whether the inlined call that leads to a store in another frame always stores
// to the variable, before reading it.
func (o owner) overwrites(f *frame, stored *ssa.Store) bool {
	child := f
	for child.caller != o.frame {
		child = child.caller
	}
	n := -1
	for k, a := range child.site.Call.Args {
		if _, ok := o.fieldPath(a); ok {
			if n >= 0 {
				return false
			}
			n = k
		}
	}
	if n < 0 {
		return false
	}
	path, _ := o.fieldPath(child.site.Call.Args[n])
	if len(path) > len(o.path) {
		return false
	}
	inner := owner{child, child.Params[n], o.path[len(path):]}
	save := child.within(f, stored)
	over := f == child || inner.overwrites(f, stored)
	writes := func(i ssa.Instruction) bool { return over && i == save || inner.touches(i) == writing }
	return !follow(child.Blocks[0].Instrs, child.Blocks[0], writes, func(i ssa.Instruction) bool {
		_, returns := i.(*ssa.Return)
		return !writes(i) && (returns || inner.touches(i) == reading)
	})
}

// always reports whether the inlined call that allocates a variable and stores a reference to it
// stores that whenever it allocates the variable.
func (f *frame) always(declared owner, stored *ssa.Store) bool {
	for x := f; x != nil; x = x.caller {
		anew, save := x.within(declared.frame, declared.at.(ssa.Instruction)), x.within(f, stored)
		if anew != nil && anew != save {
			return !reaches(anew, func(i ssa.Instruction) bool { return i == save }, func(i ssa.Instruction) bool {
				_, ok := i.(*ssa.Return)
				return ok
			})
		}
	}
	return false
}

// within returns the instruction of a frame that is, or whose inlined call contains, an instruction
// of another frame. It returns nil if there is none.
func (x *frame) within(of *frame, i ssa.Instruction) ssa.Instruction {
	for of != nil && of != x {
		if of.site == nil {
			return nil
		}
		of, i = of.caller, of.site
	}
	if of == nil {
		return nil
	}
	return i
}

// reaches reports whether a path leads from after an instruction to one that is wanted, without one
// that stops before it.
func reaches(from ssa.Instruction, stops, wanted func(ssa.Instruction) bool) bool {
	b := from.Block()
	return follow(b.Instrs[slices.Index(b.Instrs, from)+1:], b, stops, wanted)
}

// follow is reaches from the rest of a block on.
func follow(rest []ssa.Instruction, b *ssa.BasicBlock, stops, wanted func(ssa.Instruction) bool) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(list []ssa.Instruction, b *ssa.BasicBlock) bool
	walk = func(list []ssa.Instruction, b *ssa.BasicBlock) bool {
		for _, i := range list {
			if wanted(i) {
				return true
			}
			if stops(i) {
				return false
			}
		}
		for _, s := range b.Succs {
			if !seen[s] {
				seen[s] = true
				if walk(s.Instrs, s) {
					return true
				}
			}
		}
		return false
	}
	return walk(rest, b)
}

const (
	nothingOf = iota
	reading
	writing
)

// touches returns how an instruction accesses a part of a variable.
func (o owner) touches(i ssa.Instruction) int {
	switch i := i.(type) {
	case *ssa.Store:
		if isCopy(i) {
			return nothingOf
		}
		if path, ok := o.fieldPath(i.Addr); ok && len(path) <= len(o.path) {
			return writing
		}
	case *ssa.Alloc:
		if i == o.at {
			return writing
		}
		return nothingOf
	case *ssa.FieldAddr, *ssa.Phi, *ssa.DebugRef:
		return nothingOf
	}
	for _, v := range i.Operands(nil) {
		if *v != nil {
			if _, ok := o.fieldPath(*v); ok {
				return reading
			}
		}
	}
	return nothingOf
}

// fieldPath returns the fields by which a pointer leads into a variable. It reports false if the
// target neither contains the owner's part nor is in it.
func (o owner) fieldPath(v ssa.Value) (path []int, ok bool) {
	for {
		switch p := v.(type) {
		case *ssa.FieldAddr:
			path = append(path, p.Field)
			v = p.X
			continue
		case *ssa.Phi:
			outer, _ := loopVariable(p)
			ok = outer != nil && outer == o.at
		case *ssa.Alloc:
			ok = p == o.at || copied(p) != nil && copied(p) == o.at
		case *ssa.Parameter:
			ok = p == o.at
		}
		break
	}
	slices.Reverse(path)
	n := min(len(path), len(o.path))
	return path, ok && slices.Equal(path[:n], o.path[:n])
}
