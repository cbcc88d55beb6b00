package gpubench

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/ptx/listing"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// Ablation of passes: all kernels are compiled without a pass, and their machine code is compared
// with that of all passes. A pass that later passes or the emitter require cannot be omitted.
// Instruction counts are not times, so the effect of a pass on times may be larger or smaller.

// Worth is the ablation of a pass: ratios of the code without the pass to the code with all passes,
// as geometric means over all kernels. A ratio above 1 is what the pass saves.
type Worth struct {
	Pass string
	// Needed says that the pass cannot be omitted; all other fields are then 0.
	Needed bool
	// Failing are the kernels that do not compile without the pass. The means exclude them.
	Failing []string
	// Changed is the number of kernels whose PTX or SPIR-V differs.
	Changed int
	// The ratios: SPIRV of the bytes of SPIR-V without names and lines, PTX of the PTX
	// instructions. Hot of the machine instructions for a unit of work in the hot loop, or in the
	// kernel if it has none. Whole of all machine instructions, Registers of the registers of an
	// invocation.
	SPIRV, PTX, Hot, Whole, Registers float64
	// Most is the kernel whose hot loop grows most, and MostHot its ratio.
	Most    string
	MostHot float64
}

// quantity is a property of a kernel's code.
type quantity int

const (
	bytesOfSPIRV quantity = iota
	instructionsOfPTX
	hotLoop
	wholeKernel
	registers
	quantities
)

// measured is the quantities of a kernel's code.
type measured [quantities]float64

// code is the artefacts of a kernel.
type code struct{ ptx, spirv []byte }

// passBench measures kernels with and without passes.
type passBench struct {
	tools      *Tools
	ptx, spirv *codegen.Target
	programs   []*jit.Program
	code       []code // with all passes
	base       []measured
}

// Passes measures every pass of the default pipeline for PTX, and its effect on SPIR-V. It writes a
// line of progress for each pass.
func Passes(folder string, tools *Tools, progress io.Writer) ([]Worth, error) {
	b := &passBench{tools: tools}
	for _, t := range [...]struct {
		target **codegen.Target
		name   string
	}{{&b.ptx, "ptx:" + Profile}, {&b.spirv, "spirv"}} {
		found, err := all.Find(t.name)
		if err != nil {
			return nil, err
		}
		*t.target = found
	}
	for n := range Kernels {
		k := &Kernels[n]
		path := filepath.Join(folder, k.Name+".wgsl")
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p, err := jit.Parse(path, string(text), codegen.Options{})
		if err != nil {
			return nil, err
		}
		b.programs = append(b.programs, p)
		made, _, err := b.compile(n, "")
		if err != nil {
			return nil, err
		}
		m, err := b.measure(n, made)
		if err != nil {
			return nil, err
		}
		b.code, b.base = append(b.code, made), append(b.base, m)
	}
	var list []Worth
	for _, name := range b.names() {
		w, err := b.without(name)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
		fmt.Fprintf(progress, "%s: %d of %d kernels change\n", name, w.Changed, len(Kernels))
	}
	return list, nil
}

// names returns the names of the passes of the default pipeline, in the order of their first run.
func (b *passBench) names() (names []string) {
	for _, p := range b.ptx.Ways()[0].Passes {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// compile compiles the n-th kernel without a pass; "" omits none. It reports whether the pipeline
// for PTX omitted the pass everywhere.
func (b *passBench) compile(n int, without string) (c code, omitted bool, err error) {
	for _, t := range [...]*codegen.Target{b.spirv, b.ptx} {
		context := &opt.Context{Without: without, Timed: true}
		var list diag.List
		a := codegen.Compile(b.programs[n].Module(), Kernels[n].EntryPoint(), t, &codegen.Options{Context: context, Strip: true}, &list)
		if a == nil {
			return c, false, errors.New(list.Items()[0].Message)
		}
		if t == b.spirv {
			c.spirv = a.Code
			continue
		}
		c.ptx = a.Code
		omitted = !slices.ContainsFunc(context.Times, func(t opt.PassTime) bool { return t.Pass.Name == without })
	}
	return c, omitted, nil
}

// measure assembles the n-th kernel and measures it.
func (b *passBench) measure(n int, c code) (m measured, err error) {
	k := &Kernels[n]
	about := abi.Kernel{Name: k.EntryPoint(), Profile: Profile, Workgroup: [3]uint32{1, 1, 1}}
	machine, resources, err := b.tools.assemble(&abi.Artefact{Target: b.ptx.Name, Code: c.ptx, Kernel: about})
	if err != nil {
		return m, fmt.Errorf("%s: %w", k.Name, err)
	}
	whole := machine.Count()
	m[bytesOfSPIRV] = float64(len(c.spirv))
	m[instructionsOfPTX] = float64(listing.Assembly(string(c.ptx)).Count().Total())
	m[wholeKernel] = float64(whole.Total())
	m[registers] = float64(max(resources["registers"], 1))
	m[hotLoop] = perUnit(machine, whole, k.Unit)
	return m, nil
}

// parts are the classes of a unit in code where sums and products may or may not be fused.
var parts = map[string][]string{"ffma": {"ffma", "fmul"}, "fadd": {"fadd", "ffma"}}

// perUnit returns the instructions per unit of work in the hot loop, or in the kernel if it has
// none. A fused multiply-add counts for sums and for products, so that code without them has the
// same work.
func perUnit(l *listing.Listing, hot Counts, unit string) float64 {
	classes := parts[unit]
	if classes == nil {
		classes = []string{unit}
	}
	found := false
	units := 0
	for _, class := range classes {
		if loop := l.Hot(class); loop != nil && (!found || loop.Total() > hot.Total()) {
			hot, found = loop, true
		}
	}
	for _, class := range classes {
		units += hot.Units(class)
	}
	return float64(hot.Total()) / float64(max(units, 1))
}

// without measures all kernels without a pass. It assembles only those whose code differs.
func (b *passBench) without(name string) (Worth, error) {
	w := Worth{Pass: name}
	var sums measured // of logarithms
	counted := 0
	for n := range Kernels {
		k := &Kernels[n]
		made, omitted, err := b.compile(n, name)
		if err != nil {
			w.Failing = append(w.Failing, k.Name)
			continue
		}
		if !omitted {
			return Worth{Pass: name, Needed: true}, nil
		}
		counted++
		if bytes.Equal(made.ptx, b.code[n].ptx) && bytes.Equal(made.spirv, b.code[n].spirv) {
			continue
		}
		w.Changed++
		m, err := b.measure(n, made)
		if err != nil {
			return w, fmt.Errorf("without %s: %w", name, err)
		}
		for q := range m {
			sums[q] += math.Log(m[q] / b.base[n][q])
		}
		if grows := m[hotLoop] / b.base[n][hotLoop]; grows > max(w.MostHot, 1) {
			w.Most, w.MostHot = k.Name, grows
		}
	}
	mean := func(q quantity) float64 { return math.Exp(sums[q] / float64(max(counted, 1))) }
	w.SPIRV, w.PTX, w.Hot, w.Whole, w.Registers = mean(bytesOfSPIRV), mean(instructionsOfPTX), mean(hotLoop), mean(wholeKernel), mean(registers)
	return w, nil
}

// WorthTable writes a table of the passes, in the order of their savings in hot loops. Lists follow
// of the passes that change no kernel and of those that cannot be omitted.
func WorthTable(w io.Writer, list []Worth) {
	var needed, idle []string
	var table []Worth
	for _, p := range list {
		switch {
		case p.Needed || len(p.Failing) == len(Kernels):
			needed = append(needed, p.Pass)
		case p.Changed == 0 && p.Failing == nil:
			idle = append(idle, p.Pass)
		default:
			table = append(table, p)
		}
	}
	slices.SortStableFunc(table, func(a, b Worth) int { return cmp.Compare(b.Hot, a.Hot) })
	fmt.Fprintln(w, "| without | kernels that change | SPIR-V | PTX | hot loop | whole kernel | registers | most | do not compile |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, p := range table {
		most := ""
		if p.Most != "" {
			most = fmt.Sprintf("%s %.2f", p.Most, p.MostHot)
		}
		fmt.Fprintf(w, "| %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f | %s | %d |\n", p.Pass, p.Changed, p.SPIRV, p.PTX, p.Hot, p.Whole, p.Registers, most, len(p.Failing))
	}
	for _, rest := range [...]struct {
		what  string
		names []string
	}{{"No kernel changes without", idle}, {"Cannot be omitted", needed}} {
		if len(rest.names) > 0 {
			fmt.Fprintf(w, "\n%s: %s.\n", rest.what, strings.Join(rest.names, ", "))
		}
	}
}
