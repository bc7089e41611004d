import { expect, it } from "vitest";
import { type Effect, read, run, unknown } from "../../../tool/index.ts";
import { createPolicy, type Mode, type Workspace } from "../../index.ts";

const workspace: Workspace = {
  ...{ root: "/ws", startedIn: "/ws", cwd: "/ws", home: "/home/me", additional: [] },
  platform: "linux",
};
const decide = (effects: Effect[], deny: string, mode: Mode = "default", tool = "Bash") =>
  createPolicy({
    workspace,
    mode,
    rules: [
      { behavior: "allow", origin: "cli", text: tool },
      { behavior: "deny", origin: "cli", text: deny },
    ],
  }).decide({ tool: { name: tool, origin: "builtin" }, input: {}, effects });
const started = (argv: readonly string[], deny = "Bash(rm *)", mode: Mode = "default") =>
  decide([run({ argv, text: argv.join(" "), cwd: "/ws", basis: "proved" })], deny, mode).decision;

it.each([
  [["npx", "rm", "a"]],
  [["uv", "run", "/bin/rm", "a"]],
  [["docker", "run", "--rm", "-it", "alpine", "rm", "-rf", "x"]],
  [["npm", "-f", "x", "rm", "a"]],
  [["docker", "--context", "far", "--debug", "compose", "run", "web", "rm", "a"]],
  [["hyperfine", "rm a"]],
  [["tmux", "new", "-d", "cd x && rm a"]],
  [["git", "-c", "alias.x=!rm a", "x"]],
  [["git", "rebase", "-x", "rm a", "main"]],
  [["perl", "-e", 'system("rm a")']],
  [["python3", "-c", "import os; os.system('rm a')"]],
  [["node", "-e", 'spawn("rm", ["a"])']],
  [["awk", 'BEGIN{system("rm a")}']],
  [["alias", "r=rm"]],
])("F12 %j is asked about where rm is denied, even if a rule allows it", (argv) => {
  expect([started(argv), started(argv, "run(rm *)"), started(argv, "Bash(rm *)", "bypassPermissions")]).toEqual(
    Array(3).fill("ask"),
  );
  expect(started(argv, "Bash(rm *)", "dontAsk")).toBe("deny");
});

it.each([
  [["make"]],
  [["./rm.sh"]],
  [["python3", "rm.py"]],
  [["npx", "eslint", "--rm"]],
  [["git", "commit", "-m", "rm a"]],
  [["docker", "run", "--rm", "alpine", "ls"]],
  [["npm", "--workspace=exec", "run", "build", "rm"]],
])("F12 %j is not asked about where rm is denied: it names it as data, or not at all", (argv) => {
  expect(started(argv)).toBe("allow");
});

it("F12 a shell that is fed what nobody sees could run the denied command; one that is typed to is judged as it goes", () => {
  const sh = run({ argv: ["sh"], text: "sh", cwd: "/ws", basis: "proved" });
  const echo = run({ argv: ["echo", "rm", "a"], text: "echo rm a", cwd: "/ws", basis: "proved", opaque: false });
  const get = run({ argv: ["wget", "-qO-", "x"], text: "wget -qO- x", cwd: "/ws", basis: "proved" });
  const asked = [[echo, sh], [get, sh], [read("/ws/f"), sh], [sh]].map(
    (effects) => decide(effects, "Bash(rm *)").decision,
  );
  expect(asked).toEqual(["ask", "ask", "ask", "allow"]);
});

it("F12 an exact rule means the exact command there, too", () => {
  expect(started(["npx", "make"], "Bash(make)")).toBe("ask");
  expect(started(["npx", "make", "x"], "Bash(make)")).toBe("allow");
});

it("F12 a program that is named only in the run could be the denied one; a rule about files does not make a question of it", () => {
  const unnamed = unknown("The script builds the name of a command at run time.");
  expect(decide([unnamed], "Bash(rm *)")).toMatchObject({
    decision: "ask",
    reason: expect.stringContaining('It could run something that the rule "Bash(rm *)" (cli rule) forbids'),
  });
  expect(decide([unnamed], "Bash(rm *)", "bypassPermissions").decision).toBe("ask");
  const evaluated = (text: string) => run({ argv: ["eval", text], text: `eval ${text}`, cwd: "/ws", basis: "proved" });
  const seen = (text: string) => decide([{ ...unnamed, commandsShown: true }, evaluated(text)], "Bash(rm *)").decision;
  expect(decide([unnamed, evaluated("echo fine")], "Bash(rm *)").decision).toBe("ask");
  expect([seen('"$X"'), seen("rm a"), seen("echo fine")]).toEqual(["ask", "ask", "allow"]);
  expect(decide([unnamed], "Read(x)").decision).toBe("allow");
  expect(decide([unnamed], "Bash(rm *)", "default", "Mine").decision).toBe("ask");
});

const GIT = "Bash(git push *)";

it.each([
  [["git", "$X"]],
  [["git", '"$(cat f)"', "origin"]],
  [["git", "pu$()sh"]],
  [["git", "pus[h]"]],
  [["/usr/bin/git", "p*"]],
  [["sh", "-c", '"$X"']],
  [["bash", "-lc", '"git $X"']],
])("F12 %j could be git push once its words are known, and is asked about where that is denied", (argv) => {
  expect([started(argv, GIT), started(argv, GIT, "bypassPermissions")]).toEqual(["ask", "ask"]);
  expect(started(argv, GIT, "dontAsk")).toBe("deny");
});

it.each([
  [["git", "checkout", "$X"], GIT],
  [["git", "log", "--format=*"], GIT],
  [["git", "pull$X"], GIT],
  [["git", "p*ll"], GIT],
  [["own", "$X"], "Bash(* --force)"],
  [["git", "$X", "origin"], "Bash(git push)"],
  [["npm", "$X"], GIT],
])("F12 %j could not be what %s spells out, and is not asked about", (argv, deny) => {
  expect(started(argv, deny)).toBe("allow");
});

it("F12 an argument that xargs appends to a command could be the denied word", () => {
  const fed = (argv: string[]): Effect => ({
    ...run({ argv, text: `xargs ${argv.join(" ")}`, cwd: "/ws", basis: "proved" }),
    wrappers: ["xargs"],
  });
  expect([decide([fed(["git"])], GIT).decision, decide([fed(["git", "add"])], GIT).decision]).toEqual(["ask", "allow"]);
});
