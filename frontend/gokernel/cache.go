package gokernel

import (
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// fromSource is mode for an empty build cache. It has no NeedExportFile, so that the go command
// does not compile the imports; they are type-checked from source, without function bodies. That
// takes a second. Loading export data from the build cache takes a tenth of one, but creating it
// for all imports of runtime/gpu takes ten.
const fromSource = mode&^packages.NeedExportFile | packages.NeedDeps

// loadMode returns the mode for the first load. The packages are the same either way.
func loadMode() packages.LoadMode {
	if cacheIsEmpty() {
		return fromSource
	}
	return mode
}

// cacheIsEmpty reports whether the go command's build cache is empty or nearly so. Its entries are
// spread over 256 folders by their hashes; building the standard library alone leaves some in each.
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
		return false // the cache is elsewhere
	}
	for _, part := range []string{"00", "55", "aa", "ff"} {
		if entries, err := os.ReadDir(filepath.Join(cache, part)); err == nil && len(entries) > 0 {
			return false
		}
	}
	return true
}
