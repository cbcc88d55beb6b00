//go:build !unix

package peak

import "time"

// processor returns 0 where it is not known what the process has used.
func processor() time.Duration { return 0 }
