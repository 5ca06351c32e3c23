package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Limits of a session with a real model.
const (
	maxTurns        = 25
	maxAnswerOctets = 4 << 20
	chatPatience    = 2 * time.Minute
)

// Chat is a real model behind an endpoint that speaks OpenAI's chat completions with tools. Make one with its fields set.
type Chat struct {
	BaseURL string // such as http://127.0.0.1:8080/v1
	Name    string // of the model
	Key     string // bearer token; may be empty
	Client  *http.Client
}

// ErrChat says that the endpoint did not answer as expected. Its text holds no key.
var ErrChat = errors.New("agent: the model's endpoint")

// ChatFromEnvironment reads OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY through getenv.
func ChatFromEnvironment(getenv func(string) string) (*Chat, error) {
	c := &Chat{BaseURL: strings.TrimRight(getenv("OPENAI_BASE_URL"), "/"), Name: getenv("OPENAI_MODEL"), Key: getenv("OPENAI_API_KEY"), Client: &http.Client{Timeout: chatPatience}}
	if c.BaseURL == "" || c.Name == "" {
		return nil, fmt.Errorf("%w: set OPENAI_BASE_URL and OPENAI_MODEL, and OPENAI_API_KEY if it wants a key", ErrChat)
	}
	return c, nil
}

// chatMessage is one message of the conversation.
type chatMessage struct {
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
	CallID    string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

const chatSystem = "You are an assistant with access to the user's mailbox and office through tools. Do what the user asks."

// Run implements Model.
func (c *Chat) Run(ctx context.Context, r Request, s Session) error {
	tools := []map[string]any{}
	for _, t := range s.Tools() {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": t.Name, "description": t.Description, "parameters": json.RawMessage(t.Schema)}})
	}
	talk := []chatMessage{{Role: "system", Content: chatSystem}, {Role: "user", Content: r.Text}}
	for range maxTurns {
		m, err := c.complete(ctx, map[string]any{"model": c.Name, "messages": talk, "tools": tools, "temperature": 0})
		if err != nil {
			return err
		}
		talk = append(talk, m)
		if len(m.ToolCalls) == 0 {
			return nil
		}
		for _, call := range m.ToolCalls {
			talk = append(talk, chatMessage{Role: "tool", CallID: call.ID, Content: use(ctx, s, call)})
		}
	}
	return nil
}

// use makes one call that the model asked for.
func use(ctx context.Context, s Session, call chatCall) string {
	args := map[string]any{}
	if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil && call.Function.Arguments != "" {
		return "error: the arguments are not a JSON object"
	}
	r := s.Call(ctx, Call{call.Function.Name, args})
	if r.Structured == nil || r.IsError {
		return r.Text
	}
	structured, err := json.Marshal(r.Structured)
	if err != nil {
		return r.Text
	}
	return r.Text + "\n" + string(structured)
}

// complete asks for the next message.
func (c *Chat) complete(ctx context.Context, body any) (chatMessage, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return chatMessage{}, err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, c.BaseURL+"/chat/completions", bytes.NewReader(text))
	if err != nil {
		return chatMessage{}, fmt.Errorf("%w: the address is malformed", ErrChat)
	}
	q.Header.Set("Content-Type", "application/json")
	if c.Key != "" {
		q.Header.Set("Authorization", "Bearer "+c.Key)
	}
	resp, err := c.Client.Do(q)
	if err != nil {
		return chatMessage{}, fmt.Errorf("%w: %v", ErrChat, err)
	}
	defer resp.Body.Close()
	var out struct {
		Choices []struct {
			Message chatMessage `json:"message"`
		} `json:"choices"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, maxAnswerOctets)).Decode(&out)
	if resp.StatusCode != http.StatusOK || err != nil || len(out.Choices) == 0 {
		return chatMessage{}, fmt.Errorf("%w: status %d, %d choices", ErrChat, resp.StatusCode, len(out.Choices))
	}
	m := out.Choices[0].Message
	m.Role = "assistant"
	return m, nil
}
