package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/frontend/wgsl/check"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

var serveCommand = command{
	name:     "serve",
	summary:  "answer requests as JSON lines on standard input and output",
	usage:    "[-device NAME] [-timeout 20s] [-memory 256MB] [-large]",
	protocol: true,
	help: `
A long-lived process for editors, test suites and other languages. Each line of
standard input is a JSON object, each line of standard output the answer with the
same id; answers may come in another order. It ends with standard input.

  {"id":1,"stage":"hello"}
  {"id":2,"stage":"module","code":"…","features":["shader-f16"]}
  {"id":3,"stage":"pipeline","code":"…","entry":"main","constants":{"n":64}}
  {"id":4,"stage":"run","code":"…","entry":"main","constants":{},"dispatch":[4,1,1],
   "bindings":[{"group":0,"binding":0,"size":64,"data":"<base64>"}]}
  {"id":5,"stage":"build","code":"…","entry":"main","constants":{},"target":"spirv"}

  {"id":6,"stage":"check","code":"…"}

hello tells gpuc's version and what it supports, module checks a program, pipeline
checks one entry point with values for its overrides. A refusal is {"id":…,"ok":false,"error":"…",
"line":…,"col":…}; "warnings" lists what is doubtful but allowed. Without
"features" all are there; without "entry" the program has one entry point.

check is for editors: it answers with everything that gpuc check has to say, warnings
included, as "diagnostics" of the form that gpuc check -json writes (docs/reference/json.md),
in which the file is called module.wgsl.

run executes one entry point once. "dispatch" counts workgroups; a binding is
"size" bytes that start with "data" and go on with zeros, and "immediates" are the
bytes of a var<immediate>, zeros where they are missing. The answer is
{"id":4,"ok":true,"buffers":[{"group":0,"binding":0,"data":"<base64>"}]} with the
buffers that changed, whole. It runs on the interpreter, after the passes of
gpuc build, and in the same order each time; -device names another place. Entry
points with textures or samplers are refused: requests carry none.

-memory bounds what the server holds beside what one request needs: requests wait until there
is room for them, and one that needs more than that runs alone. So it is where nobody reads the
answers, and where kernels do not end, which -timeout ends.

On a device, runs are in a process of their own. A kernel that does not end, or that the driver does not
finish compiling, ends with that process, and so does a driver that crashes; the requests beside it are
answered by the next one.

With -large every launch takes the variant of its kernel that large launches take, whose accesses are
not checked one by one, wherever what is known of the launch allows it; the answer has "large":true
then. It is for tests of that variant, of which the interpreter has none: -device cpu takes the CPU
device with it.

build compiles one entry point for a target of gpuc targets, to the limits of
devices instead of WebGPU's. The answer is
{"id":5,"ok":true,"artefact":"<base64>","kernel":{…}}, where kernel is the
description that gpuc build writes beside the code.
`,
}

func init() { serveCommand.run = runServe }

// request is a line of input.
type request struct {
	ID        json.RawMessage    `json:"id"`
	Stage     string             `json:"stage"`
	Code      string             `json:"code"`
	Features  []string           `json:"features"`
	Entry     *string            `json:"entry"`
	Constants map[string]float64 `json:"constants"`
	Target    string             `json:"target"`
	Dispatch  []uint32           `json:"dispatch"`
	Bindings  []boundBytes       `json:"bindings"`
	// Immediates may hold more than the kernel takes, or less, which means zeros.
	Immediates []byte `json:"immediates"`
}

// boundBytes is a buffer and where it is bound.
type boundBytes struct {
	Group   uint32 `json:"group"`
	Binding uint32 `json:"binding"`
	Size    uint64 `json:"size,omitempty"` // in a request; more than data means zeros behind it
	Data    []byte `json:"data,omitempty"`
}

// answer is a line of output.
type answer struct {
	ID       json.RawMessage `json:"id"`
	OK       bool            `json:"ok"`
	Error    string          `json:"error,omitempty"`
	Line     int             `json:"line,omitempty"`
	Column   int             `json:"col,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	// of check, though there be none
	Diagnostics      *[]diag.Form `json:"diagnostics,omitempty"`
	Version          string       `json:"gpuc,omitempty"`
	Features         []string     `json:"features,omitempty"`
	LanguageFeatures []string     `json:"languageFeatures,omitempty"`
	Info             *adapterInfo `json:"info,omitempty"`
	Buffers          []boundBytes `json:"buffers,omitempty"`
	Artefact         []byte       `json:"artefact,omitempty"`
	Kernel           *abi.Kernel  `json:"kernel,omitempty"`
	Large            bool         `json:"large,omitempty"` // the variant for large launches ran
}

type adapterInfo struct {
	SubgroupMinSize uint32 `json:"subgroupMinSize"`
	SubgroupMaxSize uint32 `json:"subgroupMaxSize"`
}

// webFeatures are the optional features of WebGPU that gpuc has: those of vertex and
// fragment shaders it checks. The front end
// knows an extension by the same name, less a prefix.
var webFeatures = []string{"shader-f16", "subgroups", subgroupSizeControl, "clip-distances", "dual-source-blending", "primitive-index"}

// subgroupSizeControl is a feature that not every device has.
const subgroupSizeControl = "subgroup-size-control"

func runServe(e *environment, args []string) error {
	f := serveCommand.newFlags()
	device := f.String("device", "cpu", "where run executes: cpu, cpu:checked, vulkan, cuda, or one of gpuc devices")
	timeout := f.Duration("timeout", 20*time.Second, "how long a run may take")
	memory := sizeFlag(defaultMemory)
	f.Var(&memory, "memory", "`bytes` that the server may hold beside what one request needs")
	large := f.Bool("large", false, "run the variant for large launches wherever it is valid, however small a launch is")
	if err := serveCommand.parseFlags(e, f, args); err != nil {
		return err
	}
	if *timeout <= 0 {
		return usagef("-timeout wants a time above 0, such as 20s")
	}
	if memory < leastMemory {
		least := sizeFlag(leastMemory)
		return usagef("-memory %s is too little; it wants at least %s", &memory, &least)
	}
	if driver, _, _ := strings.Cut(*device, ":"); driver != gpu.CPU && !isServeWorker() {
		e.awaits(&serveCommand, "requests in JSON")
		return superviseServe(e, args, uint64(memory))
	}
	if !isServeWorker() {
		e.awaits(&serveCommand, "requests in JSON")
	}
	s := newServer(e.stdout, *timeout, uint64(memory))
	s.large = *large
	defer s.limitMemory()()
	if *device != gpu.CPU || *large {
		var note string
		var err error
		if s.device, note, err = openDevice(*device); err != nil {
			return err
		}
		if note != "" {
			fmt.Fprintln(e.stderr, note)
		}
		defer s.device.Close()
	}
	if isServeWorker() {
		if err := s.announce(); err != nil {
			return err
		}
	}
	workers := runtime.GOMAXPROCS(0)
	lines := make(chan requestLine, workers) // more wait in the pipe, so that memory stays bounded
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			w := newServeWorker(s)
			for line := range lines {
				if !w.handle(line.text) {
					w.close()
					w = newServeWorker(s) // a panic may have left it in any state
				}
				s.lines.give(line.taken)
			}
			w.close()
		})
	}
	err := s.readRequests(e.stdin, maxRequest+maxSequence, lines)
	close(lines)
	group.Wait()
	return errors.Join(err, s.out.Flush(), s.err)
}

// server is what the workers share. It writes answers, one at a time.
type server struct {
	device  *gpu.Device   // where run executes; nil means the interpreter
	timeout time.Duration // of a run
	large   bool          // launches take the variant for large ones
	// numbered says that it is a worker: requests and answers begin with a number and a space.
	numbered bool
	memory   uint64 // bytes that it may hold beside what one request needs
	// lines is for requests that were read and are not answered, work for what answering them
	// takes. Who has a part of the second needs no more of the first, and no more of the second, so
	// that nobody waits for ever.
	lines, work *budget
	kept        int           // bytes of programs that each worker keeps
	keptRequest int           // bytes of a request whose memory a worker keeps for the next one
	beyond      atomic.Uint64 // bytes that one request has beyond the bound
	mutex       sync.Mutex
	out         *bufio.Writer
	err         error
}

// Of the memory a quarter is for requests, half for work, an eighth for programs that are kept and
// an eighth for what compilers keep; the collector sees to it that garbage does not come on top
// (limitMemory).
const (
	defaultMemory = 256 << 20
	leastMemory   = 16 << 20
)

// requestLine is a request that was read, and what was taken for it.
type requestLine struct {
	text  []byte
	taken uint64
}

// lineMemory is what a line of some bytes takes, together with what is decoded of it.
func lineMemory(bytes int) uint64 { return 3 * uint64(bytes) }

// compileMemory is what compiling takes for each byte of a program, and requestMemory what any
// request takes.
const (
	compileMemory = 100
	requestMemory = 1 << 20
)

// limitMemory has the collector keep the process within the server's memory; the result ends that.
func (s *server) limitMemory() (restore func()) {
	before := debug.SetMemoryLimit(int64(s.memory))
	return func() { debug.SetMemoryLimit(before) }
}

// exceed raises the limit for a request that needs more, and lowers it again.
func (s *server) exceed(before *uint64) func(bytes uint64) {
	return func(bytes uint64) {
		now := s.beyond.Add(bytes - *before)
		*before = bytes
		debug.SetMemoryLimit(int64(s.memory + now))
	}
}

// maxRequest bounds the bytes of one request.
const maxRequest = 1 << 30

// readRequests sends each line that is not empty to a channel, and answers those
// longer than the limit. It returns nil at the end of the input.
func (s *server) readRequests(from io.Reader, limit int, lines chan<- requestLine) error {
	in := bufio.NewReaderSize(from, 1<<16)
	var line requestLine
	length := 0
	for {
		part, err := in.ReadSlice('\n')
		if length += len(part); length <= limit {
			more := lineMemory(len(part))
			s.lines.take(line.taken, more)
			line.taken += more
			line.text = append(line.text, part...)
		} else if line.text != nil {
			s.lines.give(line.taken)
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
			s.lines.give(line.taken)
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

func newServer(out io.Writer, timeout time.Duration, memory uint64) *server {
	s := &server{out: bufio.NewWriter(out), timeout: timeout, memory: memory}
	s.lines, s.work = newBudget(memory/4, s.exceed(new(uint64))), newBudget(memory/2, s.exceed(new(uint64)))
	each := int(memory/8) / runtime.GOMAXPROCS(0)
	s.kept, s.keptRequest = each, min(each/compileMemory, mostKeptRequest)
	return s
}

// limits are WebGPU's, with the sizes of subgroups that kernels can ask for.
func (s *server) limits() codegen.Limits {
	limits := codegen.WebLimits
	if s.device != nil && s.device.Info().SubgroupSizes[1] != 0 {
		limits.Subgroup = s.device.Info().SubgroupSizes
	}
	return limits
}

// target is that of the device on which run executes.
func (s *server) target() *codegen.Target {
	info := s.device.Info()
	return all.For(info.Target, info.Profile)
}

func (s *server) send(a *answer) { s.sendNumbered(nil, a) }

// sendNumbered sends an answer behind the number of a worker's request.
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

// write writes the parts of a line.
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

// stages are what a request can ask for.
var stages = []struct {
	name   string
	answer func(w *serveWorker, r *request, a *answer)
}{
	{"hello", (*serveWorker).hello},
	{"module", (*serveWorker).module},
	{"check", (*serveWorker).check},
	{"pipeline", (*serveWorker).pipeline},
	{"run", (*serveWorker).run},
	{"build", (*serveWorker).build},
}

// handle answers one request. Whatever goes wrong inside is answered, too: a bad
// request must not take the others down. It reports whether the worker is still
// good.
func (w *serveWorker) handle(line []byte) (good bool) {
	var r request
	var number []byte
	if w.server.numbered {
		if n := bytes.IndexByte(line, ' '); n > 0 {
			number, line = line[:n+1], line[n+1:]
		}
	}
	a := new(answer)
	good = true
	defer func() {
		if p := recover(); p != nil {
			a = &answer{ID: r.ID, Error: diag.Caught(p, "answering the request").Error()}
			good = false
		}
		w.server.sendNumbered(number, a)
		if w.hung && w.server.numbered {
			w.server.quit()
		}
		w.cache.shrink(keptPrograms, w.server.kept)
		w.hold(0)
		if len(line) > w.server.keptRequest {
			w.forget()
		}
	}()
	if err := json.Unmarshal(line, &r); err != nil {
		a.ID, a.Error = r.ID, "the request is no JSON object of the expected form: "+err.Error()
		return good
	}
	a.ID = r.ID
	w.hold(requestMemory + compileMemory*uint64(len(r.Code)))
	known := make([]string, 0, len(stages))
	for _, stage := range stages {
		if stage.name == r.Stage {
			stage.answer(w, &r, a)
			return good
		}
		known = append(known, stage.name)
	}
	a.Error = fmt.Sprintf("there is no stage %q; the stages are %s", r.Stage, strings.Join(known, ", "))
	return good
}

func (w *serveWorker) hello(_ *request, a *answer) {
	a.OK, a.Features, a.LanguageFeatures = true, webFeatures, check.LanguageFeatures
	a.Version, _ = builtFrom()
	sizes := w.server.limits().Subgroup
	a.Info = &adapterInfo{sizes[0], sizes[1]}
	if device := w.server.device; device != nil && device.Info().SubgroupSizes[1] == 0 {
		a.Features = slices.DeleteFunc(slices.Clone(webFeatures), func(f string) bool { return f == subgroupSizeControl })
	}
}

// module checks a program without making IR of it.
func (w *serveWorker) module(r *request, a *answer) {
	if file := w.source(r, a); file != nil {
		w.compiler.Check(w.set, file, r.options(), &w.list)
		w.judge(a)
	}
}

// check finds all that is wrong or doubtful in a program.
func (w *serveWorker) check(r *request, a *answer) {
	file := w.source(r, a)
	if file == nil {
		return
	}
	options := r.options()
	options.Warn = true
	w.compiler.Analyze(w.set, file, options, &w.list)
	a.OK = w.list.Errors() == 0
	forms := diag.AppendForms([]diag.Form{}, w.set, w.list.Items())
	a.Diagnostics = &forms
}

// pipeline makes IR of the program and binds the entry point's overrides.
func (w *serveWorker) pipeline(r *request, a *answer) {
	module := w.load(r, a)
	if module == nil {
		return
	}
	limits := w.server.limits()
	codegen.Prepare(module, r.entry(), r.settings(), &limits, &w.list)
	w.judge(a)
}

// source begins a compilation.
func (w *serveWorker) source(r *request, a *answer) *source.File {
	w.set = new(source.Set)
	w.list.Reset()
	file, err := w.set.Add("module.wgsl", r.Code)
	if err != nil {
		a.Error = err.Error()
	}
	return file
}

// load makes IR of the request's program. It returns nil once the answer says
// why there is none.
func (w *serveWorker) load(r *request, a *answer) *ir.Module {
	file := w.source(r, a)
	if file == nil {
		return nil
	}
	module := w.compiler.Load(w.set, file, r.options(), &w.list)
	if module == nil {
		w.judge(a)
	}
	return module
}

// judge makes the answer of what the compilation reported.
func (w *serveWorker) judge(a *answer) {
	a.OK = w.list.Errors() == 0
	for _, d := range w.list.Items() {
		switch {
		case d.Severity == diag.Error && a.Error == "":
			at := w.set.Position(d.Span.Start)
			a.Error, a.Line, a.Column = d.Message+" ["+d.Code.String()+"]", at.Line, at.Column
		case d.Severity == diag.Warning:
			a.Warnings = append(a.Warnings, d.Message)
		}
	}
}

func (r *request) options() wgsl.Options {
	var features []string // none given means all
	if r.Features != nil {
		features = make([]string, 0, len(r.Features))
	}
	for _, f := range r.Features {
		features = append(features, strings.TrimPrefix(f, "shader-"))
	}
	return wgsl.Options{Check: check.Options{Features: features}}
}

func (r *request) entry() string {
	if r.Entry == nil {
		return ""
	}
	return *r.Entry
}

// settings returns the values of overrides, in an order that does not vary.
func (r *request) settings() []ir.Setting {
	settings := make([]ir.Setting, 0, len(r.Constants))
	for _, key := range slices.Sorted(maps.Keys(r.Constants)) {
		settings = append(settings, ir.Setting{Key: key, Value: r.Constants[key]})
	}
	return settings
}
