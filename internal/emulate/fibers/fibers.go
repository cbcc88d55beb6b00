// Package fibers executes kernels that were compiled for the host, from a target's C++ or LLVM IR.
// Each invocation of a workgroup is a fiber (runtime.h), and buffers end at guard pages. A process
// reads the jobs from a file. The target's package provides the code that calls the kernels and the
// functions that they call (internal/emulate/msl, internal/emulate/amdgpu).
package fibers

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Runtime is the text of runtime.h.
//
//go:embed runtime.h
var Runtime string

// System includes the system's headers. They must precede the headers of a target, which may define
// macros.
const System = "#include <csetjmp>\n#include <csignal>\n#include <cstdarg>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n" +
	"#include <initializer_list>\n#include <sys/mman.h>\n#include <ucontext.h>\n#include <unistd.h>\n"

// Launch is a dispatch of a program.
type Launch struct {
	Program         int // index of the program
	Grid, Workgroup [3]uint32
	SharedBytes     uint32
	// The buffers in the order of the kernel's parameters, as indices in the job's data, and their
	// offsets in bytes. No offsets means 0.
	Arguments []int
	Offsets   []uint32
	Bound     []byte // other bindings, in the format of the target's runtime
}

// Job is memory and a sequence of launches on it. Run sets Err.
type Job struct {
	Data     [][]byte
	Launches []Launch
	Err      error
}

// Own appends an argument to a launch, with its own memory.
func (j *Job) Own(l *Launch, data []byte) {
	l.Arguments = append(l.Arguments, len(j.Data))
	j.Data = append(j.Data, data)
}

// InBatches calls run in parallel with parts of a list, each with more than limit programs but for
// the last. It returns when all have returned.
func InBatches[X any](list []X, limit int, programs func(x X) int, run func(part []X)) {
	var group sync.WaitGroup
	room := make(chan bool, runtime.NumCPU())
	for len(list) > 0 {
		n := 0
		for count := 0; n < len(list) && count <= limit; n++ {
			count += programs(list[n])
		}
		part := list[:n]
		list = list[n:]
		group.Go(func() {
			room <- true
			defer func() { <-room }()
			run(part)
		})
	}
	group.Wait()
}

// Numbered returns a text with line numbers.
func Numbered(text []byte) string {
	var b strings.Builder
	for n, line := range strings.Split(string(text), "\n") {
		fmt.Fprintf(&b, "%3d %s\n", n+1, line)
	}
	return b.String()
}

// First returns at most limit bytes of a text.
func First(text []byte, limit int) []byte { return text[:min(len(text), limit)] }

// Binary is an executable of several programs.
type Binary struct{ folder, file string }

// Build returns a binary, which compile writes to a folder. compile returns its path.
func Build(compile func(folder string) (string, error)) (*Binary, error) {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	file, err := compile(folder)
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	return &Binary{folder, file}, nil
}

// Write writes files to a folder, given by their names.
func Write(folder string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Compile compiles programs.cpp of a folder to an executable and returns its path. command is the
// compiler with its options.
func Compile(folder string, command ...string) (string, error) {
	out := filepath.Join(folder, "programs")
	arguments := append([]string{"-o", out, filepath.Join(folder, "programs.cpp")}, command[1:]...)
	return out, Tool(command[0], arguments...)
}

// Tool runs a program. Any output is an error, which contains it.
func Tool(name string, arguments ...string) error {
	message, err := exec.Command(name, arguments...).CombinedOutput()
	if err == nil && len(message) > 0 {
		err = errors.New("unexpected output")
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, First(message, 3000))
	}
	return nil
}

// Missing returns the requirement of a C++ compiler that is missing, or "". It compiles no
// programs.
func Missing(compiler string, compile func(folder string) (string, error)) string {
	b, err := Build(compile)
	if err != nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		return compiler + " with the headers of a C++ library (Debian: clang-19 and libstdc++-12-dev): " + message
	}
	b.Close()
	return ""
}

// RunAndClose executes jobs by a binary that Build has returned with an error, and deletes it.
func RunAndClose(b *Binary, err error, jobs []*Job) error {
	if err != nil {
		return err
	}
	defer b.Close()
	b.Run(jobs)
	return nil
}

// Close deletes the binary.
func (b *Binary) Close() error { return os.RemoveAll(b.folder) }

// Run executes jobs, see the function Run. Calls must not be concurrent.
func (b *Binary) Run(jobs []*Job) { Run(b.folder, b.file, jobs) }

// Run executes jobs by a program in a folder and updates their data.
func Run(folder, program string, jobs []*Job) {
	for len(jobs) > 0 { // a job that ends the process needs another one for the jobs after it
		n, err := execute(folder, program, jobs)
		if n < len(jobs) {
			jobs[n].Err = errors.Join(errors.New("the process ended"), err)
			n++
		}
		jobs = jobs[n:]
	}
}

// execute runs jobs in a process and returns how many it completed.
func execute(folder, program string, jobs []*Job) (int, error) {
	var in bytes.Buffer
	word := func(list ...uint32) {
		for _, x := range list {
			in.Write(binary.LittleEndian.AppendUint32(nil, x))
		}
	}
	word(uint32(len(jobs)))
	for _, j := range jobs {
		word(uint32(len(j.Data)))
		for _, data := range j.Data {
			word(uint32(len(data)))
			in.Write(data)
		}
		word(uint32(len(j.Launches)))
		for _, l := range j.Launches {
			word(uint32(l.Program))
			word(l.Grid[:]...)
			word(l.Workgroup[:]...)
			word(l.SharedBytes, uint32(len(l.Arguments)))
			for n, buffer := range l.Arguments {
				offset := uint32(0)
				if n < len(l.Offsets) {
					offset = l.Offsets[n]
				}
				word(uint32(buffer), offset)
			}
			word(uint32(len(l.Bound)))
			in.Write(l.Bound)
		}
	}
	input, output := filepath.Join(folder, "in"), filepath.Join(folder, "out")
	if err := os.WriteFile(input, in.Bytes(), 0o600); err != nil {
		return 0, err
	}
	message, ended := exec.Command(program, input, output).CombinedOutput()
	if ended != nil {
		ended = fmt.Errorf("%w: %s", ended, First(message, 1000))
	}
	written, err := os.ReadFile(output)
	if err != nil {
		return 0, errors.Join(ended, err)
	}
	from := bytes.NewReader(written)
	for n, j := range jobs {
		var length uint32
		if binary.Read(from, binary.LittleEndian, &length) != nil {
			return n, ended
		}
		said := make([]byte, length)
		io.ReadFull(from, said)
		if length > 0 {
			j.Err = errors.New(string(said))
		}
		for _, data := range j.Data {
			if _, err := io.ReadFull(from, data); err != nil {
				return n, ended
			}
		}
	}
	return len(jobs), nil
}
