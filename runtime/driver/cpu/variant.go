// Variants: kernels with textures, compiled for the texel formats and samplers of a launch.

package cpu

import (
	"slices"
	"sync"

	"github.com/gpuc/gpuc/codegen/cpu/sampling"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
)

// variants are those of a kernel, the one that was used last first.
type variants struct {
	tier    Tier // the highest to use
	subject *subject
	mutex   sync.Mutex
	list    []variant
}

// mostVariants bounds how many variants a kernel keeps.
const maxVariants = 8

// variant is a kernel compiled for some states.
type variant struct {
	states []sampling.State
	kernel *sampling.Kernel
	code   executor // nil if no tier but the interpreter takes it
}

// newVariants returns nil for a kernel without textures.
func newVariants(t Tier, s *subject, handles []interp.Handle) *variants {
	if len(handles) == 0 || t == Interpreter {
		return nil
	}
	return &variants{tier: t, subject: s}
}

// bound is the working memory of a launch.
type scratch struct {
	states []sampling.State
	launch sampling.Bound
}

var bounds = sync.Pool{New: func() any { return new(scratch) }}

// run executes a launch by the code for its textures and samplers. It reports false if there is
// none.
func (v *variants) run(launch *interp.Launch) (found []diag.Diagnostic, err error, ran bool) {
	if v == nil {
		return nil, nil, false
	}
	b := bounds.Get().(*scratch)
	defer bounds.Put(b)
	states, ok := sampling.AppendStates(b.states[:0], launch.Handles)
	if !ok {
		return nil, nil, false
	}
	b.states = states
	x := v.find(states)
	if x.code == nil {
		return nil, nil, false
	}
	defer b.launch.Release()
	found, err = x.code.Run(x.kernel.Bind(launch, &b.launch))
	return found, err, true
}

// find returns the variant for some states, and compiles it if there is none yet.
func (v *variants) find(states []sampling.State) variant {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	n := slices.IndexFunc(v.list, func(x variant) bool { return slices.Equal(x.states, states) })
	if n < 0 {
		n = min(len(v.list), maxVariants-1)
		x := variant{states: slices.Clone(states), kernel: sampling.Lower(v.subject.module, v.subject.kernel, states)}
		_, x.code, _ = choose(v.tier, newSubject(nil, x.kernel.Module, x.kernel.Func))
		v.list = append(v.list[:n], x)
	}
	x := v.list[n]
	copy(v.list[1:n+1], v.list[:n])
	v.list[0] = x
	return x
}
