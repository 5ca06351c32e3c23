// Package toolsnap compares the tools of a server with files that were reviewed. It is for tests only.
//
// What a tool list says is read by models: a changed word can change what they do. So the list is kept in files, a change
// shows as a diff, and it gets in only with -update and a commit that says why.
package toolsnap
