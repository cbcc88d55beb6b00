package structure

// This file writes the nodes. Text goes on from the end of a construct to what stands behind
// it, so each list has a block that falling off its end leads to (next below), and
// edges to that block need no exit. Elsewhere an edge names the innermost construct whose end
// leads where it goes.

// frame is a construct that is open.
type frame struct {
	node   int32 // that opens it
	target int32 // where its end leads, or -1
	saved  int32 // label of target before
	// body says that leaving to the target is continuing the loop.
	body bool
	// reached says that an exit names the construct.
	reached bool
}

// end is how a list ends so far. If it goes on, control reaches its end, and the list
// needs a leaf if nothing follows; if one edge alone does so there, at is its block.
type end struct {
	goes bool
	at   Block
	way  int32
}

func (s *Structurer) emit() {
	s.nodes, s.frames, s.pending = s.nodes[:0], s.frames[:0], s.pending[:0]
	s.label, s.loop = sized(s.label, len(s.order), -1), -1
	s.list(0, -1, false)
}

func (s *Structurer) add(n Node) int32 {
	s.nodes = append(s.nodes, n)
	return int32(len(s.nodes) - 1)
}

// push opens a frame of a node. Inside of it, edges to the target name it, but not those that
// could continue a loop instead.
func (s *Structurer) push(node, target int32, body bool) int32 {
	s.frames = append(s.frames, frame{node: node, target: -1, body: body})
	f := int32(len(s.frames) - 1)
	if target >= 0 && (body || s.label[target] < 0 || !s.frames[s.label[target]].body) {
		s.aim(f, target)
	}
	return f
}

// aim makes a frame lead to a target.
func (s *Structurer) aim(f, target int32) {
	s.frames[f].target, s.frames[f].saved = target, s.label[target]
	s.label[target] = f
}

// pop closes the innermost frame and reports whether an exit names it.
func (s *Structurer) pop() (reached bool) {
	f := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	if f.target >= 0 {
		s.label[f.target] = f.saved
	}
	return f.reached
}

// close writes the end of a construct.
func (s *Structurer) close(node int32) {
	s.nodes[node].Label = s.add(Node{Kind: End, Block: None, Label: node})
}

// fall ends a list of a construct by the leaf that leads to the end of it, if that is reached.
func (s *Structurer) fall(e end, kind Kind, node int32) bool {
	if e.goes {
		s.add(Node{Kind: kind, Block: e.at, Way: e.way, Label: node})
	}
	return e.goes
}

// stop ends a list where control does not come.
func (s *Structurer) stop() end {
	s.add(Node{Kind: Unreachable, Block: None})
	return end{}
}

// jump writes an edge to a block that does not stand here.
func (s *Structurer) jump(at Block, way, to, next int32) end {
	if to == next {
		return end{true, at, way}
	}
	f := s.label[to]
	if s.loop >= 0 && f < s.loop && s.frames[s.loop].target < 0 {
		// Nothing stands behind the innermost loop. What first leaves it decides where its
		// end leads, so that this is an exit of one loop.
		s.aim(s.loop, to)
		f = s.loop
	}
	x := &s.frames[f]
	kind := Exit
	if x.body {
		kind = Continue
	}
	x.reached = true
	s.add(Node{Kind: kind, Block: at, Way: way, Label: x.node})
	return end{}
}

// list writes v with all that belongs to it, up to the end of a list that leads to next. If v is
// the header of a loop, within says that this is the loop's body.
func (s *Structurer) list(v, next int32, within bool) end {
	for {
		if s.header[v] && !within {
			first, e := s.writeLoop(v, next)
			if first < 0 {
				return e
			}
			v = first
			continue
		}
		within = false
		b := s.order[v]
		s.add(Node{Kind: Code, Block: b})
		successors := s.successors(v)
		switch {
		case len(successors) == 0:
			s.add(Node{Kind: Return, Block: b})
			return end{}
		case len(successors) == 1:
			to := s.number[successors[0]]
			if !s.stands(v, to) {
				return s.jump(b, 0, to, next)
			}
			v = to
		default:
			first, e := s.writeIf(v, next)
			if first < 0 {
				return e
			}
			v = first
		}
	}
}

// stands reports whether a block stands where an edge to it comes from.
func (s *Structurer) stands(from, to int32) bool { return from < to && s.place[to] == inline }

// open begins the scopes that what follows a construct needs, a list of blocks: each stands behind
// one, but the first where the construct's own end leads to it, which behind says, or may.
// It returns where the list begins in pending.
func (s *Structurer) open(list, behind int32) (base int) {
	base = len(s.pending)
	for v := s.skip(list); v >= 0; v = s.skip(s.following[v]) {
		s.pending = append(s.pending, v)
	}
	for i := len(s.pending) - 1; i >= base; i-- {
		if i > base || behind >= 0 && behind != s.pending[i] {
			s.push(s.add(Node{Kind: Scope, Block: None}), s.pending[i], false)
		}
	}
	return base
}

// shut closes the innermost scope.
func (s *Structurer) shut() {
	node := s.frames[len(s.frames)-1].node
	s.pop()
	s.close(node)
}

// follow writes what follows a construct but for the last block, which it returns.
func (s *Structurer) follow(base int) int32 {
	count := len(s.pending)
	for i := base; i+1 < count; i++ {
		s.fall(s.list(s.pending[i], s.pending[i+1], false), Exit, s.frames[len(s.frames)-1].node)
		s.shut()
	}
	last := s.pending[count-1]
	s.pending = s.pending[:base]
	return last
}

// writeLoop writes the loop of a header and what stands behind it but the last, which it returns.
// If there is none, it returns -1 and how the list ends.
func (s *Structurer) writeLoop(h, next int32) (int32, end) {
	t, again, behind := s.latch[h], h, int32(-1)
	if t >= 0 {
		again = t
		if len(s.successors(t)) == 2 {
			behind = s.leaving(t, h) // for a continuing block leaves no further than that
		}
	}
	base := s.open(s.behind[h], behind)
	follows := len(s.pending) > base
	if follows && behind < 0 {
		behind = s.pending[base]
	}
	outer := s.loop
	node := s.add(Node{Kind: Loop, Block: s.order[h]})
	s.loop = s.push(node, -1, false)
	if behind >= 0 {
		s.aim(s.loop, behind)
	}
	s.push(node, again, true)
	s.fall(s.list(h, again, true), Continue, node)
	s.pop()
	if t >= 0 {
		s.writeContinuing(t, h, node)
	}
	s.close(node)
	behind = s.frames[s.loop].target
	s.pop()
	s.loop = outer
	switch {
	case follows && behind == s.pending[base]:
		return s.follow(base), end{}
	case follows:
		s.jump(None, 0, behind, s.pending[base])
		s.shut()
		return s.follow(base), end{}
	case behind < 0:
		return -1, s.stop()
	}
	return -1, s.jump(None, 0, behind, next)
}

func (s *Structurer) writeContinuing(t, h, node int32) {
	b := s.order[t]
	s.add(Node{Kind: Continuing, Block: b, Label: node})
	s.add(Node{Kind: Code, Block: b})
	successors := s.successors(t)
	switch {
	case len(successors) == 1:
		s.add(Node{Kind: Next, Block: b, Label: node})
	case s.number[successors[0]] == h:
		s.add(Node{Kind: NextOrExit, Block: b, Way: 1, Label: node})
	default:
		s.add(Node{Kind: NextOrExit, Block: b, Way: 0, Label: node})
	}
}

// writeIf writes the arms of a block and what stands behind them but the last, which it returns. If
// there is none, it returns -1 and how the list ends.
func (s *Structurer) writeIf(v, next int32) (int32, end) {
	b, successors := s.order[v], s.successors(v)
	base := s.open(s.merged[v], -1)
	behind := next
	follows := len(s.pending) > base
	if follows {
		behind = s.pending[base]
	}
	guard := len(successors) == 2 && !follows
	if guard {
		if to := s.number[successors[1]]; to != next && !s.stands(v, to) {
			return s.writeGuard(v, next)
		}
	}
	node := s.add(Node{Kind: If, Block: b})
	s.push(node, behind, false)
	goes := false
	for way := range int32(len(successors)) {
		to := s.number[successors[way]]
		if way > 0 {
			s.add(Node{Kind: Arm, Block: b, Way: way, Label: node})
		}
		if guard && way == 1 && !goes && !s.frames[len(s.frames)-1].reached && s.stands(v, to) {
			// The other arm never comes to the end, so this one can stand behind it.
			s.fall(end{goes: true, at: None}, Exit, node)
			s.pop()
			s.close(node)
			return to, end{}
		}
		var e end
		if s.stands(v, to) {
			e = s.list(to, behind, false)
		} else {
			e = s.jump(b, way, to, behind)
		}
		goes = s.fall(e, Exit, node) || goes
	}
	goes = s.pop() || goes
	s.close(node)
	switch {
	case follows:
		return s.follow(base), end{}
	case !goes:
		return -1, s.stop()
	}
	return -1, end{goes: true, at: None}
}

// writeGuard writes a branch whose second way goes away, so that the first can go on behind it.
func (s *Structurer) writeGuard(v, next int32) (int32, end) {
	b, successors := s.order[v], s.successors(v)
	node := s.add(Node{Kind: If, Block: b})
	s.fall(end{goes: true, at: None}, Exit, node)
	s.add(Node{Kind: Arm, Block: b, Way: 1, Label: node})
	s.jump(b, 1, s.number[successors[1]], next)
	s.close(node)
	to := s.number[successors[0]]
	if s.stands(v, to) {
		return to, end{}
	}
	return -1, s.jump(b, 0, to, next)
}
