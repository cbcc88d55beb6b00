package isa_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/internal/amdgputest"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/testmode"
)

// machineInstruction matches a line of LLVM's MIR: the opcode, which is the first word in capitals,
// and what follows it.
var machineInstruction = regexp.MustCompile(`(?m)^    (?:[^=\n]* = )?(?:[a-z][a-z-]* )*([A-Z][A-Za-z0-9_]*)\b(.*)$`)

// implicit matches a register that an instruction reads or writes besides its operands.
var implicit = regexp.MustCompile(`implicit(-def)? (?:killed |dead |undef |internal |renamable )*\$(scc|exec|exec_lo|vcc|vcc_lo|m0)\b`)

// cautious are effects that LLVM has and the references do not: its s_bitset0_b32 was an s_and_b32,
// and reading EXEC keeps messages and cache control in order. Where it saves EXEC and sets it at
// once, it has two instructions later, of which the first seems to set it, too.
var cautious = map[isa.Op]isa.Effects{isa.SMovB32: isa.WritesEXEC, isa.SBitset0B32: isa.WritesSCC, isa.SSendmsg: isa.ReadsEXEC, isa.BufferGl0Inv: isa.ReadsEXEC, isa.BufferInv: isa.ReadsEXEC, isa.BufferWbl2: isa.ReadsEXEC}

// TestEffects compares the effects of rows on SCC, EXEC, VCC and M0 with those that LLVM has for
// the instructions of the exec kernels. VCC is compared if no operand is a mask; else it may be the
// operand.
func TestEffects(t *testing.T) {
	if missing := bench.MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	compared := map[isa.Op]bool{}
	unknown := map[string]bool{}
	for f := range isa.GFX1100 + 1 {
		ops := map[string]isa.Op{}
		for o := range isa.Ops {
			if o.Format(f) == isa.Absent || o.Returns() {
				continue
			}
			ops[o.String()] = o // LLVM's own names are those of gfx942 for all families
		}
		text, err := bench.MachineInstructions(f.String(), amdgputest.Programs(t, "../../..", f.String(), codegen.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range machineInstruction.FindAllStringSubmatch(text, -1) {
			name := strings.ToLower(m[1])
			o, ok := ops[name]
			for !ok && strings.Contains(name, "_") { // LLVM has a name for each form
				name = name[:strings.LastIndexByte(name, '_')]
				if o, ok = ops[name]; strings.HasSuffix(m[1], "_RTN") || strings.HasSuffix(m[1], "_term") {
					break
				}
			}
			if !ok {
				unknown[m[1]] = true
				continue
			}
			compared[o] = true
			looked := isa.ReadsSCC | isa.WritesSCC | isa.ReadsEXEC | isa.WritesEXEC | isa.ReadsM0
			if format := o.Format(f); format == isa.SOPP || format == isa.VOP3 && !slotsHaveMask(o) {
				looked |= isa.ReadsVCC | isa.WritesVCC
			}
			looked &^= cautious[o]
			var found isa.Effects
			for _, r := range implicit.FindAllStringSubmatch(m[2], -1) {
				effects := map[string][2]isa.Effects{"scc": {isa.ReadsSCC, isa.WritesSCC}, "exec": {isa.ReadsEXEC, isa.WritesEXEC},
					"vcc": {isa.ReadsVCC, isa.WritesVCC}, "m0": {isa.ReadsM0, 0}}[strings.TrimSuffix(r[2], "_lo")]
				if r[1] == "" {
					found |= effects[0]
				} else {
					found |= effects[1]
				}
			}
			if got := o.Effects() & looked; got != found&looked {
				t.Errorf("%s: the row of %s has the effects %b, and LLVM %b: %s", f, o, got, found&looked, m[0])
			}
		}
	}
	t.Logf("%d instructions compared; %d names of LLVM's are none of the table's", len(compared), len(unknown))
	if len(compared) < 200 && testmode.IsLong() {
		t.Errorf("%d instructions were compared", len(compared))
	}
}

func slotsHaveMask(o isa.Op) bool {
	for _, s := range o.Slots() {
		if s.Mask() {
			return true
		}
	}
	return false
}
