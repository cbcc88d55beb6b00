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

// This file finds the Go packages with kernels that a pattern like ./... means, as the go command
// does: below a folder, but for testdata, folders that begin with a dot or an underscore, and other
// modules. Each is a package of its own to gpuc, as names of kernels need to be different within
// one only.

// below ends a pattern for a folder and all below it.
const below = "/..."

// kernelLine matches the directive of a kernel, or what was to be it, as it begins a line.
var kernelLine = regexp.MustCompile(`(?m)^//[ \t]*gpuc:[ \t]*[kK]ern`)

// ExpandPatterns replaces patterns by the folders that they mean.
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
			return nil, fmt.Errorf("%s: no package there has a kernel; a function is one if //gpuc:kernel workgroup=64 stands above it", name)
		}
		list = append(list, folders...)
	}
	return list, nil
}

// kernelFolders returns the folders with kernels, root among them, in the order of their names.
func kernelFolders(root string) (folders []string, err error) {
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
