import { describe, expect, it } from "vitest";
import { type RunEffect, remove, write } from "../tool/index.ts";
import { createPolicy, FORBIDDEN_COMMANDS, type Mode, modes, type RuleSource, type Workspace } from "./index.ts";

const workspace: Workspace = {
  root: "/ws",
  startedIn: "/ws",
  cwd: "/ws",
  home: "/home/me",
  additional: ["/data"],
  platform: "linux",
};
const sh = (text: string, more: Partial<RunEffect> = {}): RunEffect => ({
  do: "run",
  basis: "proved",
  argv: text.split(" "),
  text,
  cwd: "/ws",
  opaque: true,
  ...more,
});
const rule = (behavior: RuleSource["behavior"], text: string): RuleSource => ({ behavior, origin: "cli", text });
const decide = (effect: RunEffect, rules: RuleSource[], mode: Mode = "default", platform = "linux", tool = "Bash") =>
  createPolicy({ workspace: { ...workspace, platform }, mode, rules }).decide({
    tool: { name: tool, origin: "builtin" },
    input: {},
    effects: [effect],
  });
const allows = (pattern: string, effect: RunEffect) => decide(effect, [rule("allow", pattern)]).decision === "allow";
const denies = (pattern: string, effect: RunEffect, platform?: string) =>
  decide(effect, [rule("deny", pattern)], "default", platform).decision === "deny";

describe("F29 command patterns", () => {
  it.each([
    ["Bash(npm test)", "npm test", true],
    ["Bash(npm test)", "npm test -- x", false],
    ["Bash(ls *)", "ls", true],
    ["Bash(ls *)", "ls -la", true],
    ["Bash(ls *)", "lsof", false],
    ["Bash(ls*)", "lsof", true],
    ["Bash(npm:*)", "npm run x", true],
    ["Bash(npm:*)", "npmx", false],
    ["Bash(git * main)", "git push origin main", true],
    ["Bash(git * main)", "git push origin mainly", false],
    ["Bash(* --version)", "node --version", true],
    ["Bash(*)", "anything at all", true],
    ["Bash(echo \\*)", "echo *", true],
    ["Bash(echo \\*)", "echo x", false],
    ["Bash(a:b *)", "a:b c", true],
    ["run(make *)", "make all", true],
    ["Bash(git  push\t*)", "git push x", true],
    ["Bash(git commit -m 'a  b')", "git commit -m 'a b'", false],
  ])("F29 %s means `%s`: %s", (pattern, command, expected) => {
    expect(allows(pattern, sh(command))).toBe(expected);
    expect(denies(pattern, sh(command))).toBe(expected);
  });

  it("F29 a rule against a shell with -c means what stands in its text, which is judged by itself", () => {
    const inside = sh("rm x", { wrappers: ["/bin/bash"] });
    for (const deny of [
      "Bash(bash -c *)",
      "Bash(bash -c:*)",
      "Bash(bash -lc *)",
      "Bash(bash *)",
      "Bash(/bin/bash -c *)",
    ])
      expect([deny, denies(deny, inside)]).toEqual([deny, true]);
    for (const deny of ["Bash(sh -c *)", "Bash(bash x.sh *)"])
      expect([deny, denies(deny, inside)]).toEqual([deny, false]);
    expect(denies("Bash(timeout -c *)", sh("rm x", { wrappers: ["timeout"] }))).toBe(false);
  });

  it("F29 an allow rule looks past known-safe assignments only, a deny rule past any", () => {
    const prefixed = (assign: string) => sh("npm test", { text: `${assign} npm test`, assigns: [assign] });
    for (const assign of ["NODE_ENV=test", "CI=1", "LC_ALL=C"])
      expect(allows("Bash(npm test *)", prefixed(assign))).toBe(true);
    for (const assign of ["NODE_OPTIONS=--require=./x", "PATH=.", "LD_PRELOAD=x", "npm_config_x=1", "CI"]) {
      expect(allows("Bash(npm test *)", prefixed(assign))).toBe(false);
      expect(allows("run(*)", prefixed(assign))).toBe(false);
      expect(denies("Bash(npm test *)", prefixed(assign))).toBe(true);
    }
    expect(allows("Bash(FOO=1 npm *)", prefixed("FOO=1"))).toBe(true);
  });

  it("F29 an allow rule looks past plain wrappers only, a deny rule past any", () => {
    const wrapped = (wrapper: string, prefix = wrapper) =>
      sh("npm test", { text: `${prefix} npm test`, wrappers: [wrapper] });
    for (const wrapper of ["timeout", "nice", "xargs"]) expect(allows("Bash(npm test *)", wrapped(wrapper))).toBe(true);
    for (const wrapper of ["env", "sh", "watch", "flock", "./timeout"]) {
      expect(allows("Bash(npm test *)", wrapped(wrapper))).toBe(false);
      expect(denies("Bash(npm test *)", wrapped(wrapper))).toBe(true);
      expect(denies(`Bash(${wrapper} *)`, wrapped(wrapper))).toBe(true);
    }
    expect(allows("Bash(npm test *)", sh("npm test", { wrappers: ["bash"] }))).toBe(false);
    expect(denies("Bash(timeout *)", sh("npm test", { wrappers: ["timeout"] }))).toBe(true);
    expect(allows("Bash(watch npm test)", wrapped("watch"))).toBe(true);
    expect(allows("Bash(watch *)", wrapped("watch"))).toBe(false);
    expect(allows("Bash(npm test *)", wrapped("xargs", "xargs -n 1"))).toBe(false);
    expect(allows("Bash(xargs *)", wrapped("xargs", "xargs -n 1"))).toBe(true);
  });

  it("F29 find that acts needs a rule without a wildcard", () => {
    const acting = sh("find . -name x -delete");
    expect(allows("Bash(find *)", acting)).toBe(false);
    expect(allows("Bash(find . -name x -delete)", acting)).toBe(true);
    expect(allows("Bash(find *)", sh("find . -name x"))).toBe(true);
    const started = sh("touch x", { text: "find . -exec touch x ;", wrappers: ["find"] });
    expect(allows("Bash(find *)", started)).toBe(false);
    expect(allows("Bash(touch *)", started)).toBe(false);
    expect(allows("Bash(find . -exec touch x ;)", started)).toBe(false);
  });

  it("F29 words are kept apart: quoting and folders neither hide a command nor fake one", () => {
    expect(denies("Bash(rm *)", sh("/bin/rm x"))).toBe(true);
    expect(denies("Bash(rm *)", sh("", { argv: ["rm", "x"], text: "r'm' x" }))).toBe(true);
    expect(denies("Bash(rm *)", sh("RM x"), "darwin")).toBe(true);
    expect(denies("Bash(rm *)", sh("RM x"))).toBe(false);
    expect(allows("Bash(rm *)", sh("./rm x"))).toBe(false);
    expect(allows("Bash(npm run *)", sh("", { argv: ["npm run x"], text: "'npm run x'" }))).toBe(false);
    expect(allows("Bash(rm a b)", sh("", { argv: ["rm", "a b"], text: "rm 'a b'" }))).toBe(false);
    expect(
      allows("Bash(git commit *)", sh("", { argv: ["git", "commit", "-m", "a b"], text: "git commit -m 'a b'" })),
    ).toBe(true);
  });

  it("F29 Bash(...) allows for Bash alone, run(...) for every tool, and PowerShell ignores case", () => {
    const as = (tool: string, pattern: string, text: string, language?: "powershell") =>
      decide(sh(text, language ? { language } : {}), [rule("allow", pattern)], "default", "linux", tool).decision;
    expect(as("REPL", "Bash(make *)", "make")).toBe("ask");
    expect(as("REPL", "run(make *)", "make")).toBe("allow");
    expect(as("PowerShell", "PowerShell(get-item *)", "Get-Item x", "powershell")).toBe("allow");
    expect(as("Bash", "PowerShell(get-item *)", "Get-Item x")).toBe("ask");
  });
});

describe("G05 forbidden commands", () => {
  it.each([
    sh("sudo ls"),
    sh("/usr/bin/sudo ls"),
    sh("ls", { wrappers: ["env", "sudo"] }),
    sh("sudo x", { wrappers: ["bash"] }),
    sh("env A=1 sudo x"),
    sh("timeout 5 sudo x"),
    sh("timeout -k 5 5 reboot"),
    sh("flock /tmp/l sudo x"),
    sh("watch -n 1 shutdown now"),
    sh("mkfs.ext4 /dev/sda"),
    sh("systemctl poweroff"),
    sh("init 0"),
    sh("sudo ls", { opaque: undefined, basis: "enforced" } as Partial<RunEffect>),
  ])("G05 $text is refused in every mode", (effect) => {
    for (const mode of modes) {
      const decision = decide(effect, [rule("allow", "Bash"), rule("ask", "Bash")], mode);
      expect(decision).toMatchObject({ decision: "deny", code: "forbidden_command" });
      expect(decision.reason).toMatch(/^Command is forbidden/);
    }
  });

  it.each([
    "grep sudo x",
    "man sudo",
    "xargs grep sudo",
    "timeout 5 grep sudo x",
    "systemctl status",
    "init 3",
    "subl",
    "sumo",
  ])("G05 %s is not", (text) => {
    expect(decide(sh(text), [rule("allow", "Bash")]).decision).toBe("allow");
  });

  it("G05 the list is an option, and names what it names", () => {
    expect(FORBIDDEN_COMMANDS).toEqual(expect.arrayContaining(["sudo", "shutdown", "reboot", "mkfs*"]));
    const own = createPolicy({ workspace, forbidden: ["git push"], mode: "bypassPermissions" });
    const answer = (text: string) =>
      own.decide({ tool: { name: "Bash", origin: "builtin" }, input: {}, effects: [sh(text)] }).decision;
    expect([answer("git push -f"), answer("git pull"), answer("sudo x")]).toEqual(["deny", "allow", "allow"]);
  });
});

describe("critical removals", () => {
  const bash = { name: "Bash", origin: "builtin" };
  const judge = (
    effects: Parameters<ReturnType<typeof createPolicy>["decide"]>[0]["effects"],
    mode: Mode = "bypassPermissions",
  ) =>
    createPolicy({ workspace, mode, rules: [rule("allow", "Bash"), rule("allow", "delete(//**)")] }).decide({
      tool: bash,
      input: {},
      effects,
    });

  it.each(["/", "/usr", "/home", "/home/me", "/ws", "/data"])(
    "asks before removing %s, even if a rule allows it",
    (path) => {
      for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const)
        expect(judge([remove(path, { tree: true })], mode)).toMatchObject({ decision: "ask", suggestions: [] });
      expect(judge([{ ...remove("/other/x"), as: path }]).decision).toBe("ask");
    },
  );

  it.each([
    "rm -rf /",
    "rm -rf /*",
    "rm -rf ~",
    "rm -rf ~/*",
    "rm -rf $HOME",
    "rm -rf $X/*",
    'rm -rf "$X"/*',
    `rm -rf $` + "{X}/",
    "rm -rf *",
    "rm -rf ..",
    "rm -r /data/*",
    "/bin/rm -r .",
    "find . -delete",
    "find / -mindepth 1 -delete",
  ])("asks before `%s` even where its operands were not read", (text) => {
    expect(judge([sh(text)])).toMatchObject({ decision: "ask" });
  });

  it("F12 a removal that every mode asks about is told as one, not as a protected path", () => {
    const { reason } = judge([sh("rm -rf /"), remove("/", { tree: true })], "default");
    expect(reason).toBe("Removing / cannot be undone, so it needs confirmation.");
    expect(judge([sh('rm -rf "$X"')]).reason).toContain("which could match everything");
    expect(judge([sh("rm -rf ")], "default").reason).not.toContain("Removing");
    expect(judge([sh("rm -rf $HOME")]).reason).toMatch(/^Removing \$HOME cannot be undone/);
  });

  it("F16 a command that starts another one says which", () => {
    const inner = sh("rm {}", { text: "find . -exec rm {} +", wrappers: ["find"] });
    expect(decide(inner, []).reason).toContain("`find . -exec rm {} +`, which starts `rm {}`");
    expect(decide(sh("npm t", { text: "time npm t", wrappers: ["time"] }), []).reason).toMatch(/`time npm t`\.$/);
  });

  it.each([
    "rm -rf build",
    "rm -rf ./build/*",
    "rm *.o",
    "rm $X/y",
    "find build -delete",
    "find . -name x -delete",
    "echo /",
  ])("lets `%s` pass", (text) => {
    expect(judge([sh(text)]).decision).toBe("allow");
    expect(judge([remove("/ws/build", { tree: true }), write("/ws/x")]).decision).toBe("allow");
  });
});
