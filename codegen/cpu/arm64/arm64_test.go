package arm64_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// constant matches the line of a number in the source.
var constant = regexp.MustCompile(`(?m)^\t([A-Z][A-Za-z0-9]*)(?: Op = .*)?(?: *//.*)?$`)

// TestRows: each constant has a row of its name. The constant's letters are those of the mnemonic,
// but for the V of vectors and what tells two instructions of one mnemonic apart. Rows of an
// instruction read and write the same.
func TestRows(t *testing.T) {
	text, err := os.ReadFile("op.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range constant.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) != int(arm64.Ops)+1 {
		t.Fatalf("there are %d names of %d numbers", len(names)-1, arm64.Ops)
	}
	rows := arm64.Rows()
	found := make([]bool, arm64.Ops)
	vector := regexp.MustCompile(`^V`)
	ending := regexp.MustCompile(`(x[234]|2|V|cc|E|Up|Down|W|X)$`)
	plain := strings.NewReplacer("ldur", "ldr", "stur", "str", ".", "", " ", "", ",", "")
	for n := range rows {
		r := &rows[n]
		name := names[r.Op]
		if n > 0 && found[r.Op] && rows[n-1].Op != r.Op {
			t.Errorf("the rows of %s are not together", name)
		}
		found[r.Op] = true
		if !r.Agrees() {
			t.Errorf("row %d of %s reads and writes something else than the first", n, name)
		}
		own := vector.ReplaceAllString(name, "")
		mnemonic := plain.Replace(r.Name)
		if strings.ToLower(own) != mnemonic && strings.ToLower(ending.ReplaceAllString(own, "")) != mnemonic {
			t.Errorf("the row of %s is that of %s", name, r.Name)
		}
	}
	for o := range found {
		if !found[o] {
			t.Errorf("there is no row for %s", names[o])
		}
	}
}

// TestSamples: there are instructions for the tests of each row, in each of its shapes.
func TestSamples(t *testing.T) {
	rows := arm64.Rows()
	for n := range rows {
		r := &rows[n]
		taken := map[arm64.Shape]int{}
		for _, i := range samplesOf(r) {
			if r.Taken(&i) {
				taken[i.Shape]++
			}
		}
		for _, s := range r.Shapes {
			if taken[s] == 0 {
				t.Errorf("row %d, %s, has no sample in shape %d", n, r.Name, s)
			}
		}
	}
}

// TestErrors: what cannot be encoded is refused with one sentence, and nothing is written.
func TestErrors(t *testing.T) {
	with := func(i arm64.Instruction, f func(*arm64.Instruction)) arm64.Instruction {
		f(&i)
		return i
	}
	x1, x2, v1, v2, v3 := arm64.General(1), arm64.General(2), arm64.Vector(1), arm64.Vector(2), arm64.Vector(3)
	load := arm64.Of(arm64.Ldr, arm64.Wide, x1, arm64.Mem)
	at := func(i arm64.Instruction, a arm64.Address) arm64.Instruction {
		i.Address = a
		return i
	}
	number := func(i arm64.Instruction, n int64, amount uint8) arm64.Instruction {
		i.Immediate, i.Amount = n, amount
		return i
	}
	for _, c := range []struct {
		i    arm64.Instruction
		want string
	}{
		{arm64.Of(arm64.Ops, arm64.Wide), fmt.Sprintf("there is no instruction of the number %d", arm64.Ops)},
		{arm64.Of(arm64.VFAdd, arm64.S4, v1, v2), "fadd v1.4s, v2.4s: operand 2 is missing"},
		{arm64.Of(arm64.Nop, arm64.Wide, x1), "there is an operand 0"},
		{arm64.Of(arm64.VFAdd, arm64.H8, v1, v2, v3), "the instruction does not have this shape"},
		{arm64.Of(arm64.VMul, arm64.D2, v1, v2, v3), "the instruction does not have this shape"},
		{arm64.Of(arm64.VFAdd, arm64.S4, v1, v2, x1), "operand 2 may not be of its kind here"},
		{arm64.Of(arm64.VFAdd, arm64.S4, v1, arm64.Vector(32), v2), "operand 1 is a register that has not been assigned"},
		{arm64.Of(arm64.Adc, arm64.Wide, x1, x2, arm64.SP), "operand 2 may not be of its kind here"},
		{number(arm64.Of(arm64.Add, arm64.Wide, x1, arm64.Zero, arm64.Imm), 1, 0), "operand 1 may not be of its kind here"},
		{number(arm64.Of(arm64.Add, arm64.Wide, x1, x2, arm64.Imm), 4096, 0), "the number does not fit its field"},
		{number(arm64.Of(arm64.Add, arm64.Wide, x1, x2, arm64.Imm), 1, 3), "the number may be shifted by 12 bits or not at all"},
		{number(arm64.Of(arm64.MovZ, arm64.Narrow, x1, arm64.Imm), 1, 32), "the number may be shifted by a multiple of 16 bits below those of the register"},
		{number(arm64.Of(arm64.VMovI, arm64.S4, v1, arm64.Imm), 1, 9), "the number may be shifted by a multiple of 8 bits below those of the element"},
		{number(arm64.Of(arm64.VMovI, arm64.D2, v1, arm64.Imm), 0x1FF, 0), "each byte of the number has to be all zeros or all ones"},
		{number(arm64.Of(arm64.And, arm64.Wide, x1, x2, arm64.Imm), 5, 0), "the number is no run of ones, rotated and repeated"},
		{number(arm64.Of(arm64.And, arm64.Narrow, x1, x2, arm64.Imm), 0xFFFFFFFF, 0), "the number is no run of ones, rotated and repeated"},
		{number(arm64.Of(arm64.VFMov, arm64.S4, v1, arm64.Imm), 1, 0), "the float has more bits than the field"},
		{number(arm64.Of(arm64.VShl, arm64.S4, v1, v2, arm64.Imm), 32, 0), "elements may be shifted by fewer bits than they have"},
		{number(arm64.Of(arm64.VUShr, arm64.S4, v1, v2, arm64.Imm), 0, 0), "elements may be shifted by fewer bits than they have"},
		{number(arm64.Of(arm64.Lsr, arm64.Narrow, x1, x2, arm64.Imm), 32, 0), "registers may be shifted by fewer bits than they have"},
		{number(arm64.Of(arm64.Ubfx, arm64.Wide, x1, x2, arm64.Imm), 60, 8), "the field has bits that the register does not have"},
		{number(arm64.Of(arm64.B, arm64.Wide, arm64.Distance), 2, 0), "the distance does not fit its field, or is no multiple of 4"},
		{number(arm64.Of(arm64.Cbz, arm64.Wide, x1, arm64.Distance), 1<<20, 0), "the distance does not fit its field, or is no multiple of 4"},
		{with(arm64.Of(arm64.VUMov, arm64.Single, x1, v1), func(i *arm64.Instruction) { i.Amount = 4 }), "a vector does not have so many elements"},
		{with(arm64.Of(arm64.Sub, arm64.Wide, x1, x2, x1), func(i *arm64.Instruction) { i.Extend, i.Amount = arm64.ROR, 1 }), "the last operand may not be shifted so"},
		{with(arm64.Of(arm64.CSel, arm64.Wide, x1, x2, x1), func(i *arm64.Instruction) { i.Condition = 15 }), "there is no such condition"},
		{at(load, arm64.At(arm64.General(32), 0)), "the base is a register that has not been assigned"},
		{at(load, arm64.At(arm64.Zero, 0)), "the base of an address has to be a general register or SP"},
		{at(load, arm64.At(v1, 0)), "the base of an address has to be a general register or SP"},
		{at(load, arm64.At(x2, 1<<15)), "the displacement does not fit its field"},
		{at(load, arm64.Indexed(x2, x1, arm64.LSL, 2)), "an index may be shifted by the logarithm of the bytes that are accessed, or not at all"},
		{at(load, arm64.Indexed(x2, x1, arm64.UXTB, 0)), "an index may be extended by UXTW, SXTW or SXTX, or shifted by LSL"},
		{at(load, arm64.Address{Base: x1, Displacement: 8, Mode: arm64.After}), "processors may do what they like if these registers are the same"},
		{at(arm64.Of(arm64.Ldp, arm64.Quad, v1, v1, arm64.Mem), arm64.At(x1, 0)), "processors may do what they like if these registers are the same"},
		{at(arm64.Of(arm64.StXr, arm64.Wide, x1, x1, arm64.Mem), arm64.At(x2, 0)), "processors may do what they like if these registers are the same"},
		{at(arm64.Of(arm64.Ld1x2, arm64.S4, v1, arm64.Mem), arm64.Address{Base: x1, Displacement: 16, Mode: arm64.After}), "what is added to the base has to be the bytes that are accessed"},
	} {
		code, err := arm64.Append([]byte{1}, &c.i)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(code) != 1 {
			t.Errorf("%s: %v, expected %q", arm64.AppendText(nil, &c.i), err, c.want)
		}
	}
}
