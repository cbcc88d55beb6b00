package vector

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/ir/op"
)

// This file prints programs, for people.

var opcodeNames = [...]string{opPrimitive: "columns", opLent: "lent", opOne: "one", opMove: "move", opMoveWide: "move64", opFill: "fill", opFillWide: "fill64",
	opMeaning: "each", opJoin: "join", opSplit: "split", opPack: "pack", opUnpack: "unpack", opDot: "dot", opLoad: "load", opLoadRow: "loads", opStore: "store",
	opStoreRow: "row", opAtomic: "atomic", opGroup: "subgroup", opTexture: "texture", opBuiltin: "builtin", opBuiltinColumn: "builtins", opGroupColumn: "groups", opLength: "length",
	opJump: "jump", opBranch: "branch", opBranchOne: "branch1", opReturn: "return"}

// primitiveName returns what a primitive is called in the text.
func primitiveName(n uint16) string {
	for k := len(rows) - 1; k >= 0; k-- {
		if r := &rows[k]; n >= r.first {
			if n >= uint16(len(portable)) {
				break
			}
			name := r.op.String()
			if r.then != op.Invalid {
				name += "." + r.then.String()
			}
			name += "." + r.kind.String()
			if r.to != 0 {
				name += "." + r.to.String()
			}
			if r.operands == 3 {
				return name + [...]string{"", " 1", " 2"}[n-r.first]
			}
			return name + [...]string{"", " 1", "1 "}[n-r.first]
		}
	}
	return [...]string{"fill", "fill64", "copy", "copy64", "blend", "blend64", "blendfill", "blendfill64", "mulwide", "mulwide 1", "mulwide1 ", "mulwide.i", "mulwide.i 1", "mulwide.i1 "}[n-fillWord]
}

// Text returns the program's instructions, a line each.
func (p *Program) Text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %d lanes, %d bytes\n", p.name, p.lanes, p.arena)
	for at, i := range p.code {
		for place, start := range p.starts {
			if start == uint32(at) {
				fmt.Fprintf(&s, "%d:\n", place)
			}
		}
		fmt.Fprintf(&s, "  %4d %-8s", at, opcodeNames[i.op])
		switch i.op {
		case opPrimitive, opLent, opOne:
			fmt.Fprintf(&s, " %-18s %6x <- %6x %6x %6x", primitiveName(i.primitive), i.d, i.a, i.b, i.c)
		case opLoad, opStore, opAtomic:
			fmt.Fprintf(&s, " %+v", p.accesses[i.x])
		default:
			fmt.Fprintf(&s, " %6x <- %6x, %d", i.d, i.a, i.x)
		}
		s.WriteByte('\n')
	}
	return s.String()
}
