// Measures how long a stdio MCP server takes from its start to the answer to initialize, and how much memory it holds after
// a second of rest. Prints one row per server: median of RUNS.
//
//	node start.mjs NAME=COMMAND [NAME=COMMAND ...]      (a command is split at spaces)
//
// The environment is passed on: set the account variables that the other servers want; nothing connects before a call.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const RUNS = Number(process.env.RUNS ?? 9);
const request = JSON.stringify({
  jsonrpc: "2.0", id: 1, method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "start", version: "1" } },
}) + "\n";

function once(command) {
  const [file, ...args] = command.split(" ");
  return new Promise((resolve, reject) => {
    const began = process.hrtime.bigint();
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => { child.kill("SIGKILL"); reject(new Error(`no answer: ${command}`)); }, 30000);
    let text = "";
    child.on("error", reject);
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (!text.includes('"protocolVersion"')) return;
      child.stdout.removeAllListeners("data");
      child.stdout.resume();
      clearTimeout(timer);
      const ms = Number(process.hrtime.bigint() - began) / 1e6;
      setTimeout(() => {
        const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
        const kB = Number(/VmRSS:\s+(\d+)/.exec(status)[1]);
        child.kill("SIGKILL");
        resolve({ ms, MB: kB / 1024 });
      }, 1000);
    });
    child.stdin.write(request);
  });
}

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

console.log("| server | start to initialize, ms | resident after 1 s, MB |\n|---|--:|--:|");
for (const arg of process.argv.slice(2)) {
  const [name, command] = [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)];
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await once(command));
  console.log(`| ${name} | ${median(runs.map((r) => r.ms)).toFixed(0)} | ${median(runs.map((r) => r.MB)).toFixed(0)} |`);
}
