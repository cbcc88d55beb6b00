package ptx

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file says what a kernel takes of a multiprocessor. ptxas counts registers and memory if it
// is on the PATH. How many warps fit follows from the tables of the CUDA C++ Programming Guide. A
// driver assembles PTX with another ptxas, and may count otherwise.

// multiprocessor is what one of a compute capability has (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability").
type multiprocessor struct {
	machine uint32 // compute capability times ten
	warps   uint32 // that it holds
	blocks  uint32 // that it holds
	shared  uint32 // bytes of shared memory
	granule uint32 // shared memory is given in multiples of it
	system  uint32 // bytes of shared memory in each block that CUDA keeps to itself
}

var multiprocessors = []multiprocessor{
	{machine: 70, warps: 64, blocks: 32, shared: 96 << 10, granule: 256},
	{machine: 75, warps: 32, blocks: 16, shared: 64 << 10, granule: 256},
	{machine: 80, warps: 64, blocks: 32, shared: 164 << 10, granule: 128, system: 1 << 10},
	{machine: 86, warps: 48, blocks: 16, shared: 100 << 10, granule: 128, system: 1 << 10},
	{machine: 89, warps: 48, blocks: 24, shared: 100 << 10, granule: 128, system: 1 << 10},
	{machine: 90, warps: 64, blocks: 32, shared: 228 << 10, granule: 128, system: 1 << 10},
	{machine: 100, warps: 64, blocks: 32, shared: 228 << 10, granule: 128, system: 1 << 10},
	{machine: 120, warps: 48, blocks: 24, shared: 100 << 10, granule: 128, system: 1 << 10},
}

// What all of them have. Registers belong to one of four parts, each with its own warps. Warps get
// them in multiples of a granule (CUDA Occupancy Calculator, "Warp allocation granularity" and
// "Register allocation unit size").
const (
	registerFile    = 64 << 10
	registerParts   = 4
	registerGranule = 256
)

// takes is what the assembler says of a kernel.
type takes struct {
	registers uint64 // of a thread
	shared    uint64 // bytes of a block
	stack     uint64 // bytes of a thread, spilled registers among them
	spills    uint64 // bytes that are written and read again for lack of registers
}

// bounds returns how many warps each resource allows a kernel whose blocks have the given number of
// threads.
func (m *multiprocessor) bounds(k *takes, threads uint64) []codegen.Bound {
	each := (threads + warp - 1) / warp // warps of a block
	of := func(resource string, blocks uint64) codegen.Bound {
		return codegen.Bound{Resource: resource, Allows: uint32(min(blocks*each, uint64(m.warps)))}
	}
	perWarp := max(up(k.registers*warp, registerGranule), registerGranule)
	bounds := []codegen.Bound{
		of("registers", registerFile/registerParts/perWarp*registerParts/each),
		of("the size of workgroups", uint64(m.warps)/each),
		of("the number of workgroups", uint64(m.blocks)),
	}
	if k.shared > 0 {
		bounds = append(bounds, of("workgroup memory", uint64(m.shared)/up(k.shared+uint64(m.system), uint64(m.granule))))
	}
	return bounds
}

// up rounds up to a multiple.
func up(n, multiple uint64) uint64 { return (n + multiple - 1) / multiple * multiple }

// resources has the assembler count what a kernel takes. Code without a profile is counted for the
// least machine that the assembler knows.
func resources(a *abi.Artefact, _ []byte) (*codegen.Usage, error) {
	p, log, err := assemble(a, os.DevNull)
	if err != nil {
		return nil, err
	}
	k, err := counted(log)
	if err != nil {
		return nil, err
	}
	return usage(p, k, &a.Kernel), nil
}

// assemble has the assembler write machine code to a file, and returns what it was made for and
// what the assembler says of it.
func assemble(a *abi.Artefact, out string) (*codegen.Profile, string, error) {
	assembler, err := exec.LookPath("ptxas")
	if err != nil {
		return nil, "", codegen.MissingTool("ptxas counts registers, and is not on the PATH")
	}
	folder, err := os.MkdirTemp("", "gpuc")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(folder)
	in := filepath.Join(folder, "kernel.ptx")
	if err := os.WriteFile(in, a.Code, 0o600); err != nil {
		return nil, "", err
	}
	for n := range profiles {
		p := &profiles[n]
		if p.Name != a.Kernel.Profile && (a.Kernel.Profile != "" || p.Exact) {
			continue
		}
		text, err := exec.Command(assembler, "-v", "-arch="+p.Name, in, "-o", out).CombinedOutput()
		// it does not know the machine, or no longer
		if err != nil && strings.Contains(string(text), "gpu-name") {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("ptxas does not assemble it: %s", strings.TrimSpace(string(text)))
		}
		return p, string(text), nil
	}
	return nil, "", errors.New("ptxas knows none of its machines")
}

// usage puts together what a kernel takes.
func usage(p *codegen.Profile, k *takes, about *abi.Kernel) *codegen.Usage {
	// memory that the launch requests is not in the log
	k.shared = max(k.shared, uint64(about.WorkgroupBytes))
	u := &codegen.Usage{Device: p.Name, Counts: []codegen.Count{
		{Number: k.registers, What: "registers"}, {Number: k.spills, What: "bytes of spilled registers"},
		{Number: k.shared, What: "bytes of workgroup memory"}, {Number: k.stack, What: "bytes of stack"},
	}}
	for n := range multiprocessors {
		if m := &multiprocessors[n]; m.machine == p.Machine {
			w := about.Workgroup
			u.Bind(m.warps, "warps per multiprocessor", m.bounds(k, uint64(w[0])*uint64(w[1])*uint64(w[2]))...)
		}
	}
	return u
}

// counted reads the assembler's log, which tells of each function and then of the kernel.
func counted(log string) (*takes, error) {
	found := numbers(log, " registers")
	if len(found) == 0 {
		return nil, errors.New("ptxas -v says nothing of registers")
	}
	k := &takes{registers: found[0]}
	for _, n := range numbers(log, " bytes stack frame") {
		k.stack = max(k.stack, n)
	}
	// with what functions take that are called
	for _, n := range numbers(log, " bytes cumulative stack size") {
		k.stack = n
	}
	for _, n := range append(numbers(log, " bytes spill stores"), numbers(log, " bytes spill loads")...) {
		k.spills += n
	}
	for _, n := range numbers(log, " bytes smem") {
		k.shared = n
	}
	return k, nil
}

// numbers returns the numbers that come before some words.
func numbers(log, words string) (list []uint64) {
	for {
		before, behind, found := strings.Cut(log, words)
		if !found {
			return list
		}
		digits := before[strings.LastIndexFunc(before, func(r rune) bool { return r < '0' || r > '9' })+1:]
		if n, err := strconv.ParseUint(digits, 10, 32); err == nil {
			list = append(list, n)
		}
		log = behind
	}
}
