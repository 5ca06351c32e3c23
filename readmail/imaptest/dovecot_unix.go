//go:build unix

package imaptest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// mailUser is who the server and the mail belong to: whoever runs the test, but nobody in place of root, which Dovecot
// refuses to serve mail as.
func mailUser() (u *user.User, group string, err error) {
	if os.Getuid() == 0 {
		u, err = user.Lookup("nobody")
	} else {
		u, err = user.Current()
	}
	if err != nil {
		return nil, "", err
	}
	g, err := user.LookupGroupId(u.Gid)
	if err != nil {
		return nil, "", err
	}
	return u, g.Name, nil
}

// asMailUser makes cmd run without privileges, in the directory of the server, with no environment of ours.
func (d *Dovecot) asMailUser(cmd *exec.Cmd) {
	cmd.Dir = d.dir
	cmd.Env = []string{"HOME=" + d.dir, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "TZ=UTC"}
	if uid, gid, ok := mailIDs(); ok && os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}

// inGroup makes cmd the first of a process group of its own; killGroup ends that group, children of children included.
func inGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

func killGroup(cmd *exec.Cmd) error {
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

func mailIDs() (uid, gid int, ok bool) {
	u, _, err := mailUser()
	if err != nil {
		return 0, 0, false
	}
	uid, err = strconv.Atoi(u.Uid)
	if err != nil {
		return 0, 0, false
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err == nil
}

// giveToMailUser changes the owner of everything in dir.
func giveToMailUser(dir string) error {
	uid, gid, ok := mailIDs()
	if !ok || os.Getuid() != 0 {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, gid)
	})
}
