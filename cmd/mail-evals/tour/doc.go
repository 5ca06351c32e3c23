// Package tour lets a newcomer watch one attack fail and one answer leave, in the terminal, with the real programs and servers
// that live on loopback for as long as the tour does.
//
// What it refuses: to pretend. Each line that it shows of a server is what that server answered, and the message at the end is
// what the mail server accepted.
//
// Security: the text of the poisoned message is shown with every character that a terminal would act on made visible.
//
// Read [Run] first.
package tour
