// Profiles that the environment asks for, of programs as they are.

package gpu

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// profileVariable asks for a profile of the whole program. It has "table", which goes to the
// standard error, or the name of a file: .txt for the table, .json for a trace. Several have commas
// between. They are written whenever the last device is closed, with all that was
// measured from the first Open on.
const profileVariable = "GPUC_PROFILE"

// asked is what the environment asks for.
var asked struct {
	once    sync.Once
	outputs []string
	err     error // of its value
	profile *Profile
}

// startAsAsked starts the profile that the environment asks for, when the first device is opened.
func startAsAsked() error {
	asked.once.Do(func() {
		value := os.Getenv(profileVariable)
		if value == "" {
			return
		}
		for output := range strings.SplitSeq(value, ",") {
			if output != "table" && !strings.HasSuffix(output, ".txt") && !strings.HasSuffix(output, ".json") {
				asked.err = fmt.Errorf("%w: %s=%s: %q is neither table nor the name of a file that ends in .txt or .json", ErrShape, profileVariable, value, output)
				return
			}
		}
		p, err := StartProfile(ProfileOptions{})
		if err != nil {
			if !errors.Is(err, ErrProfiling) { // the program has its own
				asked.err = fmt.Errorf("%s: %w", profileVariable, err)
			}
			return
		}
		asked.outputs, asked.profile = strings.Split(value, ","), p
	})
	return asked.err
}

// writeAsAsked writes what the environment asks for, if no device is open.
func writeAsAsked(open int) (err error) {
	p := asked.profile
	if p == nil || open > 0 {
		return nil
	}
	for _, output := range asked.outputs {
		if output == "table" {
			_, failure := os.Stderr.WriteString(p.Report().String())
			err = join(err, failure)
			continue
		}
		err = join(err, p.writeFile(output))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", profileVariable, err)
	}
	return nil
}

// writeFile writes the table or the trace.
func (p *Profile) writeFile(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if strings.HasSuffix(name, ".json") {
		err = p.WriteTrace(w)
	} else {
		_, err = w.WriteString(p.Report().String())
	}
	return errors.Join(err, w.Flush(), f.Close())
}
