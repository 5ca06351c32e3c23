package chromium

import "fmt"

// Type types text into what has the focus.
func (t *Tab) Type(text string) error {
	for _, r := range text {
		down := map[string]any{"type": "keyDown", "key": string(r), "text": string(r)}
		if err := t.Call("Input.dispatchKeyEvent", down, nil); err != nil {
			return err
		}
		if err := t.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": string(r)}, nil); err != nil {
			return err
		}
	}
	return nil
}

// Press presses a key by its name: "Tab", "Enter" or "Space".
func (t *Tab) Press(key string) error {
	code := map[string]int{"Tab": 9, "Enter": 13, "Space": 32}[key]
	params := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code}
	if text := map[string]string{"Enter": "\r", "Space": " "}[key]; text != "" {
		params["text"] = text
	}
	if err := t.Call("Input.dispatchKeyEvent", params, nil); err != nil {
		return err
	}
	delete(params, "text")
	params["type"] = "keyUp"
	return t.Call("Input.dispatchKeyEvent", params, nil)
}

// Click clicks in the middle of the first element that a selector finds, after scrolling to it.
func (t *Tab) Click(selector string) error { return t.click(selector, "r.width/2", "r.height/2") }

// ClickAt clicks that many CSS pixels to the right of and below the upper left corner of an element.
func (t *Tab) ClickAt(selector string, right, below int) error {
	return t.click(selector, fmt.Sprint(right), fmt.Sprint(below))
}

func (t *Tab) click(selector, right, below string) error {
	var at struct{ X, Y float64 }
	find := fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center", behavior: "instant"});
		const r = e.getBoundingClientRect(); return {X: r.x + %s, Y: r.y + %s}; })()`, selector, right, below)
	if err := t.Eval(find, &at); err != nil {
		return err
	}
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		params := map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}
		if err := t.Call("Input.dispatchMouseEvent", params, nil); err != nil {
			return err
		}
	}
	return nil
}
