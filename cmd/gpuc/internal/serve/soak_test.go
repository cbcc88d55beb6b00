package serve

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/internal/testmode"
)

// soakRequests is the number of requests of TestServeSoak.
var soakRequests = flag.Int("requests", 6000, "how many requests TestServeSoak sends; 1000000 takes some minutes")

const (
	soakTimeout = "2s"    // of the server; the machine may be busy
	soakFlight  = 64      // requests without an answer yet
	soakLarge   = 1 << 20 // bytes of a large line
)

// soakKind is a kind of request.
type soakKind struct {
	name  string
	every int                           // one of so many requests is of this kind
	noID  bool                          // the request has no id, and neither has the answer
	line  func(n int) string            // request n, without a newline
	wrong func(n int, a *answer) string // what is wrong with the answer, or ""
}

// soakJSON returns a request with these fields. More follows them.
func soakJSON(n int, stage, code, more string) string {
	quoted, err := json.Marshal(code)
	if err != nil {
		panic(err) // a string can be encoded
	}
	return `{"id":` + strconv.Itoa(n) + `,"stage":"` + stage + `","code":` + string(quoted) + more + `}`
}

// accepted wants an answer without an error.
func accepted(_ int, a *answer) string {
	if !a.OK || a.Error != "" {
		return "want it accepted"
	}
	return ""
}

// refused wants an error with these words, at a line unless that is 0.
func refused(words string, line int) func(int, *answer) string {
	return func(_ int, a *answer) string {
		if a.OK || !strings.Contains(a.Error, words) || a.Line != line {
			return fmt.Sprintf("want it refused in line %d with %q", line, words)
		}
		return ""
	}
}

// computed wants one buffer with this value.
func computed(value func(n int) uint32) func(int, *answer) string {
	return func(n int, a *answer) string {
		if !a.OK || len(a.Buffers) != 1 || binary.LittleEndian.Uint32(a.Buffers[0].Data) != value(n) {
			return fmt.Sprintf("want the value %d", value(n))
		}
		return ""
	}
}

// started wants an artefact that begins with these bytes.
func started(with string) func(int, *answer) string {
	return func(_ int, a *answer) string {
		if !a.OK || !bytes.HasPrefix(a.Artefact, []byte(with)) || a.Kernel == nil || a.Kernel.Workgroup != [3]uint32{64, 1, 1} {
			return fmt.Sprintf("want an artefact that begins with %q", with)
		}
		return ""
	}
}

// oneWord binds a buffer with one u32.
func oneWord(x uint32) string {
	data := base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint32(nil, x))
	return `,"dispatch":[1,1,1],"bindings":[{"group":0,"binding":0,"data":"` + data + `"}]`
}

// polynomial returns a program with a loop, a function and workgroup memory, different for each n.
func polynomial(n int) string {
	return fmt.Sprintf(`override terms = 4u;
@group(0) @binding(0) var<storage, read_write> out_%[1]d: array<f32>;
@group(0) @binding(1) var<storage> in_%[1]d: array<f32>;
var<workgroup> tile_%[1]d: array<f32, 64>;
fn horner_%[1]d(x: f32) -> f32 {
  var sum = %[1]d.5;
  for (var i = 0u; i < terms; i++) { sum = sum * x + f32(i); }
  return sum;
}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32) {
  tile_%[1]d[i] = horner_%[1]d(in_%[1]d[id.x]);
  workgroupBarrier();
  if id.x < arrayLength(&out_%[1]d) { out_%[1]d[id.x] = tile_%[1]d[63u - i] + sin(tile_%[1]d[i]); }
}`, n)
}

// endless is a program that does not end.
const endless = `@group(0) @binding(0) var<storage, read_write> x: array<u32, 2>;
@compute @workgroup_size(1) fn main() { while x[0] == 0 { x[1]++; } }`

// soakKinds are the kinds of requests, rare ones first: a request is of the first kind that is due.
var soakKinds = []soakKind{
	{"an endless run", 20011, false,
		func(n int) string {
			return soakJSON(n, "run", endless, `,"dispatch":[1,1,1],"bindings":[{"group":0,"binding":0,"size":8}]`)
		},
		refused("the run has not ended after "+soakTimeout, 0)},
	{"a large program", 1999, false,
		func(n int) string {
			return soakJSON(n, "module", adding(n)+"/*"+strings.Repeat("x", soakLarge)+"*/", "")
		},
		accepted},
	{"a large program of many tokens", 1499, false,
		func(n int) string {
			return soakJSON(n, "build", "const a = 1"+strings.Repeat(" + 1", 1000)+";"+strings.Repeat("const b = 1;", soakLarge/64), `,"target":"spirv"`)
		},
		refused("`b` is declared twice", 1)},
	{"a large line that is no JSON", 1501, true,
		func(n int) string { return strings.Repeat("[", soakLarge) },
		refused("the request is no JSON object of the expected form", 0)},
	{"large buffers", 997, false,
		func(n int) string {
			return soakJSON(n, "run", adding(1), `,"dispatch":[1,1,1],"bindings":[{"group":0,"binding":0,"size":1048576}]`)
		},
		computed(func(int) uint32 { return 1 })},
	{"too large buffers", 499, false,
		func(n int) string {
			return soakJSON(n, "run", adding(1), `,"dispatch":[1,1,1],"bindings":[{"group":0,"binding":0,"size":99999999999}]`)
		},
		refused("the buffers have more than", 0)},
	{"brackets nested deep", 199, false,
		func(n int) string { return soakJSON(n, "module", "const a = "+strings.Repeat("(", 20000), "") },
		refused("[nesting-too-deep]", 1)},
	{"blocks nested deep", 197, false,
		func(n int) string {
			return soakJSON(n, "build", "fn f() "+strings.Repeat("{", 20000), `,"target":"ptx"`)
		},
		refused("[nesting-too-deep]", 1)},
	{"types nested deep", 193, false,
		func(n int) string {
			return soakJSON(n, "pipeline", "var<private> a: "+strings.Repeat("array<", 20000)+strings.Repeat(">", 20000), "")
		},
		refused("[nesting-too-deep]", 1)},
	{"no JSON", 101, true, func(n int) string { return `{"id":` + strconv.Itoa(n) + `,"stage":` },
		refused("the request is no JSON object of the expected form", 0)},
	{"bytes that are no text", 103, true, func(n int) string { return "\x00\xff\xfe{" },
		refused("the request is no JSON object of the expected form", 0)},
	{"no object", 107, true, func(n int) string { return strconv.Itoa(n) },
		refused("the request is no JSON object of the expected form", 0)},
	{"a stage of another type", 109, false,
		func(n int) string { return `{"id":` + strconv.Itoa(n) + `,"stage":7}` },
		refused("the request is no JSON object of the expected form", 0)},
	{"an unknown stage", 41, false, func(n int) string { return soakJSON(n, "stage"+strconv.Itoa(n), "", "") },
		refused("there is no stage", 0)},
	{"no fields", 43, false, func(n int) string { return `{"id":` + strconv.Itoa(n) + `}` },
		refused("there is no stage", 0)},
	{"a run without dispatch", 47, false, func(n int) string { return soakJSON(n, "run", adding(n), "") },
		refused("dispatch has 0 numbers", 0)},
	{"a run without buffers", 53, false, func(n int) string { return soakJSON(n, "run", adding(n%50+1), `,"dispatch":[1,1,1]`) },
		refused("nothing is bound to `x`", 0)},
	{"more data than a binding's size", 61, false,
		func(n int) string {
			return soakJSON(n, "run", adding(n%50+1), `,"dispatch":[1,1,1],"bindings":[{"group":0,"binding":0,"size":4,"data":"AAAAAAAA"}]`)
		},
		refused("binding 0 of group 0 has 6 bytes of data, more than its size of 4", 0)},
	{"an unknown target", 59, false, func(n int) string { return soakJSON(n, "build", adding(n), `,"target":"metal"`) },
		refused("there is no target", 0)},
	{"a program with a mistake", 17, false,
		func(n int) string {
			return soakJSON(n, "module", polynomial(n)+"\nconst wrong = colour"+strconv.Itoa(n)+";", "")
		},
		refused("[unknown-name]", 15)},
	{"a program that ends too early", 19, false,
		func(n int) string { return soakJSON(n, "run", adding(n)+"\nfn f(", `,"dispatch":[1,1,1]`) },
		refused("[syntax]", 3)},
	{"a constant that does not fit", 23, false,
		func(n int) string { return soakJSON(n, "pipeline", polynomial(n%7), `,"constants":{"terms":-1}`) },
		refused("[invalid-override]", 1)},
	{"a constant that is not there", 29, false,
		func(n int) string { return soakJSON(n, "pipeline", polynomial(n%7), `,"constants":{"turms":1}`) },
		refused("[unknown-override]", 0)},
	{"an entry point that is not there", 31, false,
		func(n int) string { return soakJSON(n, "build", polynomial(n%7), `,"entry":"man","target":"cpu"`) },
		refused("[missing-entry-point]", 0)},
	{"SPIR-V of a new program", 13, false, func(n int) string { return soakJSON(n, "build", polynomial(n), `,"target":"spirv"`) },
		started("\x03\x02\x23\x07")},
	{"PTX of a new program", 14, false, func(n int) string { return soakJSON(n, "build", polynomial(n), `,"target":"ptx"`) },
		started(".version")},
	{"a pipeline with a constant", 11, false,
		func(n int) string {
			return soakJSON(n, "pipeline", polynomial(n%7), `,"constants":{"terms":`+strconv.Itoa(n%100)+`}`)
		},
		accepted},
	{"a module", 6, false, func(n int) string { return soakJSON(n, "module", polynomial(n), "") }, accepted},
	{"a run of a new program", 4, false, func(n int) string { return soakJSON(n, "run", adding(n), oneWord(7)) },
		computed(func(n int) uint32 { return uint32(n) + 7 })},
	{"a run of a program that is kept", 1, false,
		func(n int) string { return soakJSON(n, "run", adding(n%10+1), oneWord(uint32(n))) },
		computed(func(n int) uint32 { return uint32(n) + uint32(n%10+1) })},
}

// kindOfRequest returns the kind of request n. Rare kinds occur early.
func kindOfRequest(n int) *soakKind {
	for k := range soakKinds {
		if every := soakKinds[k].every; n%every == every/16 {
			return &soakKinds[k]
		}
	}
	return &soakKinds[len(soakKinds)-1]
}

// soak has the requests that a server under test has not answered.
type soak struct {
	t       *testing.T
	in      *io.PipeWriter
	mutex   sync.Mutex
	waiting map[int]*soakKind
	noID    int // requests without an id
	free    chan struct{}
	answers int
}

// send sends request n when fewer than soakFlight have no answer.
func (s *soak) send(n int) {
	s.free <- struct{}{}
	kind := kindOfRequest(n)
	s.mutex.Lock()
	if kind.noID {
		s.noID++
	} else {
		s.waiting[n] = kind
	}
	s.mutex.Unlock()
	io.WriteString(s.in, kind.line(n)+"\n")
}

// receive compares an answer with its request.
func (s *soak) receive(line []byte) {
	defer func() { <-s.free }()
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		s.t.Errorf("an answer is no JSON: %v: %.200s", err, line)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.answers++
	if string(a.ID) == "null" {
		if s.noID--; s.noID < 0 {
			s.t.Errorf("an answer without id that no request explains: %.200s", line)
		} else if wrong := refused("the request is no JSON object of the expected form", 0)(0, &a); wrong != "" {
			s.t.Errorf("a line that is no request is answered with %.200s", line)
		}
		return
	}
	n, err := strconv.Atoi(string(a.ID))
	kind := s.waiting[n]
	if err != nil || kind == nil {
		s.t.Errorf("an answer to no request, or the second one: %.200s", line)
		return
	}
	delete(s.waiting, n)
	if wrong := kind.wrong(n, &a); wrong != "" {
		s.t.Errorf("request %d, %s, is answered with %.300s: %s", n, kind.name, line, wrong)
	}
}

// settle waits for all answers, and returns the bytes of live heap and the number of goroutines.
func (s *soak) settle() (heap uint64, goroutines int) {
	for range soakFlight {
		s.free <- struct{}{}
	}
	for range soakFlight {
		<-s.free
	}
	for range 3 { // values in a sync.Pool survive two
		runtime.GC()
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapAlloc, runtime.NumGoroutine()
}

// TestServeSoak sends a mix of valid, wrong and hostile requests. Each gets one correct answer, and
// the server holds no more memory at the end than after a tenth. A long run is
//
//	go test ./cmd/gpuc/internal/serve -run TestServeSoak -requests 1000000 -timeout 60m -v
func TestServeSoak(t *testing.T) {
	requests := *soakRequests
	if !testmode.IsLong() {
		requests = min(requests, testmode.Count(500, 1000, 0))
	}
	in, inWriter := io.Pipe()
	outReader, out := io.Pipe()
	var failed string
	code := make(chan int, 1)
	go func() {
		var result int
		result, failed = serve(in, out, "-timeout", soakTimeout)
		out.Close()
		code <- result
	}()
	s := &soak{t: t, in: inWriter, waiting: map[int]*soakKind{}, free: make(chan struct{}, soakFlight)}
	received := make(chan struct{})
	go func() {
		defer close(received)
		lines := bufio.NewReaderSize(outReader, 1<<16)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			s.receive(line)
		}
	}()

	start := time.Now()
	var firstHeap uint64
	var firstGoroutines int
	for n := range requests {
		s.send(n)
		tenths := (n + 1) * 10
		if tenths%requests >= 10 || tenths/requests != 1 && tenths/requests != 5 && tenths/requests != 10 {
			continue
		}
		heap, goroutines := s.settle()
		t.Logf("%d requests, %.0f a second: %d KiB of live heap, %d goroutines",
			n+1, float64(n+1)/time.Since(start).Seconds(), heap>>10, goroutines)
		if firstHeap == 0 {
			firstHeap, firstGoroutines = heap, goroutines
		}
		if heap > firstHeap+firstHeap/2+1<<20 {
			t.Errorf("the heap has %d bytes after %d requests, and had %d after a tenth", heap, n+1, firstHeap)
		}
		if goroutines > firstGoroutines {
			t.Errorf("there are %d goroutines after %d requests, and were %d after a tenth", goroutines, n+1, firstGoroutines)
		}
		if t.Failed() {
			break
		}
	}
	inWriter.Close()
	if result := <-code; result != cli.ExitOK || failed != "" {
		t.Errorf("the server ends with code %d: %s", result, failed)
	}
	<-received
	if len(s.waiting) > 0 || s.noID != 0 {
		t.Errorf("%d requests with an id and %d without one were never answered", len(s.waiting), s.noID)
	}
	if !t.Failed() && s.answers != requests {
		t.Errorf("%d answers to %d requests", s.answers, requests)
	}
}
