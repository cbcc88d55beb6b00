package isa

import "strings"

// Conditions of comparisons, in the order of their codes.
const (
	floatConditions   = "f lt eq le gt lg ge o u nge nlg ngt nle neq nlt t"
	integerConditions = "lt eq le gt ne ge"
)

// comparedTypes are the types that are compared, in the order of the Ops, with the code of the
// first condition on each family.
var comparedTypes = [...]struct {
	name   string
	slot   Slot
	codes  [families]uint16
	allows allows // on gfx942
}{
	{"f16", f16, [families]uint16{0x20, 0x00}, hasClamp | hasSDWA},
	{"f32", f32, [families]uint16{0x40, 0x10}, hasClamp | hasSDWA},
	{"f64", f64, [families]uint16{0x60, 0x20}, hasClamp},
	{"i16", b16, [families]uint16{0xA1, 0x31}, hasSDWA},
	{"u16", b16, [families]uint16{0xA9, 0x39}, hasSDWA},
	{"i32", b32, [families]uint16{0xC1, 0x41}, hasSDWA},
	{"u32", b32, [families]uint16{0xC9, 0x49}, hasSDWA},
	{"i64", b64, [families]uint16{0xE1, 0x51}, 0},
	{"u64", b64, [families]uint16{0xE9, 0x59}, 0},
}

// compareRows returns the comparisons, VOPC: v_cmp, and v_cmpx of gfx1100, which writes EXEC.
func compareRows() []row {
	rows := []row{
		{VCmpClassF16, "v_cmp_class_f16", "", enc{{VOPC, 0x14, hasSDWA}, {VOPC, 0x7D, 0}}, args{md, f16, b16}, ReadsEXEC, 0},
		{VCmpClassF32, "v_cmp_class_f32", "", enc{{VOPC, 0x10, hasSDWA}, {VOPC, 0x7E, 0}}, args{md, f32, b32}, ReadsEXEC, 0},
		{VCmpClassF64, "v_cmp_class_f64", "", enc{{VOPC, 0x12, 0}, {VOPC, 0x7F, 0}}, args{md, f64, b32}, ReadsEXEC, 0},
	}
	o := VCmpFF16
	for _, t := range comparedTypes {
		conditions := integerConditions
		if t.name[0] == 'f' {
			conditions = floatConditions
		}
		for n, condition := range strings.Fields(conditions) {
			r := row{o, "v_cmp_" + condition + "_" + t.name, "", enc{{VOPC, t.codes[GFX942] + uint16(n), t.allows}, {VOPC, t.codes[GFX1100] + uint16(n), t.allows & hasClamp}},
				args{md, t.slot, t.slot}, ReadsEXEC, 0}
			if condition == "t" { // which gfx942 calls tru
				r.name, r.other = "v_cmp_tru_"+t.name, r.name
			}
			rows = append(rows, r)
			o++
		}
	}
	for _, r := range rows {
		name := r.name
		if r.other != "" {
			name = r.other
		}
		later := r.encodings[GFX1100]
		later.code += 0x80
		rows = append(rows, row{r.op + VCmpxFF16 - VCmpFF16, strings.Replace(name, "v_cmp_", "v_cmpx_", 1), "", enc{{}, later},
			args{r.slots[1], r.slots[2]}, ReadsEXEC | WritesEXEC, 0})
	}
	return rows
}
