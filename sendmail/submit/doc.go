// Package submit hands one message to a submission server over SMTP, at most once.
package submit
