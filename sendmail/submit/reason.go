package submit

// Reason is an enumerated explanation of a failure.
type Reason string

// The reasons. Before a connection:
const (
	ReasonConfig    Reason = "bad_configuration" // Config contradicts itself, or lacks credentials
	ReasonPlaintext Reason = "plaintext_refused" // plain text to another machine
	ReasonEnvelope  Reason = "bad_envelope"
	ReasonContent   Reason = "bad_content"
	ReasonPaused    Reason = "login_paused" // refused logins before; not tried again yet
)

// Connecting:
const (
	ReasonNoHost       Reason = "no_such_host"
	ReasonRefusedPort  Reason = "connection_refused"
	ReasonUnreachable  Reason = "unreachable"
	ReasonCertificate  Reason = "certificate"
	ReasonNoTLS        Reason = "tls_not_offered"
	ReasonWrongTLSMode Reason = "wrong_tls_mode"
	ReasonTLS          Reason = "tls_failed"
	ReasonInterference Reason = "interference"
	ReasonNotSMTP      Reason = "not_smtp"
	ReasonBusy         Reason = "server_busy" // 421, or a 4yz greeting
	ReasonTimeout      Reason = "timeout"
	ReasonConnLost     Reason = "connection_lost"
)

// Logging in:
const (
	ReasonLogin         Reason = "login_refused"
	ReasonLoginLater    Reason = "login_not_possible_now"
	ReasonNoLogin       Reason = "login_not_offered"
	ReasonLoginNeeded   Reason = "login_needed"
	ReasonAppPassword   Reason = "app_password_needed"
	ReasonBasicDisabled Reason = "basic_authentication_disabled"
	ReasonToken         Reason = "token_refused"
	ReasonEncryption    Reason = "encryption_needed"
	ReasonCredentials   Reason = "credentials_not_available" // the password or token could not be fetched
	ReasonFalseServer   Reason = "server_not_proven"         // SCRAM: the server could not show that it knows the password
)

// The message:
const (
	ReasonTooLarge    Reason = "too_large"
	ReasonNo8BitMIME  Reason = "needs_8bitmime"
	ReasonNoSMTPUTF8  Reason = "needs_smtputf8"
	ReasonSender      Reason = "sender_not_allowed"
	ReasonPolicy      Reason = "policy"
	ReasonRate        Reason = "rate_limit"
	ReasonGreylisted  Reason = "greylisted"
	ReasonTooMany     Reason = "too_many_recipients"
	ReasonRelay       Reason = "relaying_denied"
	ReasonNoMailbox   Reason = "no_such_mailbox"
	ReasonBadAddress  Reason = "bad_address"
	ReasonNoDomain    Reason = "no_such_domain"
	ReasonMailboxFull Reason = "mailbox_full"
	ReasonMailboxOff  Reason = "mailbox_disabled"
	ReasonStorage     Reason = "server_storage"
	ReasonTransient   Reason = "try_later" // 4yz without a better word
	ReasonPermanent   Reason = "refused"   // 5yz without a better word
	ReasonStopped     Reason = "stopped"   // Hooks.BeforeDot
	ReasonCancelled   Reason = "cancelled"
	ReasonUnknown     Reason = "outcome_unknown"
	ReasonOther       Reason = "other"
)
