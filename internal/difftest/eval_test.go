package difftest

// The evaluator against values worked out by hand from WGSL's text.

import (
	"encoding/binary"
	"strings"
	"testing"
)

// program makes a program of one invocation that stores word i of values, which may read the
// buffer "in", to word i of the buffer "o".
func program(in []uint32, values func(load func(t *Type, i int) *Expr) []*Expr) *Program {
	var data []byte
	for _, w := range in {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	input := &Var{Name: "in", Kind: MemoryVar, Space: StorageSpace, Access: Read, Type: arrayOf(u32Type, 0), Data: data}
	output := &Var{Name: "o", Kind: MemoryVar, Space: StorageSpace, Binding: 1, Type: arrayOf(u32Type, 0)}
	load := func(t *Type, i int) *Expr {
		e := index(&Expr{Op: OpVar, Var: input, Type: input.Type}, literalOf(u32Type, uint32(i)))
		switch t.Kind {
		case U32:
			return e
		case Bool:
			return &Expr{Op: OpBinary, Name: "!=", Type: t, Args: []*Expr{e, literalOf(u32Type, 0)}}
		}
		return &Expr{Op: OpBitcast, Type: t, Args: []*Expr{e}}
	}
	f := &Func{Name: "main", Entry: true, Workgroup: [3]*Expr{literalOf(u32Type, 1)}}
	for i, e := range values(load) {
		reference := index(&Expr{Op: OpVar, Var: output, Type: output.Type}, literalOf(u32Type, uint32(i)))
		switch e.Type.Kind {
		case I32, F32:
			e = &Expr{Op: OpBitcast, Type: u32Type, Args: []*Expr{e}}
		case Bool, F16:
			e = &Expr{Op: OpConstruct, Type: u32Type, Args: []*Expr{e}}
		}
		f.Body = append(f.Body, &Stmt{Kind: StmtAssign, Target: reference, Value: e})
		output.Data = append(output.Data, 0, 0, 0, 0)
	}
	return &Program{Globals: []*Var{input, output}, Funcs: []*Func{f}, Entry: f, Dispatch: [3]int{1, 1, 1}}
}

// words are the contents of "o" after the run.
func words(t *testing.T, p *Program) []uint32 {
	t.Helper()
	c, err := p.Case()
	if err != nil {
		t.Fatalf("%v in\n%s", err, p)
	}
	var out []uint32
	for d := c.Bindings[1].Want; len(d) > 0; d = d[4:] {
		out = append(out, binary.LittleEndian.Uint32(d))
	}
	return out
}

const (
	intMin = 0x80000000
	minus1 = 0xffffffff
)

func float(x float32) uint32 { return word(x) }

func TestOperators(t *testing.T) {
	for _, k := range []struct {
		op   string
		t    *Type
		x, y uint32
		want uint32
	}{
		{"+", u32Type, minus1, 2, 1},
		{"-", u32Type, 1, 2, minus1},
		{"*", u32Type, 0xaaaaaaae, 3, 10},
		{"*", i32Type, intMin, minus1, intMin},
		{"/", u32Type, 7, 0, 7},
		{"%", u32Type, 7, 0, 0},
		{"/", i32Type, intMin, minus1, intMin},
		{"%", i32Type, intMin, minus1, 0},
		{"/", i32Type, 0xfffffff9, 2, 0xfffffffd}, // -7 / 2 = -3
		{"%", i32Type, 0xfffffff9, 2, minus1},     // -7 % 2 = -1
		{"%", i32Type, 7, 0xfffffffe, 1},          // 7 % -2 = 1
		{"/", i32Type, 5, 0, 5},
		{"%", i32Type, 5, 0, 0},
		{"<<", u32Type, 1, 33, 2}, // the amount counts modulo 32
		{">>", u32Type, intMin, 31, 1},
		{">>", i32Type, intMin, 31, minus1},
		{">>", i32Type, intMin, 63, minus1},
		{"&", u32Type, 12, 10, 8},
		{"|", u32Type, 12, 10, 14},
		{"^", i32Type, 12, 10, 6},
		{"<", i32Type, minus1, 0, 1},
		{"<", u32Type, minus1, 0, 0},
		{">=", u32Type, intMin, 1, 1},
		{">=", i32Type, intMin, 1, 0},
		{"+", f32Type, float(0.5), float(0.25), float(0.75)},
		{"*", f32Type, float(-3), float(0.5), float(-1.5)},
		{"-", f32Type, float(1), float(4), float(-3)},
		{"<=", f32Type, float(1), float(1), 1},
		{"!=", f32Type, float(0), float(-1), 1},
		{"&&", boolType, 1, 0, 0},
		{"||", boolType, 0, 1, 1},
		{"|", boolType, 0, 1, 1},
		{"&", boolType, 1, 1, 1},
	} {
		p := program([]uint32{k.x, k.y}, func(load func(*Type, int) *Expr) []*Expr {
			result := k.t
			if isComparison(k.op) {
				result = boolType
			}
			second := k.t
			if k.op == "<<" || k.op == ">>" {
				second = u32Type
			}
			return []*Expr{{Op: OpBinary, Name: k.op, Type: result, Args: []*Expr{load(k.t, 0), load(second, 1)}}}
		})
		if got := words(t, p)[0]; got != k.want {
			t.Errorf("%#x %s %#x: expected %#x, found %#x", k.x, k.op, k.y, k.want, got)
		}
	}
}

func TestBuiltins(t *testing.T) {
	vec := func(s *Type, n int) *Type { return vectorOf(s, n) }
	for _, k := range []struct {
		name   string
		args   []*Type
		in     []uint32
		result *Type
		want   []uint32
	}{
		{"countLeadingZeros", []*Type{u32Type}, []uint32{0}, u32Type, []uint32{32}},
		{"countLeadingZeros", []*Type{i32Type}, []uint32{minus1}, i32Type, []uint32{0}},
		{"countTrailingZeros", []*Type{u32Type}, []uint32{0}, u32Type, []uint32{32}},
		{"countTrailingZeros", []*Type{u32Type}, []uint32{8}, u32Type, []uint32{3}},
		{"countOneBits", []*Type{u32Type}, []uint32{0xf0f}, u32Type, []uint32{8}},
		{"reverseBits", []*Type{u32Type}, []uint32{1}, u32Type, []uint32{intMin}},
		{"firstLeadingBit", []*Type{u32Type}, []uint32{0}, u32Type, []uint32{minus1}},
		{"firstLeadingBit", []*Type{i32Type}, []uint32{minus1}, i32Type, []uint32{minus1}},
		{"firstLeadingBit", []*Type{i32Type}, []uint32{0}, i32Type, []uint32{minus1}},
		// the last bit unlike the sign
		{"firstLeadingBit", []*Type{i32Type}, []uint32{0xfffffffe}, i32Type, []uint32{0}},
		{"firstLeadingBit", []*Type{u32Type}, []uint32{intMin}, u32Type, []uint32{31}},
		{"firstTrailingBit", []*Type{u32Type}, []uint32{0}, u32Type, []uint32{minus1}},
		{"firstTrailingBit", []*Type{u32Type}, []uint32{12}, u32Type, []uint32{2}},
		{"abs", []*Type{i32Type}, []uint32{intMin}, i32Type, []uint32{intMin}},
		{"abs", []*Type{i32Type}, []uint32{0xfffffffb}, i32Type, []uint32{5}},
		{"sign", []*Type{i32Type}, []uint32{intMin}, i32Type, []uint32{minus1}},
		{"sign", []*Type{f32Type}, []uint32{float(-0.5)}, f32Type, []uint32{float(-1)}},
		{"min", []*Type{i32Type, i32Type}, []uint32{minus1, 1}, i32Type, []uint32{minus1}},
		{"max", []*Type{u32Type, u32Type}, []uint32{minus1, 1}, u32Type, []uint32{minus1}},
		{"clamp", []*Type{i32Type, i32Type, i32Type}, []uint32{9, minus1, 5}, i32Type, []uint32{5}},
		// min(max(3, 7), 5)
		{"clamp", []*Type{u32Type, u32Type, u32Type}, []uint32{3, 7, 5}, u32Type, []uint32{5}},
		{"extractBits", []*Type{u32Type, u32Type, u32Type}, []uint32{0xabcd1234, 8, 8}, u32Type, []uint32{0x12}},
		{"extractBits", []*Type{i32Type, u32Type, u32Type}, []uint32{0x0000f000, 12, 4}, i32Type, []uint32{minus1}},
		{"extractBits", []*Type{i32Type, u32Type, u32Type}, []uint32{minus1, 5, 0}, i32Type, []uint32{0}},
		{"extractBits", []*Type{u32Type, u32Type, u32Type}, []uint32{minus1, 40, 3}, u32Type, []uint32{0}},
		{"extractBits", []*Type{u32Type, u32Type, u32Type}, []uint32{0x80000001, 0, 32}, u32Type, []uint32{0x80000001}},
		{"extractBits", []*Type{u32Type, u32Type, u32Type}, []uint32{0xf0000000, 28, 100}, u32Type, []uint32{15}},
		{"insertBits", []*Type{u32Type, u32Type, u32Type, u32Type}, []uint32{0, minus1, 4, 8}, u32Type, []uint32{0xff0}},
		{"insertBits", []*Type{u32Type, u32Type, u32Type, u32Type}, []uint32{7, minus1, 0, 0}, u32Type, []uint32{7}},
		{"insertBits", []*Type{u32Type, u32Type, u32Type, u32Type}, []uint32{7, 0x12345678, 0, 32}, u32Type, []uint32{0x12345678}},
		{"insertBits", []*Type{u32Type, u32Type, u32Type, u32Type}, []uint32{7, minus1, 32, 9}, u32Type, []uint32{7}},
		{"round", []*Type{f32Type}, []uint32{float(2.5)}, f32Type, []uint32{float(2)}},
		{"round", []*Type{f32Type}, []uint32{float(-3.5)}, f32Type, []uint32{float(-4)}},
		{"floor", []*Type{f32Type}, []uint32{float(-0.5)}, f32Type, []uint32{float(-1)}},
		{"trunc", []*Type{f32Type}, []uint32{float(-1.5)}, f32Type, []uint32{float(-1)}},
		{"ceil", []*Type{f32Type}, []uint32{float(1.25)}, f32Type, []uint32{float(2)}},
		{"fract", []*Type{f32Type}, []uint32{float(-1.25)}, f32Type, []uint32{float(0.75)}},
		{"saturate", []*Type{f32Type}, []uint32{float(7)}, f32Type, []uint32{float(1)}},
		{"step", []*Type{f32Type, f32Type}, []uint32{float(2), float(2)}, f32Type, []uint32{float(1)}},
		{"fma", []*Type{f32Type, f32Type, f32Type}, []uint32{float(2), float(3), float(0.5)}, f32Type, []uint32{float(6.5)}},
		{"mix", []*Type{f32Type, f32Type, f32Type}, []uint32{float(2), float(4), float(0.5)}, f32Type, []uint32{float(3)}},
		{"ldexp", []*Type{f32Type, i32Type}, []uint32{float(3), 0xfffffffe}, f32Type, []uint32{float(0.75)}},
		{"dot4U8Packed", []*Type{u32Type, u32Type}, []uint32{0x01ff0002, 0x02ff0003}, u32Type, []uint32{2*3 + 255*255 + 2}},
		{"dot4I8Packed", []*Type{u32Type, u32Type}, []uint32{0x01ff0080, 0x02ff0080}, i32Type, []uint32{128*128 + 1 + 2}},
		{"pack4xU8", []*Type{vec(u32Type, 4)}, []uint32{0x1ff, 2, 3, 4}, u32Type, []uint32{0x040302ff}},
		{"pack4xU8Clamp", []*Type{vec(u32Type, 4)}, []uint32{300, 2, minus1, 4}, u32Type, []uint32{0x04ff02ff}},
		{"pack4xI8", []*Type{vec(i32Type, 4)}, []uint32{minus1, 128, 3, 4}, u32Type, []uint32{0x040380ff}},
		{"pack4xI8Clamp", []*Type{vec(i32Type, 4)}, []uint32{minus1, 128, intMin, 4}, u32Type, []uint32{0x04807fff}},
		{"unpack4xI8", []*Type{u32Type}, []uint32{0x80ff017f}, vec(i32Type, 4), []uint32{127, 1, minus1, 0xffffff80}},
		{"unpack4xU8", []*Type{u32Type}, []uint32{0x80ff017f}, vec(u32Type, 4), []uint32{127, 1, 255, 128}},
		{"pack4x8unorm", []*Type{vec(f32Type, 4)}, []uint32{float(1), float(0.25), float(-1), float(9)}, u32Type, []uint32{0xff0040ff}},
		{"pack4x8snorm", []*Type{vec(f32Type, 4)}, []uint32{float(1), float(0.25), float(-1), float(-9)}, u32Type, []uint32{0x8181207f}},
		{"pack2x16snorm", []*Type{vec(f32Type, 2)}, []uint32{float(-0.25), float(1)}, u32Type, []uint32{0x7fffe000}},
		{"pack2x16unorm", []*Type{vec(f32Type, 2)}, []uint32{float(0.25), float(1)}, u32Type, []uint32{0xffff4000}},
		{"pack2x16float", []*Type{vec(f32Type, 2)}, []uint32{float(1), float(-2)}, u32Type, []uint32{0xc0003c00}},
		{"unpack2x16float", []*Type{u32Type}, []uint32{0x38003e00}, vec(f32Type, 2), []uint32{float(1.5), float(0.5)}},
		{"dot", []*Type{vec(i32Type, 2), vec(i32Type, 2)}, []uint32{intMin, 3, 2, 5}, i32Type, []uint32{15}},
		{"cross", []*Type{vec(f32Type, 3), vec(f32Type, 3)}, []uint32{float(1), float(2), float(3), float(4), float(5), float(6)}, vec(f32Type, 3), []uint32{float(-3), float(6), float(-3)}},
		{"select", []*Type{u32Type, u32Type, boolType}, []uint32{4, 5, 1}, u32Type, []uint32{5}},
		{"select", []*Type{vec(u32Type, 2), vec(u32Type, 2), vec(boolType, 2)}, []uint32{1, 2, 3, 4, 1, 0}, vec(u32Type, 2), []uint32{3, 2}},
		{"all", []*Type{vec(boolType, 2)}, []uint32{1, 0}, boolType, []uint32{0}},
		{"any", []*Type{vec(boolType, 2)}, []uint32{1, 0}, boolType, []uint32{1}},
		{"transpose", []*Type{matrixOf(f32Type, 2, 3)}, []uint32{float(1), float(2), float(3), float(4), float(5), float(6)}, matrixOf(f32Type, 3, 2), []uint32{float(1), float(4), float(2), float(5), float(3), float(6)}},
	} {
		p := program(k.in, func(load func(*Type, int) *Expr) []*Expr {
			at := 0
			call := &Expr{Op: OpBuiltin, Name: k.name, Type: k.result}
			for _, a := range k.args {
				call.Args = append(call.Args, compose(a, func(s *Type) *Expr { at++; return load(s, at-1) }))
			}
			return components(call)
		})
		for i, got := range words(t, p) {
			if got != k.want[i] {
				t.Errorf("%s(%#x): leaf %d: expected %#x, found %#x", k.name, k.in, i, k.want[i], got)
			}
		}
	}
}

// compose makes a value from scalars.
func compose(t *Type, scalar func(*Type) *Expr) *Expr {
	if t.isScalar() {
		return scalar(t)
	}
	e := &Expr{Op: OpConstruct, Type: t}
	for range t.Count {
		e.Args = append(e.Args, compose(t.Elem, scalar))
	}
	return e
}

// components are the scalars of a value.
func components(e *Expr) []*Expr {
	if e.Type.isScalar() {
		return []*Expr{e}
	}
	var list []*Expr
	for i := range e.Type.Count {
		list = append(list, components(index(e, literalOf(i32Type, uint32(i))))...)
	}
	return list
}

func TestConversions(t *testing.T) {
	for _, k := range []struct {
		from, to *Type
		in, want uint32
	}{
		{f32Type, i32Type, float(3e9), 2147483520},
		{f32Type, i32Type, float(-3e9), intMin},
		{f32Type, u32Type, float(1e10), 4294967040},
		{f32Type, u32Type, float(-1.5), 0},
		{f32Type, i32Type, float(-1.75), minus1},
		{i32Type, f32Type, 0xfffffffd, float(-3)},
		{u32Type, f32Type, intMin, float(2147483648)},
		{i32Type, u32Type, minus1, minus1},
		{boolType, f32Type, 1, float(1)},
		{f32Type, boolType, float(0.5), 1},
		{u32Type, boolType, 0, 0},
	} {
		p := program([]uint32{k.in}, func(load func(*Type, int) *Expr) []*Expr {
			return []*Expr{{Op: OpConstruct, Type: k.to, Args: []*Expr{load(k.from, 0)}}}
		})
		if got := words(t, p)[0]; got != k.want {
			t.Errorf("%v to %v of %#x: expected %#x, found %#x", k.from.Kind, k.to.Kind, k.in, k.want, got)
		}
	}
}

func TestMatrixProducts(t *testing.T) {
	literals := func(t *Type, from int) *Expr {
		return compose(t, func(s *Type) *Expr { from++; return literalOf(s, word(float32(from-1))) })
	}
	m := matrixOf(f32Type, 2, 3) // columns (1 2 3), (4 5 6)
	product := func(t *Type, x, y *Expr) *Expr {
		return &Expr{Op: OpBinary, Name: "*", Type: t, Args: []*Expr{x, y}}
	}
	for _, k := range []struct {
		e    *Expr
		want []float32
	}{
		{product(vectorOf(f32Type, 3), literals(m, 1), literals(vectorOf(f32Type, 2), 1)), []float32{9, 12, 15}},
		{product(vectorOf(f32Type, 2), literals(vectorOf(f32Type, 3), 1), literals(m, 1)), []float32{14, 32}},
		{product(matrixOf(f32Type, 2, 2), literals(matrixOf(f32Type, 3, 2), 1), literals(m, 1)), []float32{22, 28, 49, 64}},
		{product(m, literals(m, 1), literalOf(f32Type, word(2))), []float32{2, 4, 6, 8, 10, 12}},
	} {
		got := words(t, program([]uint32{0}, func(func(*Type, int) *Expr) []*Expr { return components(k.e) }))
		for i := range got {
			if got[i] != word(k.want[i]) {
				t.Errorf("%v: expected %v, found %v", k.e.Type, k.want[i], f32(got[i]))
			}
		}
	}
}

// TestFaults has a program for each thing that is not well-defined.
func TestFaults(t *testing.T) {
	binary := func(op string, x, y *Expr) *Expr {
		return &Expr{Op: OpBinary, Name: op, Type: x.Type, Args: []*Expr{x, y}}
	}
	i, u, f := i32Type, u32Type, f32Type
	for _, k := range []struct {
		want  string
		value func(load func(*Type, int) *Expr) *Expr
	}{
		{"const-expression", func(load func(*Type, int) *Expr) *Expr { return binary("/", load(u, 0), literalOf(u, 0)) }},
		{"const-expression", func(load func(*Type, int) *Expr) *Expr { return binary("<<", load(u, 0), literalOf(u, 32)) }},
		{"const-expression", func(func(*Type, int) *Expr) *Expr {
			return binary("+", literalOf(i, 0x7fffffff), literalOf(i, 1))
		}},
		{"const-expression", func(func(*Type, int) *Expr) *Expr {
			return &Expr{Op: OpUnary, Name: "-", Type: i, Args: []*Expr{literalOf(i, intMin)}}
		}},
		{"const-expression", func(load func(*Type, int) *Expr) *Expr {
			return &Expr{Op: OpBuiltin, Name: "extractBits", Type: u, Args: []*Expr{load(u, 0), literalOf(u, 30), literalOf(u, 3)}}
		}},
		{"bounds", func(load func(*Type, int) *Expr) *Expr {
			e := load(u, 0)
			e.Args[1] = literalOf(u, 9)
			return e
		}},
		{"float", func(load func(*Type, int) *Expr) *Expr { return binary("+", load(f, 1), literalOf(f, word(1.0/1024))) }},
		{"float", func(load func(*Type, int) *Expr) *Expr {
			return binary("*", load(f, 1), literalOf(f, word(16777216)))
		}},
		{"float", func(load func(*Type, int) *Expr) *Expr {
			return &Expr{Op: OpConstruct, Type: f, Args: []*Expr{binary("|", load(u, 0), literalOf(u, 0x1000001))}}
		}},
		{"float", func(load func(*Type, int) *Expr) *Expr {
			return &Expr{Op: OpBitcast, Type: f, Args: []*Expr{binary("|", load(u, 0), literalOf(u, 0x7fc00000))}}
		}},
		{"float", func(load func(*Type, int) *Expr) *Expr {
			return &Expr{Op: OpBuiltin, Name: "clamp", Type: f, Args: []*Expr{load(f, 1), load(f, 1), binary("-", load(f, 1), load(f, 1))}}
		}},
	} {
		p := program([]uint32{0, word(1)}, func(load func(*Type, int) *Expr) []*Expr { return []*Expr{k.value(load)} })
		if _, err := p.Case(); err == nil || !strings.HasPrefix(err.Error(), k.want) {
			t.Errorf("expected a fault of kind %s, found %v in\n%s", k.want, err, p)
		}
	}
}

// sharedProgram makes a program of two invocations that runs statements on workgroup memory.
func sharedProgram(body func(cells, count *Var, me *Expr) []*Stmt) *Program {
	cells := &Var{Name: "cells", Kind: MemoryVar, Space: WorkgroupSpace, Type: arrayOf(u32Type, 2)}
	count := &Var{Name: "count", Kind: MemoryVar, Space: WorkgroupSpace, Type: &Type{Kind: Atomic, Elem: u32Type}}
	me := &Var{Name: "me", Kind: BuiltinVar, Builtin: "local_invocation_index", Type: u32Type}
	f := &Func{Name: "main", Entry: true, Workgroup: [3]*Expr{literalOf(u32Type, 2)}, Params: []*Var{me}}
	f.Body = body(cells, count, &Expr{Op: OpVar, Var: me, Type: u32Type})
	return &Program{Globals: []*Var{cells, count}, Funcs: []*Func{f}, Entry: f, Dispatch: [3]int{1, 1, 1}}
}

func TestSharing(t *testing.T) {
	at := func(v *Var, i *Expr) *Expr { return index(&Expr{Op: OpVar, Var: v, Type: v.Type}, i) }
	other := func(me *Expr) *Expr {
		return &Expr{Op: OpBinary, Name: "^", Type: u32Type, Args: []*Expr{me, literalOf(u32Type, 1)}}
	}
	write := func(v *Var, i *Expr) *Stmt {
		return &Stmt{Kind: StmtAssign, Target: at(v, i), Value: literalOf(u32Type, 1)}
	}
	read := func(v *Var, i *Expr) *Stmt { return &Stmt{Kind: StmtPhony, Value: at(v, i)} }
	atomic := func(v *Var, name string, phony bool) *Stmt {
		p := &Expr{Op: OpAddress, Type: pointerTo(v.Type, WorkgroupSpace, ReadWrite), Args: []*Expr{{Op: OpVar, Var: v, Type: v.Type}}}
		s := &Stmt{Kind: StmtCall, Value: &Expr{Op: OpBuiltin, Name: name, Type: u32Type, Args: []*Expr{p, literalOf(u32Type, 1)}}}
		if phony {
			s = &Stmt{Kind: StmtPhony, Value: &Expr{Op: OpBinary, Name: "+", Type: u32Type, Args: []*Expr{s.Value, literalOf(u32Type, 1)}}}
		}
		return s
	}
	isFirst := func(me *Expr) *Expr {
		return &Expr{Op: OpBinary, Name: "==", Type: boolType, Args: []*Expr{me, literalOf(u32Type, 0)}}
	}
	for _, k := range []struct {
		want string
		body func(cells, count *Var, me *Expr) []*Stmt
	}{
		{"", func(c, n *Var, me *Expr) []*Stmt {
			return []*Stmt{write(c, me), barrier("workgroupBarrier"), read(c, other(me))}
		}},
		{"race", func(c, n *Var, me *Expr) []*Stmt { return []*Stmt{write(c, me), read(c, other(me))} }},
		{"race", func(c, n *Var, me *Expr) []*Stmt {
			return []*Stmt{write(c, me), barrier("storageBarrier"), read(c, other(me))}
		}},
		{"race", func(c, n *Var, me *Expr) []*Stmt { return []*Stmt{write(c, literalOf(u32Type, 0))} }},
		{"", func(c, n *Var, me *Expr) []*Stmt { return []*Stmt{atomic(n, "atomicAdd", false)} }},
		{"atomic order", func(c, n *Var, me *Expr) []*Stmt { return []*Stmt{atomic(n, "atomicAdd", true)} }},
		{"atomic order", func(c, n *Var, me *Expr) []*Stmt { return []*Stmt{atomic(n, "atomicExchange", false)} }},
		{"atomic order", func(c, n *Var, me *Expr) []*Stmt {
			return []*Stmt{atomic(n, "atomicAdd", false), atomic(n, "atomicMax", false)}
		}},
		{"", func(c, n *Var, me *Expr) []*Stmt {
			return []*Stmt{atomic(n, "atomicAdd", false), barrier("workgroupBarrier"), atomic(n, "atomicMax", false)}
		}},
		{"static", func(c, n *Var, me *Expr) []*Stmt {
			return []*Stmt{{Kind: StmtIf, Value: isFirst(me), Body: []*Stmt{barrier("workgroupBarrier")}}}
		}},
		{"static", func(c, n *Var, me *Expr) []*Stmt {
			return []*Stmt{{Kind: StmtIf, Value: isFirst(me), Body: []*Stmt{{Kind: StmtReturn}}}, barrier("workgroupBarrier")}
		}},
	} {
		p := sharedProgram(k.body)
		_, err := p.Case()
		if k.want == "" && err != nil || k.want != "" && (err == nil || !strings.HasPrefix(err.Error(), k.want)) {
			t.Errorf("expected a fault of kind %q, found %v in\n%s", k.want, err, p)
		}
	}
}

// TestSkippedConstants expects a fault of a const-expression that overflows where an
// override decides that it is not needed: WGSL evaluates it all the same.
func TestSkippedConstants(t *testing.T) {
	on := &Var{Name: "on", Kind: OverrideVar, Type: boolType, ID: -1, Init: literalOf(boolType, 1)}
	shifted := func(bits uint32) *Expr {
		shift := &Expr{Op: OpBinary, Name: "<<", Type: i32Type, Args: []*Expr{literalOf(i32Type, bits), literalOf(u32Type, 28)}}
		equal := &Expr{Op: OpBinary, Name: "!=", Type: boolType, Args: []*Expr{shift, literalOf(i32Type, 4)}}
		return &Expr{Op: OpBinary, Name: "||", Type: boolType, Args: []*Expr{{Op: OpVar, Var: on, Type: boolType}, equal}}
	}
	for bits, want := range map[uint32]string{3: "", 33: "const-expression"} {
		p := program([]uint32{0}, func(func(*Type, int) *Expr) []*Expr { return []*Expr{shifted(bits)} })
		p.Globals = append([]*Var{on}, p.Globals...)
		if _, err := p.Case(); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%d: expected %q, found %v", bits, want, err)
		}
	}
}
