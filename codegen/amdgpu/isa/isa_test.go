package isa_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// ins returns an instruction.
func ins(o isa.Op, operands ...isa.Operand) (i isa.Instruction) {
	i.Op = o
	copy(i.Operands[:], operands)
	return i
}

// constant matches the line of an Op in the source.
var constant = regexp.MustCompile(`(?m)^\t([A-Z][A-Za-z0-9]*)(?: Op = .*)?$`)

// constants returns the names of all Ops, in their order.
func constants(t *testing.T) (names []string) {
	t.Helper()
	for _, file := range []string{"op.go", "op_vector.go", "op_memory.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range constant.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}

// TestRows checks the rows. Each Op has one of its own: the letters of the constant are those of
// the mnemonic of gfx1100, or else of gfx942.
func TestRows(t *testing.T) {
	names := [2]map[string]isa.Op{{}, {}}
	constants := constants(t)
	if len(constants) != int(isa.Ops)+1 {
		t.Fatalf("there are %d names of %d numbers", len(constants)-1, isa.Ops)
	}
	for o := range isa.Ops {
		if o.String() == "" {
			t.Fatalf("there is no row for %d", o)
		}
		mnemonic := o.Name(isa.GFX1100)
		if mnemonic == "" {
			mnemonic = o.Name(isa.GFX942)
		}
		letters := strings.ToLower(constants[o])
		if o.Returns() {
			letters = strings.Replace(letters, "rtn", "", 1)
		}
		if letters != strings.ReplaceAll(mnemonic, "_", "") {
			t.Errorf("the row of %s is that of %s", constants[o], mnemonic)
		}
		for f := range isa.GFX1100 + 1 {
			name := o.Name(f)
			if (name == "") != (o.Format(f) == isa.Absent) {
				t.Errorf("%s: the name is %q and the format %s", o, name, o.Format(f))
			}
			if other, ok := names[f][name]; ok && name != "" && o.Returns() == other.Returns() {
				t.Errorf("two rows for %s", name)
			}
			if !o.Returns() {
				names[f][name] = o
			}
		}
		slots := o.Slots()
		for n, s := range slots {
			if s.Written() && n > 1 || !s.Written() && !s.Read() {
				t.Errorf("%s: operand %d is read: %v, written: %v", o, n, s.Read(), s.Written())
			}
		}
		effects := o.Effects()
		for f := range isa.GFX1100 + 1 {
			memory := slices.Contains([]isa.Format{isa.SMEM, isa.DS, isa.Global, isa.Scratch}, o.Format(f))
			if (o.Counter(f) != isa.NoCounter) != memory && o.Format(f) != isa.MUBUF && !strings.HasPrefix(o.Name(f), "s_sendmsg") {
				t.Errorf("%s: the counter is %d", o, o.Counter(f))
			}
			if effects&(isa.Loads|isa.Stores) != 0 && !memory && o.Format(f) != isa.Absent {
				t.Errorf("%s accesses memory", o)
			}
		}
	}
}

// TestCounters checks the counters of instructions that the references name.
func TestCounters(t *testing.T) {
	for _, c := range []struct {
		op   isa.Op
		want [2]isa.Counter
	}{
		{isa.SLoadB64, [2]isa.Counter{isa.ScalarOrLocal, isa.ScalarOrLocal}},
		{isa.DsStoreB32, [2]isa.Counter{isa.ScalarOrLocal, isa.ScalarOrLocal}},
		{isa.GlobalLoadB32, [2]isa.Counter{isa.VectorMemory, isa.VectorMemory}},
		{isa.GlobalStoreB32, [2]isa.Counter{isa.VectorMemory, isa.VectorStores}},
		{isa.GlobalAtomicAddU32, [2]isa.Counter{isa.VectorMemory, isa.VectorStores}},
		{isa.GlobalAtomicAddRtnU32, [2]isa.Counter{isa.VectorMemory, isa.VectorMemory}},
		{isa.ScratchStoreB128, [2]isa.Counter{isa.VectorMemory, isa.VectorStores}},
		{isa.ScratchLoadB128, [2]isa.Counter{isa.VectorMemory, isa.VectorMemory}},
		{isa.BufferWbl2, [2]isa.Counter{isa.VectorMemory, isa.NoCounter}}, {isa.BufferInv, [2]isa.Counter{}}, {isa.BufferGl0Inv, [2]isa.Counter{}},
		{isa.VAddF32, [2]isa.Counter{}}, {isa.SBarrier, [2]isa.Counter{}},
	} {
		for f := range isa.GFX1100 + 1 {
			if got := c.op.Counter(f); got != c.want[f] {
				t.Errorf("%s on %s raises %d, not %d", c.op, f, got, c.want[f])
			}
		}
	}
}

// TestByHand encodes a few instructions whose bits were computed by hand from the drawings of the
// reference guides.
func TestByHand(t *testing.T) {
	negated := ins(isa.VFmaF32, isa.VGPR(1), isa.VGPR(2), isa.VGPR(3), isa.VGPR(4))
	negated.Modifiers = isa.Neg<<1 | isa.Abs<<2 | isa.Clamp
	for _, c := range []struct {
		i     isa.Instruction
		bytes [2]string
		text  [2]string
	}{
		{ins(isa.SEndpgm), [2]string{"000081bf", "0000b0bf"}, [2]string{"s_endpgm", "s_endpgm"}},
		{ins(isa.SMovB32, isa.SGPR(5), isa.Constant(7)), [2]string{"870085be", "870085be"}, [2]string{"s_mov_b32 s5, 7", "s_mov_b32 s5, 7"}},
		{ins(isa.VMovB32, isa.VGPR(1), isa.Constant(1000)), [2]string{"ff02027ee8030000", "ff02027ee8030000"}, [2]string{"v_mov_b32 v1, 0x3e8", "v_mov_b32 v1, 0x3e8"}},
		{ins(isa.VAddF32, isa.VGPR(1), isa.Float(1), isa.VGPR(3)), [2]string{"f2060202", "f2060206"}, [2]string{"v_add_f32 v1, 1.0, v3", "v_add_f32 v1, 1.0, v3"}},
		// 110100 0111001011 1 0000 100 00000001, then 010 00 100000100 100000011 100000010
		{negated, [2]string{"0184cbd102071244", "018413d602071244"}, [2]string{"v_fma_f32 v1, v2, -v3, |v4| clamp", "v_fma_f32 v1, v2, -v3, |v4| clamp"}},
	} {
		for f := range isa.GFX1100 + 1 {
			code, err := isa.Append(nil, f, &c.i)
			if want := c.bytes[f]; err != nil || hex.EncodeToString(code) != want {
				t.Errorf("%s: %s is %x, not %s: %v", f, c.text[f], code, want, err)
			}
			if text := string(isa.AppendText(nil, f, &c.i)); text != c.text[f] {
				t.Errorf("%s: the text is %q, not %q", f, text, c.text[f])
			}
		}
	}
}

// TestWaits checks the fields of s_waitcnt, and that DecodeWait is the inverse of Encode.
func TestWaits(t *testing.T) {
	for _, c := range []struct {
		wait isa.Wait
		want [2]int32
	}{
		{isa.Wait{VM: 0, Exp: 7, LGKM: 255}, [2]int32{0x0F70, 0x03F7}},
		{isa.Wait{VM: 255, Exp: 7, LGKM: 0}, [2]int32{0xC07F, 0xFC07}},
		{isa.Wait{VM: 18, Exp: 1, LGKM: 3}, [2]int32{0x4312, 0x4831}},
	} {
		for f := range isa.GFX1100 + 1 {
			if got := c.wait.Encode(f); got != c.want[f] {
				t.Errorf("%s: %+v is %#x, not %#x", f, c.wait, got, c.want[f])
			}
			if back := isa.DecodeWait(f, c.want[f]); back.Encode(f) != c.want[f] {
				t.Errorf("%s: %#x is read as %+v", f, c.want[f], back)
			}
		}
	}
}

// TestRefused checks the messages for instructions that cannot be encoded.
func TestRefused(t *testing.T) {
	far := ins(isa.GlobalLoadB32, isa.VGPR(1), isa.VGPR(2))
	far.Immediate = 4096
	sdwa := ins(isa.VAddF32, isa.VGPR(1), isa.VGPR(2), isa.VGPR(3))
	sdwa.Form = isa.SDWA
	for _, c := range []struct {
		f    isa.Family
		i    isa.Instruction
		want string
	}{
		{isa.GFX1100, ins(isa.VMovB64, isa.VGPR(2), isa.VGPR(4)), "gfx1100 has no v_mov_b64"},
		{isa.GFX942, ins(isa.Ops), "gfx942 has no instruction "},
		{isa.GFX942, ins(isa.VAddF32, isa.VGPR(1), isa.VGPR(2)), "v_add_f32: operand 2 is missing"},
		{isa.GFX942, ins(isa.SNop, isa.SGPR(1)), "s_nop: there is an operand 0, which the instruction does not have"},
		{isa.GFX942, ins(isa.VAddF32, isa.SGPR(1), isa.VGPR(2), isa.VGPR(3)), "v_add_f32: operand 0 may not be s1"},
		{isa.GFX942, ins(isa.VAddF32, isa.VGPR(1), isa.VGPR(2), isa.VGPR(isa.FirstVirtual+5)), "operand 2 is v4101, a register that has not been assigned"},
		{isa.GFX942, ins(isa.SMovB32, isa.SGPR(102), isa.Constant(0)), "operand 0 begins at s102 and goes beyond the last register of gfx942"},
		{isa.GFX942, ins(isa.SMovB64, isa.SGPR(3), isa.Constant(0)), "operand 0 begins at s3; on gfx942 the number has to be a multiple of 2"},
		{isa.GFX942, ins(isa.VAddF64, isa.VGPR(3), isa.VGPR(4), isa.VGPR(6)), "operand 0 begins at v3; on gfx942 the number has to be a multiple of 2"},
		{isa.GFX942, ins(isa.VFmaF32, isa.VGPR(3), isa.Literal(1000), isa.VGPR(6), isa.VGPR(7)), "there is no room for the literal 0x3e8"},
		{isa.GFX1100, ins(isa.SAddU32, isa.SGPR(3), isa.Literal(1000), isa.Literal(1001)), "there are two literals, and room for one"},
		{isa.GFX942, ins(isa.VAddF32, isa.VGPR(3), isa.SGPR(1), isa.SGPR(2)), "more scalar registers and literals are read than 1"},
		{isa.GFX1100, ins(isa.VFmaF32, isa.VGPR(3), isa.SGPR(1), isa.SGPR(2), isa.SGPR(4)), "more scalar registers and literals are read than 2"},
		{isa.GFX942, ins(isa.VCvtF32F64, isa.VGPR(3), isa.Literal(5)), "a float that cannot be told from an integer"},
		{isa.GFX942, far, "the number 4096 does not fit the instruction"},
		{isa.GFX1100, sdwa, "v_add_f32: these operands and modifiers do not fit the requested form"},
	} {
		code, err := isa.Append([]byte("before"), c.f, &c.i)
		var e *isa.Error
		if err == nil || !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || string(code) != "before" {
			t.Errorf("%v does not say %q", err, c.want)
		}
	}
}

// TestPairs checks which instructions AppendDual accepts as a pair.
func TestPairs(t *testing.T) {
	needAssembler(t)
	v, s := isa.VGPR, isa.SGPR
	mov := func(d, a isa.Operand) isa.Instruction { return ins(isa.VMovB32, d, a) }
	add := func(d, a, b isa.Operand) isa.Instruction { return ins(isa.VAddF32, d, a, b) }
	for _, c := range []struct {
		x, y isa.Instruction
		fits bool
	}{
		{mov(v(0), v(1)), mov(v(1), v(2)), true},
		{mov(v(0), v(1)), mov(v(2), v(2)), false},             // both destinations are even
		{mov(v(0), v(1)), mov(v(1), v(5)), false},             // one bank
		{add(v(0), v(1), v(2)), add(v(1), v(2), v(6)), false}, // one bank, of the second sources
		{add(v(0), s(1), v(2)), add(v(1), s(2), v(3)), true},  // two scalar registers
		{add(v(0), s(1), v(2)), add(v(1), isa.Literal(9999), v(3)), true},
		// two literals
		{add(v(0), isa.Literal(9998), v(2)), add(v(1), isa.Literal(9999), v(3)), false},
		{mov(v(0), v(1)), ins(isa.VAndB32, v(1), v(2), v(3)), true},
		{ins(isa.VAndB32, v(1), v(2), v(3)), mov(v(0), v(1)), false}, // only the second can be that
		{mov(v(0), v(1)), ins(isa.VOrB32, v(1), v(2), v(3)), false},
		// VCC and two scalar registers
		{ins(isa.VCndmaskB32, v(0), s(1), v(2), isa.VCC), add(v(1), s(2), v(3)), false},
		// the port of addends has two banks: v14 and v25 are in different ones, v15 and v25 in one
		{ins(isa.VFmamkF32, v(14), v(7), isa.Literal(9999), v(14)), ins(isa.VFmacF32, v(25), isa.Float(-2), v(6)), true},
		{ins(isa.VFmamkF32, v(14), v(7), isa.Literal(9999), v(15)), ins(isa.VFmacF32, v(25), isa.Float(-2), v(6)), false},
		{ins(isa.VFmaakF32, v(14), v(7), v(10), isa.Literal(9999)), ins(isa.VFmacF32, v(25), isa.Float(-2), v(7)), true},
	} {
		code, err := isa.AppendDual(nil, &c.x, &c.y)
		if (err == nil) != c.fits || c.fits && len(code) < 8 {
			t.Errorf("%s: %v", isa.AppendDualText(nil, &c.x, &c.y), err)
		}
		results := assemble(t, isa.GFX1100, append(isa.AppendDualText(nil, &c.x, &c.y), '\n'), 1)
		if (results[0].refused == "") != c.fits || c.fits && !bytes.Equal(results[0].code, code) {
			t.Errorf("%s: LLVM says %x, %s; here it is %x", isa.AppendDualText(nil, &c.x, &c.y), results[0].code, results[0].refused, code)
		}
	}
}

// mixture is a list of typical instructions.
var mixture = []isa.Instruction{
	ins(isa.SLoadB128, isa.SGPR(4), isa.SGPR(0)), ins(isa.VAddNcU32, isa.VGPR(0), isa.SGPR(2), isa.VGPR(0)), ins(isa.SWaitcnt),
	ins(isa.VCmpGtU32, isa.VCC, isa.SGPR(10), isa.VGPR(0)), ins(isa.SAndSaveexecB64, isa.SGPR(12), isa.VCC), ins(isa.SCbranchExecz),
	ins(isa.VLshlrevB32, isa.VGPR(1), isa.Constant(2), isa.VGPR(0)), ins(isa.GlobalLoadB32, isa.VGPR(2), isa.VGPR(1), isa.SGPR(4)),
	ins(isa.VFmaF32, isa.VGPR(2), isa.VGPR(2), isa.VGPR(3), isa.Float(0.5)), ins(isa.VMulF32, isa.VGPR(2), isa.Float(3.25), isa.VGPR(3)),
	ins(isa.VCndmaskB32, isa.VGPR(2), isa.VGPR(2), isa.VGPR(3), isa.SGPR(12)), ins(isa.DsLoadB64, isa.VGPR(6), isa.VGPR(7)),
	ins(isa.GlobalStoreB32, isa.VGPR(1), isa.VGPR(2), isa.SGPR(8)), ins(isa.SAndB64, isa.EXEC, isa.EXEC, isa.VCC), ins(isa.SEndpgm),
}

// TestNoAllocation checks that Append and Size allocate nothing.
func TestNoAllocation(t *testing.T) {
	code := make([]byte, 0, 1<<10)
	if n := testing.AllocsPerRun(100, func() {
		code = code[:0]
		for n := range mixture {
			var err error
			if code, err = isa.Append(code, isa.GFX942, &mixture[n]); err != nil {
				t.Fatal(err)
			}
			if _, err = isa.Size(isa.GFX942, &mixture[n]); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	code := make([]byte, 0, 1<<10)
	for b.Loop() {
		code = code[:0]
		for n := range mixture {
			code, _ = isa.Append(code, isa.GFX942, &mixture[n])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(mixture)), "ns/instruction")
}
