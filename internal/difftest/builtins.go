package difftest

// Builtin functions (WGSL §17).

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// isConstBuiltin says whether a builtin may occur in const-expressions.
func isConstBuiltin(name string) bool {
	switch {
	case isAtomic(name), isTexture(name), isSubgroup(name), strings.HasSuffix(name, "Barrier"),
		name == "arrayLength", name == "workgroupUniformLoad":
		return false
	}
	return true
}

func isAtomic(name string) bool { return strings.HasPrefix(name, "atomic") }

// scalarBuiltin is a builtin that works on the leaves of its arguments one by one. It faults by
// returning a fault's text.
type scalarBuiltin func(kind Kind, a []uint32) (uint32, string)

var componentwise = map[string]scalarBuiltin{
	"abs": func(kind Kind, a []uint32) (uint32, string) {
		switch kind {
		case I32:
			return uint32(max(int32(a[0]), -int32(a[0]))), overflowText(kind == I32 && a[0] == 1<<31)
		case U32:
			return a[0], ""
		}
		return a[0] &^ (1 << 31), ""
	},
	"sign": func(kind Kind, a []uint32) (uint32, string) {
		if kind == I32 {
			return uint32(int32(a[0])>>31) | truth(int32(a[0]) > 0), ""
		}
		switch x := f32(a[0]); {
		case x > 0:
			return word(1), ""
		case x < 0:
			return word(-1), ""
		}
		return 0, ""
	},
	"min": func(kind Kind, a []uint32) (uint32, string) { return least(kind, a[0], a[1]), "" },
	"max": func(kind Kind, a []uint32) (uint32, string) { return greatest(kind, a[0], a[1]), "" },
	"clamp": func(kind Kind, a []uint32) (uint32, string) {
		text := ""
		if compareScalars(">", kind, a[1], a[2]) {
			text = "?clamp with low above high"
			if kind == F32 || kind == F16 {
				text = "clamp with low above high"
			}
		}
		return least(kind, greatest(kind, a[0], a[1]), a[2]), text
	},
	"countOneBits":       func(_ Kind, a []uint32) (uint32, string) { return uint32(bits.OnesCount32(a[0])), "" },
	"countLeadingZeros":  func(_ Kind, a []uint32) (uint32, string) { return uint32(bits.LeadingZeros32(a[0])), "" },
	"countTrailingZeros": func(_ Kind, a []uint32) (uint32, string) { return uint32(bits.TrailingZeros32(a[0])), "" },
	"reverseBits":        func(_ Kind, a []uint32) (uint32, string) { return bits.Reverse32(a[0]), "" },
	"firstLeadingBit": func(kind Kind, a []uint32) (uint32, string) {
		x := a[0]
		if kind == I32 && int32(x) < 0 {
			x = ^x
		}
		return uint32(31 - bits.LeadingZeros32(x)), ""
	},
	"firstTrailingBit": func(_ Kind, a []uint32) (uint32, string) {
		if a[0] == 0 {
			return 1<<32 - 1, ""
		}
		return uint32(bits.TrailingZeros32(a[0])), ""
	},
	"saturate": func(_ Kind, a []uint32) (uint32, string) { return word(max(0, min(1, f32(a[0])))), "" },
	"floor":    func(_ Kind, a []uint32) (uint32, string) { return word(float32(math.Floor(wide(a[0])))), "" },
	"ceil":     func(_ Kind, a []uint32) (uint32, string) { return word(float32(math.Ceil(wide(a[0])))), "" },
	"trunc":    func(_ Kind, a []uint32) (uint32, string) { return word(float32(math.Trunc(wide(a[0])))), "" },
	"round":    func(_ Kind, a []uint32) (uint32, string) { return word(float32(math.RoundToEven(wide(a[0])))), "" },
	"fract": func(kind Kind, a []uint32) (uint32, string) {
		x := wide(a[0])
		return settle(kind, x-math.Floor(x), x)
	},
	"step": func(_ Kind, a []uint32) (uint32, string) {
		if f32(a[0]) <= f32(a[1]) {
			return word(1), ""
		}
		return 0, ""
	},
	"fma": func(kind Kind, a []uint32) (uint32, string) {
		x, y, z := wide(a[0]), wide(a[1]), wide(a[2])
		if _, text := settle(kind, x*y, x, y); text != "" {
			return word(1), text
		}
		return settle(kind, x*y+z, z)
	},
	"mix": func(kind Kind, a []uint32) (uint32, string) {
		x, y, s := wide(a[0]), wide(a[1]), wide(a[2])
		for _, part := range []float64{1 - s, x * (1 - s), y * s, y - x, (y - x) * s} {
			if _, text := settle(kind, part, x, y, s); text != "" {
				return word(1), text
			}
		}
		return settle(kind, x*(1-s)+y*s)
	},
	"quantizeToF16": func(_ Kind, a []uint32) (uint32, string) {
		if !representable(wide(a[0]), F16) {
			return word(1), "inexact"
		}
		return a[0], ""
	},
}

// overflowText marks what is an error in const-expressions only.
func overflowText(overflow bool) string {
	if overflow {
		return "?overflow"
	}
	return ""
}

// settle is the result r of arithmetic on the operands, if all are settled.
func settle(kind Kind, r float64, operands ...float64) (uint32, string) {
	for _, x := range append(operands, r) {
		if !settled(x, kind) || !representable(x, kind) {
			return word(1), fmt.Sprintf("inexact %v", x)
		}
	}
	return word(float32(r)), ""
}

func least(kind Kind, x, y uint32) uint32 {
	if compareScalars("<", kind, y, x) {
		return y
	}
	return x
}

func greatest(kind Kind, x, y uint32) uint32 {
	if compareScalars("<", kind, x, y) {
		return y
	}
	return x
}

// vectorBuiltin is a builtin that needs all leaves of its arguments, laid one after another.
type vectorBuiltin func(t *thread, e *Expr, a [][]uint32, out []uint32)

func clampByte(x, low, high int32) uint32 { return uint32(max(low, min(high, x))) & 255 }

func packBytes(f func(x uint32) uint32) vectorBuiltin {
	return func(_ *thread, _ *Expr, a [][]uint32, out []uint32) {
		out[0] = 0
		for i, x := range a[0] {
			out[0] |= f(x) & 255 << (8 * i)
		}
	}
}

func dotBytes(signed bool) vectorBuiltin {
	return func(_ *thread, _ *Expr, a [][]uint32, out []uint32) {
		total := uint32(0)
		for i := range 4 {
			x, y := a[0][0]>>(8*i)&255, a[1][0]>>(8*i)&255
			if signed {
				x, y = uint32(int32(int8(x))), uint32(int32(int8(y)))
			}
			total += x * y
		}
		out[0] = total
	}
}

// packNormal packs floats between -1 or 0 and 1 as integers between -scale or 0 and scale. Where
// rounding could go either way in an implementation's arithmetic, the result is not settled.
func packNormal(width int, low, scale float64) vectorBuiltin {
	return func(t *thread, e *Expr, a [][]uint32, out []uint32) {
		out[0] = 0
		for i, x := range a[0] {
			v := scale * max(low, min(1, wide(x)))
			if d := v - math.Floor(v); math.Abs(d-0.5) < 1.0/64 {
				t.m.fault(FaultRange, e, nil, "pack of a value half way between two integers")
			}
			out[0] |= uint32(int32(math.Floor(0.5+v))) & (1<<width - 1) << (width * i)
		}
	}
}

// vectorBuiltins are those that need all leaves of their arguments.
var vectorBuiltins = map[string]vectorBuiltin{
	"pack4x8unorm":  packNormal(8, 0, 255),
	"pack4x8snorm":  packNormal(8, -1, 127),
	"pack2x16unorm": packNormal(16, 0, 65535),
	"pack2x16snorm": packNormal(16, -1, 32767),
	"pack4xI8":      packBytes(func(x uint32) uint32 { return x }),
	"pack4xU8":      packBytes(func(x uint32) uint32 { return x }),
	"pack4xI8Clamp": packBytes(func(x uint32) uint32 { return clampByte(int32(x), -128, 127) }),
	"pack4xU8Clamp": packBytes(func(x uint32) uint32 { return min(x, 255) }),
	"unpack4xI8": func(_ *thread, _ *Expr, a [][]uint32, out []uint32) {
		for i := range out {
			out[i] = uint32(int32(int8(a[0][0] >> (8 * i))))
		}
	},
	"unpack4xU8": func(_ *thread, _ *Expr, a [][]uint32, out []uint32) {
		for i := range out {
			out[i] = a[0][0] >> (8 * i) & 255
		}
	},
	"dot4I8Packed": dotBytes(true),
	"dot4U8Packed": dotBytes(false),
	"pack2x16float": func(t *thread, e *Expr, a [][]uint32, out []uint32) {
		out[0] = 0
		for i, x := range a[0] {
			v := wide(x)
			if v == 0 || !representable(v, F16) {
				t.m.fault(FaultRange, e, nil, "pack of zero or of no f16")
				v = 1
			}
			out[0] |= uint32(halfBits(float32(v))) << (16 * i)
		}
	},
	"unpack2x16float": func(t *thread, e *Expr, a [][]uint32, out []uint32) {
		for i := range out {
			v := float64(halfValue(uint16(a[0][0] >> (16 * i))))
			if !representable(v, F16) {
				t.m.fault(FaultRange, e, nil, "unpack of no normal f16")
				v = 1
			}
			out[i] = word(float32(v))
		}
	},
	"all": func(_ *thread, _ *Expr, a [][]uint32, out []uint32) {
		r := uint32(1)
		for _, x := range a[0] {
			r &= x
		}
		out[0] = r
	},
	"any": func(_ *thread, _ *Expr, a [][]uint32, out []uint32) {
		r := uint32(0)
		for _, x := range a[0] {
			r |= x
		}
		out[0] = r
	},
	"select": func(_ *thread, _ *Expr, a [][]uint32, out []uint32) {
		for i := range out {
			cond := a[2][0]
			if len(a[2]) > 1 {
				cond = a[2][i]
			}
			if cond != 0 {
				out[i] = a[1][i]
			} else {
				out[i] = a[0][i]
			}
		}
	},
	"dot": func(t *thread, e *Expr, a [][]uint32, out []uint32) {
		kind := e.Type.Kind
		if kind == F32 || kind == F16 {
			out[0] = t.sum(e, nil, kind, len(a[0]), a[0], a[1], 1, 1)
			return
		}
		total := uint32(0)
		for i := range a[0] {
			total += a[0][i] * a[1][i]
		}
		out[0] = total
	},
	"cross": func(t *thread, e *Expr, a [][]uint32, out []uint32) {
		kind := e.Type.Elem.Kind
		for i := range 3 {
			j, k := (i+1)%3, (i+2)%3
			x := []uint32{a[0][j], a[0][k] ^ 1<<31}
			y := []uint32{a[1][k], a[1][j]}
			out[i] = t.sum(e, nil, kind, 2, x, y, 1, 1)
		}
	},
	"transpose": func(_ *thread, e *Expr, a [][]uint32, out []uint32) {
		columns, rows := e.Type.Count, e.Type.Elem.Count
		for k := range columns {
			for r := range rows {
				out[k*rows+r] = a[0][r*columns+k]
			}
		}
	},
	"extractBits": func(t *thread, e *Expr, a [][]uint32, out []uint32) {
		offset := min(a[1][0], 32)
		count := min(a[2][0], 32-offset)
		for i, x := range a[0] {
			switch {
			case count == 0:
				out[i] = 0
			case e.Type.scalar().Kind == I32:
				out[i] = uint32(int32(x<<(32-offset-count)) >> (32 - count))
			default:
				out[i] = x << (32 - offset - count) >> (32 - count)
			}
		}
	},
	"insertBits": func(t *thread, e *Expr, a [][]uint32, out []uint32) {
		offset := min(a[2][0], 32)
		count := min(a[3][0], 32-offset)
		mask := uint32((uint64(1)<<count - 1) << offset)
		for i, x := range a[0] {
			out[i] = x&^mask | a[1][i]<<offset&mask
		}
	},
	"ldexp": func(t *thread, e *Expr, a [][]uint32, out []uint32) {
		kind := e.Type.scalar().Kind
		for i, x := range a[0] {
			by := int32(a[1][i])
			r := math.Ldexp(wide(x), int(max(-200, min(200, by))))
			limit := int32(64)
			if kind == F16 {
				limit = 12
			}
			if by < -limit || by > limit || !representable(r, kind) {
				t.m.fault(FaultRange, e, nil, "ldexp")
				r = 1
			}
			out[i] = word(float32(r))
		}
	},
}

// builtin compiles a call of a builtin that gives a value.
func (c *compiler) builtin(e *Expr) code {
	if e.Op == OpResult {
		return c.resultMember(e)
	}
	switch {
	case isAtomic(e.Name):
		return c.atomic(e, true)
	case isTexture(e.Name):
		return c.texture(e)
	case isSubgroup(e.Name) && c.p.Lanes > 0:
		return c.lanes(e)
	case isSubgroup(e.Name):
		return c.subgroup(e)
	case e.Name == "arrayLength":
		p := c.reference(e.Args[0].Args[0])
		stride := p.t.Elem.leaves()
		return oneCode(func(t *thread) uint32 { return uint32(t.m.elements(p.at(t).off, stride)) })
	case e.Name == "workgroupUniformLoad":
		return c.uniformLoad(e)
	}
	args := make([]code, len(e.Args))
	for i, a := range e.Args {
		args[i] = c.expr(a)
	}
	c.checkBits(e)
	if f := componentwise[e.Name]; f != nil {
		return c.leafwise(e, args, f)
	}
	f := vectorBuiltins[e.Name]
	if f == nil {
		panic("unknown builtin " + e.Name)
	}
	at := make([]int, len(args))
	for i := range args {
		at[i] = c.temp(args[i].n)
	}
	n := e.Type.leaves()
	result := c.temp(n)
	return maker(n, c.temp(1), func(t *thread, out []uint32) {
		var space [4][]uint32
		values := space[:len(args)]
		for i := range args {
			values[i] = t.frameOf(at[i], args[i].n)
			args[i].into(t, values[i])
		}
		r := t.frameOf(result, n)
		f(t, e, values, r)
		copy(out, r)
	})
}

// leafwise compiles a builtin that works on leaves one by one.
func (c *compiler) leafwise(e *Expr, args []code, f scalarBuiltin) code {
	kind := e.Args[0].Type.scalar().Kind
	strict := c.strict
	partial := e.Name == "clamp" && !strict && stageOf(e.Args[1]) != runStage && stageOf(e.Args[2]) != runStage
	judge := func(t *thread, text string) {
		if text == "" || text[0] == '?' && !strict && !partial {
			return
		}
		what := FaultFloat
		if strict || partial {
			what = FaultConst
		}
		t.m.fault(what, e, nil, e.Name+": "+text)
	}
	if partial {
		low, high := c.known(e.Args[1]), c.known(e.Args[2])
		for i := range low {
			if compareScalars(">", kind, low[i], high[i]) {
				c.m.fault(FaultConst, e, nil, "clamp with low above high")
			}
		}
		partial = false
	}
	if e.Type.leaves() == 1 {
		return oneCode(func(t *thread) uint32 {
			var a [3]uint32
			for i := range args {
				a[i] = args[i].one(t)
			}
			r, text := f(kind, a[:])
			if text != "" {
				judge(t, text)
			}
			return r
		})
	}
	n := e.Type.leaves()
	at := c.temp(n * len(args))
	return manyCode(n, func(t *thread, out []uint32) {
		all := t.frameOf(at, n*len(args))
		for i := range args {
			args[i].into(t, all[i*n:i*n+args[i].n])
		}
		var a [3]uint32
		for k := range out {
			for i := range args {
				a[i] = all[i*n]
				if args[i].n > 1 {
					a[i] = all[i*n+k]
				}
			}
			r, text := f(kind, a[:])
			if text != "" {
				judge(t, text)
			}
			out[k] = r
		}
	})
}

// checkBits notes offsets and counts known before the run that leave the word.
func (c *compiler) checkBits(e *Expr) {
	n := len(e.Args)
	switch e.Name {
	case "extractBits", "insertBits":
		sum := uint64(0)
		for _, a := range e.Args[n-2:] {
			if stageOf(a) != runStage {
				sum += uint64(c.known(a)[0])
			}
		}
		if sum > 32 {
			c.m.fault(FaultConst, e, nil, "offset and count leave the word")
		}
	}
}

// resultMember compiles a member of what frexp and modf return.
func (c *compiler) resultMember(e *Expr) code {
	call := e.Args[0]
	if isAtomic(call.Name) {
		panic("compare-exchange is a statement")
	}
	x := c.expr(call.Args[0])
	kind := call.Args[0].Type.scalar().Kind
	name := call.Name + "." + e.Name
	return mapCode(x, func(t *thread, w uint32) uint32 {
		v := wide(w)
		switch name {
		case "modf.whole":
			return word(float32(math.Trunc(v)))
		case "modf.fract":
			r, text := settle(kind, v-math.Trunc(v), v)
			if text != "" {
				t.m.fault(FaultFloat, e, nil, text)
			}
			return r
		}
		if v == 0 {
			if name == "frexp.exp" {
				t.m.fault(FaultRange, e, nil, "exponent of zero")
			}
			return 0
		}
		fraction, exponent := math.Frexp(v)
		if name == "frexp.exp" {
			return uint32(int32(exponent))
		}
		return word(float32(fraction))
	})
}
