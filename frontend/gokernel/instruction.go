package gokernel

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// operand returns the operand of a value at the builder's position.
func (f *frame) operand(v ssa.Value) operand {
	t := f.t
	switch v := v.(type) {
	case *ssa.Const:
		return f.constant(v)
	case *ssa.Parameter:
		for n, p := range f.Params {
			if p == v {
				return f.arguments[n]
			}
		}
	case *ssa.FreeVar:
		for n, captured := range f.FreeVars {
			if captured == v {
				return f.captured[n]
			}
		}
	case *ssa.Function:
		return operand{kind: aFunction}
	case *ssa.Global:
		if array, ok := t.table(v); ok {
			return operand{kind: aTable, value: array}
		}
		f.refuse(diag.GoSubset, token.NoPos, "", "%s is a variable of the package, which a kernel cannot see change", v.Name())
		return operand{}
	}
	n, ok := f.number[v]
	if !ok {
		f.refuse(diag.GoSubset, v.Pos(), "", "this is %s that kernels do not have", described(v))
		return operand{}
	}
	if f.liveOut[n] && f.block[n] != f.at {
		return f.load(&f.slots[n])
	}
	return f.operands[n]
}

// value returns a value, or zero if an error about it was reported.
func (f *frame) value(v ssa.Value) ir.Value {
	if o := f.operand(v); o.kind == aValue {
		return o.value
	}
	if unsupported(v.Type()) != nil || hasReference(v.Type()) != nil {
		return f.t.m.ConstU32(0)
	}
	return f.t.zero(v.Type())
}

// described describes a value, for messages.
func described(v ssa.Value) string {
	if phi, ok := v.(*ssa.Phi); ok && phi.Comment != "" {
		return phi.Comment
	}
	switch v.Type().Underlying().(type) {
	case *types.Slice:
		return "a slice"
	case *types.Pointer:
		return "a pointer"
	}
	return "a value of type " + v.Type().String()
}

func made(v ir.Value) operand { return operand{kind: aValue, value: v} }

func (f *frame) constant(c *ssa.Const) operand {
	if isNil(c) {
		f.refuse(diag.GoSubset, token.NoPos, "assign something to it before", "this pointer names nothing where it is used")
		return operand{}
	}
	if o := f.t.zeroSlices(c.Type()); c.Value == nil && o.hasNil() {
		return o
	}
	if bad := unsupported(c.Type()); bad != nil || hasReference(c.Type()) != nil {
		f.refuse(diag.GoSubset, token.NoPos, "", "kernels have no %s", c)
		return operand{}
	}
	v, ok := f.t.constant(c.Type(), c.Value)
	if !ok {
		f.refuse(diag.GoSubset, token.NoPos, "int has 32 bits on devices", "%s does not fit into %s of a device", c.Value, c.Type())
	}
	return made(v)
}

// effect translates an instruction without a result.
func (f *frame) effect(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Store:
		if isPacked(i.Val.Type()) {
			return // an argument of a message, which print finds
		}
		to := f.operand(i.Addr)
		switch {
		case isCopy(i):
		case !f.isSpill(i):
			f.store(i, to, f.operand(i.Val))
		case !to.base.IsGlobal():
			f.t.b.Store(to.base, f.value(i.Val))
		}
	case *ssa.Jump, *ssa.If, *ssa.Return, *ssa.Panic, *ssa.DebugRef:
	default:
		f.refuse(diag.GoSubset, i.Pos(), "", "kernels have no such statement")
	}
}

// instruction translates an instruction and returns its result.
func (f *frame) instruction(v ssa.Value) operand {
	t := f.t
	b := &t.b
	if isPacked(v.Type()) {
		return operand{}
	}
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return operand{kind: aFunction}
	case *ssa.Phi:
		if outer, _ := loopVariable(v); outer != nil {
			return f.operands[f.number[outer]]
		}
		return f.load(&f.phis[f.number[v]])
	case *ssa.Alloc:
		if outer := copied(v); outer != nil {
			return f.operands[f.number[outer]]
		}
		return f.variable(v)
	case *ssa.UnOp:
		return f.unary(v)
	case *ssa.BinOp:
		return f.binary(v)
	case *ssa.Call:
		return f.callOf(v)
	case *ssa.ChangeType:
		o := f.operand(v.X)
		if o.kind == aValue {
			o.value = f.converted(v.Type(), v.X)
		}
		return o
	case *ssa.Convert:
		return f.convert(v)
	case *ssa.Extract:
		if o := f.operand(v.Tuple); o.kind == aTuple {
			return o.parts[v.Index]
		}
		return operand{}
	case *ssa.Field:
		if o := f.operand(v.X); o.kind == aTuple {
			return o.parts[v.Field]
		}
		if isSizeless(v.Type()) {
			return made(t.zero(v.Type()))
		}
		return made(b.Extract(f.value(v.X), uint32(memberOf(v.X.Type().Underlying().(*types.Struct), v.Field))))
	case *ssa.FieldAddr:
		o := f.operand(v.X)
		if o.kind == aPointerToRecord {
			return o.record.parts[v.Field]
		}
		if isSizeless(pointee(v)) {
			return f.zeroSizedVariable(pointee(v))
		}
		return f.along(o, o.to(t.field(v)))
	case *ssa.Index:
		if isSizeless(v.X.Type()) {
			return made(t.zero(v.Type()))
		}
		return made(b.Emit(op.Extract, t.of(v.Type()), 0, f.value(v.X), f.index(v.Index)))
	case *ssa.IndexAddr:
		o := f.operand(v.X)
		if o.kind != unknown && (isSizeless(pointee(v.X)) || isSizeless(pointee(v))) {
			return f.zeroSizedVariable(pointee(v))
		}
		if o.kind == aSlice {
			return f.along(o, f.element(&o, f.index(v.Index)))
		}
		return f.along(o, o.to(step{index: f.index(v.Index)}))
	case *ssa.Slice:
		return f.slice(v)
	}
	f.refuse(diag.GoSubset, v.Pos(), "", "this is %s that kernels do not have", described(v))
	return operand{}
}

// along returns a pointer to a part of what another one points to.
func (f *frame) along(from operand, to reference) operand {
	switch {
	case from.kind == unknown:
		return operand{}
	case from.value != ir.NoValue:
		return operand{kind: aTable, value: from.value, reference: to}
	}
	return operand{kind: aPointer, reference: to}
}

func (f *frame) unary(v *ssa.UnOp) operand {
	b := &f.t.b
	switch v.Op {
	case token.MUL:
		if isMeasured(v) {
			return operand{}
		}
		return f.loadFrom(f.operand(v.X))
	case token.SUB:
		x, k := f.t.widened(f.value(v.X))
		if wide := b.F.TypeOf(x); wide == ir.U32 || wide == ir.U64 {
			return made(b.Convert(k, b.Op(op.Sub, f.t.m.Zero(wide), x)))
		}
		return made(b.Convert(k, b.Op(op.Neg, x)))
	case token.NOT, token.XOR:
		x, k := f.t.widened(f.value(v.X))
		return made(b.Convert(k, b.Op(op.Not, x)))
	}
	return operand{}
}

// widened returns a value in the type of its arithmetic, and the scalar kind to convert results to.
// Values of 8 or 16 bits are widened to a word.
func (t *translator) widened(x ir.Value) (ir.Value, scalar.Kind) {
	k := t.m.ScalarOf(t.b.F.TypeOf(x))
	switch {
	case !k.IsNarrow():
		return x, k
	case k.IsSigned():
		return t.b.Convert(scalar.I32, x), k
	}
	return t.b.Convert(scalar.U32, x), k
}

// clamped returns the minimum of an integer and a limit, as a u32. A negative one gives the limit.
func (t *translator) clamped(x ir.Value, limit uint32) ir.Value {
	b := &t.b
	x, _ = t.widened(x)
	if k := t.m.ScalarOf(b.F.TypeOf(x)); k.Bits() == 64 {
		return b.Convert(scalar.U32, b.Op(op.Min, b.Convert(scalar.U64, x), t.m.ConstScalar(ir.U64, uint64(limit))))
	}
	return b.Op(op.Min, b.Convert(scalar.U32, x), t.m.ConstU32(limit))
}

// index returns an index in 32 bits. A larger one of 64 bits becomes one that is always out of
// bounds.
func (f *frame) index(v ssa.Value) ir.Value {
	x, _ := f.t.widened(f.value(v))
	if f.t.m.ScalarOf(f.t.b.F.TypeOf(x)).Bits() == 64 {
		return f.t.folded(func() ir.Value { return f.t.clamped(x, math.MaxUint32) })
	}
	return x
}

// folded calls make with constant folding enabled.
func (t *translator) folded(make func() ir.Value) ir.Value {
	folds := t.b.Folds
	t.b.Folds = true
	defer func() { t.b.Folds = folds }()
	return make()
}

// isMeasured reports whether an array is loaded only for its length, which its type determines.
// Where the type of *p in len(*p) is a type argument, SSA loads the array.
func isMeasured(v *ssa.UnOp) bool {
	if _, array := v.Type().Underlying().(*types.Array); !array {
		return false
	}
	for _, use := range *v.Referrers() {
		call, ok := use.(*ssa.Call)
		if !ok {
			return false
		}
		if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" && b.Name() != "cap" {
			return false
		}
	}
	return true
}

// operations are the IR's operations of binary operators.
var operations = [...]op.Op{
	token.ADD: op.Add, token.SUB: op.Sub, token.MUL: op.Mul, token.QUO: op.Div, token.REM: op.Rem,
	token.AND: op.And, token.OR: op.Or, token.XOR: op.Xor,
	token.LSS: op.Lt, token.LEQ: op.Le, token.GTR: op.Gt, token.GEQ: op.Ge,
}

func (f *frame) binary(v *ssa.BinOp) operand {
	b := &f.t.b
	if isSlice(v.X.Type()) { // one of them is nil
		o := f.operand(v.X)
		if _, ok := v.X.(*ssa.Const); ok {
			o = f.operand(v.Y)
		}
		if v.Op == token.NEQ {
			return made(b.Op(op.Not, f.isNilSlice(&o)))
		}
		return made(f.isNilSlice(&o))
	}
	x, y := f.value(v.X), f.value(v.Y)
	if isSizeless(v.X.Type()) {
		return made(f.t.m.ConstBool(v.Op == token.EQL))
	}
	switch v.Op {
	case token.EQL:
		return made(f.t.equal(x, y))
	case token.NEQ:
		return made(b.Op(op.Not, f.t.equal(x, y)))
	}
	x, k := f.t.widened(x)
	var result ir.Value
	switch v.Op {
	case token.SHL, token.SHR:
		result = f.shift(v.Op, x, y)
	case token.AND_NOT:
		y, _ = f.t.widened(y)
		result = b.Op(op.And, x, b.Op(op.Not, y))
	default:
		y, _ = f.t.widened(y)
		result = b.Op(operations[v.Op], x, y)
	}
	if k.IsNarrow() && b.F.TypeOf(result) != ir.Bool {
		result = b.Convert(k, result)
	}
	return made(result)
}

// shift emits a shift with Go's semantics, whose count may exceed the width. The IR takes counts
// modulo the width.
func (f *frame) shift(o token.Token, x, count ir.Value) ir.Value {
	return f.t.folded(func() ir.Value { return f.t.shift(o, x, count) })
}

func (t *translator) shift(o token.Token, x, count ir.Value) ir.Value {
	b, m := &t.b, t.m
	k := m.ScalarOf(b.F.TypeOf(x))
	width := uint32(k.Bits())
	if o == token.SHR && k.IsSigned() {
		return b.Op(op.Shr, x, t.clamped(count, width-1))
	}
	if n := m.ScalarOf(b.F.TypeOf(count)); n.Bits() == 64 {
		count = t.clamped(count, width)
	} else {
		count, _ = t.widened(count)
		count = b.Convert(scalar.U32, count)
	}
	operation := op.Shl
	if o == token.SHR {
		operation = op.Shr
	}
	made := b.Op(operation, x, count)
	if n, ok := m.ConstUint(count); ok && n < uint64(width) {
		return made
	}
	return b.Op(op.Select, b.Op(op.Lt, count, m.ConstU32(width)), made, m.Zero(b.F.TypeOf(x)))
}

// converted converts a value to a type with the same structure.
func (f *frame) converted(to types.Type, v ssa.Value) ir.Value {
	x := f.value(v)
	if made := f.t.of(to); f.t.b.F.TypeOf(x) != made {
		return f.reassembled(made, x)
	}
	return x
}

// reassembled rebuilds a composite value in another type with the same parts.
func (f *frame) reassembled(to ir.Type, x ir.Value) ir.Value {
	b, m := &f.t.b, f.t.m
	if b.F.TypeOf(x) == to {
		return x
	}
	members := m.Members(to)
	parts := make([]ir.Value, len(members))
	for n := range parts {
		parts[n] = f.reassembled(members[n].Type, b.Extract(x, uint32(n)))
	}
	return b.Construct(to, parts...)
}

func (f *frame) convert(v *ssa.Convert) operand {
	b := &f.t.b
	from, _ := v.X.Type().Underlying().(*types.Basic)
	to, _ := v.Type().Underlying().(*types.Basic)
	switch {
	case from == nil || to == nil:
	case to.Kind() == types.Float64 && from.Kind() == types.Float32 && isForFloat32(v):
		return f.operand(v.X) // its user computes in f32
	default:
		x, _ := f.t.widened(f.value(v.X))
		k := f.t.m.ScalarOf(f.t.of(v.Type()))
		if k.IsNarrow() && f.t.m.ScalarOf(b.F.TypeOf(x)).IsFloat() {
			x = b.Convert(scalar.I32, x)
		}
		return made(b.Convert(k, x))
	}
	f.refuse(diag.GoSubset, v.Pos(), "", "kernels do not convert to %s", v.Type())
	return operand{}
}

// callOf translates a call.
func (f *frame) callOf(v *ssa.Call) operand {
	common := v.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return f.builtinCall(b, v)
	}
	callee := common.StaticCallee()
	if callee == nil {
		f.refuse(diag.GoSubset, v.Pos(), "call a function by its name", "the callee is a function value, which kernels do not have")
		return operand{}
	}
	if object, ok := callee.Object().(*types.Func); ok {
		if format, ok := messageCall(object); ok {
			return f.print(v, format)
		}
	}
	arguments := make([]operand, len(common.Args))
	for n, a := range common.Args {
		arguments[n] = f.operand(a)
	}
	if object, ok := callee.Object().(*types.Func); ok {
		if row := intrinsicOf(object); row != nil {
			for _, a := range arguments {
				if a.kind == unknown {
					return operand{}
				}
			}
			return row(f, arguments, v)
		}
	}
	return f.call(v, callee, arguments)
}

func (f *frame) builtinCall(callee *ssa.Builtin, v *ssa.Call) operand {
	t := f.t
	b := &t.b
	args := v.Common().Args
	switch callee.Name() {
	case "len", "cap":
		switch u := args[0].Type().Underlying().(type) {
		case *types.Array:
			return made(t.m.ConstI32(int32(u.Len())))
		case *types.Pointer:
			return made(t.m.ConstI32(int32(u.Elem().Underlying().(*types.Array).Len())))
		}
		o := f.operand(args[0])
		switch {
		case o.kind != aSlice:
			return operand{}
		case callee.Name() == "cap":
			return made(f.capacity(&o))
		}
		return made(f.length(&o))
	case "min", "max":
		operation := op.Min
		if callee.Name() == "max" {
			operation = op.Max
		}
		x, k := t.widened(f.value(args[0]))
		for _, y := range args[1:] {
			other, _ := t.widened(f.value(y))
			x = b.Op(operation, x, other)
		}
		return made(b.Convert(k, x))
	case "ssa:wrapnilchk":
		return f.operand(args[0])
	}
	f.refuse(diag.GoSubset, v.Pos(), builtinHints()[callee.Name()], "kernels do not call %s", callee.Name())
	return operand{}
}

// literal returns the value of a composite literal with constant elements.
func (t *translator) literal(x ast.Expr, info *types.Info) (ir.Value, bool) {
	x = ast.Unparen(x)
	typed := info.Types[x]
	if typed.Value != nil {
		return t.constant(typed.Type, typed.Value)
	}
	literal, ok := x.(*ast.CompositeLit)
	if !ok || unsupported(typed.Type) != nil {
		return ir.NoValue, false
	}
	if isSizeless(typed.Type) || len(literal.Elts) == 0 {
		return t.zero(typed.Type), true
	}
	var parts []ir.Value
	next := int64(0)
	put := func(n int64, e ast.Expr) (ok bool) {
		parts[n], ok = t.literal(e, info)
		return ok
	}
	switch u := typed.Type.Underlying().(type) {
	case *types.Array:
		for range u.Len() {
			parts = append(parts, t.zero(u.Elem()))
		}
		for _, e := range literal.Elts {
			if pair, keyed := e.(*ast.KeyValueExpr); keyed {
				next, _ = constant.Int64Val(constant.ToInt(info.Types[pair.Key].Value))
				e = pair.Value
			}
			if !put(next, e) {
				return ir.NoValue, false
			}
			next++
		}
	case *types.Struct:
		for field := range u.Fields() {
			if !isSizeless(field.Type()) {
				parts = append(parts, t.zero(field.Type()))
			}
		}
		for n, e := range literal.Elts {
			at := int64(n)
			if pair, keyed := e.(*ast.KeyValueExpr); keyed {
				for k := range u.NumFields() {
					if u.Field(k) == info.Uses[pair.Key.(*ast.Ident)] {
						at = int64(k)
					}
				}
				e = pair.Value
			}
			if !isSizeless(u.Field(int(at)).Type()) && !put(int64(memberOf(u, int(at))), e) {
				return ir.NoValue, false
			}
		}
	default:
		return ir.NoValue, false
	}
	return t.m.ConstComposite(t.of(typed.Type), parts), true
}
