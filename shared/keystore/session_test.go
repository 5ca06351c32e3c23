package keystore

import "runtime"

// alwaysSession: Keychain and Credential Manager need no session bus.
const alwaysSession = runtime.GOOS == "darwin" || runtime.GOOS == "windows"
