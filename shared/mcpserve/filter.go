package mcpserve

import (
	"errors"
	"fmt"
	"slices"
)

// Filter selects tools by name. Empty Allow means all; Deny wins. A name that no tool has makes NewServer fail.
type Filter struct{ Allow, Deny []string }

// apply returns the tools that are left. Unknown names are an error: a typo in Deny would leave a tool on.
func (f Filter) apply(tools []Tool) ([]Tool, error) {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.spec.Name
	}
	err := errors.Join(unknownNames("allow", f.Allow, names), unknownNames("deny", f.Deny, names))
	var left []Tool
	for _, t := range tools {
		allowed := len(f.Allow) == 0 || slices.Contains(f.Allow, t.spec.Name)
		if allowed && !slices.Contains(f.Deny, t.spec.Name) {
			left = append(left, t)
		}
	}
	if err == nil && len(left) == 0 && len(tools) > 0 {
		err = errors.New("the tool filter leaves no tool")
	}
	return left, err
}

func unknownNames(where string, given, known []string) error {
	var errs []error
	for i, n := range given {
		if slices.Contains(known, n) {
			continue
		}
		if near := nearest(n, known); near != "" {
			errs = append(errs, fmt.Errorf("tool filter, %s, item %d: no such tool; write %s", where, i+1, near))
			continue
		}
		errs = append(errs, fmt.Errorf("tool filter, %s, item %d: no such tool; there are %s", where, i+1, list(known)))
	}
	return errors.Join(errs...)
}
