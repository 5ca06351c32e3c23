package session

import "mailgap/readmail/wire"

// repairWord names a repair for Message.Repairs.
func repairWord(k wire.RepairKind) string {
	words := map[wire.RepairKind]string{
		wire.RepairUnstructured:       "structure-dropped",
		wire.RepairUnknownPart:        "part-unknown",
		wire.RepairChildlessMultipart: "multipart-childless",
		wire.RepairNilString:          "nil-string",
		wire.RepairParameterList:      "parameter-list",
		wire.RepairQuoting:            "quoting",
		wire.RepairShortMessage:       "message-short",
		wire.RepairBodyField:          "body-field",
		wire.RepairInternalDate:       "internaldate-dropped",
		wire.RepairFetchItem:          "item-dropped",
		wire.RepairMessageDropped:     "message-dropped",
		wire.RepairOversized:          "oversized",
		wire.RepairPartialIgnored:     "range-ignored",
		wire.RepairLiteralCut:         "literal-cut",
		wire.RepairBareNewline:        "line-break",
		wire.RepairDepth:              "depth",
		wire.RepairFlag:               "flag-dropped",
	}
	if w := words[k]; w != "" {
		return w
	}
	return "other"
}
