package codeobject

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/runtime/abi"
)

// This file makes code objects with LLVM's tools: a compiler that links, or else its back end and
// linker.

// compilers are tried in this order; AMD's supports its devices best.
var compilers = [...]string{"amdclang", "clang-21", "clang-20", "clang-19", "clang"}

// backEnds are pairs of a back end and a linker.
var backEnds = [...][2]string{{"llc-21", "ld.lld-21"}, {"llc-20", "ld.lld-20"}, {"llc-19", "ld.lld-19"}, {"llc", "ld.lld"}}

// makeByTools fails with errAbsent if no tool is on the PATH, and if a tool prints anything: LLVM
// only warns of an unknown processor.
func makeByTools(a *abi.Artefact) ([]byte, error) {
	folder, err := os.MkdirTemp("", "gpuc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "kernel.ll"), filepath.Join(folder, "kernel.hsaco")
	if err := os.WriteFile(in, a.Code, 0o600); err != nil {
		return nil, err
	}
	err = errAbsent
	for _, commands := range commandsFor(a.Kernel.Profile, in, out) {
		if err = run(commands, a.Kernel.Profile); err == nil {
			var object []byte
			if object, err = os.ReadFile(out); err == nil {
				err = check(object, versionOf(a.Code))
			}
			if err == nil {
				return object, nil
			}
			err = failure(filepath.Base(commands[0][0]), a.Kernel.Profile, err.Error())
		}
	}
	return nil, err
}

// failure is the error of a compiler.
func failure(way, processor, reason string) error {
	return fmt.Errorf("%s cannot make a code object for %s: %s", way, processor, reason)
}

// run runs commands until one fails or prints anything.
func run(commands [][]string, processor string) error {
	for _, c := range commands {
		text, err := exec.Command(c[0], c[1:]...).CombinedOutput()
		message := strings.TrimSpace(string(text))
		if err != nil && message == "" {
			message = err.Error()
		}
		if message != "" {
			return failure(filepath.Base(c[0]), processor, message)
		}
	}
	return nil
}

// commandsFor returns lists of commands that make a code object for a processor, with the tools
// that are installed.
func commandsFor(processor, in, out string) (list [][][]string) {
	for _, name := range compilers {
		if path, err := exec.LookPath(name); err == nil {
			list = append(list, [][]string{{path, "-x", "ir", "--target=amdgcn-amd-amdhsa", "-mcpu=" + processor, "-nogpulib", "-O3", in, "-o", out}})
		}
	}
	for _, pair := range backEnds {
		back, err := exec.LookPath(pair[0])
		linker, missing := exec.LookPath(pair[1])
		if err == nil && missing == nil {
			list = append(list, [][]string{
				{back, "-O3", "-mtriple=amdgcn-amd-amdhsa", "-mcpu=" + processor, "-filetype=obj", in, "-o", out + ".o"},
				{linker, "-shared", out + ".o", "-o", out},
			})
		}
	}
	return list
}
