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

// This file has gpuc serve work in a process of its own where a device's driver runs kernels. What
// hangs or crashes in a driver ends with the process: no library gives back the threads of llvmpipe
// that execute an endless loop, nor those of its compiler. The process that was called reads
// requests, hands them on with numbers, and writes answers. A process that ends leaves requests
// without answers, which the next one gets.

// serveWorkerVariable says to a process that it is such a worker.
const serveWorkerVariable = "GPUC_SERVE_WORKER"

func IsWorker() bool { return os.Getenv(serveWorkerVariable) != "" }

// arenas bounds what glibc keeps of freed memory, which it does for each thread: compilers in
// drivers are called on any of Go's.
const arenas = "MALLOC_ARENA_MAX"

// exitHung is how a worker ends that has answered that a run does not end.
const exitHung = 75

// workerReady is what a worker writes first, once it has its device.
const workerReady = "ready\n"

// maxSequence bounds the bytes of a request's number and the space behind it.
const maxSequence = 24

// numberedAnswer is an answer of a worker, with its line's end, or the worker's end.
type numberedAnswer struct {
	number uint64
	line   []byte
	ended  bool
	ready  bool  // it has had its device
	err    error // of the process
}

// pendingRequest is a request that has no answer yet.
type pendingRequest struct {
	number uint64
	requestLine
}

// serveProcess is a worker.
type serveProcess struct {
	feed    chan []byte // ends with the requests
	answers chan numberedAnswer
}

// startServeProcess starts a worker with the command line of this process.
func startServeProcess(e *cli.Env, args []string, memory uint64, window int) (*serveProcess, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// of a flag that stands twice the last one counts
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
		// those that are left once it has ended get lost here, and are sent again
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

// read reads answers until the worker has ended. A line that it has not ended is none.
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

// serveSupervisor hands requests to workers, one worker at a time.
type serveSupervisor struct {
	e       *cli.Env
	args    []string
	memory  uint64
	window  int // requests that a worker works on at a time
	s       *server
	worker  *serveProcess
	sent    map[uint64]*pendingRequest
	waiting []*pendingRequest // to be sent again
	// alone says that a worker has crashed: the requests that it had are sent one by one, which
	// finds the one that is to blame.
	alone bool
}

// superviseServe answers requests by workers.
func superviseServe(e *cli.Env, args []string, memory uint64) error {
	window := runtime.GOMAXPROCS(0)
	v := &serveSupervisor{e: e, args: args, memory: max(memory/4*3, leastMemory), window: window,
		s: newServer(e.Stdout, 0, memory/4), sent: map[uint64]*pendingRequest{}}
	lines := make(chan requestLine)
	var failed error
	go func() {
		failed = v.s.readRequests(e.Stdin, maxRequest, lines)
		close(lines)
	}()
	if err := v.start(); err != nil { // which says that there is no device before anybody asks
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

// run answers requests until there are no more of them.
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
				return cli.ErrReported // it has said why
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
	v.worker.feed <- line // which has room for all that are sent
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

// replace decides what becomes of the requests that an ended worker has not answered.
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
			_ = json.Unmarshal(left[0].text, &request) // what is no JSON has no id
			v.s.send(&answer{ID: request.ID, Error: fmt.Sprintf("the driver ended the process that ran this: %v", why)})
			v.s.lines.Give(left[0].taken)
			left = nil
		}
		v.alone = true
	}
	v.waiting = append(left, v.waiting...)
}

// announce says that a worker has its device.
func (s *server) announce() error {
	s.numbered = true
	_, err := io.WriteString(s.out, workerReady)
	return errors.Join(err, s.out.Flush())
}

// quit ends a worker in which a run hangs, with no answer cut off.
func (s *server) quit() {
	s.mutex.Lock()
	os.Exit(exitHung)
}
