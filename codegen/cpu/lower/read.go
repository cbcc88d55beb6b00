// The text of artefacts: IR that is parsed and verified before anything is made of it, as a file
// may hold whatever it likes.

package lower

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Read parses and verifies the IR text of an artefact, and finds the kernel of this name, or its
// only one if the name is "". The sources are those that spans lead to: what the text was made of,
// where the text has that, and else the text.
func Read(name string, text []byte) (*ir.Module, *ir.Func, *source.Set, error) {
	var set source.Set
	var list diag.List
	file, err := set.Add(name+".ir", string(text))
	if err != nil {
		return nil, nil, nil, err
	}
	m := ir.Parse(&set, file, &list)
	sources := &set
	if m != nil {
		sources = m.Sources
		ir.Verify(m, &list)
	}
	if list.Errors() > 0 || m == nil {
		var b strings.Builder
		diag.Write(&b, sources, list.Items())
		return nil, nil, nil, fmt.Errorf("the IR is not valid:\n%s", b.String())
	}
	if kernels := m.Kernels(); name == "" && len(kernels) == 1 {
		return m, kernels[0], sources, nil
	}
	f := m.Func(name)
	if f == nil || !f.Kernel {
		return nil, nil, nil, errors.New("the code has no entry point of this name")
	}
	return m, f, sources, nil
}
