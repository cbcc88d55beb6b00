package structs

import (
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/source"
)

// TestDenseOrder compares the proposed order for random structures with all orders.
func TestDenseOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := ir.NewModule(new(source.Set))
	types := []ir.Type{ir.F32, ir.F16, m.VectorOf(ir.F32, 2), m.VectorOf(ir.F32, 3), m.VectorOf(ir.F32, 4), m.VectorOf(ir.F16, 3), m.VectorOf(ir.F16, 2), m.MatrixOf(ir.F32, 2, 3)}
	size := func(members []ir.Member) uint32 {
		size, _ := m.LayoutStruct(members, nil, nil)
		return size
	}
	smaller := 0
	for range 2000 {
		members := make([]ir.Member, 2+r.IntN(5))
		for n := range members {
			members[n] = ir.Member{Name: string(rune('a' + n)), Type: types[r.IntN(len(types))]}
		}
		s := &Struct{}
		s.Size, s.align = m.LayoutStruct(members, nil, nil)
		for _, member := range members {
			s.Fields = append(s.Fields, Field{member.Name, member.Type, member.Offset, m.Size(member.Type)})
		}
		least := s.Size
		var permute func(n int)
		permute = func(n int) {
			if n == len(members) {
				least = min(least, size(members))
			}
			for k := n; k < len(members); k++ {
				members[n], members[k] = members[k], members[n]
				permute(n + 1)
				members[n], members[k] = members[k], members[n]
			}
		}
		permute(0)
		order, proposed := DenseOrder(m, s)
		if proposed > s.Size || proposed < least {
			t.Fatalf("%v: %d bytes are proposed, %d before, %d at least", order, proposed, s.Size, least)
		}
		if proposed != least {
			t.Errorf("%v: %d bytes are proposed, %d would do", s.Fields, proposed, least)
		}
		if least < s.Size {
			smaller++
		}
	}
	if smaller < 100 {
		t.Errorf("only %d structures could be smaller", smaller)
	}
}
