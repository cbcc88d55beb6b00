// Package debug serves pages about what a running program does with its devices, as net/http/pprof
// does about the processor:
//
//	http.Handle("/debug/gpu/", debug.Handler())
//
//	/debug/gpu/                   devices, their memory, and the table of the profile that runs
//	/debug/gpu/profile?seconds=10 the table of the next seconds, or of the profile that runs
//	/debug/gpu/trace?seconds=5    a trace of the next seconds, for ui.perfetto.dev
//
// A trace has all launches, which may make small kernels twice as slow meanwhile; overhead=0.01 has
// as many as take a hundredth of the time. If the program has a profile of its own, that is used as
// it is.
//
// Whoever reaches the pages sees the names of kernels and can slow the program down: serve them on
// a port that only developers reach.
package debug

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Seconds of a request without the parameter, and the most.
const (
	profileSeconds = 10
	traceSeconds   = 5
	mostSeconds    = 3600
)

// Handler returns the handler of the pages. Their names are the last part of the path.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		name := path.Base(r.URL.Path)
		if r.URL.Path == "" || r.URL.Path[len(r.URL.Path)-1] == '/' {
			name = ""
		}
		switch name {
		case "":
			index(w)
		case "profile":
			serve(w, r, profileSeconds, 0, writeTable)
		case "trace":
			serve(w, r, traceSeconds, 1, writeTrace)
		default:
			http.NotFound(w, r)
		}
	})
}

// serve measures for as long as a request says, and writes the result.
func serve(w http.ResponseWriter, r *http.Request, seconds, overhead float64, write func(http.ResponseWriter, *gpu.Profile, time.Time)) {
	seconds, err1 := parameter(r, "seconds", seconds, mostSeconds)
	overhead, err2 := parameter(r, "overhead", overhead, 1)
	if err := errors.Join(err1, err2, fitsTimeout(r, seconds)); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodHead {
		return
	}
	began := time.Now()
	p, err := gpu.StartProfile(gpu.ProfileOptions{MaxOverhead: overhead})
	switch {
	case err == nil:
		defer p.Stop()
	case errors.Is(err, gpu.ErrProfiling):
		p = gpu.RunningProfile()
	}
	if p == nil {
		http.Error(w, fmt.Sprint("no profile: ", err), http.StatusConflict)
		return
	}
	if !sleep(r.Context(), time.Duration(seconds*float64(time.Second))) {
		return // nobody reads the result
	}
	write(w, p, began)
}

// parameter returns a parameter of a request, a number from 0 to most, or its default.
func parameter(r *http.Request, name string, value, most float64) (float64, error) {
	text := r.FormValue(name)
	if text == "" {
		return value, nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0 && value <= most) {
		return 0, fmt.Errorf("%s=%s: it is no number from 0 to %v", name, text, most)
	}
	return value, nil
}

// fitsTimeout refuses a request that the server would end before the answer.
func fitsTimeout(r *http.Request, seconds float64) error {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if ok && server.WriteTimeout > 0 && seconds >= server.WriteTimeout.Seconds() {
		return fmt.Errorf("seconds=%v: the server ends answers after %v (http.Server.WriteTimeout)", seconds, server.WriteTimeout)
	}
	return nil
}

// sleep reports whether it was not ended by ctx.
func sleep(ctx context.Context, t time.Duration) bool {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func writeTable(w http.ResponseWriter, p *gpu.Profile, _ time.Time) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprint(w, p.Report())
}

func writeTrace(w http.ResponseWriter, p *gpu.Profile, began time.Time) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="gpu-trace.json"`)
	_ = p.WriteTraceSince(w, began) // who reads has gone
}

// page is the first page.
const page = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>GPU</title></head>
<body>
<h1>GPU</h1>
<ul>
<li><a href="profile?seconds=10">Profile of 10 seconds</a>: a table, or that of the profile that runs</li>
<li><a href="trace?seconds=5">Trace of 5 seconds</a>, for <a href="https://ui.perfetto.dev">ui.perfetto.dev</a></li>
</ul>
<h2>Devices</h2>
{{range .Devices}}<h3>{{.ID}}: {{.Name}}</h3>
<table>
{{range .Rows}}<tr><th scope="row" align="left">{{.Name}}</th><td align="right">{{.Value}}</td></tr>
{{end}}</table>
{{else}}<p>No device is open.</p>
{{end}}<h2>Profile</h2>
{{if .Table}}<pre>{{.Table}}</pre>{{else}}<p>No profile runs. gpu.StartProfile and GPUC_PROFILE start one.</p>{{end}}
</body>
</html>
`

// pageData is what the first page shows.
type pageData struct {
	Devices []deviceData
	Table   string
}

type deviceData struct {
	ID, Name string
	Rows     []row
}

type row struct{ Name, Value string }

// index writes the first page.
func index(w http.ResponseWriter) {
	var data pageData
	for _, d := range gpu.OpenDevices() {
		info, m := d.Info(), d.Memory()
		data.Devices = append(data.Devices, deviceData{info.ID(), info.Name, []row{
			{"in use", mebibytes(m.InUse)}, {"highest in use", mebibytes(m.Peak)}, {"reserved", mebibytes(m.Reserved)},
			{"kept for later buffers", mebibytes(m.Cached)}, {"waiting for work", mebibytes(m.Waiting)}, {"pinned memory of the host", mebibytes(m.Host)},
			{"open buffers", fmt.Sprint(m.Buffers)}, {"allocations", fmt.Sprint(m.Allocs)}, {"requests to the driver", fmt.Sprint(m.BlocksReserved)},
			{"allocations that found no memory", fmt.Sprint(m.Failures)},
		}})
	}
	if p := gpu.RunningProfile(); p != nil {
		data.Table = p.Report().String()
	}
	t, err := template.New("page").Parse(page)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = t.Execute(w, data) // who reads has gone
}

// mebibytes formats a size.
func mebibytes(n uint64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
