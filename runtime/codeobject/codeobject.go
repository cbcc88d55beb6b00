// Package codeobject compiles the LLVM IR of target amdgpu to code objects, which AMD's devices
// load. It belongs to the runtime, since a program that loads a kernel's text links no compiler of
// gpuc; builds use it too.
//
//	codeobject.go  choosing a compiler, and checking its output
//	comgr.go       AMD's code object manager, a library of ROCm and of AMD's drivers
//	tools.go       LLVM's tools
//
// The library comes first: it exists wherever kernels run, matches the driver, and needs no
// process. If it is missing or does not know the processor, LLVM's tools are looked for on the
// PATH.
package codeobject

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// ErrNoTool is wrapped by errors of Make if LLVM's tools are missing, and the library is missing or
// failed.
var ErrNoTool = errors.New("none is there")

// errAbsent says that a compiler is missing, which is no failure if there is another.
var errAbsent = errors.New("absent")

// maker makes objects with the library, or else with tools.
type maker struct{ library comgrLibrary }

var standard maker

// Make makes a code object of an artefact's text for the processor that its description names, in
// up to a tenth of a second. The error has the messages of each compiler, or wraps ErrNoTool.
func Make(a *abi.Artefact) ([]byte, error) {
	if a == nil {
		return nil, errors.New("make a code object: the artefact is nil")
	}
	return standard.make(a)
}

// MakeCached is Make with a cache for what the library makes. What LLVM's tools make is not kept:
// they do not say which build they are.
func MakeCached(a *abi.Artefact, cache *kernelcache.Cache) ([]byte, error) {
	if a == nil {
		return Make(nil)
	}
	return standard.makeCached(a, cache)
}

// Comgr returns the name and version of the library that Make uses, or "" if there is none.
func Comgr() string {
	standard.library.mutex.Lock()
	defer standard.library.mutex.Unlock()
	standard.library.load()
	return standard.library.version
}

func (m *maker) make(a *abi.Artefact) ([]byte, error) { return m.makeCached(a, nil) }

func (m *maker) makeCached(a *abi.Artefact, cache *kernelcache.Cache) ([]byte, error) {
	processor := a.Kernel.Profile
	if err := checkProcessor(a.Code, processor); err != nil {
		return nil, err
	}
	object, byLibrary := m.library.makeCached(a, cache)
	if byLibrary == nil {
		return object, nil
	}
	object, byTools := makeByTools(a)
	switch {
	case byTools == nil:
		return object, nil
	case byLibrary == errAbsent && byTools == errAbsent:
		return nil, fmt.Errorf("a code object for %s takes libamd_comgr of ROCm, or on the PATH clang-19, or llc-19 and ld.lld-19, and %w", processor, ErrNoTool)
	case byLibrary == errAbsent:
		return nil, byTools
	case byTools == errAbsent:
		return nil, fmt.Errorf("%w; of clang-19, or llc-19 and ld.lld-19, on the PATH %w", byLibrary, ErrNoTool)
	}
	return nil, fmt.Errorf("%w; %w", byLibrary, byTools)
}

// Is reports whether code is a code object and not text.
func Is(code []byte) bool { return bytes.HasPrefix(code, []byte("\x7fELF")) }

// checkProcessor tells whether a text's functions are for the processor of the description. LLVM
// would compile them for their own, and ends the process if it does not know it.
func checkProcessor(text []byte, processor string) error {
	for {
		_, behind, found := bytes.Cut(text, []byte(`"target-cpu"="`))
		if !found {
			return nil
		}
		name, rest, _ := bytes.Cut(behind, []byte(`"`))
		if string(name) != processor {
			return fmt.Errorf("the code is for %s, and its description says %s", name, processor)
		}
		text = rest
	}
}

// versionFlag precedes the version of the code object in the text (User Guide for AMDGPU Backend,
// "LLVM IR Metadata").
const versionFlag = `!"amdhsa_code_object_version", i32 `

// versionOf returns the version of the code object that a text requests: 5 for 500, and by default.
func versionOf(text []byte) int {
	_, behind, found := bytes.Cut(text, []byte(versionFlag))
	if !found {
		return 5
	}
	end := 0
	for end < len(behind) && '0' <= behind[end] && behind[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(string(behind[:end])) // of digits that do not fit, nothing is made
	return n / 100
}

// check tells whether bytes are a code object of a version (User Guide for AMDGPU Backend, "ELF
// Code Object"). LLVM before 17 ignores the version in the text. Another version has the implicit
// arguments, such as the number of workgroups, at other offsets, which no loader would notice.
func check(object []byte, version int) error {
	const machine = 224 // EM_AMDGPU
	switch {
	case len(object) < 64 || !Is(object) || binary.LittleEndian.Uint16(object[18:]) != machine:
		return errors.New("the result is no code object")
	case int(object[8])+2 != version: // ELFABIVERSION_AMDGPU_HSA_V4 is 2
		return fmt.Errorf("the result is a code object of version %d, and the code is for %d", int(object[8])+2, version)
	}
	return nil
}
