package mcpserve

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// stillInterval is how often a client hears that a question is open. Clients that restart their timeout at progress give up
// after 60 s without, and a person takes longer to read.
const stillInterval = 15 * time.Second

// ask sends elicitation/create and waits for the answer, the end of the wait, of ctx or of the connection.
func (r *request) ask(ctx context.Context, a *Ask, still func(n int)) Answer {
	c := r.conn
	id, answers := c.openQuestion()
	defer c.closeQuestion(id)
	data, err := marshal(struct {
		JSONRPC string                `json:"jsonrpc"`
		ID      json.RawMessage       `json:"id"`
		Method  mcp.MCPMethod         `json:"method"`
		Params  mcp.ElicitationParams `json:"params"`
	}{"2.0", json.RawMessage(id), mcp.MethodElicitationCreate, a.params("question-" + id)})
	if err != nil {
		return Answer{Err: ErrCannotAsk}
	}
	r.w.write(data)
	return c.await(ctx, id, a.wait(), awaited{answers, still, r.w})
}

// awaited is an open question.
type awaited struct {
	answers <-chan Answer
	still   func(n int)
	w       *lineWriter
}

// await waits for the answer to the question id, and withdraws it if nobody waits any more.
func (c *conn) await(ctx context.Context, id string, wait time.Duration, q awaited) Answer {
	limit, tick := time.NewTimer(wait), time.NewTicker(stillInterval)
	defer limit.Stop()
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case answer := <-q.answers:
			return answer
		case <-ctx.Done():
			c.withdraw(q.w, id, "the call was cancelled")
			return Answer{Err: ErrAskCancelled}
		case <-limit.C:
			c.withdraw(q.w, id, "no answer in time")
			return Answer{Err: ErrAskTimeout}
		case <-c.gone:
			return lastAnswer(q.answers)
		case <-tick.C:
			q.still(n)
		}
	}
}

// lastAnswer returns an answer that was read before the end of the input, if there is one.
func lastAnswer(answers <-chan Answer) Answer {
	select {
	case answer := <-answers:
		return answer
	default:
		return Answer{Err: ErrConnectionEnded}
	}
}

// openQuestion numbers a question. Its ids are a space of their own: the client's requests have other ones.
func (c *conn) openQuestion() (id string, answers chan Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	id, answers = strconv.FormatInt(c.asked, 10), make(chan Answer, 1)
	c.questions[id] = answers
	return id, answers
}

func (c *conn) closeQuestion(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.questions, id)
}

// withdraw tells the client that nobody waits for the answer any more, so that it can take the dialog away.
func (c *conn) withdraw(w *lineWriter, id, reason string) {
	c.closeQuestion(id)
	data, err := marshal(struct {
		JSONRPC string         `json:"jsonrpc"`
		Method  string         `json:"method"`
		Params  withdrawParams `json:"params"`
	}{"2.0", "notifications/cancelled", withdrawParams{json.RawMessage(id), reason}})
	if err == nil && !w.tryWrite(data) { // a client that does not read must not hold up the "no"
		c.spawn(func() { w.write(data) })
	}
}

type withdrawParams struct {
	RequestID json.RawMessage `json:"requestId"`
	Reason    string          `json:"reason"`
}

// reply hands an answer to the question it belongs to. The first one counts; answers to questions that are closed or were
// never asked are dropped.
func (c *conn) reply(id json.RawMessage, a Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	answers := c.questions[string(id)]
	if answers == nil {
		c.log.Debug("reply to a question that is not open")
		return
	}
	delete(c.questions, string(id))
	answers <- a
}

// answerOf reads a reply: a result, or an error.
func (m *message) answerOf() Answer {
	if m.result == nil || m.failed {
		return Answer{Err: ErrClientError}
	}
	return readAnswer(m.result)
}
