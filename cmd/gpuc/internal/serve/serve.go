// Package serve is gpuc serve: it answers requests as JSON lines on standard input and output.
package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/devices"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/memlimit"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Command is gpuc serve.
var Command = cli.Command{
	Name:     "serve",
	Run:      runServe,
	Summary:  "answer requests as JSON lines on standard input and output",
	Usage:    "[-device NAME] [-timeout 20s] [-memory 256MB] [-large]",
	Protocol: true,
	Help: `
A process for editors, test suites and programs in other languages. Each line of standard
input is a request: a JSON object. Each line of standard output is the answer to the request
with the same id; answers may come in another order. The process ends with its input.

  {"id":1,"stage":"hello"}
  {"id":2,"stage":"module","code":"…","features":["shader-f16"]}
  {"id":3,"stage":"pipeline","code":"…","entry":"main","constants":{"n":64}}
  {"id":4,"stage":"run","code":"…","entry":"main","constants":{},"dispatch":[4,1,1],
   "bindings":[{"group":0,"binding":0,"size":64,"data":"<base64>"}]}
  {"id":5,"stage":"build","code":"…","entry":"main","constants":{},"target":"spirv"}
  {"id":6,"stage":"check","code":"…"}

hello returns gpuc's version and the features that it supports. module checks a program.
pipeline checks one entry point with values for its overrides. The answer for a program with
errors is {"id":…,"ok":false,"error":"…","line":…,"col":…}. "warnings" lists warnings.
Without "features" all features are enabled. Without "entry" the program must have one entry
point.

check is for editors. Its answer has all that gpuc check reports, warnings too, as
"diagnostics" in the form of gpuc check -json (docs/reference/json.md). The file is called
module.wgsl.

run executes one entry point once. "dispatch" is the number of workgroups. A binding has
"size" bytes: "data", and then zeros. "immediates" are the bytes of a var<immediate>; missing
ones are zeros. The answer has the buffers that changed:
{"id":4,"ok":true,"buffers":[{"group":0,"binding":0,"data":"<base64>"}]}. The interpreter
executes the program after the passes of gpuc build, in the same order each time; with -device
a device does. Entry points with textures or samplers are refused.

build compiles one entry point for a target of gpuc targets, with the limits of devices
instead of WebGPU's. The answer is {"id":5,"ok":true,"artefact":"<base64>","kernel":{…}}, where
kernel is the description that gpuc build writes beside the code.

-memory bounds the memory of the server. Requests wait until there is enough for them. One
that needs more than all of it runs alone. -timeout ends kernels that do not end.

On a device, runs are in a process of their own. If a kernel does not end, or the driver hangs or
crashes, that process is replaced by another, which answers the other requests.

With -large, every launch that can runs the variant of its kernel for large launches, which
checks bounds once for the whole launch; the answer then has "large":true. This is for tests of
that variant. The interpreter has none, so -device cpu runs on the CPU device.
`,
}

// request is a request.
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
	// Immediates may be longer than those of the kernel, or shorter, with zeros for the rest.
	Immediates []byte `json:"immediates"`
}

// boundBytes is a buffer with its binding.
type boundBytes struct {
	Group   uint32 `json:"group"`
	Binding uint32 `json:"binding"`
	Size    uint64 `json:"size,omitempty"` // in a request; zeros follow the data
	Data    []byte `json:"data,omitempty"`
}

// answer is the answer to a request.
type answer struct {
	ID       json.RawMessage `json:"id"`
	OK       bool            `json:"ok"`
	Error    string          `json:"error,omitempty"`
	Line     int             `json:"line,omitempty"`
	Column   int             `json:"col,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	// Diagnostics are those of check; the list may be empty.
	Diagnostics      *[]diag.Form `json:"diagnostics,omitempty"`
	Version          string       `json:"gpuc,omitempty"`
	Features         []string     `json:"features,omitempty"`
	LanguageFeatures []string     `json:"languageFeatures,omitempty"`
	Info             *adapterInfo `json:"info,omitempty"`
	Buffers          []boundBytes `json:"buffers,omitempty"`
	Artefact         []byte       `json:"artefact,omitempty"`
	Kernel           *abi.Kernel  `json:"kernel,omitempty"`
	Large            bool         `json:"large,omitempty"` // the large-launch variant ran
}

// adapterInfo has properties of the device.
type adapterInfo struct {
	SubgroupMinSize uint32 `json:"subgroupMinSize"`
	SubgroupMaxSize uint32 `json:"subgroupMaxSize"`
}

// webFeatures are the optional features of WebGPU that gpuc supports. The front end has the
// extensions of WGSL by the same names, without the prefix "shader-".
var webFeatures = []string{"shader-f16", "subgroups", subgroupSizeControl, "clip-distances", "dual-source-blending", "primitive-index"}

// subgroupSizeControl is a feature that some devices lack.
const subgroupSizeControl = "subgroup-size-control"

func runServe(e *cli.Env, args []string) error {
	f := e.NewFlags()
	device := f.String("device", "cpu", "where run executes: cpu, cpu:checked, vulkan, cuda, or one of gpuc devices")
	timeout := f.Duration("timeout", 20*time.Second, "how long a run may take")
	memory := memlimit.Size(defaultMemory)
	f.Var(&memory, "memory", "`bytes` that the server may hold beside what one request needs")
	large := f.Bool("large", false, "run the variant for large launches wherever it is valid, however small a launch is")
	if err := e.ParseFlags(f, args); err != nil {
		return err
	}
	if *timeout <= 0 {
		return usage.Errorf("-timeout wants a time above 0, such as 20s")
	}
	if memory < minMemory {
		least := memlimit.Size(minMemory)
		return usage.Errorf("-memory %s is too little; it wants at least %s", &memory, &least)
	}
	if driver, _, _ := strings.Cut(*device, ":"); driver != gpu.CPU && !IsWorker() {
		e.Awaits("requests in JSON")
		return superviseServe(e, args, uint64(memory))
	}
	if !IsWorker() {
		e.Awaits("requests in JSON")
	}
	s := newServer(e.Stdout, *timeout, uint64(memory))
	s.large = *large
	defer s.limitMemory()()
	if *device != gpu.CPU || *large {
		var note string
		var err error
		if s.device, note, err = devices.Open(*device); err != nil {
			return err
		}
		if note != "" {
			fmt.Fprintln(e.Stderr, note)
		}
		defer s.device.Close()
	}
	if IsWorker() {
		if err := s.announce(); err != nil {
			return err
		}
	}
	workers := runtime.GOMAXPROCS(0)
	lines := make(chan requestLine, workers) // other requests stay in the pipe
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			w := newServeWorker(s)
			for line := range lines {
				if !w.handle(line.text) {
					w.close()
					w = newServeWorker(s) // after a panic the state is undefined
				}
				s.lines.Give(line.taken)
			}
			w.close()
		})
	}
	err := s.readRequests(e.Stdin, maxRequest+maxSequence, lines)
	close(lines)
	group.Wait()
	return errors.Join(err, s.out.Flush(), s.err)
}
