package ptx_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/testmode"
)

var tokens = regexp.MustCompile(`[\w.%$]+|\s+|.`)

// mutant returns a module with a token deleted, repeated, or replaced by another token.
func mutant(random *rand.Rand, text string) string {
	list := tokens.FindAllString(text, -1)
	n := random.IntN(len(list))
	switch random.IntN(4) {
	case 0:
		list[n] = ""
	case 1:
		list[n] += " " + list[n]
	default:
		list[n] = list[random.IntN(len(list))]
	}
	return strings.Join(list, "")
}

// TestMutants parses and runs mutants of a module, which must never panic.
func TestMutants(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	read, ran := 0, 0
	const count = 1000
	for range count {
		text := mutant(random, accepted)
		m, err := ptx.Parse([]byte(text))
		if err != nil {
			continue
		}
		read++
		launch := &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: make([]byte, 128)}},
			Immediates: make([]byte, 16), Steps: 1 << 16}
		if m.Run(kernel(32, 16), launch) == nil {
			ran++
		}
	}
	t.Logf("of %d mutants %d are read and %d run", count, read, ran)
}

// TestTensorMutants does the same with a kernel that has tensor maps.
func TestTensorMutants(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	a, b := halves(64*64, leftValue), halves(64*64, rightValue)
	read, ran := 0, 0
	count := testmode.Count(20, 200, 2000)
	for range count {
		text := mutant(random, tensorProgram())
		if _, err := ptx.Parse([]byte(text)); err != nil {
			continue
		}
		read++
		if _, _, err := tensorRun(text, "f16", 64, a, b); err == nil {
			ran++
		}
	}
	t.Logf("of %d mutants %d are read and %d run", count, read, ran)
}
