package gokernel_test

import (
	"flag"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

var everything = flag.Bool("std", false, "sweep all packages of the standard library")

// sweepTogether is how many packages are loaded at once.
const sweepTogether = 30

// swept are packages with much of what Go is made of.
var swept = strings.Fields(`archive/tar archive/zip bufio bytes cmp compress/bzip2 compress/flate compress/lzw container/heap container/list
	container/ring context crypto/aes crypto/md5 crypto/sha1 crypto/sha256 crypto/subtle database/sql debug/dwarf encoding/ascii85
	encoding/base64 encoding/binary encoding/csv encoding/hex encoding/json errors expvar flag fmt go/ast
	go/constant go/scanner go/token hash/adler32 hash/crc32 hash/crc64 hash/fnv hash/maphash html image
	image/color image/draw image/gif image/jpeg image/png index/suffixarray io iter maps math
	math/bits math/cmplx math/rand math/rand/v2 mime path regexp/syntax slices sort strconv
	strings sync/atomic text/tabwriter text/template/parse time unicode unicode/utf16 unicode/utf8 unique`)

// TestSweep compiles the functions of the standard library as if they were kernels. Each must be
// reported at positions in files, or become IR that the verifier accepts.
func TestSweep(t *testing.T) {
	testmode.Long(t)
	paths := swept
	if *everything {
		list, err := exec.Command("go", "list", "std").Output()
		if err != nil {
			t.Fatal(err)
		}
		paths = strings.Fields(string(list))
	}
	var sum gokernel.Swept
	wrong := 0
	messages := 0
	report := func(function string, set *source.Set, list *diag.List) {
		for _, d := range list.Items() {
			messages++
			switch {
			case d.Severity == diag.Warning || d.Code == diag.GoSubset || d.Code == diag.GoDivergentBarrier || d.Code == diag.GoDivergentSubgroup || d.Code == diag.LimitExceeded:
				if set.Position(d.Span.Start).File != "" {
					continue
				}
				d.Message += " (this has no position)"
			}
			if wrong++; wrong < 30 {
				t.Errorf("%s: %v: %s [%s]", function, set.Position(d.Span.Start), d.Message, d.Code)
			}
		}
	}
	for len(paths) > 0 {
		n := min(len(paths), sweepTogether)
		s, err := gokernel.Sweep(paths[:n], report)
		if err != nil {
			t.Fatal(err)
		}
		paths = paths[n:]
		sum.Functions += s.Functions
		sum.Refused += s.Refused
		sum.Translated += s.Translated
		sum.Barred += s.Barred
	}
	t.Logf("%d functions: %d refused, %d translated, %d without parameters of kernels; %d messages, %d of them wrong",
		sum.Functions, sum.Refused, sum.Translated, sum.Barred, messages, wrong)
	if sum.Translated < 100 {
		t.Errorf("only %d functions were translated", sum.Translated)
	}
}
