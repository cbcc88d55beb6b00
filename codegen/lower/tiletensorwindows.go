package lower

import (
	"fmt"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file loads tiles of matrices of windows by the tensor memory accelerator, in the mode im2col
// of its maps (PTX ISA, "im2col mode"). A copy begins at the pixel that its first window has as the
// first one, and goes on to those of the next windows. Offsets say which pixel of each window it
// copies: columns are the channels of one pixel, then those of the next one.

// MapWindows says which windows a tensor map is for. The eight integers are those of gpu.Window.
type MapWindows struct {
	Is bool
	// Variable and Offset say where the integers begin, in bytes, or Values has them.
	Variable ir.Value
	Offset   uint32
	Values   [windowMembers]int32
}

// windows finds the parameter that the tensor of windows is as a whole, and the windows. Else it
// says why there is no map of them.
func (p *tensorPlan) windows(c *opt.Context, m *ir.Module, f *ir.Func, i ir.Inst) (tensor matrixField, w MapWindows, why string) {
	operands := [tensorMembers]int{ir.TileOffset}
	for n := range 4 {
		operands[1+n], operands[5+n] = ir.WindowsSizes+n, ir.WindowsStrides+n
	}
	for n, operand := range operands {
		field, ok := fieldOf(m, f, f.Arg(i, operand))
		if n == 0 {
			tensor = field
		}
		if !ok || field != (matrixField{tensor.variable, tensor.layout, n, tensorMembers}) {
			return tensor, w, "a tensor is no parameter as a whole"
		}
	}
	k, _, _ := m.TileShape(f.Type(i))
	ranges := opt.Scratch[analysis.Ranges](c, "ranges")
	ranges.Analyse(f)
	each := uint64(swizzleBytes / k.Bytes())
	if r := ranges.Residue(f.Arg(i, ir.WindowsFirstColumn)); 1<<min(r.Count, 31) < each || r.Bits%each != 0 {
		return tensor, w, fmt.Sprintf("windows are loaded from a column on that is no multiple of %d", each)
	}
	w.Is = true
	constants := 0
	for n := range windowMembers {
		v := f.Arg(i, ir.WindowsTaps+n)
		if x, ok := m.ConstUint(v); ok {
			w.Values[n] = int32(x)
			constants++
			continue
		}
		field, ok := fieldOf(m, f, atLeastOne(m, f, v))
		if n == 0 {
			w.Variable, w.Offset = field.variable, field.layout
		}
		if !ok || field != (matrixField{w.Variable, w.Offset, n, windowMembers}) {
			constants = -1
			break
		}
	}
	if constants != 0 && constants != windowMembers {
		return tensor, w, "windows are neither constant nor a parameter as a whole"
	}
	return tensor, w, ""
}

// atLeastOne returns the number of which a value is the maximum with one, or the value.
func atLeastOne(m *ir.Module, f *ir.Func, v ir.Value) ir.Value {
	i, ok := f.Def(v)
	if !ok || f.Op(i) != op.Max {
		return v
	}
	for n := range 2 {
		if x, ok := m.ConstUint(f.Arg(i, n)); ok && x == 1 {
			return f.Arg(i, 1-n)
		}
	}
	return v
}

// produceWindows asks for the copies of a load of windows.
func (t *tileLowering) produceWindows(l *tensorLoad, at, full ir.Value) {
	b := &t.b
	arg := func(n int) ir.Value { return t.f.Arg(l.inst, n) }
	zero, one := t.m.ConstI32(0), t.m.ConstI32(1)
	// of a row before the first image, the image has a negative number
	floor := func(x, by ir.Value) (quotient, rest ir.Value) {
		quotient, rest = t.divide(x, by)
		below := b.Op(op.Lt, rest, zero)
		return b.Op(op.Select, below, b.Op(op.Sub, quotient, one), quotient), b.Op(op.Select, below, b.Op(op.Add, rest, by), rest)
	}
	first := func(position ir.Value, side int) ir.Value {
		return b.Op(op.Sub, b.Op(op.Mul, position, arg(ir.WindowsSteps+side)), arg(ir.WindowsPadding+side))
	}
	across := arg(ir.WindowsPositions + 1)
	image, pixel := floor(arg(ir.WindowsFirstRow), b.Op(op.Mul, arg(ir.WindowsPositions), across))
	y, x := t.divide(pixel, across)
	y, x = first(y, 0), first(x, 1)
	channels, taps := arg(ir.WindowsSizes+3), arg(ir.WindowsTaps+1)
	columns := b.Op(op.Mul, channels, b.Op(op.Mul, arg(ir.WindowsTaps), taps))
	wide := int(t.tensor.maps[l.tensorMap].Columns)
	for box := range l.boxes() {
		column := b.Op(op.Add, arg(ir.WindowsFirstColumn), t.m.ConstI32(int32(box*wide)))
		inside := b.Op(op.And, b.Op(op.Ge, column, zero), b.Op(op.Lt, column, columns))
		column = b.Op(op.Select, inside, column, zero)
		tap, channel := t.divide(column, channels)
		down, right := t.divide(tap, taps)
		t.intrinsic(op.TensorLoadWindows, t.u32(l.tensorMap), t.sum(at, t.u32(box*l.other*swizzleBytes)), full,
			channel, x, y, b.Op(op.Select, inside, image, arg(ir.WindowsSizes)),
			b.Op(op.Mul, right, arg(ir.WindowsDilations+1)), b.Op(op.Mul, down, arg(ir.WindowsDilations)))
	}
}
