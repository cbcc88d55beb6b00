package dl

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files returns one line for each file that is mapped into this process, and whose name begins with
// one of the prefixes: its path, size and time of modification. Another build of a library has
// another line, even if its name and version are the same. It is "" where there is no such file, or
// the system is not Linux (proc_pid_maps(5)).
func Files(prefixes ...string) string {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return ""
	}
	defer f.Close()
	var lines []string
	seen := map[string]bool{}
	for s := bufio.NewScanner(f); s.Scan(); {
		// address, permissions, offset, device, inode, and the path, which is absolute
		at := strings.IndexByte(s.Text(), '/')
		if at < 0 {
			continue
		}
		path := s.Text()[at:]
		named := func(prefix string) bool { return strings.HasPrefix(filepath.Base(path), prefix) }
		if seen[path] || !slices.ContainsFunc(prefixes, named) {
			continue
		}
		seen[path] = true
		info, err := os.Stat(path)
		if err != nil {
			return "" // replaced since it was loaded
		}
		lines = append(lines, fmt.Sprintf("%s %d %d\n", path, info.Size(), info.ModTime().UnixNano()))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}
