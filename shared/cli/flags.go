package cli

import (
	"fmt"
	"slices"
	"strings"
)

// TakeValues takes the flags that have a value (--name VALUE or --name=VALUE) out of args and returns the rest in its order.
// A flag that is named twice or has no value is an error.
func TakeValues(args []string, names ...string) (rest []string, values map[string]string, err error) {
	values = map[string]string{}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if !slices.Contains(names, name) {
			rest = append(rest, args[i])
			continue
		}
		if !joined {
			i++
			if i == len(args) || strings.HasPrefix(args[i], "--") {
				return nil, nil, fmt.Errorf("%s needs a value", name)
			}
			value = args[i]
		}
		if _, twice := values[name]; twice || value == "" {
			return nil, nil, fmt.Errorf("%s needs one value", name)
		}
		values[name] = value
	}
	return rest, values, nil
}
