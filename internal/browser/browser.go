// Package browser controls headless Chromium in tests. It uses the DevTools protocol over a pair of
// pipes, which needs neither a port nor a library.
package browser

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// names are the names of the browser on various systems.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// limit is the timeout of all operations. It only ends tests that hang.
const limit = 2 * time.Minute

// Browser is a running browser with one page.
type Browser struct {
	t       testing.TB
	out     io.WriteCloser
	session string
	mutex   sync.Mutex
	next    int
	waiting map[int]chan answer
	said    []string // on the console, and by exceptions
	failed  []string // requests
	asked   []string // addresses of requests
}

type answer struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Start starts a browser with a window of a size in pixels. The browser ends with the test. The
// test is skipped if there is no browser. more are flags of Chromium.
func Start(t testing.TB, width, height int, more ...string) *Browser {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the DevTools protocol needs two more pipes, which os/exec does not support on Windows")
	}
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("skipped: there is no Chromium on the PATH (Debian: chromium)")
	}
	fromUs, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	toUs, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	arguments := append([]string{"--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
		"--force-color-profile=srgb", "--user-data-dir=" + t.TempDir(), fmt.Sprintf("--window-size=%d,%d", width, height)}, more...)
	c := exec.Command(path, append(arguments, "about:blank")...)
	c.ExtraFiles = []*os.File{fromUs, fromBrowser} // 3, which it reads, and 4, which it writes
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	b := &Browser{t: t, out: toBrowser, waiting: map[int]chan answer{}}
	_, _ = fromUs.Close(), fromBrowser.Close()
	ended := make(chan struct{})
	go func() {
		b.read(toUs)
		close(ended)
	}()
	t.Cleanup(func() {
		b.send("", "Browser.close", nil)
		done := time.AfterFunc(10*time.Second, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		done.Stop()
		_, _ = toBrowser.Close(), toUs.Close()
		<-ended
	})
	var target struct{ TargetID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.Call(domain+".enable", nil, nil)
	}
	b.Resize(width, height)
	return b
}

// Resize sets the size of the page.
func (b *Browser) Resize(width, height int) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Dark sets the preferred colour scheme.
func (b *Browser) Dark(dark bool) {
	b.t.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": value}}}, nil)
}

// read delivers answers to the calls that wait for them. Messages end in a zero byte.
func (b *Browser) read(from io.Reader) {
	for r := bufio.NewReader(from); ; {
		message, err := r.ReadBytes(0)
		if err != nil {
			b.mutex.Lock()
			for _, c := range b.waiting {
				close(c)
			}
			b.waiting = map[int]chan answer{}
			b.mutex.Unlock()
			return
		}
		var a answer
		if json.Unmarshal(message[:len(message)-1], &a) != nil {
			continue
		}
		b.mutex.Lock()
		if c, ok := b.waiting[a.ID]; ok && a.ID != 0 {
			delete(b.waiting, a.ID)
			c <- a
		} else {
			b.note(&a)
		}
		b.mutex.Unlock()
	}
}

// note records the events that tests check.
func (b *Browser) note(a *answer) {
	switch a.Method {
	case "Runtime.exceptionThrown", "Runtime.consoleAPICalled":
		b.said = append(b.said, string(a.Params))
	case "Log.entryAdded": // also has performance hints, which are ignored
		if bytes.Contains(a.Params, []byte(`"level":"error"`)) {
			b.said = append(b.said, string(a.Params))
		}
	case "Network.loadingFailed":
		b.failed = append(b.failed, string(a.Params))
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		if json.Unmarshal(a.Params, &p) == nil {
			b.asked = append(b.asked, p.Request.URL)
		}
	}
}

// Said returns the messages on the console, uncaught exceptions and failed requests.
func (b *Browser) Said() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return append(append([]string{}, b.said...), b.failed...)
}

// Asked returns the addresses of all requests of the page.
func (b *Browser) Asked() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return append([]string{}, b.asked...)
}

func (b *Browser) send(session, method string, params any) chan answer {
	b.mutex.Lock()
	b.next++
	id, c := b.next, make(chan answer, 1)
	b.waiting[id] = c
	b.mutex.Unlock()
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	data, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	_, _ = b.out.Write(append(data, 0)) // if it fails, the call gets no answer
	return c
}

func (b *Browser) call(session, method string, params, result any) {
	b.t.Helper()
	select {
	case a, ok := <-b.send(session, method, params):
		switch {
		case !ok:
			b.t.Fatalf("%s: the browser has ended", method)
		case a.Error != nil:
			b.t.Fatalf("%s: %s", method, a.Error.Message)
		case result != nil:
			if err := json.Unmarshal(a.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(limit):
		b.t.Fatalf("%s: no answer in %v", method, limit)
	}
}

// Call calls a method of the protocol on the page.
func (b *Browser) Call(method string, params, result any) {
	b.t.Helper()
	b.call(b.session, method, params, result)
}

// Open opens an address and waits until the page has loaded.
func (b *Browser) Open(address string) {
	b.t.Helper()
	b.Call("Page.navigate", map[string]any{"url": address}, nil)
	b.Wait("document.readyState === 'complete' && location.href !== 'about:blank'")
}

// OpenFile opens a file.
func (b *Browser) OpenFile(path string) {
	b.t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Open("file://" + path)
}

// evaluate evaluates an expression, or a promise, and returns the value or the exception.
func (b *Browser) evaluate(expression string) (value json.RawMessage, thrown string) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &r)
	if d := r.ExceptionDetails; d != nil {
		return nil, strings.TrimSpace(d.Text + " " + d.Exception.Description)
	}
	return r.Result.Value, ""
}

// Eval evaluates an expression in the page, or a promise, and returns a string, or another value as
// JSON.
func (b *Browser) Eval(expression string) string {
	b.t.Helper()
	value, thrown := b.evaluate(expression)
	if thrown != "" {
		b.t.Fatalf("%s: %s", expression, thrown)
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// Wait waits until a condition holds in the page.
func (b *Browser) Wait(condition string) {
	b.t.Helper()
	for deadline := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		value, thrown := b.evaluate(condition)
		if string(value) == "true" {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("not true after %v: %s %s\nmessages of the page: %v", limit, condition, thrown, b.Said())
		}
	}
}

// Point moves the mouse to the middle of the first element of a selector, and clicks if click is
// set.
func (b *Browser) Point(selector string, click bool) {
	b.t.Helper()
	position := b.Eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "nearest"}); const r = e.getBoundingClientRect(); return [r.left + Math.min(r.width, 200) / 2, r.top + r.height / 2] })()`, selector))
	var at [2]float64
	if err := json.Unmarshal([]byte(position), &at); err != nil {
		b.t.Fatal(err)
	}
	mouse := func(kind string, count int) {
		b.Call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": count}, nil)
	}
	b.Call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at[0], "y": at[1]}, nil)
	if click {
		mouse("mousePressed", 1)
		mouse("mouseReleased", 1)
	}
}

// Key presses a key by its name, such as ArrowDown.
func (b *Browser) Key(name string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.Call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name}, nil)
	}
}

// Type types text.
func (b *Browser) Type(text string) {
	b.t.Helper()
	b.Call("Input.insertText", map[string]any{"text": text}, nil)
}

// Picture writes a screenshot to the folder that the environment variable GPUC_SCREENSHOTS names,
// if it is set.
func (b *Browser) Picture(name string) {
	b.t.Helper()
	folder := os.Getenv("GPUC_SCREENSHOTS")
	if folder == "" {
		return
	}
	var shot struct{ Data string }
	b.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), data, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
