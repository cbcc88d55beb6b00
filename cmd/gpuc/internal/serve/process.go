package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// This file runs kernels on a device in a worker process. A driver that hangs or crashes ends only
// that process. Within a process that is not possible: no library stops the threads of llvmpipe
// that execute an endless loop, nor those of its compiler. The supervisor reads requests, passes
// them to the worker with numbers, and writes the answers. When a worker ends, the next one gets
// the requests without answers.

// serveWorkerVariable is the environment variable that is set in worker processes.
const serveWorkerVariable = "GPUC_SERVE_WORKER"

// IsWorker reports whether this process is a worker process of gpuc serve.
func IsWorker() bool { return os.Getenv(serveWorkerVariable) != "" }

// arenas is the environment variable for the number of malloc arenas of glibc, which keeps freed
// memory for each thread that a driver's compiler has run on.
const arenas = "MALLOC_ARENA_MAX"

// exitHung is the exit status of a worker that has reported a run that does not end.
const exitHung = 75

// workerReady is the first line that a worker writes, when its device is open.
const workerReady = "ready\n"

// maxSequence is the maximum length of a request's number with the space after it.
const maxSequence = 24

// numberedAnswer is an answer of a worker with its newline, or says that the worker has ended.
type numberedAnswer struct {
	number uint64
	line   []byte
	ended  bool
	ready  bool  // the worker had opened its device
	err    error // of the process that has ended
}

// pendingRequest is a request without an answer.
type pendingRequest struct {
	number uint64
	requestLine
}

// serveProcess is a worker process.
type serveProcess struct {
	feed    chan []byte // requests
	answers chan numberedAnswer
}

// startServeProcess starts a worker with the command line of this process.
func startServeProcess(e *cli.Env, args []string, memory uint64, window int) (*serveProcess, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// the last value of a repeated flag is used
	c := exec.Command(path, append(append([]string{"serve"}, args...), "-memory", strconv.FormatUint(memory, 10))...)
	c.Env = append(os.Environ(), serveWorkerVariable+"=1")
	if os.Getenv(arenas) == "" {
		c.Env = append(c.Env, arenas+"=2")
	}
	c.Stderr = e.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	feed := make(chan []byte, window)
	p := &serveProcess{feed, make(chan numberedAnswer)}
	go func() {
		// requests for a worker that has ended are sent again by the supervisor
		for line := range feed {
			in.Write(line)
		}
		in.Close()
	}()
	go func() {
		ready := p.read(bufio.NewReaderSize(out, 1<<16))
		p.answers <- numberedAnswer{ended: true, ready: ready, err: c.Wait()}
	}()
	return p, nil
}

// read reads answers until the worker has ended. An incomplete line is dropped.
func (p *serveProcess) read(out *bufio.Reader) (ready bool) {
	if line, err := out.ReadString('\n'); err != nil || line != workerReady {
		return false
	}
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return true
		}
		number, rest, _ := bytes.Cut(line, []byte{' '})
		if n, err := strconv.ParseUint(string(number), 10, 64); err == nil {
			p.answers <- numberedAnswer{number: n, line: rest}
		}
	}
}

// serveSupervisor passes requests to a worker process, and replaces it when it ends.
type serveSupervisor struct {
	e       *cli.Env
	args    []string
	memory  uint64
	window  int // maximum of the requests that a worker has
	s       *server
	worker  *serveProcess
	sent    map[uint64]*pendingRequest
	waiting []*pendingRequest // to be sent again
	// alone is set after a crash. The worker's requests are then sent one by one, to find the
	// cause.
	alone bool
}

// superviseServe answers requests with worker processes.
func superviseServe(e *cli.Env, args []string, memory uint64) error {
	window := runtime.GOMAXPROCS(0)
	v := &serveSupervisor{e: e, args: args, memory: max(memory/4*3, minMemory), window: window,
		s: newServer(e.Stdout, 0, memory/4), sent: map[uint64]*pendingRequest{}}
	lines := make(chan requestLine)
	var failed error
	go func() {
		failed = v.s.readRequests(e.Stdin, maxRequest, lines)
		close(lines)
	}()
	if err := v.start(); err != nil { // also if there are no requests, to report a missing device
		return err
	}
	if err := v.run(lines); err != nil {
		return err
	}
	return errors.Join(failed, v.s.err)
}

func (v *serveSupervisor) start() (err error) {
	v.worker, err = startServeProcess(v.e, v.args, v.memory, v.window)
	return err
}

// run answers requests until the end of the input.
func (v *serveSupervisor) run(lines <-chan requestLine) error {
	number := uint64(0)
	for {
		room := v.window
		if v.alone = v.alone && len(v.waiting)+len(v.sent) > 0; v.alone {
			room = 1
		}
		for len(v.waiting) > 0 && len(v.sent) < room {
			v.send(v.waiting[0])
			v.waiting = v.waiting[1:]
		}
		from := lines
		switch {
		case lines == nil && len(v.sent) == 0 && v.worker.feed != nil:
			close(v.worker.feed)
			v.worker.feed = nil
		case len(v.waiting) > 0 || len(v.sent) >= room:
			from = nil
		}
		select {
		case line, more := <-from:
			if !more {
				lines = nil
				continue
			}
			number++
			v.send(&pendingRequest{number, line})
		case a := <-v.worker.answers:
			if !a.ended {
				v.answer(a)
				continue
			}
			if !a.ready {
				return cli.ErrReported // the worker has written why
			}
			if v.worker.feed == nil {
				return nil
			}
			close(v.worker.feed)
			v.replace(a.err)
			if err := v.start(); err != nil {
				return err
			}
		}
	}
}

// send gives a request to the worker.
func (v *serveSupervisor) send(r *pendingRequest) {
	v.sent[r.number] = r
	line := append(strconv.AppendUint(nil, r.number, 10), ' ')
	line = append(line, r.text...)
	if line[len(line)-1] != '\n' {
		line = append(line, '\n')
	}
	v.worker.feed <- line // the channel has capacity for window requests
}

// answer writes a worker's answer.
func (v *serveSupervisor) answer(a numberedAnswer) {
	r := v.sent[a.number]
	if r == nil {
		return
	}
	delete(v.sent, a.number)
	v.s.write(a.line)
	v.s.lines.Give(r.taken)
}

// replace queues the requests that an ended worker has not answered, or answers the one that
// crashed it.
func (v *serveSupervisor) replace(why error) {
	var left []*pendingRequest
	for _, number := range slices.Sorted(maps.Keys(v.sent)) {
		left = append(left, v.sent[number])
	}
	clear(v.sent)
	var exit *exec.ExitError
	if !errors.As(why, &exit) || exit.ExitCode() != exitHung {
		if v.alone && len(left) == 1 {
			var request struct {
				ID json.RawMessage `json:"id"`
			}
			_ = json.Unmarshal(left[0].text, &request) // invalid JSON has no id
			v.s.send(&answer{ID: request.ID, Error: fmt.Sprintf("the driver ended the process that ran this: %v", why)})
			v.s.lines.Give(left[0].taken)
			left = nil
		}
		v.alone = true
	}
	v.waiting = append(left, v.waiting...)
}

// announce says to the supervisor that the device is open.
func (s *server) announce() error {
	s.numbered = true
	_, err := io.WriteString(s.out, workerReady)
	return errors.Join(err, s.out.Flush())
}

// quit ends a worker process in which a run hangs. No answer is being written then.
func (s *server) quit() {
	s.mutex.Lock()
	os.Exit(exitHung)
}
