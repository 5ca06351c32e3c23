package main

import (
	"mailgap/sendmail"
	"mailgap/shared/config"
)

// settingsFile is the name of the file in the user's configuration directory. It is not that of the other program: neither
// ever reads the credentials of the other.
const settingsFile = "smtp.toml"

// settings reads the environment and the file. --demo reads a file only if it is told to: it needs no account and must not
// depend on one.
func (a *app) settings() (config.Loaded, []config.Warning, error) {
	o := config.Options{File: a.file, Required: a.file != ""}
	if o.File == "" && !a.demo {
		o.File = config.DefaultFile(settingsFile)
	}
	return config.LoadProcess(sendmail.Settings(), o)
}
