package mir

// This file finds loops. The order of blocks comes from structured control, so a loop is a run of
// blocks that begins with its header, the target of its back edges. A machine may execute blocks in
// this order and let lanes wait that go elsewhere. Its lanes then reconverge where structured
// control does.

// Loops are the loops of a function. All values are indices in Func.Order; -1 is none.
type Loops struct {
	At      []int32 // by block: its index
	LoopEnd []int32 // of a header: the last index of its loop
	Loop    []int32 // the header of the innermost loop around
	Outer   []int32 // of a header: that of the loop around its loop
}

// Analyse finds them. It reports whether every loop is entered at its header.
func (l *Loops) Analyse(f *Func) bool {
	count := len(f.Order)
	l.At = make([]int32, f.Blocks())
	l.LoopEnd, l.Loop, l.Outer = allUnset(count), allUnset(count), allUnset(count)
	for n, b := range f.Order {
		l.At[b] = int32(n)
	}
	for n, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			if to := l.At[e.To]; int(to) <= n {
				l.LoopEnd[to] = int32(n)
			}
		}
	}
	l.nest()
	var stack []int32
	for n := range int32(count) {
		for len(stack) > 0 && l.LoopEnd[stack[len(stack)-1]] < n {
			stack = stack[:len(stack)-1]
		}
		if l.LoopEnd[n] >= 0 {
			if len(stack) > 0 {
				l.Outer[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
		}
		if len(stack) > 0 {
			l.Loop[n] = stack[len(stack)-1]
		}
	}
	for n, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			if to := int(l.At[e.To]); to > n && l.entersMiddle(n, to) {
				return false
			}
		}
	}
	return true
}

// nest extends a loop to the end of every loop that begins in it. Where the back edge of a loop is
// only a jump, an inner loop may leave for the outer header directly. The last block of the inner
// loop then comes after that of the outer.
func (l *Loops) nest() {
	for changed := true; changed; {
		changed = false
		for h, end := range l.LoopEnd {
			for inner := h + 1; inner <= int(end); inner++ {
				if l.LoopEnd[inner] > end {
					end, changed = l.LoopEnd[inner], true
				}
			}
			l.LoopEnd[h] = end
		}
	}
}

func allUnset(n int) []int32 {
	list := make([]int32, n)
	for k := range list {
		list[k] = -1
	}
	return list
}

// Contains reports whether an index of Func.Order is in the loop of a header.
func (l *Loops) Contains(header int32, at int) bool {
	return at >= int(header) && at <= int(l.LoopEnd[header])
}

// entersMiddle reports whether a loop contains block to, which is not its header, and does not
// contain block from. Both are indices in Func.Order.
func (l *Loops) entersMiddle(from, to int) bool {
	for h := l.Loop[to]; h >= 0; h = l.Outer[h] {
		if !l.Contains(h, from) && int(h) != to {
			return true
		}
	}
	return false
}

// Leaves reports whether a loop contains block from and not block to.
func (l *Loops) Leaves(from, to int) bool {
	h := l.Loop[from]
	return h >= 0 && !l.Contains(h, to)
}

// Ends reports whether a block is the last of a loop. Closes reports whether lanes go back from it
// to a header at once, that of the innermost loop that it ends.
func (l *Loops) Ends(at int) bool { return l.Loop[at] >= 0 && l.LoopEnd[l.Loop[at]] == int32(at) }

// Closes reports what Ends says.
func (l *Loops) Closes(at, header int) bool { return l.Ends(at) && int(l.Loop[at]) == header }
