package desk

type core struct{}
