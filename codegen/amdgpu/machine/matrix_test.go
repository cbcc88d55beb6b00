package machine

import (
	"fmt"
	"os"
	tools "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"
)

// machineProduct is a product, and its name in LLVM's machine code.
type machineProduct struct {
	op   opcode
	llvm string
}

var machineProducts = []machineProduct{
	{isa.VMfmaF3216x16x16F16, "V_MFMA_F32_16X16X16F16_vgprcd_e64"},
	{isa.VMfmaF3216x16x16Bf16, "V_MFMA_F32_16X16X16BF16_1K_vgprcd_e64"},
	{isa.VMfmaI3216x16x32I8, "V_MFMA_I32_16X16X32I8_vgprcd_e64"},
	{isa.VMfmaF3216x16x4F32, "V_MFMA_F32_16X16X4F32_vgprcd_e64"},
	{isa.VMfmaF6416x16x4F64, "V_MFMA_F64_16X16X4F64_vgprcd_e64"},
}

// of returns the product with operands that begin at registers, and its text.
func (p machineProduct) of(registers ...int) (i instruction, text string) {
	i = instruction{op: p.op, count: 4}
	var parts [4]string
	for n, r := range registers {
		i.args[n] = assignedVector | operand(r)
		for k := range operations[p.op].shape[n].words {
			parts[n] += fmt.Sprintf("_vgpr%d", r+int(k))
		}
		parts[n] = "$" + parts[n][1:]
	}
	return i, fmt.Sprintf("early-clobber %s = %s %s, %s, %s, 0, 0, 0, implicit $mode, implicit $exec", parts[0], p.llvm, parts[1], parts[2], parts[3])
}

// pair is two instructions, and their text.
type pair struct {
	name  string
	list  [2]instruction
	texts [2]string
	// cautious says that more may be inserted than LLVM does: for narrow types, after products of
	// f32 and f64, to parts of whose results they add
	cautious bool
}

// pairs returns each product with each use of its registers.
func pairs() (all []pair) {
	v := func(n int) operand { return assignedVector | operand(n) }
	for _, p := range machineProducts {
		first, text := p.of(0, 40, 44, 48)
		with := func(name string, second instruction, secondText string) {
			all = append(all, pair{p.llvm + " " + name, [2]instruction{first, second}, [2]string{text, secondText}, false})
		}
		with("read", instruction{op: isa.VMovB32, count: 2, args: [6]operand{v(100), v(1)}}, "$vgpr100 = V_MOV_B32_e32 $vgpr1, implicit $exec")
		with("overwritten", instruction{op: isa.VMovB32, count: 2, args: [6]operand{v(1), v(100)}}, "$vgpr1 = V_MOV_B32_e32 $vgpr100, implicit $exec")
		with("operand overwritten", instruction{op: isa.VMovB32, count: 2, args: [6]operand{v(40), v(100)}}, "$vgpr40 = V_MOV_B32_e32 $vgpr100, implicit $exec")
		with("sums overwritten", instruction{op: isa.VMovB32, count: 2, args: [6]operand{v(49), v(100)}}, "$vgpr49 = V_MOV_B32_e32 $vgpr100, implicit $exec")
		with("stored", instruction{op: isa.GlobalStoreB32, count: 3, args: [6]operand{v(90), v(2)}}, "GLOBAL_STORE_DWORD $vgpr90_vgpr91, $vgpr2, 0, 0, implicit $exec")
		with("stored to workgroup memory", instruction{op: isa.DsStoreB32, count: 2, args: [6]operand{v(90), v(2)}}, "DS_WRITE_B32_gfx9 $vgpr90, $vgpr2, 0, 0, implicit $exec")
		with("loaded", instruction{op: isa.GlobalLoadB32, count: 3, args: [6]operand{v(2), v(90)}}, "$vgpr2 = GLOBAL_LOAD_DWORD $vgpr90_vgpr91, 0, 0, implicit $exec")
		for _, q := range machineProducts {
			for _, use := range []struct {
				name       string
				d, a, b, c int
			}{
				{"sums", 60, 80, 84, 0}, {"shifted sums", 60, 80, 84, 2}, {"left operand", 60, 2, 84, 20}, {"right operand", 60, 80, 0, 20}, {"result", 0, 80, 84, 20}, {"result of operands", 60, 40, 44, 48},
			} {
				second, text := q.of(use.d, use.a, use.b, use.c)
				with("then "+q.llvm+" "+use.name, second, text)
				wide := func(p machineProduct) bool { return p == machineProducts[3] || p == machineProducts[4] }
				all[len(all)-1].cautious = wide(p) && !wide(q) && use.c < 4
			}
		}
		for n, r := range []int{80, 84, 20} {
			second, text := p.of(60, 80, 84, 20)
			all = append(all, pair{fmt.Sprint("operand ", n, " of ", p.llvm),
				[2]instruction{{op: isa.VMovB32, count: 2, args: [6]operand{v(r), v(100)}}, second}, [2]string{fmt.Sprintf("$vgpr%d = V_MOV_B32_e32 $vgpr100, implicit $exec", r), text}, false})
		}
	}
	first, text := machineProducts[4].of(0, 40, 44, 48)
	return append(all, pair{"fma of f64", [2]instruction{first, {op: isa.VFmaF64, count: 4, args: [6]operand{v(60), v(70), v(72), v(74)}}},
		[2]string{text, "$vgpr60_vgpr61 = V_FMA_F64_e64 0, $vgpr70_vgpr71, 0, $vgpr72_vgpr73, 0, $vgpr74_vgpr75, 0, 0, implicit $mode, implicit $exec"}, false})
}

// TestMatrixWaitStates compares the wait states after and before products with those that LLVM
// inserts, and has the verifier find code with one less.
func TestMatrixWaitStates(t *testing.T) {
	prepare()
	list := pairs()
	expected := llvmWaitStates(t, list)
	for n := range list {
		p := &list[n]
		var c code
		c.reset(processorOf("gfx942"))
		c.list = append(c.list, p.list[0], p.list[1], instruction{op: opEnd})
		c.insertWaits()
		states := 0
		for k := range c.list {
			if c.list[k].op == opNop {
				states += int(c.list[k].offset) + 1
			}
		}
		if expected != nil && (states < expected[n] || states > expected[n] && !p.cautious) {
			t.Errorf("%s: %d wait states, and LLVM has %d", p.name, states, expected[n])
		}
		_, _, checked := c.encode(nil)
		checked.VGPRs = isa.VGPRs
		if err := verify.Check(checked); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		at := slices.IndexFunc(checked.Instructions, func(i isa.Instruction) bool { return i.Op == isa.SNop })
		if at < 0 {
			continue
		}
		if i := &checked.Instructions[at]; i.Immediate > 0 { // with one state less
			i.Immediate--
		} else {
			checked.Instructions = slices.Delete(checked.Instructions, at, at+1)
		}
		if verify.Check(checked) == nil {
			t.Errorf("%s: the verifier does not find that a wait state of %d is missing", p.name, states)
		}
	}
	t.Logf("%d pairs", len(list))
}

var (
	machineName = regexp.MustCompile(`^name: +(\S+)`)
	machineNop  = regexp.MustCompile(`S_NOP (\d+)`)
)

// llvmWaitStates returns the wait states that LLVM inserts, or nil if it is missing.
func llvmWaitStates(t *testing.T, list []pair) (states []int) {
	t.Helper()
	if _, err := tools.LookPath("llc-19"); err != nil {
		t.Log("not compared: there is no llc-19 (Debian: llvm-19)")
		return nil
	}
	var text strings.Builder
	for n := range list {
		fmt.Fprintf(&text, "---\nname: pair%d\nbody: |\n  bb.0:\n    %s\n    %s\n    S_ENDPGM 0\n...\n", n, list[n].texts[0], list[n].texts[1])
	}
	file := filepath.Join(t.TempDir(), "pairs.mir")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := tools.Command("llc-19", "-mtriple=amdgcn", "-mcpu=gfx942", "-run-pass", "post-RA-hazard-rec", file, "-o", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if machineName.MatchString(line) {
			states = append(states, 0)
		} else if m := machineNop.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			states[len(states)-1] += n + 1
		}
	}
	if len(states) != len(list) {
		t.Fatalf("LLVM has %d functions of %d", len(states), len(list))
	}
	return states
}
