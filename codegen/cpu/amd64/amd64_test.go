package amd64_test

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/internal/testmode"
)

// ins makes an instruction.
func ins(o amd64.Op, w amd64.Width, operands ...amd64.Operand) amd64.Instruction {
	return amd64.Of(o, w, operands...)
}

// constant matches the line of a number in the source.
var constant = regexp.MustCompile(`(?m)^\t([A-Z][A-Za-z0-9]*)(?: Op = .*)?(?: *//.*)?$`)

// TestRows: each number has a row, which is of its name: the constant's letters are those of the
// mnemonic, but for what tells two instructions of one mnemonic apart. All rows of an instruction
// read and write the same.
func TestRows(t *testing.T) {
	var names []string
	for _, file := range []string{"op.go", "op_vector.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range constant.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	if len(names) != int(amd64.Ops)+1 {
		t.Fatalf("there are %d names of %d numbers", len(names)-1, amd64.Ops)
	}
	rows := amd64.Rows()
	found := make([]bool, amd64.Ops)
	ending := regexp.MustCompile(`(?i)(8|16|CL|Imm|cc|Wide|abs)?$`)
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
		if r.Op == amd64.Mark || r.Op == amd64.Align || r.Op == amd64.SignRAX {
			continue
		}
		if letters, mnemonic := strings.ToLower(name), r.Name; letters != mnemonic && ending.ReplaceAllString(letters, "") != ending.ReplaceAllString(mnemonic, "") {
			t.Errorf("the row of %s is that of %s", name, mnemonic)
		}
	}
	for o := range found {
		if !found[o] {
			t.Errorf("there is no row for %s", names[o])
		}
	}
}

// TestErrors: what cannot be encoded is refused with one sentence, and nothing is written.
func TestErrors(t *testing.T) {
	at := func(i amd64.Instruction, a amd64.Address) amd64.Instruction {
		i.Address = a
		return i
	}
	number := func(i amd64.Instruction, n int64) amd64.Instruction {
		i.Immediate = n
		return i
	}
	rax, rcx, v1, v2, v3 := amd64.RAX, amd64.RCX, amd64.Vector(1), amd64.Vector(2), amd64.Vector(3)
	mem, imm := amd64.Mem, amd64.Imm
	load := ins(amd64.Mov, amd64.Wide, rax, mem)
	gather := ins(amd64.VPGatherDD, amd64.Wide, v1, mem, v3)
	condition := ins(amd64.Add, amd64.Wide, rax, rcx)
	condition.Condition = amd64.Equal
	locked := at(load, amd64.Address{Base: rcx, Locked: true})
	lockedLoad := at(ins(amd64.Add, amd64.Wide, rax, mem), amd64.Address{Base: rcx, Locked: true})
	for _, c := range []struct {
		i    amd64.Instruction
		want string
	}{
		{ins(amd64.Ops, amd64.Wide), "there is no instruction of the number 351"},
		{ins(amd64.VAddPS, amd64.Wide, v1, v2), "vaddps: operand 2 is missing"},
		{ins(amd64.Add, amd64.Wide, rax), "add: operand 1 is missing"},
		{ins(amd64.Ret, amd64.Wide, rax), "ret: there is an operand 0, which the instruction does not have with these before it"},
		{ins(amd64.VSqrtPS, amd64.Wide, v1, v2, v3), "vsqrtps: there is an operand 2"},
		{ins(amd64.VAddPS, amd64.Wide, v1, v2, rax), "vaddps: operand 2 may not be rax here"},
		{ins(amd64.VAddPS, amd64.Wide, v1, mem, v2), "vaddps: operand 1 may not be memory here"},
		{ins(amd64.Add, amd64.Wide, mem, mem), "add: operand 1 may not be memory here"},
		{ins(amd64.VAddPS, amd64.Wide, v1, v2, imm), "vaddps: operand 2 may not be a number here"},
		{ins(amd64.VAddPS, amd64.Wide, v1, amd64.Vector(32), v2), "vaddps: operand 1 is v32, a register that has not been assigned"},
		{ins(amd64.VBlendVPS, amd64.Wide, amd64.Vector(16), v1, v2, v3), "vblendvps: operand 0 is xmm16, and the instruction has no form with EVEX"},
		{ins(amd64.Add, amd64.Wide, amd64.General(16), rax), "add: operand 0 is g16, and the instruction has no form with EVEX"},
		{at(gather, amd64.Indexed(rax, amd64.Vector(16), 1, 0)), "vpgatherdd: the index of the address may not be xmm16"},
		{ins(amd64.Add, amd64.Narrow, amd64.General(99), rax), "add: operand 0 is g99, a register that has not been assigned"},
		{at(load, amd64.At(amd64.General(32), 0)), "mov: the base is g32, a register that has not been assigned"},
		{at(load, amd64.Indexed(rax, amd64.General(32), 1, 0)), "mov: the index is g32, a register that has not been assigned"},
		{at(load, amd64.At(v1, 0)), "mov: the base of an address may not be xmm1"},
		{at(load, amd64.Indexed(rax, amd64.RSP, 1, 0)), "mov: the index of the address may not be rsp"},
		{at(load, amd64.Indexed(rax, v1, 1, 0)), "mov: the index of the address may not be xmm1"},
		{at(gather, amd64.Indexed(rax, rcx, 1, 0)), "vpgatherdd: the index of the address may not be rcx"},
		{at(gather, amd64.At(rax, 0)), "vpgatherdd: the index of the address may not be nothing"},
		{at(gather, amd64.Indexed(rax, v1, 1, 0)), "vpgatherdd: destination, index and mask have to be three registers"},
		{at(gather, amd64.Indexed(rax, v3, 1, 0)), "vpgatherdd: destination, index and mask have to be three registers"},
		{at(load, amd64.Indexed(rax, rcx, 3, 0)), "mov: the scale of an index may not be 3"},
		{at(load, amd64.Indexed(rax, rcx, 0, 0)), "mov: the scale of an index may not be 0"},
		{at(load, amd64.Address{Base: rax, Scale: 4}), "mov: the scale of an index may not be 4"},
		{at(load, amd64.Indexed(amd64.Constant(0), rcx, 4, 0)), "mov: an address of a constant or label has no index"},
		{at(load, amd64.At(amd64.Constant(0), 0)), "mov: a single instruction cannot use labels and constants"},
		{ins(amd64.Jmp, amd64.Wide, amd64.Label(0)), "jmp: a single instruction cannot use labels and constants"},
		{ins(amd64.VAddSS, amd64.Narrow, v1, v2, v3), "vaddss: the instruction does not have this width with these operands"},
		{ins(amd64.VPermD, amd64.Narrow, v1, v2, v3), "vpermd: the instruction does not have this width with these operands"},
		{ins(amd64.Add, 2, rax, rcx), "add: the instruction does not have this width with these operands"},
		{condition, "add: the condition 4 does not exist, or the instruction has none"},
		{at(ins(amd64.Add, amd64.Wide, rax, rcx), amd64.At(rax, 0)), "add: there is an address, and no operand in memory"},
		{number(ins(amd64.Add, amd64.Wide, rax, rcx), 5), "add: there is the number 5, and no operand for it"},
		{number(ins(amd64.Add, amd64.Wide, rax, imm), 1<<31), "add: the number 2147483648 does not fit operand 1"},
		{number(ins(amd64.Add, amd64.Narrow, rax, imm), 1<<32), "add: the number 4294967296 does not fit operand 1"},
		{number(ins(amd64.Shl, amd64.Narrow, rax, imm), 32), "shl: the number 32 does not fit operand 1"},
		{number(ins(amd64.Shl, amd64.Wide, rax, imm), 0), "shl: the number 0 does not fit operand 1"},
		{number(ins(amd64.VPSllD, amd64.Wide, v1, v2, imm), 256), "vpslld: the number 256 does not fit operand 2"},
		{locked, "mov: the instruction cannot be locked"},
		{lockedLoad, "add: the instruction cannot be locked"},
	} {
		code, err := amd64.Append([]byte("before"), &c.i)
		var e *amd64.Error
		if err == nil || !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.want) || string(code) != "before" {
			t.Errorf("%v does not say %q", err, c.want)
		}
		if amd64.AppendText(nil, &c.i) == nil {
			t.Error("there is no text")
		}
	}
	align := number(ins(amd64.Align, amd64.Wide, imm), 48)
	mark := ins(amd64.Mark, amd64.Wide, amd64.Label(7))
	ret := ins(amd64.Ret, amd64.Wide)
	for _, c := range []struct {
		list []amd64.Instruction
		want string
	}{
		{[]amd64.Instruction{ret, ins(amd64.Jmp, amd64.Wide, amd64.Label(3))}, "instruction 1: jmp: label 3 is nowhere in the code"},
		{[]amd64.Instruction{ins(amd64.Call, amd64.Wide, amd64.Label(3))}, "instruction 0: call: label 3 is nowhere in the code"},
		{[]amd64.Instruction{at(load, amd64.At(amd64.Label(3), 0))}, "instruction 0: mov: label 3 is nowhere in the code"},
		{[]amd64.Instruction{mark, ret, mark}, "instruction 2: label 7 is marked twice"},
		{[]amd64.Instruction{ret, at(load, amd64.At(amd64.Constant(2), 0))}, "instruction 1: mov: there is no constant 2 in the pool"},
		{[]amd64.Instruction{ins(amd64.Mark, amd64.Wide, amd64.Label(1<<20))}, "instruction 0: the label 1048576 is too large; labels are numbers from 0 on, without large gaps"},
		{[]amd64.Instruction{align}, "instruction 0: 48 is no power of two up to 64"},
		{[]amd64.Instruction{ret, ins(amd64.VAddPS, amd64.Wide, v1, v2)}, "instruction 1: vaddps: operand 2 is missing"},
	} {
		var a amd64.Assembler
		code, err := a.Assemble([]byte("before"), c.list, nil)
		if err == nil || err.Error() != c.want || string(code) != "before" {
			t.Errorf("%v does not say %q", err, c.want)
		}
	}
}

// TestHostile: values that are no instructions are refused, and never a panic.
func TestHostile(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	list := everything()
	word := func() amd64.Operand {
		switch random.IntN(4) {
		case 0:
			return 0
		case 1:
			return amd64.Operand(random.IntN(8))<<28 | amd64.Operand(random.IntN(18))
		}
		return amd64.Operand(random.Uint32())
	}
	var a amd64.Assembler
	encoded := 0
	for range testmode.Count(50_000, 300_000, 300_000) {
		i := list[random.IntN(len(list))]
		for range 1 + random.IntN(3) {
			switch random.IntN(9) {
			case 0, 1, 2:
				i.Operands[random.IntN(4)] = word()
			case 3:
				i.Address.Base = word()
			case 4:
				i.Address.Index = word()
			case 5:
				i.Address.Scale = uint8(random.IntN(12))
			case 6:
				i.Immediate = int64(random.Uint64())
			case 7:
				i.Op, i.Width = amd64.Op(random.IntN(int(amd64.Ops)+2)), amd64.Width(random.IntN(3))
			case 8:
				i.Condition, i.Address.Locked = amd64.Condition(random.IntN(18)), random.IntN(2) == 0
			}
		}
		if code, err := amd64.Append(nil, &i); err == nil {
			encoded++
		} else if len(code) != 0 || strings.Contains(err.Error(), "!") {
			t.Errorf("%x, %v", code, err)
		}
		amd64.AppendText(nil, &i)
		_, _ = a.Assemble(nil, []amd64.Instruction{i}, nil)
		if i.Op < amd64.Ops {
			uses := i.Uses(nil)
			if n := len(uses); n > amd64.MaxUses {
				t.Errorf("%d uses", n)
			}
			uses = slices.DeleteFunc(uses, func(u amd64.Use) bool { return !u.Register.IsVirtual() })
			got := i.VirtualUses(nil)
			written := slices.IndexFunc(got, func(u amd64.Use) bool { return u.Access == amd64.Written })
			if written >= 0 && slices.ContainsFunc(got[written:], func(u amd64.Use) bool { return u.Access != amd64.Written }) {
				t.Errorf("%v: of %v what is written is not the last", i, got)
			}
			compare := func(a, b amd64.Use) int {
				return cmp.Or(cmp.Compare(a.Register, b.Register), cmp.Compare(a.Access, b.Access))
			}
			slices.SortFunc(uses, compare)
			if slices.SortFunc(got, compare); !slices.Equal(got, uses) {
				t.Errorf("%v: %v, expected %v", i, got, uses)
			}
			i.Effects()
			i.Flags()
		}
	}
	t.Logf("%d are encoded", encoded)
}

// mixture is a list of instructions as kernels have them.
var mixture = func() []amd64.Instruction {
	y := func(o amd64.Op, operands ...amd64.Operand) amd64.Instruction { return ins(o, amd64.Wide, operands...) }
	r := func(o amd64.Op, operands ...amd64.Operand) amd64.Instruction {
		return ins(o, amd64.Narrow, operands...)
	}
	v := amd64.Vector
	loop, loads, stores, count := y(amd64.Mark, amd64.Label(0)), y(amd64.VMovUPS, v(1), amd64.Mem), y(amd64.VMovUPS, amd64.Mem, v(1)), r(amd64.Add, amd64.RCX, amd64.Imm)
	loads.Address = amd64.Indexed(amd64.R9, amd64.RCX, 4, 64)
	stores.Address = amd64.Indexed(amd64.RDX, amd64.RCX, 4, 0)
	count.Immediate = 8
	gather := y(amd64.VPGatherDD, v(6), amd64.Mem, v(7))
	gather.Address = amd64.Indexed(amd64.RSI, v(2), 4, 0)
	back := y(amd64.Jcc, amd64.Label(0))
	back.Condition = amd64.Below
	shift := y(amd64.VPSllD, v(9), v(10), amd64.Imm)
	shift.Immediate = 2
	return []amd64.Instruction{
		loop, loads, y(amd64.VMulPS, v(1), v(1), v(12)), y(amd64.VFMAdd213PS, v(1), v(2), v(3)), y(amd64.VPCmpEqD, v(7), v(7), v(7)),
		gather, y(amd64.VBlendVPS, v(1), v(1), v(6), v(13)), shift, y(amd64.VPAddD, v(9), v(9), v(8)), stores, count,
		r(amd64.Cmp, amd64.RCX, amd64.R8), back, y(amd64.VZeroUpper), y(amd64.Ret),
	}
}()

// TestNoAllocation: encoding allocates nothing but the code.
func TestNoAllocation(t *testing.T) {
	code := make([]byte, 0, 1<<10)
	var a amd64.Assembler
	uses := make([]amd64.Use, 0, amd64.MaxUses)
	if n := testing.AllocsPerRun(100, func() {
		var err error
		if code, err = a.Assemble(code[:0], mixture, nil); err != nil {
			t.Fatal(err)
		}
		for n := range mixture {
			uses = mixture[n].Uses(uses[:0])
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAssemble(b *testing.B) {
	code := make([]byte, 0, 1<<12)
	var a amd64.Assembler
	for b.Loop() {
		code, _ = a.Assemble(code[:0], mixture, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(mixture)), "ns/instruction")
	b.ReportMetric(float64(len(code))/float64(len(mixture)), "B/instruction")
}

func BenchmarkUses(b *testing.B) {
	uses := make([]amd64.Use, 0, amd64.MaxUses)
	for b.Loop() {
		for n := range mixture {
			uses = mixture[n].Uses(uses[:0])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(mixture)), "ns/instruction")
}
