package serve

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// serveRequests sends requests to one server and returns the answers by id.
func serveRequests(t *testing.T, requests ...map[string]any) map[int]answer {
	t.Helper()
	var in, out bytes.Buffer
	for i, r := range requests {
		r["id"] = i
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	if code, stderr := serve(&in, &out); code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
	answers := map[int]answer{}
	for line := range strings.Lines(out.String()) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		var id int
		if err := json.Unmarshal(a.ID, &id); err != nil {
			t.Fatal(err)
		}
		answers[id] = a
	}
	return answers
}

// adding returns a program that adds n to x.
func adding(n int) string {
	return fmt.Sprintf(`@group(0) @binding(0) var<storage, read_write> x: u32;
		@compute @workgroup_size(1) fn main() { x += %du; }`, n)
}

// TestServeRunCache runs more programs than the cache holds, each several times with other data.
func TestServeRunCache(t *testing.T) {
	var requests []map[string]any
	var want []uint32
	for round := range 3 {
		for n := range 3 * keptPrograms {
			var data [4]byte
			binary.LittleEndian.PutUint32(data[:], uint32(1000*round))
			requests = append(requests, map[string]any{
				"stage": "run", "code": adding(n + 1), "dispatch": []int{1, 1, 1},
				"bindings": []map[string]any{{"group": 0, "binding": 0, "data": base64.StdEncoding.EncodeToString(data[:])}},
			})
			want = append(want, uint32(1000*round+n+1))
		}
	}
	answers := serveRequests(t, requests...)
	for i, w := range want {
		a := answers[i]
		if !a.OK || len(a.Buffers) != 1 {
			t.Fatalf("request %d: %+v", i, a)
		}
		if got := binary.LittleEndian.Uint32(a.Buffers[0].Data); got != w {
			t.Errorf("request %d gives %d, want %d", i, got, w)
		}
	}
}

// TestServeRunKeys: the key in the cache has the entry point, the features and the constants.
func TestServeRunKeys(t *testing.T) {
	const code = `enable f16;
		override n = 1u;
		@group(0) @binding(0) var<storage, read_write> x: u32;
		@compute @workgroup_size(1) fn a() { x = n; }
		@compute @workgroup_size(1) fn b() { x = n + 10; }`
	request := func(entry string, features []string, constants map[string]float64) map[string]any {
		return map[string]any{
			"stage": "run", "code": code, "entry": entry, "features": features, "constants": constants,
			"dispatch": []int{1, 1, 1}, "bindings": []map[string]any{{"group": 0, "binding": 0, "size": 4}},
		}
	}
	half := []string{"shader-f16"}
	requests := []map[string]any{
		request("a", half, nil),
		request("b", half, nil),
		request("a", half, map[string]float64{"n": 2}),
		request("b", half, map[string]float64{"n": 3}),
		request("a", []string{}, nil),
	}
	answers := serveRequests(t, requests...)
	for i, want := range []byte{1, 11, 2, 13} {
		if a := answers[i]; !a.OK || len(a.Buffers) != 1 || a.Buffers[0].Data[0] != want {
			t.Errorf("request %d gives %+v, want %d", i, a, want)
		}
	}
	if a := answers[4]; a.OK || !strings.Contains(a.Error, "f16") {
		t.Errorf("a program with f16 on a device without it: %+v", a)
	}
}

// TestProgramCache: the cache is bounded by bytes and by programs, and drops the least recently
// used.
func TestProgramCache(t *testing.T) {
	const kept = 1 << 20
	w := newServeWorker(&server{})
	for n := range 1000 {
		r := request{Code: adding(n)}
		w.cache.add(r.key(), &serveProgram{bytes: kept / 10}, kept)
	}
	if got := w.cache.order.Len(); got != 10 || len(w.cache.entries) != got || w.cache.bytes > kept {
		t.Errorf("the cache holds %d programs (%d by key) of %d bytes", got, len(w.cache.entries), w.cache.bytes)
	}
	for n := range 1000 {
		r := request{Code: adding(n)}
		w.cache.add(r.key(), &serveProgram{bytes: 1}, kept)
	}
	if got := w.cache.order.Len(); got != keptPrograms {
		t.Errorf("the cache holds %d programs, want %d", got, keptPrograms)
	}
	last, first := request{Code: adding(999)}, request{Code: adding(0)}
	if w.cache.get(last.key()) == nil || w.cache.get(first.key()) != nil {
		t.Error("the program used last is not the one kept")
	}
}

// TestServePanic: a panic is answered, and the worker is not used again.
func TestServePanic(t *testing.T) {
	var out bytes.Buffer
	s := newServer(&out, 0, minMemory)
	w := newServeWorker(s)
	w.cache.entries = nil // adding to it panics
	if w.handle([]byte(`{"id":1,"stage":"run","code":"@compute @workgroup_size(1) fn main() { }","dispatch":[1,1,1]}`)) {
		t.Error("the worker counts as good after a panic")
	}
	if got := out.String(); !strings.Contains(got, `"id":1,"ok":false,"error":"internal error while `) {
		t.Errorf("the answer to a request that panics is %s", got)
	}
}

// TestServeReadRequests: lines up to the limit are read, the last one also without a newline.
// Longer lines are answered with an error.
func TestServeReadRequests(t *testing.T) {
	const limit = 1 << 17 // twice the reader's buffer
	var out bytes.Buffer
	s := newServer(&out, 0, minMemory)
	want := []string{"a", strings.Repeat("b", 1<<16), strings.Repeat("c", limit-1), "d"}
	in := want[0] + "\n\n  \n" + want[1] + "\n" + want[2] + "\n" + strings.Repeat("x", limit+1) + "\n" + want[3]
	lines := make(chan requestLine, 10)
	if err := s.readRequests(strings.NewReader(in), limit, lines); err != nil {
		t.Fatal(err)
	}
	close(lines)
	var got []string
	for line := range lines {
		got = append(got, strings.TrimSuffix(string(line.text), "\n"))
		s.lines.Give(line.taken)
	}
	if s.lines.Used() != 0 {
		t.Errorf("%d bytes are taken when all is done", s.lines.Used())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`{"id":null,"ok":false,"error":"the request has 131074 bytes; at most 131072 are allowed"}`+"\n", out.String()); diff != "" {
		t.Errorf("the answer to the long request (-want +got):\n%s", diff)
	}
}
