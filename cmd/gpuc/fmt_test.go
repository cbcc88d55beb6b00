package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestFmtWrites: -w keeps a file's permissions, leaves the file alone if nothing changes or
// if it is write-protected, and writes to what a link leads to.
func TestFmtWrites(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := gpuc.execute(&environment{stdout: &stdout, stderr: &stderr}, append([]string{"fmt", "-w"}, args...)); code != want {
			t.Errorf("%q ends with %d: %s", args, code, stderr.String())
		}
		return stderr.String()
	}
	stat := func(name string) fs.FileInfo {
		t.Helper()
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	for name, mode := range map[string]fs.FileMode{"a.wgsl": 0o640, "protected.wgsl": 0o444} {
		if err := os.WriteFile(name, []byte("const a=1;"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.wgsl", "link.wgsl"); err != nil {
		t.Skip("skipped: the system makes no symbolic links in the temporary folder: ", err)
	}
	run(exitOK, "link.wgsl")
	written := stat("a.wgsl")
	if text, err := os.ReadFile("a.wgsl"); string(text) != "const a = 1;\n" || err != nil {
		t.Errorf("a.wgsl has %q, %v", text, err)
	}
	if stat("link.wgsl").Mode().Type() != fs.ModeSymlink {
		t.Error("the link is none any more")
	}
	if written.Mode().Perm() != 0o640 {
		t.Errorf("a.wgsl has the permissions %v", written.Mode())
	}
	run(exitOK, "a.wgsl")
	if !os.SameFile(written, stat("a.wgsl")) {
		t.Error("a file that was formatted is written")
	}
	if said := run(exitDiagnostics, "protected.wgsl"); !strings.Contains(said, "write-protected") {
		t.Errorf("it says %q", said)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 3 {
		t.Errorf("%v is left, %v", entries, err)
	}
}

// TestUnifiedDiff applies diffs of random texts, which have to give the second text, and to
// be small where little differs.
func TestUnifiedDiff(t *testing.T) {
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
		diff := unifiedDiff(from, to)
		if got, err := patch(from, diff); err != nil || got != to {
			t.Fatalf("%q and the diff\n%sgive %q, not %q (%v)", from, diff, got, to, err)
		}
		if (diff == "") != (from == to) {
			t.Fatalf("the diff of %q and %q is %q", from, to, diff)
		}
	}
	if got, want := unifiedDiff("1\n}\n2\n}\n", "1\nnew\n}\n2\n}\n"), "@@ -1,4 +1,5 @@\n 1\n+new\n }\n 2\n }\n"; got != want {
		t.Errorf("a new line gives\n%s", got)
	}
	var many []string
	for n := range 1000 {
		many = append(many, fmt.Sprintf("%d\n", n))
	}
	from := strings.Join(many, "")
	many[500] = "other\n"
	const want = "@@ -498,7 +498,7 @@\n 497\n 498\n 499\n-500\n+other\n 501\n 502\n 503\n"
	if got := unifiedDiff(from, strings.Join(many, "")); got != want {
		t.Errorf("one line of many gives\n%s", got)
	}
}

// patch applies hunks to a text.
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
