// Command skips reads what go test -json prints and shows of it what go test does, and behind that
// which tests were skipped and why. It fails if tests failed, or if one was skipped for want of
// something that is installed. Its arguments are the names of what is installed, mostly packages,
// as reasons spell them. The switch of the long tests is one of them where it is set.
//
//	go test -json ./... | go run ./internal/skips -slow 10 gcc llvm-19 "the go command"
//
// go test without -v hides skipped tests, so that one that is skipped everywhere looks like one
// that passes.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func main() {
	slow := flag.Int("slow", 0, "how many of the longest tests are listed")
	flag.Parse()
	ok, err := report(os.Stdout, os.Stdin, *slow, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// event is a line of go test -json (go doc test2json), or of what building says (go help
// buildjson).
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// name is that of a test, with its package.
func (e *event) name() string { return e.Package + " " + e.Test }

// report copies what the events say of packages and of what failed, lists what was skipped, and
// reports whether nothing failed and nothing that was skipped lacks what is installed.
func report(w io.Writer, r io.Reader, slow int, installed []string) (ok bool, err error) {
	said := map[string]*strings.Builder{} // by tests that have not passed, and by packages
	// tests that have not ended, in the order in which they began
	var open []string
	skipped := map[string][]string{} // tests by their reasons
	var ended []event
	ok = true
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20) // which a test's line of output can have
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return false, fmt.Errorf("%q is no line of go test -json: %w", lines.Text(), err)
		}
		name := e.name()
		switch e.Action {
		case "build-output":
			fmt.Fprint(w, e.Output)
		case "build-fail":
			ok = false
		case "output":
			if said[name] == nil {
				said[name] = new(strings.Builder)
			}
			said[name].WriteString(e.Output)
		case "run":
			open = append(open, name)
		case "pass", "skip", "fail":
			text := said[name]
			delete(said, name)
			if text == nil {
				text = new(strings.Builder)
			}
			if e.Test != "" {
				open = slices.DeleteFunc(open, func(other string) bool { return other == name })
				ended = append(ended, e)
			}
			switch {
			case e.Action == "fail":
				ok = false
				// a panic or the time that a package has ends these with it
				for _, other := range open {
					if of, _, _ := strings.Cut(other, " "); e.Test == "" && of == e.Package && said[other] != nil {
						fmt.Fprint(w, said[other])
						delete(said, other)
					}
				}
				fmt.Fprint(w, text)
			case e.Test == "":
				fmt.Fprint(w, resultOf(text.String()))
			case e.Action == "skip":
				reason := reasonOf(text.String())
				skipped[reason] = append(skipped[reason], strings.TrimPrefix(name, "github.com/gpuc/gpuc/"))
			}
		}
	}
	if err := lines.Err(); err != nil {
		return false, err
	}
	if slow > 0 {
		writeSlow(w, ended, slow)
	}
	return writeSkipped(w, skipped, installed) && ok, nil
}

// resultOf returns the line of a package that passed.
func resultOf(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") {
			return line
		}
	}
	return ""
}

// logged matches the position that a message of a test begins with.
var logged = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: `)

// reasonOf returns what a test said last before it was skipped.
func reasonOf(text string) string {
	text, _, _ = strings.Cut(text, "--- SKIP: ")
	positions := logged.FindAllStringIndex(text, -1)
	if positions == nil {
		return "no reason given"
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(text[positions[len(positions)-1][1]:], "skipped: ")), " ")
}

// writeSlow lists the longest tests, subtests within the ones that they are of.
func writeSlow(w io.Writer, ended []event, most int) {
	ended = slices.DeleteFunc(ended, func(e event) bool { return strings.Contains(e.Test, "/") })
	slices.SortStableFunc(ended, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	fmt.Fprintln(w, "the longest tests:")
	for _, e := range ended[:min(most, len(ended))] {
		fmt.Fprintf(w, "%8.1f s  %s\n", e.Elapsed, strings.TrimPrefix(e.name(), "github.com/gpuc/gpuc/"))
	}
}

// writeSkipped lists the reasons with their tests, and reports whether none lacks what is
// installed.
func writeSkipped(w io.Writer, skipped map[string][]string, installed []string) bool {
	count, wrong := 0, 0
	for _, tests := range skipped {
		count += len(tests)
	}
	fmt.Fprintf(w, "%d tests and parts of tests are skipped:\n", count)
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		tests := skipped[reason]
		slices.Sort(tests)
		more := ""
		if len(tests) > 1 {
			more = fmt.Sprintf(", and %d more", len(tests)-1)
		}
		fmt.Fprintf(w, "  %s\n      %s%s\n", reason, tests[0], more)
		if n := slices.IndexFunc(installed, func(name string) bool { return names(reason, name) }); n >= 0 {
			fmt.Fprintf(w, "      but %s is installed here: the test does not find it\n", installed[n])
			wrong += len(tests)
		}
	}
	return wrong == 0
}

// names reports whether a text has a name, and not only as a part of a longer one.
func names(text, name string) bool {
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '+' }
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[from:])
		if !inside(before) && !inside(after) {
			return true
		}
	}
	return false
}
