package metal

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// kernel is an MTLComputePipelineState.
type kernel struct {
	object
	name       string
	workgroup  [3]uint32
	shared     uint32 // bytes of workgroup memory
	bindings   []abi.Binding
	handles    []abi.Handle
	immediates int // bytes
	lengths    *abi.Lengths
}

// Load compiles the text of an artefact. What the compiler says is in the error.
func (d *device) Load(artefact *abi.Artefact) (driver.Kernel, error) {
	description := &artefact.Kernel
	k := &kernel{name: description.Name, workgroup: description.Workgroup, shared: description.WorkgroupBytes,
		bindings: slices.Clone(description.Bindings), handles: slices.Clone(description.Handles), immediates: description.ImmediateBytes()}
	if description.Lengths != nil {
		k.lengths = &abi.Lengths{Buffer: description.Lengths.Buffer, Bindings: slices.Clone(description.Lengths.Bindings)}
	}
	err := d.info.Accepts(artefact)
	if err == nil {
		err = k.load(d, artefact.Code)
	}
	if err != nil {
		return nil, fmt.Errorf("metal: load kernel %s: %w", k.name, err)
	}
	return k, nil
}

// mathematics are the math modes: what the first lines of the text say, whether fast math is on
// (until macOS 14), and MTLMathMode (since).
var mathematics = [...]struct {
	word       string
	fast, mode uintptr
}{
	{"(MTLMathMode.safe)", 0, 0},
	{"(MTLMathMode.relaxed)", 1, 1},
	{"(MTLMathMode.fast)", 1, 2},
}

// options reads the first lines of the text, where the compiler says how to compile it: the
// language version as MTLLanguageVersion, and the index in mathematics. A text without such lines
// is version 2.4 with safe math.
func options(code []byte) (version uintptr, way int) {
	version = 2<<16 | 4
	for range 3 {
		line, rest, _ := bytes.Cut(code, []byte("\n"))
		code = rest
		if name, found := strings.CutPrefix(string(line), "// language: -std=metal"); found {
			major, minor, _ := strings.Cut(name, ".")
			x, err := strconv.ParseUint(major, 10, 8)
			y, other := strconv.ParseUint(minor, 10, 8)
			if err == nil && other == nil {
				version = uintptr(x<<16 | y)
			}
		}
		for n, m := range mathematics {
			if strings.HasPrefix(string(line), "// mathematics:") && strings.HasSuffix(string(line), m.word) {
				way = n
			}
		}
	}
	return version, way
}

// load makes the pipeline, which keeps neither the library nor the function.
func (k *kernel) load(d *device, code []byte) error {
	m := d.m
	p := m.enter()
	defer p.leave()
	version, way := options(code)
	o := m.send(m.compileOptions, m.s.New)
	defer m.release(o)
	m.send(o, m.s.SetLanguageVersion, version)
	if m.flag(m.send(o, m.s.RespondsToSelector, m.s.SetMathMode)) {
		m.send(o, m.s.SetMathMode, mathematics[way].mode)
	} else {
		m.send(o, m.s.SetFastMathEnabled, mathematics[way].fast)
	}
	var failure uintptr // an NSError, which the pool releases
	library := dl.Call(m.c.MsgSend, d.candidate.device, m.s.NewLibraryWithSource, m.string(string(code)), o, uintptr(unsafe.Pointer(&failure)))
	if library == 0 {
		return fmt.Errorf("compile: %s", m.message(failure))
	}
	defer m.release(library)
	function := m.send(library, m.s.NewFunctionWithName, m.string(k.name))
	if function == 0 {
		return fmt.Errorf("the code has no kernel %s", k.name)
	}
	defer m.release(function)
	pipeline := d.cachedPipeline(function, k.name, code)
	if pipeline == 0 {
		failure = 0
		pipeline = dl.Call(m.c.MsgSend, d.candidate.device, m.s.NewPipeline, function, uintptr(unsafe.Pointer(&failure)))
	}
	if pipeline == 0 {
		return fmt.Errorf("make a pipeline: %s", m.message(failure))
	}
	most := uint64(m.send(pipeline, m.s.MaxTotalThreads))
	width := uint32(m.send(pipeline, m.s.ThreadExecutionWidth))
	err := d.register(&k.object, pipeline)
	n := uint64(k.workgroup[0]) * uint64(k.workgroup[1]) * uint64(k.workgroup[2])
	switch {
	case err != nil:
		return err
	case n > most:
		err = fmt.Errorf("%w: %d invocations in a workgroup, but the compiled kernel's registers allow %d", driver.ErrUnsupported, n, most)
	case width != subgroupSize:
		err = fmt.Errorf("%w: subgroups of %d, and kernels are compiled for %d", driver.ErrUnsupported, width, subgroupSize)
	}
	if err != nil {
		k.free()
	}
	return err
}

// Close releases the pipeline; work that uses it retains it.
func (k *kernel) Close() error { return k.free() }
