package exectest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// LargeProgram joins the kernels, renamed apart, until there are this many lines: a program of the
// size of the largest that people write, for benchmarks. Root is the repository's folder.
func LargeProgram(root string, lines int) (string, error) {
	files, err := filepath.Glob(filepath.Join(root, "testdata/exec/*.wgsl"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("no programs: %w", err)
	}
	// a declaration at module scope, as the kernels write them: at the beginning of a line, but for
	// attributes
	global := regexp.MustCompile(`(?m)^(?:@[^\n]*\) )?(?:fn|struct|alias|const|override|var(?:<[^>]*>)?) (\w+)`)
	var out strings.Builder
	out.WriteString("enable f16, subgroups;\n")
	count := 1
	for round := 0; count < lines; round++ {
		name := files[round%len(files)]
		raw, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		text := ""
		for line := range strings.SplitSeq(string(raw), "\n") {
			if !strings.HasPrefix(line, "enable ") && !strings.HasPrefix(line, "requires ") {
				text += line + "\n"
			}
		}
		for _, found := range global.FindAllStringSubmatch(text, -1) {
			text = replaceWord(text, found[1], fmt.Sprintf("%s_%d", found[1], round))
		}
		out.WriteString(text)
		count += strings.Count(text, "\n")
	}
	return out.String(), nil
}

// replaceWord replaces whole identifiers; single letters after a dot are swizzles.
func replaceWord(text, word, by string) string {
	part := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], word) && (i == 0 || !part(text[i-1]) && (text[i-1] != '.' || len(word) > 1)) &&
			(i+len(word) == len(text) || !part(text[i+len(word)])) {
			b.WriteString(by)
			i += len(word)
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}
