package ir

import (
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file changes functions: making instructions and blocks, moving and removing them, and
// replacing values. Replacement is by forwarding: Replace notes that one value replaces another.
// ApplyReplacements rewrites all operands in one walk when a pass is done, so no use lists are
// kept.

func (f *Func) newBlock(parent Inst) Block {
	f.blocks = append(f.blocks, blockRecord{parent: parent})
	return Block(len(f.blocks) - 1)
}

func (f *Func) newValue(t Type, def uint32) Value {
	f.values = append(f.values, valueRecord{t, def})
	return Value(len(f.values) - 1)
}

// AddParam appends a parameter to a block: of the entry, of a loop's body or
// continuing block.
func (f *Func) AddParam(b Block, t Type) Value {
	v := f.newValue(t, uint32(b)<<1|1)
	r := &f.blocks[b]
	r.params = f.appendList(r.params, v)
	return v
}

// AddResult appends a result to a control instruction. Every exit, and a next
// with a condition, must then get one more operand.
func (f *Func) AddResult(i Inst, t Type) Value {
	v := f.newValue(t, uint32(i)<<1)
	c := &f.controls[f.insts[i].aux]
	c.results = f.appendList(c.results, v)
	if c.results.count == 1 {
		f.insts[i].typ, f.insts[i].result = t, v
	}
	return v
}

// SetResults replaces a control instruction's list of results by some of them.
func (f *Func) SetResults(i Inst, results []Value) {
	c := &f.controls[f.insts[i].aux]
	c.results.count = uint32(copy(f.pool[c.results.start:c.results.start+c.results.count], results))
	f.insts[i].typ, f.insts[i].result = Void, 0
	if len(results) > 0 {
		f.insts[i].typ, f.insts[i].result = f.values[results[0]].typ, results[0]
	}
}

// SetParams replaces a block's list of parameters by some of them.
func (f *Func) SetParams(b Block, params []Value) {
	l := &f.blocks[b].params
	l.count = uint32(copy(f.pool[l.start:l.start+l.count], params))
}

// appendList adds a value to a list in the pool; the list moves to the pool's
// end unless it is there already.
func (f *Func) appendList(l list, v Value) list {
	if l.count == 0 || l.start+l.count != uint32(len(f.pool)) {
		start := uint32(len(f.pool))
		f.pool = append(f.pool, f.pool[l.start:l.start+l.count]...)
		l.start = start
	}
	f.pool = append(f.pool, v)
	l.count++
	return l
}

// AppendArg adds an operand to an instruction.
func (f *Func) AppendArg(i Inst, v Value) {
	r := &f.insts[i]
	switch {
	case r.argCount < uint8(len(r.args)):
		r.args[r.argCount] = v
		r.argCount++
		return
	case r.argCount != pooled:
		start := uint32(len(f.pool))
		f.pool = append(f.pool, r.args[:r.argCount]...)
		r.args = [3]Value{Value(start), Value(r.argCount)}
		r.argCount = pooled
	}
	l := f.appendList(list{uint32(r.args[0]), uint32(r.args[1])}, v)
	r = &f.insts[i]
	r.args[0], r.args[1] = Value(l.start), Value(l.count)
}

// NewInst makes an instruction that is in no block yet. A type other than Void
// gives it a result.
func (f *Func) NewInst(o op.Op, t Type, aux uint32, span source.Span, args ...Value) Inst {
	i := Inst(len(f.insts))
	r := inst{op: o, typ: t, aux: aux}
	if len(args) <= len(r.args) {
		for n, a := range args {
			r.args[n] = a
			r.argCount++
		}
	} else {
		r.args, r.argCount = [3]Value{Value(len(f.pool)), Value(len(args))}, pooled
		f.pool = append(f.pool, args...)
	}
	if t != Void {
		r.result = f.newValue(t, uint32(i)<<1)
	}
	f.had.Add(o)
	f.insts = append(f.insts, r)
	f.spans = append(f.spans, span)
	return i
}

// newControl makes a control instruction with the given number of blocks.
func (f *Func) newControl(o op.Op, blocks int, span source.Span, args ...Value) Inst {
	i := f.NewInst(o, Void, uint32(len(f.controls)), span, args...)
	f.controls = append(f.controls, controlRecord{})
	c := &f.controls[len(f.controls)-1]
	c.blocks = list{uint32(len(f.targets)), uint32(blocks)}
	for n := range blocks {
		b := f.newBlock(i)
		f.targets = append(f.targets, uint32(b))
		if n > 0 {
			f.blocks[b-1].sibling = b
		}
	}
	return i
}

// NewIf makes an if with empty then and else blocks.
func (f *Func) NewIf(condition Value, span source.Span) Inst {
	return f.newControl(op.If, 2, span, condition)
}

// NewLoop makes a loop with empty body and continuing blocks. Initial values of
// the body's parameters are the operands, appended with AddLoopParam.
func (f *Func) NewLoop(span source.Span) Inst { return f.newControl(op.Loop, 2, span) }

// AddLoopParam gives a loop's body a parameter and its initial value. Every next
// must then get one more operand.
func (f *Func) AddLoopParam(i Inst, initial Value) Value {
	f.AppendArg(i, initial)
	return f.AddParam(f.Region(i, 0), f.TypeOf(initial))
}

// NewScope makes a scope with an empty block.
func (f *Func) NewScope(span source.Span) Inst { return f.newControl(op.Scope, 1, span) }

// NewSwitch makes a switch with empty blocks. Case values are added with
// AddCase; other is which block is the default.
func (f *Func) NewSwitch(selector Value, blocks, other int, span source.Span) Inst {
	i := f.newControl(op.Switch, blocks, span, selector)
	f.controls[f.insts[i].aux].other = uint32(other)
	return i
}

// AddCase makes a case value select a block of a switch.
func (f *Func) AddCase(i Inst, value Value, block int) {
	f.AppendArg(i, value)
	c := &f.controls[f.insts[i].aux]
	if c.cases.count == 0 || c.cases.start+c.cases.count != uint32(len(f.targets)) {
		start := uint32(len(f.targets))
		f.targets = append(f.targets, f.targets[c.cases.start:c.cases.start+c.cases.count]...)
		c.cases.start = start
	}
	f.targets = append(f.targets, uint32(block))
	c.cases.count++
}

// RemoveCases removes the case values of a switch for which drop holds; the blocks stay.
func (f *Func) RemoveCases(i Inst, drop func(value Value, block int) bool) {
	args, targets := f.Args(i), f.CaseTargets(i)
	left := 0
	for n, block := range targets {
		if !drop(args[n+1], int(block)) {
			args[left+1], targets[left] = args[n+1], block
			left++
		}
	}
	f.SetArgs(i, args[:left+1]...)
	f.controls[f.insts[i].aux].cases.count = uint32(left)
}

// Append puts an instruction at the end of a block.
func (f *Func) Append(b Block, i Inst) {
	r, at := &f.insts[i], &f.blocks[b]
	r.block, r.prev, r.next = b, at.last, 0
	if at.last != 0 {
		f.insts[at.last].next = i
	} else {
		at.first = i
	}
	at.last = i
}

// InsertBefore puts an instruction before another in its block.
func (f *Func) InsertBefore(before, i Inst) {
	r, at := &f.insts[i], &f.insts[before]
	r.block, r.prev, r.next = at.block, at.prev, before
	if at.prev != 0 {
		f.insts[at.prev].next = i
	} else {
		f.blocks[at.block].first = i
	}
	at.prev = i
}

// Unlink takes an instruction out of its block; it can be put elsewhere.
func (f *Func) Unlink(i Inst) {
	r := &f.insts[i]
	if r.prev != 0 {
		f.insts[r.prev].next = r.next
	} else {
		f.blocks[r.block].first = r.next
	}
	if r.next != 0 {
		f.insts[r.next].prev = r.prev
	} else {
		f.blocks[r.block].last = r.prev
	}
	r.prev, r.next, r.block = 0, 0, 0
}

// Remove takes an instruction out of its block for good. Its results must have
// no uses left. Blocks that it owns disappear with it.
func (f *Func) Remove(i Inst) {
	f.Unlink(i)
	f.insts[i].op = op.Invalid
}

// MoveBlock appends all instructions of one block to another and leaves the
// first empty.
func (f *Func) MoveBlock(from, to Block) {
	for i := f.blocks[from].first; i != 0; {
		next := f.insts[i].next
		f.Append(to, i)
		i = next
	}
	f.blocks[from].first, f.blocks[from].last = 0, 0
}

// MoveBlockBefore inserts all instructions of a block before an instruction and
// leaves the block empty.
func (f *Func) MoveBlockBefore(from Block, before Inst) {
	for i := f.blocks[from].first; i != 0; {
		next := f.insts[i].next
		f.InsertBefore(before, i)
		i = next
	}
	f.blocks[from].first, f.blocks[from].last = 0, 0
}

// Replace makes every use of old a use of new once ApplyReplacements runs.
func (f *Func) Replace(old, new Value) {
	if old == new {
		return
	}
	if len(f.forward) < len(f.values) {
		if cap(f.forward) < len(f.values) {
			grown := make([]Value, len(f.forward), len(f.values)+len(f.values)/2)
			copy(grown, f.forward)
			f.forward = grown
		}
		n := len(f.forward)
		f.forward = f.forward[:len(f.values)]
		clear(f.forward[n:])
	}
	f.forward[old] = new
}

// Resolve returns the value that replaces a value after the replacements so far.
func (f *Func) Resolve(v Value) Value {
	for v.IsLocal() && int(v) < len(f.forward) && f.forward[v] != 0 {
		v = f.forward[v]
	}
	return v
}

// ApplyReplacements rewrites the operands of all instructions. A replacement may
// make an index constant that lies outside of its variable or value: it is what a
// dynamic one is there.
func (f *Func) ApplyReplacements() {
	if len(f.forward) == 0 {
		return
	}
	f.resolve(f.First(f.Entry), 0)
	f.forward = f.forward[:0]
}

// ApplyWithin is ApplyReplacements for an instruction and what is in its blocks. The replacements
// stay.
func (f *Func) ApplyWithin(i Inst) {
	if len(f.forward) > 0 {
		f.resolve(i, f.AfterRegions(i, f.Entry))
	}
}

// resolve rewrites the operands of instructions, up to one that is beyond.
func (f *Func) resolve(i, end Inst) {
	forward := f.forward
	for ; i != end; i = f.After(i, f.Entry) {
		args := f.Args(i)
		for n, v := range args {
			// so v is local; the tags of others are negative as an int of 32 bits
			if uint(v) < uint(len(forward)) && forward[v] != 0 {
				args[n] = f.Resolve(v)
			}
		}
	}
}

// DropReplacements forgets the replacements of a pass that has met all uses itself, with
// Resolve.
func (f *Func) DropReplacements() { f.forward = f.forward[:0] }

// Terminator returns a block's terminator, or 0 while it has none.
func (f *Func) Terminator(b Block) Inst {
	if i := f.blocks[b].last; i != 0 && f.insts[i].op.Is(op.Terminator) {
		return i
	}
	return 0
}

// CountUses adds up, by local value, how many operands use it. The slice is
// reused if it is large enough.
func (f *Func) CountUses(uses []uint32) []uint32 {
	if cap(uses) < len(f.values) {
		uses = make([]uint32, len(f.values)+len(f.values)/4)
	}
	uses = uses[:len(f.values)]
	clear(uses)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, v := range f.Args(i) {
			if v.IsLocal() {
				uses[v]++
			}
		}
	}
	return uses
}
