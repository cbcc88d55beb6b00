package ptx

import "fmt"

// Copies of 16 bytes to workgroup memory that an invocation does not wait for at once (PTX ISA,
// "Data Movement and Conversion Instructions: Non-bulk copy"). A copy reads and writes as late as
// the ISA allows: where its invocation waits for its group. Until then nobody may access what it
// writes. Then it is as if the invocation had stored there, so that others need a barrier.

const copyBytes = 16

// pendingCopy is a copy that its invocation has not waited for.
type pendingCopy struct {
	from []byte
	to   *region
	at   uint64
	x    *instruction
}

// copyingThread is the part of an invocation's state that copies have.
type copyingThread struct {
	copies     []pendingCopy   // that are in no group yet
	copyGroups [][]pendingCopy // in the order of their commits
}

// startCopies marks no byte of a region as one that a copy is going to write.
func (r *region) startCopies() {
	r.pending = make([]int32, (len(r.bytes)+copyBytes-1)/copyBytes)
}

// checkCopies fails if a copy is going to write some of the bytes that are accessed.
func (r *region) checkCopies(at, size uint64) {
	for n := at / copyBytes; n <= (at+size-1)/copyBytes; n++ {
		if line := r.pending[n]; line != 0 {
			fail(fmt.Sprintf("byte %d of %s is accessed before a wait for the copy of line %d", n*copyBytes, r.name, line))
		}
	}
}

// readCopy parses [workgroup memory], [global memory], 16, bytes. What is left of the 16 bytes gets
// zeros.
func readCopy(p *parser, x *instruction, _ *form) {
	p.copies = true
	x.access = access{space: shared, width: 8, count: 2}
	p.address(x)
	p.expect(',')
	from := *x
	from.access = access{space: global, width: 8, count: 2}
	p.address(&from)
	x.from = &from
	p.expect(',')
	if n := p.integer(copyBytes); n != copyBytes {
		p.refuse("a copy of %d bytes that goes around the first cache", n)
	}
	p.expect(',')
	x.a = p.source(kinds["u32"], false)
}

// startCopy executes cp.async.cg.shared.global.
func startCopy(t *thread, x *instruction) {
	t.need(x.a)
	size := t.frame.values[x.a]
	if size > copyBytes {
		fail(fmt.Sprintf("a copy of %d bytes to %d", size, copyBytes))
	}
	c := pendingCopy{x: x}
	c.to, c.at = t.locate(x)
	c.to.state(c.at, copyBytes)
	t.checkRace(c.to, c.at, x, true)
	if size > 0 {
		t.need(x.from.base)
		if address := t.frame.values[x.from.base] + x.from.offset; address%copyBytes != 0 {
			fail(fmt.Sprintf("address %#x is not aligned to %d bytes", address, copyBytes))
		}
		first := *x.from
		first.width, first.count = 1, 1
		r, at := t.locate(&first)
		if size > uint64(len(r.bytes))-at {
			fail(fmt.Sprintf("an access of %d bytes at %#x in %d bytes of %s", size, at, len(r.bytes), r.name))
		}
		first.count = uint8(size)
		t.checkRace(r, at, &first, false)
		c.from = r.bytes[at:][:size]
	}
	c.to.pending[c.at/copyBytes] = int32(x.line)
	t.copies = append(t.copies, c)
}

// commitCopies executes cp.async.commit_group.
func commitCopies(t *thread, _ *instruction) {
	t.copyGroups = append(t.copyGroups, t.copies)
	t.copies = nil
}

// waitCopies executes cp.async.wait_group.
func waitCopies(t *thread, x *instruction) {
	left := min(int(t.frame.values[x.a]), len(t.copyGroups))
	for _, group := range t.copyGroups[:len(t.copyGroups)-left] {
		for _, c := range group {
			c.to.pending[c.at/copyBytes] = 0
			t.checkRace(c.to, c.at, c.x, true)
			to := c.to.bytes[c.at:][:copyBytes]
			clear(to[copy(to, c.from):])
			for n := range to {
				c.to.shadow[c.at+uint64(n)] = defined
			}
		}
	}
	t.copyGroups = t.copyGroups[len(t.copyGroups)-left:]
}

// checkCopiesEnd fails if the invocation ends before a copy.
func (t *thread) checkCopiesEnd() {
	for _, group := range append(t.copyGroups, t.copies) {
		for _, c := range group {
			fail(fmt.Sprintf("the invocation ends before a wait for the copy of line %d", c.x.line))
		}
	}
}
