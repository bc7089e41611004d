import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Effect, read, write } from "../tool/index.ts";
import { createPolicy, type Mode, modes, type RuleSource, type Workspace } from "./index.ts";
import "../../../../test/support/seed.ts";

const workspace: Workspace = {
  ...{ root: "/ws", startedIn: "/ws", cwd: "/ws", home: "/home/me", additional: [], platform: "linux" },
};
const rule = (behavior: RuleSource["behavior"], text: string): RuleSource => ({ behavior, origin: "cli", text });
const decided = (effect: Effect, rules: RuleSource[] = [], mode: Mode = "default", more: Partial<Workspace> = {}) =>
  createPolicy({ workspace: { ...workspace, ...more }, rules, mode, trusted: true }).decide({
    tool: { name: "Tool", origin: "builtin" },
    input: {},
    effects: [effect],
  }).decision;

const PUBLIC = [
  ...["/etc/os-release", "/usr/lib/os-release", "/etc/debian_version", "/etc/localtime", "/etc/services"],
  ...["/proc/cpuinfo", "/proc/meminfo", "/proc/loadavg", "/sys/devices/system/cpu/online", "/usr/bin", "/bin/ls"],
  ...["/usr/include/stdio.h", "/usr/share/doc/bash/README", "/usr/local/lib/node_modules/npm/package.json", "/lib64"],
];
const SOMEBODYS = [
  ...[
    "/etc",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hosts",
    "/etc/ssl/private/x",
    "/etc/os-release/x",
    "/etc/mysql/my.cnf",
  ],
  ...[
    "/proc",
    "/proc/1/environ",
    "/proc/self/maps",
    "/proc/kcore",
    "/proc/cmdline",
    "/proc/stat/x",
    "/sys",
    "/sys/class",
  ],
  ...[
    "/",
    "/usr",
    "/usr/local",
    "/usr/local/etc/x",
    "/usr/localbin",
    "/usr/sharex/a",
    "/var/lib/x",
    "/tmp/a",
    "/opt/a",
  ],
  ...["/home/me/a", "/root/.profile", "/run/secrets/x", "/dev/sda", "/boot/grub/grub.cfg", "/media/usr/bin/x"],
];

describe("the paths that everybody on such a machine may read", () => {
  it.each(PUBLIC)("G13 %s is read unasked, in every mode", (path) => {
    for (const mode of modes) expect([mode, decided(read(path), [], mode)]).toEqual([mode, "allow"]);
  });

  it.each(SOMEBODYS)("G13 %s is asked about", (path) => {
    for (const tree of [false, true]) expect(decided(read(path, { tree }))).toBe("ask");
    expect(decided(read(path), [], "dontAsk")).toBe("deny");
  });

  it("G13 a tree of it is as public as its files, but for what is private by its name", () => {
    expect(decided(read("/usr/include", { tree: true }))).toBe("allow");
    for (const path of ["/usr/lib/app/.env", "/usr/share/x/id_rsa", "/usr/local/share/.ssh/config", "/usr/lib/k.key"])
      expect([path, decided(read(path))]).toEqual([path, "ask"]);
  });

  it("G13 reading only: every change there is asked about as ever", () => {
    for (const path of PUBLIC)
      for (const change of ["create", "modify", "replace", "delete"] as const)
        for (const mode of ["default", "acceptEdits", "undoable"] as const)
          expect([path, mode, decided(write(path, change), [], mode)]).toEqual([path, mode, "ask"]);
  });

  it("G13 the real place counts, regardless of the name on the way to it; a private name asks all the same", () => {
    const at = (path: string, as: string) => decided({ ...read(path), as });
    expect(at("/usr/share/zoneinfo/UTC", "/etc/localtime")).toBe("allow");
    expect(at("/home/me/notes.txt", "/usr/share/doc/notes.txt")).toBe("ask");
    expect(at("/etc/shadow", "/usr/lib/shadow")).toBe("ask");
    expect(at("/usr/share/x", "/ws/.env")).toBe("ask");
  });

  it("G13 rules of the user win", () => {
    expect(decided(read("/usr/include/stdio.h"), [rule("deny", "Read(//usr/**)")])).toBe("deny");
    expect(decided(read("/proc/cpuinfo"), [rule("ask", "read(//proc/**)")])).toBe("ask");
    expect(decided(read("/etc/os-release"), [rule("deny", "Tool")])).toBe("deny");
  });

  it("G13 a home folder in such a place, or around it, is somebody's", () => {
    const athome = (home: string, path: string, tree = false) => decided(read(path, { tree }), [], "default", { home });
    expect(athome("/usr/share/tomcat", "/usr/share/tomcat/notes")).toBe("ask");
    expect(athome("/usr/share/tomcat", "/usr/share", true)).toBe("ask");
    expect(athome("/usr/share/tomcat", "/usr/share/doc/x")).toBe("allow");
    expect(athome("/", "/usr/share/doc/x")).toBe("ask");
    expect(decided(read("/usr/bin/x"), [], "default", { platform: "win32" })).toBe("ask");
  });

  it("G13 no way of writing a path leads from there to another place", () => {
    const part = fc.constantFrom("..", ".", "a", "etc", "shadow", "usr", "");
    const path = fc.tuple(fc.constantFrom(...PUBLIC), fc.array(part, { maxLength: 8 }));
    fc.assert(
      fc.property(path, ([start, parts]) => {
        const named = [start, ...parts].join("/");
        const real = posix.resolve(named);
        expect([named, decided(read(named))]).toEqual([named, decided(read(real))]);
      }),
      { numRuns: 500 },
    );
  });
});
