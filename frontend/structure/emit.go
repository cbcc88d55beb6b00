package structure

// This file emits the nodes. Control falls through from the end of a construct to what follows it.
// So each list has a block that its end leads to (next below), and an edge to that block needs no
// exit. Any other edge names the innermost construct whose end leads to its target.

// frame is an open construct.
type frame struct {
	node    int32 // that opens it
	target  int32 // the block that its end leads to, or -1
	saved   int32 // the label of target outside
	body    bool  // a loop's body: an edge to the target is a Continue
	reached bool  // by an exit that names the construct
}

// tail says whether a list falls through. If it does by a single edge, that is edge succ of block
// at, and the list needs a leaf for it.
type tail struct {
	falls bool
	at    Block
	succ  int32
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

// push opens a frame for a node. Edges to the target name it, unless they can continue a loop.
func (s *Structurer) push(node, target int32, body bool) int32 {
	s.frames = append(s.frames, frame{node: node, target: -1, body: body})
	f := int32(len(s.frames) - 1)
	if target >= 0 && (body || s.label[target] < 0 || !s.frames[s.label[target]].body) {
		s.setTarget(f, target)
	}
	return f
}

// setTarget sets the block that the end of a frame leads to.
func (s *Structurer) setTarget(f, target int32) {
	s.frames[f].target, s.frames[f].saved = target, s.label[target]
	s.label[target] = f
}

// pop closes the innermost frame, and reports whether an exit names it.
func (s *Structurer) pop() (reached bool) {
	f := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	if f.target >= 0 {
		s.label[f.target] = f.saved
	}
	return f.reached
}

// close emits the End of a construct.
func (s *Structurer) close(node int32) {
	s.nodes[node].Label = s.add(Node{Kind: End, Block: None, Label: node})
}

// fallThrough emits the leaf of a list that falls through to the end of its construct.
func (s *Structurer) fallThrough(e tail, kind Kind, node int32) bool {
	if e.falls {
		s.add(Node{Kind: kind, Block: e.at, Succ: e.succ, Label: node})
	}
	return e.falls
}

// jump emits an edge to a block that is emitted elsewhere.
func (s *Structurer) jump(at Block, succ, to, next int32) tail {
	if to == next {
		return tail{true, at, succ}
	}
	f := s.label[to]
	if s.loop >= 0 && f < s.loop && s.frames[s.loop].target < 0 {
		// Nothing follows the innermost loop, so its first exit decides where its end leads.
		s.setTarget(s.loop, to)
		f = s.loop
	}
	x := &s.frames[f]
	kind := Exit
	if x.body {
		kind = Continue
	}
	x.reached = true
	s.add(Node{Kind: kind, Block: at, Succ: succ, Label: x.node})
	return tail{}
}

// list emits v and the blocks placed under it, as a list whose end leads to next. For a loop's
// header, within says that this is the body of the loop.
func (s *Structurer) list(v, next int32, within bool) tail {
	for {
		if s.header[v] && !within {
			first, e := s.emitLoop(v, next)
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
			return tail{}
		case len(successors) == 1:
			to := s.index[successors[0]]
			if !s.isInline(v, to) {
				return s.jump(b, 0, to, next)
			}
			v = to
		default:
			first, e := s.emitIf(v, next)
			if first < 0 {
				return e
			}
			v = first
		}
	}
}

// openScopes opens a scope for each block that follows a construct. The first needs none if the end
// of the construct can lead to it; after is where that leads, or -1. It returns the
// index in pending at which the blocks begin.
func (s *Structurer) openScopes(list, after int32) (base int) {
	base = len(s.pending)
	for v := s.skipContinuing(list); v >= 0; v = s.skipContinuing(s.sibling[v]) {
		s.pending = append(s.pending, v)
	}
	for i := len(s.pending) - 1; i >= base; i-- {
		if i > base || after >= 0 && after != s.pending[i] {
			s.push(s.add(Node{Kind: Scope, Block: None}), s.pending[i], false)
		}
	}
	return base
}

// closeScope closes the innermost scope.
func (s *Structurer) closeScope() {
	node := s.frames[len(s.frames)-1].node
	s.pop()
	s.close(node)
}

// emitFollowing emits the blocks that follow a construct but the last, which it returns.
func (s *Structurer) emitFollowing(base int) int32 {
	count := len(s.pending)
	for i := base; i+1 < count; i++ {
		s.fallThrough(s.list(s.pending[i], s.pending[i+1], false), Exit, s.frames[len(s.frames)-1].node)
		s.closeScope()
	}
	last := s.pending[count-1]
	s.pending = s.pending[:base]
	return last
}

// emitLoop emits the loop of a header and the blocks that follow it but the last, which it returns.
// Without any it returns -1 and the tail of the list.
func (s *Structurer) emitLoop(h, next int32) (int32, tail) {
	t, again, after := s.latch[h], h, int32(-1)
	if t >= 0 {
		again = t
		if len(s.successors(t)) == 2 {
			after = s.otherSuccessor(t, h) // a continuing block leaves one construct only
		}
	}
	base := s.openScopes(s.exits[h], after)
	follows := len(s.pending) > base
	if follows && after < 0 {
		after = s.pending[base]
	}
	outer := s.loop
	node := s.add(Node{Kind: Loop, Block: s.order[h]})
	s.loop = s.push(node, -1, false)
	if after >= 0 {
		s.setTarget(s.loop, after)
	}
	s.push(node, again, true)
	s.fallThrough(s.list(h, again, true), Continue, node)
	s.pop()
	if t >= 0 {
		s.emitContinuing(t, h, node)
	}
	s.close(node)
	after = s.frames[s.loop].target
	s.pop()
	s.loop = outer
	switch {
	case follows && after == s.pending[base]:
		return s.emitFollowing(base), tail{}
	case follows:
		s.jump(None, 0, after, s.pending[base])
		s.closeScope()
		return s.emitFollowing(base), tail{}
	case after < 0:
		s.add(Node{Kind: Unreachable, Block: None})
		return -1, tail{}
	}
	return -1, s.jump(None, 0, after, next)
}

func (s *Structurer) emitContinuing(t, h, node int32) {
	b := s.order[t]
	s.add(Node{Kind: Continuing, Block: b, Label: node})
	s.add(Node{Kind: Code, Block: b})
	successors := s.successors(t)
	switch {
	case len(successors) == 1:
		s.add(Node{Kind: Next, Block: b, Label: node})
	case s.index[successors[0]] == h:
		s.add(Node{Kind: NextOrExit, Block: b, Succ: 1, Label: node})
	default:
		s.add(Node{Kind: NextOrExit, Block: b, Succ: 0, Label: node})
	}
}

// emitIf emits the lists of a branch and the blocks that follow it but the last, which it returns.
// Without any it returns -1 and the tail of the list.
func (s *Structurer) emitIf(v, next int32) (int32, tail) {
	b, successors := s.order[v], s.successors(v)
	base := s.openScopes(s.merges[v], -1)
	after := next
	follows := len(s.pending) > base
	if follows {
		after = s.pending[base]
	}
	guard := len(successors) == 2 && !follows
	if guard {
		if to := s.index[successors[1]]; to != next && !s.isInline(v, to) {
			return s.emitGuard(v, next)
		}
	}
	node := s.add(Node{Kind: If, Block: b})
	s.push(node, after, false)
	falls := false
	for succ := range int32(len(successors)) {
		to := s.index[successors[succ]]
		if succ > 0 {
			s.add(Node{Kind: Arm, Block: b, Succ: succ, Label: node})
		}
		if guard && succ == 1 && !falls && !s.frames[len(s.frames)-1].reached && s.isInline(v, to) {
			// The other arm does not fall through, so this one can follow the if.
			s.fallThrough(tail{falls: true, at: None}, Exit, node)
			s.pop()
			s.close(node)
			return to, tail{}
		}
		var e tail
		if s.isInline(v, to) {
			e = s.list(to, after, false)
		} else {
			e = s.jump(b, succ, to, after)
		}
		falls = s.fallThrough(e, Exit, node) || falls
	}
	falls = s.pop() || falls
	s.close(node)
	switch {
	case follows:
		return s.emitFollowing(base), tail{}
	case !falls:
		s.add(Node{Kind: Unreachable, Block: None})
		return -1, tail{}
	}
	return -1, tail{falls: true, at: None}
}

// emitGuard emits a branch whose second successor leaves, so that the first can follow it.
func (s *Structurer) emitGuard(v, next int32) (int32, tail) {
	b, successors := s.order[v], s.successors(v)
	node := s.add(Node{Kind: If, Block: b})
	s.fallThrough(tail{falls: true, at: None}, Exit, node)
	s.add(Node{Kind: Arm, Block: b, Succ: 1, Label: node})
	s.jump(b, 1, s.index[successors[1]], next)
	s.close(node)
	to := s.index[successors[0]]
	if s.isInline(v, to) {
		return to, tail{}
	}
	return -1, s.jump(b, 0, to, next)
}
