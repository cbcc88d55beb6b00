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
		switch letter {
		case 'c':
			if !v.f.Arg(i, n).IsConst() {
				return fmt.Sprintf("operand %d of %s is a constant", n+1, row.Name)
			}
		case 'p':
			if _, _, message := v.pointer(i, n); message != "" {
				return message
			}
			continue
		}
		if got, want := v.typeOf(i, n), IntrinsicOperand(byte(letter)); got != want {
			return fmt.Sprintf("operand %d of %s is %s, want %s", n+1, row.Name, v.m.TypeString(got), v.m.TypeString(want))
		}
	}
	return v.result(i, v.m.IntrinsicResult(op.IntrinsicID(v.f.Aux(i))))
}

// IntrinsicOperand returns the type of a scalar in the row of an intrinsic.
func IntrinsicOperand(letter byte) Type {
	switch letter {
	case 'i':
		return I32
	case 'f':
		return F32
	case 'l':
		return U64
	case 'd':
		return F64
	case 'b':
		return Bool
	}
	return U32
}

// IntrinsicResult returns the type of an intrinsic's result.
func (m *Module) IntrinsicResult(x op.IntrinsicID) Type {
	results := x.Info().Results
	switch n := len(results); {
	case n == 0:
		return Void
	case n == 1:
		return IntrinsicOperand(results[0])
	case n <= 4:
		return m.VectorOf(IntrinsicOperand(results[0]), n)
	default:
		return m.ArrayOf(IntrinsicOperand(results[0]), m.ConstU32(uint32(n)))
	}
}
