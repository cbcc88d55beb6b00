package workaroundtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// request is the program that a process runs, and how it is compiled.
type request struct {
	Device     string // as package gpu names it
	Folder     string // with the program, or "" for those of this package
	File       string
	With       bool // whether to apply the program's row
	NoOptimize bool
}

// answer is the output of a process. A process without one crashed, usually in its driver.
type answer struct {
	Buffers     [][]byte // after the launch
	Error       string
	Unsupported bool // the device lacks what the program needs
}

// requestVariable is set in the environment of processes that run one program.
const requestVariable = "GPUC_WORKAROUNDTEST"

// answerPrefix begins the line with the answer, since drivers may print as well.
const answerPrefix = "answer: "

// Serve runs one program and exits, if Run has started this process for it. Programs that call Run
// must first call Serve.
func Serve() {
	text, ok := os.LookupEnv(requestVariable)
	if !ok {
		return
	}
	var r request
	err := json.Unmarshal([]byte(text), &r)
	var a answer
	if err == nil {
		a.Buffers, err = r.run()
	}
	if err != nil {
		a.Error, a.Unsupported = err.Error(), errors.Is(err, gpu.ErrUnsupported)
	}
	line, err := json.Marshal(a)
	if err != nil {
		panic(err) // it has only strings, bytes and a bool
	}
	fmt.Printf("%s%s\n", answerPrefix, line)
	os.Exit(0)
}

// folderOf returns a folder of programs by its path; "" is this package's.
func folderOf(path string) fs.FS {
	if path == "" {
		return Programs()
	}
	return os.DirFS(path)
}

func (r *request) run() ([][]byte, error) {
	text, err := fs.ReadFile(folderOf(r.Folder), r.File)
	if err != nil {
		return nil, err
	}
	p, err := parse(r.File, string(text))
	if err != nil {
		return nil, err
	}
	device, err := gpu.Open(gpu.Named(r.Device), gpu.KernelCache("off"))
	if err != nil {
		return nil, err
	}
	return p.execute(context.Background(), device, r.With, r.NoOptimize)
}

// execute runs the program on a device and returns the contents of its buffers.
func (p *Program) execute(ctx context.Context, device *gpu.Device, with, noOptimize bool) ([][]byte, error) {
	program, err := jit.Parse(p.File, p.Text, p.options(with, noOptimize))
	if err != nil {
		return nil, err
	}
	kernel, err := program.Load(device, "")
	if err != nil {
		return nil, err
	}
	defer kernel.Close()
	buffers := make([]*gpu.Buffer[byte], len(p.Buffers))
	for n := range p.Buffers {
		if buffers[n], err = gpu.Upload(ctx, device, p.Buffers[n].Data); err != nil {
			return nil, err
		}
		defer buffers[n].Close()
	}
	args := kernel.Args()
	for at, b := range kernel.Describe().Arguments() {
		n := slices.IndexFunc(p.Buffers, func(x Buffer) bool { return x.Name == b.Name })
		if n < 0 {
			return nil, fmt.Errorf("there is no @buffer line for %s", b.Name)
		}
		if err := args.Set(at, buffers[n]); err != nil {
			return nil, err
		}
	}
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	if err := stream.Launch(args, gpu.Grid{X: p.Dispatch[0], Y: p.Dispatch[1], Z: p.Dispatch[2]}); err != nil {
		return nil, err
	}
	results := make([][]byte, len(buffers))
	for n, b := range buffers {
		results[n] = make([]byte, b.Len())
		if err := b.Read(ctx, stream, results[n]); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// send runs a request in a new process. If there is no answer, problem is the reason: a crash, or
// the time limit.
func (r *request) send(limit time.Duration) (a answer, problem string) {
	self, err := os.Executable()
	if err != nil {
		return a, err.Error()
	}
	text, err := json.Marshal(r)
	if err != nil {
		return a, err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	command := exec.CommandContext(ctx, self)
	command.Env = append(os.Environ(), requestVariable+"="+string(text))
	command.WaitDelay = 5 * time.Second
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		if line, ok := strings.CutPrefix(lines.Text(), answerPrefix); ok && json.Unmarshal([]byte(line), &a) == nil {
			return a, ""
		}
	}
	if ctx.Err() != nil {
		return a, fmt.Sprintf("no answer within %s", limit)
	}
	first, _, _ := strings.Cut(complaint.String(), "\n")
	return a, strings.TrimSuffix(fmt.Sprintf("crash (%v: %s)", err, first), ": )")
}
