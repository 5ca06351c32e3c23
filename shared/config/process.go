package config

import (
	"os"
	"strings"
)

// LoadProcess is Load on the environment of this process. Secrets are removed from that environment, also when Load fails,
// so that no child process and no dump of the environment has them.
//
// On Linux the kernel goes on showing the environment that the process was started with in /proc/self/environ, to the same
// user and to root; there the octets of the value are overwritten too. On other systems the block in memory stays as it
// was. A secret in a file or from a command is never in any of these.
func LoadProcess(s Spec) (Values, []Warning, error) {
	environ := os.Environ()
	for i, line := range environ {
		environ[i] = strings.Clone(line) // the block behind these strings is about to be overwritten
	}
	v, warnings, err := Load(environ, s)
	for _, decl := range s.Vars {
		if decl.Kind == KindSecret && decl.allows(FromEnv) {
			forget(decl.Name)
		}
	}
	return v, warnings, err
}

// forget removes name from the environment.
func forget(name string) {
	if val, ok := os.LookupEnv(name); ok {
		overwrite(val)
		_ = os.Unsetenv(name) // fails for malformed names only, which cannot be set either
	}
}
