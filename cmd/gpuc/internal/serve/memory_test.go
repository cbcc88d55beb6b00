package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/internal/testmode"
)

// memoryWitness is the output of a server. At each answer it measures the live heap, and how many
// bytes of requests were read and not answered.
type memoryWitness struct {
	t       *testing.T
	in      *countedReader
	most    uint64 // maximum of the live heap
	unread  uint64 // maximum of the bytes that were read and not answered
	sizes   map[string]uint64
	partial []byte
	answers int
	wrong   int
	want    func(a *answer) bool
}

func (w *memoryWitness) Write(data []byte) (int, error) {
	if w.partial = append(w.partial, data...); !bytes.HasSuffix(w.partial, []byte("\n")) {
		return len(data), nil
	}
	line := w.partial
	w.partial = nil
	for range 2 { // values in a sync.Pool survive one
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.most = max(w.most, m.HeapAlloc)
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		w.t.Error(err)
	}
	w.unread = max(w.unread, w.in.taken()-w.in.answered)
	w.in.answered += w.sizes[string(a.ID)]
	w.answers++
	if !w.want(&a) {
		w.wrong++
	}
	return len(data), nil
}

// countedReader is the input of a server. It makes each request when it is read, and counts the
// bytes.
type countedReader struct {
	mutex    sync.Mutex
	next     func() []byte // the next line, or nil
	rest     []byte
	read     uint64
	answered uint64
}

func (r *countedReader) Read(p []byte) (int, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.rest) == 0 {
		if r.rest = r.next(); r.rest == nil {
			return 0, io.EOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	r.read += uint64(n)
	return n, nil
}

// taken returns the number of bytes that were read.
func (r *countedReader) taken() uint64 {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.read
}

// TestServeMemory sends more to sixteen workers than the server may hold: large requests, programs
// and answers, and kernels that do not end.
func TestServeMemory(t *testing.T) {
	testmode.LongPart(t, 3)
	const memory = 64 << 20
	program := func(n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n@compute @workgroup_size(1) fn main() {\n  var x = f32(%d);\n", n)
		for k := range 4000 {
			fmt.Fprintf(&b, "  x = x * %d.5 + x / (x - %d.25);\n", k+n, k)
		}
		return b.String() + "  o[0] = x;\n}\n"
	}
	word := func(a *answer) uint32 {
		if !a.OK || len(a.Buffers) != 1 {
			return 0
		}
		return binary.LittleEndian.Uint32(a.Buffers[0].Data)
	}
	for _, test := range []struct {
		name    string
		count   int
		request func(n int) string
		one     uint64 // bytes that one request needs
		want    func(a *answer) bool
		endless bool
	}{
		{"large answers", 32, func(n int) string {
			return soakJSON(n, "run", adding(n), `,"dispatch":[1,1,1],"bindings":[{"group":0,"binding":0,"size":4194304}]`)
		}, 16 << 20, func(a *answer) bool { return word(a) != 0 || string(a.ID) == "0" && a.OK }, false},
		{"large requests", 32, func(n int) string {
			return soakJSON(n, "run", adding(n), `,"dispatch":[1,1,1],"bindings":[{"group":0,"binding":0,"data":"`+strings.Repeat("AAAA", 1<<20)+`"}]`)
		}, 16<<20 + 3*(4<<20), func(a *answer) bool { return word(a) != 0 || string(a.ID) == "0" && a.OK }, false},
		{"large programs", 32, func(n int) string {
			return soakJSON(n, "run", program(n), `,"dispatch":[1,1,1],"bindings":[{"group":0,"binding":0,"size":4}]`)
		}, 16 << 20, func(a *answer) bool { return a.OK }, false},
		{"kernels that never end", 32, func(n int) string {
			return soakJSON(n, "run", endless, `,"dispatch":[1,1,1],"bindings":[{"group":0,"binding":0,"size":8},{"group":1,"binding":0,"size":16777216}]`)
		}, 64 << 20, func(a *answer) bool { return strings.Contains(a.Error, "has not ended") }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
			for range 2 {
				runtime.GC()
			}
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			n := 0
			w := &memoryWitness{t: t, sizes: map[string]uint64{}, want: test.want}
			longest := uint64(0)
			w.in = &countedReader{next: func() []byte {
				if n == test.count {
					return nil
				}
				line := []byte(test.request(n) + "\n")
				w.sizes[fmt.Sprint(n)] = uint64(len(line))
				longest = max(longest, uint64(len(line)))
				n++
				return line
			}}
			timeout := "1h"
			if test.endless {
				timeout = "50ms"
			}
			if code, failed := serve(w.in, w, "-memory", "64MB", "-timeout", timeout); code != cli.ExitOK {
				t.Fatalf("the server ends with code %d: %s", code, failed)
			}
			if w.answers != test.count || w.wrong > 0 {
				t.Errorf("%d answers to %d requests, %d of them wrong", w.answers, test.count, w.wrong)
			}
			held := w.most - min(before.HeapAlloc, w.most)
			t.Logf("%d KiB of live heap beside %d KiB before, bound %d KiB; %d KiB read ahead", held>>10, before.HeapAlloc>>10, (memory+test.one)>>10, w.unread>>10)
			if held > memory+test.one {
				t.Errorf("%d bytes of live heap, bound %d and %d for one request", held, memory, test.one)
			}
			if most := uint64(memory/4/3) + 2*longest + 1<<17; w.unread > most {
				t.Errorf("%d bytes of requests were read and not answered, bound %d", w.unread, most)
			}
		})
	}
}
