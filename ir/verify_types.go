package ir

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file checks the types of operands and results: those of regular
// signatures from the op table, the others by a function each.

// special holds the rules of operations whose signature is a word.
var special = [op.Count]func(v *verifier, i Inst) string{
	op.Invalid:               func(*verifier, Inst) string { return "the instruction was removed" },
	op.Select:                selectTypes,
	op.Convert:               convertTypes,
	op.Bitcast:               bitcastTypes,
	op.Splat:                 splatTypes,
	op.Construct:             constructTypes,
	op.Extract:               extractTypes,
	op.Insert:                insertTypes,
	op.Shuffle:               shuffleTypes,
	op.Var:                   varTypes,
	op.Access:                accessTypes,
	op.View:                  viewTypes,
	op.Address:               addressTypes,
	op.Load:                  loadTypes,
	op.Store:                 storeTypes,
	op.Copy:                  copyTypes,
	op.ArrayLength:           arrayLengthTypes,
	op.AtomicLoad:            atomicTypes(1, true),
	op.AtomicStore:           atomicTypes(2, false),
	op.AtomicReadModifyWrite: atomicTypes(2, true),
	op.AtomicCompareExchange: atomicTypes(3, true),
	op.TextureSize:           textureTypes,
	op.TextureLayers:         textureTypes,
	op.TextureLevels:         textureTypes,
	op.TextureSamples:        textureTypes,
	op.TextureLoad:           textureTypes,
	op.TextureRead:           textureTypes,
	op.TextureStore:          textureTypes,
	op.TextureSample:         textureTypes,
	op.TextureSampleGradient: textureTypes,
	op.TextureSampleCompare:  textureTypes,
	op.TextureGather:         textureTypes,
	op.TextureGatherCompare:  textureTypes,
	op.TileLoad:              tileLoadTypes,
	op.TileLoadWindows:       tileLoadWindowsTypes,
	op.TileStore:             tileStoreTypes,
	op.TileSplat:             tileSplatTypes,
	op.TileMulAdd:            tileMulAddTypes,
	op.TileConvert:           tileConvertTypes,
	op.TileReduce:            tileReduceTypes,
	op.TileBroadcast:         tileBroadcastTypes,
	op.TileTranspose:         tileTransposeTypes,
	op.TileCount:             tileCountTypes,
	op.TileRow:               tilePositionTypes,
	op.TileColumn:            tilePositionTypes,
	op.TileGet:               tileGetTypes,
	op.TileSet:               tileSetTypes,
	op.Intrinsic:             intrinsicTypes,
	op.FragmentLoad:          fragmentLoadTypes,
	op.FragmentStore:         fragmentStoreTypes,
	op.FragmentSplat:         fragmentSplatTypes,
	op.FragmentMulAdd:        fragmentMulAddTypes,
	op.FragmentAdd:           fragmentElementTypes,
	op.FragmentSub:           fragmentElementTypes,
	op.FragmentMul:           fragmentElementTypes,
	op.FragmentCount:         fragmentCountTypes,
	op.FragmentRow:           fragmentPositionTypes,
	op.FragmentColumn:        fragmentPositionTypes,
	op.FragmentGet:           fragmentGetTypes,
	op.FragmentSet:           fragmentSetTypes,
	op.ControlBarrier:        func(v *verifier, i Inst) string { return v.operands(i, 0) },
	op.Print:                 printTypes,
	op.Call:                  callTypes,
	op.Exit:                  exitTypes,
	op.Continue:              continueTypes,
	op.Next:                  nextTypes,
	op.Return:                returnTypes,
	op.Unreachable:           func(v *verifier, i Inst) string { return v.operands(i, 0) },
}

// types returns what is wrong with an instruction's types, or "".
func (v *verifier) types(i Inst) string {
	o := v.f.Op(i)
	if align := v.f.Aux(i); o.Info().Attribute == op.Alignment && align&(align-1) != 0 {
		return fmt.Sprintf("the alignment %d is not a power of two", align)
	}
	if rule := special[o]; rule != nil {
		if (o.Is(op.Terminator) || o == op.ControlBarrier) && v.f.Result(i) != 0 {
			return "the operation has no result"
		}
		return rule(v, i)
	}
	s := op.SignatureOf(o)
	if message := v.operands(i, s.Count); message != "" {
		return message
	}
	t := Void
	for n, a := range v.f.Args(i) {
		p, got := s.Operands[n], v.f.TypeOf(a)
		if p == (op.Pattern{}) && t == Void {
			t = got
			components := v.m.Components(t)
			k := v.m.ScalarOf(t)
			if components == 0 || !s.Class.Contains(k) || k.IsAbstract() ||
				components == 1 && !s.Scalar || components > 1 && !s.Vector {
				return fmt.Sprintf("operand %d is %s, which does not fit `%s`", n+1, v.m.TypeString(got), o.Info().Signature)
			}
			continue
		}
		if want := v.m.PatternType(p, t); got != want {
			return fmt.Sprintf("operand %d is %s, want %s", n+1, v.m.TypeString(got), v.m.TypeString(want))
		}
	}
	return v.result(i, v.m.PatternType(s.Result, t))
}

func (v *verifier) typeOf(i Inst, n int) Type { return v.f.TypeOf(v.f.Arg(i, n)) }

func (v *verifier) operands(i Inst, want int) string {
	if got := len(v.f.Args(i)); got != want {
		return fmt.Sprintf("%d operands, want %d", got, want)
	}
	return ""
}

func (v *verifier) result(i Inst, want Type) string {
	got := v.f.Type(i)
	if got != want {
		return fmt.Sprintf("the result is %s, want %s", v.m.TypeString(got), v.m.TypeString(want))
	}
	if (got != Void) != (v.f.Result(i) != 0) {
		return "the instruction has a type and no result"
	}
	return ""
}

func selectTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 3); message != "" {
		return message
	}
	t := v.typeOf(i, 1)
	condition := v.typeOf(i, 0)
	if condition != Bool && (condition != v.m.PatternType(op.Pattern{Kind: scalar.Bool}, t) || !v.m.IsVector(t)) {
		return "the condition is no bool, nor a vector of the operands' size"
	}
	if v.typeOf(i, 2) != t {
		return "the operands have different types"
	}
	return v.result(i, t)
}

func convertTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	from, to := v.m.Components(v.typeOf(i, 0)), v.m.Components(v.f.Type(i))
	if from == 0 || from != to {
		return "a conversion keeps the number of components"
	}
	if eval.Convert(v.m.ScalarOf(v.f.Type(i)), v.m.ScalarOf(v.typeOf(i, 0))) == nil {
		return "there is no conversion from " + v.m.TypeString(v.typeOf(i, 0)) + " to " + v.m.TypeString(v.f.Type(i)) + " in one step"
	}
	return v.result(i, v.f.Type(i))
}

func bitcastTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	from, to := v.typeOf(i, 0), v.f.Type(i)
	if v.m.Components(from) == 0 || v.m.Components(to) == 0 || v.m.Size(from) != v.m.Size(to) {
		return "a bitcast joins scalar or vector types of equal size"
	}
	if v.m.ScalarOf(from).IsNarrow() != v.m.ScalarOf(to).IsNarrow() {
		return "narrow integers are converted before they become parts of others"
	}
	return v.result(i, to)
}

func splatTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	if t := v.f.Type(i); !v.m.IsVector(t) || v.m.Element(t) != v.typeOf(i, 0) {
		return "the result is no vector of the operand's type"
	}
	return v.result(i, v.f.Type(i))
}

func constructTypes(v *verifier, i Inst) string {
	t := v.f.Type(i)
	n, ok := v.m.Count(t)
	if !ok {
		return "the result type has no constant number of parts"
	}
	if message := v.operands(i, int(n)); message != "" {
		return message
	}
	for k := range int(n) {
		if want := v.m.PartType(t, uint32(k)); v.typeOf(i, k) != want {
			return fmt.Sprintf("operand %d is %s, want %s", k+1, v.m.TypeString(v.typeOf(i, k)), v.m.TypeString(want))
		}
	}
	return v.result(i, t)
}

// part returns the type of the part that an index operand selects.
func (v *verifier) part(t Type, index Value) (Type, string) {
	m := v.m
	if k := m.ScalarOf(v.f.TypeOf(index)); !m.IsScalar(v.f.TypeOf(index)) || !k.IsInteger() {
		return Void, "the index is no integer"
	}
	if m.KindOf(t) == PointerType || m.KindOf(t) == AtomicType || m.PartType(t, 0) == Void {
		return Void, "a value of type " + m.TypeString(t) + " has no parts"
	}
	x, constant := m.ConstUint(index)
	if m.KindOf(t) == StructType && !constant {
		return Void, "the member index is not constant"
	}
	if n, ok := m.Count(t); ok && m.KindOf(t) == StructType && x >= uint64(n) {
		return Void, fmt.Sprintf("index %d is outside of %s", x, m.TypeString(t))
	}
	return m.PartType(t, uint32(x)), ""
}

func extractTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 2); message != "" {
		return message
	}
	t, message := v.part(v.typeOf(i, 0), v.f.Arg(i, 1))
	if message != "" {
		return message
	}
	return v.result(i, t)
}

func insertTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 3); message != "" {
		return message
	}
	t, message := v.part(v.typeOf(i, 0), v.f.Arg(i, 2))
	if message != "" {
		return message
	}
	if v.typeOf(i, 1) != t {
		return "the inserted value is " + v.m.TypeString(v.typeOf(i, 1)) + ", want " + v.m.TypeString(t)
	}
	return v.result(i, v.typeOf(i, 0))
}

func shuffleTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	from, to := v.typeOf(i, 0), v.f.Type(i)
	if !v.m.IsVector(from) || !v.m.IsVector(to) || v.m.Element(from) != v.m.Element(to) {
		return "a shuffle makes a vector from one of the same scalar type"
	}
	for n := range v.m.Components(to) {
		if int(op.SwizzleComponent(v.f.Aux(i), n)) >= v.m.Components(from) {
			return "a component lies outside of the operand"
		}
	}
	return v.result(i, to)
}

func varTypes(v *verifier, i Inst) string {
	t := v.f.Type(i)
	if !v.m.IsPointer(t) || v.m.SpaceOf(t) != Function {
		return "a variable's type is a pointer to function memory"
	}
	if v.f.BlockOf(i) != v.f.Entry {
		return "a variable is declared outside of the entry block"
	}
	if message := v.operands(i, 0); message != "" {
		return message
	}
	return v.result(i, t)
}

func (v *verifier) pointer(i Inst, n int) (pointee Type, space Space, message string) {
	if n >= len(v.f.Args(i)) {
		return Void, 0, fmt.Sprintf("operand %d is missing", n+1)
	}
	t := v.typeOf(i, n)
	if !v.m.IsPointer(t) {
		return Void, 0, fmt.Sprintf("operand %d is %s, want a pointer", n+1, v.m.TypeString(t))
	}
	return v.m.Element(t), v.m.SpaceOf(t), ""
}

func accessTypes(v *verifier, i Inst) string {
	t, _, message := v.pointer(i, 0)
	if message != "" {
		return message
	}
	if len(v.f.Args(i)) < 2 {
		return "an access needs an index"
	}
	for _, index := range v.f.Args(i)[1:] {
		if t, message = v.part(t, index); message != "" {
			return message
		}
	}
	base := v.typeOf(i, 0)
	return v.result(i, v.m.PointerTo(v.m.SpaceOf(base), t, v.m.AccessOf(base)))
}

func viewTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 3); message != "" {
		return message
	}
	t, space, message := v.pointer(i, 0)
	if message != "" {
		return message
	}
	if !v.m.IsBuffer(t) {
		return "the operand points to no buffer"
	}
	if v.typeOf(i, 1) != U32 || v.typeOf(i, 2) != U32 {
		return "offset and size are u32"
	}
	r := v.f.Type(i)
	if !v.m.IsPointer(r) || v.m.SpaceOf(r) != space || v.m.AccessOf(r) != v.m.AccessOf(v.typeOf(i, 0)) {
		return "the result is no pointer like the operand"
	}
	return v.result(i, r)
}

func addressTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 2); message != "" {
		return message
	}
	_, space, message := v.pointer(i, 0)
	if message != "" {
		return message
	}
	if t := v.typeOf(i, 1); t != U32 && t != I64 && t != U64 {
		return "the offset is no u32, i64 or u64"
	}
	if t := v.f.Type(i); !v.m.IsPointer(t) || v.m.SpaceOf(t) != space {
		return "the result is no pointer into the operand's address space"
	}
	if !v.f.Arg(i, 1).IsConst() && v.f.Flags(i)&InBounds == 0 {
		// passes keep accesses within their variable, and nothing addresses
		return "an address that is computed has to promise [inbounds]"
	}
	return v.result(i, v.f.Type(i))
}

func loadTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	t, space, message := v.pointer(i, 0)
	if message != "" {
		return message
	}
	if space != Handle && !v.storable(t) {
		return v.m.TypeString(t) + " cannot be loaded"
	}
	if v.m.AccessOf(v.typeOf(i, 0)) == Write {
		return "the memory is write-only"
	}
	return v.result(i, t)
}

func storeTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 2); message != "" {
		return message
	}
	t, space, message := v.pointer(i, 0)
	switch {
	case message != "":
		return message
	case v.typeOf(i, 1) != t:
		return "the value is " + v.m.TypeString(v.typeOf(i, 1)) + ", the memory " + v.m.TypeString(t)
	case !v.storable(t):
		return v.m.TypeString(t) + " cannot be stored"
	case space.ReadOnly() || v.m.AccessOf(v.typeOf(i, 0)) == Read:
		return "the memory is read-only"
	}
	return v.result(i, Void)
}

func copyTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 2); message != "" {
		return message
	}
	to, space, message := v.pointer(i, 0)
	if message != "" {
		return message
	}
	from, _, message := v.pointer(i, 1)
	if message != "" {
		return message
	}
	if to != from || !v.storable(to) {
		return "the memories do not hold the same storable type"
	}
	if space.ReadOnly() || v.m.AccessOf(v.typeOf(i, 0)) == Read {
		return "the memory is read-only"
	}
	return v.result(i, Void)
}

func arrayLengthTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	t, _, message := v.pointer(i, 0)
	if message != "" {
		return message
	}
	if !v.m.IsRuntimeArray(t) && !v.m.IsBuffer(t) {
		return "the operand points to no runtime-sized array or buffer"
	}
	return v.result(i, U32)
}

func atomicTypes(operands int, result bool) func(*verifier, Inst) string {
	return func(v *verifier, i Inst) string {
		if message := v.operands(i, operands); message != "" {
			return message
		}
		t, space, message := v.pointer(i, 0)
		if message != "" {
			return message
		}
		if v.m.KindOf(t) != AtomicType || !space.Shared() {
			return "the operand points to no atomic of workgroup or storage memory"
		}
		element := v.m.Element(t)
		for n := 1; n < operands; n++ {
			if v.typeOf(i, n) != element {
				return fmt.Sprintf("operand %d is %s, want %s", n+1, v.m.TypeString(v.typeOf(i, n)), v.m.TypeString(element))
			}
		}
		if v.f.Op(i) == op.AtomicReadModifyWrite && v.f.Aux(i) >= uint32(op.AtomicOperations) {
			return "the atomic operation does not exist"
		}
		if !result {
			element = Void
		}
		return v.result(i, element)
	}
}

func callTypes(v *verifier, i Inst) string {
	if int(v.f.Aux(i)) >= len(v.m.Funcs) {
		return "the called function does not exist"
	}
	callee := v.m.Funcs[v.f.Aux(i)]
	if callee.Kernel {
		return "a kernel cannot be called"
	}
	params := callee.Params(callee.Entry)
	if message := v.operands(i, len(params)); message != "" {
		return message
	}
	for n, p := range params {
		if want := callee.TypeOf(p); v.typeOf(i, n) != want {
			return fmt.Sprintf("operand %d is %s, want %s", n+1, v.m.TypeString(v.typeOf(i, n)), v.m.TypeString(want))
		}
	}
	return v.result(i, callee.ResultType)
}

// carries checks that operands agree with parameters or results.
func (v *verifier) carries(args, targets []Value, what string) string {
	if len(args) != len(targets) {
		return fmt.Sprintf("%d values for %d %s", len(args), len(targets), what)
	}
	for n, a := range args {
		if got, want := v.f.TypeOf(a), v.f.TypeOf(targets[n]); got != want {
			return fmt.Sprintf("value %d is %s, want %s", n+1, v.m.TypeString(got), v.m.TypeString(want))
		}
	}
	return ""
}

func exitTypes(v *verifier, i Inst) string {
	index := v.target(i)
	if index < 0 || v.f.Op(v.f.Target(i)) == op.Loop && index == 1 {
		return "the target does not enclose the instruction, or lies beyond a continuing block"
	}
	return v.carries(v.f.Args(i), v.f.Results(v.f.Target(i)), "results")
}

func continueTypes(v *verifier, i Inst) string {
	if v.target(i) != 0 || v.f.Op(v.f.Target(i)) != op.Loop {
		return "the target is no loop whose body encloses the instruction"
	}
	return v.carries(v.f.Args(i), v.f.Params(v.f.Region(v.f.Target(i), 1)), "parameters of the continuing block")
}

func nextTypes(v *verifier, i Inst) string {
	n := len(v.enclosing)
	if n == 0 || v.enclosing[n-1] != (enclosure{v.f.Target(i), 1}) || v.f.Op(v.f.Target(i)) != op.Loop {
		return "the instruction does not end the continuing block of its loop"
	}
	params, condition, results := v.f.NextArgs(i)
	if message := v.carries(params, v.f.Params(v.f.Region(v.f.Target(i), 0)), "loop parameters"); message != "" {
		return message
	}
	if condition == 0 {
		return ""
	}
	if v.f.TypeOf(condition) != Bool {
		return "the condition is no bool"
	}
	return v.carries(results, v.f.Results(v.f.Target(i)), "results")
}

func returnTypes(v *verifier, i Inst) string {
	for n := range v.enclosing {
		if v.f.Op(v.enclosing[n].inst) == op.Loop && v.enclosing[n].index == 1 {
			return "a return is inside a continuing block"
		}
	}
	if v.f.ResultType == Void {
		return v.operands(i, 0)
	}
	if message := v.operands(i, 1); message != "" {
		return message
	}
	if v.typeOf(i, 0) != v.f.ResultType {
		return "the value is " + v.m.TypeString(v.typeOf(i, 0)) + ", want " + v.m.TypeString(v.f.ResultType)
	}
	return ""
}

// controlTypes returns what is wrong with a control instruction, or "".
func (v *verifier) controlTypes(i Inst) string {
	f, m := v.f, v.m
	for _, r := range f.Results(i) {
		if m.IsPointer(f.TypeOf(r)) {
			return "a result is a pointer"
		}
	}
	switch f.Op(i) {
	case op.If:
		if message := v.operands(i, 1); message != "" {
			return message
		}
		if v.typeOf(i, 0) != Bool {
			return "the condition is no bool"
		}
	case op.Switch:
		if len(f.CaseTargets(i)) != len(f.Args(i))-1 {
			return "the switch has cases without values"
		}
		t := v.typeOf(i, 0)
		if t != I32 && t != U32 {
			return "the selector is no i32 or u32"
		}
		for n, c := range f.Args(i)[1:] {
			if !c.IsConst() || m.TypeOf(c) != t {
				return fmt.Sprintf("case value %d is no constant of the selector's type", n+1)
			}
		}
		v.values = append(v.values[:0], f.Args(i)[1:]...)
		slices.Sort(v.values)
		if len(slices.Compact(v.values)) != len(f.Args(i))-1 {
			return "a case value occurs twice"
		}
	case op.Loop:
		params := f.Params(f.Region(i, 0))
		for _, p := range params {
			if m.IsPointer(f.TypeOf(p)) {
				return "a loop parameter is a pointer"
			}
		}
		return v.carries(f.Args(i), params, "loop parameters")
	}
	return ""
}
