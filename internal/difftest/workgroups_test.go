package difftest

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// TestWorkgroups checks that sizes off the block, several blocks and several workgroups occur, with
// barriers and without. Few programs may be discarded, and invocations of a program must diverge.
func TestWorkgroups(t *testing.T) {
	seeds := testmode.Count(150, 300, 300)
	thrown := 0
	discarded = func(string) { thrown++ }
	defer func() { discarded = func(string) {} }()
	sizes, seen := map[int]int{}, map[string]int{}
	for seed := range uint64(seeds) {
		p := Workgroups(seed)
		c, err := compileProgram(p)
		if err != nil {
			t.Fatal(err)
		}
		n := c.size[0] * c.size[1] * c.size[2]
		sizes[n]++
		count := func(what string, is bool) {
			if is {
				seen[what]++
			}
		}
		text := p.String()
		count("several workgroups", p.Dispatch != [3]int{1, 1, 1})
		count("several blocks and a tail", n > 8 && n%8 != 0)
		count("barriers", c.barriers)
		count("subgroups", c.lanes)
		count("a return of some", strings.Contains(text, "return;"))
		count("trip counts by a hash", strings.Contains(text, "iteration"))
		m := c.run(false)
		if len(m.faults) > 0 || m.steps > maxSteps {
			t.Errorf("seed %d: %v, %d steps", seed, m.faults, m.steps)
		}
	}
	for _, n := range []int{1, 7, 33, 255, 256} {
		if sizes[n] == 0 {
			t.Errorf("no workgroup of %d", n)
		}
	}
	for what, least := range map[string]int{"several workgroups": seeds / 3, "several blocks and a tail": seeds / 3, "barriers": seeds / 4, "subgroups": seeds / 10,
		"a return of some": seeds / 4, "trip counts by a hash": seeds / 4} {
		if seen[what] < least {
			t.Errorf("%s: %d of %d programs", what, seen[what], seeds)
		}
	}
	if thrown > seeds/10 {
		t.Errorf("%d programs were thrown away for %d", thrown, seeds)
	}
}

// TestLanes compares operations of subgroups with values computed by hand. There are 35
// invocations, the last three in another subgroup; each passes its index plus three.
func TestLanes(t *testing.T) {
	hand := func(count, first int) (list []uint32) {
		for n := range count {
			list = append(list, uint32(first+n+3))
		}
		return list
	}
	full, partial := hand(32, 0), hand(3, 32)
	for _, test := range []struct {
		name string
		at   uint32
		// of invocation 5 in the first subgroup, and of invocation 2 in the second one
		first, second uint32
	}{
		{"subgroupAdd", 0, 592, 108}, {"subgroupExclusiveAdd", 0, 3 + 4 + 5 + 6 + 7, 35 + 36}, {"subgroupInclusiveAdd", 0, 33, 108},
		{"subgroupInclusiveMul", 0, 3 * 4 * 5 * 6 * 7 * 8, 35 * 36 * 37}, {"subgroupExclusiveMul", 0, 3 * 4 * 5 * 6 * 7, 35 * 36},
		{"subgroupMin", 0, 3, 35}, {"subgroupMax", 0, 34, 37}, {"subgroupAnd", 0, 0, 32}, {"subgroupOr", 0, 63, 39}, {"subgroupXor", 0, 32, 34},
		{"subgroupBroadcastFirst", 0, 3, 35}, {"subgroupBroadcast", 2, 5, 37}, {"subgroupShuffle", 1, 4, 36}, {"subgroupShuffleXor", 2, 10, 35},
		{"subgroupShuffleUp", 2, 6, 35}, {"subgroupShuffleDown", 2, 10, 0}, {"quadBroadcast", 1, 8, 36}, {"quadSwapX", 0, 7, 0}, {"quadSwapY", 0, 10, 35},
		{"quadSwapDiagonal", 0, 9, 36},
	} {
		operation := lanesOperations[test.name]
		if got := operation(U32, slices.Clone(full), 5, test.at); got != test.first {
			t.Errorf("%s: expected %d in the first subgroup, found %d", test.name, test.first, got)
		}
		if got := operation(U32, slices.Clone(partial), 2, test.at); got != test.second {
			t.Errorf("%s: expected %d in the second subgroup, found %d", test.name, test.second, got)
		}
	}
	if lanesOperations["subgroupAdd"](I32, []uint32{1<<31 - 1, 1}, 0, 0) != 1<<31 || lanesOperations["subgroupMin"](I32, []uint32{1, 1<<32 - 1}, 0, 0) != 1<<32-1 {
		t.Error("signed numbers are added or compared wrong")
	}
}

// TestOrderOfLanes says that what an operation of subgroups hands in is what it was before its
// second operand had effects.
func TestOrderOfLanes(t *testing.T) {
	q := flowProgram(func(x, p *Expr, bump func() *Expr) []*Stmt {
		// 0
		lane := &Expr{Op: OpBinary, Name: "-", Type: u32Type, Args: []*Expr{bump(), literalOf(u32Type, 1)}}
		shuffle := &Expr{Op: OpBuiltin, Name: "subgroupShuffle", Type: u32Type, Args: []*Expr{p, lane}}
		return []*Stmt{{Kind: StmtAssign, Target: x, Value: shuffle}}
	})
	q.Subgroups, q.Lanes = true, logical
	if got := words(t, q); got[0] != 1 || got[1] != 11 {
		t.Errorf("found %v, expected 1, which the variable was, and 11, which it is now", got)
	}
}
