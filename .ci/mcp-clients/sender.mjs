// Proposes messages to smtp-mcp through a TypeScript SDK client, answers each question as told, and prints what came of each
// as one line of JSON. The settings of smtp-mcp are the SMTP_ variables of this process.
//
//   MODULES=.../node_modules node sender.mjs legacy|auto|modern BINARY ANSWER ...
//
// ANSWER is accept, refuse (the other choice), decline, cancel, empty or wrong (accepted with another content), fail (the client
// cannot show it), leave (the call is given up while the question is open), never (nobody answers), late (accepted after 16 s), or mute (the client does not
// declare that it can ask; it must come alone). Progress notes are printed too. The n-th message, from 0, has the subject "n ANSWER".
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const [mode, command, ...answers] = process.argv.slice(2);
const require = createRequire(path.join(process.env.MODULES, "sender.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("SMTP_") || name === "PATH" || name === "HOME"));
const info = { name: "sender", version: "1" };
const capabilities = answers.includes("mute") ? {} : { elicitation: { form: {} } };

async function connect(handler) {
  const asks = !answers.includes("mute");
  if (mode === "legacy") {
    const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
    const { ElicitRequestSchema } = await load("@modelcontextprotocol/sdk/types.js");
    const client = new Client(info, { capabilities });
    if (asks) client.setRequestHandler(ElicitRequestSchema, handler);
    await client.connect(new StdioClientTransport({ command, args: [], env }));
    return client;
  }
  const { Client } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  const negotiation = mode === "modern" ? { pin: "2026-07-28" } : "auto";
  const client = new Client(info, { capabilities, versionNegotiation: { mode: negotiation } });
  if (asks) client.setRequestHandler("elicitation/create", handler);
  await client.connect(new StdioClientTransport({ command, args: [], env }));
  return client;
}

let current;
const never = new Promise(() => {});

function answer(request) {
  current.questions.push(request.params.message);
  const choices = request.params.requestedSchema.properties.decision.enum;
  switch (current.answer) {
    case "accept":
      return { action: "accept", content: { decision: choices[1] } };
    case "refuse":
      return { action: "accept", content: { decision: choices[0] } };
    case "decline":
    case "cancel":
      return { action: current.answer };
    case "empty":
      return { action: "accept", content: {} };
    case "wrong":
      return { action: "accept", content: { decision: true, approve: "yes" } };
    case "late":
      return new Promise((resolve) => setTimeout(resolve, 16_000)).then(() => ({ action: "accept", content: { decision: choices[1] } }));
    case "fail":
      throw new Error("this client has no window");
    case "leave":
      current.abort.abort();
      return never;
    default:
      return never;
  }
}

const client = await connect((request) => answer(request));
const results = [];
for (const [i, what] of answers.entries()) {
  current = { answer: what, questions: [], abort: new AbortController() };
  const notes = [];
  const options = { signal: current.abort.signal, timeout: 60_000, resetTimeoutOnProgress: true, onprogress: (p) => notes.push(p.message) };
  // The 2.x client waits for its own handler whatever the signal says.
  const givenUp = new Promise((_, reject) => current.abort.signal.addEventListener("abort", () => reject(new Error("given up"))));
  const params = { name: "send_mail", arguments: { to: ["friend@example.com"], subject: `${i} ${what}`, text: "Hi." } };
  const r = { answer: what };
  try {
    const call = mode === "legacy" ? client.callTool(params, undefined, options) : client.callTool(params, options);
    const result = await Promise.race([call, givenUp]);
    Object.assign(r, { isError: result.isError === true, text: result.content[0].text, sent: result.structuredContent?.sent === true, approved: result.structuredContent?.approved_by });
  } catch (error) {
    r.failed = String(error);
  }
  results.push({ ...r, questions: current.questions, notes });
}
console.log(JSON.stringify(results));
await client.close();
