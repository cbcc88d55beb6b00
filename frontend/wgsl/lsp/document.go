package lsp

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/editor"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file maintains the open documents, and publishes their diagnostics.

// notificationRow is a notification from the client.
type notificationRow struct {
	method string
	take   func(s *server, params json.RawMessage) *responseError
}

var notifications = [...]notificationRow{
	{"textDocument/didOpen", (*server).didOpen},
	{"textDocument/didChange", (*server).didChange},
	{"textDocument/didClose", (*server).didClose},
}

func (s *server) didOpen(params json.RawMessage) *responseError {
	var p openParams
	if wrong := decode(params, &p, "didOpen"); wrong != nil {
		return wrong
	}
	d := s.documents[p.Document.URI]
	if d == nil {
		d = &document{uri: p.Document.URI, editor: editor.NewDocument(fileName(p.Document.URI), "")}
		s.documents[d.uri] = d
	}
	d.used = s.clock
	return s.change(d, p.Document.Text, p.Document.Version)
}

// fileName returns the last element of a URI, for messages.
func fileName(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Path != "" {
		return path.Base(u.Path)
	}
	return path.Base(uri)
}

func (s *server) didChange(params json.RawMessage) *responseError {
	var p changeParams
	if wrong := decode(params, &p, "didChange"); wrong != nil {
		return wrong
	}
	d, wrong := s.find(p.Document.URI)
	if wrong != nil {
		return wrong
	}
	version := d.version + 1
	if p.Document.Version != nil {
		version = *p.Document.Version
	}
	var next text
	next.set(d.text.content)
	for _, c := range p.Changes {
		if c.Text == nil {
			return errorf(invalidParams, "a change of %s has no text; nothing of it is made", d.editor.Name())
		}
		if c.Range == nil {
			next.set(*c.Text)
			continue
		}
		start, end := next.offset(c.Range.Start, s.encoding), next.offset(c.Range.End, s.encoding)
		if start > end {
			return errorf(invalidParams, "a change of %s ends before it begins; nothing of it is made", d.editor.Name())
		}
		next.set(next.content[:start] + *c.Text + next.content[end:])
	}
	return s.change(d, next.content, version)
}

// change replaces the text of a document, unless it is too large.
func (s *server) change(d *document, content string, version int) *responseError {
	if bytes := s.bytes - len(d.text.content) + len(content); len(content) > s.maxText || bytes > maxTexts*s.maxText {
		s.close(d)
		return errorf(requestFailed, "%s is passed by: its text has %d bytes, and at most %d are taken, %d of all files that are open", d.editor.Name(), len(content), s.maxText, maxTexts*s.maxText)
	}
	s.bytes += len(content) - len(d.text.content)
	d.version = version
	d.text.set(content)
	d.editor.SetText(content)
	if !d.changed {
		d.changed = true
		s.changed = append(s.changed, d)
	}
	s.wake = s.quiet()
	return nil
}

func (s *server) didClose(params json.RawMessage) *responseError {
	var p documentParams
	if wrong := decode(params, &p, "didClose"); wrong != nil {
		return wrong
	}
	d, wrong := s.find(p.Document.URI)
	if wrong != nil {
		return wrong
	}
	s.close(d)
	return nil
}

// close closes a document and clears its diagnostics.
func (s *server) close(d *document) {
	s.bytes -= len(d.text.content)
	delete(s.documents, d.uri)
	s.changed = slices.DeleteFunc(s.changed, func(other *document) bool { return other == d })
	s.notify("textDocument/publishDiagnostics", publishParams{d.uri, d.version, []diagnostic{}})
}

// publishChanged publishes the diagnostics of the changed documents.
func (s *server) publishChanged() {
	changed := s.changed
	s.changed, s.wake = nil, nil
	for _, d := range changed {
		d.changed = false
		m := &message{Method: "the check of " + d.editor.Name()}
		if wrong := s.guard(m, func() *responseError {
			s.notify("textDocument/publishDiagnostics", publishParams{d.uri, d.version, s.diagnostics(d)})
			return nil
		}); wrong != nil {
			s.show(wrong)
		}
	}
	s.shrink()
}

// severities are the protocol's severities.
var severities = [...]int{diag.Error: 1, diag.Warning: 2, diag.Info: 3, diag.Off: 4}

// unnecessary is the tag of code that editors fade out.
const unnecessary = 1

var faded = []diag.Code{diag.UnusedVariable, diag.UnusedFunction, diag.UnusedBinding, diag.UnusedOverride, diag.UnreachableCode}

// diagnostics returns the diagnostics of a document.
func (s *server) diagnostics(d *document) []diagnostic {
	list := []diagnostic{}
	for _, x := range d.editor.Diagnostics() {
		list = append(list, s.diagnostic(d, &x))
	}
	return list
}

// diagnostic converts a diagnostic. Notes are appended to the message, unless they have a position
// and the client shows related information.
func (s *server) diagnostic(d *document, x *diag.Diagnostic) diagnostic {
	at, _ := d.editor.Range(x.Span)
	out := diagnostic{Range: s.rangeOf(d, at), Severity: severities[x.Severity], Code: x.Code.String(), Source: "gpuc", Message: x.Message}
	if slices.Contains(faded, x.Code) {
		out.Tags = []int{unnecessary}
	}
	var b strings.Builder
	for _, n := range x.Notes {
		at, ok := d.editor.Range(n.Span)
		if ok && s.related {
			out.Related = append(out.Related, relatedInfo{location{d.uri, s.rangeOf(d, at)}, n.Message})
			continue
		}
		b.WriteString("\n" + n.Message)
	}
	out.Message += b.String()
	return out
}

// rangeOf converts a range.
func (s *server) rangeOf(d *document, r editor.Range) Range {
	return Range{d.text.position(r.Start, s.encoding), d.text.position(r.End, s.encoding)}
}
