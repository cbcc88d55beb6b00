package wgsl

import (
	"testing"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir/op"
)

// TestEveryOperationHasARow: every operation has a row, or is written elsewhere or refused.
func TestEveryOperationHasARow(t *testing.T) {
	for o := op.Neg; o < op.Count; o++ {
		r := &table[o]
		elsewhere := o >= op.Var && o <= op.ControlBarrier || o >= op.TileLoad || o == op.Insert || o == op.MulHigh
		if has := r.emit != nil || r.function != "" || r.operator != ""; has == elsewhere {
			t.Errorf("%s: a row is there: %v, and it is written elsewhere: %v", o, has, elsewhere)
		}
	}
}

// TestBuiltinNames compares the names of builtin functions with those of the front end.
func TestBuiltinNames(t *testing.T) {
	names := map[op.Op]map[string]bool{}
	for _, b := range sem.Builtins {
		if b.Expansion != expand.None && b.Expansion != expand.Texture || b.Op == op.Invalid {
			continue
		}
		name := b.Name
		if names[b.Op] == nil {
			names[b.Op] = map[string]bool{}
		}
		names[b.Op][name] = true
	}
	for o := range table {
		for _, name := range []string{table[o].function, table[o].operator, textureNames[o]} {
			if name == "-" && op.Op(o) == op.Neg {
				name = "unary -"
			}
			if name != "" && !names[op.Op(o)][name] && op.Op(o) != op.TextureRead {
				t.Errorf("%s is written `%s`, which the front end does not read as that", op.Op(o), name)
			}
		}
	}
}

func TestIdentifiers(t *testing.T) {
	var n printer.Namer
	initNames(&n, func(name string) bool { return name == "round" })
	for _, test := range [][2]string{{"x", "x"}, {"x", "x_1"}, {"x_1", "x_2"}, {"f32", "f32_1"}, {"loop", "loop_1"}, {"await", "await_1"}, {"_", "v_"}, {"__a", "a"},
		{"7up", "v7up"}, {"a.b", "a_b"}, {"größe", "größe"}, {"", "v"}, {"min", "min_1"}, {"round", "round"}} {
		if got := n.Name(test[0]); got != test[1] {
			t.Errorf("%q becomes %s, want %s", test[0], got, test[1])
		}
	}
	mark := n.Mark()
	n.Name("inner")
	n.Close(mark)
	if got := n.Name("inner"); got != "inner" {
		t.Errorf("a name of a block that has ended is still taken: %s", got)
	}
}
