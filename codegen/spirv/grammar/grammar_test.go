package grammar

import (
	"slices"
	"testing"
)

func TestTablesAreSorted(t *testing.T) {
	if !slices.IsSortedFunc(instructions[:], func(a, b Instruction) int { return int(a.Opcode) - int(b.Opcode) }) {
		t.Error("instructions are not in the order of their opcodes")
	}
	for k := range kinds {
		if !slices.IsSortedFunc(kinds[k].Enumerants, compare) {
			t.Errorf("enumerants of %s are not in the order of their values", kinds[k].Name)
		}
	}
	if !slices.IsSortedFunc(glsl[:], compare) {
		t.Error("GLSL.std.450 is not in the order of its numbers")
	}
}

func compare(a, b Enumerant) int {
	switch {
	case a.Value < b.Value:
		return -1
	case a.Value > b.Value:
		return 1
	}
	return 0
}

func TestLookup(t *testing.T) {
	if i := Lookup(OpIAdd); i == nil || i.Name != "OpIAdd" || len(i.Operands) != 4 || i.Operands[0].Kind != IdResultType {
		t.Errorf("OpIAdd is %+v", i)
	}
	if i := Lookup(65535); i != nil {
		t.Errorf("opcode 65535 is %+v", i)
	}
	if e := BuiltIn.Enumerant(BuiltInGlobalInvocationId); e == nil || e.Name != "GlobalInvocationId" {
		t.Errorf("GlobalInvocationId is %+v", e)
	}
	if e := Decoration.Enumerant(DecorationBinding); e == nil || len(e.Parameters) != 1 || e.Parameters[0].Kind != LiteralInteger {
		t.Errorf("Binding is %+v", e)
	}
	if e := GLSL(GLSLFma); e == nil || e.Name != "Fma" {
		t.Errorf("Fma is %+v", e)
	}
}
