package gokernel

import (
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// fromSource replaces the part of mode that has the go command compile what packages import: they
// are checked from their sources, functions aside. That takes a second, and export data from the
// build cache a tenth of one; but to make that of everything that runtime/gpu imports takes ten.
const fromSource = mode&^packages.NeedExportFile | packages.NeedDeps

// loadMode returns what is to be asked of the go command: what packages are is the same either way.
func loadMode() packages.LoadMode {
	if cacheIsEmpty() {
		return fromSource
	}
	return mode
}

// cacheIsEmpty reports whether the go command's build cache has nothing, or next to it. Its entries
// are spread over 256 folders by their hashes; a build of the standard library alone leaves some in
// each.
func cacheIsEmpty() bool {
	cache := os.Getenv("GOCACHE")
	if cache == "" {
		folder, err := os.UserCacheDir()
		if err != nil {
			return false
		}
		cache = filepath.Join(folder, "go-build")
	}
	if _, err := os.Stat(filepath.Dir(cache)); err != nil {
		return false // it is somewhere else
	}
	for _, part := range []string{"00", "55", "aa", "ff"} {
		if entries, err := os.ReadDir(filepath.Join(cache, part)); err == nil && len(entries) > 0 {
			return false
		}
	}
	return true
}
