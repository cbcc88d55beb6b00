package ir

import (
	"fmt"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// Verify checks that a module keeps the rules of the IR and adds a diagnostic for each broken one.
// The rules: a block's last instruction, and no other, is a terminator. A value is used in the
// block that defines it, after the definition, and in the blocks nested there. Operands and
// results have the types that the op table gives. A terminator names an enclosing instruction and
// carries its results.
//
// A continuing block sees the parameters of its loop's body, not what the body
// defines, and leaves only by its next.
func Verify(m *Module, list *diag.List) {
	list = diag.Some(list)
	if m == nil {
		list.Add(diag.Diagnostic{Code: diag.IRInvalid, Message: "there is no module to verify: it is nil", Notes: []diag.Note{{Message: "ir.NewModule makes one"}}})
		return
	}
	v := verifiers.Get().(*verifier)
	v.m, v.list, v.stored = m, list, v.stored[:0]
	for t := range m.types {
		v.size(Type(t))
	}
	for i := range m.Overrides {
		v.override(i)
	}
	for i := range m.Globals {
		v.global(i)
	}
	for _, f := range m.Funcs {
		v.function(f)
	}
	v.recursion()
	v.m, v.list, v.f = nil, nil, nil // the memory stays, the module need not
	verifiers.Put(v)
}

// verifiers are those that Verify has used: every compilation verifies.
var verifiers = sync.Pool{New: func() any { return new(verifier) }}

type verifier struct {
	m       *Module
	list    *diag.List
	f       *Func
	visible []bool
	defined []Value // stack of values visible now
	// enclosing holds the control instructions around the current block, and
	// which of their blocks it is in.
	enclosing []enclosure
	stored    []bool // by type: it was found to be storable
	values    []Value
}

type enclosure struct {
	inst  Inst
	index int
}

func (v *verifier) report(span source.Span, message string) {
	v.list.Add(diag.Diagnostic{Code: diag.IRInvalid, Span: span, Message: message})
}

// fail reports a broken rule at an instruction.
func (v *verifier) fail(i Inst, format string, args ...any) {
	v.list.Add(diag.Diagnostic{Code: diag.IRInvalid, Span: v.f.SpanOf(i), Message: fmt.Sprintf(format, args...),
		Notes: []diag.Note{{Message: "in @" + v.f.Name + ": " + v.f.InstText(i)}}})
}

// size reports a type whose parts do not fit into it, or whose size does not fit 32
// bits.
func (v *verifier) size(t Type) {
	m := v.m
	if why := m.tileOutside(t); why != "" {
		v.report(source.Span{}, "the type "+m.TypeString(t)+": "+why)
		return
	}
	switch m.KindOf(t) {
	case ArrayType, MatrixType:
		if n, ok := m.Count(t); ok && uint64(n)*uint64(m.Stride(t)) >= TooLarge {
			v.report(source.Span{}, fmt.Sprintf("the type %s has %d bytes; there may be %d", m.TypeString(t), uint64(n)*uint64(m.Stride(t)), uint32(TooLarge-1)))
		}
	case TileType:
		if why := m.tileProblem(t); why != "" {
			v.report(source.Span{}, "the type "+m.TypeString(t)+": "+why)
		}
	case FragmentType:
		if why := m.fragmentProblem(t); why != "" {
			v.report(source.Span{}, "the type "+m.TypeString(t)+": "+why)
		}
	case StructType:
		for _, member := range m.Members(t) {
			if end := uint64(member.Offset) + uint64(m.Size(member.Type)); end > uint64(m.Size(t)) && !m.IsRuntimeArray(member.Type) {
				v.report(source.Span{}, fmt.Sprintf("the structure %s has %d bytes, and its member `%s` ends at byte %d", m.TypeString(t), m.Size(t), member.Name, end))
			}
		}
		if m.Size(t) == TooLarge {
			v.report(source.Span{}, fmt.Sprintf("the structure %s has %d bytes or more; there may be %d", m.TypeString(t), uint32(TooLarge), uint32(TooLarge-1)))
		}
	}
}

// storable reports whether loads and stores of a type are allowed.
func (v *verifier) storable(t Type) bool {
	switch v.m.KindOf(t) {
	case ScalarType:
		return !scalar.Kind(t).IsTileFloat()
	case VectorType, MatrixType, TileType, FragmentType:
		return true
	case ArrayType:
		return !v.m.IsRuntimeArray(t) && v.storable(v.m.Element(t))
	case StructType:
		// remembered, since structures within structures may share their types:
		// as many levels as the text has, but 2^n paths
		if int(t) < len(v.stored) && v.stored[t] {
			return true
		}
		for _, member := range v.m.Members(t) {
			if !v.storable(member.Type) {
				return false
			}
		}
		if n := v.m.TypeCount(); len(v.stored) < n {
			v.stored = append(v.stored, make([]bool, n-len(v.stored))...)
		}
		v.stored[t] = true
		return true
	}
	return false
}

func (v *verifier) override(i int) {
	o := &v.m.Overrides[i]
	for _, a := range v.m.OverrideArgs(OverrideValue(i)) {
		switch {
		case a.IsConst():
		case a.IsOverride() && int(a.Index()) < i:
		default:
			v.report(o.Span, "an operand of override @"+o.Name+" is no constant and no earlier override")
			return
		}
	}
	if o.Op == op.Invalid && !v.m.IsScalar(o.Type) {
		v.report(o.Span, "override @"+o.Name+" is not a scalar")
	}
}

func (v *verifier) global(i int) {
	m, g := v.m, &v.m.Globals[i]
	switch {
	case !m.IsPointer(g.Type):
		v.report(g.Span, "the variable @"+g.Name+" is no pointer")
	case g.Init != 0 && (!g.Init.IsConst() && !g.Init.IsOverride() || m.TypeOf(g.Init) != m.Element(g.Type)):
		v.report(g.Span, "the initial value of @"+g.Name+" has the wrong type")
	case g.Bound && g.Init != 0 && g.Role != TableBuffer:
		v.report(g.Span, "the resource @"+g.Name+" has an initial value and is no buffer of tables")
	case g.Role != NoRole && (m.WithRole(g.Role) != GlobalValue(i) || !v.fitsRole(g)):
		v.report(g.Span, "the variable @"+g.Name+" cannot have the role "+roleNames[g.Role]+", or another one has it")
	}
}

// fitsRole reports whether a variable is what the description of its role reads.
func (v *verifier) fitsRole(g *Global) bool {
	m := v.m
	t := m.Element(g.Type)
	switch {
	case g.Role == TileRings:
		return m.SpaceOf(g.Type) == Workgroup
	case g.Role == ExtentWords:
		return m.SpaceOf(g.Type) == Immediate && m.KindOf(t) == StructType
	case g.Role == FusedFlag:
		return m.SpaceOf(g.Type) == Constant && t == U32
	case !g.Bound || m.SpaceOf(g.Type) != Storage:
		return false
	case g.Role == ScratchBuffer:
		return m.IsRuntimeArray(t) && m.KindOf(m.Element(t)) == StructType
	case g.Role == TableBuffer:
		return g.Init.IsConst() && m.AccessOf(g.Type) == Read
	}
	return true
}

func (v *verifier) function(f *Func) {
	v.f = f
	if cap(v.visible) < len(f.values) {
		v.visible = make([]bool, len(f.values))
		v.defined = make([]Value, 0, len(f.values)+8) // all at once, as a rule
	}
	v.visible = v.visible[:len(f.values)]
	clear(v.visible)
	v.defined, v.enclosing = v.defined[:0], v.enclosing[:0]
	if f.Kernel {
		v.kernel(f)
	}
	for i := range f.Checks {
		v.check(f, &f.Checks[i])
	}
	v.block(f.Entry)
}

func (v *verifier) check(f *Func, c *Check) {
	m := v.m
	known := func(x Value) bool { return x.IsConst() || x.IsOverride() && int(x.Index()) < len(m.Overrides) }
	switch {
	case !known(c.Value) || !c.Value.IsOverride():
		v.report(f.Span, "a check of @"+f.Name+" is no override")
	case c.Message != "" && m.TypeOf(c.Value) != Bool:
		v.report(f.Span, "a condition of @"+f.Name+" is no bool")
	case strings.Count(c.Message, "{}") != len(c.Shown):
		v.report(f.Span, "the message of a condition of @"+f.Name+" has not as many {} as it shows values")
	}
	for _, x := range c.Shown {
		if !known(x) || m.TypeOf(x) != I32 && m.TypeOf(x) != U32 {
			v.report(f.Span, "a condition of @"+f.Name+" shows a value that is not an override-expression of type i32 or u32")
		}
	}
}

func (v *verifier) kernel(f *Func) {
	params := f.Params(f.Entry)
	if len(params) != len(f.Builtins) {
		v.report(f.Span, "a parameter of kernel @"+f.Name+" is no builtin")
		return
	}
	for n, p := range params {
		if f.Builtins[n] == NoBuiltin || f.TypeOf(p) != v.m.BuiltinType(f.Builtins[n]) {
			v.report(f.Span, "parameter "+f.ValueName(p)+" of kernel @"+f.Name+" is no builtin of its type")
		}
	}
	for _, w := range f.Workgroup {
		if _, ok := v.m.ConstUint(w); !ok && !w.IsOverride() {
			v.report(f.Span, "the workgroup size of kernel @"+f.Name+" is no constant and no override")
		}
	}
	if s := f.SubgroupSize; s != 0 && !s.IsOverride() {
		if n, ok := v.m.ConstUint(s); !ok || n == 0 || n&(n-1) != 0 {
			v.report(f.Span, "the subgroup size of kernel @"+f.Name+" is no power of two and no override")
		}
	}
	for _, g := range f.Interface {
		if !g.IsGlobal() || int(g.Index()) >= len(v.m.Globals) {
			v.report(f.Span, "the interface of kernel @"+f.Name+" names what is no variable")
		} else if g := v.m.Global(g); !g.Bound && v.m.SpaceOf(g.Type) != Immediate {
			v.report(g.Span, "the variable @"+g.Name+" is no resource and cannot be part of the interface of kernel @"+f.Name)
		}
	}
	v.within()
	if f.ResultType != Void {
		v.report(f.Span, "kernel @"+f.Name+" has a result")
	}
}

func (v *verifier) define(value Value) {
	v.visible[value] = true
	v.defined = append(v.defined, value)
}

// leave hides what was defined since the mark.
func (v *verifier) leave(mark int) {
	for _, value := range v.defined[mark:] {
		v.visible[value] = false
	}
	v.defined = v.defined[:mark]
}

func (v *verifier) block(b Block) {
	f := v.f
	mark := len(v.defined)
	for _, p := range f.Params(b) {
		v.define(p)
	}
	last := f.Last(b)
	if last == 0 {
		v.report(f.Span, "a block of @"+f.Name+" is empty")
	}
	for i := f.First(b); i != 0; i = f.Next(i) {
		if f.BlockOf(i) != b {
			v.fail(i, "the instruction is linked into a block that is not its own")
		}
		if isLast := i == last; f.Op(i).Is(op.Terminator) != isLast {
			if isLast {
				v.fail(i, "the block does not end with a terminator")
			} else {
				v.fail(i, "a terminator comes before the block's end")
			}
		}
		v.instruction(i)
	}
	v.leave(mark)
}

func (v *verifier) instruction(i Inst) {
	f := v.f
	o := f.Op(i)
	if !f.had.Has(o) {
		v.fail(i, "the function does not say that it has such operations")
	}
	for n, a := range f.Args(i) {
		switch {
		case a == 0:
			v.fail(i, "operand %d is missing", n+1)
			return
		case a.IsLocal() && (int(a) >= len(v.visible) || !v.visible[a]):
			v.fail(i, "operand %d is not visible here", n+1)
			return
		case a.IsConst() && int(a.Index()) >= len(v.m.consts), a.IsGlobal() && int(a.Index()) >= len(v.m.Globals),
			a.IsOverride() && int(a.Index()) >= len(v.m.Overrides):
			v.fail(i, "operand %d does not exist", n+1)
			return
		}
	}
	if !o.Is(op.Control) {
		if message := v.types(i); message != "" {
			v.fail(i, "%s", message)
		}
		if r := f.Result(i); r != 0 {
			v.define(r)
		}
		return
	}
	if !v.hasBlocks(i) { // its text would need them
		v.report(f.SpanOf(i), "the "+o.String()+" in @"+f.Name+" has a wrong number of blocks")
		return
	}
	if message := v.controlTypes(i); message != "" {
		v.fail(i, "%s", message)
	}
	mark := len(v.defined)
	for n, b := range f.Blocks(i) {
		v.enclosing = append(v.enclosing, enclosure{i, n})
		if f.Parent(Block(b)) != i {
			v.fail(i, "a block belongs to another instruction")
		}
		if n > 0 && f.blocks[f.Region(i, n-1)].sibling != Block(b) {
			v.fail(i, "a walk does not find the blocks in order")
		}
		if o == op.Loop && n == 0 { // the continuing block sees these too
			for _, p := range f.Params(Block(b)) {
				v.define(p)
			}
		}
		v.block(Block(b))
		if o == op.Loop && n == 0 {
			for _, p := range f.Params(Block(b)) {
				v.define(p)
			}
		}
		v.enclosing = v.enclosing[:len(v.enclosing)-1]
	}
	v.leave(mark)
	for _, r := range f.Results(i) {
		v.define(r)
	}
}

// hasBlocks reports whether a control instruction has the blocks of its operation, and
// a switch those that its cases name.
func (v *verifier) hasBlocks(i Inst) bool {
	blocks := uint32(len(v.f.Blocks(i)))
	switch v.f.Op(i) {
	case op.If, op.Loop:
		return blocks == 2
	case op.Scope:
		return blocks == 1
	}
	for _, target := range v.f.CaseTargets(i) {
		if target >= blocks {
			return false
		}
	}
	return uint32(v.f.DefaultCase(i)) < blocks
}

// target returns which block of a terminator's target encloses it, or -1 if the
// target does not enclose it or lies beyond a continuing block.
func (v *verifier) target(i Inst) int {
	for n := len(v.enclosing) - 1; n >= 0; n-- {
		e := v.enclosing[n]
		if e.inst == v.f.Target(i) {
			return e.index
		}
		if v.f.Op(e.inst) == op.Loop && e.index == 1 {
			return -1
		}
	}
	return -1
}

// recursion reports functions that call themselves, directly or through others.
func (v *verifier) recursion() {
	state := make([]callState, len(v.m.Funcs))
	for n := range v.m.Funcs {
		if state[n] == notVisited {
			v.visit(n, state)
		}
	}
}

// callState is how far the search for recursion has come with a function.
type callState uint8

const (
	notVisited callState = iota
	active               // on the path of calls that leads here
	done
)

func (v *verifier) visit(n int, state []callState) {
	f := v.m.Funcs[n]
	state[n] = active
	v.callees(f, state)
	state[n] = done
}

var calls = op.SetOf(op.Call)

func (v *verifier) callees(f *Func, state []callState) {
	if !f.Had(&calls) {
		return
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if callee := int(f.Aux(i)); f.Op(i) == op.Call && callee < len(state) {
			switch state[callee] {
			case active:
				v.report(f.SpanOf(i), "function @"+v.m.Funcs[callee].Name+" calls itself")
			case notVisited:
				v.visit(callee, state)
			}
		}
	}
}
