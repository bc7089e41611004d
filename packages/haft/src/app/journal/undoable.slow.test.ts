import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, ApprovalRequest } from "@haft/core/approval";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { HaftOptions } from "../haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function fresh(options: HaftOptions & { readonly answer?: Answer } = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-undoable-")));
  folders.push(base);
  const cwd = join(base, "work");
  for (const folder of [cwd, join(base, "home")]) mkdirSync(folder);
  writeFileSync(join(cwd, "a.txt"), "one\n");
  writeFileSync(join(cwd, ".env"), "TOKEN=hunter2\n");
  const asked: ApprovalRequest[] = [];
  const { answer, ...rest } = options;
  const haft = await createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false, mode: "undoable" },
    ...(answer ? { ask: askWith(asked, answer) } : {}),
    ...rest,
  });
  const bash = async (command: string, more: object = {}) => {
    const result = await haft.call("Bash", { command, ...more });
    return { text: contentsText(result.content), error: result.error };
  };
  const python = (script: string, more?: object) => {
    writeFileSync(join(cwd, "job.py"), script);
    return bash("python3 job.py", more);
  };
  const text = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : undefined);
  return { base, cwd, haft, asked, bash, python, text };
}

const askWith = (asked: ApprovalRequest[], answer: Answer) => async (request: ApprovalRequest) => {
  asked.push(request);
  return answer;
};

const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("W06 mode undoable, with real commands", () => {
  it("W06 an undoable change runs unasked, and can be undone", { tags: ["smoke"] }, async () => {
    const { haft, asked, bash, python, text } = await fresh({ answer: { behavior: "deny" } });
    await haft.call("Read", { file_path: "a.txt" });
    await haft.call("Write", { file_path: "a.txt", content: "two\n" });
    await bash("sed -i s/two/three/ a.txt");
    await python('open("made.txt", "w").write("made")');
    expect([text("a.txt"), text("made.txt"), asked]).toEqual(["three\n", "made", []]);
    for (const _ of [1, 2, 3]) await haft.undo();
    expect([text("a.txt"), text("made.txt")]).toEqual(["one\n", undefined]);
    await haft[Symbol.asyncDispose]();
  });

  it("W06 git's ordinary work is free; a key of its configuration that runs something is asked about", async () => {
    const { cwd, haft, asked, bash } = await fresh({ answer: { behavior: "deny" } });
    const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
    git("init", "-q");
    git("config", "user.name", "a");
    git("config", "user.email", "a@example.com");
    await bash("git add a.txt && git commit -qm one && git checkout -qb b && git config user.name b && git tag t");
    expect([git("log", "--format=%s").trim(), git("config", "user.name").trim(), asked]).toEqual(["one", "b", []]);
    await bash("git config core.pager evil");
    expect(asked.map(({ why }) => why)).toEqual([expect.stringContaining(".git is protected")]);
    expect(git("config", "--list")).not.toContain("evil");
    await haft[Symbol.asyncDispose]();
  });

  it("W06 a file that runs by itself later is asked about with its diff, before any of it is real", async () => {
    const { haft, asked, python, text } = await fresh({ answer: { behavior: "allow" } });
    await python('open(".envrc", "w").write("export X=1\\n"); open("b.txt", "w").write("b\\n")');
    const [request] = asked;
    expect(asked).toHaveLength(1);
    expect(request?.why).toContain(".envrc is protected");
    expect(JSON.stringify(request?.show)).toContain("+export X=1");
    expect(request?.input).toMatchObject({ held: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    expect([text(".envrc"), text("b.txt")]).toEqual(["export X=1\n", "b\n"]);
    await haft[Symbol.asyncDispose]();
  });

  it("W06 a no throws all of it away; with nobody there it stays held until somebody applies it", async () => {
    const script = 'open("conftest.py", "w").write("x"); open("b.txt", "w").write("b\\n")';
    const refused = await fresh({ answer: { behavior: "deny", message: "not that" } });
    expect((await refused.python(script)).text).toMatch(/discarded.*not that/s);
    expect([refused.text("conftest.py"), refused.text("b.txt")]).toEqual([undefined, undefined]);
    await refused.haft[Symbol.asyncDispose]();
    const alone = await fresh();
    const left = await alone.python(script);
    expect(left.error?.code).toBe("needs_approval");
    expect(left.text).toMatch(/None of this is applied yet.*HeldChanges/s);
    expect([alone.text("conftest.py"), alone.text("b.txt")]).toEqual([undefined, undefined]);
    await alone.haft[Symbol.asyncDispose]();
  });

  it("W06 a manifest may gain a dependency, but no script that runs by itself", async () => {
    const { cwd, haft, asked, python } = await fresh({ answer: { behavior: "deny" } });
    writeFileSync(join(cwd, "package.json"), '{"name":"x"}');
    await python('open("package.json", "w").write(\'{"name":"x","dependencies":{"y":"1"},"scripts":{"test":"z"}}\')');
    expect(asked).toEqual([]);
    await python('open("package.json", "w").write(\'{"name":"x","scripts":{"postinstall":"z"}}\')');
    expect(asked).toHaveLength(1);
    await haft[Symbol.asyncDispose]();
  });

  it("W06 a command on hold has no network, sees nothing private and writes nowhere else", async () => {
    const { base, haft, python, text } = await fresh();
    const server = createServer((socket) => socket.end("in")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const said = await python(
      [
        "import socket",
        "def tell(name, act):",
        "    try: print(name, act())",
        "    except OSError as fault: print(name, 'no', fault.errno)",
        `tell('net', lambda: socket.create_connection(('127.0.0.1', ${port}), 2).recv(9))`,
        "tell('private', lambda: open('.env').read())",
        `tell('outside', lambda: open('${base}/home/x', 'w').write('x'))`,
        "tell('inside', lambda: open('in.txt', 'w').write('x'))",
      ].join("\n"),
    );
    server.close();
    expect(said.text).toMatch(/^net no \d+\nprivate no \d+\noutside no \d+\ninside 1$/);
    expect([existsSync(join(base, "home/x")), text("in.txt")]).toEqual([false, "x"]);
    await haft[Symbol.asyncDispose]();
  });

  it("W06 a link out of the workspace is asked about, one within is not", async () => {
    const { haft, asked, python } = await fresh({ answer: { behavior: "deny" } });
    await python('import os; os.symlink("a.txt", "near")');
    expect(asked).toEqual([]);
    await python('import os; os.symlink("/etc/hosts", "far")');
    expect(asked[0]?.why).toContain("outside the workspace");
    await haft[Symbol.asyncDispose]();
  });

  it.each([
    ["a link out of the workspace", 'os.symlink("/etc/hosts", "big/in/odd")', "outside the workspace"],
    ["a pipe", 'os.mkfifo("big/in/odd")', "is a pipe"],
  ])("W06 among thousands of new files %s is asked about as it is alone", async (_, odd, why) => {
    const { cwd, haft, asked, python } = await fresh({ answer: { behavior: "deny" } });
    const many = 'import os; os.makedirs("big/in"); [open(f"big/{i}", "w").close() for i in range(5100)]';
    await python(`${many}; ${odd}`);
    expect(asked[0]?.why).toContain(why);
    expect(existsSync(join(cwd, "big"))).toBe(false);
    await python(many);
    expect([asked.length, existsSync(join(cwd, "big/5099"))]).toEqual([1, true]);
    await haft[Symbol.asyncDispose]();
  });

  it("W06 deny rules hold in the view too, and over what it left", async () => {
    const rules = { deny: ["write(/locked/**)"] };
    const { cwd, haft, python } = await fresh({ rules, answer: { behavior: "allow" } });
    mkdirSync(join(cwd, "locked"));
    await python('import os; os.rename("locked", "x") if False else open("locked/a", "w").write("x")');
    expect(existsSync(join(cwd, "locked/a"))).toBe(false);
    await haft[Symbol.asyncDispose]();
  });

  it("W06 background work on source files and private reads are asked about, and nothing of them happens on a no", async () => {
    const { haft, asked, bash, text } = await fresh({ answer: { behavior: "deny" } });
    await bash("touch late", { run_in_background: true });
    await bash("cat .env");
    await haft.call("Read", { file_path: ".env" });
    expect(asked).toHaveLength(3);
    expect(text("late")).toBeUndefined();
    await haft[Symbol.asyncDispose]();
  });

  it("W06 git stores a tracked private file once a person has let it be read, and asks nothing for other files", async () => {
    const { cwd, haft, asked, bash } = await fresh({ answer: { behavior: "allow" } });
    const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
    git("init", "-q");
    git("add", "-f", ".env");
    writeFileSync(join(cwd, "b.txt"), "new\n");
    expect((await bash("git add b.txt")).error).toBeUndefined();
    expect(asked).toHaveLength(0);
    expect((await bash("git add -A")).error).toBeUndefined();
    expect(asked.map(({ why }) => why)).toEqual([expect.stringContaining(".env: it is private")]);
    expect(git("status", "--short")).toBe("A  .env\nA  a.txt\nA  b.txt\n");
    await haft[Symbol.asyncDispose]();
  });

  it("W06 a file with a name outside the workspace is not changed unasked", async () => {
    const { base, cwd, haft, asked, python } = await fresh({ answer: { behavior: "deny" } });
    writeFileSync(join(base, "theirs"), "old");
    utimesSync(join(base, "theirs"), 1_000_000, 1_000_000);
    linkSync(join(base, "theirs"), join(cwd, "shared"));
    await python('open("shared", "r+").write("new")');
    expect(asked[0]?.why).toContain("hard links outside the workspace");
    expect(readFileSync(join(base, "theirs"), "utf8")).toBe("old");
    await haft[Symbol.asyncDispose]();
  });

  it("W06 without a journal the mode is refused at the start, never weakened", async () => {
    await expect(fresh({ journal: false })).rejects.toThrow("Mode undoable needs views or copies");
    await expect(fresh({ env: { HAFT_JOURNAL: "off" } })).rejects.toThrow("the journal is off");
  });
});
