package instrument

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file lowers messages (CUDA: device-side printf and assert). With debugging on they become
// writes to a storage buffer that the runtime reads after the launch, else nothing. Both passes run
// before all others, which need not know of messages.
//
//	print %x, %y [message 2]
//
// reserves the words of its record, and writes them if they fit:
//
//	%used = atomic_load @messages.used
//	%at = if %used < %length { atomic_rmw @messages.used, 6u [add] } else { %length }
//	if %at + 6u <= %length { words[%at] = 3u | launch; words[%at+1…] = invocation, x, y }
//	else { atomic_rmw @messages.dropped, 1u [add] }
//
// The atomics of one invocation on one word happen in program order, so its records are in that
// order and need no sequence number. The count of used words is tested first, which keeps it from
// wrapping however many messages there are.
//
// A failed assertion does the same. The first one also stores its message's index and its
// invocation in separate words, so that it is known even if its record does not fit.

// LowerPrintf lowers messages to writes to a buffer.
var LowerPrintf = opt.Pass{
	Replaces: prints,

	Name:  "lower-printf",
	Doc:   "with debugging on: write messages to a buffer that the runtime reads",
	Needs: ir.Bound,
	Keeps: ir.AsWritten,
	Run: func(c *opt.Context, m *ir.Module) {
		w := &messageWriter{m: m, list: c.List, indices: make([]uint32, len(m.Messages)), invocation: invocationID{name: messageInvocationName}}
		before := m.Messages
		m.Messages = nil
		for _, f := range m.Funcs {
			w.f, w.b, w.invocation.parameter = f, ir.NewBuilder(f), ir.NoValue
			for i := f.First(f.Entry); i != 0; {
				next := f.After(i, f.Entry)
				if f.Op(i) == op.Print {
					w.print(i, before)
				}
				i = next
			}
		}
	},
}

// RemovePrintf removes messages, and code that is dead without them.
var RemovePrintf = opt.Pass{
	Replaces: prints,

	Name:  "remove-printf",
	Doc:   "with debugging off: remove messages, and code that is dead without them",
	Needs: ir.Bound,
	Keeps: ir.AsWritten,
	Run: func(_ *opt.Context, m *ir.Module) {
		m.Messages = nil
		for _, f := range m.Funcs {
			removeMessages(f)
		}
	},
}

var prints = op.SetOf(op.Print)

// silencer removes the messages of a function and what only they need: values, loads, variables of
// the function with their stores, and inlined scopes. Calls and atomics stay, since they happen
// whether debugging is on or off. Code that was dead before stays, so that the result at -O0 is
// that of a source without the messages.
type silencer struct {
	f    *ir.Func
	uses []uint32
	dead []ir.Value // values that may be dead
	// named lists, by variable, the instructions with an address of it or of a part of it
	named map[ir.Value][]ir.Inst
}

func removeMessages(f *ir.Func) {
	if !f.Had(&prints) {
		return
	}
	s := &silencer{f: f, uses: f.CountUses(nil), named: map[ir.Value][]ir.Inst{}}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, a := range f.Args(i) {
			if v := s.variable(a); v != ir.NoValue {
				s.named[v] = append(s.named[v], i)
			}
		}
	}
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if f.Op(i) == op.Print {
			s.remove(i)
		}
		i = next
	}
	f.Lacks(op.Print)
	for len(s.dead) > 0 {
		v := s.dead[len(s.dead)-1]
		s.dead = s.dead[:len(s.dead)-1]
		i, ok := f.Def(v)
		switch {
		case !ok || s.isRemoved(i):
		case f.Op(i) == op.Var:
			s.removeVariable(i, v)
		case s.uses[v] == 0 && (f.Op(i).Pure() || f.Op(i) == op.Load):
			s.remove(i)
		}
	}
}

// isRemoved reports whether an instruction has been removed.
func (s *silencer) isRemoved(i ir.Inst) bool { return s.f.Op(i) == op.Invalid || s.f.BlockOf(i) == 0 }

// variable returns the variable of the function that a pointer leads to, or NoValue.
func (s *silencer) variable(v ir.Value) ir.Value {
	for v.IsLocal() {
		i, ok := s.f.Def(v)
		switch {
		case !ok:
			return ir.NoValue
		case s.f.Op(i) == op.Var:
			return v
		case s.f.Op(i) != op.Access:
			return ir.NoValue
		}
		v = s.f.Arg(i, 0)
	}
	return ir.NoValue
}

// remove removes an instruction, and its scope if that becomes empty.
func (s *silencer) remove(i ir.Inst) {
	f := s.f
	for _, a := range f.Args(i) {
		if a.IsLocal() {
			s.uses[a]--
			s.dead = append(s.dead, a)
			if v := s.variable(a); v != ir.NoValue && v != a {
				s.dead = append(s.dead, v)
			}
		}
	}
	b := f.BlockOf(i)
	f.Remove(i)
	if around := f.Parent(b); around != 0 && f.Op(around) == op.Scope && f.ResultCount(around) == 0 {
		if only := f.First(b); f.Op(only) == op.Exit && f.Next(only) == 0 && f.Target(only) == around {
			s.remove(around)
		}
	}
}

// removeVariable removes a variable that a message has read, and its stores, if nothing else reads
// it.
func (s *silencer) removeVariable(i ir.Inst, v ir.Value) {
	f := s.f
	for _, use := range s.named[v] {
		if s.isRemoved(use) {
			continue
		}
		if f.Op(use) == op.Access && slices.ContainsFunc(f.Args(use)[1:], ir.Value.IsLocal) {
			return // -bounds=trap checks it
		}
		store := f.Op(use) == op.Store && s.variable(f.Arg(use, 1)) == ir.NoValue
		if store = store || f.Op(use) == op.Copy && s.variable(f.Arg(use, 1)) != v; !store && f.Op(use) != op.Access {
			return
		}
	}
	for _, use := range s.named[v] {
		if !s.isRemoved(use) && f.Op(use) != op.Access {
			s.remove(use)
		}
	}
	for n := len(s.named[v]) - 1; n >= 0; n-- { // users of an access come after it
		if use := s.named[v][n]; !s.isRemoved(use) {
			s.remove(use)
		}
	}
	f.Remove(i)
}

const (
	messagesName          = "messages"
	messageInvocationName = "messages.invocation"
)

// maxMessages is the number of messages that half a word can index.
const maxMessages = 1<<16 - 1

// messageWriter writes the messages of one function at a time.
type messageWriter struct {
	m          *ir.Module
	list       *diag.List
	f          *ir.Func
	b          *ir.Builder
	buffer     ir.Value // NoValue until it is needed
	indices    []uint32 // by index in the source: 1 + the index in the kernel, or 0
	invocation invocationID
}

// print replaces a message.
func (w *messageWriter) print(i ir.Inst, before []ir.Message) {
	f, m, b := w.f, w.m, w.b
	old := f.Aux(i)
	message := before[old]
	if w.indices[old] == 0 {
		m.Messages = append(m.Messages, message)
		w.indices[old] = uint32(len(m.Messages))
		if len(m.Messages) == maxMessages+1 {
			w.list.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: message.Span,
				Message: fmt.Sprintf("a kernel has at most %d calls that print, with those of the functions that it calls", maxMessages)})
		}
	}
	index := w.indices[old]
	args := append([]ir.Value(nil), f.Args(i)...)
	b.SetBefore(i)
	b.Span = f.SpanOf(i)
	var test ir.Inst
	if message.Assert {
		test = b.If(args[0])
		args = args[1:]
		b.SetBlock(f.Region(test, 0))
		b.Exit(test)
		b.SetBlock(f.Region(test, 1))
	}
	w.record(index, message.Assert, args)
	if message.Assert {
		b.Exit(test)
	}
	f.Remove(i)
}

// member returns the address of a member of the buffer.
func (w *messageWriter) member(n uint32) ir.Value {
	return w.b.AccessWithin(w.variable(), w.m.ConstU32(n))
}

// The members of the buffer, whose layout is abi.Messages'.
const (
	memberUsed = iota
	memberDropped
	memberFirst
	memberFailed
	memberX
	memberLaunch = memberX + 3
	memberWords  = memberLaunch + 1
)

// record builds the record of a message at the builder.
func (w *messageWriter) record(index uint32, assert bool, args []ir.Value) {
	f, m, b := w.f, w.m, w.b
	id := w.invocation.load(w.b)
	words := []ir.Value{ir.NoValue}
	for n := range uint32(3) {
		words = append(words, b.Extract(id, n))
	}
	for _, a := range args {
		words = w.words(words, a)
	}
	add := func(member uint32, n uint32) ir.Value {
		return b.Emit(op.AtomicReadModifyWrite, ir.U32, uint32(op.AtomicAdd), w.member(member), m.ConstU32(n))
	}
	if assert {
		old := b.Emit(op.AtomicCompareExchange, ir.U32, 0, w.member(memberFirst), m.ConstU32(0), m.ConstU32(index))
		w.when(b.Op(op.Eq, old, m.ConstU32(0)), func() {
			for n := range uint32(3) {
				b.Store(w.member(memberX+n), words[1+n])
			}
		}, nil)
		add(memberFailed, 1)
	}
	length := b.Emit(op.ArrayLength, ir.U32, 0, w.member(memberWords))
	used := b.Emit(op.AtomicLoad, ir.U32, 0, w.member(memberUsed))
	room := b.If(b.Op(op.Lt, used, length))
	at := f.AddResult(room, ir.U32)
	outer := f.BlockOf(room)
	b.SetBlock(f.Region(room, 0))
	b.Exit(room, add(memberUsed, uint32(len(words))))
	b.SetBlock(f.Region(room, 1))
	b.Exit(room, length)
	w.behind(room, outer)
	fits := b.Op(op.Le, b.Op(op.Add, at, m.ConstU32(uint32(len(words)))), length)
	w.when(fits, func() {
		words[0] = b.Op(op.Or, b.Load(w.member(memberLaunch)), m.ConstU32(index))
		for n, word := range words {
			index := at
			if n > 0 {
				index = b.Op(op.Add, at, m.ConstU32(uint32(n)))
			}
			b.Store(b.AccessWithin(w.variable(), m.ConstU32(memberWords), index), word)
		}
	}, func() { add(memberDropped, 1) })
}

// when builds an if, and sets the builder after it.
func (w *messageWriter) when(condition ir.Value, then, otherwise func()) {
	f, b := w.f, w.b
	i := b.If(condition)
	outer := f.BlockOf(i)
	for n, build := range [...]func(){then, otherwise} {
		b.SetBlock(f.Region(i, n))
		if build != nil {
			build()
		}
		b.Exit(i)
	}
	w.behind(i, outer)
}

// behind sets the builder after an instruction, which may be the last one of its block.
func (w *messageWriter) behind(i ir.Inst, block ir.Block) {
	if next := w.f.Next(i); next != 0 {
		w.b.SetBefore(next)
	} else {
		w.b.SetBlock(block)
	}
}

// words appends the words of a value, as message.Argument.Value reads them.
func (w *messageWriter) words(list []ir.Value, v ir.Value) []ir.Value {
	m, b := w.m, w.b
	t := w.f.TypeOf(v)
	if m.IsVector(t) {
		for n := range m.Components(t) {
			list = w.words(list, b.Extract(v, uint32(n)))
		}
		return list
	}
	switch k := m.ScalarOf(t); {
	case k == scalar.Bool:
		return append(list, b.Emit(op.Select, ir.U32, 0, v, m.ConstU32(1), m.ConstU32(0)))
	case k == scalar.F16:
		return append(list, b.Bitcast(ir.U32, b.Convert(scalar.F32, v)))
	case k.Bits() == 64:
		if k != scalar.U64 {
			v = b.Bitcast(ir.U64, v)
		}
		high := b.Op(op.Shr, v, m.ConstU32(32))
		return append(list, b.Convert(scalar.U32, v), b.Convert(scalar.U32, high))
	case k.IsNarrow() && k.IsSigned():
		return append(list, b.Bitcast(ir.U32, b.Convert(scalar.I32, v)))
	case k.IsNarrow():
		return append(list, b.Convert(scalar.U32, v))
	}
	return append(list, b.Bitcast(ir.U32, v))
}

// variable returns the address of the buffer. The first message of a module declares it, with a
// binding after all others.
func (w *messageWriter) variable() ir.Value {
	m := w.m
	if w.buffer != ir.NoValue {
		return w.buffer
	}
	g := ir.Global{Name: messagesName, Bound: true, Role: ir.MessageBuffer}
	lower.BindLast(m, &g)
	atomic := m.AtomicOf(ir.U32)
	members := []ir.Member{
		memberUsed:    {Name: "used", Type: atomic, Offset: abi.MessagesUsedOffset},
		memberDropped: {Name: "dropped", Type: atomic, Offset: abi.MessagesDroppedOffset},
		memberFirst:   {Name: "first", Type: atomic, Offset: abi.MessagesFirstOffset},
		memberFailed:  {Name: "failed", Type: atomic, Offset: abi.MessagesFailedOffset},
		memberX:       {Name: "x", Type: ir.U32, Offset: abi.MessagesInvocationOffset},
		memberX + 1:   {Name: "y", Type: ir.U32, Offset: abi.MessagesInvocationOffset + 4},
		memberX + 2:   {Name: "z", Type: ir.U32, Offset: abi.MessagesInvocationOffset + 8},
		memberLaunch:  {Name: "launch", Type: ir.U32, Offset: abi.MessagesLaunchOffset},
		memberWords:   {Name: "words", Type: m.ArrayOf(ir.U32, ir.NoValue), Offset: abi.MessagesWordsOffset},
	}
	record := m.NewStruct(messagesName, members, abi.MessagesWordsOffset+4, 4)
	g.Type = m.PointerTo(ir.Storage, record, ir.ReadWrite)
	w.buffer = m.AddGlobal(g)
	return w.buffer
}
