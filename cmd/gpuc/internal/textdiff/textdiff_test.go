package textdiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestUnified applies diffs of random texts. For small differences it compares the text of the
// diff.
func TestUnified(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var a []string
		for range r.IntN(40) {
			a = append(a, fmt.Sprintf("%d\n", r.IntN(60)))
		}
		b := append([]string(nil), a...)
		edits := r.IntN(5)
		for range edits {
			at := r.IntN(len(b) + 1)
			switch line := fmt.Sprintf("%d\n", r.IntN(60)); {
			case at == len(b) || r.IntN(3) == 0:
				b = append(b[:at], append([]string{line}, b[at:]...)...)
			case r.IntN(2) == 0:
				b = append(b[:at], b[at+1:]...)
			default:
				b[at] = line
			}
		}
		from, to := strings.Join(a, ""), strings.Join(b, "")
		if r.IntN(3) == 0 {
			from = strings.TrimSuffix(from, "\n")
		}
		if r.IntN(3) == 0 {
			to = strings.TrimSuffix(to, "\n")
		}
		diff := Unified(from, to)
		if got, err := patch(from, diff); err != nil || got != to {
			t.Fatalf("%q and the diff\n%sgive %q, not %q (%v)", from, diff, got, to, err)
		}
		if (diff == "") != (from == to) {
			t.Fatalf("the diff of %q and %q is %q", from, to, diff)
		}
	}
	if got, want := Unified("1\n}\n2\n}\n", "1\nnew\n}\n2\n}\n"), "@@ -1,4 +1,5 @@\n 1\n+new\n }\n 2\n }\n"; got != want {
		t.Errorf("a new line gives\n%s", got)
	}
	var many []string
	for n := range 1000 {
		many = append(many, fmt.Sprintf("%d\n", n))
	}
	from := strings.Join(many, "")
	many[500] = "other\n"
	const want = "@@ -498,7 +498,7 @@\n 497\n 498\n 499\n-500\n+other\n 501\n 502\n 503\n"
	if got := Unified(from, strings.Join(many, "")); got != want {
		t.Errorf("one line of many gives\n%s", got)
	}
}

// patch applies the hunks of a diff to a text.
func patch(text, hunks string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	var out strings.Builder
	at := 0
	next := func(want string) error {
		if at >= len(lines) || lines[at] != want {
			return fmt.Errorf("line %d is not %q", at, want)
		}
		at++
		return nil
	}
	diff := strings.SplitAfter(hunks, "\n")
	for n, line := range diff {
		if n+1 < len(diff) && strings.HasPrefix(diff[n+1], "\\") {
			line = strings.TrimSuffix(line, "\n")
		}
		if line == "" || line[0] == '\\' {
			continue
		}
		switch rest := line[1:]; line[0] {
		case '@':
			var start, count, b0, bn int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &start, &count, &b0, &bn); err != nil {
				return "", err
			}
			if count > 0 {
				start--
			}
			for ; at < start; at++ {
				out.WriteString(lines[at])
			}
			if written := strings.Count(out.String(), "\n"); written != b0-min(bn, 1) {
				return "", fmt.Errorf("%q, but %d lines are before it", line, written)
			}
		case ' ':
			if err := next(rest); err != nil {
				return "", err
			}
			out.WriteString(rest)
		case '-':
			if err := next(rest); err != nil {
				return "", err
			}
		case '+':
			out.WriteString(rest)
		}
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	return out.String(), nil
}
