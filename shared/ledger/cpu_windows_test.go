package ledger_test

import "time"

func processTime() time.Duration { return 0 }
