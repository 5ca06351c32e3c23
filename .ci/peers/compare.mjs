// Compares MCP mail servers on one mailbox: time, octets on the wire, and characters handed to the model, for the same three
// pieces of work: list the 50 newest messages, read one, search a word in subjects. Prints Markdown.
//
//	MAILBOX=127.0.0.1:14300 USER_NAME=bench PASSWORD=bench UID=N WORD=w node .ci/peers/compare.mjs SERVER...
//
// SERVER is imap-mcp=PATH, or the name of a package of .ci/peers/package.json in MAILGAP_NODE_MODULES. The servers speak
// plain IMAP to a proxy in this process, which counts; nothing leaves this machine. Median of RUNS (5), connection warm.
import { spawn } from "node:child_process";
import { createServer, connect } from "node:net";
import { createInterface } from "node:readline";
import { join } from "node:path";

const { MAILBOX = "127.0.0.1:14300", USER_NAME = "bench", PASSWORD = "bench", UID: uid = "1", WORD: word = "report", MAILGAP_NODE_MODULES: modules = "" } = process.env;
const RUNS = Number(process.env.RUNS ?? 5);
const [host, port] = MAILBOX.split(":");

let octets = 0; // from the server
const proxy = createServer((client) => {
  const server = connect(Number(port), host);
  client.setNoDelay(true);
  server.setNoDelay(true);
  client.on("error", () => server.destroy());
  server.on("error", () => client.destroy());
  server.on("data", (chunk) => (octets += chunk.length));
  client.pipe(server);
  server.pipe(client);
});
await new Promise((ready) => proxy.listen(0, "127.0.0.1", ready));
const own = String(proxy.address().port);

// What each server calls the three pieces of work.
function adapter(name) {
  const [kind, path] = name.split("=");
  switch (kind) {
    case "imap-mcp":
      return {
        kind, command: [path], env: { IMAP_HOST: "127.0.0.1", IMAP_PORT: own, IMAP_TLS: "none", IMAP_USER: USER_NAME, IMAP_PASSWORD: PASSWORD, IMAP_LEDGER: process.env.LEDGER ?? "true", IMAP_LEDGER_DIR: process.env.LEDGER_DIR ?? "/dev/null/none" },
        list: ["list_messages", { limit: 50 }], search: ["list_messages", { subject: word, limit: 50 }],
        read: (listed) => ["get_message", { ref: /imap:[^"\\ ]*?UID=/.exec(listed)[0] + uid }],
      };
    case "mcp-mail-server":
      return {
        kind, command: ["node", join(modules, "mcp-mail-server/dist/index.js")],
        env: { IMAP_HOST: "127.0.0.1", IMAP_PORT: own, IMAP_SECURE: "false", SMTP_HOST: "127.0.0.1", SMTP_PORT: "1", SMTP_SECURE: "false", EMAIL_USER: USER_NAME, EMAIL_PASS: PASSWORD },
        list: ["get_recent_messages", { limit: 50 }], search: ["search_by_subject", { subject: word, inboxOnly: true }],
        read: () => ["get_message", { uid: Number(uid) }],
      };
    case "@codefuturist/email-mcp":
      return {
        kind, command: ["node", join(modules, "@codefuturist/email-mcp/dist/main.js"), "stdio"],
        env: {
          MCP_EMAIL_ADDRESS: "bench@bench.test", MCP_EMAIL_USERNAME: USER_NAME, MCP_EMAIL_PASSWORD: PASSWORD, MCP_EMAIL_ACCOUNT_NAME: "default", MCP_EMAIL_IMAP_HOST: "127.0.0.1",
          MCP_EMAIL_IMAP_PORT: own, MCP_EMAIL_IMAP_TLS: "false", MCP_EMAIL_IMAP_VERIFY_SSL: "false" /* it insists on STARTTLS, and the certificate is a private one */, MCP_EMAIL_SMTP_HOST: "127.0.0.1", MCP_EMAIL_SMTP_PORT: "1",
        },
        list: ["list_emails", { account: "default", pageSize: 50 }], search: ["search_emails", { account: "default", query: word, pageSize: 50 }],
        read: () => ["get_email", { account: "default", emailId: uid }],
      };
  }
  throw new Error(`no such server: ${kind}`);
}

class Client {
  constructor(a) {
    this.child = spawn(a.command[0], a.command.slice(1), { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...a.env }, stdio: ["pipe", "pipe", process.env.DEBUG ? "inherit" : "ignore"] });
    this.waiting = new Map();
    this.next = 1;
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      let m;
      try {
        m = JSON.parse(line);
      } catch {
        return; // not every server keeps its standard output clean
      }
      this.waiting.get(m.id)?.(m);
    });
  }
  request(method, params) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${method} ${JSON.stringify(params).slice(0, 80)}`)), 120000);
      this.waiting.set(id, (m) => {
        clearTimeout(timer);
        resolve(m);
      });
      this.child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    });
  }
  async call([name, args]) {
    const before = octets;
    const began = process.hrtime.bigint();
    const m = await this.request("tools/call", { name, arguments: args });
    const ms = Number(process.hrtime.bigint() - began) / 1e6;
    if (m.error || m.result.isError) throw new Error(`${name}: ${JSON.stringify(m.error ?? m.result.content).slice(0, 200)}`);
    const text = m.result.content.filter((c) => c.type === "text").map((c) => c.text).join("");
    return { ms, octets: octets - before, characters: [...text].length, text: text + JSON.stringify(m.result.structuredContent ?? "") };
  }
}

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
const rows = [];
for (const name of process.argv.slice(2)) {
  const a = adapter(name);
  const c = new Client(a);
  try {
    await c.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "compare", version: "1" } });
    c.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const first = await c.call(a.list);
    const work = { "list 50": a.list, "read one": a.read(first.text), "search a subject": a.search };
    for (const [what, call] of Object.entries(work)) {
      try {
        const runs = [];
        for (let i = 0; i < RUNS; i++) runs.push(await c.call(call));
        rows.push([what, a.kind, median(runs.map((r) => r.ms)).toFixed(1), median(runs.map((r) => r.octets)), median(runs.map((r) => r.characters))]);
      } catch (e) {
        rows.push([what, a.kind, `failed: ${e.message.slice(0, 60)}`, "", ""]);
      }
    }
  } catch (e) {
    rows.push(["start", a.kind, `failed: ${e.message.slice(0, 100)}`, "", ""]);
  } finally {
    c.child.kill("SIGKILL");
  }
}
proxy.close();
console.log("| work | server | ms | octets received | characters for the model |\n|---|---|--:|--:|--:|");
for (const what of ["start", "list 50", "read one", "search a subject"]) for (const r of rows) if (r[0] === what) console.log(`| ${r.join(" | ")} |`);
process.exit(0);
