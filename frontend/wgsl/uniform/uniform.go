// Package uniform is the uniformity analysis of WGSL (§15.2): barriers, derivatives and subgroup
// operations must be executed in uniform control flow of their scope.
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

// This file has the state of the analysis and the values of variables. As in the specification, the
// analysis builds a uniformity graph for each function. A node means that a value, or control flow
// at a point, is uniform. An edge means that its source is uniform only if its target is. A
// requirement fails if a path leads from its node to MayBeNonUniform. The tags of a function
// summarize it for its callers, so that each function is analysed once, callees first. expr.go and
// stmt.go build the graph, result.go searches it, report.go words the diagnostics.
//
// There are two scopes, the workgroup (or draw) and the subgroup. Each has its own analysis, which
// is skipped for a program without operations of the scope.
//
// Memory is linear in the text times the nesting depth of loops. Only variables that are assigned
// on a path get a node where paths merge. Loops and switches look up their assignments. Branches
// undo their changes instead of copying the values of all variables.

// node is a node of the uniformity graph.
type node int32

// mayBeNonUniform is the node MayBeNonUniform of WGSL §15.2.1.
const mayBeNonUniform node = 0

// noSeverity is the severity of no requirement.
const noSeverity = diag.Off

// requirement says that a node must be uniform: RequiredToBeUniform of WGSL §15.2.1.
type requirement struct {
	node     node
	severity diag.Severity
	origin   origin
}

// origin is the operation that requires uniformity.
type origin struct {
	span source.Span // the call in this function
	at   source.Span // the call of the builtin, in whichever function
	name string      // the builtin
	// through is the parameter, of the function called at span, on which the requirement depends,
	// or 0.
	through sem.Object
	rule    string // the diagnostic rule, "" for none
	// operand says that an argument must be uniform, not control flow.
	operand bool
	// tiles says that the builtin is one on tiles, whose arguments must all be uniform.
	tiles bool
}

// parameterTags are the tags of a parameter.
type parameterTags struct {
	value, contents             diag.Severity // the requirements on its value and on its contents
	valueOrigin, contentsOrigin origin
	nonUniform                  bool // the memory may be non-uniform after the call
	// fromValues and fromContents are the parameters on which the memory after the call depends, as
	// bits.
	fromValues, fromContents uint64
	why                      diag.Note // the cause, if nonUniform
}

// functionTags are the tags of a function.
type functionTags struct {
	callSite   diag.Severity
	origin     origin
	nonUniform bool // the result may be non-uniform
	values     uint64
	contents   uint64 // parameters on which the result depends, as bits
	parameters []parameterTags
	why        diag.Note // the cause, if nonUniform
}

// calleeCause explains the non-uniformity of a call, or of memory after it, by a cause in the
// callee.
type calleeCause struct {
	node node
	note diag.Note
}

type edge struct {
	to   node
	next int32 // in edges, 0 is the end
}

// Analyzer analyses programs one after the other, and reuses its memory. The zero Analyzer is ready
// to use.
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
	exprs        []syntax.Expr // by node, for messages
	causes       []calleeCause
	requirements []requirement
	findings     []finding // for the requirements that fail
	conditions   []bool    // by syntax.Expr: is it the condition of a branch; empty until needed
	visited      []int32   // by node: the last search that visited it
	parents      []node
	queue        []node
	search       int32
	settled      []diag.Severity // by node: the worst severity with which it was visited

	start       node
	interior    node // the first node of the function's body
	returned    node
	objects     []sem.Object // by parameter
	parameters  []node       // by parameter
	contents    []node       // by pointer parameter into function memory
	outContents []node

	lets []node // by Object: of let-declarations and parameters
	// current is by Object the node of the current value of a variable in scope, and 0 for
	// everything else: mayBeNonUniform is the value of no variable.
	current     []node
	active      []sem.Object // the variables in scope
	assignments []assignment // of the program, in source order
	loops       []loopState
	carried     []carried // a stack: the variables of each of loops
	changes     []change  // a log of the changes to current, to undo them
	branch      []change  // a stack: the changes of the first branches of ifs
	other       []node    // by Object: the value in the first branch
	stamps      []int32   // by Object: the last stamp that it got
	stamp       int32
	// blamed are the calls of functions on tiles that have been reported in the current function.
	blamed []source.Span
	// filters are the severities of the rules.
	filters [ruleCount]diag.Severity
}

// rule is a diagnostic rule.
type rule uint8

// The rules. The last is Tint's, for subgroup matrices.
const (
	derivativeRule rule = iota
	subgroupRule
	matrixRule
	ruleCount
)

var ruleNames = [ruleCount]string{"derivative_uniformity", "subgroup_uniformity", "chromium.subgroup_matrix_uniformity"}

// assignment is a position at which a variable, or memory behind a pointer parameter, may be
// written.
type assignment struct {
	at     source.Pos
	object sem.Object
}

// change is the value of a variable before a change or, after undoing, after the change.
type change struct {
	object sem.Object
	value  node
}

// loopState is an enclosing loop or switch.
type loopState struct {
	isSwitch   bool
	first, end int // in Analyzer.carried
	changes    int // in Analyzer.changes: its beginning
}

// carried is a variable that a loop or switch assigns. Its nodes merge the values at the entry, at
// the exits and at the continuing block; they are 0 until a jump leads there. Variables of a loop's
// body, which the continuing block may use, have no entry and exit.
type carried struct {
	object                  sem.Object
	entry, exit, continuing node
}

// Analyze analyses a program without errors, for the scopes of its collective operations, and adds
// diagnostics to list.
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

// findAssignments lists the assignments to variables of functions in source order, so that those of
// a loop are a subrange. They are nearly sorted in the tree.
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

// assigned returns the assignments in a span.
func (u *Analyzer) assigned(in source.Span) []assignment {
	compare := func(a assignment, at source.Pos) int { return cmp.Compare(a.at, at) }
	first, _ := slices.BinarySearchFunc(u.assignments, in.Start, compare)
	end, _ := slices.BinarySearchFunc(u.assignments, in.End, compare)
	return u.assignments[first:end]
}

func (u *Analyzer) object(o sem.Object) *sem.ObjectInfo { return &u.info.Objects[o] }

// add adds a node for an expression, or 0, with edges to other nodes.
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
	if from == mayBeNonUniform || from == to {
		return
	}
	u.edges = append(u.edges, edge{to, u.heads[from]})
	u.heads[from] = int32(len(u.edges) - 1)
}

// bring adds an edge to the value that a jump brings, unless the last jump brought the same.
func (u *Analyzer) bring(to, value node) {
	if last := u.heads[to]; last == 0 || u.edges[last].to != value {
		u.edge(to, value)
	}
}

// require adds a requirement.
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
	u.add(0) // mayBeNonUniform
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
	u.filters = [ruleCount]diag.Severity{diag.Error, diag.Error, diag.Error}
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

// functionPointer reports whether a type is a pointer to function memory.
func (u *Analyzer) functionPointer(t ir.Type) bool {
	return u.module.IsPointer(t) && u.module.SpaceOf(t) == ir.Function
}

// parameter adds the node of a parameter. Of an entry point only some builtin values are uniform.
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
		u.edge(n, mayBeNonUniform)
	}
	return n
}

// uniform reports whether a builtin value is uniform in the scope.
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

// declare begins the scope of a variable with its initial value.
func (u *Analyzer) declare(o sem.Object, value node) {
	u.active = append(u.active, o)
	u.current[o] = value
}

// undeclare ends the scopes of the variables since mark.
func (u *Analyzer) undeclare(mark int) {
	for _, o := range u.active[mark:] {
		u.current[o] = 0
	}
	u.active = u.active[:mark]
}

// set changes the value of a variable in scope.
func (u *Analyzer) set(o sem.Object, value node) {
	u.changes = append(u.changes, change{o, u.current[o]})
	u.current[o] = value
}

// rewind undoes the changes since mark, for variables in scope. The result is for redo, and valid
// until the next change.
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

// redo repeats changes that were undone.
func (u *Analyzer) redo(undone []change) {
	for _, ch := range undone {
		if u.current[ch.object] != 0 {
			u.set(ch.object, ch.value)
		}
	}
}

// merge merges the values of variables after an if. The changes since mark are those of the second
// branch, and first are those of the first one, undone.
func (u *Analyzer) merge(mark int, first []change) {
	u.stamp++
	// one change is left for each variable, with its value before the if
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

// either returns a node for the merge of two values of a variable.
func (u *Analyzer) either(a, b node) node {
	switch {
	case a == b || u.includes(a, b):
		return a
	case u.includes(b, a):
		return b
	}
	return u.add(0, a, b)
}

// includes reports whether a node already merges a value with another one, as in nested ifs and
// chains of them.
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
	severity, name := u.tree.Filter(list)
	at := slices.Index(ruleNames[:], name)
	if at < 0 {
		return
	}
	for s := diag.Error; s <= diag.Off; s++ {
		if s.String() == severity {
			u.filters[at] = s
		}
	}
}
