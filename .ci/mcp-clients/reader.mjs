// Talks to imap-mcp --demo through a TypeScript SDK client, as an agent would, and prints what it saw as one line of JSON.
//
//   MODULES=.../node_modules node reader.mjs legacy|auto|modern BINARY [ARG ...]
//
// legacy is the 1.x SDK (revisions up to 2025-11-25), auto and modern the 2.x client (2026-07-28 where offered, or pinned).
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const [mode, command, ...args] = process.argv.slice(2);
const require = createRequire(path.join(process.env.MODULES, "reader.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

async function connect() {
  const info = { name: "reader", version: "1" };
  if (mode === "legacy") {
    const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(info);
    await client.connect(new StdioClientTransport({ command, args }));
    return client;
  }
  const { Client } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  const negotiation = mode === "modern" ? { pin: "2026-07-28" } : "auto";
  const client = new Client(info, { versionNegotiation: { mode: negotiation } });
  await client.connect(new StdioClientTransport({ command, args }));
  return client;
}

const client = await connect();
const call = (name, a = {}) => client.callTool({ name, arguments: a });
const tools = (await client.listTools()).tools;
const list = await call("list_messages", { limit: 3 });
const ref = list.structuredContent.messages[0].ref;
const message = await call("get_message", { ref });
const wrong = await call("list_messages", { limti: 3 });
const templates = (await client.listResourceTemplates()).resourceTemplates;
const resource = await client.readResource({ uri: ref });

const abort = new AbortController();
const waiting = client
  .callTool({ name: "wait_for_message", arguments: { timeout_seconds: 60 } }, mode === "legacy" ? undefined : { signal: abort.signal }, { signal: abort.signal })
  .then(() => "answered", () => "aborted");
abort.abort();

console.log(JSON.stringify({
  tools: tools.map((t) => t.name),
  outputSchemas: tools.every((t) => t.outputSchema?.type === "object"),
  hints: tools.every((t) => t.annotations.readOnlyHint && !t.annotations.destructiveHint && t.annotations.idempotentHint && t.annotations.openWorldHint),
  messages: list.structuredContent.messages.length,
  text: message.content[0].text.slice(0, 4000),
  author: message.structuredContent.author.status,
  refused: wrong.isError === true && wrong.content[0].text,
  templates: templates.map((t) => t.uriTemplate),
  resource: resource.contents[0].text.length > 0,
  wait: await waiting,
}));
await client.close();
