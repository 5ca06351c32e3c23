// Checks a directory that .ci/package made, with the tools of the formats' owners:
//
//   node .ci/package/check.mjs DIR REGISTRY_SCHEMA
//
// Modules come from MAILGAP_NODE_MODULES; the schema of the registry is the file that its own validator embeds.
import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [dir, registrySchema] = process.argv.slice(2);
const modules = process.env.MAILGAP_NODE_MODULES;
const require = createRequire(join(modules, "x.js"));
const Ajv = require("ajv").default;
const addFormats = require("ajv-formats").default;
const { Validation, Spec } = require("@cyclonedx/cyclonedx-library");

const names = readdirSync(dir);
const ending = (s) => names.filter((n) => n.endsWith(s));
let checked = 0;
const fail = (name, why) => {
  console.error(`${name}: ${typeof why === "string" ? why : JSON.stringify(why, null, 1)}`);
  process.exit(1);
};

for (const line of readFileSync(join(dir, "SHA256SUMS"), "utf8").trim().split("\n")) {
  const [sum, name] = line.split("  ");
  if (createHash("sha256").update(readFileSync(join(dir, name))).digest("hex") !== sum) fail(name, "not the octets of SHA256SUMS");
  checked++;
}
if (checked !== names.length - 1) fail("SHA256SUMS", "does not name every file");

for (const name of ending(".mcpb")) {
  const to = mkdtempSync(join(tmpdir(), "bundle"));
  try {
    const cli = join(modules, "@anthropic-ai/mcpb/dist/cli/cli.js");
    execFileSync(process.execPath, [cli, "unpack", join(dir, name), to], { stdio: "pipe" });
    execFileSync(process.execPath, [cli, "validate", join(to, "manifest.json")], { stdio: "pipe" });
    const manifest = JSON.parse(readFileSync(join(to, "manifest.json"), "utf8"));
    readFileSync(join(to, manifest.server.entry_point)); // is there
    for (const [key, o] of Object.entries(manifest.user_config))
      if (/password|token/.test(key) && !o.sensitive) fail(name, `${key} is not kept as a secret`);
  } catch (e) {
    fail(name, String(e.stdout ?? "") + String(e.stderr ?? e));
  } finally {
    rmSync(to, { recursive: true });
  }
  checked++;
}

for (const name of ending(".cdx.json")) {
  const errors = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(readFileSync(join(dir, name), "utf8"));
  if (errors !== null) fail(name, errors);
  checked++;
}

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
const valid = ajv.compile(JSON.parse(readFileSync(registrySchema, "utf8")));
for (const name of ending(".server.json")) {
  const doc = JSON.parse(readFileSync(join(dir, name), "utf8"));
  if (!valid(doc)) fail(name, valid.errors);
  for (const p of doc.packages) {
    const octets = readFileSync(join(dir, p.identifier.split("/").at(-1)));
    if (createHash("sha256").update(octets).digest("hex") !== p.fileSha256) fail(name, `${p.identifier}: another digest`);
  }
  checked++;
}
console.log(`${checked} files and entries hold`);
