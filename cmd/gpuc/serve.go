package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sort"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/frontend/wgsl/check"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

var serveCommand = command{
	name:    "serve",
	summary: "answer requests as JSON lines on standard input and output",
	help: `
A long-lived process for editors, test suites and other languages. Each line of
standard input is a JSON object, each line of standard output the answer with the
same id; answers may come in another order. It ends with standard input.

  {"id":1,"stage":"hello"}
  {"id":2,"stage":"module","code":"…","features":["shader-f16"]}
  {"id":3,"stage":"pipeline","code":"…","entry":"main","constants":{"n":64}}

hello tells what gpuc supports, module checks a program, pipeline checks one entry
point with values for its overrides. A refusal is {"id":…,"ok":false,"error":"…",
"line":…,"col":…}; "warnings" lists what is doubtful but allowed.
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
}

// answer is a line of output.
type answer struct {
	ID               json.RawMessage `json:"id"`
	OK               bool            `json:"ok"`
	Error            string          `json:"error,omitempty"`
	Line             int             `json:"line,omitempty"`
	Column           int             `json:"col,omitempty"`
	Warnings         []string        `json:"warnings,omitempty"`
	Features         []string        `json:"features,omitempty"`
	LanguageFeatures []string        `json:"languageFeatures,omitempty"`
	Info             *adapterInfo    `json:"info,omitempty"`
}

type adapterInfo struct {
	SubgroupMinSize int `json:"subgroupMinSize"`
	SubgroupMaxSize int `json:"subgroupMaxSize"`
}

// webFeatures are the optional features of WebGPU that gpuc has. The front end
// knows an extension by the same name, less a prefix.
var webFeatures = []string{"shader-f16", "subgroups"}

func runServe(e *environment, args []string) error {
	if _, err := serveCommand.parse(e, serveCommand.newFlags(), args); err != nil {
		return err
	}
	s := server{out: bufio.NewWriter(e.stdout)}
	lines := make(chan []byte, 64)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			compiler := wgsl.NewCompiler()
			for line := range lines {
				if !s.handle(compiler, line) {
					compiler = wgsl.NewCompiler() // a panic may have left it in any state
				}
			}
		})
	}
	in := bufio.NewReaderSize(e.stdin, 1<<16)
	var err error
	for err == nil {
		var line []byte
		line, err = in.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			lines <- line
		}
	}
	close(lines)
	workers.Wait()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, s.out.Flush(), s.err)
}

// server writes answers, one at a time.
type server struct {
	mutex sync.Mutex
	out   *bufio.Writer
	err   error
}

func (s *server) send(a *answer) {
	if a.ID == nil {
		a.ID = json.RawMessage("null")
	}
	line, err := json.Marshal(a)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err == nil {
		_, err = s.out.Write(append(line, '\n'))
	}
	if err == nil {
		err = s.out.Flush()
	}
	s.err = errors.Join(s.err, err)
}

// handle answers one request. Whatever goes wrong inside is answered, too: a bad
// request must not take the others down. It reports whether the compiler is still
// good.
func (s *server) handle(compiler *wgsl.Compiler, line []byte) (good bool) {
	var r request
	a := new(answer)
	good = true
	defer func() {
		if p := recover(); p != nil {
			a = &answer{ID: r.ID, Error: fmt.Sprintf("internal error: %v", p)}
			good = false
		}
		s.send(a)
	}()
	if err := json.Unmarshal(line, &r); err != nil {
		a.ID, a.Error = r.ID, "the request is no JSON object of the expected form: "+err.Error()
		return good
	}
	a.ID = r.ID
	switch r.Stage {
	case "hello":
		a.OK, a.Features, a.LanguageFeatures = true, webFeatures, check.LanguageFeatures
		a.Info = &adapterInfo{4, 128}
	case "module", "pipeline":
		r.check(compiler, a)
	default:
		a.Error = fmt.Sprintf("there is no stage %q; the stages are hello, module and pipeline", r.Stage)
	}
	return good
}

// check checks the program and, for a pipeline, makes IR of it and binds its
// overrides.
func (r *request) check(compiler *wgsl.Compiler, a *answer) {
	var set source.Set
	var list diag.List
	file, err := set.Add("module.wgsl", r.Code)
	if err != nil {
		a.Error = err.Error()
		return
	}
	features := make([]string, 0, len(r.Features)) // none is not nil, which means all
	for _, f := range r.Features {
		features = append(features, strings.TrimPrefix(f, "shader-"))
	}
	options := wgsl.Options{Check: check.Options{Features: features}}
	if r.Stage == "module" {
		compiler.Check(&set, file, options, &list)
	} else if module := compiler.Load(&set, file, options, &list); module != nil {
		r.bind(module, &list)
	}
	a.OK = list.Errors() == 0
	for _, d := range list.Items() {
		switch {
		case d.Severity == diag.Error && a.Error == "":
			at := set.Position(d.Span.Start)
			a.Error, a.Line, a.Column = d.Message+" ["+d.Code.String()+"]", at.Line, at.Column
		case d.Severity == diag.Warning:
			a.Warnings = append(a.Warnings, d.Message)
		}
	}
}

// bind checks the entry point with the given constants.
func (r *request) bind(module *ir.Module, list *diag.List) {
	entry := ""
	if r.Entry != nil {
		entry = *r.Entry
	}
	var settings []ir.Setting
	for key, value := range r.Constants {
		settings = append(settings, ir.Setting{Key: key, Value: value})
	}
	sort.Slice(settings, func(i, j int) bool { return settings[i].Key < settings[j].Key })
	codegen.Prepare(module, entry, settings, &codegen.WebLimits, list)
}
