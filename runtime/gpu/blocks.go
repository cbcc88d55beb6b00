// Blocks of device memory, and the spans that they consist of. This file only keeps the books; the
// pool decides when there is a new block and when one goes.

package gpu

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/driver"
)

// progress says how far a stream is. It outlives the stream.
type progress struct {
	given atomic.Uint64 // calls that have given the stream work
	done  atomic.Uint64 // how many of these are known to have finished
	// waiting counts the spans that the stream's work may still use. The pool guards the rest.
	waiting atomic.Int64
	spans   spanList // of these, the ones that no other stream's work uses
	listed  bool     // in blocks.streams
	// captured says that it is that of a capture, whose work is under way until the recording is
	// closed. Then heirs are the replays.
	captured bool
	heirs    atomic.Pointer[[]use]
}

// finish notes that the work of a number of calls has finished.
func (p *progress) finish(number uint64) { raise(&p.done, number) }

// raise makes a number at least as large as another.
func raise(n *atomic.Uint64, to uint64) {
	for {
		old := n.Load()
		if to <= old || n.CompareAndSwap(old, to) {
			return
		}
	}
}

// use is the last call by which a stream was given work on some memory.
type use struct {
	stream *progress
	number uint64
}

func (u use) finished() bool {
	if heirs := u.stream.heirs.Load(); heirs != nil {
		return !slices.ContainsFunc(*heirs, func(u use) bool { return !u.finished() })
	}
	return u.number <= u.stream.done.Load()
}

// resolve replaces uses of recordings that are closed by their replays.
func resolve(uses []use) []use {
	if !slices.ContainsFunc(uses, func(u use) bool { return u.stream.heirs.Load() != nil }) {
		return uses
	}
	var all []use
	add := func(u use) {
		for n := range all {
			if all[n].stream == u.stream {
				all[n].number = max(all[n].number, u.number)
				return
			}
		}
		all = append(all, u)
	}
	for _, u := range uses {
		if heirs := u.stream.heirs.Load(); heirs == nil {
			add(u)
		} else {
			for _, heir := range *heirs {
				add(heir)
			}
		}
	}
	return slices.DeleteFunc(all, use.finished)
}

// memoryBlock is a block of the driver's.
type memoryBlock struct {
	block  driver.Block
	number uint64 // blocks are numbered as they are reserved
	bytes  uint64
	first  *span
	alone  bool   // for one buffer at a time
	unused uint64 // when the last span of it became free or idle, by the pool's clock
}

// span is a part of a block. Spans of a block lie one after the other.
type span struct {
	block         *memoryBlock
	offset, bytes uint64
	before, after *span
	state         spanState
	zeros         bool // not used since the block was reserved with zeros
	// uses is the work that may still use a span that is waiting.
	uses []use
	one  [1]use // most spans wait for one stream
}

type spanState uint8

const (
	taken   spanState = iota // by a buffer
	idle                     // free, and no work uses it
	waiting                  // free, but work that was given to streams may use it
)

// spanList is a list of free spans by size, then by address.
type spanList []*span

func (s *span) compare(bytes, number, offset uint64) int {
	return cmp.Or(cmp.Compare(s.bytes, bytes), cmp.Compare(s.block.number, number), cmp.Compare(s.offset, offset))
}

// from finds the first span of at least this size.
func (l spanList) from(bytes uint64) int {
	n, _ := slices.BinarySearchFunc(l, bytes, func(s *span, bytes uint64) int { return s.compare(bytes, 0, 0) })
	return n
}

// fit returns the smallest span that has room. Blocks for one buffer have room for those that are
// nearly as large.
func (l spanList) fit(bytes uint64) *span {
	for n := l.from(bytes); n < len(l); n++ {
		if s := l[n]; !s.block.alone || s.bytes-s.bytes/wasteShare <= bytes {
			return s
		}
	}
	return nil
}

func (l spanList) find(s *span) int {
	n, _ := slices.BinarySearchFunc(l, s, func(x, s *span) int { return x.compare(s.bytes, s.block.number, s.offset) })
	return n
}

func (l *spanList) add(s *span) { *l = slices.Insert(*l, l.find(s), s) }

func (l *spanList) remove(s *span) {
	n := l.find(s)
	*l = slices.Delete(*l, n, n+1)
}

// blocks are all blocks of a device.
type blocks struct {
	list    []*memoryBlock // by number
	made    uint64         // blocks so far
	clock   uint64         // counts spans that became free or idle
	idle    spanList
	streams []*progress // that spans wait for, the first that had one first
	several []*span     // that wait for more than one stream
	spare   []*span     // for reuse
	looked  []*span     // by finished

	reserved      uint64 // bytes of all blocks
	waitingBytes  uint64
	capturedBytes uint64 // of these, the ones that recordings keep
	idleBytes     uint64
}

// add adds a block, which is one idle span.
func (b *blocks) add(block driver.Block, bytes uint64, zeros, alone bool) {
	b.made++
	m := &memoryBlock{block: block, number: b.made, bytes: bytes, alone: alone}
	m.first = b.span()
	*m.first = span{block: m, bytes: bytes, zeros: zeros}
	b.list = append(b.list, m)
	b.reserved += bytes
	b.makeIdle(m.first)
}

// remove forgets a block that is one free span.
func (b *blocks) remove(m *memoryBlock) {
	b.leave(m.first)
	b.spare = append(b.spare, m.first)
	b.list = slices.DeleteFunc(b.list, func(x *memoryBlock) bool { return x == m })
	b.reserved -= m.bytes
}

func (b *blocks) span() *span {
	if n := len(b.spare); n > 0 {
		s := b.spare[n-1]
		b.spare = b.spare[:n-1]
		return s
	}
	return new(span)
}

// oldest returns the block that has been one span of a state for longest, or nil. No recording
// keeps it.
func (b *blocks) oldest(state spanState) (found *memoryBlock) {
	for _, m := range b.list {
		if m.first.after == nil && m.first.state == state && (found == nil || m.unused < found.unused) && !m.first.captured() {
			found = m
		}
	}
	return found
}

// take returns a span of some bytes: the smallest that is idle, or that waits for work of the given
// stream alone, and of these the first. It is nil if there is none.
func (b *blocks) take(bytes uint64, stream *progress) *span {
	s := b.idle.fit(bytes)
	if stream != nil {
		if own := stream.spans.fit(bytes); own != nil && (s == nil || own.bytes <= s.bytes) {
			s = own
		}
	}
	if s == nil {
		return nil
	}
	state, uses := s.state, s.uses
	b.leave(s)
	if rest := s.bytes - bytes; rest > 0 && !s.block.alone {
		r := b.span()
		*r = span{block: s.block, offset: s.offset + bytes, bytes: rest, before: s, after: s.after, zeros: s.zeros}
		if s.after != nil {
			s.after.before = r
		}
		s.after, s.bytes = r, bytes
		if state == idle {
			b.enterIdle(r)
		} else {
			b.enterWaiting(r, uses)
		}
	}
	s.state, s.uses = taken, nil
	return s
}

// captured reports whether a recording keeps the span.
func (s *span) captured() bool {
	return slices.ContainsFunc(s.uses, func(u use) bool { return u.stream.captured })
}

// inherit has what a recording keeps wait for its replays.
func (b *blocks) inherit(p *progress, replays []use) {
	b.looked = append(b.looked[:0], p.spans...)
	for _, s := range b.several {
		if s.captured() && slices.ContainsFunc(s.uses, func(u use) bool { return u.stream == p }) {
			b.looked = append(b.looked, s)
		}
	}
	for _, s := range b.looked {
		b.leave(s)
	}
	p.heirs.Store(&replays)
	for _, s := range b.looked {
		if uses := resolve(s.uses); len(uses) > 0 {
			b.enterWaiting(s, uses)
		} else {
			b.makeIdle(s)
		}
	}
	clear(b.looked)
}

// give frees a taken span, which work may still use.
func (b *blocks) give(s *span, uses []use) {
	uses = resolve(uses)
	s.zeros = false
	if len(uses) == 0 {
		b.makeIdle(s)
		return
	}
	b.clock++
	s.block.unused = b.clock
	b.enterWaiting(s, uses)
	b.look(s)
	if s.state == waiting {
		b.joinWaiting(s)
	}
}

// finished frees what waits for the stream's work and need not any more.
func (b *blocks) finished(p *progress) {
	b.looked = append(append(b.looked[:0], p.spans...), b.several...)
	for _, s := range b.looked {
		b.look(s)
	}
	clear(b.looked)
	b.streams = slices.DeleteFunc(b.streams, func(p *progress) bool {
		p.listed = p.waiting.Load() > 0
		return !p.listed
	})
}

// look makes a waiting span idle if the work that it waits for has finished. One that waited for
// several streams may wait for a single one.
func (b *blocks) look(s *span) {
	left := 0
	for _, u := range s.uses {
		if !u.finished() {
			left++
		}
	}
	if left == len(s.uses) {
		return
	}
	uses := slices.DeleteFunc(slices.Clone(s.uses), use.finished)
	b.leave(s)
	if left > 0 {
		b.enterWaiting(s, uses)
	} else {
		b.makeIdle(s)
	}
}

// makeIdle puts a span in no list among the idle ones, joined with its neighbours.
func (b *blocks) makeIdle(s *span) {
	b.clock++
	s.block.unused = b.clock
	for _, n := range [...]*span{s.before, s.after} {
		if n != nil && n.state == idle {
			b.leave(n)
			b.join(s, n)
		}
	}
	b.enterIdle(s)
}

// absorb joins what waits for a stream alone with idle neighbours, which then wait too.
func (b *blocks) absorb(p *progress) {
	b.looked = append(b.looked[:0], p.spans...)
	for _, s := range b.looked {
		if s.block == nil {
			continue // joined with one before
		}
		for _, n := range [...]*span{s.before, s.after} {
			if n == nil || n.state != idle {
				continue
			}
			u := s.uses[0]
			b.leave(n)
			b.leave(s)
			b.join(s, n)
			b.enterWaiting(s, []use{u})
		}
		b.joinWaiting(s)
	}
	clear(b.looked)
}

// joinWaiting joins a span that waits for one stream with neighbours that do.
func (b *blocks) joinWaiting(s *span) {
	if len(s.uses) != 1 {
		return
	}
	for _, n := range [...]*span{s.before, s.after} {
		if n == nil || n.state != waiting || len(n.uses) != 1 || n.uses[0].stream != s.uses[0].stream {
			continue
		}
		u := use{s.uses[0].stream, max(s.uses[0].number, n.uses[0].number)}
		b.leave(n)
		b.leave(s)
		b.join(s, n)
		b.enterWaiting(s, []use{u})
	}
}

// join makes one span of two neighbours, which are in no list.
func (b *blocks) join(s, n *span) {
	if n == s.before {
		s.offset, s.before = n.offset, n.before
		if s.before != nil {
			s.before.after = s
		} else {
			s.block.first = s
		}
	} else {
		s.after = n.after
		if s.after != nil {
			s.after.before = s
		}
	}
	s.bytes += n.bytes
	s.zeros = s.zeros && n.zeros
	*n = span{}
	b.spare = append(b.spare, n)
}

// enterIdle puts a span among the idle ones.
func (b *blocks) enterIdle(s *span) {
	s.state, s.uses = idle, nil
	b.idle.add(s)
	b.idleBytes += s.bytes
}

// enterWaiting puts a span among those that wait.
func (b *blocks) enterWaiting(s *span, uses []use) {
	s.state = waiting
	s.uses = append(s.one[:0], uses...)
	b.waitingBytes += s.bytes
	if s.captured() {
		b.capturedBytes += s.bytes
	}
	for _, u := range uses {
		u.stream.waiting.Add(1)
		if !u.stream.listed {
			u.stream.listed = true
			b.streams = append(b.streams, u.stream)
		}
	}
	if len(uses) == 1 {
		uses[0].stream.spans.add(s)
	} else {
		b.several = append(b.several, s)
	}
}

// leave takes a free span out of its list.
func (b *blocks) leave(s *span) {
	if s.state == idle {
		b.idle.remove(s)
		b.idleBytes -= s.bytes
		return
	}
	b.waitingBytes -= s.bytes
	if s.captured() {
		b.capturedBytes -= s.bytes
	}
	for _, u := range s.uses {
		u.stream.waiting.Add(-1)
	}
	if len(s.uses) == 1 {
		s.uses[0].stream.spans.remove(s)
	} else {
		b.several = slices.DeleteFunc(b.several, func(x *span) bool { return x == s })
	}
}
