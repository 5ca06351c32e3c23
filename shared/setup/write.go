package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mailgap/shared/config"
	"mailgap/shared/oauth"
)

const (
	modePrivate    = 0o600
	modePrivateDir = 0o700
	maxBackups     = 99
)

// errChanged: what was shown is not what would be changed.
var errChanged = errors.New("the file was changed by somebody else meanwhile; nothing was written; run setup again")

// write shows what would be written and writes it after a yes: secrets first, so that the settings never name what is not
// there.
func (d *dialog) write(ctx context.Context) error {
	if err := d.section(ctx); err != nil {
		return err
	}
	if err := d.place(ctx); err != nil {
		return err
	}
	text, err := d.file.extend(d.Program.Name, d.draft.top(), d.draft.name, d.draft.own(d.sending()))
	if err == nil {
		err = d.rehearse(text)
	}
	if err != nil {
		return d.byHandInstead(err)
	}
	d.con.printf("\nThis goes into %s:\n%s", d.File, diff(d.file.text, text))
	if !d.checked {
		d.con.printf("Note: the test did not pass with these settings.\n")
	}
	d.con.printf("%s\n", d.whereSecretsGo())
	if yes, err := d.con.yes(ctx, "Write this?", d.checked); err != nil || !yes {
		return errors.Join(err, endedUnless(err))
	}
	return d.commit(ctx, text)
}

// rehearse tries an extended file before the person is asked, so that a yes does not end in a refusal. A new file holds nothing but
// what was tried already.
func (d *dialog) rehearse(text string) error {
	if !d.file.there {
		return nil
	}
	temp, err := writeTemp(filepath.Dir(d.File), text, modePrivate)
	if err != nil {
		return err
	}
	return errors.Join(d.verify(temp), os.Remove(temp))
}

// verify says whether a file means what it should, and whether the program would start with it.
func (d *dialog) verify(temp string) error {
	after, err := d.file.verify(temp, d.draft.name)
	if err == nil {
		err = d.Validate(after)
	}
	if err != nil && !errors.Is(err, ErrFile) {
		err = fmt.Errorf("%w: %w", ErrFile, err)
	}
	return err
}

// byHandInstead shows what to write where the file cannot be extended.
func (d *dialog) byHandInstead(err error) error {
	above := ""
	if top := d.draft.top(); len(top) > 0 {
		above = "# above all sections\n" + toml(top) + "\n"
	}
	d.con.printf("\nThe file cannot be extended. This is what to add:\n\n%s[%s.%s]\n%s\n", above, d.Program.Spec.Section, d.draft.name, toml(d.draft.own(d.sending())))
	return err
}

// section names the new section: by itself for the first, else the person does.
func (d *dialog) section(ctx context.Context) error {
	name := suggestName(d.draft, d.file.names)
	if len(d.file.names) == 0 {
		d.draft.name = name
		return d.valid("the name " + name + " cannot be used")
	}
	_, err := d.con.askUntil(ctx, "\nName of this "+d.Program.Spec.Section+", in lower-case letters, digits and hyphens", name, func(s string) error {
		if slices.Contains(d.file.names, s) {
			return errors.New("the file has that one already")
		}
		if strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return errors.New("write lower-case letters, digits and hyphens only")
		}
		d.draft.name = s
		return d.valid("that name cannot be used")
	})
	return err
}

// suggestName takes the provider's name or the domain's, with a number if it is taken.
func suggestName(d draft, taken []string) string {
	name, _, _ := strings.Cut(strings.ToLower(d.preset.Name), " ")
	if name == "" {
		labels := strings.Split(d.domain, ".")
		name = labels[max(len(labels)-2, 0)]
		if len(labels) > 2 && len(name) <= 3 { // co.uk, com.au
			name = labels[len(labels)-3]
		}
	}
	name = strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name), "-")
	if name == "" {
		name = "mail"
	}
	for i, base := 2, name; slices.Contains(taken, name); i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	return name
}

// stage puts a password beside a sign-in: into the memory that commit moves to the key store.
func (d *dialog) stage(ctx context.Context) error {
	if d.draft.password.IsEmpty() {
		return nil
	}
	loaded, err := d.load(false)
	if err != nil {
		return err
	}
	return d.staged.Set(ctx, loaded.Default().Secret(d.Program.Spec.Prefix+"PASSWORD").Entry(), d.draft.password.Reveal())
}

// place decides where secrets go: the key store, or files where there is none. The secret of an OAuth client goes to a file.
func (d *dialog) place(ctx context.Context) error {
	if err := d.stage(ctx); err != nil {
		return err
	}
	d.draft.files = map[string]string{}
	dir := filepath.Join(filepath.Dir(d.File), "secrets")
	in := func(what string) string { return filepath.Join(dir, d.Program.Name+"-"+d.draft.name+"."+what) }
	if !d.draft.clientSecret.IsEmpty() {
		d.draft.files["oauth_client_secret_file"] = in("client-secret")
	}
	if d.staged.works(ctx, "probe") {
		return nil
	}
	if d.draft.oauth != "" {
		d.draft.files["oauth_file"] = in("sign-in")
	} else {
		d.draft.files["password_file"] = in("password")
	}
	return nil
}

// whereSecretsGo says it in a sentence.
func (d *dialog) whereSecretsGo() string {
	what := "password"
	if d.draft.oauth != "" {
		what = "sign-in"
	}
	if d.draft.files["password_file"] == "" && d.draft.files["oauth_file"] == "" {
		return "The " + what + " goes into the key store of this system, not into the file."
	}
	return "There is no key store in this session: the " + what + " goes into a file that you alone can read, beside the settings."
}

// commit writes secrets, then settings. What fails is taken back.
func (d *dialog) commit(ctx context.Context, text string) error {
	dir := filepath.Dir(d.File)
	if err := os.MkdirAll(dir, modePrivateDir); err != nil {
		return fmt.Errorf("the directory %s cannot be made", dir)
	}
	undo, err := d.keepSecrets(ctx)
	if err != nil {
		return errors.Join(err, undo())
	}
	backup, err := replace(d.File, d.file.text, text, d.file.there, d.verify)
	if err != nil {
		return errors.Join(err, undo())
	}
	d.con.printf("Written: %s\n", d.File)
	if backup != "" {
		d.con.printf("The file as it was: %s\n", backup)
	}
	return nil
}

// keepSecrets puts secrets where place decided. undo removes the files again.
func (d *dialog) keepSecrets(ctx context.Context) (undo func() error, err error) {
	var made []string
	undo = func() error {
		var errs []error
		for _, path := range made {
			errs = append(errs, os.Remove(path))
		}
		return errors.Join(errs...)
	}
	for key, path := range d.draft.files {
		secret := map[string]config.Secret{"password_file": d.draft.password, "oauth_client_secret_file": d.draft.clientSecret}[key]
		if key == "oauth_file" {
			grant, _ := d.staged.only()
			err = oauth.InFile(path).Save(ctx, grant)
		} else {
			err = writeSecret(path, secret)
		}
		if err != nil {
			return undo, err
		}
		made = append(made, path)
	}
	if d.draft.files["password_file"] != "" || d.draft.files["oauth_file"] != "" {
		return undo, nil
	}
	return undo, d.staged.commit(ctx, d.Store)
}

// writeSecret makes a file of mode 0600 that was not there.
func writeSecret(path string, secret config.Secret) error {
	if err := os.MkdirAll(filepath.Dir(path), modePrivateDir); err != nil {
		return errors.New("the directory for secrets cannot be made")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, modePrivate)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; remove it, and run setup again", path)
	}
	if err != nil {
		return errors.New("the file for the secret cannot be made")
	}
	_, err = f.WriteString(secret.Reveal() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(errors.New("the secret cannot be written"), os.Remove(path))
	}
	return nil
}

// replace puts text in place of a file that still is what it was, and keeps a copy of that. A new file has mode 0600, an old one
// keeps its mode, and a symbolic link stays one. check looks at the new file before it counts.
func replace(path, before, text string, there bool, check func(temp string) error) (backup string, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(modePrivate)
	now, err := os.ReadFile(path)
	if there == errors.Is(err, fs.ErrNotExist) || err != nil && there || string(now) != before {
		return "", errChanged
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := writeTemp(filepath.Dir(path), text, mode)
	if err != nil {
		return "", err
	}
	defer os.Remove(temp) // is gone after the rename
	if err := check(temp); err != nil {
		return "", err
	}
	if there {
		if backup, err = keepCopy(path, before, mode); err != nil {
			return "", err
		}
	}
	return backup, os.Rename(temp, path)
}

func writeTemp(dir, text string, mode fs.FileMode) (string, error) {
	f, err := os.CreateTemp(dir, ".mailgap-setup-*") // mode 0600
	if err != nil {
		return "", fmt.Errorf("nothing can be written to %s", dir)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("nothing can be written to %s", dir), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// keepCopy writes the old text beside the file, under a name that is not taken.
func keepCopy(path, text string, mode fs.FileMode) (string, error) {
	for i := 1; i <= maxBackups; i++ {
		name := path + ".bak"
		if i > 1 {
			name = fmt.Sprintf("%s.bak%d", path, i)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			break
		}
		_, err = f.WriteString(text)
		return name, errors.Join(err, f.Sync(), f.Close())
	}
	return "", fmt.Errorf("no copy of %s can be kept", filepath.Base(path))
}
