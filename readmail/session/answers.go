package session

import (
	"sync"

	"github.com/emersion/go-imap/v2/imapclient"
)

// answers are the FETCH commands of a connection whose answers have not been read to the end.
//
// Quirk: the library's reading goroutine waits until somebody takes the answers to a FETCH, also after the socket was closed.
// Whoever waits for another command at that moment would wait for ever. So each is read by one of two: by the one who sent
// it, or, after the connection was aborted, by drain.
type answers struct {
	mu   sync.Mutex
	list []*answer
}

// answer is one FETCH command. Whoever holds reading takes its answers.
type answer struct {
	all     *answers
	cmd     *imapclient.FetchCommand
	reading sync.Mutex
	thrown  bool // drain took answers; guarded by reading
}

func (a *answers) add(cmd *imapclient.FetchCommand) *answer {
	one := &answer{all: a, cmd: cmd}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, one)
	return one
}

// read claims the answers, calls fn for each, and returns how the command ended.
func (one *answer) read(fn func(*imapclient.FetchMessageData)) error {
	one.reading.Lock()
	defer one.all.remove(one)
	defer one.reading.Unlock()
	if one.thrown {
		return ErrConnLost // the command may have ended well, but its answers are gone
	}
	for m := one.cmd.Next(); m != nil; m = one.cmd.Next() {
		fn(m)
	}
	return one.cmd.Close()
}

func (a *answers) remove(one *answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, o := range a.list {
		if o == one {
			a.list = append(a.list[:i], a.list[i+1:]...)
			return
		}
	}
}

// drain throws away the answers that nobody is reading. It blocks until the library has noticed the end of the connection.
func (a *answers) drain() {
	a.mu.Lock()
	list := append([]*answer(nil), a.list...)
	a.mu.Unlock()
	for _, one := range list {
		if one.reading.TryLock() {
			one.thrown = true
			for one.cmd.Next() != nil {
			}
			one.reading.Unlock()
		}
	}
}
