// Package uniform is the uniformity analysis of a checked program (WGSL §15.2):
// barriers, derivatives and subgroup operations must be reached by all invocations
// of their scope together.
package uniform

import (
	"cmp"
	"slices"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is the frame of the analysis. For each function a graph is built: a node
// says that a value, or control flow at some point, is uniform, and an edge that its
// source is uniform only if its target is. What must be uniform is then searched for
// a way to the node mayDiffer. What a caller has to know of a function is kept as
// tags, so that functions are analysed once, callees first. expr.go and stmt.go build
// the graph, result.go searches it and report.go words what is found.
//
// There are two scopes, the workgroup (or draw) and the subgroup, each with an
// analysis of its own; a program without operations of a scope skips it.
//
// Memory stays in proportion to the text, times the depth of loops in each other.
// Where paths join, only variables that were assigned on one of them get a node:
// loops and switches look up what they assign, and branches undo what they have
// changed instead of copying what all variables hold.

// node is a node of the graph; 0 is mayDiffer.
type node int32

const mayDiffer node = 0

// severities of a requirement: 0 is none.
const noSeverity = diag.Off

// requirement says that a node must be uniform.
type requirement struct {
	node     node
	severity diag.Severity
	origin   origin
}

// origin is the operation that asks for uniformity.
type origin struct {
	span source.Span // the call in this function
	at   source.Span // the call of the builtin, in whichever function
	name string      // the builtin that is reached
	// through is the parameter of a function that span calls on which it depends
	// there, or 0.
	through sem.Object
	rule    string // the diagnostic rule, "" for none
	// operand says that an argument must be uniform, not control flow.
	operand bool
}

// parameterTags are the tags of a parameter.
type parameterTags struct {
	value, contents             diag.Severity // what must be uniform
	valueOrigin, contentsOrigin origin
	differs                     bool // the memory may be non-uniform after the call
	// fromValues and fromContents are the parameters on which the memory after
	// the call depends.
	fromValues, fromContents uint64
	why                      diag.Note // if differs: the cause
}

// functionTags are the tags of a function.
type functionTags struct {
	callSite   diag.Severity
	origin     origin
	differs    bool // the result may be non-uniform
	values     uint64
	contents   uint64 // parameters on which the result depends
	parameters []parameterTags
	why        diag.Note // if differs: the cause
}

// calleeCause says why the node of a call, or of memory after it, differs: the
// cause lies in the function that is called.
type calleeCause struct {
	node node
	note diag.Note
}

type edge struct {
	to   node
	next int32 // in edges, 0 is the end
}

// Analyzer analyses programs one after the other and keeps its memory from one to
// the next. The zero Analyzer is ready to use.
type Analyzer struct {
	info     *sem.Info
	tree     *syntax.Tree
	module   *ir.Module
	list     *diag.List
	subgroup bool
	tags     []functionTags

	// the graph of the current function
	heads        []int32
	edges        []edge
	exprs        []syntax.Expr // by node: what it stands for, for messages
	causes       []calleeCause
	requirements []requirement
	findings     []finding // of the requirements that are not met
	conditions   []bool    // by syntax.Expr: of statements that branch; empty until needed
	visited      []int32   // by node: the search that saw it
	parents      []node
	queue        []node
	search       int32
	settled      []diag.Severity // by node: the worst severity that has covered it

	start       node
	interior    node // the first node of the function's body
	returned    node
	objects     []sem.Object // by parameter
	parameters  []node       // by parameter
	contents    []node       // by pointer parameter into function memory
	outContents []node

	lets []node // by Object: of let-declarations and parameters
	// current is by Object the node of the value that a variable in scope has
	// now, 0 for everything else: mayDiffer itself is no variable's value.
	current     []node
	active      []sem.Object // the variables in scope
	assignments []assignment // of the program, in source order
	loops       []loopState
	carried     []carried // a stack: the variables of each of loops
	changes     []change  // what was changed in current, to be undone
	branch      []change  // a stack: what first branches of ifs have changed
	other       []node    // by Object: the value in the first branch
	stamps      []int32   // by Object: the last stamp that it got
	stamp       int32
	// filters are the severities of derivative_uniformity and subgroup_uniformity.
	filters [2]diag.Severity
}

// assignment says that a variable, or memory behind a pointer parameter, may be
// written at a place in the text.
type assignment struct {
	at     source.Pos
	object sem.Object
}

// change is the value that a variable had before a change, or once that is
// undone, had after it.
type change struct {
	object sem.Object
	value  node
}

// loopState is a loop or switch around the current statement.
type loopState struct {
	isSwitch   bool
	first, end int // in Analyzer.carried
	changes    int // in Analyzer.changes: where it begins
}

// carried is a variable that a loop or switch assigns, with the nodes of the
// values that come together at its entry, its exits and its continuing block (0
// until a jump leads there). Variables of a loop's body, which the continuing
// block may use, have no entry and exit.
type carried struct {
	object                  sem.Object
	entry, exit, continuing node
}

// Analyze analyses a program without errors, for the scopes that it has operations of,
// and adds what is not uniform to list.
func (u *Analyzer) Analyze(info *sem.Info, list *diag.List) {
	u.info, u.tree, u.module, u.list = info, info.Tree, info.Module, list
	if info.Collective != [sem.ScopeCount]bool{} {
		u.findAssignments()
	}
	u.conditions = u.conditions[:0]
	for scope, found := range info.Collective {
		if !found {
			continue
		}
		u.subgroup = sem.Scope(scope) == sem.SubgroupScope
		u.tags = ir.Zeroed(u.tags, len(info.Functions))
		u.lets = ir.Zeroed(u.lets, len(info.Objects))
		u.current = ir.Zeroed(u.current, len(info.Objects))
		u.other = ir.Zeroed(u.other, len(info.Objects))
		u.stamps, u.stamp = ir.Zeroed(u.stamps, len(info.Objects)), 0
		for _, f := range info.Order {
			u.function(f)
		}
	}
	u.info, u.tree, u.module, u.list = nil, nil, nil, nil
}

// findAssignments lists where variables of functions are written, so that those
// in a loop are one part of the list. Assignments stand in the tree in source
// order, and few calls are given pointers: there is little to sort.
func (u *Analyzer) findAssignments() {
	u.assignments = u.assignments[:0]
	for i := range u.tree.Stmts {
		switch n := &u.tree.Stmts[i]; n.Kind {
		case syntax.AssignStmt, syntax.IncrementStmt, syntax.DecrementStmt:
			u.findAssignment(n.Span.Start, u.info.RootOf(n.A))
		}
	}
	for _, site := range u.info.CallSites {
		for i := range u.info.Functions[site.Callee].Parameters {
			u.findAssignment(site.Span.Start, u.info.ArgumentRoots[int(site.Roots)+i])
		}
	}
	slices.SortFunc(u.assignments, func(a, b assignment) int { return cmp.Compare(a.at, b.at) })
}

func (u *Analyzer) findAssignment(at source.Pos, root sem.Object) {
	if root != 0 && u.object(root).Kind != sem.GlobalObject {
		u.assignments = append(u.assignments, assignment{at, root})
	}
}

// assigned returns the assignments in a part of the text.
func (u *Analyzer) assigned(in source.Span) []assignment {
	compare := func(a assignment, at source.Pos) int { return cmp.Compare(a.at, at) }
	first, _ := slices.BinarySearchFunc(u.assignments, in.Start, compare)
	end, _ := slices.BinarySearchFunc(u.assignments, in.End, compare)
	return u.assignments[first:end]
}

func (u *Analyzer) object(o sem.Object) *sem.ObjectInfo { return &u.info.Objects[o] }

// add makes a node.
func (u *Analyzer) add(e syntax.Expr, to ...node) node {
	n := node(len(u.heads))
	u.heads = append(u.heads, 0)
	u.exprs = append(u.exprs, e)
	for _, t := range to {
		u.edge(n, t)
	}
	return n
}

func (u *Analyzer) edge(from, to node) {
	if from == mayDiffer || from == to {
		return
	}
	u.edges = append(u.edges, edge{to, u.heads[from]})
	u.heads[from] = int32(len(u.edges) - 1)
}

// bring makes an edge to a value that a jump brings, which often is the one that
// the last jump has brought.
func (u *Analyzer) bring(to, value node) {
	if last := u.heads[to]; last == 0 || u.edges[last].to != value {
		u.edge(to, value)
	}
}

// require demands that a node is uniform.
func (u *Analyzer) require(n node, s diag.Severity, o origin) {
	if s != noSeverity {
		u.requirements = append(u.requirements, requirement{n, s, o})
	}
}

// function analyses a function and sets its tags.
func (u *Analyzer) function(index int32) {
	info := &u.info.Functions[index]
	decl := u.tree.Decl(info.Decl)
	u.heads, u.exprs, u.edges = u.heads[:0], u.exprs[:0], append(u.edges[:0], edge{})
	u.requirements, u.causes, u.active = u.requirements[:0], u.causes[:0], u.active[:0]
	u.loops, u.carried, u.changes, u.branch = u.loops[:0], u.carried[:0], u.changes[:0], u.branch[:0]
	u.add(0) // mayDiffer
	u.start, u.returned = u.add(0), u.add(0)
	n := len(info.Parameters)
	u.parameters, u.contents, u.outContents = ir.Zeroed(u.parameters, n), ir.Zeroed(u.contents, n), ir.Zeroed(u.outContents, n)
	u.objects = info.Parameters
	for i, p := range info.Parameters {
		u.parameters[i] = u.parameter(info, i)
		u.lets[p] = u.parameters[i]
		if u.functionPointer(u.object(p).Type) {
			u.contents[i], u.outContents[i] = u.add(0), u.add(0)
			u.declare(p, u.add(0, u.contents[i]))
		}
	}
	u.interior = node(len(u.heads))
	u.filters = [2]diag.Severity{diag.Error, diag.Error}
	for i := range u.tree.Directives {
		if d := &u.tree.Directives[i]; d.Kind == syntax.DiagnosticDirective {
			u.filter(d.Names)
		}
	}
	u.attributes(decl.Attributes)
	if decl.Body != 0 {
		body := u.tree.Stmt(decl.Body)
		u.attributes(body.Attributes)
		u.sequence(u.start, body)
		if u.next(decl.Body) {
			u.leave()
		}
	}
	u.conclude(index)
}

// functionPointer reports whether a type is a pointer into function memory.
func (u *Analyzer) functionPointer(t ir.Type) bool {
	return u.module.IsPointer(t) && u.module.SpaceOf(t) == ir.Function
}

// parameter makes the node of a parameter: builtin values are uniform or not by
// themselves, and everything else of a stage's interface is not.
func (u *Analyzer) parameter(info *sem.FunctionInfo, i int) node {
	if info.Stage == sem.NoStage {
		return u.add(0)
	}
	parts := 1
	if t := u.object(info.Parameters[i]).Type; u.module.KindOf(t) == ir.StructType {
		parts = len(u.module.Members(t))
	}
	for _, b := range info.Builtins {
		if b.Parameter == i && u.uniform(info.Stage, b.Builtin) {
			parts--
		}
	}
	n := u.add(0, u.start)
	if parts > 0 {
		u.edge(n, mayDiffer)
	}
	return n
}

// uniform reports whether a builtin value is the same for all invocations.
func (u *Analyzer) uniform(stage sem.Stage, b ir.Builtin) bool {
	switch b {
	case ir.WorkgroupID, ir.NumWorkgroups, ir.NumSubgroups, ir.WorkgroupIndex:
		return true
	case ir.SubgroupSize:
		return stage == sem.Compute
	case ir.SubgroupID:
		return u.subgroup
	}
	return false
}

// declare makes a variable known with its initial value.
func (u *Analyzer) declare(o sem.Object, value node) {
	u.active = append(u.active, o)
	u.current[o] = value
}

// undeclare forgets the variables that a scope declared.
func (u *Analyzer) undeclare(mark int) {
	for _, o := range u.active[mark:] {
		u.current[o] = 0
	}
	u.active = u.active[:mark]
}

// set gives a variable in scope another value.
func (u *Analyzer) set(o sem.Object, value node) {
	u.changes = append(u.changes, change{o, u.current[o]})
	u.current[o] = value
}

// rewind gives the variables in scope the values that they had when there were
// mark changes. It returns what it has undone, for redo; that is valid until the
// next change.
func (u *Analyzer) rewind(mark int) []change {
	undone := u.changes[mark:]
	for i := len(undone) - 1; i >= 0; i-- {
		if value := &u.current[undone[i].object]; *value != 0 {
			*value, undone[i].value = undone[i].value, *value
		}
	}
	u.changes = u.changes[:mark]
	return undone
}

// redo makes changes again that were undone.
func (u *Analyzer) redo(undone []change) {
	for _, ch := range undone {
		if u.current[ch.object] != 0 {
			u.set(ch.object, ch.value)
		}
	}
}

// merge joins the values of variables after the two branches of an if: the
// second is the one that has made the changes since mark, and first is what
// the other one, undone, has changed.
func (u *Analyzer) merge(mark int, first []change) {
	u.stamp++
	// of each variable one change is left, from its value before both
	kept := u.changes[:mark]
	for _, ch := range u.changes[mark:] {
		if u.current[ch.object] != 0 && u.stamps[ch.object] != u.stamp {
			u.stamps[ch.object] = u.stamp
			u.other[ch.object] = ch.value
			kept = append(kept, ch)
		}
	}
	for _, ch := range first {
		if u.current[ch.object] == 0 {
			continue
		}
		if u.stamps[ch.object] != u.stamp {
			u.stamps[ch.object] = u.stamp
			kept = append(kept, change{ch.object, u.current[ch.object]})
		}
		u.other[ch.object] = ch.value
	}
	u.changes = kept
	for _, ch := range kept[mark:] {
		u.current[ch.object] = u.either(u.current[ch.object], u.other[ch.object])
	}
}

// either returns a node of two values of which a variable has one.
func (u *Analyzer) either(a, b node) node {
	switch {
	case a == b || u.includes(a, b):
		return a
	case u.includes(b, a):
		return b
	}
	return u.add(0, a, b)
}

// includes reports whether a node has joined a value with another one already,
// as it is in nested ifs and chains of them.
func (u *Analyzer) includes(join, value node) bool {
	if u.exprs[join] != 0 {
		return false
	}
	i := u.heads[join]
	return i != 0 && (u.edges[i].to == value || u.edges[u.edges[i].next].to == value)
}

// attributes applies the diagnostic filters among attributes.
func (u *Analyzer) attributes(list syntax.List) {
	if list.Len == 0 {
		return
	}
	all := u.tree.AttributeList(list)
	for i := range all {
		if u.tree.Source(all[i].NameSpan) == "diagnostic" {
			u.filter(all[i].Arguments)
		}
	}
}

func (u *Analyzer) filter(list syntax.List) {
	severity, rule := u.tree.Filter(list)
	at := 0
	switch rule {
	case "derivative_uniformity":
	case "subgroup_uniformity":
		at = 1
	default:
		return
	}
	for s := diag.Error; s <= diag.Off; s++ {
		if s.String() == severity {
			u.filters[at] = s
		}
	}
}
