package setup

import (
	"regexp"
	"slices"
	"strings"
)

const (
	contextLines = 2
	maxDiffCells = 4 << 20 // of the table that compares the lines between the first and the last change; beyond it all of them are shown
)

// diff shows what changes from before to after, with a few lines around it: - for what goes, + for what comes.
func diff(before, after string) string {
	a, b := split(before), split(after)
	ops := compare(a, b)
	show := make([]bool, len(ops))
	for i, op := range ops {
		if op[0] != ' ' {
			for j := max(i-contextLines, 0); j < min(i+contextLines+1, len(ops)); j++ {
				show[j] = true
			}
		}
	}
	var out strings.Builder
	for i, op := range ops {
		switch {
		case show[i]:
			out.WriteString(masked(op) + "\n")
		case i > 0 && show[i-1] || i == 0:
			out.WriteString("  …\n")
		}
	}
	return out.String()
}

var secretLine = regexp.MustCompile(`(?i)^(.*(?:passw|secret|token|api.?key)[a-z]*["']?\s*[:=]\s*).*$`)

// masked hides the value of a line that looks like somebody's secret: what is on a terminal ends up in recordings.
func masked(line string) string {
	return secretLine.ReplaceAllString(line, "${1}[not shown]")
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// compare lists all lines with what happens to them.
func compare(a, b []string) []string {
	var head, tail []string
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head, a, b = append(head, "  "+a[0]), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, "  "+a[len(a)-1])
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	return slices.Concat(head, middle(a, b), tail)
}

// middle compares by the longest common subsequence.
func middle(a, b []string) []string {
	var ops []string
	if len(a)*len(b) <= maxDiffCells {
		length := common(a, b)
		for len(a) > 0 && len(b) > 0 {
			i, j := len(length)-1-len(a), len(length[0])-1-len(b)
			switch {
			case a[0] == b[0]:
				ops, a, b = append(ops, "  "+a[0]), a[1:], b[1:]
			case length[i+1][j] >= length[i][j+1]:
				ops, a = append(ops, "- "+a[0]), a[1:]
			default:
				ops, b = append(ops, "+ "+b[0]), b[1:]
			}
		}
	}
	for _, line := range a {
		ops = append(ops, "- "+line)
	}
	for _, line := range b {
		ops = append(ops, "+ "+line)
	}
	return ops
}

// common holds the length of the longest common subsequence of a[i:] and b[j:].
func common(a, b []string) [][]int {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	return length
}
