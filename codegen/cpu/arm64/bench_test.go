package arm64_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// BenchmarkAppend encodes the samples of all rows; an operation is an instruction.
func BenchmarkAppend(b *testing.B) {
	list := everything()
	b.ReportAllocs()
	var code []byte
	for n := 0; b.Loop(); n++ {
		if n%4096 == 0 {
			code = code[:0]
		}
		code, _ = arm64.Append(code, &list[n%len(list)])
	}
}
