// Package lsp speaks the Language Server Protocol for WGSL (version 3.17, over one stream each
// way). What a place in a text means is asked of package editor; here are messages, positions, and
// what is checked when.
//
// One goroutine reads messages and another answers them, one after the other in their order, as
// the protocol wants where answers depend on the text. An answer takes milliseconds, so that a
// request is cancelled by not being begun. Diagnostics are sent when the editor has been quiet for
// a moment: however many changes come at once, they cost one check.
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

// Bounds of what the server holds.
const (
	maxWaiting  = 64       // messages that were read and not yet answered
	maxText     = 16 << 20 // bytes of a document
	maxTexts    = 8        // times that many bytes of all documents
	maxAnalysed = 8        // documents of which the last check is kept
)

// quietTime is how long an editor says nothing before what it changed is checked: shorter than the
// pause between two keystrokes, and long enough for what one command of the editor sends.
const quietTime = 15 * time.Millisecond

// ErrNoShutdown says that the client went away without the protocol's farewell.
var ErrNoShutdown = errors.New("the client ended without `shutdown`")

// Serve answers a client until it says exit or its stream ends. The version is gpuc's. The error
// is nil after shutdown, and else ErrNoShutdown or what is wrong with the streams.
func Serve(in io.Reader, out io.Writer, version string) error {
	return newServer(out, version).run(in)
}

// state is where a session stands.
type state uint8

const (
	starting state = iota
	running
	ended // shutdown has been asked for
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
	bytes     int                  // of their texts
	most      int                  // of one of them
	turn      int                  // counts messages, to find the documents that were used last
	changed   []*document          // whose diagnostics are to be sent
	wake      <-chan time.Time     // when
	quiet     func() <-chan time.Time

	mutex sync.Mutex
	// waiting are the requests that have been read and not answered, and whether they are
	// cancelled.
	waiting map[string]bool
	err     error // of writing
}

// document is one that the client has open.
type document struct {
	uri     string
	version int
	text    text
	editor  *editor.Document
	used    int // the turn
	changed bool
}

func newServer(out io.Writer, version string) *server {
	return &server{
		out: out, version: version, documents: map[string]*document{}, most: maxText, waiting: map[string]bool{},
		quiet: func() <-chan time.Time { return time.After(quietTime) },
	}
}

// incoming is a message, or what is wrong with one.
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
			if done, err := s.take(m); done {
				return err
			}
		case <-s.wake:
			s.publishChanged()
		}
	}
	return s.err
}

// receive reads messages into a channel, up to the first error that is not about one message.
// Cancellations take effect at once, for what they cancel is in the channel.
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

// cancel marks a request that waits.
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

// begin takes a request out of those that wait, and reports whether it was cancelled.
func (s *server) begin(id json.RawMessage) (cancelled bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	cancelled = s.waiting[string(id)]
	delete(s.waiting, string(id))
	return cancelled
}

// take answers a message. It reports whether the session is over, and how it ended.
func (s *server) take(m incoming) (done bool, err error) {
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
	s.turn++
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

// show tells the user of something that no request is answered by.
func (s *server) show(e *responseError) {
	const warning = 2
	s.notify("window/showMessage", showParams{warning, "gpuc: " + e.Message})
}

// notified takes a notification. What is wrong with one cannot be answered and is shown.
func (s *server) notified(m *message) {
	i := slices.IndexFunc(notifications[:], func(n notificationRow) bool { return n.method == m.Method })
	// others may be passed by (LSP 3.17, Notifications and requests)
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

// guard calls a function. If that panics, what is known of documents may be in any state and is
// dropped; their texts stay.
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

// about answers a request about a document that is open.
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
	d.used = s.turn
	return d, nil
}

// shrink drops what is known of documents that were not used lately.
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
