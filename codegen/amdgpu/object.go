package amdgpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/runtime/abi"
)

// This file makes code objects of the text, by LLVM's tools: a compiler that links, or else its back end and linker. It is no part
// of a compilation, which needs no tool, but of a build that writes files.

// compilers are looked for in this order; AMD's is made for the devices it knows.
var compilers = [...]string{"amdclang", "clang-21", "clang-20", "clang-19", "clang"}

// backEnds are pairs of a back end and a linker.
var backEnds = [...][2]string{{"llc-21", "ld.lld-21"}, {"llc-20", "ld.lld-20"}, {"llc-19", "ld.lld-19"}, {"llc", "ld.lld"}}

// object makes a code object. It fails if no tool is on the PATH, and if one says anything: LLVM only warns of a processor that it does not know.
func object(a *abi.Artefact) ([]byte, error) {
	folder, err := os.MkdirTemp("", "gpuc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "kernel.ll"), filepath.Join(folder, "kernel.hsaco")
	if err := os.WriteFile(in, a.Code, 0o600); err != nil {
		return nil, err
	}
	commands := commandsFor(a.Kernel.Profile, in, out)
	if commands == nil {
		return nil, fmt.Errorf("a code object for %s takes clang-19, or llc-19 and ld.lld-19, on the PATH, and neither is there; -S writes the LLVM IR",
			a.Kernel.Profile)
	}
	for _, c := range commands {
		text, err := exec.Command(c[0], c[1:]...).CombinedOutput()
		if message := strings.TrimSpace(string(text)); err != nil || message != "" {
			return nil, fmt.Errorf("%s cannot make a code object for %s: %s", filepath.Base(c[0]), a.Kernel.Profile, message)
		}
	}
	return os.ReadFile(out)
}

// commandsFor returns the commands that make a code object for a processor, or nil if there are no tools.
func commandsFor(processor, in, out string) [][]string {
	for _, name := range compilers {
		if path, err := exec.LookPath(name); err == nil {
			return [][]string{{path, "-x", "ir", "--target=amdgcn-amd-amdhsa", "-mcpu=" + processor, "-nogpulib", "-O3", in, "-o", out}}
		}
	}
	for _, pair := range backEnds {
		back, err := exec.LookPath(pair[0])
		linker, missing := exec.LookPath(pair[1])
		if err == nil && missing == nil {
			return [][]string{
				{back, "-O3", "-mtriple=amdgcn-amd-amdhsa", "-mcpu=" + processor, "-filetype=obj", in, "-o", out + ".o"},
				{linker, "-shared", out + ".o", "-o", out},
			}
		}
	}
	return nil
}
