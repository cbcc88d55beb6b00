package difftest

// Textures against values worked out by hand.

import (
	"bytes"
	"strings"
	"testing"
)

// textureProgram is program with a texture, which makes is told to build expressions with.
func textureProgram(t *Type, x *Texels, data []byte, makes func(texture *Expr) ([]*Expr, []*Stmt)) *Program {
	v := &Var{Name: "tex", Kind: MemoryVar, Space: HandleSpace, Group: 1, Type: t, Texels: x, Data: data}
	values, statements := makes(&Expr{Op: OpVar, Var: v, Type: t})
	p := program(nil, func(func(*Type, int) *Expr) []*Expr { return values })
	p.Globals = append(p.Globals, v)
	p.Entry.Body = append(statements, p.Entry.Body...)
	return p
}

func formatNamed(t *testing.T, name string) *TexelFormat {
	t.Helper()
	for i := range texelFormats {
		if texelFormats[i].Name == name {
			return &texelFormats[i]
		}
	}
	t.Fatalf("there is no format %s", name)
	return nil
}

func textureCall(name string, t *Type, args ...*Expr) *Expr {
	return &Expr{Op: OpBuiltin, Name: name, Type: t, Args: args}
}

func at(values ...uint32) *Expr {
	if len(values) == 1 {
		return literalOf(u32Type, values[0])
	}
	e := &Expr{Op: OpConstruct, Type: vectorOf(u32Type, len(values))}
	for _, v := range values {
		e.Args = append(e.Args, literalOf(u32Type, v))
	}
	return e
}

// counted are n bytes 1, 2, 3 and so on.
func counted(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i + 1)
	}
	return data
}

// TestTextureLoads asserts where texels lie, and what their channels mean.
func TestTextureLoads(t *testing.T) {
	for name, k := range map[string]struct {
		t      Type
		format string
		size   [3]int
		levels int
		data   []byte
		load   []*Expr // arguments after the texture
		want   [4]uint32
	}{
		"a line": {Type{Count: 1}, "r8uint", [3]int{4, 1, 1}, 1, counted(4), []*Expr{at(2), at(0)}, [4]uint32{3, 0, 0, 1}},
		"rows":   {Type{Count: 2}, "rg8uint", [3]int{3, 2, 1}, 1, counted(12), []*Expr{at(1, 1), at(0)}, [4]uint32{9, 10, 0, 1}},
		// Level 0 has 8 texels, level 1 has 2.
		"levels": {Type{Count: 2}, "r8uint", [3]int{4, 2, 1}, 2, counted(10), []*Expr{at(1, 0), at(1)}, [4]uint32{10, 0, 0, 1}},
		// Levels have all layers: 2 of 2 by 2 texels, then 2 of one.
		"layers": {Type{Count: 2, Layered: true}, "r8uint", [3]int{2, 2, 2}, 2, counted(10), []*Expr{at(0, 0), at(1), at(1)}, [4]uint32{10, 0, 0, 1}},
		"slices": {Type{Count: 3}, "r8uint", [3]int{2, 3, 2}, 1, counted(12), []*Expr{at(1, 2, 1), at(0)}, [4]uint32{12, 0, 0, 1}},
		// The levels of 3D textures have fewer slices: 8 texels, then 1.
		"small slices": {Type{Count: 3}, "r8uint", [3]int{2, 2, 2}, 2, counted(9), []*Expr{at(0, 0, 0), at(1)}, [4]uint32{9, 0, 0, 1}},
		"signed bytes": {Type{Count: 1}, "rgba8sint", [3]int{1, 1, 1}, 1, []byte{0xff, 0x80, 0x7f, 0}, []*Expr{at(0), at(0)}, [4]uint32{minus1, 0xffffff80, 127, 0}},
		"fractions":    {Type{Count: 1}, "rgba8unorm", [3]int{1, 1, 1}, 1, []byte{255, 0, 0, 255}, []*Expr{at(0), at(0)}, [4]uint32{float(9), float(8), float(8), float(9)}},
		"signed ones":  {Type{Count: 1}, "rgba8snorm", [3]int{1, 1, 1}, 1, []byte{127, 0x81, 0, 127}, []*Expr{at(0), at(0)}, [4]uint32{float(9), float(7), float(8), float(9)}},
		"halves":       {Type{Count: 1}, "r16float", [3]int{2, 1, 1}, 1, []byte{0, 0, 0, 0xc1}, []*Expr{at(1), at(0)}, [4]uint32{float(5.5), float(8), float(8), float(9)}},
		"words":        {Type{Count: 1}, "rg32sint", [3]int{1, 1, 1}, 1, counted(8), []*Expr{at(0), at(0)}, [4]uint32{0x04030201, 0x08070605, 0, 1}},
	} {
		x := &Texels{Format: formatNamed(t, k.format), Size: k.size, Levels: k.levels}
		shape := k.t
		shape.Kind, shape.Elem, shape.Access = Texture, x.Format.channel(), Read
		p := textureProgram(&shape, x, k.data, func(texture *Expr) ([]*Expr, []*Stmt) {
			load := textureCall("textureLoad", vectorOf(shape.Elem, 4), append([]*Expr{texture}, k.load...)...)
			if shape.Elem == f32Type { // the bits of zero may have either sign, those of 8 may not
				load = &Expr{Op: OpBinary, Name: "+", Type: load.Type, Args: []*Expr{load, literalOf(f32Type, float(8))}}
			}
			return components(load), nil
		})
		if got := words(t, p); [4]uint32(got) != k.want {
			t.Errorf("%s: expected %x, found %x", name, k.want, got)
		}
	}
}

// TestTextureQueries queries sizes, layers and levels.
func TestTextureQueries(t *testing.T) {
	x := &Texels{Format: formatNamed(t, "r8uint"), Size: [3]int{5, 3, 4}, Levels: 3}
	shape := &Type{Kind: Texture, Elem: u32Type, Count: 2, Layered: true, Access: Read}
	p := textureProgram(shape, x, make([]byte, 4*(15+2+1)), func(texture *Expr) ([]*Expr, []*Stmt) {
		values := components(textureCall("textureDimensions", vectorOf(u32Type, 2), texture))
		values = append(values, components(textureCall("textureDimensions", vectorOf(u32Type, 2), texture, at(1)))...)
		return append(values, textureCall("textureNumLayers", u32Type, texture), textureCall("textureNumLevels", u32Type, texture)), nil
	})
	want := []uint32{5, 3, 2, 1, 4, 3}
	for i, got := range words(t, p) {
		if got != want[i] {
			t.Errorf("value %d: expected %d, found %d", i, want[i], got)
		}
	}
}

// TestTextureStores writes texels, of which formats keep what they have channels for.
func TestTextureStores(t *testing.T) {
	shape := &Type{Kind: Texture, Elem: u32Type, Count: 2, Layered: true, Access: Write, Format: formatNamed(t, "r32uint")}
	x := &Texels{Format: shape.Format, Size: [3]int{2, 1, 2}, Levels: 1}
	store := func(layer, value uint32) *Program {
		return textureProgram(shape, x, make([]byte, 16), func(texture *Expr) ([]*Expr, []*Stmt) {
			call := textureCall("textureStore", nil, texture, at(1, 0), at(layer), at(value, 9, 9, 9))
			return []*Expr{literalOf(u32Type, 0)}, []*Stmt{{Kind: StmtCall, Value: call}}
		})
	}
	c, err := store(1, 0x01020304).Case()
	if err != nil {
		t.Fatal(err)
	}
	b := c.Bindings[2]
	if want := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1}; b.Kind != "storage-texture" || !bytes.Equal(b.Want, want) {
		t.Errorf("expected % x, found % x in a %s", want, b.Want, b.Kind)
	}
	for _, part := range []string{"@group(1) @binding(0) var tex: texture_storage_2d_array<r32uint, write>;", "textureStore(tex, "} {
		if !strings.Contains(c.Code, part) {
			t.Errorf("expected %q in\n%s", part, c.Code)
		}
	}
	// A store outside has no effect where the program may rely on that, and is a fault elsewhere.
	p := store(2, 7)
	if _, err := p.Case(); err == nil || !strings.Contains(err.Error(), "outside of a texture") {
		t.Errorf("a store outside: %v", err)
	}
	p.Robust = true
	if c, err := p.Case(); err != nil || !c.Robust || !isZeros(c.Bindings[2].Want) {
		t.Errorf("a store outside of a robust program: %v", err)
	}
	shape.Format, x.Format = formatNamed(t, "rgba8uint"), formatNamed(t, "rgba8uint")
	if _, err := store(1, 256).Case(); err == nil || !strings.Contains(err.Error(), "format has not") {
		t.Errorf("256 in a byte: %v", err)
	}
}

// TestTextureRaces lets two invocations write a texel, which nothing orders.
func TestTextureRaces(t *testing.T) {
	shape := &Type{Kind: Texture, Elem: u32Type, Count: 1, Access: ReadWrite, Format: formatNamed(t, "r32uint")}
	x := &Texels{Format: shape.Format, Size: [3]int{2, 1, 1}, Levels: 1}
	me := &Var{Name: "me", Kind: BuiltinVar, Builtin: "local_invocation_index", Type: u32Type}
	own := &Expr{Op: OpVar, Var: me, Type: u32Type}
	for _, k := range []struct {
		texel *Expr
		fault string
	}{{own, ""}, {at(1), "data race"}} {
		p := textureProgram(shape, x, make([]byte, 8), func(texture *Expr) ([]*Expr, []*Stmt) {
			call := textureCall("textureStore", nil, texture, k.texel, at(7, 0, 0, 0))
			return nil, []*Stmt{{Kind: StmtCall, Value: call}}
		})
		p.Entry.Params = []*Var{me}
		p.Entry.Workgroup[0] = literalOf(u32Type, 2)
		_, err := p.Case()
		if text := ""; err != nil {
			if text = err.Error(); k.fault == "" || !strings.Contains(text, k.fault) {
				t.Errorf("expected %q, found %q", k.fault, text)
			}
		} else if k.fault != "" {
			t.Errorf("expected %q, found none", k.fault)
		}
	}
}

// TestTexelFormats asserts that each format gives back what it holds, and that the generator's
// programs use each.
func TestTexelFormats(t *testing.T) {
	for i := range texelFormats {
		f := &texelFormats[i]
		for _, w := range []uint32{0, 1, 127, 128, 255, 256, 65535, 65536, minus1, intMin, float(1), float(-1), float(0.5), float(2048), float(2049), float(0.1)} {
			mask := uint32(1)<<(8*f.Bytes-1)<<1 - 1
			if got := f.decode(f.encode(w) & mask); f.holds(w) != (got == w) && f.encoding != encodesUnorm && f.encoding != encodesSnorm {
				t.Errorf("%s: %#x becomes %#x, held is %v", f.Name, w, got, f.holds(w))
			} else if f.holds(w) && got != w && w != float(0)|1<<31 {
				t.Errorf("%s: %#x becomes %#x", f.Name, w, got)
			}
		}
	}
	used := map[string]int{}
	for k := range uint64(12) {
		for seed := k*2*14*textured + 2*14*(textured-1); seed < 2*14*textured*(k+1); seed++ {
			for _, v := range Generate(seed).Globals {
				if v.Texels != nil {
					used[v.Texels.Format.Name]++
				}
			}
		}
	}
	if len(used) != len(texelFormats) {
		t.Errorf("of %d formats programs use %v", len(texelFormats), used)
	}
}
