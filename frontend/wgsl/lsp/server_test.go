package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/gpuc/gpuc/internal/exectest"
)

// large returns a program of at least the given number of lines.
func large(t testing.TB, lines int) string {
	t.Helper()
	text, err := exectest.LargeProgram("../../..", lines)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// opened returns a client of a server with an open document.
func opened(t *testing.T, text string) (*client, *document) {
	t.Helper()
	c := newClient(t, &txtar.Archive{Files: []txtar.File{{Name: "a.wgsl", Data: []byte(text)}}})
	c.do("start")
	c.do("open a.wgsl")
	c.do("quiet")
	c.said()
	return c, c.server.documents["file:///a.wgsl"]
}

// TestOneCheck tests that any number of changes before a delay cost one check, which the requests
// between the last change and the diagnostics share.
func TestOneCheck(t *testing.T) {
	c, d := opened(t, "const a = 1;\nfn f() -> i32 { return a; }\n")
	before := d.editor.Checks()
	for range 100 {
		c.do(`change a.wgsl 0:10-0:10 "1"`)
	}
	if n := d.editor.Checks() - before; n != 0 || c.said() != "" {
		t.Errorf("%d checks before there was quiet", n)
	}
	c.do(`change a.wgsl 0:10-0:110 ""`)
	for range 5 {
		c.do("ask hover a.wgsl 1:23")
		c.do("ask definition a.wgsl 1:23")
		c.do("ask documentSymbol a.wgsl")
		c.do("ask inlayHint a.wgsl 0:0-1:0")
	}
	c.do("quiet")
	c.do("quiet")
	if n := d.editor.Checks() - before; n != 1 {
		t.Errorf("%d checks for 101 changes, 20 questions and the diagnostics; want 1", n)
	}
	if n := strings.Count(c.said(), "publishDiagnostics"); n != 1 {
		t.Errorf("diagnostics were sent %d times", n)
	}
}

// TestLinear tests that the bytes allocated for a keystroke and a request are in proportion to the
// text.
func TestLinear(t *testing.T) {
	cost := func(lines int) float64 {
		text := large(t, lines)
		c, d := opened(t, text)
		const keystrokes = 8
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range keystrokes {
			c.do(`change a.wgsl 1:0-1:0 " "`)
			c.do("ask hover a.wgsl 1:3")
			c.do("quiet")
			c.out.Reset()
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / keystrokes / float64(len(d.text.content))
	}
	small, big := cost(1000), cost(8000)
	t.Logf("%.1f bytes for a byte of text in 1000 lines, %.1f in 8000", small, big)
	if big > 1.5*small {
		t.Errorf("a keystroke allocates %.1f bytes for a byte of text in 1000 lines, and %.1f in 8000", small, big)
	}
}

// BenchmarkKeystroke measures a keystroke in a file of 4000 lines: the change and all diagnostics
// that follow it, without the delay between them. One program is valid, one is broken, and one is
// asked for completions.
func BenchmarkKeystroke(b *testing.B) {
	text := large(b, 4000)
	for _, c := range []struct{ name, typed, ask string }{
		{"Right", " ", ""}, {"Broken", "fn broken( {", ""}, {"Hover", "fn broken( {", "hover"}, {"Completion", "fn f() { let a = ", "completion"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newServer(io.Discard, "")
			s.quiet = func() <-chan time.Time { return nil }
			s.state = running
			s.didOpen(encode(b, map[string]any{"textDocument": map[string]any{"uri": "file:///a.wgsl", "text": text}}))
			changes := [2]json.RawMessage{}
			for i, t := range []string{c.typed, ""} {
				end := 0
				if i == 1 {
					end = len(c.typed)
				}
				changes[i] = encode(b, map[string]any{"textDocument": map[string]any{"uri": "file:///a.wgsl"}, "contentChanges": []any{
					map[string]any{"text": t, "range": Range{Position{3, 0}, Position{3, end}}}}})
			}
			ask := encode(b, map[string]any{"textDocument": map[string]any{"uri": "file:///a.wgsl"}, "position": Position{3, len(c.typed)}})
			b.ReportAllocs()
			for b.Loop() {
				if wrong := s.didChange(changes[0]); wrong != nil {
					b.Fatal(wrong)
				}
				if c.ask != "" {
					if _, wrong := s.answer(&message{ID: json.RawMessage("1"), Method: "textDocument/" + c.ask, Params: ask}); wrong != nil {
						b.Fatal(wrong)
					}
				}
				s.publishChanged()
				b.StopTimer()
				s.didChange(changes[1])
				b.StartTimer()
			}
			b.ReportMetric(float64(strings.Count(text, "\n")), "lines")
		})
	}
}

func encode(t testing.TB, v any) json.RawMessage {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// live is a running server, with the client's ends of its streams.
type live struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *textproto.Reader
	done chan error
}

func start(t *testing.T) *live {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	l := &live{t, inWrite, textproto.NewReader(bufio.NewReader(outRead)), make(chan error, 1)}
	go func() { l.done <- Serve(inRead, outWrite, "(test)") }()
	return l
}

func (l *live) send(body string) {
	if _, err := io.WriteString(l.in, framed(`{"jsonrpc":"2.0",`+body)); err != nil {
		l.t.Error(err)
	}
}

// next returns the server's next message.
func (l *live) next() string {
	l.t.Helper()
	header, err := l.out.ReadMIMEHeader()
	if err != nil {
		l.t.Fatal(err)
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		l.t.Fatal(err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(l.out.R, body); err != nil {
		l.t.Fatal(err)
	}
	return strings.Replace(string(body), `"jsonrpc":"2.0",`, "", 1)
}

func (l *live) want(part string) {
	l.t.Helper()
	if got := l.next(); !strings.Contains(got, part) {
		l.t.Errorf("got %s, want %s", got, part)
	}
}

// TestLive is a session over streams. Diagnostics are published without a request, and a request
// that is cancelled before the server reads it gets an error.
func TestLive(t *testing.T) {
	l := start(t)
	l.send(`"id":1,"method":"initialize","params":{}}`)
	l.want(`"serverInfo"`)
	l.send(`"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.wgsl","version":5,"text":"const a = b;"}}}`)
	l.want("there is no value named `b`")
	// The server waits for the client to read the first answer. All that was sent after it is
	// buffered when the last write returns, because the server reads while it answers.
	hover := `"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a.wgsl"},"position":{"line":0,"character":6}}}`
	l.send(`"id":2,` + hover)
	l.send(`"id":3,` + hover)
	l.send(`"id":"4",` + hover)
	l.send(`"method":"$/cancelRequest","params":{"id":3}}`)
	l.send(`"method":"$/cancelRequest","params":{"id":4}}`)
	l.send(`"method":"$/cancelRequest","params":{"id":99}}`)
	l.send(`"id":5,"method":"shutdown"}`)
	l.want(`{"id":2,"result":{`)
	l.want(`{"id":3,"error":{"code":-32800,`)
	l.want(`{"id":"4","result":{`)
	l.want(`{"id":5,"result":null}`)
	l.send(`"method":"exit"}`)
	if err := <-l.done; err != nil {
		t.Error(err)
	}
}

// TestEnds tests that the server ends with its input, with an error unless there was a shutdown.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		in   string
		want error
	}{
		{"", ErrNoShutdown},
		{"Content-Length: 10\r\n\r\n{}", io.ErrUnexpectedEOF},
		{"Content-Le", io.ErrUnexpectedEOF},
		{framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`) + framed(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`), nil},
	} {
		if err := Serve(strings.NewReader(c.in), io.Discard, ""); !errors.Is(err, c.want) {
			t.Errorf("%q ends with %v, want %v", c.in, err, c.want)
		}
	}
	if err := Serve(strings.NewReader(framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)), broken{}, ""); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a client that reads nothing any more: %v", err)
	}
}

// broken is a closed stream.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestBounds tests that texts and messages that are too large are reported, and that the analyses
// of the most recently used documents are kept.
func TestBounds(t *testing.T) {
	c, _ := opened(t, "const a = 1;")
	c.server.maxText = 1000
	c.documents["large.wgsl"] = strings.Repeat(" ", 1001)
	c.do("open large.wgsl")
	if said := c.said(); !strings.Contains(said, "large.wgsl is passed by") {
		t.Errorf("a text that is too large: %.300s", said)
	}
	c.do("ask hover large.wgsl 0:0")
	if said := c.said(); !strings.Contains(said, "is not open") {
		t.Error(said)
	}
	for n := range 3 * maxAnalysed {
		name := fmt.Sprintf("%d.wgsl", n)
		c.documents[name] = "const a = b;"
		c.do("open " + name)
		c.do("quiet")
	}
	c.do("ask hover a.wgsl 0:6")
	analysed := 0
	for _, d := range c.server.documents {
		if d.editor.Analysed() {
			analysed++
		}
	}
	if analysed != maxAnalysed || !c.server.documents["file:///a.wgsl"].editor.Analysed() {
		t.Errorf("what was found is kept for %d documents, want %d", analysed, maxAnalysed)
	}
	c.said()
	c.do("ask hover 0.wgsl 0:6")
	if said := c.said(); !strings.Contains(said, "const a") {
		t.Error(said)
	}
	full := strings.Repeat(" ", 1000)
	for n := range maxTexts + 1 {
		name := fmt.Sprintf("full%d.wgsl", n)
		c.documents[name] = full
		c.do("open " + name)
	}
	if said := c.said(); !strings.Contains(said, "is passed by") || c.server.bytes > 1000*maxTexts {
		t.Errorf("%d bytes of texts: %.300s", c.server.bytes, said)
	}
	r := newReader(io.MultiReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", maxMessage+1)),
		io.LimitReader(zeros{}, maxMessage+1), strings.NewReader(framed(`{"jsonrpc":"2.0","method":"exit"}`))))
	if _, err := r.next(); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Error(err)
	}
	if m, err := r.next(); err != nil || m.Method != "exit" {
		t.Error(m, err)
	}
}

// zeros is an endless stream.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestPositions compares offsets with positions that were counted by hand.
func TestPositions(t *testing.T) {
	var x text
	x.set("a𝄞é\r\nb\rc\n\n")
	for _, c := range []struct {
		offset            int
		line, utf16, utf8 int
	}{
		{0, 0, 0, 0}, {1, 0, 1, 1}, {5, 0, 3, 5}, {7, 0, 4, 7}, {9, 1, 0, 0}, {10, 1, 1, 1}, {11, 2, 0, 0}, {12, 2, 1, 1}, {13, 3, 0, 0}, {14, 4, 0, 0},
	} {
		for e, units := range map[encoding]int{utf16: c.utf16, utf8Bytes: c.utf8} {
			p := Position{c.line, units}
			if got := x.position(c.offset, e); got != p {
				t.Errorf("%d is at %v in %s, want %v", c.offset, got, encodingNames[e], p)
			}
			if got := x.offset(p, e); got != c.offset {
				t.Errorf("%v in %s is %d, want %d", p, encodingNames[e], got, c.offset)
			}
		}
	}
	long := strings.Repeat("a𝄞é", 700)
	x.set("b\n" + long + "\n" + long + "\nb")
	for e := range encoding(2) {
		line, start, units := 0, 0, 0
		for offset, c := range x.content {
			p := Position{line, units}
			if got := x.position(offset, e); got != p {
				t.Fatalf("%d is at %v in %s, want %v", offset, got, encodingNames[e], p)
			}
			if got := x.offset(p, e); got != offset {
				t.Fatalf("%v in %s is %d, want %d", p, encodingNames[e], got, offset)
			}
			switch size := utf8.RuneLen(c); {
			case c == '\n':
				line, start, units = line+1, offset+1, 0
			case e == utf8Bytes:
				units = offset + size - start
			case c > 0xffff:
				units += 2
			default:
				units++
			}
		}
	}
	x.set("a𝄞é\r\nb\rc\n\n")
	for _, c := range []struct {
		p    Position
		want int
	}{{Position{0, 2}, 1}, {Position{0, 99}, 7}, {Position{1, 7}, 10}, {Position{99, 0}, 14}, {Position{-1, 0}, 0}} {
		if got := x.offset(c.p, utf16); got != c.want {
			t.Errorf("%v is %d, want %d", c.p, got, c.want)
		}
	}
}

// FuzzReader tests that the reader returns a message or an error for any input, and ends.
func FuzzReader(f *testing.F) {
	f.Add("Content-Length: 2\r\n\r\n{}")
	f.Add("x\r\n\x83\x83\x83Content-Length: 0\r\n\r\n")
	f.Add("x\r\nContent-Length: 0\r\n\r\nContent-Length: 99999999999999999999\r\n\r\n")
	f.Fuzz(func(t *testing.T, in string) {
		r := newReader(strings.NewReader(in))
		for range len(in) + 2 {
			_, err := r.next()
			var wrong *responseError
			if err != nil && !errors.As(err, &wrong) {
				return
			}
		}
		t.Errorf("%q does not end", in)
	})
}
