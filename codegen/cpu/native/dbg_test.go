package native

import (
	"fmt"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

func init() {
	debugAllocate = func(s *selector, a *allocator, bank int) {
		for n := range s.list {
			fmt.Println(n, string(amd64.AppendText(nil, &s.list[n])))
		}
		for _, m := range a.active[bank] {
			fmt.Println(m, a.intervals[m])
		}
	}
}
