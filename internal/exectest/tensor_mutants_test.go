package exectest_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
)

// tensorMutations change one line of the code of a variant with tensor maps, so that it is wrong on
// a device. If some is set, other instructions may order the same, and one line at least is needed.
var tensorMutations = []struct {
	name     string
	line, to string
	some     bool
}{
	{name: "no fence of barrier objects", line: `\tfence\.mbarrier_init.*\n`},
	{name: "no barrier behind it", line: `\tbar\.sync 0;\n`},
	{name: "no arrival", line: `\tmbarrier\.arrive\.shared.*\n`},
	{name: "no bytes expected", line: `\tmbarrier\.arrive\.expect_tx.*\n`},
	{name: "fewer bytes expected", line: `(expect_tx\S+ _, \[%r\d+\], \d+)\d;`, to: `${1}0;`},
	{name: "fewer arrivals", line: `(mbarrier\.init\S+ \[%r\d+\]), [48];`, to: `$1, 3;`},
	{name: "more arrivals", line: `(mbarrier\.init\S+ \[%r\d+\]), 1;`, to: `$1, 2;`},
	{name: "no wait for a phase", line: `\tmbarrier\.try_wait.*\n\t@!%q.*\n`},
	{name: "one try", line: `\t@!%q bra.*\n`},
	{name: "phase 0", line: `(mbarrier\.try_wait.*), %r\d+;`, to: `$1, 0;`},
	{name: "phase 1", line: `(mbarrier\.try_wait.*), %r\d+;`, to: `$1, 1;`},
	{name: "no fence of products", line: `\twgmma\.fence.*\n`},
	{name: "no group of products", line: `\twgmma\.commit_group.*\n`},
	{name: "no wait for the group before", line: `\twgmma\.wait_group\.sync\.aligned 1;\n`},
	{name: "no wait for all groups", line: `\twgmma\.wait_group\.sync\.aligned 0;\n`, some: true},
	{name: "one group less", line: `(wgmma\.wait_group\.sync\.aligned) 0`, to: `$1 1`, some: true},
	{name: "no fence of the proxy", line: `\tfence\.proxy.*\n`},
	{name: "no barrier of a warpgroup", line: `\tbar\.sync %r\d+, 128;\n`},
	{name: "no group of stores", line: `\tcp\.async\.bulk\.commit_group;\n`},
	{name: "no wait for stores", line: `\tcp\.async\.bulk\.wait_group\.read 0;\n`},
	{name: "no product", line: `\twgmma\.mma_async.*\n`},
	{name: "no load", line: `\tcp\.async\.bulk\.tensor\.2d\.shared.*\n`},
	{name: "no store", line: `\tcp\.async\.bulk\.tensor\.2d\.global.*\n`},
	{name: "column 0", line: `(cp\.async\.bulk\.tensor.*)\{%r\d+,`, to: `$1{0,`},
	{name: "row 0", line: `(cp\.async\.bulk\.tensor.*), %r\d+\}`, to: `$1, 0}`},
	{name: "other order of an operand", line: `(wgmma\.mma_async.*), 1(, 0)?;`, to: `$1, 0$2;`},
}

// productOf returns the product of a kernel.
func productOf(kernel string) *tensorProduct {
	return &tensorProducts[slices.IndexFunc(tensorProducts, func(p tensorProduct) bool { return p.kernel == kernel })]
}

// TestTensorMutants tests that the emulator notices what makes a variant wrong: it reports a fault,
// or the results differ.
func TestTensorMutants(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	m := tensorModule(t)
	kernels := [...]tensorLaunch{{rows: 72, columns: 72, inner: 264, groups: 1}, {rows: 136, columns: 136, inner: 200, groups: 1}}
	for k, name := range [len(kernels)]string{"Small", "Transposed"} {
		a, p, l := compileTensor(t, m, name), productOf(name), kernels[k]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, noticed := a.Tensor.Artefact.Code, 0
			for n, change := range tensorMutations {
				if !testmode.Rotated(n, k, len(kernels)) {
					continue
				}
				pattern := regexp.MustCompile(change.line)
				found, lines := 0, pattern.FindAllIndex(code, -1)
				for _, at := range lines {
					mutant := *a.Tensor.Artefact
					mutant.Code = append([]byte(nil), code[:at[0]]...)
					mutant.Code = append(mutant.Code, pattern.ReplaceAll(code[at[0]:at[1]], []byte(change.to))...)
					mutant.Code = append(mutant.Code, code[at[1]:]...)
					changed := *a
					changed.Tensor = &abi.Tensor{Maps: a.Tensor.Maps, Artefact: &mutant}
					err := p.run(l, func(arguments ...any) error {
						_, err := runVariant(&changed, false, l.groups, arguments...)
						return err
					})
					if err != nil {
						found++
					} else if !change.some {
						t.Errorf("%s is not noticed: %s", change.name, code[at[0]:at[1]])
					}
				}
				if len(lines) == 0 || found == 0 {
					t.Errorf("%s: %d of %d are noticed", change.name, found, len(lines))
				}
				noticed += found
			}
			t.Logf("%d mutants are noticed", noticed)
		})
	}
}
