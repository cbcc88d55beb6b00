package tuning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Variable is the environment variable through which `gpuc tune` tells a package's tests what to
// do: a Task as JSON. Without it these tests are skipped.
const Variable = "GPUC_TUNE"

// Task is what `gpuc tune` asks for.
type Task struct {
	// Device is the name of the device, or "" for the first GPU.
	Device string `json:"device,omitempty"`
	// File is where Reports are appended to.
	File string `json:"file"`
	// Budget is the time in nanoseconds for all problems. If it is 0, they are counted, and nothing
	// is measured. Problems is how many there are, or 0 if each test counts its own first.
	Budget   time.Duration `json:"budget,omitempty"`
	Problems int           `json:"problems,omitempty"`
	// Progress says that standard error is a terminal.
	Progress bool `json:"progress,omitempty"`
}

// Report is what a session says about a problem, as a line of Task.File.
type Report struct {
	Package string  `json:"package"`
	Kernel  string  `json:"kernel"`
	Problem Problem `json:"problem"`
	// Record is what was measured. It is nil if problems are counted, or for the reason Refused.
	Record  *Record `json:"record,omitempty"`
	Refused string  `json:"refused,omitempty"`
}

// Session is a Task that a process carries out. All methods may be called by several goroutines at
// once.
type Session struct {
	Task
	now    func() time.Time
	stderr io.Writer

	mutex    sync.Mutex
	end      time.Time
	expected int       // problems in all, as far as is known
	begun    int       // problems that were begun, or counted
	shown    time.Time // when Show last showed something that is still there, or zero
}

// showEvery is the least time between two lines of progress.
const showEvery = 100 * time.Millisecond

// NewSession begins a task: its budget runs from now on.
func NewSession(t Task) *Session {
	return &Session{Task: t, now: time.Now, stderr: os.Stderr, end: time.Now().Add(t.Budget), expected: t.Problems}
}

// process is the session of the process, once it was asked for.
var process struct {
	once    sync.Once
	session *Session
	err     error
}

// FromEnvironment returns the process's session, or nil if it has none. The budget runs from the
// first call on.
func FromEnvironment() (*Session, error) {
	process.once.Do(func() {
		text := os.Getenv(Variable)
		if text == "" {
			return
		}
		var t Task
		if err := json.Unmarshal([]byte(text), &t); err != nil {
			process.err = fmt.Errorf("the environment variable %s has no task of gpuc tune: %w", Variable, err)
			return
		}
		process.session = NewSession(t)
	})
	return process.session, process.err
}

// sessionKey is the key of a context's session.
type sessionKey struct{}

// With returns a context in which kernels are tuned for the session.
func (s *Session) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionOf returns the context's session, or nil.
func SessionOf(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}

// Counting reports whether problems are counted, and nothing is measured.
func (s *Session) Counting() bool { return s.Budget == 0 }

// Count counts the problems of a test, if the task does not say how many there are. Run is called
// with a context in which nothing is measured or reported.
func (s *Session) Count(ctx context.Context, run func(ctx context.Context) error) error {
	if s.Counting() || s.Problems > 0 {
		return nil
	}
	counter := &Session{now: s.now}
	if err := run(counter.With(ctx)); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.expected += counter.begun
	return nil
}

// Share begins a problem, and returns its share of the budget: an equal part of what is left.
func (s *Session) Share() time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.begun++
	return max(s.end.Sub(s.now()), 0) / time.Duration(max(s.expected-s.begun+1, 1))
}

// Show shows on a terminal which part of a problem is done.
func (s *Session) Show(kernel string, p Problem, part float64) {
	if !s.Progress {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.now().Sub(s.shown) < showEvery {
		return
	}
	s.shown = s.now()
	// without line wrap: a second line would not be erased
	fmt.Fprintf(s.stderr, "\r\033[K\033[?7l%3.0f %%, problem %d of %d: %s, %v\033[?7h",
		100*(float64(s.begun-1)+part)/float64(max(s.expected, s.begun)), s.begun, max(s.expected, s.begun), kernel, p)
}

// Add appends a report to the file, and erases what Show has shown.
func (s *Session) Add(r Report) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.File == "" { // of Count
		s.begun++
		return nil
	}
	if !s.shown.IsZero() {
		fmt.Fprint(s.stderr, "\r\033[K")
		s.shown = time.Time{}
	}
	f, err := os.OpenFile(s.File, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("report to gpuc tune: %w", err)
	}
	_, err = f.Write(marshalLine(r))
	return errors.Join(err, f.Close())
}

// ParseReports reads a file of reports.
func ParseReports(file, text string) (list []Report, faults []Fault) {
	faults = readLines(file, text, func(line string, _ int) string {
		var r Report
		if err := unmarshal(line, &r); err != nil {
			return "it is damaged: " + err.Error()
		}
		if r.Record != nil {
			if why := r.Record.wrong(); why != "" {
				return why
			}
		}
		list = append(list, r)
		return ""
	})
	return list, faults
}
