package cli

import (
	"runtime/debug"
)

// Version returns the version of the module that the program was built from. If it was built in a
// git working copy, revision is the commit.
func Version() (version, revision string) {
	version = development
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	return version, revision
}

// development is the version of a program that was not built from a release.
const development = "(devel)"

// Release returns the version if it is that of a release, and "(devel)" otherwise.
func Release() string {
	if version, revision := Version(); revision == "" {
		return version
	}
	return development
}
