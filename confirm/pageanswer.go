package confirm

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
)

// Names and values of the form. The page has no other.
const (
	fieldToken  = "token"
	fieldDigest = "digest"
	fieldAnswer = "answer"
	fieldDomain = "domain" // with a number from 1 on
	fieldFactor = "factor" // what the device answers, where one is needed

	answerNone = "none" // Enter in a text field: decides nothing
	answerSend = "send"
	answerNo   = "no"
	answerLock = "lock"
)

// serveOpen takes the capability, once, and leads to the message. The address that was handed over is worth nothing from then
// on, and the one that is shown in the browser was never anywhere else, so it can be loaded again.
func (s *sheet) serveOpen(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	first := !s.used
	s.used = true
	if !first {
		// Security: two have the address, and one of them may not be the person. Nobody can tell which.
		s.endLocked(OpenedTwice)
	}
	reason := s.reason
	s.mu.Unlock()
	if reason != "" {
		s.renderEnd(w, reason)
		return
	}
	w.Header().Set("Location", messagePath+s.message)
	w.WriteHeader(http.StatusSeeOther)
}

// serveMessage shows the message, or how the question ended. It changes nothing but the time from which reading counts.
func (s *sheet) serveMessage(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	if s.shown.IsZero() {
		s.shown = s.o.Now()
	}
	reason := s.reason
	s.mu.Unlock()
	if reason != "" {
		s.renderEnd(w, reason)
		return
	}
	s.renderMessage(w, http.StatusOK, formReply{})
}

// serveAnswer reads the form and ends the question, or asks again.
func (s *sheet) serveAnswer(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err != nil {
		s.refuse(w, &refused{http.StatusBadRequest, "form"})
		return
	}
	again := s.decide(form)
	if a := s.answer(); s.over() {
		s.renderEnd(w, a.Reason())
		return
	}
	s.renderMessage(w, http.StatusUnprocessableEntity, again)
}

// readForm reads a body of the one type that the page sends.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(only(r, "Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" || r.ContentLength < 0 || r.ContentLength > maxFormOctets {
		return nil, fmt.Errorf("not the form: %v", err)
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFormOctets)
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	return r.PostForm, nil
}

// formReply is what a form was answered with that did not end the question.
type formReply struct {
	Notice  Sentence
	Domains []string // as typed
	Wrong   []bool   // which of them
}

// decide takes one form. Forms are taken one at a time, and the first that ends the question counts: see endLocked.
func (s *sheet) decide(form url.Values) formReply {
	s.mu.Lock()
	defer s.mu.Unlock()
	typed := s.d.Question.TypedDomains()
	switch {
	case !s.d.Expires.After(s.o.Now()):
		s.endLocked(Expired)
		return formReply{}
	case !s.genuine(form, len(typed)):
		return s.mistake(formReply{Notice: Say("That was not the form of this page. Nothing has been decided. Please look at the message and choose again.")})
	}
	switch form.Get(fieldAnswer) {
	case answerNo:
		s.endLocked(DoNotSend)
	case answerLock:
		s.endLocked(DeclinedAndLock)
	case answerSend:
		if s.enroller != nil {
			return s.enrol(form)
		}
		return s.send(form, typed)
	default:
		return s.keep(form, typed, Say("Nothing has been decided yet. Please choose one of the buttons below."))
	}
	return formReply{}
}

// send is a yes, if everything that goes with one is there.
func (s *sheet) send(form url.Values, typed []Recipient) formReply {
	if s.o.Now().Sub(s.shown) < readTime || s.shown.IsZero() {
		return s.keep(form, typed, Say("That came sooner than anyone can read. Nothing has been decided. Please look at the message and choose again."))
	}
	again, wrong := s.keep(form, typed, Say("Nothing was sent: what was typed is not the domain of the recipient. Please compare it letter by letter.")), false
	for i, r := range typed {
		if !r.Typed(again.Domains[i]) {
			again.Wrong[i], wrong = true, true
		}
	}
	if wrong {
		return s.mistake(again)
	}
	if s.proof != nil && !s.proven(form) {
		again.Notice = Say("Nothing was sent: your device did not confirm this message.")
		return s.mistake(again)
	}
	s.endLocked(Approved)
	return formReply{}
}

// proven takes what the device answers, once. After a no there is another challenge.
func (s *sheet) proven(form url.Values) bool {
	err := s.proof.Finish([]byte(form.Get(fieldFactor)))
	if err == nil {
		return true
	}
	if s.newProof() != nil {
		s.endLocked(AskFailed)
	}
	return false
}

// enrol takes the confirmation of an enrolled device, and then the new one.
func (s *sheet) enrol(form url.Values) formReply {
	if !s.proven(form) {
		return s.mistake(formReply{Notice: Say("Nothing was enrolled: your device did not confirm.")})
	}
	if s.create {
		s.endLocked(Approved)
		return formReply{}
	}
	s.create = true
	if s.newProof() != nil {
		s.endLocked(AskFailed)
	}
	return formReply{Notice: Say("Your device confirmed. Now the new one.")}
}

// keep is a formReply that keeps what was typed.
func (s *sheet) keep(form url.Values, typed []Recipient, notice Sentence) formReply {
	again := formReply{Notice: notice, Wrong: make([]bool, len(typed))}
	for i := range typed {
		again.Domains = append(again.Domains, form.Get(domainField(i)))
	}
	return again
}

func domainField(i int) string { return fmt.Sprintf("%s%d", fieldDomain, i+1) }

// mistake counts a form that is not what was asked for.
func (s *sheet) mistake(again formReply) formReply {
	if s.wrong++; s.wrong >= maxWrong {
		s.endLocked(WrongForms)
	}
	return again
}

// genuine says whether the form is the one of this page about this message: each field once, none besides.
func (s *sheet) genuine(form url.Values, domains int) bool {
	known := map[string]bool{fieldToken: true, fieldDigest: true, fieldAnswer: true}
	for i := range domains {
		known[domainField(i)] = true
	}
	known[fieldFactor] = s.proof != nil
	for name, values := range form {
		if !known[name] || len(values) != 1 {
			return false
		}
	}
	return same(form.Get(fieldToken), s.token) && same(form.Get(fieldDigest), s.digest)
}

func (s *sheet) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason != ""
}
