package gpu

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// This file compares subgroup operations as plain Go with their definitions, which are applied to
// each lane of a subgroup with a number of active items.

// inSubgroups runs a kernel of one workgroup.
func inSubgroups(items, lanes int, kernel func(it Item)) {
	EachGroupWithSubgroups(D1(1), Int3{items, 1, 1}, lanes, func() func(Item) { return kernel })
}

// mask is the lowest n bits.
func mask(n int) uint32 { return uint32(1<<n - 1) }

// operations are what the items compute, each beside what it has to give the item of lane l of n.
// No lane is beyond 31.
var operations = []struct {
	name string
	got  func(it Item, l int) any
	want func(l, n int) any
}{
	{"Add", func(it Item, l int) any { return SubgroupAdd(it, l+1) }, func(l, n int) any { return n * (n + 1) / 2 }},
	{"Add int32", func(it Item, l int) any { return SubgroupAdd(it, int32(math.MaxInt32)) }, func(l, n int) any {
		if n%2 == 0 {
			return int32(-n)
		}
		return int32(math.MaxInt32 - (n - 1))
	}},
	{"Add float32", func(it Item, l int) any { return SubgroupAdd(it, float32(0.5)) }, func(l, n int) any { return float32(n) / 2 }},
	{"Mul", func(it Item, l int) any { return SubgroupMul(it, twoBelow(l, 5)) }, func(l, n int) any { return uint32(1) << min(n, 5) }},
	{"Min", func(it Item, l int) any { return SubgroupMin(it, int32(100-l)) }, func(l, n int) any { return int32(101 - n) }},
	{"Max", func(it Item, l int) any { return SubgroupMax(it, float32(100-l)) }, func(l, n int) any { return float32(100) }},
	{"And", func(it Item, l int) any { return SubgroupAnd(it, ^(uint32(1) << l)) }, func(l, n int) any { return ^mask(n) }},
	{"Or", func(it Item, l int) any { return SubgroupOr(it, uint32(1)<<l) }, func(l, n int) any { return mask(n) }},
	{"Xor", func(it Item, l int) any { return SubgroupXor(it, int32(6)) }, func(l, n int) any { return int32(n % 2 * 6) }},
	{"InclusiveAdd", func(it Item, l int) any { return SubgroupInclusiveAdd(it, uint(l+1)) }, func(l, n int) any { return uint((l + 1) * (l + 2) / 2) }},
	{"ExclusiveAdd", func(it Item, l int) any { return SubgroupExclusiveAdd(it, l+1) }, func(l, n int) any { return l * (l + 1) / 2 }},
	{"InclusiveMul", func(it Item, l int) any { return SubgroupInclusiveMul(it, twoBelow(l, 5)) }, func(l, n int) any { return uint32(1) << min(l+1, 5) }},
	{"ExclusiveMul", func(it Item, l int) any { return SubgroupExclusiveMul(it, float32(twoBelow(l, 5))) }, func(l, n int) any { return float32(uint32(1) << min(l, 5)) }},
	{"All", func(it Item, l int) any { return SubgroupAll(it, l < 4) }, func(l, n int) any { return n <= 4 }},
	{"Any", func(it Item, l int) any { return SubgroupAny(it, l == 4) }, func(l, n int) any { return n > 4 }},
	{"Ballot", func(it Item, l int) any { return SubgroupBallot(it, l%2 == 1) }, func(l, n int) any { return [4]uint32{0xaaaaaaaa & mask(n)} }},
	{"Elect", func(it Item, l int) any { return SubgroupElect(it) }, func(l, n int) any { return l == 0 }},
	{"Broadcast", func(it Item, l int) any { return SubgroupBroadcast(it, 10*l, 3) }, lane(func(l int) int { return 3 })},
	{"BroadcastFirst", func(it Item, l int) any { return SubgroupBroadcastFirst(it, l+7) }, func(l, n int) any { return 7 }},
	{"Shuffle", func(it Item, l int) any { return SubgroupShuffle(it, 10*l, 4-l) }, lane(func(l int) int { return 4 - l })},
	{"ShuffleXor", func(it Item, l int) any { return SubgroupShuffleXor(it, 10*l, 5) }, lane(func(l int) int { return l ^ 5 })},
	{"ShuffleUp", func(it Item, l int) any { return SubgroupShuffleUp(it, 10*l, 2) }, lane(func(l int) int { return l - 2 })},
	{"ShuffleDown", func(it Item, l int) any { return SubgroupShuffleDown(it, 10*l, 2) }, lane(func(l int) int { return l + 2 })},
	{"ShuffleUp by less than nothing", func(it Item, l int) any { return SubgroupShuffleUp(it, 10*l, -1) }, lane(func(l int) int { return -1 })},
	{"QuadBroadcast", func(it Item, l int) any { return QuadBroadcast(it, 10*l, 2) }, lane(func(l int) int { return l/4*4 + 2 })},
	{"QuadSwapX", func(it Item, l int) any { return QuadSwapX(it, 10*l) }, lane(func(l int) int { return l + 1 - l%2*2 })},
	{"QuadSwapY", func(it Item, l int) any { return QuadSwapY(it, 10*l) }, lane(func(l int) int { return l/4*4 + (l+2)%4 })},
	{"QuadSwapDiagonal", func(it Item, l int) any { return QuadSwapDiagonal(it, 10*l) }, lane(func(l int) int { return l/4*4 + 3 - l%4 })},
}

// twoBelow is 2 in lanes below a limit, and 1 in others.
func twoBelow(l, limit int) uint32 {
	if l < limit {
		return 2
	}
	return 1
}

// lane is what is expected of an operation that gives ten times a lane, or the item's own if that
// is not there.
func lane(from func(l int) int) func(l, n int) any {
	return func(l, n int) any {
		if k := from(l); k >= 0 && k < n {
			return 10 * k
		}
		return 10 * l
	}
}

// TestSubgroupOperations runs each operation in workgroups of several sizes, whose subgroups have
// so many items.
func TestSubgroupOperations(t *testing.T) {
	for _, test := range []struct {
		items, lanes int
		subgroups    []int
	}{
		{1, 32, []int{1}},
		{5, 32, []int{5}},
		{32, 32, []int{32}},
		{33, 32, []int{32, 1}},
		{64, 32, []int{32, 32}},
		{100, 32, []int{32, 32, 32, 4}},
		{5, 4, []int{4, 1}},
		{20, 8, []int{8, 8, 4}},
		{3, 1, []int{1, 1, 1}},
	} {
		for _, o := range operations {
			got := make([]any, test.items)
			inSubgroups(test.items, test.lanes, func(it Item) { got[it.LocalIndex()] = o.got(it, it.SubgroupLane()) })
			k := 0
			for _, n := range test.subgroups {
				for l := range n {
					if want := o.want(l, n); got[k] != want {
						t.Errorf("%s, %d items in subgroups of %d: lane %d of %d gets %v, want %v", o.name, test.items, test.lanes, l, n, got[k], want)
					}
					k++
				}
			}
		}
	}
}

// TestSubgroupPositions: what an item is in its subgroup, with and without operations.
func TestSubgroupPositions(t *testing.T) {
	look := func(lanes, of int) func(it Item) {
		return func(it Item) {
			n := it.LocalIndex()
			if it.SubgroupSize() != lanes || it.Subgroups() != of || it.Subgroup()*lanes+it.SubgroupLane() != n || it.SubgroupLane() >= lanes {
				t.Errorf("item %d is in lane %d of %d, in subgroup %d of %d", n, it.SubgroupLane(), it.SubgroupSize(), it.Subgroup(), it.Subgroups())
			}
		}
	}
	Each(D1(2), Int3{11, 3, 2}, look(32, 3))
	EachGroup(D1(2), Int3{11, 3, 1}, func() func(Item) { return look(32, 2) })
	EachGroupWithSubgroups(D1(2), Int3{11, 3, 1}, 16, func() func(Item) { return look(16, 3) })
	for _, lanes := range []int{-32, 0, 3, 48, 256} {
		if problem := panics(func() { inSubgroups(4, lanes, func(Item) {}) }); !strings.Contains(problem, "power of two up to 128") {
			t.Errorf("subgroups of %d: %q", lanes, problem)
		}
	}
}

// TestLargeSubgroups: lanes beyond the first word of a ballot.
func TestLargeSubgroups(t *testing.T) {
	inSubgroups(100, 128, func(it Item) {
		if got, want := SubgroupBallot(it, it.LocalIndex()%33 == 0), [4]uint32{1, 2, 4, 8}; got != want {
			t.Errorf("the ballot is %v, want %v", got, want)
		}
		if got := SubgroupShuffle(it, it.LocalIndex(), 99); got != 99 {
			t.Errorf("lane 99 has %d", got)
		}
	})
}

// TestSubgroupOrder: sums of float32 are in the order of lanes, which shows where numbers are
// large.
func TestSubgroupOrder(t *testing.T) {
	values := []float32{1e8, 1, -1e8, 1} // from behind the sum is 0
	inSubgroups(4, 4, func(it Item) {
		l := it.SubgroupLane()
		if got := SubgroupAdd(it, values[l]); got != 1 {
			t.Errorf("the sum is %v", got)
		}
		if got, want := SubgroupInclusiveAdd(it, values[l]), []float32{1e8, 1e8, 0, 1}[l]; got != want {
			t.Errorf("the sum up to %d is %v, want %v", l, got, want)
		}
		if got, want := SubgroupExclusiveAdd(it, values[l]), []float32{0, 1e8, 1e8, 0}[l]; got != want {
			t.Errorf("the sum before %d is %v, want %v", l, got, want)
		}
	})
}

// TestSubgroupsIndependent: subgroups go their own ways between barriers, and each time get what
// was handed in that time.
func TestSubgroupsIndependent(t *testing.T) {
	type metre float32 // any type whose kind is right will do
	var sums [3]int
	EachGroupWithSubgroups(D1(3), Int3{20, 1, 1}, 8, func() func(Item) {
		var shared [3]int
		return func(it Item) {
			for iteration := range 2 {
				sum := 0
				for k := range 3 * (it.Subgroup() + 1) { // 3, 6 or 9 operations
					sum += SubgroupAdd(it, k)
				}
				if SubgroupElect(it) {
					shared[it.Subgroup()] = sum + iteration
				}
				it.Barrier()
				// 8 · (0+1+2), 8 · (0+…+5), 4 · (0+…+8)
				if want := [3]int{24 + iteration, 120 + iteration, 144 + iteration}; shared != want {
					t.Errorf("iteration %d: %v, want %v", iteration, shared, want)
				}
				it.Barrier()
			}
			if m := SubgroupMax(it, metre(it.Subgroup())); m != metre(it.Subgroup()) {
				t.Errorf("the greatest is %v", m)
			}
			if it.LocalIndex() == 0 {
				sums[it.Group().X] = shared[0] + shared[1] + shared[2]
			}
		}
	})
	if sums != [3]int{291, 291, 291} {
		t.Errorf("%v", sums)
	}
}

// TestInterleaving: the items of a subgroup run in their order from operation to operation.
func TestInterleaving(t *testing.T) {
	var order []int
	var lock sync.Mutex // items are not ordered for the race detector
	inSubgroups(3, 4, func(it Item) {
		for range 2 {
			lock.Lock()
			order = append(order, it.LocalIndex())
			lock.Unlock()
			SubgroupElect(it)
		}
	})
	if want := []int{0, 1, 2, 0, 1, 2}; !slices.Equal(order, want) {
		t.Errorf("the items ran in the order %v, want %v", order, want)
	}
}

// line notes the line that it is called from, or one so far further down, and is true.
func line(in *atomic.Int64, down int) bool {
	_, _, n, _ := runtime.Caller(1)
	in.Store(int64(n + down))
	return true
}

// TestDivergentSubgroups: divergence in a subgroup is reported with both locations.
func TestDivergentSubgroups(t *testing.T) {
	var a, b atomic.Int64
	waits := func(n *atomic.Int64) string { return fmt.Sprintf("waits at subgroup_test.go:%d", n.Load()) }
	for _, test := range []struct {
		name   string
		kernel func(it Item)
		want   func() []string
	}{
		{"some end", func(it Item) {
			if it.SubgroupLane() < 3 {
				_ = line(&a, 0) && SubgroupElect(it)
			}
		}, func() []string { return []string{waits(&a), "has ended"} }},
		{"two operations", func(it Item) {
			if it.SubgroupLane() < 3 {
				_ = line(&a, 0) && SubgroupAdd(it, 1) > 0
			} else {
				_ = line(&b, 0) && SubgroupAdd(it, 1) > 0
			}
		}, func() []string { return []string{waits(&a), waits(&b)} }},
		{"an operation and a barrier", func(it Item) {
			if it.SubgroupLane() != 2 {
				_ = line(&a, 0) && SubgroupAll(it, true)
			} else if line(&b, 1) {
				it.Barrier()
			}
		}, func() []string { return []string{waits(&a), waits(&b)} }},
		{"in the second subgroup", func(it Item) {
			if it.LocalIndex() != 7 {
				_ = line(&a, 0) && SubgroupElect(it)
			}
		}, func() []string { return []string{"subgroup 1 of workgroup {0 0 0}", waits(&a), "has ended"} }},
		{"a whole subgroup at a barrier", func(it Item) {
			if it.Subgroup() == 1 && line(&a, 1) {
				it.Barrier()
			}
		}, func() []string {
			return []string{"the items of workgroup {0 0 0} diverge at a barrier", waits(&a), "has ended"}
		}},
		{"subgroups at two barriers", func(it Item) {
			if it.Subgroup() == 1 && line(&a, 1) {
				it.Barrier()
			} else if line(&b, 1) {
				it.Barrier()
			}
		}, func() []string {
			return []string{"the items of workgroup {0 0 0} diverge at a barrier", waits(&a), waits(&b)}
		}},
		{"loads for all", func(it Item) {
			var x int
			if it.SubgroupLane() == 1 {
				_ = line(&a, 0) && UniformLoad(it, &x) == 0
			} else {
				_ = line(&b, 0) && UniformLoad(it, &x) == 0
			}
		}, func() []string { return []string{"diverge at a barrier", waits(&a), waits(&b)} }},
	} {
		problem := panics(func() { inSubgroups(8, 4, test.kernel) })
		for _, want := range test.want() {
			if !strings.Contains(problem, want) {
				t.Errorf("%s: %q lacks %q", test.name, problem, want)
			}
		}
		if items := regexp.MustCompile(`item {\d 0 0}`).FindAllString(problem, -1); len(items) != 2 || items[0] == items[1] {
			t.Errorf("%s: %q does not name two items", test.name, problem)
		}
	}
	problem := panics(func() { Each(D1(1), Int3{4, 1, 1}, func(it Item) { SubgroupElect(it) }) })
	if !strings.Contains(problem, "EachGroup runs kernels with") {
		t.Errorf("Each: %q", problem)
	}
}

// panics returns what a function panics with.
func panics(f func()) (problem string) {
	defer func() { problem = fmt.Sprint(recover()) }()
	f()
	return ""
}
