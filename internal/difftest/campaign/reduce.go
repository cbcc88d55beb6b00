package campaign

// Reduction of failing programs.

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gpuc/gpuc/internal/difftest"
)

// reduce prints ever smaller programs that fail like the failure's, which leaves the process alive.
func (w *work) reduce(out *json.Encoder) {
	var ways []*Way
	for _, name := range []string{w.Failure.Beside, w.Failure.Way} {
		if name == "" {
			continue
		}
		way, err := Open(name)
		if err != nil {
			return
		}
		ways = append(ways, way)
	}
	o, err := ParseConfiguration(w.Failure.Configuration)
	if err != nil {
		return
	}
	class := classOf(w.Failure.Message)
	difftest.Reduce(program(w.Family)(w.Failure.Seed), 1, func(cases []*difftest.Case) []bool {
		out.Encode(Failure{}) // a sign of life
		if len(cases) == 0 {
			return nil
		}
		err := together(ways, cases[0], o)
		if err == nil || classOf(err.Error()) != class {
			return []bool{false}
		}
		data, _ := json.Marshal(cases[0])
		out.Encode(Failure{Seed: w.Failure.Seed, ReducedCode: string(data), Reason: err.Error()})
		return []bool{true}
	})
}

// together runs a case in several ways and says what is wrong with what the last one leaves.
func together(ways []*Way, c *difftest.Case, o Configuration) error {
	var agreed agreement
	var err error
	for _, way := range ways {
		var got [][]byte
		if got, err = way.run(c, o, func(string) {}, &Tally{Lower: map[string]uint64{}}); err == nil {
			_, err = agreed.hold(way, c, o, got)
		}
	}
	return err
}

// classOf tells kinds of failures apart: their message without numbers and names.
func classOf(message string) string {
	if name, _, ok := strings.Cut(message, ": byte "); ok && !strings.ContainsAny(name, " \n") {
		return "wrong result"
	}
	message, _, _ = strings.Cut(message, "\n")
	var b strings.Builder
	for _, r := range message {
		if r >= '0' && r <= '9' {
			r = '#'
		}
		if r != '#' || !strings.HasSuffix(b.String(), "#") {
			b.WriteRune(r)
		}
	}
	s := b.String()
	return s[:min(len(s), 60)]
}

// reduceDeadly reduces a program that ends its process or gives no answer. Each attempt is a
// campaign of one case in another process; as many run at once as there are workers.
func (r *runner) reduceDeadly(f *Failure, end time.Time) {
	class := deathOf(f.Message)
	difftest.Reduce(program(r.Family)(f.Seed), max(r.Workers, 1), func(cases []*difftest.Case) []bool {
		reasons := make([]string, len(cases))
		var group sync.WaitGroup
		for n, c := range cases {
			group.Go(func() { reasons[n] = r.dies(c, f, end) })
		}
		group.Wait()
		answers := make([]bool, len(cases))
		for n, reason := range reasons {
			if reason == "" || deathOf(reason) != class {
				continue
			}
			data, _ := json.Marshal(cases[n])
			f.ReducedCode, f.Reason, answers[n] = string(data), reason, true
			break
		}
		return answers
	})
}

// dies runs a case the way that a failure was found, and returns how it failed.
func (r *runner) dies(c *difftest.Case, f *Failure, end time.Time) string {
	if time.Now().After(end) {
		return ""
	}
	file, err := os.CreateTemp("", "case-*.json")
	if err != nil {
		r.fail(err)
		return ""
	}
	defer os.Remove(file.Name())
	err = errors.Join(json.NewEncoder(file).Encode([]*difftest.Case{c}), file.Close())
	if err != nil {
		r.fail(err)
		return ""
	}
	found, err := Run(Options{File: file.Name(), Count: 1, Texts: []string{f.Configuration}, Ways: []string{f.Way},
		Workers: 1, Silence: min(r.Silence, r.Patience/silences)})
	if err != nil || len(found.Failures) == 0 {
		return ""
	}
	return found.Failures[0].Message
}

// deathOf tells apart how a process ended, or that it gave no answer, and at which step.
func deathOf(message string) string {
	message, step, _ := strings.Cut(message, " while ")
	if strings.HasPrefix(message, silent) {
		message = silent
	}
	return message + step
}

// reduceSome reduces the first failures of each way and kind, and writes them to
// the folder.
func (r *runner) reduceSome() {
	seen := map[string]int{}
	var group sync.WaitGroup
	room := make(chan bool, max(r.Workers, 1))
	for n := range r.report.Failures {
		f := &r.report.Failures[n]
		class := f.Way + classOf(f.Message)
		if seen[class]++; r.File != "" || program(r.Family) == nil || seen[class] > r.Reduced {
			continue
		}
		group.Go(func() {
			room <- true
			defer func() { <-room }()
			r.reduceOne(f)
		})
	}
	group.Wait()
}

func (r *runner) reduceOne(f *Failure) {
	end := time.Now().Add(r.Patience)
	if f.Died {
		r.reduceDeadly(f, end)
	} else {
		r.process(&work{Failure: f, Family: r.Family}, r.Silence, func(data []byte) bool {
			var better Failure
			if json.Unmarshal(data, &better) == nil && better.ReducedCode != "" {
				f.ReducedCode, f.Reason = better.ReducedCode, better.Reason
			}
			return time.Now().Before(end)
		})
	}
	var c difftest.Case
	if json.Unmarshal([]byte(f.ReducedCode), &c) != nil {
		return
	}
	reduced := f.ReducedCode
	if f.ReducedCode = c.Code; r.Folder == "" {
		return
	}
	name := filepath.Join(r.Folder, strconv.FormatUint(f.Seed, 10)+"-"+strings.ReplaceAll(f.Way, ":", "_"))
	text := "// " + strings.ReplaceAll(f.String()+"\nreduced: "+f.Reason, "\n", "\n// ") + "\n" + c.Code
	if err := errors.Join(os.WriteFile(name+".wgsl", []byte(text), 0o644),
		os.WriteFile(name+".json", []byte("["+reduced+"]\n"), 0o644)); err != nil {
		r.fail(err)
	}
}
