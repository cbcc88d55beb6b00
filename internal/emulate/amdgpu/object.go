package amdgpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/internal/emulate/fibers"
)

// Code objects by LLVM's back end and linker, and the kernel metadata in their notes.

// objectTools are the tools that Assemble runs.
var objectTools = []string{joiner, "llc-19", "ld.lld-19", "llvm-readelf-19"}

// MissingTools returns the missing tool for code objects, or "".
var MissingTools = sync.OnceValue(func() string {
	for _, name := range objectTools {
		if _, err := exec.LookPath(name); err != nil {
			return name + " (Debian: llvm-19 and lld-19)"
		}
	}
	return ""
})

// Object is a code object with its metadata.
type Object struct {
	Data []byte // the file
	// Notes is the kernels' metadata as YAML (User Guide for AMDGPU Backend, "Code Object V5
	// Metadata").
	Notes   string
	Symbols map[string]string // by name: "FUNC" or "OBJECT" and the size
}

// KernelName returns the name of the n-th program's kernel in an object.
func KernelName(n int) string { return fmt.Sprintf("kernel_%d", n) }

// Assemble links programs to one code object for a processor. Any output of a tool is an error,
// since LLVM 19 only warns about an unknown processor.
func Assemble(processor string, programs []Program) (*Object, error) {
	folder, err := os.MkdirTemp("", "object")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := join(folder, path("all.bc"), programs); err != nil {
		return nil, err
	}
	for _, command := range [][]string{
		{"llc-19", "-O3", "-mtriple=amdgcn-amd-amdhsa", "-mcpu=" + processor, "-filetype=obj", path("all.bc"), "-o", path("all.o")},
		{"ld.lld-19", "-shared", path("all.o"), "-o", path("all.hsaco")},
	} {
		if err := fibers.Tool(command[0], command[1:]...); err != nil {
			return nil, err
		}
	}
	return read(path("all.hsaco"))
}

// Read reads the metadata of a code object.
func Read(object []byte) (*Object, error) {
	file, err := os.CreateTemp("", "object")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(object)
	if failure := file.Close(); err == nil {
		err = failure
	}
	if err != nil {
		return nil, err
	}
	return read(file.Name())
}

// read reads the notes and symbols of a file.
func read(path string) (*Object, error) {
	text, err := exec.Command("llvm-readelf-19", "--notes", "--symbols", "--wide", path).Output()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	o := &Object{Data: data, Notes: string(text), Symbols: map[string]string{}}
	for _, found := range symbol.FindAllStringSubmatch(o.Notes, -1) {
		o.Symbols[found[3]] = found[2] + " " + found[1]
	}
	return o, nil
}

// join links programs to one module, with the kernels renamed by KernelName.
func join(folder, to string, programs []Program) error {
	command := []string{"-o", to}
	for n, p := range programs {
		head := "amdgpu_kernel void @" + p.Kernel.Name + "("
		if strings.Count(string(p.Code), head) != 1 {
			return fmt.Errorf("there is no %q", head)
		}
		file := filepath.Join(folder, fmt.Sprintf("p%d.ll", n))
		text := strings.Replace(string(p.Code), head, "amdgpu_kernel void @"+KernelName(n)+"(", 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		command = append(command, file)
	}
	return fibers.Tool(joiner, command...)
}

// Occupancies returns the waves per SIMD of each program's kernel, from the comments of LLVM's
// assembly.
func Occupancies(processor string, programs []Program) ([]int, error) {
	assembly, err := printed(processor, programs)
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(programs))
	for n := range counts {
		_, rest, _ := strings.Cut(assembly, "\n"+KernelName(n)+":")
		_, rest, found := strings.Cut(rest, "\n; Occupancy: ")
		if !found {
			return nil, fmt.Errorf("there is no occupancy of %s", KernelName(n))
		}
		if _, err := fmt.Sscanf(rest, "%d\n", &counts[n]); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// MachineInstructions returns the code of programs as LLVM's machine IR (MIR), which has the
// implicit operands of each instruction.
func MachineInstructions(processor string, programs []Program) (string, error) {
	return printed(processor, programs, "-stop-after=branch-relaxation")
}

// printed returns the text output of LLVM's back end for programs.
func printed(processor string, programs []Program, options ...string) (string, error) {
	folder, err := os.MkdirTemp("", "assembly")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	all, text := filepath.Join(folder, "all.bc"), filepath.Join(folder, "all.s")
	if err := join(folder, all, programs); err != nil {
		return "", err
	}
	if err := fibers.Tool("llc-19", append([]string{"-O3", "-mtriple=amdgcn-amd-amdhsa", "-mcpu=" + processor, all, "-o", text}, options...)...); err != nil {
		return "", err
	}
	written, err := os.ReadFile(text)
	return string(written), err
}

// symbol matches a line of the symbol table: size, type, binding and visibility, name.
var symbol = regexp.MustCompile(`(?m)^ *\d+: [0-9a-f]+ +(\d+) (FUNC|OBJECT) +GLOBAL PROTECTED +\d+ (\S+)$`)

// Kernel returns the metadata of a kernel as lines "key: value". The lines of its arguments are in
// the order of the arguments.
func (o *Object) Kernel(name string) []string {
	for _, part := range strings.Split(o.Notes, "\n  - ")[1:] {
		part, _, _ = strings.Cut(part, "\namdhsa.target")
		var lines []string
		mine := false
		for _, line := range strings.Split(part, "\n") {
			line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
			key, value, ok := strings.Cut(line, ":")
			if !ok {
				continue
			}
			value = strings.TrimSpace(value)
			mine = mine || key == ".name" && value == name
			lines = append(lines, key+": "+value)
		}
		if mine {
			return lines
		}
	}
	return nil
}
