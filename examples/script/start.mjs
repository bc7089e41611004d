/**
 * A script that calls tools, without a model: its third call asks, and the host ends while it waits. `haft approvals` answers
 * from another process. A new host goes on with the script. It ends well only if each call had its effect once.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHaft } from "haft";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-script-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const [cwd, home, stateDir] = ["work", "home", "state"].map((name) => join(scratch, name));
for (const folder of [cwd, home]) mkdirSync(folder);

const open = () =>
  createHaft({
    ...{ cwd, home, stateDir, env: {}, session: "s1", ask: "host", onNotice: () => {} },
    ...{ settings: { gates: { repl: true } }, settingsFiles: false, rules: { allow: ["Edit(/drafts/**)"] } },
  });

const CODE = `
for (const name of ["a", "b"]) await tools.Write({ file_path: \`drafts/\${name}.txt\`, content: \`\${name} \${Date.now()}\` });
const texts = await Promise.all(["a", "b"].map((name) => tools.Read({ file_path: \`drafts/\${name}.txt\` })));
await tools.Write({ file_path: "all.txt", content: String(texts.length) });
console.log("done");
`;

/** The command line in a process of its own. */
function haft(...args) {
  const source = process.execArgv.includes("--conditions=haft-source");
  const cli = new URL(
    source ? "../../packages/haft/src/cli/main.ts" : "../../packages/haft/bin/haft.mjs",
    import.meta.url,
  );
  const env = { ...process.env, HOME: home, HAFT_STATE_DIR: stateDir };
  const all = [...process.execArgv, fileURLToPath(cli), ...args];
  return spawnSync(process.execPath, all, { cwd: home, env, encoding: "utf8" }).stdout;
}

let ok = true;
function check(is, what) {
  ok &&= is;
  console.log(`${is ? "✓" : "✗"} ${what}`);
}

const first = await open();
const parked = first.call("REPL", { code: CODE });
while (first.pending().length === 0) await new Promise((next) => setTimeout(next, 20));
const [question] = first.pending();
await first[Symbol.asyncDispose]();
await parked;
const draft = readFileSync(join(cwd, "drafts/a.txt"), "utf8");
check(question.title === "Write all.txt" && !existsSync(join(cwd, "all.txt")), `parked: ${question.title}`);

haft("approvals", "allow", question.id);
check(!existsSync(join(cwd, "all.txt")), "answered from another process, and nothing runs by itself");

const second = await open();
const { content } = await second.call("REPL", { code: "", resume: true });
check(content[0].text.startsWith("done\n[4 of 5 results"), "resumed: the known results were not asked for again");
check(readFileSync(join(cwd, "all.txt"), "utf8") === "2", "the approved call ran");
check(readFileSync(join(cwd, "drafts/a.txt"), "utf8") === draft, "the first call was not repeated");
await second[Symbol.asyncDispose]();
process.exitCode = ok ? 0 : 1;
