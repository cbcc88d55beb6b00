package gfx942

// Helpers that compile programs for gfx942, link code objects by LLVM, and launch their kernels.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

const profile = "gfx942"

// needTools skips a test where LLVM's tools are missing.
func needTools(t *testing.T) {
	t.Helper()
	if missing := bench.MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
}

// compile compiles a kernel of a program.
func compile(p *jit.Program, entry string, o codegen.Options, settings []ir.Setting) (bench.Program, error) {
	target, err := amdgpu.Target.With(profile)
	if err != nil {
		return bench.Program{}, err
	}
	var list diag.List
	o.Settings, o.Context = settings, &opt.Context{Verify: true}
	a := codegen.Compile(p.Module(), entry, target, &o, &list)
	if a == nil {
		return bench.Program{}, errors.New(list.Items()[0].Message)
	}
	return bench.Program{Code: a.Code, Kernel: &a.Kernel}, nil
}

// unitOf returns the size of the smallest elements that a program accesses, by its text.
func unitOf(code []byte) uint64 {
	if bytes.Contains(code, []byte("half")) || bytes.Contains(code, []byte("i16")) {
		return 2
	}
	return 4
}

// launchOf returns the launch of the n-th program of an object, with its bindings in order.
func launchOf(n int, k *abi.Kernel, grid [3]uint32, buffers [][]byte, immediates []byte) *Launch {
	l := &Launch{Kernel: bench.KernelName(n), Grid: grid, Workgroup: k.Workgroup, Buffers: buffers}
	for _, p := range k.Parameters {
		switch p.Kind {
		case abi.AddressParameter:
			l.Arguments = append(l.Arguments, Argument{Buffer: int(p.Binding)})
		case abi.LengthParameter:
			length := k.Bindings[p.Binding].Length(uint64(len(buffers[p.Binding])))
			l.Arguments = append(l.Arguments, Argument{Bytes: binary.LittleEndian.AppendUint32(nil, length), Align: 4})
		case abi.ImmediatesParameter:
			data := make([]byte, k.ImmediateBytes())
			copy(data, immediates)
			k.PutExtent(data, grid, [3]uint32{})
			l.Arguments = append(l.Arguments, Argument{Bytes: data, Align: 16})
		}
	}
	return l
}

// counts are the numbers of executed instructions by name: those of this package and of MGPUSim.
type counts struct {
	mutex   sync.Mutex
	of      map[string]uint64
	foreign map[string]uint64
}

// add adds the instructions of a launch.
func (c *counts) add(other map[string]*[2]uint64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.of == nil {
		c.of, c.foreign = map[string]uint64{}, map[string]uint64{}
	}
	for name, n := range other {
		c.of[name] += n[0]
		if n[1] > 0 {
			c.foreign[name] += n[1]
		}
	}
}

// log logs how many opcodes were executed by either side.
func (c *counts) log(t *testing.T) {
	t.Helper()
	wrong := ""
	for _, w := range wrongInMGPUSim {
		wrong += " " + w.names
	}
	wrongNames := wordsOf(wrong)
	var all, foreign uint64
	var theirOpcodes, wrongOpcodes int
	for name, n := range c.of {
		all += n
		foreign += c.foreign[name]
		switch {
		case c.foreign[name] > 0:
			theirOpcodes++
		case wrongNames[name]:
			wrongOpcodes++
		}
	}
	t.Logf("%d instructions of waves, %d by MGPUSim; %d opcodes, %d of them by MGPUSim and %d by rows of this package, for %d that MGPUSim has wrong and %d that it has not",
		all, foreign, len(c.of), theirOpcodes, len(c.of)-theirOpcodes, wrongOpcodes, len(c.of)-theirOpcodes-wrongOpcodes)
}

// counting counts the instructions of a launch; done adds them.
func (c *counts) counting(l *Launch) (done func()) {
	own := map[string]*[2]uint64{}
	l.Count = func(name string, foreign bool) {
		n := own[name]
		if n == nil {
			n = new([2]uint64)
			own[name] = n
		}
		n[0]++
		if foreign {
			n[1]++
		}
	}
	return func() { c.add(own) }
}

// eachPart calls run in parallel with parts of a list of at most so many.
func eachPart[X any](list []X, most int, run func(part []X)) {
	var group sync.WaitGroup
	room := make(chan bool, runtime.NumCPU())
	for len(list) > 0 {
		part := list[:min(most, len(list))]
		list = list[len(part):]
		group.Go(func() {
			room <- true
			defer func() { <-room }()
			run(part)
		})
	}
	group.Wait()
}
