package gokernel

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the functions of package gpu that the items of a subgroup execute together (WGSL
// §17.12, §17.13), and the requirements of their last arguments. Constraints give the types of the
// other arguments, which the Go compiler checks.

// subgroupFunction is such a function.
type subgroupFunction struct {
	name string
	op   op.Op
	// last is the name of the last argument, if it selects a lane, or "". limit is an exclusive
	// bound for constants.
	last  string
	limit int64
	// constant says that it must be a constant, and shared that it must be subgroup-uniform.
	constant, shared bool
}

// maxLanes is the maximum subgroup size (WGSL §13.3.1.1), and inQuad the size of a quad.
const (
	maxLanes = 128
	inQuad   = 4
)

// shuffleHint is the hint where the lane must be uniform but is not.
const shuffleHint = "gpu.SubgroupShuffle takes a lane that each item computes for itself"

// subgroupFunctions has a row for each of the IR's subgroup operations.
var subgroupFunctions = [...]subgroupFunction{
	{name: "SubgroupElect", op: op.SubgroupElect},
	{name: "SubgroupAll", op: op.SubgroupAll},
	{name: "SubgroupAny", op: op.SubgroupAny},
	{name: "SubgroupBallot", op: op.SubgroupBallot},
	{name: "SubgroupBroadcast", op: op.SubgroupBroadcast, last: "lane", limit: maxLanes, constant: true},
	{name: "SubgroupBroadcastFirst", op: op.SubgroupBroadcastFirst},
	{name: "SubgroupShuffle", op: op.SubgroupShuffle, last: "lane", limit: maxLanes},
	{name: "SubgroupShuffleXor", op: op.SubgroupShuffleXor, last: "mask", limit: maxLanes, shared: true},
	{name: "SubgroupShuffleUp", op: op.SubgroupShuffleUp, last: "delta", limit: maxLanes, shared: true},
	{name: "SubgroupShuffleDown", op: op.SubgroupShuffleDown, last: "delta", limit: maxLanes, shared: true},
	{name: "SubgroupAdd", op: op.SubgroupAdd},
	{name: "SubgroupMul", op: op.SubgroupMul},
	{name: "SubgroupMin", op: op.SubgroupMin},
	{name: "SubgroupMax", op: op.SubgroupMax},
	{name: "SubgroupAnd", op: op.SubgroupAnd},
	{name: "SubgroupOr", op: op.SubgroupOr},
	{name: "SubgroupXor", op: op.SubgroupXor},
	{name: "SubgroupInclusiveAdd", op: op.SubgroupInclusiveAdd},
	{name: "SubgroupInclusiveMul", op: op.SubgroupInclusiveMul},
	{name: "SubgroupExclusiveAdd", op: op.SubgroupExclusiveAdd},
	{name: "SubgroupExclusiveMul", op: op.SubgroupExclusiveMul},
	{name: "QuadBroadcast", op: op.QuadBroadcast, last: "index", limit: inQuad, constant: true},
	{name: "QuadSwapX", op: op.QuadSwapX},
	{name: "QuadSwapY", op: op.QuadSwapY},
	{name: "QuadSwapDiagonal", op: op.QuadSwapDiagonal},
}

// subgroupBarrier is the function that is a barrier of the IR. WGSL has none for subgroups.
var subgroupBarrier = subgroupFunction{name: "SubgroupBarrier", op: op.ControlBarrier}

// subgroupFunctionOf returns the row of an operation, or nil.
func subgroupFunctionOf(o op.Op) *subgroupFunction {
	for n := range subgroupFunctions {
		if subgroupFunctions[n].op == o {
			return &subgroupFunctions[n]
		}
	}
	return nil
}

// subgroupFunctionNamed returns the row of a function of package gpu, or nil.
func subgroupFunctionNamed(f *types.Func) *subgroupFunction {
	name, ok := strings.CutPrefix(f.FullName(), gpuPath+".")
	for n := range subgroupFunctions {
		if ok && subgroupFunctions[n].name == name {
			return &subgroupFunctions[n]
		}
	}
	return nil
}

// translate is the intrinsic of a row.
func (s *subgroupFunction) translate(f *frame, args []operand, v *ssa.Call) operand {
	b, m := &f.t.b, f.t.m
	list := values(args[1:]) // after the item
	if n := len(list) - 1; s.last != "" {
		if k, ok := m.ConstUint(list[n]); ok {
			list[n] = m.ConstU32(uint32(k))
		} else {
			list[n] = b.Convert(scalar.U32, list[n])
		}
	}
	made := b.Op(s.op, list...)
	if array := f.t.of(v.Type()); m.KindOf(array) == ir.ArrayType { // a ballot is a vector
		var parts [maxLanes / 32]ir.Value
		for n := range parts {
			parts[n] = b.Extract(made, uint32(n))
		}
		made = b.Construct(array, parts[:]...)
	}
	return operand{kind: aValue, value: made}
}

// lane checks the last argument of a call of a subgroup function, and reports whether to continue.
func (g *gate) lane(n *ast.CallExpr, f *types.Func) bool {
	s := subgroupFunctionNamed(f)
	if s == nil || s.last == "" {
		return true
	}
	x := n.Args[len(n.Args)-1]
	value := g.info.Types[x].Value
	switch {
	case value == nil && s.constant && g.isReported(x): // its variable is reported
	case value == nil && s.constant:
		g.refuse(x, shuffleHint, "the %s of gpu.%s is a constant, and %s is none", s.last, s.name, types.ExprString(x))
		return false
	case value != nil:
		if k, exact := constant.Int64Val(constant.ToInt(value)); !exact || k < 0 || k >= s.limit {
			hint := "no subgroup has more than 128 items"
			if s.limit == inQuad {
				hint = "a quad has four items"
			}
			g.refuse(x, hint, "the %s of gpu.%s is from 0 to %d, and this is %s", s.last, s.name, s.limit-1, value)
			return false
		}
	}
	return true
}
