package ir

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/op"
)

// intrinsicTypes checks the operands of an intrinsic by the letters of its row.
func intrinsicTypes(v *verifier, i Inst) string {
	if v.f.Aux(i) >= uint32(op.IntrinsicCount) {
		return "there is no such intrinsic"
	}
	row := op.IntrinsicID(v.f.Aux(i)).Info()
	if message := v.operands(i, len(row.Operands)); message != "" {
		return message
	}
	for n, letter := range row.Operands {
		got, want := v.typeOf(i, n), Void
		switch letter {
		case 'u':
			want = U32
		case 'i':
			want = I32
		case 'f':
			want = F32
		case 'l':
			want = U64
		case 'b':
			want = Bool
		case 'c':
			if want = U32; !v.f.Arg(i, n).IsConst() {
				return fmt.Sprintf("operand %d of %s is a constant", n+1, row.Name)
			}
		case 'p':
			if _, _, message := v.pointer(i, n); message != "" {
				return message
			}
			continue
		}
		if got != want {
			return fmt.Sprintf("operand %d of %s is %s, want %s", n+1, row.Name, v.m.TypeString(got), v.m.TypeString(want))
		}
	}
	if row.Result {
		return v.result(i, U32)
	}
	return v.result(i, Void)
}
