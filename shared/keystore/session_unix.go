//go:build unix && !darwin

package keystore

import (
	"fmt"
	"os"
	"path/filepath"
)

// hasSession says whether there is a session bus to ask. Without one the library would run dbus-launch, which starts a bus
// that nobody asked for and that has no key store on it.
func hasSession() bool {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = fmt.Sprintf("/run/user/%d", os.Getuid())
	}
	info, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil && info.Mode()&os.ModeSocket != 0
}
