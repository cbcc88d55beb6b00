package gfx942

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Execution of a launch by another program: one that has a device, or another emulator.
// RunnerVariable names the program. Its argument is a folder with these files:
//
//	object.hsaco   the code object
//	launch.txt     the launch, with these lines:
//	                 kernel NAME
//	                 grid X Y Z         workgroups
//	                 workgroup X Y Z    invocations of one
//	                 buffer FILE        the buffers in order; FILE has the bytes
//	                 address INDEX      the next argument is the address of a buffer
//	                 bytes ALIGN HEX    the next argument is these bytes, with an alignment
//	buffer0.bin, … the contents of the buffers
//
// The lines of arguments are in the order of the kernarg segment, where each has its alignment, and
// addresses one of 8. The hidden arguments follow, which the program provides as HIP's runtime
// does. The program writes the contents of the buffers after the launch to their files, and exits
// with status 0. Any other status is an error, and the output is its text.

// RunnerVariable is the environment variable that names such a program.
const RunnerVariable = "GPUC_AMDGPU_RUNNER"

// RunElsewhere executes a launch of a kernel in a code object by a program.
func RunElsewhere(program string, object []byte, l *Launch) error {
	folder, err := os.MkdirTemp("", "launch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := WriteLaunch(folder, object, l); err != nil {
		return err
	}
	if text, err := exec.Command(program, folder).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(text))
	}
	for n, data := range l.Buffers {
		after, err := os.ReadFile(filepath.Join(folder, bufferFile(n)))
		if err != nil {
			return err
		}
		if len(after) != len(data) {
			return fmt.Errorf("%s left %d bytes of %s, which has %d", program, len(after), bufferName(n), len(data))
		}
		copy(data, after)
	}
	return nil
}

const (
	objectFile = "object.hsaco"
	launchFile = "launch.txt"
)

func bufferFile(n int) string { return fmt.Sprintf("buffer%d.bin", n) }

// WriteLaunch writes the files of a launch.
func WriteLaunch(folder string, object []byte, l *Launch) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "kernel %s\ngrid %d %d %d\nworkgroup %d %d %d\n", l.Kernel, l.Grid[0], l.Grid[1], l.Grid[2], l.Workgroup[0], l.Workgroup[1], l.Workgroup[2])
	files := map[string][]byte{objectFile: object}
	for n, data := range l.Buffers {
		files[bufferFile(n)] = data
		fmt.Fprintf(&text, "buffer %s\n", bufferFile(n))
	}
	for _, a := range l.Arguments {
		if a.Bytes != nil {
			fmt.Fprintf(&text, "bytes %d %x\n", a.Align, a.Bytes)
		} else {
			fmt.Fprintf(&text, "address %d\n", a.Buffer)
		}
	}
	files[launchFile] = text.Bytes()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// launchLines parse the lines of launch.txt by their first word.
var launchLines = map[string]func(folder, rest string, l *Launch) error{
	"kernel": func(_, rest string, l *Launch) error { l.Kernel = rest; return nil },
	"grid":   func(_, rest string, l *Launch) error { return three(rest, &l.Grid) },
	"workgroup": func(_, rest string, l *Launch) error {
		return three(rest, &l.Workgroup)
	},
	"buffer": func(folder, rest string, l *Launch) error {
		data, err := os.ReadFile(filepath.Join(folder, filepath.Base(rest)))
		l.Buffers = append(l.Buffers, data)
		return err
	},
	"address": func(_, rest string, l *Launch) error {
		a := Argument{}
		if _, err := fmt.Sscanf(rest, "%d", &a.Buffer); err != nil {
			return err
		}
		l.Arguments = append(l.Arguments, a)
		return nil
	},
	"bytes": func(_, rest string, l *Launch) error {
		a, text := Argument{}, ""
		if _, err := fmt.Sscanf(rest, "%d %s", &a.Align, &text); err != nil {
			return err
		}
		var err error
		a.Bytes, err = hex.DecodeString(text)
		l.Arguments = append(l.Arguments, a)
		return err
	},
}

func three(text string, n *[3]uint32) error {
	_, err := fmt.Sscanf(text, "%d %d %d", &n[0], &n[1], &n[2])
	return err
}

// ReadLaunch reads the files of a launch; it is for programs that execute it.
func ReadLaunch(folder string) (object []byte, l *Launch, err error) {
	if object, err = os.ReadFile(filepath.Join(folder, objectFile)); err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, launchFile))
	if err != nil {
		return nil, nil, err
	}
	l = &Launch{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		read := launchLines[word]
		if read == nil {
			return nil, nil, fmt.Errorf("the line %q of a launch", lines.Text())
		}
		if err := read(folder, rest, l); err != nil {
			return nil, nil, fmt.Errorf("the line %q of a launch: %w", lines.Text(), err)
		}
	}
	for _, a := range l.Arguments {
		if a.Bytes == nil && (a.Buffer < 0 || a.Buffer >= len(l.Buffers)) {
			return nil, nil, fmt.Errorf("an argument is buffer %d of %d", a.Buffer, len(l.Buffers))
		}
	}
	return object, l, nil
}

// WriteBuffers writes the contents of the buffers after a launch.
func WriteBuffers(folder string, l *Launch) error {
	for n, data := range l.Buffers {
		if err := os.WriteFile(filepath.Join(folder, bufferFile(n)), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
