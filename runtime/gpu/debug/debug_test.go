package debug

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// working has the CPU device run a kernel named double_all until the test ends.
func working(t *testing.T) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	program, err := jit.Parse("double.wgsl", `
		@group(0) @binding(0) var<storage, read_write> x : array<u32>;
		@compute @workgroup_size(64) fn double_all(@builtin(global_invocation_id) id : vec3u) { x[id.x] *= 2u; }`, codegen.Options{})
	check(err)
	d, err := gpu.Open(gpu.Named(gpu.CPU))
	check(err)
	k, err := program.Load(d, "double_all")
	check(err)
	s, err := d.NewStream()
	check(err)
	x, err := gpu.Alloc[uint32](d, 64)
	check(err)
	args := k.Args()
	check(args.Set(0, x))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		for {
			err := s.Launch(args, gpu.D1(1))
			if err == nil {
				err = s.Wait(context.Background())
			}
			if err != nil || ctx.Err() != nil {
				done <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		check(d.Close())
	})
}

// get returns the body of a page.
func get(t *testing.T, server *httptest.Server, page string, status int) (string, http.Header) {
	t.Helper()
	r, err := server.Client().Get(server.URL + "/debug/gpu/" + page)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != status {
		t.Fatalf("%s: error %v, status %d, want %d: %s", page, err, r.StatusCode, status, body)
	}
	return string(body), r.Header
}

func TestPages(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/debug/gpu/", Handler())
	server := httptest.NewServer(mux)
	defer server.Close()
	if text, _ := get(t, server, "", 200); !strings.Contains(text, "No device is open") || !strings.Contains(text, "No profile runs") {
		t.Errorf("the first page without devices: %s", text)
	}
	working(t)
	if text, header := get(t, server, "", 200); !strings.Contains(text, "<h3>cpu:0: ") || !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		t.Errorf("the first page: %s", text)
	}
	if text, _ := get(t, server, "profile?seconds=0.05", 200); !strings.Contains(text, "double_all") || !strings.Contains(text, "waits of the host") {
		t.Errorf("the profile: %s", text)
	}
	text, header := get(t, server, "trace?seconds=0.05", 200)
	if !json.Valid([]byte(text)) || !strings.Contains(text, `"name":"double_all"`) || !strings.Contains(header.Get("Content-Disposition"), ".json") {
		t.Errorf("the trace: %.300s", text)
	}
	if gpu.RunningProfile() != nil {
		t.Error("a profile is left running")
	}
	for page, status := range map[string]int{"profile?seconds=x": 400, "trace?seconds=-1": 400, "trace?overhead=2": 400, "profile?seconds=NaN": 400, "none": 404} {
		get(t, server, page, status)
	}
	if r, err := server.Client().Post(server.URL+"/debug/gpu/profile", "", nil); err != nil || r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a POST: %v, error %v", r, err)
	}
}

// TestRunning has the program's own profile: the pages use it, and it goes on.
func TestRunning(t *testing.T) {
	server := httptest.NewServer(Handler())
	defer server.Close()
	working(t)
	p, err := gpu.StartProfile(gpu.ProfileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	for !strings.Contains(p.Report().String(), "double_all") { // which is under way
		time.Sleep(time.Millisecond)
	}
	for _, page := range []string{"", "profile?seconds=0.02", "trace?seconds=0.02"} {
		if text, _ := get(t, server, page, 200); !strings.Contains(text, "double_all") && !strings.Contains(text, "Stream.Wait") {
			t.Errorf("%s: %s", page, text)
		}
	}
	if gpu.RunningProfile() != p {
		t.Error("the profile has ended")
	}
}

// TestEnds has a request that its client gives up, and one that the server would end.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/debug/gpu/profile?seconds=3600", nil))
	if w.Body.Len() > 0 || gpu.RunningProfile() != nil {
		t.Errorf("a request that ended: %s", w.Body)
	}
	server := httptest.NewUnstartedServer(Handler())
	server.Config.WriteTimeout = time.Second
	server.Start()
	defer server.Close()
	if text, _ := get(t, server, "profile?seconds=2", 400); !strings.Contains(text, "WriteTimeout") {
		t.Error(text)
	}
}
