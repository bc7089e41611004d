import { setTimeout } from "node:timers/promises";

const ms = (time) => `${Math.max(1, Math.round(time))} ms`;
const bash = (command) => ["Bash", { command }];

async function readsTogether(stage) {
  stage.title("Calls without conflicts run at the same time");
  await using haft = await stage.open();
  // An agent gets ready for commands while its model thinks.
  haft.prepare();
  await setTimeout(400);
  const outcomes = await stage.run(haft, [
    ["Read", { file_path: "src/parse-amount.js" }],
    ["Read", { file_path: "test/receipt.test.js" }],
    ["Grep", { pattern: "parseAmount", output_mode: "content" }],
    bash("git log --oneline"),
  ]);
  const starts = outcomes.map(({ startedAt }) => startedAt);
  for (const outcome of outcomes) stage.row(outcome, ms(outcome.durationMs));
  stage.note(`all began within ${ms(Math.max(...starts) - Math.min(...starts))}; read-only calls run without asking`);
  stage.expect(
    outcomes.every(({ status }) => status === "ok"),
    "a read failed",
  );
}

async function editByItsDiff(stage) {
  stage.title("An edit asks first, and shows its diff");
  await using haft = await stage.open({ ask: stage.ask, rules: { allow: ["Bash(node --test)"] } });
  const [before] = await stage.run(haft, [bash("node --test")]);
  stage.row(before, testsOf(before));
  const passage = { old_string: 'text.trim().replace(",", "")', new_string: 'text.trim().replaceAll(",", "")' };
  const [edit] = await stage.run(haft, [["Edit", { file_path: "src/parse-amount.js", ...passage }]]);
  stage.row(edit, edit.status === "ok" ? ms(edit.durationMs) : "refused by you");
  const [after] = await stage.run(haft, [bash("node --test")]);
  stage.row(after, testsOf(after));
  const isRefused = edit.status === "denied" && stage.isTerminal;
  stage.expect(before.result.output.exitCode === 1, "the tests were not red before");
  stage.expect(isRefused || after.result.output.exitCode === 0, "the tests are not green");
}

function testsOf({ result }) {
  const count = (word) => Number(new RegExp(`${word} (\\d+)`).exec(result.output.output)?.[1] ?? 0);
  return count("fail") > 0 ? `${count("fail")} of ${count("tests")} tests fails` : `all ${count("tests")} tests pass`;
}

async function ruleByEffect(stage) {
  stage.title("One rule covers every tool: deny write(.git/**)");
  await using haft = await stage.open({ mode: "bypassPermissions", rules: { deny: ["write(.git/**)"] } });
  const outcomes = await stage.run(haft, [
    bash("echo 'node --test' > .git/hooks/pre-commit"),
    ["Write", { file_path: ".git/hooks/pre-commit", content: "node --test\n" }],
    bash("cp package.json .git/config"),
  ]);
  for (const outcome of outcomes) stage.row(outcome, "refused by the rule");
  stage.expect(
    outcomes.every(({ result }) => result.error?.code === "denied_by_rule"),
    "the rule did not hold",
  );
}

async function planOnlyReads(stage) {
  stage.title("Plan mode reads with the shell and writes nothing");
  await using haft = await stage.open({ mode: "plan" });
  const [look, write] = await stage.run(haft, [bash("git status --short"), bash("git status --short > status.txt")]);
  stage.row(look, "allowed");
  stage.row(write, "refused by the mode");
  stage.expect(look.status === "ok" && write.result.error?.code === "denied_by_mode", "mode plan did not hold");
}

async function undoOfShell(stage) {
  stage.title("Mode undoable does not ask, and one undo restores every byte");
  const haft = await stage.open({ mode: "undoable" }).catch((problem) => problem);
  if (haft instanceof Error) return withoutViews(stage, haft);
  await using session = haft;
  const before = stage.treeHash();
  stage.note(`tree ${before.hash}, ${before.files} files`);
  const [careless] = await stage.run(session, [bash("sed -i 's/a/o/g' *.* */*.js && rm -r src")]);
  stage.row(careless, careless.status === "ok" && !careless.approval ? "not asked" : "failed");
  const damaged = stage.treeHash();
  stage.note(`tree ${damaged.hash}, ${damaged.files} files`);
  const undone = await session.undo();
  stage.undone();
  stage.say(
    `   ${stage.ink(36, "↶")} ${"undo".padEnd(48)} ${stage.ink(2, `${undone.changed.length} paths taken back`)}`,
  );
  const after = stage.treeHash();
  const isBack = after.hash === before.hash;
  stage.note(`tree ${after.hash}, ${after.files} files${isBack ? ": as it was" : ""}`);
  stage.expect(careless.status === "ok" && damaged.hash !== before.hash, "the careless command changed nothing");
  stage.expect(isBack, "undo did not bring everything back");
}

/** Views need Linux with bubblewrap. Edits can be undone everywhere. */
async function withoutViews(stage, problem) {
  stage.note(`not on this machine: ${problem.message.split("\n")[0]}`);
  await using haft = await stage.open({ mode: "acceptEdits" });
  const before = stage.treeHash();
  const [write] = await stage.run(haft, [["Write", { file_path: "notes.md", content: "careless\n" }]]);
  stage.row(write, "undone on any machine");
  await haft.undo();
  stage.undone();
  const isBack = stage.treeHash().hash === before.hash;
  stage.note(`undo: tree ${before.hash}${isBack ? ", as it was" : " is not back"}`);
  stage.expect(isBack, "undo did not bring everything back");
}

/** The steps, in their order. */
export const steps = [readsTogether, editByItsDiff, ruleByEffect, planOnlyReads, undoOfShell];
