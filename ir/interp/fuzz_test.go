package interp_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
)

// FuzzVerified compiles and runs whatever IR text the verifier accepts, in both modes. Nothing may
// panic or run for ever. IR that does not run must be refused with an *interp.Unsupported or
// another error.
func FuzzVerified(f *testing.F) {
	for _, c := range operationCases {
		f.Add(operationText(c.body))
	}
	for _, text := range []string{saxpy, treeReduction, endless, mixed} {
		f.Add(text)
	}
	f.Fuzz(runVerified)
}

// runVerified runs a text if the verifier accepts it, and reports whether it
// did.
func runVerified(t *testing.T, text string) { tryVerified(t, text) }

func tryVerified(t *testing.T, text string) bool {
	m, _, _ := ir.ParseString(text)
	if m == nil {
		return false
	}
	var list diag.List
	if ir.Verify(m, &list); list.Errors() > 0 {
		return false
	}
	for _, k := range m.Kernels() {
		p, err := interp.Compile(m, k)
		if err != nil {
			var unsupported *interp.Unsupported
			if errors.As(err, &unsupported) && unsupported.Reason == "" {
				t.Error("no reason is given")
			}
			continue
		}
		if w := p.Workgroup(); w[0]*w[1]*w[2] > 64 {
			continue
		}
		for _, isChecked := range []bool{false, true} {
			l := interp.Launch{Grid: [3]uint32{2, 1, 1}, SubgroupSize: 8, Fuel: 1 << 16, Checked: isChecked, Workers: 1}
			for range p.Bindings() {
				l.Buffers = append(l.Buffers, bytesOf(make([]uint64, 20)))
			}
			if _, err := p.Run(&l); err != nil {
				t.Error(err)
			}
		}
	}
	return true
}

// TestMutatedProgramsRunOrAreRefused exchanges words of the test programs for
// others of the same sort, which the verifier accepts more often than what a
// fuzzer makes of the bytes.
func TestMutatedProgramsRunOrAreRefused(t *testing.T) {
	const mutants = 6000
	random := rand.New(rand.NewPCG(7, 7))
	words := regexp.MustCompile(`[%@^]?[A-Za-z0-9_.-]+`)
	sort := func(w string) byte {
		switch c := w[0]; {
		case c >= '0' && c <= '9' || c == '-':
			return '0'
		case c == '%' || c == '@' || c == '^':
			return c
		}
		return 'a'
	}
	vocabulary := map[byte][]string{}
	for _, c := range operationCases {
		for _, w := range words.FindAllString(operationText(c.body), -1) {
			vocabulary[sort(w)] = append(vocabulary[sort(w)], w)
		}
	}
	accepted := 0
	current := ""
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("panic: %v\n%s\n%s", r, debug.Stack(), current)
		}
	}()
	for range mutants {
		text := operationText(operationCases[random.IntN(len(operationCases))].body)
		matches := words.FindAllStringIndex(text, -1)
		for range 1 + random.IntN(2) {
			at := matches[random.IntN(len(matches))]
			choices := vocabulary[sort(text[at[0]:at[1]])]
			text = text[:at[0]] + choices[random.IntN(len(choices))] + text[at[1]:]
			matches = words.FindAllStringIndex(text, -1)
		}
		current = text
		if tryVerified(t, text) {
			accepted++
		}
	}
	t.Logf("%d of %d mutants are valid", accepted, mutants)
	if accepted < mutants/20 {
		t.Errorf("only %d of %d mutants are valid", accepted, mutants)
	}
}
