package tiny

import "testing"

func TestLeast(t *testing.T) {
	if Least(1, 2) != 1 || Least(2, 1) != 1 {
		t.Error("not the least")
	}
}

func TestCount(t *testing.T) {
	if n := Count([]int{1, -1, 1}); n != 2 {
		t.Errorf("%d are not negative", n)
	}
}
