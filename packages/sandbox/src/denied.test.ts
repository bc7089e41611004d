import { effects, type RunOutcome } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deniedBy } from "./denied.ts";
import { type Fence, isHarmlessConfig } from "./index.ts";

const fence: Fence = {
  ...{ sealed: [], anchored: ["/w/.git"], writable: ["/w"], fresh: ["/tmp"], network: "none", weaknesses: [] },
  ...{ temporary: "/tmp", processes: "own", emptied: ["/h"], aliases: [] },
  readOnly: ["/proc/sys", "/w/.npmrc", "/w/.git/config"],
  hidden: [
    { path: "/w/.env", isFolder: false },
    { path: "/h/.ssh", isFolder: true },
    { path: "/proc/keys", isFolder: false },
  ],
};
const said = (stderr: string, exitCode = 1): RunOutcome => ({
  ...{ exitCode, stderr, stdout: "", output: stderr, timedOut: false, cancelled: false, durationMs: 1, left: false },
});

const nothing = { cwd: "/w", appeared: [] };

describe("the accesses that the fence refused", () => {
  it.each([
    ["bash: line 1: out/x: Read-only file system", effects.write("/w/out/x", "modify")],
    ["Error: EROFS: read-only file system, open '/usr/x'", effects.write("/usr/x", "modify")],
    ["OSError: [Errno 30] Read-only file system: '/usr/y'", effects.write("/usr/y", "modify")],
    ["cat: .env: Permission denied", effects.read("/w/.env")],
    ["curl: (6) Could not resolve host: example.com", effects.connect("example.com")],
    ["npm error getaddrinfo EAI_AGAIN packages.example", effects.connect("packages.example")],
  ])("G15 %j tells exactly what is missing", (text, effect) => {
    expect(deniedBy(fence, said(text), nothing)?.missing).toEqual([effect]);
  });

  it("G15 a missing file is no missing network", () => {
    const text = "FileNotFoundError: [Errno 2] No such file or directory: '/w/a'";
    expect(deniedBy(fence, said(text), nothing)).toBeUndefined();
  });

  it("G15 a host that the proxy turned away is missing by host and port", () => {
    const turnedAway = new Map([["example.org:443", "example.org:443 was not granted."]]);
    const { text, missing } = deniedBy(fence, said("curl: (56) CONNECT tunnel failed"), { ...nothing, turnedAway })!;
    expect([text.includes("example.org:443"), missing]).toEqual([true, [effects.connect("example.org:443")]]);
  });

  it.each([
    ["bash: line 1: .npmrc: Read-only file system", "/w/.npmrc is read-only"],
    ["error: could not write config file .git/config: Device or resource busy", "does not let /w/.git/config be moved"],
    ["mv: cannot move '.git' to 'x': Device or resource busy", "does not let /w/.git be moved"],
    ["touch: cannot touch '/usr/x': Read-only file system", "/usr/x is read-only"],
    ["sed: Read-only file system", "refused a write"],
    ["cat: .env: Permission denied", "hides /w/.env"],
    ["ls: cannot open directory '/h/.ssh': Permission denied", "hides /h/.ssh"],
    ["curl: (6) Could not resolve host: example.com", "no network"],
    ["Error: getaddrinfo EAI_AGAIN packages.example", "no network"],
  ])("G15 %j is told with its cure", (text, expected) => {
    const denied = deniedBy(fence, said(text), nothing)?.text;
    expect(denied).toContain(expected);
    expect(denied).toMatch(/[Aa]sk for a/);
  });

  it.each(["", "keys: Permission denied", "make: *** [all] Error 2", "ssh: Permission denied (publickey)"])(
    "G15 %j is the program's own trouble",
    (text) => expect(deniedBy(fence, said(text), nothing)).toBeUndefined(),
  );

  it("G15 a program that succeeded was refused nothing", () => {
    expect(deniedBy(fence, said("cat: .env: Permission denied", 0), nothing)).toBeUndefined();
  });

  it("G17 a file that was moved away, or could not be removed, is named even then", () => {
    const appeared = [{ path: "/w/.envrc", movedTo: "/q/.envrc" }, { path: "/w/.husky" }];
    const denied = deniedBy(fence, said("", 0), { cwd: "/w", appeared });
    expect(denied?.text).toMatch(/\/w\/\.envrc.*moved to \/q\/\.envrc.*\/w\/\.husky.*could not be removed/);
  });
});

describe("a git configuration that a command made", () => {
  const fresh = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";
  const clone = `${fresh}[remote "origin"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n`;
  it.each([fresh, clone, "# a comment\n\n"])("G17 is harmless as git makes it", (text) => {
    expect(isHarmlessConfig(text)).toBe(true);
  });

  it.each([
    "[core]\n\tfsmonitor = ./x",
    "[core]\n\thooksPath = h",
    "[core] fsmonitor = ./x",
    "[CORE]\n\tFsMonitor = ./x",
    "[core]\n\tsshCommand = x",
    "[alias]\n\tst = !x",
    "[include]\n\tpath = x",
    '[includeIf "gitdir:x"]\n\tpath = x',
    '[filter "x"]\n\tclean = x',
    '[submodule "x"]\n\tupdate = !x',
    '[remote "o"]\n\turl = ext::sh -c x',
    '[remote "o"]\n\tuploadpack = x',
    '[remote "o"]\n\turl = "ext::x"',
    "[core]\n\tbare = false \\\n[core]\n",
    "[core]\n\tbare\n",
    "\tfsmonitor = x",
    "?",
  ])("G17 is not when it runs, includes or hides something: %j", (text) => {
    expect(isHarmlessConfig(`${fresh}${text}`)).toBe(false);
  });

  it("G17 no line that was added makes a harmful one harmless", () => {
    const lines = fc.array(fc.constantFrom("[core]", "\tbare = false", "# x", '[branch "m"]', "\tremote = o", ""));
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(isHarmlessConfig([...before, "[core]", "\tfsmonitor = x", ...after].join("\n"))).toBe(false);
      }),
    );
  });
});
