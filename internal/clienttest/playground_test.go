package clienttest

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/browser"
	"github.com/gpuc/gpuc/internal/commandtest"
	"github.com/gpuc/gpuc/internal/playground/site"
	"github.com/gpuc/gpuc/internal/testmode"
)

// serve starts `gpuc playground` and returns its address, which it prints once the page is built,
// and the process.
func serve(t *testing.T) (address string, c *exec.Cmd) {
	t.Helper()
	testmode.Long(t)
	c = exec.CommandContext(t.Context(), commandtest.Path(t), "playground")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatal(address, err)
	}
	return strings.TrimSpace(address), c
}

// servePage serves the page, and opens it in a browser.
func servePage(t *testing.T, width, height int, more ...string) *browser.Browser {
	t.Helper()
	testmode.Long(t)
	b := browser.Start(t, width, height, more...)
	address, _ := serve(t)
	b.Open(address)
	settled(b)
	return b
}

// settled waits until the page has checked the source.
func settled(b *browser.Browser) {
	b.Wait(`document.body.dataset.looking === "no"`)
}

// choose chooses an example by its title.
func choose(b *browser.Browser, title string) {
	b.Eval(`(() => { const s = document.getElementById("example"); s.selectedIndex = [...s.options].findIndex(o => o.textContent === "` + title + `"); s.onchange() })()`)
	settled(b)
}

// nothingWrong fails if the page shows errors of the source.
func nothingWrong(t *testing.T, b *browser.Browser) {
	t.Helper()
	if got := b.Eval(`document.getElementById("found").innerText`); got != "Nothing is wrong." {
		t.Errorf("the page says %q", got)
	}
}

// setDevice selects the device.
func setDevice(b *browser.Browser, name string) {
	b.Eval(`document.getElementById("device").value = "` + name + `"`)
}

// results runs the kernel and returns the shown results.
func results(b *browser.Browser) string {
	b.Point("#run", true)
	b.Wait(`!document.getElementById("run").disabled && document.getElementById("stop").hidden`)
	return b.Eval(`document.getElementById("results").innerText`)
}

// pixel returns a pixel of the shown picture.
func pixel(b *browser.Browser, x, y string) string {
	return b.Eval(`[...document.querySelector("#results canvas").getContext("2d").getImageData(` + x + `, ` + y + `, 1, 1).data].join(" ")`)
}

// TestPlayground uses the page as people do, one step after another in the same page.
func TestPlayground(t *testing.T) {
	b := servePage(t, 1280, 800)
	for _, step := range []func(*testing.T, *browser.Browser){
		runsPicture, fixesError, linksLines, showsNumbers, showsTexture, findsRace, prints, namesWebGPU, stops, shares,
	} {
		step(t, b)
	}
	if asked := b.Asked(); len(asked) == 0 {
		t.Error("nothing was asked for")
	} else {
		for _, a := range asked {
			if !strings.HasPrefix(a, "http://127.0.0.1:") && !strings.HasPrefix(a, "data:") && !strings.HasPrefix(a, "about:") {
				t.Errorf("the page asks for %s", a)
			}
		}
	}
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the browser says %q", said)
	}
}

// The first example draws a picture of 256 by 256. Its middle belongs to the set and is black, its
// corner does not.
func runsPicture(t *testing.T, b *browser.Browser) {
	nothingWrong(t, b)
	if got := results(b); !strings.Contains(got, "CPU device") {
		t.Errorf("the results are %q", got)
	}
	if middle, corner := pixel(b, "128", "128"), pixel(b, "2", "2"); middle != "0 0 0 255" || corner == middle {
		t.Errorf("the pixels of the set and of the corner are %s and %s", middle, corner)
	}
	b.Picture("playground")
	b.Dark(true)
	b.Picture("playground-dark")
	b.Dark(false)
}

// An error is shown as it is typed, and its fix restores the program.
func fixesError(t *testing.T, b *browser.Browser) {
	found := `document.getElementById("found").innerText`
	b.Eval(`(() => { const a = document.querySelector("textarea"), n = a.value.indexOf("dot(z, z) < 64.0"); a.focus(); a.setSelectionRange(n, n + 3) })()`)
	b.Type("dott")
	b.Wait(`document.querySelectorAll(".problem").length > 0`)
	settled(b)
	if got := b.Eval(found); !strings.Contains(got, "dott") || !strings.Contains(got, "error") {
		t.Errorf("the page says %q", got)
	}
	if b.Eval(`document.querySelectorAll(".wave.error").length`) != "1" || b.Eval(`document.getElementById("run").disabled`) != "true" {
		t.Error("the error is not shown in the source, or what is wrong can be run")
	}
	b.Picture("playground-error")
	b.Point(".problem .fix", true)
	settled(b)
	nothingWrong(t, b)
	if got := b.Eval(`document.querySelector("textarea").value.includes("dot(z, z) < 64.0")`); got != "true" {
		t.Error("the fix has not brought the program back")
	}
}

// The lines of an operation are marked in the generated code.
func linksLines(t *testing.T, b *browser.Browser) {
	b.Eval(`(() => { const a = document.querySelector("textarea"), n = a.value.indexOf("steps++"); a.focus(); a.setSelectionRange(n, n); a.dispatchEvent(new Event("click")) })()`)
	if got := b.Eval(`[...document.querySelectorAll(".pane")[2].querySelectorAll(".l.kept")].map(r => r.innerText.trim()).join("|")`); !strings.Contains(got, "steps") {
		t.Errorf("of steps++ the code in WGSL is %q", got)
	}
}

// The results are 2.5 x + 1 of x = 0, 1, 2, …, and sums of 64 numbers from 64 n on: 4096 n + 2016.
func showsNumbers(t *testing.T, b *browser.Browser) {
	choose(b, "a·x + y")
	nothingWrong(t, b)
	if got := results(b); !strings.Contains(strings.Join(strings.Fields(got), " "), "0 1 3.5 6 8.5 11 13.5 16 18.5 8 21") {
		t.Errorf("a·x + y shows %q", got)
	}
	choose(b, "Sums in workgroups")
	nothingWrong(t, b)
	if got := results(b); !strings.Contains(strings.Join(strings.Fields(got), " "), "0 2016 6112 10208") {
		t.Errorf("the sums are %q", got)
	}
	b.Picture("playground-numbers")
}

// An edge filter: the picture is black far from all edges, and bright somewhere.
func showsTexture(t *testing.T, b *browser.Browser) {
	choose(b, "Edges of a picture")
	nothingWrong(t, b)
	results(b)
	if got := pixel(b, "6", "250"); !strings.HasSuffix(got, " 255") || len(got) > len("99 99 99 255") {
		t.Errorf("where there is no edge the pixel is %s", got)
	}
	bright := b.Eval(`[...document.querySelector("#results canvas").getContext("2d").getImageData(0, 0, 256, 256).data].filter((x, n) => n % 4 === 0 && x > 200).length > 200`)
	if bright != "true" {
		t.Error("there are no edges")
	}
	b.Picture("playground-texture")
}

// The checked device finds a data race. The launch size is computed for each program and kept while
// it is edited.
func findsRace(t *testing.T, b *browser.Browser) {
	choose(b, "A data race")
	nothingWrong(t, b)
	if got := results(b); !strings.Contains(got, "[data-race]") {
		t.Errorf("the checked device says %q", got)
	}
	sizes := `[...document.querySelectorAll("#inputs input.size")].map(i => i.value || i.placeholder).join(" ")`
	if got := b.Eval(sizes); got != "128 1 1" {
		t.Errorf("the race runs over %s", got)
	}
	b.Eval(`void (window.race = editor.text)`)
	b.Eval(`(() => { state.inputs.image = { count: 4, fill: "zeros" }; editor.text = "@group(0) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;\n@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) i: vec3u) { textureStore(image, i.xy, vec4f(1)); }"; look() })()`)
	settled(b)
	nothingWrong(t, b)
	if got := b.Eval(sizes); got != "256 256 1" {
		t.Errorf("a texture of 256 by 256 is written by %s invocations", got)
	}
	setDevice(b, "cpu")
	results(b)
	if got := pixel(b, "255", "255"); got != "255 255 255 255" {
		t.Errorf("the last pixel is %s", got)
	}
	b.Eval(`(() => { editor.text = window.race + "\n// edited"; look() })()`)
	settled(b)
	if got := b.Eval(sizes); got != "128 1 1" {
		t.Errorf("the race, edited, runs over %s", got)
	}
}

// A kernel prints and fails an assertion.
func prints(t *testing.T, b *browser.Browser) {
	choose(b, "printf and assert")
	nothingWrong(t, b)
	if got := results(b); !strings.Contains(got, "invocation 3: 3 squared is 9") || !strings.Contains(got, "small numbers only") {
		t.Errorf("the kernel prints %q", got)
	}
	b.Picture("playground-print")
}

// The page runs on WebGPU, or says that the browser lacks it.
func namesWebGPU(t *testing.T, b *browser.Browser) {
	setDevice(b, "webgpu")
	choose(b, "a·x + y")
	setDevice(b, "webgpu")
	if got := results(b); !strings.Contains(got, "WebGPU") {
		t.Errorf("of WebGPU the page says %q", got)
	}
}

// A kernel that does not terminate is stopped.
func stops(t *testing.T, b *browser.Browser) {
	b.Eval(`(() => { editor.text = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main() { loop { x[0]++; if x[0] == 0u { break; } x[1] = 0u; x[0] = 1u; } }"; document.getElementById("device").value = "cpu"; look() })()`)
	settled(b)
	b.Eval(`void run()`)
	b.Wait(`!document.getElementById("stop").hidden`)
	b.Point("#stop", true)
	b.Wait(`document.getElementById("results").innerText === "It was stopped."`)
}

// A program is shared by a link and opened again, with its inputs; its errors have fixes.
func shares(t *testing.T, b *browser.Browser) {
	choose(b, "Mistakes and fixes")
	b.Eval(`(async () => { $("device").value = "cpu:checked"; location.hash = await packed(JSON.stringify(snapshot())) })()`)
	address := b.Eval(`location.href`)
	b.Open("about:blank#")
	b.Open(address)
	settled(b)
	if got := b.Eval(`document.querySelector("textarea").value.includes("vec3f(brightnes)") && document.getElementById("device").value`); got != "cpu:checked" {
		t.Errorf("of what was shared there is %q", got)
	}
	if got := b.Eval(`state.inputs.colours.width`); got != "16" {
		t.Errorf("the picture is %s wide", got)
	}
	for n := 0; b.Eval(`document.querySelectorAll(".problem .fix").length > 0`) == "true"; n++ {
		if n == 5 {
			t.Fatal("fixes bring out fixes")
		}
		b.Eval(`document.querySelector(".problem .fix").click()`)
		settled(b)
	}
	nothingWrong(t, b)
}

// TestPlaygroundWebGPU runs kernels by WebGPU, if Chromium has an adapter, possibly in software. It
// compares the results with the CPU device.
func TestPlaygroundWebGPU(t *testing.T) {
	b := servePage(t, 1280, 800, "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan")
	if b.Eval(`(async () => Boolean(navigator.gpu && await navigator.gpu.requestAdapter()))()`) != "true" {
		t.Skip("skipped: this Chromium has no adapter for WebGPU, in software neither")
	}
	values := `[...document.querySelectorAll("#results td")].map(c => c.textContent).join(" ")`
	for _, title := range []string{"a·x + y", "Sums in workgroups"} {
		choose(b, title)
		results(b)
		want := b.Eval(values)
		setDevice(b, "webgpu")
		said := results(b)
		if got := b.Eval(values); got != want || want == "" || !strings.Contains(said, "WebGPU") {
			t.Errorf("%s: on WebGPU %q, on the CPU device %q\n%s", title, got, want, said)
		}
	}
	b.Picture("playground-webgpu")
	choose(b, "Edges of a picture")
	setDevice(b, "webgpu")
	if said := results(b); !strings.Contains(said, "WebGPU") {
		t.Fatal(said)
	}
	if b.Eval(`[...document.querySelector("#results canvas").getContext("2d").getImageData(0, 0, 256, 256).data].filter((x, n) => n % 4 === 0 && x > 200).length > 200`) != "true" {
		t.Error("there are no edges")
	}
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the browser says %q", said)
	}
}

// TestPlaygroundNarrow uses the page in a window of a phone's width.
func TestPlaygroundNarrow(t *testing.T) {
	b := servePage(t, 400, 720)
	tab := func(title string) {
		b.Eval(`[...document.querySelectorAll("#tabs button")].find(t => t.textContent === "` + title + `").click()`)
		if got := b.Eval(`[...document.querySelectorAll(".pane")].filter(p => p.offsetParent).length`); got != "1" {
			t.Errorf("%s: %s panes are shown", title, got)
		}
		if b.Eval(`document.documentElement.scrollWidth <= 400 && document.documentElement.scrollHeight <= innerHeight`) != "true" {
			t.Errorf("%s: the page is larger than the window", title)
		}
		b.Picture("playground-narrow-" + strings.ToLower(title))
	}
	for _, title := range []string{"Source", "IR", "Code", "Problems", "Run"} {
		tab(title)
	}
	if got := results(b); !strings.Contains(got, "CPU device") {
		t.Errorf("the results are %q", got)
	}
	b.Eval(`document.querySelector("#results canvas").scrollIntoView()`)
	b.Picture("playground-narrow-picture")
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the browser says %q", said)
	}
}

// TestPlaygroundServes starts the command, requests files, and ends it with Ctrl-C.
func TestPlaygroundServes(t *testing.T) {
	address, c := serve(t)
	for name, want := range map[string]struct {
		status int
		kind   string
	}{"": {200, "text/html"}, "index.html": {200, "text/html"}, "playground.js": {200, "text/javascript"}, "gpuc.wasm.gz": {200, "application/gzip"}, "../site.go": {404, ""}, "examples": {404, ""}} {
		answer, err := http.Get(address + name)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want.status || want.kind != "" && !strings.HasPrefix(answer.Header.Get("Content-Type"), want.kind) {
			t.Errorf("%s: %s, %s", name, answer.Status, answer.Header.Get("Content-Type"))
		}
	}
	if answer, err := http.Post(address, "text/plain", strings.NewReader("x")); err != nil || answer.StatusCode != 405 || answer.Header.Get("Allow") != "GET, HEAD" {
		t.Error("a request to change something is not refused", err)
	}
	if answer, err := http.Head(address + "run.js?version=1"); err != nil || answer.StatusCode != 200 || answer.ContentLength < 1000 {
		t.Error("HEAD is not answered", err)
	}
	if runtime.GOOS == "windows" {
		return // where processes have no signals
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("after Ctrl-C it ends with %v", err)
	}
}

// TestPlaygroundFiles writes the page into folders, but not into one with other files.
func TestPlaygroundFiles(t *testing.T) {
	testmode.LongPart(t, 2)
	files, err := site.Files(func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "site")
	for range 2 { // the second time over the first
		if said, err := exec.Command(commandtest.Path(t), "playground", "-o", folder).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		for _, f := range files {
			if data, err := os.ReadFile(filepath.Join(folder, f.Name)); err != nil || string(data) != string(f.Data) {
				t.Errorf("%s: not written, or with other bytes: %v", f.Name, err)
			}
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "index.html"), []byte("<!doctype html>\nmine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(commandtest.Path(t), "playground", "-o", other)
	if said, err := c.CombinedOutput(); err == nil || c.ProcessState.ExitCode() != 1 || !strings.Contains(string(said), "name another folder") {
		t.Errorf("a folder with another page: %v, %s", err, said)
	}
	if entries, err := os.ReadDir(other); err != nil || len(entries) != 1 {
		t.Error("files were written beside another page")
	}
}
