package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const helperEnv = "MAILGAP_CLI_TEST_READ"

// TestMain is also the program that asks.
func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) == "" {
		os.Exit(m.Run())
	}
	secret, err := ReadSecret(context.Background(), "Password: ")
	fmt.Println(len(secret), strings.ToUpper(secret), err)
}

// A secret is read from the terminal, not from standard input, and the terminal does not show it.
func TestReadSecretWithoutEcho(t *testing.T) {
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	defer person.Close()
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	cmd.ExtraFiles = []*os.File{tty}
	cmd.Stdin = strings.NewReader("from standard input\n")
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	shown := make([]byte, 0, 4096)
	for !bytes.HasSuffix(shown, []byte("Password: ")) {
		shown = read(t, person, shown)
	}
	for echoes(t, person) { // it is switched off right after the prompt
		runtime.Gosched()
	}
	if _, err := person.WriteString("sEcReT\n"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || out.String() != "6 SECRET <nil>\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if shown = read(t, person, shown); strings.Contains(string(shown), "sEcReT") {
		t.Errorf("the terminal shows %q", shown)
	}
}

// read reads what there is; the end of the other side counts as nothing.
func read(t *testing.T, f *os.File, sofar []byte) []byte {
	t.Helper()
	buf := make([]byte, 1024)
	n, err := f.Read(buf)
	if err != nil && n == 0 {
		return sofar
	}
	return append(sofar, buf[:n]...)
}

// echoes says whether the terminal shows what is typed.
func echoes(t *testing.T, f *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}
