package lower

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// LowerMultiLevelExits lowers exits that leave several constructs at once. In the IR an exit may
// target any enclosing label. SPIR-V (§2.11, structured exits) and C-like languages have only exits
//
//   - to the innermost control instruction;
//   - out of the innermost loop, or to its next iteration;
//   - out of the innermost switch from nested ifs.
//
// A scope counts as a switch, since emitters write it as one with a default only. There are two
// steps.
//
// An if that an exit leaves from inside another control instruction becomes a scope around an if,
// so that ifs are no targets of such exits.
//
// An exit that crosses more than it may targets the outermost instruction that it may leave. That
// one gets more results: the index of the exit's route, and the values that it carries. A test
// behind it continues the route:
//
//	loop ^a {                        %k, %x = loop ^a : u32, f32 {
//	  …                                …
//	  exit ^outer(%v)          ─►      exit ^a(1u, %v)
//	  …                                …
//	  exit ^a()                        exit ^a(0u, zero)
//	}                                }
//	…                                %c = eq %k, 1u
//	                                 if %c { exit ^outer(%x) } else { exit }
//	                                 …
var LowerMultiLevelExits = opt.Pass{
	Name: "lower-multi-level-exits",
	Doc:  "let exits leave one loop or switch at a time",
	// the tests use values, not variables: Scalar and Promoted are kept
	Gives: ir.SingleLevelExits,
	Run:   func(c *opt.Context, m *ir.Module) { structure(c, m, false) },
}

// LowerMultiLevelBreaks is LowerMultiLevelExits for languages whose break leaves the innermost
// switch or loop (WGSL, C). From inside a switch, no break leaves the loop around it, but continue
// may.
var LowerMultiLevelBreaks = opt.Pass{
	Name:  "lower-multi-level-breaks",
	Doc:   "let exits leave one loop or switch at a time, and no exit leave a switch together with the loop around it",
	Gives: ir.SingleLevelExits,
	Run:   func(c *opt.Context, m *ir.Module) { structure(c, m, true) },
}

func structure(c *opt.Context, m *ir.Module, breaks bool) {
	s := opt.Scratch[structurer](c, "lower-multi-level-exits")
	s.switchWithLoop = !breaks
	for _, f := range m.Funcs {
		s.run(f)
	}
}

type structurer struct {
	f              *ir.Func
	switchWithLoop bool // an exit may leave a switch switchWithLoop with the loop around it
	enclosing      []ir.Inst
	crossed        []bool // by instruction: an if that a nested exit leaves
	replaced       bool
	pending        []detour
	routes         []route
}

var controls = op.SetOf(op.If, op.Switch, op.Loop, op.Scope)

// detour is an exit, or a continue, that has to stop at another instruction first.
type detour struct {
	inst   ir.Inst // the terminator
	stop   ir.Inst // the instruction that it leaves instead
	target ir.Inst
	o      op.Op
}

func (s *structurer) run(f *ir.Func) {
	if !f.Had(&controls) {
		return
	}
	s.f, s.enclosing, s.pending, s.replaced = f, s.enclosing[:0], s.pending[:0], false
	if cap(s.crossed) < f.InstCount() {
		s.crossed = make([]bool, f.InstCount()+f.InstCount()/4)
	}
	s.crossed = s.crossed[:f.InstCount()]
	clear(s.crossed)
	if s.mark() {
		s.wrapIfs(f.Entry)
		if s.replaced {
			f.ApplyReplacements()
		}
	}
	s.block(f.Entry)
}

// mark finds the ifs that exits leave from inside other control instructions.
func (s *structurer) mark() (found bool) {
	f := s.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Exit {
			continue
		}
		if target := f.Target(i); f.Op(target) == op.If && target != f.Parent(f.BlockOf(i)) {
			s.crossed[target] = true
			found = true
		}
	}
	return found
}

// wrapIfs puts the marked ifs of a block into scopes.
func (s *structurer) wrapIfs(b ir.Block) {
	f := s.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		if !f.Op(i).Is(op.Control) {
			continue
		}
		for _, inner := range f.Blocks(i) {
			s.wrapIfs(ir.Block(inner))
		}
		if int(i) >= len(s.crossed) || !s.crossed[i] {
			continue
		}
		scope := f.NewScope(f.SpanOf(i))
		f.InsertBefore(i, scope)
		f.Unlink(i)
		f.Append(f.Region(scope, 0), i)
		f.Append(f.Region(scope, 0), f.NewInst(op.Unreachable, ir.Void, 0, f.SpanOf(i)))
		for n := range f.Results(i) {
			old := f.Results(i)[n]
			f.Replace(old, f.AddResult(scope, f.TypeOf(old)))
			s.replaced = true
		}
		f.SetResults(i, nil)
		body := f.Region(scope, 0)
		for exit := f.First(body); exit != 0; exit = f.After(exit, body) {
			if f.Op(exit) == op.Exit && f.Target(exit) == i {
				f.SetAux(exit, uint32(scope))
			}
		}
		i = scope
	}
}

// block walks a block. After an instruction, all exits that stop at it are known. Their tests are
// put after it, where the walk finds them next.
func (s *structurer) block(b ir.Block) {
	f := s.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Exit || o == op.Continue:
			if stop := s.stop(i); stop != f.Target(i) {
				s.pending = append(s.pending, detour{i, stop, f.Target(i), o})
			}
		case o.Is(op.Control):
			s.enclosing = append(s.enclosing, i)
			for _, inner := range f.Blocks(i) {
				s.block(ir.Block(inner))
			}
			s.enclosing = s.enclosing[:len(s.enclosing)-1]
			s.resolve(i)
		}
	}
}

// stop returns the instruction that a terminator can leave on its way to its target. It is the
// outermost that the rules in LowerMultiLevelExits's comment allow.
func (s *structurer) stop(i ir.Inst) ir.Inst {
	f := s.f
	target := f.Target(i)
	best := s.enclosing[len(s.enclosing)-1]
	selection := false // a switch or scope has been crossed
	for n := len(s.enclosing) - 1; n >= 0; n-- {
		at := s.enclosing[n]
		switch f.Op(at) {
		case op.Loop:
			if !s.switchWithLoop && selection && (at != target || f.Op(i) == op.Exit) {
				return best
			}
			return at // nothing leaves more than one loop
		case op.Switch, op.Scope:
			if at == target {
				if selection {
					return best
				}
				return at
			}
			if !selection {
				best = at
			}
			selection = true
		case op.If:
			if at == target {
				return at // it is the innermost, since others became scopes
			}
		}
	}
	return best
}

// route is how exits continue after they have stopped: a target, by exit or continue.
type route struct {
	target ir.Inst
	o      op.Op
	first  int // of its values among the added results
}

// resolve completes the exits that stopped at an instruction.
func (s *structurer) resolve(at ir.Inst) {
	f, m := s.f, s.f.Module
	stopped := s.stoppedAt(at)
	if len(stopped) == 0 {
		return
	}
	old := len(f.Results(at))
	f.AddResult(at, ir.U32)
	s.routes = s.routes[:0]
	added := 1
	for _, d := range stopped {
		if s.routeOf(d) < len(s.routes) {
			continue
		}
		s.routes = append(s.routes, route{d.target, d.o, added})
		for _, a := range f.Args(d.inst) {
			f.AddResult(at, f.TypeOf(a))
			added++
		}
	}
	zeros := make([]ir.Value, old+added)
	for n, r := range f.Results(at) {
		zeros[n] = m.Zero(f.TypeOf(r))
	}
	s.extend(at, zeros[old:]) // exits that target it
	for _, d := range stopped {
		n := s.routeOf(d)
		args := slices.Clone(zeros)
		args[old] = m.ConstU32(uint32(n + 1))
		copy(args[old+s.routes[n].first:], f.Args(d.inst))
		f.SetOp(d.inst, op.Exit)
		f.SetAux(d.inst, uint32(at))
		f.SetArgs(d.inst, args...)
	}
	s.test(at, old)
}

// stoppedAt removes the exits that stop at an instruction from pending, and returns them.
func (s *structurer) stoppedAt(at ir.Inst) (stopped []detour) {
	kept := s.pending[:0]
	for _, d := range s.pending {
		if d.stop == at {
			stopped = append(stopped, d)
		} else {
			kept = append(kept, d)
		}
	}
	s.pending = kept
	return stopped
}

// routeOf returns the index of a detour's route, or the number of routes.
func (s *structurer) routeOf(d detour) int {
	for n, r := range s.routes {
		if r.target == d.target && r.o == d.o {
			return n
		}
	}
	return len(s.routes)
}

// test builds the tests after an instruction whose result at index old is the route.
func (s *structurer) test(at ir.Inst, old int) {
	f := s.f
	behind := f.Next(at)
	b := ir.NewBuilder(f)
	b.Span = f.SpanOf(at)
	for n, r := range s.routes {
		b.SetBefore(behind)
		taken := b.Op(op.Eq, f.Results(at)[old], f.Module.ConstU32(uint32(n+1)))
		test := b.If(taken)
		b.SetBlock(f.Region(test, 0))
		values := f.Results(at)[old+r.first:]
		if r.o == op.Exit {
			b.Exit(r.target, values[:len(f.Results(r.target))]...)
		} else {
			b.Continue(r.target, values[:len(f.Params(f.Region(r.target, 1)))]...)
		}
		b.SetBlock(f.Region(test, 1))
		b.Exit(test)
	}
}

// extend appends values to all exits that target an instruction.
func (s *structurer) extend(target ir.Inst, values []ir.Value) {
	f := s.f
	b := f.BlockOf(target)
	for i, end := f.After(target, b), f.AfterRegions(target, b); i != end; i = f.After(i, b) {
		if o := f.Op(i); (o == op.Exit || o == op.Next && s.hasBreakIf(i)) && f.Target(i) == target {
			for _, v := range values {
				f.AppendArg(i, v)
			}
		}
	}
}

// hasBreakIf reports whether a next has a break_if.
func (s *structurer) hasBreakIf(i ir.Inst) bool {
	_, condition, _ := s.f.NextArgs(i)
	return condition != 0
}
