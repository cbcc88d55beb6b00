package cli

import (
	"runtime/debug"
)

// Version returns the version of the module that the command was built from, and the revision if
// it was built in a working copy.
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

// development is the version of a command that was not built from a release.
const development = "(devel)"

// Release returns the version if it is one that others can ask for, and development if not.
func Release() string {
	if version, revision := Version(); revision == "" {
		return version
	}
	return development
}
