package spirv

// Race detection by shadow memory. Two accesses to the same memory by different invocations
// race if at least one is a write, not both are atomic, and no barrier between them orders this
// memory. Each word of buffers and workgroup memory has a shadow, in a module with
// narrower types each half word or byte, and so has each texel of an image. A shadow has the last
// two reads and the last two atomic accesses by different invocations. A race with an earlier one
// may go unnoticed, but every report is a race.
//
// A machine's clock advances with every barrier. An access happens before an invocation's current
// one if the same invocation made it. So does an access before the last barrier of the workgroup or
// of the subgroup that orders the memory. Nothing orders different workgroups.

// memoryKind is a kind of memory that a barrier may order.
type memoryKind uint8

const (
	bufferMemory memoryKind = iota
	sharedMemory
	imageMemory
	memoryKinds
)

// epoch is the invocation (lane.who) and the clock of an access.
type epoch struct{ who, time uint32 }

// shadow is the last accesses of a word.
type shadow struct {
	write   epoch
	reads   [2]epoch
	atomics [2]epoch
	// stored is the last atomic access that wrote.
	stored epoch
}

// shadows is the shadow memory of a buffer, of workgroup memory or of an image. It is empty for
// memory that is never written.
type shadows struct {
	words []shadow
	shift uint8 // logarithm of the addressed units in a word
	kind  memoryKind
}

// of returns the words of count bytes, slots or texels, from one on.
func (s *shadows) of(n, count uint32) []shadow {
	if len(s.words) == 0 {
		return nil
	}
	return s.words[n>>s.shift : (n+count-1)>>s.shift+1]
}

// races reports whether an earlier access is unordered with a lane's current one.
func (m *machine) races(l *lane, kind memoryKind, x epoch) bool {
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

// read, write and atomic check and record an access of a lane to count bytes, slots or texels.

func (s *shadows) read(m *machine, l *lane, i *inst, n, count uint32) error {
	words := s.of(n, count)
	for k := range words {
		x := &words[k]
		for _, other := range [...]epoch{x.write, x.stored} {
			if m.races(l, s.kind, other) {
				return m.race(l, i, "reads", other, "writes")
			}
		}
		remember(&x.reads, epoch{l.who, m.clock})
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
		x.write = epoch{l.who, m.clock}
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
		now := epoch{l.who, m.clock}
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
func remember(list *[2]epoch, x epoch) {
	if list[0].who != x.who {
		list[1] = list[0]
	}
	list[0] = x
}

// race returns the error of a lane's access and an earlier one.
func (m *machine) race(l *lane, i *inst, does string, other epoch, did string) error {
	return l.faulty(i, "a race: the invocation %s what invocation number %d of the launch %s, with no barrier between that orders it",
		does, other.who-1, did)
}
