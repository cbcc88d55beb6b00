// Package textdiff compares texts by line. It is a patience diff: lines that occur once in both
// texts tell which parts belong together. That is fast and reads well, but the edit need not be the
// shortest.
package textdiff

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// context is the number of equal lines shown around a difference.
const context = 3

// Unified returns the hunks of a unified diff, without the lines that name the files.
func Unified(from, to string) string {
	a, b := slices.Collect(strings.Lines(from)), slices.Collect(strings.Lines(to))
	var out strings.Builder
	edits := lineEdits(a, b)
	for first := 0; first < len(edits); {
		next := first + 1 // edits whose contexts overlap share a hunk
		for next < len(edits) && edits[next].a0-edits[next-1].a1 <= 2*context {
			next++
		}
		start, end := edits[first], edits[next-1]
		before := min(context, start.a0)
		after := min(context, len(a)-end.a1)
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", lineRange(start.a0-before, end.a1+after), lineRange(start.b0-before, end.b1+after))
		at := start.a0 - before
		for _, e := range edits[first:next] {
			writeLines(&out, ' ', a[at:e.a0])
			writeLines(&out, '-', a[e.a0:e.a1])
			writeLines(&out, '+', b[e.b0:e.b1])
			at = e.a1
		}
		writeLines(&out, ' ', a[at:end.a1+after])
		first = next
	}
	return out.String()
}

// lineRange is the range of lines [start, end), counted from 0, in the header of a hunk.
func lineRange(start, end int) string {
	if start == end {
		return fmt.Sprintf("%d,0", start) // the line before
	}
	return fmt.Sprintf("%d,%d", start+1, end-start)
}

// writeLines writes lines with a mark before each.
func writeLines(out *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		out.WriteByte(mark)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// lineEdit replaces the lines [a0, a1) of a by the lines [b0, b1) of b.
type lineEdit struct{ a0, a1, b0, b1 int }

// lineEdits returns the differences of two texts, in order.
func lineEdits(a, b []string) (edits []lineEdit) {
	i, j := 0, 0
	for _, anchor := range append(anchors(a, b), [2]int{len(a), len(b)}) {
		for i < anchor[0] && j < anchor[1] && a[i] == b[j] {
			i, j = i+1, j+1
		}
		x, y := anchor[0], anchor[1]
		for x > i && y > j && a[x-1] == b[y-1] {
			x, y = x-1, y-1
		}
		if x > i || y > j {
			edits = append(edits, lineEdit{i, x, j, y})
		}
		i, j = anchor[0], anchor[1]
	}
	return edits
}

// anchors returns pairs of equal lines that occur once in each text: as many as are in the same
// order in both.
func anchors(a, b []string) (pairs [][2]int) {
	type lines struct{ inA, inB, countA, countB int }
	seen := map[string]lines{}
	for i, line := range a {
		p := seen[line]
		seen[line] = lines{i, p.inB, p.countA + 1, p.countB}
	}
	for j, line := range b {
		p := seen[line]
		seen[line] = lines{p.inA, j, p.countA, p.countB + 1}
	}
	// The longest increasing subsequence: tails[n] is the pair with the smallest line in b that
	// ends a subsequence of n+1 pairs. before[k] is the pair before pair k.
	var unique [][2]int
	var tails, before []int
	for i, line := range a {
		p := seen[line]
		if p.countA != 1 || p.countB != 1 {
			continue
		}
		n := sort.Search(len(tails), func(n int) bool { return unique[tails[n]][1] > p.inB })
		previous := -1
		if n > 0 {
			previous = tails[n-1]
		}
		unique, before = append(unique, [2]int{i, p.inB}), append(before, previous)
		if n == len(tails) {
			tails = append(tails, 0)
		}
		tails[n] = len(unique) - 1
	}
	if len(tails) == 0 {
		return nil
	}
	for k := tails[len(tails)-1]; k >= 0; k = before[k] {
		pairs = append(pairs, unique[k])
	}
	slices.Reverse(pairs)
	return pairs
}
