// Package fibers executes programs that a compiler of C++ or LLVM IR made for the host of what a
// target writes: a fiber for each invocation of a workgroup (runtime.h), memory whose ends are
// guarded, and jobs that a process reads from a file. What calls the kernels, and what they call,
// is the affair of each target's bench (internal/emulate/msl, internal/emulate/amdgpu).
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

// System are the headers of the library, which come before those of a bench, for which words may be
// macros.
const System = "#include <csetjmp>\n#include <csignal>\n#include <cstdarg>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n" +
	"#include <initializer_list>\n#include <sys/mman.h>\n#include <ucontext.h>\n#include <unistd.h>\n"

// Launch is a dispatch of a program.
type Launch struct {
	Program         int // among the programs
	Grid, Workgroup [3]uint32
	SharedBytes     uint32
	// in the order in which the program takes buffers: the places in the job's data
	Arguments []int
	Offsets   []uint32 // in the same order, in bytes; none if all are 0
	Bound     []byte   // what else it binds, as the bench's own part of the program reads it
}

// Job is memory and what works on it, one launch after another. What Run finds wrong is in Err.
type Job struct {
	Data     [][]byte
	Launches []Launch
	Err      error
}

// Own gives a launch a further argument with memory of its own.
func (j *Job) Own(l *Launch, data []byte) {
	l.Arguments = append(l.Arguments, len(j.Data))
	j.Data = append(j.Data, data)
}

// InBatches calls run with parts of a list, as many at a time as there are processors: each part
// goes on until it has more programs than most. It returns when all have been run.
func InBatches[X any](list []X, most int, programs func(x X) int, run func(part []X)) {
	var group sync.WaitGroup
	room := make(chan bool, runtime.NumCPU())
	for len(list) > 0 {
		n := 0
		for together := 0; n < len(list) && together <= most; n++ {
			together += programs(list[n])
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

// Numbered returns a text with the numbers of its lines.
func Numbered(text []byte) string {
	var b strings.Builder
	for n, line := range strings.Split(string(text), "\n") {
		fmt.Fprintf(&b, "%3d %s\n", n+1, line)
	}
	return b.String()
}

// First returns the beginning of a text.
func First(text []byte, most int) []byte { return text[:min(len(text), most)] }

// Binary is programs that were compiled together.
type Binary struct{ folder, file string }

// Build makes a binary by a function that compiles to a file in a folder and returns its path. It
// is there until it is closed.
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

// Close removes the binary.
func (b *Binary) Close() error { return os.RemoveAll(b.folder) }

// Run executes jobs as the function Run does. It must not be called twice at the same time.
func (b *Binary) Run(jobs []*Job) { Run(b.folder, b.file, jobs) }

// Run executes jobs by a program in a folder, each in memory of its own, whose contents it writes
// back.
func Run(folder, program string, jobs []*Job) {
	for len(jobs) > 0 { // again behind a job that ended the process
		n, err := execute(folder, program, jobs)
		if n < len(jobs) {
			jobs[n].Err = errors.Join(errors.New("the process ended"), err)
			n++
		}
		jobs = jobs[n:]
	}
}

// execute runs jobs in a process and returns how many it came to the end of.
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
			for n, place := range l.Arguments {
				offset := uint32(0)
				if n < len(l.Offsets) {
					offset = l.Offsets[n]
				}
				word(uint32(place), offset)
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
