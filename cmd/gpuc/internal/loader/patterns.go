package loader

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// below ends a pattern for a folder and all below it.
const below = "/..."

// ExpandPatterns replaces patterns like ./... by the folders of Go packages with kernels. Like the
// go command it skips testdata, folders that begin with a dot or an underscore, and other modules.
func ExpandPatterns(names []string) (list []string, err error) {
	for _, name := range names {
		root, isPattern := strings.CutSuffix(filepath.ToSlash(name), below)
		if name == below[1:] {
			root, isPattern = ".", true
		}
		if !isPattern {
			list = append(list, name)
			continue
		}
		folders, err := kernelFolders(filepath.FromSlash(root))
		if err != nil {
			return nil, err
		}
		if len(folders) == 0 {
			return nil, fmt.Errorf("%s: no package there has a kernel; a function is one with the comment //gpuc:kernel workgroup=64 above it", name)
		}
		list = append(list, folders...)
	}
	return list, nil
}

// kernelFolders returns root and the folders below it that have kernels, sorted by name.
func kernelFolders(root string) (folders []string, err error) {
	kernelLine := regexp.MustCompile(`(?m)^//[ \t]*gpuc:[ \t]*[kK]ern`) // also misspelled
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name == root {
				return nil
			}
			if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return filepath.SkipDir
			}
			return nil
		}
		folder := filepath.Dir(name)
		if path.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go") || slices.Contains(folders, folder) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil && kernelLine.Match(text) {
			folders = append(folders, folder)
		}
		return err
	})
	slices.Sort(folders)
	return folders, err
}
