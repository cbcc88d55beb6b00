package gpubench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/ptx/listing"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// Statistics of kernels as text: a row for the hot loop and one for the whole kernel, for each way.
// They are stored in files, so that changes of gpuc's code are visible.

// Profile is the target profile of the code.
const Profile = "sm_90"

// modes are the options of gpuc. Tests compare the first, the default. The others show the cost of
// bounds checks and of WGSL's accuracy, and are updated together with nvcc's.
var modes = []struct {
	name    string
	options codegen.Options
}{
	{"robust", codegen.Options{}},
	{"fast", codegen.Options{Math: codegen.MathFast}},
	{"off", codegen.Options{Bounds: codegen.BoundsOff}},
	{"off+fast", codegen.Options{Bounds: codegen.BoundsOff, Math: codegen.MathFast}},
}

const nvcc = "nvcc"

// Counts is the number of instructions by class.
type Counts = listing.Counts

// Row is the counts of one part of a kernel's code.
type Row struct {
	Kernel, Way, Part string // the part is "loop" or "kernel"
	Counts            Counts
}

// String returns a row in the format of Parse.
func (r *Row) String() string { return fmt.Sprintf("%s %s %s %s\n", r.Kernel, r.Way, r.Part, r.Counts) }

// Parse reads rows. Lines that begin with # are comments.
func Parse(text string) (rows []Row, err error) {
	for line := range strings.SplitSeq(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		if len(fields) < 3 {
			return nil, fmt.Errorf("%q is no row of statistics", line)
		}
		r := Row{Kernel: fields[0], Way: fields[1], Part: fields[2], Counts: Counts{}}
		for _, field := range fields[3:] {
			class, number, _ := strings.Cut(field, "=")
			if r.Counts[class], err = strconv.Atoi(number); err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Tools are the paths of NVIDIA's assembler and disassembler.
type Tools struct{ assembler, disassembler string }

// FindTools finds the tools on the PATH.
func FindTools() (t Tools, err error) {
	for _, tool := range []struct {
		path        *string
		name, wheel string
	}{{&t.assembler, "ptxas", "nvidia-cuda-nvcc-cu12"}, {&t.disassembler, "nvdisasm", "nvidia-cuda-nvdisasm"}} {
		if *tool.path, err = exec.LookPath(tool.name); err != nil {
			return t, fmt.Errorf("%s is not on the path (NVIDIA's wheel %s has it)", tool.name, tool.wheel)
		}
	}
	return t, nil
}

// Version returns the version of the assembler, on which statistics of machine code depend.
func (t *Tools) Version() (string, error) {
	text, err := exec.Command(t.assembler, "--version").Output()
	if err != nil {
		return "", err
	}
	version := regexp.MustCompile(`V\d+\.\d+\.\d+`).Find(text)
	return "ptxas " + strings.TrimPrefix(string(version), "V"), nil
}

// Compile compiles the WGSL of a kernel in a folder.
func (k *Kernel) Compile(folder, target string, options codegen.Options) (*abi.Artefact, error) {
	path := filepath.Join(folder, k.Name+".wgsl")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	program, err := jit.Parse(path, string(text), options)
	if err != nil {
		return nil, err
	}
	return program.Compile(abi.Target(target), k.EntryPoint())
}

// Assembly counts the instructions of PTX, which needs no tools.
func Assembly(k *Kernel, way string, code []byte) []Row {
	return split(k, way, listing.Assembly(string(code)))
}

// split returns the rows of a listing: the hot loop, if there is one, and the whole.
func split(k *Kernel, way string, l *listing.Listing) (rows []Row) {
	if loop := l.Hot(k.Unit); loop != nil {
		rows = append(rows, Row{k.Name, way, "loop", loop})
	}
	return append(rows, Row{k.Name, way, "kernel", l.Count()})
}

// machineBytes is the size of a machine instruction since sm_70 (cuda-binary-utilities,
// "Instruction Set Reference").
const machineBytes = 16

// Machine counts the machine instructions of an artefact. The last row is its resources: registers
// of an invocation, bytes of its stack and of spills, bytes of workgroup memory, resident warps,
// and bytes of code without padding.
func (t *Tools) Machine(k *Kernel, way string, artefact *abi.Artefact) ([]Row, error) {
	code, resources, err := t.assemble(artefact)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", k.Name, way, err)
	}
	resources["code"] = machineBytes * code.Count().Total()
	return append(split(k, way, code), Row{k.Name, way, "takes", resources}), nil
}

// assemble returns the machine code of PTX and its resources.
func (t *Tools) assemble(artefact *abi.Artefact) (*listing.Listing, Counts, error) {
	folder, err := os.MkdirTemp("", "gpuc")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "kernel.ptx"), filepath.Join(folder, "kernel.cubin")
	// An older assembler accepts the PTX of a newer nvcc for this profile, except for its version.
	code := regexp.MustCompile(`\.version \S+`).ReplaceAll(artefact.Code, []byte(".version 8.0"))
	if err := os.WriteFile(in, code, 0o600); err != nil {
		return nil, nil, err
	}
	if log, err := exec.Command(t.assembler, "-arch="+Profile, in, "-o", out).CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("ptxas does not assemble it: %s", log)
	}
	text, err := exec.Command(t.disassembler, "-c", out).Output()
	if err != nil {
		return nil, nil, fmt.Errorf("nvdisasm does not disassemble it: %w", err)
	}
	target, err := all.Find("ptx:" + Profile)
	if err != nil {
		return nil, nil, err
	}
	usage, err := target.Resources(&abi.Artefact{Target: artefact.Target, Code: code, Kernel: artefact.Kernel}, nil)
	if err != nil {
		return nil, nil, err
	}
	resources := Counts{"warps": int(usage.Running)}
	// in the order of usage.Counts
	for n, what := range [...]string{"registers", "spilled", "shared", "stack"} {
		resources[what] = int(usage.Counts[n].Number)
	}
	return listing.Machine(string(text)), resources, nil
}

// Table writes a comparison of the ways. For each kernel it has the machine instructions per unit
// of work in the hot loop, or in the kernel if it has none. The last column has the classes of
// which gpuc's default code has more or fewer than nvcc's.
func Table(w io.Writer, rows []Row) {
	find := func(k *Kernel, way, part string) Counts {
		n := slices.IndexFunc(rows, func(r Row) bool { return r.Kernel == k.Name && r.Way == way && r.Part == part })
		if n < 0 {
			return nil
		}
		return rows[n].Counts
	}
	fmt.Fprintln(w, "| kernel | unit | parts | nvcc | off+fast | off | fast | robust | of nvcc | registers | warps | stack | code | by class, for a unit |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for n := range Kernels {
		k := &Kernels[n]
		ways := [...]string{nvcc, "off+fast", "off", "fast", "robust"}
		const ours = len(ways) - 1
		var parts, resources [len(ways)]Counts
		var each [len(ways)]float64
		var names [len(ways)]string
		for i, way := range ways {
			names[i], resources[i] = "loop", find(k, way, "takes")
			if parts[i] = find(k, way, names[i]); parts[i] == nil {
				names[i] = "kernel"
				parts[i] = find(k, way, names[i])
			}
			each[i] = float64(parts[i].Total()) / float64(max(parts[i].Units(k.Unit), 1))
		}
		fmt.Fprintf(w, "| %s | %s | %s, %s |", k.Name, k.Unit, names[0], names[ours])
		for _, n := range each {
			fmt.Fprintf(w, " %.2f |", n)
		}
		fmt.Fprintf(w, " %.2f |", each[ours]/each[0])
		for _, what := range [...]string{"registers", "warps", "stack", "code"} {
			fmt.Fprintf(w, " %d, %d |", resources[0][what], resources[ours][what])
		}
		of := func(i int, class string) float64 {
			return float64(parts[i][class]) / float64(max(parts[i].Units(k.Unit), 1))
		}
		classes := Counts{}
		maps.Copy(classes, parts[0])
		maps.Copy(classes, parts[ours])
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			if more := of(ours, class) - of(0, class); math.Abs(more) >= 0.02*each[0] {
				fmt.Fprintf(w, " %s %+.2f", class, more)
			}
		}
		fmt.Fprintln(w, " |")
	}
}

// CUDA compiles the CUDA C of a kernel in a folder to PTX by nvcc. The description is that of
// gpuc's artefact of the same kernel, so that gpuc's driver launches it.
func (k *Kernel) CUDA(folder, nvcc, profile string) (*abi.Artefact, error) {
	like, err := k.Compile(folder, "ptx:"+Profile, codegen.Options{})
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	command := exec.Command(nvcc, "-O3", "--use_fast_math", "-arch="+profile, "-ptx", filepath.Join(folder, k.Name+".cu"), "-o", "-")
	command.Stderr = &log
	code, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("nvcc does not compile %s.cu: %w\n%s", k.Name, err, &log)
	}
	a := &abi.Artefact{Target: abi.PTX, Code: code, Kernel: like.Kernel}
	a.Kernel.Parameters = nil
	for n := range like.Kernel.Bindings {
		a.Kernel.Parameters = append(a.Kernel.Parameters, abi.Parameter{Kind: abi.AddressParameter, Binding: n})
	}
	if k.Length != "" {
		n := slices.IndexFunc(like.Kernel.Bindings, func(b abi.Binding) bool { return b.Name == k.Length })
		if n < 0 {
			return nil, errors.New(k.Name + " has no binding " + k.Length)
		}
		a.Kernel.Parameters = append(a.Kernel.Parameters, abi.Parameter{Kind: abi.LengthParameter, Binding: n})
	}
	if like.Kernel.ImmediateBytes() > 0 {
		a.Kernel.Parameters = append(a.Kernel.Parameters, abi.Parameter{Kind: abi.ImmediatesParameter})
	}
	return a, nil
}

// CompilerVersion returns the version of nvcc.
func CompilerVersion(nvcc string) (string, error) {
	text, err := exec.Command(nvcc, "--version").Output()
	if err != nil {
		return "", err
	}
	return "nvcc " + strings.TrimPrefix(string(regexp.MustCompile(`V\d+\.\d+\.\d+`).Find(text)), "V"), nil
}
