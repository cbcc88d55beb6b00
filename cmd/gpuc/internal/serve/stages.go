package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/frontend/wgsl/check"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// stages are the stages of requests.
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

// handle answers one request. A panic becomes an answer, too; good is then false, and the worker
// must not be used again.
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

// hello says what gpuc supports.
func (w *serveWorker) hello(_ *request, a *answer) {
	a.OK, a.Features, a.LanguageFeatures = true, webFeatures, check.LanguageFeatures
	a.Version, _ = cli.Version()
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

// check reports all diagnostics of a program.
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

// pipeline lowers the program to IR and binds the entry point's overrides.
func (w *serveWorker) pipeline(r *request, a *answer) {
	module := w.load(r, a)
	if module == nil {
		return
	}
	limits := w.server.limits()
	codegen.Prepare(module, r.entry(), r.settings(), &limits, &w.list)
	w.judge(a)
}

// source adds the request's program to a new set of sources.
func (w *serveWorker) source(r *request, a *answer) *source.File {
	w.set = new(source.Set)
	w.list.Reset()
	file, err := w.set.Add("module.wgsl", r.Code)
	if err != nil {
		a.Error = err.Error()
	}
	return file
}

// load lowers the request's program to IR. If there are errors, it puts them into the answer and
// returns nil.
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

// judge puts the diagnostics of a compilation into the answer.
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

// options returns the options of the front end.
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

// entry returns the name of the entry point, or "".
func (r *request) entry() string {
	if r.Entry == nil {
		return ""
	}
	return *r.Entry
}

// settings returns the values of overrides, sorted by name.
func (r *request) settings() []ir.Setting {
	settings := make([]ir.Setting, 0, len(r.Constants))
	for _, key := range slices.Sorted(maps.Keys(r.Constants)) {
		settings = append(settings, ir.Setting{Key: key, Value: r.Constants[key]})
	}
	return settings
}
