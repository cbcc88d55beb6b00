package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite what the server says in the scripts")

// TestScripts plays the clients in testdata. A script is a txtar archive whose files are documents.
// Its comment has a line for each action of the client, followed by lines with < for what the
// server answers:
//
//	> {"method":…}                sends a message; "jsonrpc" is added
//	raw "…"                       sends bytes as they are
//	start [JSON]                  sends initialize with these client capabilities, and initialized
//	open FILE                     opens a document
//	change FILE 1:2-3:4 "text"    changes it, lines and characters from 0
//	ask METHOD FILE 1:2 [JSON]    asks about a position, with more parameters
//	quiet                         lets the delay pass after which changed documents are checked
//
// The answers were read and checked line by line.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, archive)
			var played strings.Builder
			for line := range strings.Lines(string(archive.Comment)) {
				if strings.HasPrefix(line, "<") {
					continue
				}
				played.WriteString(line)
				if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
					c.do(line)
					played.WriteString(c.said())
				}
			}
			if *update {
				archive.Comment = []byte(played.String())
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(archive.Comment), played.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// client plays a client: what it sends is read and answered before it goes on.
type client struct {
	t         *testing.T
	server    *server
	out       bytes.Buffer
	documents map[string]string
	versions  map[string]int
	id        int
	quiet     chan time.Time
	ending    string
}

func newClient(t *testing.T, archive *txtar.Archive) *client {
	c := &client{t: t, documents: map[string]string{}, versions: map[string]int{}}
	c.server = newServer(&c.out, "(test)")
	c.server.quiet = func() <-chan time.Time { return c.quiet }
	for _, f := range archive.Files {
		c.documents[f.Name] = string(f.Data)
	}
	return c
}

// send lets the server read bytes, and answer the messages in them.
func (c *client) send(raw string) {
	r := newReader(strings.NewReader(raw))
	for {
		m, err := r.next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return
		}
		if err == nil && m.Method == "$/cancelRequest" {
			c.server.cancel(m)
			continue
		}
		if done, err := c.server.handle(incoming{m, err}); done {
			c.ending = fmt.Sprintf("< the session is over: %v\n", err)
		}
	}
}

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func (c *client) message(v map[string]any) {
	v["jsonrpc"] = "2.0"
	body, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(framed(string(body)))
}

// do does what a line of a script says.
func (c *client) do(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	word := func() (first string) {
		first, rest, _ = strings.Cut(rest, " ")
		return first
	}
	switch verb {
	case ">":
		c.message(c.object(rest))
	case "raw":
		raw, err := strconv.Unquote(rest)
		if err != nil {
			c.t.Fatalf("%s: %v", line, err)
		}
		c.send(raw)
	case "start":
		c.id++
		c.message(map[string]any{"id": c.id, "method": "initialize", "params": map[string]any{"capabilities": c.object(rest)}})
		c.message(map[string]any{"method": "initialized", "params": map[string]any{}})
	case "open":
		name := word()
		c.versions[name] = 1
		c.message(map[string]any{"method": "textDocument/didOpen", "params": map[string]any{
			"textDocument": map[string]any{"uri": "file:///" + name, "languageId": "wgsl", "version": 1, "text": c.documents[name]}}})
	case "change":
		name := word()
		from, to, _ := strings.Cut(word(), "-")
		text, err := strconv.Unquote(rest)
		if err != nil {
			c.t.Fatalf("%s: %v", line, err)
		}
		c.versions[name]++
		c.message(map[string]any{"method": "textDocument/didChange", "params": map[string]any{
			"textDocument":   map[string]any{"uri": "file:///" + name, "version": c.versions[name]},
			"contentChanges": []any{map[string]any{"range": map[string]any{"start": c.position(from), "end": c.position(to)}, "text": text}}}})
	case "ask":
		method, name, at := word(), word(), word()
		params := c.object(rest)
		params["textDocument"] = map[string]any{"uri": "file:///" + name}
		if from, to, isRange := strings.Cut(at, "-"); isRange {
			params["range"] = map[string]any{"start": c.position(from), "end": c.position(to)}
		} else if at != "" {
			params["position"] = c.position(at)
		}
		c.id++
		c.message(map[string]any{"id": c.id, "method": "textDocument/" + method, "params": params})
	case "quiet":
		c.server.publishChanged()
	default:
		c.t.Fatalf("a script cannot %s", line)
	}
}

func (c *client) object(text string) map[string]any {
	v := map[string]any{}
	if text == "" {
		return v
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		c.t.Fatalf("%s: %v", text, err)
	}
	return v
}

func (c *client) position(text string) map[string]any {
	var line, character int
	if _, err := fmt.Sscanf(text, "%d:%d", &line, &character); err != nil {
		c.t.Fatalf("%s: %v", text, err)
	}
	return map[string]any{"line": line, "character": character}
}

// said returns what the server has said since it was asked last.
func (c *client) said() string {
	var b strings.Builder
	for c.out.Len() > 0 {
		header, body, found := bytes.Cut(c.out.Bytes(), []byte("\r\n\r\n"))
		length, err := strconv.Atoi(strings.TrimPrefix(string(header), "Content-Length: "))
		if !found || err != nil || length > len(body) {
			c.t.Fatalf("the server wrote %q", c.out.String())
		}
		body = body[:length]
		c.out.Next(len(header) + 4 + length)
		fmt.Fprintf(&b, "< %s\n", strings.Replace(string(body), `"jsonrpc":"2.0",`, "", 1))
	}
	b.WriteString(c.ending)
	c.ending = ""
	return b.String()
}
