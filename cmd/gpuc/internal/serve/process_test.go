package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// fakeWorker is the environment variable that makes a worker process a fake without a device.
const fakeWorker = "GPUC_TEST_WORKER"

// TestMain lets the test binary be a worker process of gpuc serve, which starts its own executable.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv(serveWorkerVariable) == "":
		os.Exit(m.Run())
	case os.Getenv(fakeWorker) != "":
		workFake()
	default:
		os.Exit(serveApp.Execute(&cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:]))
	}
}

// workFake is a worker whose requests say what it does: it hangs, crashes, or answers.
func workFake() {
	if os.Getenv(fakeWorker) == "none" {
		fmt.Fprintln(os.Stderr, "there is no device")
		os.Exit(cli.ExitDiagnostics)
	}
	fmt.Print(workerReady)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		number, text, _ := strings.Cut(in.Text(), " ")
		var r request
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			fmt.Println(number, `{"id":null,"ok":false,"error":"no JSON"}`)
			continue
		}
		switch r.Code {
		case "hang":
			fmt.Println(number, `{"id":`+string(r.ID)+`,"ok":false,"error":"it hangs"}`)
			os.Exit(exitHung)
		case "crash":
			fmt.Print(number, ` {"id":`+string(r.ID)+`,"ok"`) // cut off
			os.Exit(3)
		}
		fmt.Println(number, `{"id":`+string(r.ID)+`,"ok":true,"error":"`+r.Code+`"}`)
	}
	os.Exit(0)
}

// TestServeWorkers: each request gets one answer, although workers hang and crash.
func TestServeWorkers(t *testing.T) {
	t.Setenv(fakeWorker, "yes")
	kinds := []string{"fine", "crash", "fine", "hang", "fine", "fine", "crash", "hang", "hang", "fine", "crash", "crash", "fine", "fine"}
	var in, out bytes.Buffer
	for n := range 5 * len(kinds) {
		fmt.Fprintf(&in, `{"id":%d,"code":%q}`+"\n", n, kinds[n%len(kinds)])
	}
	in.WriteString("nonsense")
	if code, stderr := serve(&in, &out, "-device", "vulkan"); code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
	want := map[string]string{"null": "no JSON"}
	for n := range 5 * len(kinds) {
		said := map[string]string{"fine": "fine", "hang": "it hangs", "crash": "the driver ended the process that ran this: exit status 3"}
		want[fmt.Sprint(n)] = said[kinds[n%len(kinds)]]
	}
	for line := range strings.Lines(out.String()) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		id := string(a.ID)
		if said, ok := want[id]; !ok || said != a.Error || a.OK != (said == "fine") {
			t.Errorf("request %s: %+v, want %q", id, a, said)
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("no answers for %v", want)
	}
}

// TestServeNoWorker: the error of a worker without a device is that of the command, with and
// without requests.
func TestServeNoWorker(t *testing.T) {
	t.Setenv(fakeWorker, "none")
	for _, in := range []string{"", `{"id":1,"stage":"hello"}`} {
		var out bytes.Buffer
		code, stderr := serve(strings.NewReader(in), &out, "-device", "vulkan")
		if code != cli.ExitDiagnostics || stderr != "there is no device\n" || out.Len() > 0 {
			t.Errorf("code %d: %q, %q", code, &out, stderr)
		}
	}
}

// TestServeLarge: with -large, small launches run the large-launch variant, unless an index might
// be out of bounds in it.
func TestServeLarge(t *testing.T) {
	const code = `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read> y: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  for (var k = 0u; k < 4; k++) { x[4 * id.x + k] = y[4 * id.x + k] + 1; }
}`
	for _, test := range []struct {
		flags string
		size  int
		large bool
	}{{"-device cpu -large", 1024, true}, {"-device cpu -large", 1020, false}, {"-device cpu", 1024, false}} {
		line, err := json.Marshal(map[string]any{"id": 1, "stage": "run", "code": code, "dispatch": []int{1, 1, 1},
			"bindings": []map[string]any{{"group": 0, "binding": 0, "size": test.size}, {"group": 0, "binding": 1, "size": test.size}}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code, stderr := serve(bytes.NewReader(line), &out, strings.Fields(test.flags)...); code != 0 {
			t.Fatalf("code %d: %s", code, stderr)
		}
		var a answer
		if err := json.Unmarshal(out.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if !a.OK || a.Large != test.large || len(a.Buffers) != 1 || len(a.Buffers[0].Data) != test.size {
			t.Fatalf("%+v: %s", test, &out)
		}
		for n, b := range a.Buffers[0].Data {
			if want := map[bool]byte{true: 1}[n%4 == 0]; b != want {
				t.Fatalf("%+v: byte %d is %d, want %d", test, n, b, want)
			}
		}
	}
}

// serveApp has only gpuc serve.
var serveApp = cli.App{Commands: []*cli.Command{&Command}}

// serve runs gpuc serve with flags.
func serve(in io.Reader, out io.Writer, flags ...string) (code int, stderr string) {
	var failed bytes.Buffer
	code = serveApp.Execute(&cli.Env{Stdin: in, Stdout: out, Stderr: &failed}, append([]string{"serve"}, flags...))
	return code, failed.String()
}
