package mcpserve

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// ask sends elicitation/create and waits for the answer, the end of wait, the end of ctx or the end of the connection.
func (c *conn) ask(ctx context.Context, a *Ask) Answer {
	id, answers := c.openQuestion()
	defer c.closeQuestion(id)
	data, err := marshal(struct {
		JSONRPC string                `json:"jsonrpc"`
		ID      json.RawMessage       `json:"id"`
		Method  mcp.MCPMethod         `json:"method"`
		Params  mcp.ElicitationParams `json:"params"`
	}{"2.0", json.RawMessage(id), mcp.MethodElicitationCreate, a.Form.params()})
	if err != nil {
		return Answer{Err: ErrCannotAsk}
	}
	c.w.write(data)
	limit := time.NewTimer(a.wait())
	defer limit.Stop()
	select {
	case answer := <-answers:
		return answer
	case <-ctx.Done():
		c.withdraw(id, "the call was cancelled")
		return Answer{Err: ErrAskCancelled}
	case <-limit.C:
		c.withdraw(id, "no answer in time")
		return Answer{Err: ErrAskTimeout}
	case <-c.gone:
	}
	select {
	case answer := <-answers: // it was read before the end of the input
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
func (c *conn) withdraw(id, reason string) {
	c.closeQuestion(id)
	data, err := marshal(struct {
		JSONRPC string         `json:"jsonrpc"`
		Method  string         `json:"method"`
		Params  withdrawParams `json:"params"`
	}{"2.0", "notifications/cancelled", withdrawParams{json.RawMessage(id), reason}})
	if err == nil {
		c.w.tryWrite(data)
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
