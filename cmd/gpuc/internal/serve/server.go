package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/memlimit"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// server is shared by the workers. It writes answers, one at a time.
type server struct {
	device  *gpu.Device   // where run executes; nil means the interpreter
	timeout time.Duration // of a run
	large   bool          // run large-launch variants
	// numbered is set in a worker process: requests and answers begin with a number and a space.
	numbered bool
	memory   uint64 // bound in bytes
	// lines is the budget for requests that were read and are not answered, and work that for
	// answering them. A worker that has a part of work takes no more of either. So there is no
	// deadlock.
	lines, work *memlimit.Budget
	kept        int           // bytes of the programs in a worker's cache
	keptRequest int           // size of a request up to which a worker reuses its memory
	overBudget  atomic.Uint64 // bytes in use beyond the bound, by a request that runs alone
	mutex       sync.Mutex
	out         *bufio.Writer
	err         error
}

// A quarter of the memory is for requests, half for work, an eighth for caches of programs, and an
// eighth for memory that compilers reuse. The garbage collector keeps the heap within the bound
// (limitMemory).
const (
	defaultMemory = 256 << 20
	minMemory     = 16 << 20
)

// requestLine is a request that was read, with the memory that was taken for it.
type requestLine struct {
	text  []byte
	taken uint64
}

// lineMemory is the memory for a line of the given number of bytes and for what it decodes to.
func lineMemory(bytes int) uint64 { return 3 * uint64(bytes) }

// compileMemory is the memory that compiling takes for each byte of a program, and requestMemory
// what every request takes.
const (
	compileMemory = 100
	requestMemory = 1 << 20
)

// limitMemory sets the garbage collector's limit to the server's memory, until restore.
func (s *server) limitMemory() (restore func()) {
	before := debug.SetMemoryLimit(int64(s.memory))
	return func() { debug.SetMemoryLimit(before) }
}

// exceed returns the function that adapts the limit to a request that needs more.
func (s *server) exceed(before *uint64) func(bytes uint64) {
	return func(bytes uint64) {
		now := s.overBudget.Add(bytes - *before)
		*before = bytes
		debug.SetMemoryLimit(int64(s.memory + now))
	}
}

// maxRequest is the maximum size of a request in bytes.
const maxRequest = 1 << 30

// readRequests sends lines to a channel until the end of the input. It skips empty lines, and
// answers lines longer than the limit with an error.
func (s *server) readRequests(from io.Reader, limit int, lines chan<- requestLine) error {
	in := bufio.NewReaderSize(from, 1<<16)
	var line requestLine
	length := 0
	for {
		part, err := in.ReadSlice('\n')
		if length += len(part); length <= limit {
			more := lineMemory(len(part))
			s.lines.Take(line.taken, more)
			line.taken += more
			line.text = append(line.text, part...)
		} else if line.text != nil {
			s.lines.Give(line.taken)
			line = requestLine{}
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if length > limit {
			s.send(&answer{Error: fmt.Sprintf("the request has %d bytes; at most %d are allowed", length, limit)})
		} else if len(bytes.TrimSpace(line.text)) > 0 {
			lines <- line
		} else {
			s.lines.Give(line.taken)
		}
		line, length = requestLine{}, 0
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// newServer returns a server that writes to out.
func newServer(out io.Writer, timeout time.Duration, memory uint64) *server {
	s := &server{out: bufio.NewWriter(out), timeout: timeout, memory: memory}
	s.lines, s.work = memlimit.NewBudget(memory/4, s.exceed(new(uint64))), memlimit.NewBudget(memory/2, s.exceed(new(uint64)))
	each := int(memory/8) / runtime.GOMAXPROCS(0)
	s.kept, s.keptRequest = each, min(each/compileMemory, maxKeptRequest)
	return s
}

// limits returns WebGPU's limits, with the subgroup sizes of the device.
func (s *server) limits() codegen.Limits {
	limits := codegen.WebLimits
	if s.device != nil && s.device.Info().SubgroupSizes[1] != 0 {
		limits.Subgroup = s.device.Info().SubgroupSizes
	}
	return limits
}

// target returns the target of the device.
func (s *server) target() *codegen.Target {
	info := s.device.Info()
	return all.For(info.Target, info.Profile, info.Features...)
}

// send writes an answer.
func (s *server) send(a *answer) { s.sendNumbered(nil, a) }

// sendNumbered writes an answer after the number of a request.
func (s *server) sendNumbered(number []byte, a *answer) {
	if a.ID == nil {
		a.ID = json.RawMessage("null")
	}
	line, err := json.Marshal(a)
	if err != nil {
		s.mutex.Lock()
		s.err = errors.Join(s.err, err)
		s.mutex.Unlock()
		return
	}
	s.write(number, line, []byte{'\n'})
}

// write writes the parts of a line, and flushes.
func (s *server) write(parts ...[]byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var err error
	for _, part := range parts {
		if err == nil {
			_, err = s.out.Write(part)
		}
	}
	if err == nil {
		err = s.out.Flush()
	}
	s.err = errors.Join(s.err, err)
}
