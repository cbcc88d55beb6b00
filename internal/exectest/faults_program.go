package exectest

import (
	"fmt"
	"slices"
	"strings"
)

// This file is the tree of the programs of faults.go: each node prints itself, and
// runs as WGSL says. Reads outside of a variable take the last element and stores
// outside have no effect, which is what gpuc makes of them.

// faultWriter collects the source.
type faultWriter struct{ strings.Builder }

func (w *faultWriter) text(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// pointed writes what a pointer points to, and returns its offsets.
func (w *faultWriter) pointed(pointer string) [2]int {
	start := w.Len()
	w.text("*%s", pointer)
	return [2]int{start, w.Len()}
}

// faultRun is a run of a program.
type faultRun struct {
	inputs    []uint32
	memory    map[string][]uint32
	variables map[string]uint32 // of lets and counters
	wrote     map[int]bool      // elements of wg
	faults    []Fault           // with the offset as the column
	discarded []Fault           // as well: those of reads whose value a select drops
	unwritten []FaultPlace
}

type faultExpression interface {
	print(w *faultWriter)
	run(r *faultRun) uint32
	signed() bool
}

type faultStatement interface {
	print(w *faultWriter, indent string)
	run(r *faultRun)
}

// faultNumber is a literal.
type faultNumber struct {
	value uint32
	i32   bool
}

func (e *faultNumber) print(w *faultWriter) {
	if e.i32 {
		w.text("i32(%d)", int32(e.value))
	} else {
		w.text("%du", e.value)
	}
}
func (e *faultNumber) run(*faultRun) uint32 { return e.value }
func (e *faultNumber) signed() bool         { return e.i32 }

// faultInput reads a number that no compiler knows.
type faultInput struct{ at int }

func (e *faultInput) print(w *faultWriter)   { w.text("given[%d]", e.at) }
func (e *faultInput) run(r *faultRun) uint32 { return r.inputs[e.at] }
func (e *faultInput) signed() bool           { return false }

// faultVariableUse names a let, a counter or a parameter.
type faultVariableUse struct {
	name string
	i32  bool
}

func (e *faultVariableUse) print(w *faultWriter)   { w.text("%s", e.name) }
func (e *faultVariableUse) run(r *faultRun) uint32 { return r.variables[e.name] }
func (e *faultVariableUse) signed() bool           { return e.i32 }

// faultOperation computes with wrapping numbers. Its texts stand around and between
// the operands.
type faultOperation struct {
	before, between, after string
	operands               []faultExpression
	compute                func(x []uint32) uint32
	i32                    bool
}

func (e *faultOperation) print(w *faultWriter) {
	w.text("%s", e.before)
	for n, x := range e.operands {
		if n > 0 {
			w.text("%s", e.between)
		}
		x.print(w)
	}
	w.text("%s", e.after)
}

func (e *faultOperation) run(r *faultRun) uint32 {
	var x [3]uint32
	for n, operand := range e.operands {
		x[n] = operand.run(r)
	}
	return e.compute(x[:])
}

func (e *faultOperation) signed() bool { return e.i32 }

// faultSelect is select(0u, value, condition), which evaluates both.
type faultSelect struct{ value, condition faultExpression }

func (e *faultSelect) print(w *faultWriter) {
	w.text("select(0u, ")
	e.value.print(w)
	w.text(", ")
	e.condition.print(w)
	w.text(")")
}

func (e *faultSelect) run(r *faultRun) uint32 {
	before := len(r.faults)
	x := e.value.run(r)
	if e.condition.run(r) == 1 {
		return x
	}
	r.discarded = append(r.discarded, r.faults[before:]...)
	r.faults = r.faults[:before]
	return 0
}

func (e *faultSelect) signed() bool { return false }

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// faultLogic is && or ||, the right side of which may not be evaluated.
type faultLogic struct {
	or   bool
	x, y faultExpression
}

func (e *faultLogic) print(w *faultWriter) {
	w.text("(")
	e.x.print(w)
	if e.or {
		w.text(" || ")
	} else {
		w.text(" && ")
	}
	e.y.print(w)
	w.text(")")
}

func (e *faultLogic) run(r *faultRun) uint32 {
	if x := e.x.run(r); x == truth(e.or) {
		return x
	}
	return e.y.run(r)
}

func (e *faultLogic) signed() bool { return false }

// What an access does.
const (
	accessRead = iota
	accessStore
	accessAdd // as += or atomicAdd
)

// faultAccess is an access to a variable by indices, as an expression or what is
// assigned to.
type faultAccess struct {
	v       *faultVariable
	prefix  string // instead of the name: (*p)
	indices []faultExpression
	// start and end are offsets of the text, ends those behind each index.
	start int
	ends  []int
	// used are the offsets of what loads or stores: the access itself, a call
	// around it, or the use of a pointer that it makes.
	used    [2]int
	uniform bool // workgroupUniformLoad
}

func (e *faultAccess) printPlace(w *faultWriter) {
	e.start = w.Len()
	if e.prefix != "" {
		w.text("%s", e.prefix)
	} else {
		w.text("%s", e.v.name)
	}
	e.ends = e.ends[:0]
	for n, i := range e.indices {
		if n == 1 {
			w.text("%s", e.v.member)
		}
		w.text("[")
		i.print(w)
		w.text("]")
		e.ends = append(e.ends, w.Len())
	}
	e.used = [2]int{e.start, w.Len()}
}

func (e *faultAccess) print(w *faultWriter) {
	start := w.Len()
	switch {
	case e.uniform:
		w.text("workgroupUniformLoad(&")
	case e.v.kind == withAtomic:
		w.text("atomicLoad(&")
	}
	e.printPlace(w)
	if e.uniform || e.v.kind == withAtomic {
		w.text(")")
	}
	e.used = [2]int{start, w.Len()}
}

func (e *faultAccess) signed() bool { return false }

// resolved is a place: the element that is meant or, for a read outside, taken
// instead, and the fault that using it is.
type resolved struct {
	element int
	fault   *Fault
}

// resolve evaluates the indices. Those into values are used at once.
func (e *faultAccess) resolve(r *faultRun, writes bool) resolved {
	values := make([]uint32, len(e.indices))
	for n, i := range e.indices {
		values[n] = i.run(r)
	}
	var at resolved
	for n, i := range e.indices {
		count := e.v.dims[n]
		x := values[n]
		if x >= count {
			f := Fault{FaultPlace{0, e.start, e.ends[len(e.ends)-1] - e.start}, e.v.name, int64(x), count}
			if i.signed() {
				f.Index = int64(int32(x))
			}
			last := n == len(e.indices)-1
			switch {
			case e.v.kind == asValue:
				f.Name, f.Length = "", e.ends[n]-e.start
				r.faults = append(r.faults, f)
			case e.v.kind == ofVectors && last && !writes:
				f.Name = ""
				if at.fault != nil {
					r.faults = append(r.faults, *at.fault)
					at.fault = nil
				}
				r.faults = append(r.faults, f)
			case at.fault == nil:
				at.fault = &f
			}
			x = count - 1
		}
		at.element = at.element*int(count) + int(x)
	}
	return at
}

// use accesses a place and returns what was there.
func (e *faultAccess) use(r *faultRun, at resolved, how int, x uint32) uint32 {
	words := r.memory[e.v.name]
	old := words[at.element]
	if at.fault != nil {
		r.faults = append(r.faults, *at.fault)
		return old
	}
	if e.v.workgroup && how != accessStore && !r.wrote[at.element] {
		r.unwritten = append(r.unwritten, FaultPlace{0, e.used[0], e.used[1] - e.used[0]})
	}
	switch how {
	case accessStore:
		words[at.element] = x
	case accessAdd:
		words[at.element] += x
	}
	if how != accessRead && e.v.workgroup {
		r.wrote[at.element] = true
	}
	return old
}

func (e *faultAccess) run(r *faultRun) uint32 { return e.use(r, e.resolve(r, false), accessRead, 0) }

// faultAssign writes: variable[…] = value, or += value.
type faultAssign struct {
	to    *faultAccess
	how   int
	value faultExpression
}

func (s *faultAssign) print(w *faultWriter, indent string) {
	w.text("%s", indent)
	atomic := s.to.v.kind == withAtomic
	switch {
	case atomic && s.how == accessAdd:
		w.text("atomicAdd(&")
	case atomic:
		w.text("atomicStore(&")
	}
	s.to.printPlace(w)
	switch {
	case atomic:
		w.text(", ")
	case s.how == accessAdd:
		w.text(" += ")
	default:
		w.text(" = ")
	}
	s.value.print(w)
	if atomic {
		w.text(")")
	}
	w.text(";\n")
}

func (s *faultAssign) run(r *faultRun) {
	at := s.to.resolve(r, true)
	s.to.use(r, at, s.how, s.value.run(r))
}

// faultLet keeps a value.
type faultLet struct {
	name  string
	value faultExpression
}

func (s *faultLet) print(w *faultWriter, indent string) {
	w.text("%slet %s = ", indent, s.name)
	s.value.print(w)
	w.text(";\n")
}
func (s *faultLet) run(r *faultRun) { r.variables[s.name] = s.value.run(r) }

// faultSum adds a value to acc, which nothing but the last store reads.
type faultSum struct{ value faultExpression }

func (s *faultSum) print(w *faultWriter, indent string) {
	w.text("%sacc += ", indent)
	s.value.print(w)
	w.text(";\n")
}
func (s *faultSum) run(r *faultRun) { s.value.run(r) }

// faultPointer makes a pointer, which is used under a condition or not at all.
type faultPointer struct {
	name  string
	to    *faultAccess
	then  []faultStatement
	store bool
	cond  faultExpression
}

func (s *faultPointer) print(w *faultWriter, indent string) {
	w.text("%slet %s = &", indent, s.name)
	s.to.printPlace(w)
	w.text(";\n")
	for _, t := range s.then {
		t.print(w, indent)
	}
	w.text("%sif (", indent)
	s.cond.print(w)
	if s.store {
		w.text(") { *%s = 5u; }\n", s.name)
		return
	}
	w.text(") { acc += ")
	s.to.used = w.pointed(s.name)
	w.text("; }\n")
}

func (s *faultPointer) run(r *faultRun) {
	at := s.to.resolve(r, true)
	for _, t := range s.then {
		t.run(r)
	}
	if s.cond.run(r) == 0 {
		return
	}
	if s.store {
		s.to.use(r, at, accessStore, 5)
	} else {
		s.to.use(r, at, accessRead, 0)
	}
}

// faultIf may have its statements in the second branch.
type faultIf struct {
	cond        faultExpression
	then, other []faultStatement
}

func (s *faultIf) print(w *faultWriter, indent string) {
	w.text("%sif (", indent)
	s.cond.print(w)
	w.text(") {\n")
	for _, t := range s.then {
		t.print(w, indent+"  ")
	}
	w.text("%s} else {\n", indent)
	for _, t := range s.other {
		t.print(w, indent+"  ")
	}
	w.text("%s}\n", indent)
}

func (s *faultIf) run(r *faultRun) {
	list := s.other
	if s.cond.run(r) != 0 {
		list = s.then
	}
	for _, t := range list {
		t.run(r)
	}
}

// The forms of loops.
const (
	loopWhile    = iota // the condition stands in the head
	loopBreak           // break leaves before the body
	loopContinue        // continue skips the body
	loopBreakIf         // the condition stands at the end: the body runs once at least
	loopForms
)

// faultLoop runs its body at most limit times.
type faultLoop struct {
	form    int
	counter string
	limit   faultExpression // at most a few
	cond    faultExpression
	body    []faultStatement
}

func (s *faultLoop) print(w *faultWriter, indent string) {
	inner := indent + "  "
	w.text("%svar %s_end = min(", indent, s.counter)
	s.limit.print(w)
	w.text(", 3u);\n")
	body := func() {
		for _, t := range s.body {
			t.print(w, inner)
		}
	}
	switch s.form {
	case loopWhile:
		w.text("%sfor (var %[2]s = 0u; %[2]s < %[2]s_end && ", indent, s.counter)
		s.cond.print(w)
		w.text("; %s++) {\n", s.counter)
		body()
	case loopBreak, loopContinue:
		w.text("%sfor (var %[2]s = 0u; %[2]s < %[2]s_end; %[2]s++) {\n%sif (!", indent, s.counter, inner)
		s.cond.print(w)
		w.text(") { %s; }\n", [...]string{loopBreak: "break", loopContinue: "continue"}[s.form])
		body()
	case loopBreakIf:
		w.text("%svar %s = 0u;\n%sloop {\n", indent, s.counter, indent)
		body()
		w.text("%scontinuing {\n%s  %s++;\n%s  break if (%[3]s >= %[3]s_end || !", inner, inner, s.counter, inner)
		s.cond.print(w)
		w.text(");\n%s}\n", inner)
	}
	w.text("%s}\n", indent)
}

func (s *faultLoop) run(r *faultRun) {
	end := min(s.limit.run(r), 3)
	for k := uint32(0); ; {
		r.variables[s.counter] = k
		if s.form != loopBreakIf && k >= end {
			return
		}
		if s.form != loopBreakIf && s.cond.run(r) == 0 {
			if s.form != loopContinue {
				return
			}
		} else {
			for _, t := range s.body {
				t.run(r)
			}
		}
		k++
		r.variables[s.counter] = k
		if s.form == loopBreakIf && (k >= end || s.cond.run(r) == 0) {
			return
		}
	}
}

// faultSwitch selects by a number.
type faultSwitch struct {
	selector    faultExpression
	values      []uint32
	then, other []faultStatement
}

func (s *faultSwitch) print(w *faultWriter, indent string) {
	w.text("%sswitch (", indent)
	s.selector.print(w)
	w.text(") {\n%s  case ", indent)
	for n, v := range s.values {
		if n > 0 {
			w.text(", ")
		}
		w.text("%du", v)
	}
	w.text(": {\n")
	for _, t := range s.then {
		t.print(w, indent+"    ")
	}
	w.text("%s  }\n%s  default: {\n", indent, indent)
	for _, t := range s.other {
		t.print(w, indent+"    ")
	}
	w.text("%s  }\n%s}\n", indent, indent)
}

func (s *faultSwitch) run(r *faultRun) {
	list := s.other
	if slices.Contains(s.values, s.selector.run(r)) {
		list = s.then
	}
	for _, t := range list {
		t.run(r)
	}
}

// faultFunction returns early where its condition on its parameter k does not
// hold, and accesses behind that.
type faultFunction struct {
	name    string
	pointer string // the type of parameter p, if the access goes through it
	cond    faultExpression
	access  *faultAccess
	element bool // p points to what is accessed
	store   bool
}

func (f *faultFunction) print(w *faultWriter) {
	w.text("fn %s(", f.name)
	if f.pointer != "" {
		w.text("p: %s, ", f.pointer)
	}
	w.text("k: u32) -> u32 {\n  if (!")
	f.cond.print(w)
	w.text(") { return 7u; }\n")
	switch {
	case f.element && f.store:
		w.text("  *p = k;\n  return k;\n}\n")
	case f.element:
		w.text("  return ")
		f.access.used = w.pointed("p")
		w.text(";\n}\n")
	case f.store:
		w.text("  ")
		f.access.printPlace(w)
		w.text(" = k;\n  return k;\n}\n")
	default:
		w.text("  return ")
		f.access.print(w)
		w.text(";\n}\n")
	}
}

// faultCall calls a function. For a pointer to an element, the access stands here.
type faultCall struct {
	f        *faultFunction
	pointer  *faultAccess // what & is applied to, or nil
	argument faultExpression
}

func (e *faultCall) print(w *faultWriter) {
	w.text("%s(", e.f.name)
	switch {
	case e.f.element:
		w.text("&")
		e.pointer.printPlace(w)
		e.pointer.used = e.f.access.used
		w.text(", ")
	case e.f.pointer != "":
		w.text("&%s, ", e.f.access.v.name)
	}
	e.argument.print(w)
	w.text(")")
}

func (e *faultCall) run(r *faultRun) uint32 {
	var at resolved
	if e.f.element {
		at = e.pointer.resolve(r, true)
	}
	k := e.argument.run(r)
	outer := r.variables["k"]
	defer func() { r.variables["k"] = outer }()
	r.variables["k"] = k
	if e.f.cond.run(r) == 0 {
		return 7
	}
	access, how := e.pointer, accessRead
	if !e.f.element {
		access = e.f.access
		at = access.resolve(r, e.f.store)
	}
	if e.f.store {
		how = accessStore
	}
	old := access.use(r, at, how, k)
	if e.f.store {
		return k
	}
	return old
}

func (e *faultCall) signed() bool { return false }
