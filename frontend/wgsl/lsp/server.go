// Package lsp is a Language Server Protocol server for WGSL (version 3.17, over one stream each
// way). Package editor answers the queries; this package has messages, positions and scheduling.
//
// One goroutine reads messages and another answers them in order, as the protocol requires where
// answers depend on the text. An answer takes milliseconds, so a request is cancelled only before
// it begins. Diagnostics are published when the client has been quiet for a moment, so that a burst
// of changes costs one check.
package lsp

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/gpuc/gpuc/frontend/wgsl/editor"
	"github.com/gpuc/gpuc/ir/diag"
)

// Limits of the server.
const (
	maxWaiting  = 64       // messages that are not yet answered
	maxText     = 16 << 20 // bytes of a document
	maxTexts    = 8        // times maxText: bytes of all documents
	maxAnalysed = 8        // documents whose last check is kept
)

// quietTime is the debounce time: shorter than the pause between two keystrokes, longer than one
// editor command takes.
const quietTime = 15 * time.Millisecond

// ErrNoShutdown is the error of a client that ends without the shutdown request.
var ErrNoShutdown = errors.New("the client ended without `shutdown`")

// Serve answers a client until the exit notification or the end of its stream. version is gpuc's.
// The error is nil after shutdown, or else ErrNoShutdown or an error of the streams.
func Serve(in io.Reader, out io.Writer, version string) error {
	return newServer(out, version).run(in)
}

// state is the state of a session.
type state uint8

const (
	starting state = iota
	running
	ended // after shutdown
)

// server is a session.
type server struct {
	out     io.Writer
	version string
	state   state
	// of the client
	encoding     encoding
	markdown     bool
	related      bool
	labelOffsets bool

	documents map[string]*document // by URI
	bytes     int                  // size of all texts
	maxText   int                  // greatest size of a text
	clock     int                  // counts messages, to order documents by last use
	changed   []*document          // with diagnostics to publish
	wake      <-chan time.Time     // the time to publish them
	quiet     func() <-chan time.Time

	mutex sync.Mutex
	// waiting are the requests that are read and not answered: are they cancelled?
	waiting map[string]bool
	err     error // of writing
}

// document is an open document.
type document struct {
	uri     string
	version int
	text    text
	editor  *editor.Document
	used    int // the clock
	changed bool
}

func newServer(out io.Writer, version string) *server {
	return &server{
		out: out, version: version, documents: map[string]*document{}, maxText: maxText, waiting: map[string]bool{},
		quiet: func() <-chan time.Time { return time.After(quietTime) },
	}
}

// incoming is a message, or an error.
type incoming struct {
	*message
	err error
}

// run answers messages until the session ends.
func (s *server) run(in io.Reader) error {
	messages := make(chan incoming, maxWaiting)
	stop := make(chan struct{})
	defer close(stop)
	go s.receive(newReader(in), messages, stop)
	for s.err == nil {
		select {
		case m := <-messages:
			if done, err := s.handle(m); done {
				return err
			}
		case <-s.wake:
			s.publishChanged()
		}
	}
	return s.err
}

// receive reads messages into a channel, up to a final error. Cancellations take effect at once.
func (s *server) receive(r *reader, messages chan<- incoming, stop <-chan struct{}) {
	for {
		m, err := r.next()
		if err == nil && m.isRequest() {
			s.mutex.Lock()
			s.waiting[string(m.ID)] = false
			s.mutex.Unlock()
		}
		if err == nil && m.Method == "$/cancelRequest" {
			s.cancel(m)
			continue
		}
		select {
		case messages <- incoming{m, err}:
		case <-stop:
			return
		}
		var wrong *responseError
		if err != nil && !errors.As(err, &wrong) {
			return
		}
	}
}

// cancel marks a waiting request as cancelled.
func (s *server) cancel(m *message) {
	var p cancelParams
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, ok := s.waiting[string(p.ID)]; ok {
		s.waiting[string(p.ID)] = true
	}
}

// begin removes a request from the waiting ones, and reports whether it was cancelled.
func (s *server) begin(id json.RawMessage) (cancelled bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	cancelled = s.waiting[string(id)]
	delete(s.waiting, string(id))
	return cancelled
}

// handle answers a message. It reports whether the session is over, and its error.
func (s *server) handle(m incoming) (done bool, err error) {
	var wrong *responseError
	switch {
	case errors.As(m.err, &wrong):
		f := failure{"2.0", json.RawMessage("null"), wrong}
		if m.message != nil && m.isRequest() {
			f.ID = m.ID
		}
		s.send(f)
		return false, nil
	case errors.Is(m.err, io.EOF), m.err == nil && m.Method == "exit":
		if s.state != ended {
			return true, ErrNoShutdown
		}
		return true, nil
	case m.err != nil:
		return true, m.err
	}
	s.clock++
	if !m.isRequest() {
		s.notified(m.message)
	} else if s.begin(m.ID) {
		s.send(failure{"2.0", m.ID, errorf(requestCancelled, "the request was cancelled")})
	} else if result, wrong := s.answer(m.message); wrong != nil {
		s.send(failure{"2.0", m.ID, wrong})
	} else {
		s.send(response{"2.0", m.ID, result})
	}
	s.shrink()
	return false, nil
}

func (s *server) send(m any) {
	if s.err == nil {
		s.err = write(s.out, m)
	}
}

func (s *server) notify(method string, params any) { s.send(notification{"2.0", method, params}) }

// show shows an error to the user that answers no request.
func (s *server) show(e *responseError) {
	const warning = 2
	s.notify("window/showMessage", showParams{warning, "gpuc: " + e.Message})
}

// notified handles a notification. Its errors are shown, since they cannot be answered.
func (s *server) notified(m *message) {
	i := slices.IndexFunc(notifications[:], func(n notificationRow) bool { return n.method == m.Method })
	// unknown ones may be ignored (LSP 3.17, Notifications and requests)
	if i < 0 || s.state != running {
		return
	}
	if wrong := s.guard(m, func() *responseError { return notifications[i].take(s, m.Params) }); wrong != nil {
		s.show(wrong)
	}
}

// answer answers a request.
func (s *server) answer(m *message) (result any, wrong *responseError) {
	switch {
	case m.Method == "initialize" && s.state == starting:
		return s.initialize(m.Params)
	case s.state == starting:
		return nil, errorf(serverNotInitialized, "%s came before initialize", m.Method)
	case m.Method == "initialize":
		return nil, errorf(invalidRequest, "initialize is sent once")
	case s.state == ended:
		return nil, errorf(invalidRequest, "%s came after shutdown", m.Method)
	case m.Method == "shutdown":
		s.state = ended
		return nil, nil
	}
	i := slices.IndexFunc(requests[:], func(r requestRow) bool { return r.method == m.Method })
	if i < 0 {
		return nil, errorf(methodNotFound, "there is no method %s", m.Method)
	}
	wrong = s.guard(m, func() (wrong *responseError) {
		result, wrong = s.about(m, requests[i].answer)
		return wrong
	})
	return result, wrong
}

// guard calls a function. After a panic the analyses of all documents are dropped; their texts
// stay.
func (s *server) guard(m *message, f func() *responseError) (wrong *responseError) {
	defer func() {
		if p := recover(); p != nil {
			wrong = errorf(internalError, "%v", diag.Caught(p, "answering "+m.Method))
			for _, d := range s.documents {
				d.editor = editor.NewDocument(d.editor.Name(), d.text.content)
			}
		}
	}()
	return f()
}

// about answers a request about an open document.
func (s *server) about(m *message, answer func(*server, *document, *documentParams) (any, *responseError)) (any, *responseError) {
	p := new(documentParams)
	if wrong := decode(m.Params, p, m.Method); wrong != nil {
		return nil, wrong
	}
	d, wrong := s.find(p.Document.URI)
	if wrong != nil {
		return nil, wrong
	}
	return answer(s, d, p)
}

// find returns an open document.
func (s *server) find(uri string) (*document, *responseError) {
	d := s.documents[uri]
	if d == nil {
		return nil, errorf(invalidParams, "the document %q is not open", uri)
	}
	d.used = s.clock
	return d, nil
}

// shrink drops the analyses of the documents that were least recently used.
func (s *server) shrink() {
	var analysed []*document
	for _, d := range s.documents {
		if d.editor.Analysed() {
			analysed = append(analysed, d)
		}
	}
	if len(analysed) <= maxAnalysed {
		return
	}
	slices.SortFunc(analysed, func(a, b *document) int { return b.used - a.used })
	for _, d := range analysed[maxAnalysed:] {
		d.editor = editor.NewDocument(d.editor.Name(), d.text.content)
	}
}
