// Command skips reads the output of go test -json. It prints what go test prints, and then the
// skipped tests with their reasons. It fails if a test failed, or was skipped because of a missing
// requirement that is installed. The arguments are the names of what is installed, as reasons name
// them: packages, commands, or the variable that enables the long tests.
//
//	go test -json ./... | go run ./internal/skips -slow 10 gcc llvm-19 "the go command"
//
// Without -v, go test does not show skipped tests, so a test that is skipped everywhere looks like
// one that passes.
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
	slow := flag.Int("slow", 0, "how many of the longest tests to list")
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

// event is a line of go test -json (go doc test2json, go help buildjson).
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// name returns the package and name of a test.
func (e *event) name() string { return e.Package + " " + e.Test }

// report prints the results of packages, the output of failed tests, and the skipped tests. ok is
// whether nothing failed and no skipped test lacks something that is installed.
func report(w io.Writer, r io.Reader, slow int, installed []string) (ok bool, err error) {
	output := map[string]*strings.Builder{} // by unfinished tests, and by packages
	var open []string                       // unfinished tests, in the order of their start
	skipped := map[string][]string{}        // tests by their reasons
	var ended []event
	ok = true
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20) // a line of output may be long
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
			if output[name] == nil {
				output[name] = new(strings.Builder)
			}
			output[name].WriteString(e.Output)
		case "run":
			open = append(open, name)
		case "pass", "skip", "fail":
			text := output[name]
			delete(output, name)
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
				// a panic or a timeout of the package ends these
				for _, other := range open {
					if of, _, _ := strings.Cut(other, " "); e.Test == "" && of == e.Package && output[other] != nil {
						fmt.Fprint(w, output[other])
						delete(output, other)
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

// logged matches the position at the start of a test's message.
var logged = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: `)

// reasonOf returns the last message of a skipped test.
func reasonOf(text string) string {
	text, _, _ = strings.Cut(text, "--- SKIP: ")
	positions := logged.FindAllStringIndex(text, -1)
	if positions == nil {
		return "no reason given"
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(text[positions[len(positions)-1][1]:], "skipped: ")), " ")
}

// writeSlow lists the longest tests. The time of a test includes its subtests.
func writeSlow(w io.Writer, ended []event, limit int) {
	ended = slices.DeleteFunc(ended, func(e event) bool { return strings.Contains(e.Test, "/") })
	slices.SortStableFunc(ended, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	fmt.Fprintln(w, "the longest tests:")
	for _, e := range ended[:min(limit, len(ended))] {
		fmt.Fprintf(w, "%8.1f s  %s\n", e.Elapsed, strings.TrimPrefix(e.name(), "github.com/gpuc/gpuc/"))
	}
}

// writeSkipped lists the reasons with their tests. It returns whether no reason names something
// that is installed.
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

// names reports whether a text contains a name as a word.
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
