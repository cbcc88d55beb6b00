package spirv

// This file finds races: two invocations that access the same memory, one of them to write, with no
// barrier between that orders this memory for both. Two atomic accesses do not race. Memory is
// watched word by word, or by half words or bytes in a module that has types of so few bits, and
// images texel by texel. Of the reads and of the atomic accesses of a word the last two by
// different invocations are remembered: a race with one before them may go unseen, but whatever is
// reported is a race.
//
// A machine's clock advances with every barrier. An access is ordered before
// what an invocation does now if it was its own, or came before the last barrier
// of its workgroup, or of its subgroup, that orders the memory. Nothing orders
// different workgroups.

// ordered is a kind of memory that a barrier may order.
type ordered uint8

const (
	bufferMemory ordered = iota
	sharedMemory
	imageMemory
	memoryKinds
)

// watched is the latest accesses of some kind: by whom and when.
type watched struct{ who, time uint32 }

// shadow is what is known of a word.
type shadow struct {
	write   watched
	reads   [2]watched
	atomics [2]watched
	// stored is the last atomic access that wrote.
	stored watched
}

// shadows watch a range of memory; none are there for memory that is never written.
type shadows struct {
	words []shadow
	shift uint8 // from what accesses count to words
	kind  ordered
}

// of returns the words of count bytes, slots or texels, from one on.
func (s *shadows) of(n, count uint32) []shadow {
	if len(s.words) == 0 {
		return nil
	}
	return s.words[n>>s.shift : (n+count-1)>>s.shift+1]
}

// races reports whether an access is unordered with what a lane does now.
func (m *machine) races(l *lane, kind ordered, x watched) bool {
	if x.who == l.who || x.who == 0 {
		return false
	}
	if x.who < m.firstOfGroup {
		return true // of another workgroup
	}
	if x.time < m.barriers[kind] {
		return false
	}
	other := (x.who - m.firstOfGroup) / m.subgroupSize
	return other != l.subgroup || x.time >= m.subgroupBarriers[kind][other]
}

// read, write and atomic watch an access of a lane to count bytes, slots or texels.

func (s *shadows) read(m *machine, l *lane, i *inst, n, count uint32) error {
	words := s.of(n, count)
	for k := range words {
		x := &words[k]
		for _, other := range [...]watched{x.write, x.stored} {
			if m.races(l, s.kind, other) {
				return m.race(l, i, "reads", other, "writes")
			}
		}
		remember(&x.reads, watched{l.who, m.clock})
	}
	return nil
}

func (s *shadows) write(m *machine, l *lane, i *inst, n, count uint32) error {
	words := s.of(n, count)
	for k := range words {
		x := &words[k]
		if m.races(l, s.kind, x.write) {
			return m.race(l, i, "writes", x.write, "writes")
		}
		for _, other := range x.atomics {
			if m.races(l, s.kind, other) {
				return m.race(l, i, "writes", other, "accesses with an atomic instruction")
			}
		}
		for _, other := range x.reads {
			if m.races(l, s.kind, other) {
				return m.race(l, i, "writes", other, "reads")
			}
		}
		x.write = watched{l.who, m.clock}
	}
	return nil
}

func (s *shadows) atomic(m *machine, l *lane, i *inst, n, count uint32, writes bool) error {
	words := s.of(n, count)
	for k := range words {
		x := &words[k]
		if m.races(l, s.kind, x.write) {
			return m.race(l, i, "accesses with an atomic instruction", x.write, "writes without one")
		}
		now := watched{l.who, m.clock}
		if writes {
			for _, other := range x.reads {
				if m.races(l, s.kind, other) {
					return m.race(l, i, "writes with an atomic instruction", other, "reads without one")
				}
			}
			x.stored = now
		}
		remember(&x.atomics, now)
	}
	return nil
}

// remember keeps an access and the last one by another invocation.
func remember(list *[2]watched, x watched) {
	if list[0].who != x.who {
		list[1] = list[0]
	}
	list[0] = x
}

// race makes the error of a lane's access and an earlier one.
func (m *machine) race(l *lane, i *inst, does string, other watched, did string) error {
	return l.faulty(i, "a race: the invocation %s what invocation number %d of the launch %s, with no barrier between that orders it",
		does, other.who-1, did)
}
