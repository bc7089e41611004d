import { describe, expect, it } from "vitest";
import { type Effect, isWithin, read, remove, run, write } from "../tool/index.ts";
import { PROTECTED_FOLDERS } from "./guard/starters.ts";
import { createPolicy, isPrivatePath, type Mode, PROTECTED_FILES, type RuleSource, type Workspace } from "./index.ts";

const workspace: Workspace = {
  root: "/ws",
  startedIn: "/ws/sub",
  cwd: "/ws/sub",
  home: "/home/me",
  additional: [],
  platform: "linux",
};
const rule = (behavior: RuleSource["behavior"], text: string, more: Partial<RuleSource> = {}): RuleSource => ({
  behavior,
  origin: "cli",
  text,
  ...more,
});
const judge = (effects: Effect[], rules: RuleSource[] = [], mode: Mode = "default", more: Partial<Workspace> = {}) =>
  createPolicy({ workspace: { ...workspace, ...more }, rules, mode, trusted: true }).decide({
    tool: { name: "Tool", origin: "builtin" },
    input: {},
    effects,
  });
const denied = (pattern: string, path: string, more: Partial<RuleSource> = {}) =>
  judge([read(path)], [rule("deny", pattern, more)]).decision === "deny";
const allowed = (pattern: string, path: string, more: Partial<RuleSource> = {}) =>
  judge([write(path)], [rule("allow", pattern, more)]).decision === "allow";

describe("F29 anchors", () => {
  it.each<[string, string, Partial<RuleSource>]>([
    ["//etc/x", "/etc/x", {}],
    ["~/.ssh/**", "/home/me/.ssh/id", {}],
    ["/a", "/ws/a", { origin: "project" }],
    ["/a", "/ws/sub/a", { origin: "local" }],
    ["/a", "/ws/sub/a", { origin: "session" }],
    ["/a", "/ws/sub/a", { origin: "cli" }],
    ["/a", "/opt/conf/a", { origin: "cli", file: "/opt/conf/haft.json" }],
    ["/a", "/home/me/.claude/a", { origin: "user" }],
    ["/a", "/home/me/.config/haft/a", { origin: "user" }],
    ["/a", "/home/me/.x/a", { origin: "user", file: "/home/me/.x/settings.json" }],
    ["a/b", "/ws/sub/a/b", { origin: "project" }],
    ["./a", "/ws/sub/a", {}],
  ])("F29 %s reaches %s (%o)", (pattern, path, more) => {
    expect(denied(`Read(${pattern})`, path, more)).toBe(true);
    expect(denied(`Read(${pattern})`, `/elsewhere${path}`, more)).toBe(false);
  });

  it("F29 a pattern never looks above its anchor", () => {
    expect(denied("Read(.env)", "/ws/.env")).toBe(false);
    expect(denied("Read(.env)", "/ws/sub/deep/.env")).toBe(true);
    expect(denied("Read(//**/.env)", "/ws/.env")).toBe(true);
    expect(denied("Read(/a)", "/ws/sub/a", { origin: "project" })).toBe(false);
  });

  it("F29 a folder of one segment: any depth where it stops, the current folder where it allows", () => {
    expect(denied("Read(secrets/**)", "/ws/sub/x/secrets/k")).toBe(true);
    expect(denied("Read(secrets/**)", "/ws/sub/secrets/k")).toBe(true);
    expect(allowed("Edit(docs/**)", "/ws/sub/docs/a")).toBe(true);
    expect(allowed("Edit(docs/**)", "/ws/sub/x/docs/a")).toBe(false);
    expect(denied("Read(a/secrets/**)", "/ws/sub/x/a/secrets/k")).toBe(false);
  });

  it("F29 a wildcard stays in its segment where it allows; a folder stands for its content", () => {
    expect(allowed("Edit(src/*)", "/ws/sub/src/a.ts")).toBe(true);
    expect(allowed("Edit(src/*)", "/ws/sub/src/x/a.ts")).toBe(false);
    expect(denied("Read(src/*)", "/ws/sub/src/x/a.ts")).toBe(true);
    expect(allowed("Edit(docs)", "/ws/sub/docs/a")).toBe(true);
    expect(allowed("Edit(//ws/**/*.md)", "/ws/a/b.md")).toBe(true);
  });

  it("F29 whole segments count: a folder is not the prefix of another's name", () => {
    expect(denied("Read(//ws/a/**)", "/ws/ab/x")).toBe(false);
    expect(judge([read("/ws-evil/x")]).decision).toBe("ask");
  });

  it("F29 a rule that stops means an accented name in either of its forms, one that allows the form that it has", () => {
    const [composed, apart] = ["caf\u00e9", "cafe\u0301"];
    for (const [inRule, inPath] of [
      [composed, apart],
      [apart, composed],
    ]) {
      expect(denied(`Read(${inRule}.txt)`, `/ws/sub/${inPath}.txt`)).toBe(true);
      expect(denied(`Read(/${inRule}/**)`, `/ws/sub/${inPath}/x`, { origin: "local" })).toBe(true);
      expect(allowed(`Edit(${inRule}.txt)`, `/ws/sub/${inPath}.txt`)).toBe(false);
    }
    expect(allowed(`Edit(${apart}.txt)`, `/ws/sub/${apart}.txt`)).toBe(true);
  });

  it("F29 case counts where the platform's file systems count it", () => {
    const on = (platform: string) =>
      judge([read("/ws/sub/NOTES")], [rule("deny", "Read(notes)")], "default", { platform }).decision;
    expect([on("linux"), on("darwin"), on("win32")]).toEqual(["allow", "deny", "deny"]);
    const stream = judge([read("/c/ws/.env::$DATA")], [rule("deny", "Read(C:\\ws\\.env)")], "default", {
      platform: "win32",
    });
    expect(stream.decision).toBe("deny");
  });
});

describe("F29 a path and the name by which it was reached", () => {
  const linked: Effect = { ...read("/data/real"), as: "/ws/sub/link" };

  it("F29 deny and ask hit by either", () => {
    for (const path of ["//data/real", "//ws/sub/link"]) {
      expect(judge([linked], [rule("deny", `Read(${path})`)]).decision).toBe("deny");
      expect(judge([linked], [rule("ask", `Read(${path})`)]).decision).toBe("ask");
    }
  });

  it("F29 allow needs both, and the mode looks at the real place", () => {
    const rules = [rule("allow", "Read(//data/**)"), rule("allow", "Read(//ws/**)")];
    expect(judge([linked], [rules[0]!]).decision).toBe("ask");
    expect(judge([linked], [rules[1]!]).decision).toBe("ask");
    expect(judge([linked], rules).decision).toBe("allow");
    expect(judge([{ ...read("/ws/a"), as: "/tmp/ws/a" }]).decision).toBe("allow");
  });
});

describe("F29 trees", () => {
  const tree = (basis: Effect["basis"], path = "/ws"): Effect => ({ ...read(path, { tree: true }), basis });

  it("F29 a rule for the whole tree decides", () => {
    expect(judge([tree("enforced", "/ws/sub/secrets")], [rule("deny", "Read(secrets/**)")]).decision).toBe("deny");
    expect(judge([tree("enforced", "/ws/sub/secrets/in")], [rule("deny", "Read(secrets/**)")]).decision).toBe("deny");
    expect(judge([tree("enforced", "/ws/sub")], [rule("ask", "Read(//**)")]).decision).toBe("ask");
  });

  it("F29 a rule for a part is cut out of an enforced bound", () => {
    const decision = judge([tree("enforced")], [rule("deny", "Read(secrets/**)"), rule("ask", "Read(//ws/**/*.pem)")]);
    expect(decision.decision).toBe("allow");
    const isHole = (path: string) => decision.grant.holes.some((hole) => hole.do === "read" && hole.matches(path));
    expect(["/ws/sub/x/secrets/k", "/ws/a/b.pem"].map(isHole)).toEqual([true, true]);
    expect(["/ws/secrets/k", "/ws/sub/secret", "/ws/b.pe"].map(isHole)).toEqual([false, false, false]);
  });

  it("F29 nothing can be cut out of a bound that nobody holds, so it asks and names the rule", () => {
    const decision = judge([tree("proved")], [rule("deny", "Read(secrets/**)")]);
    expect(decision).toMatchObject({ decision: "ask", rule: { rule: "Read(secrets/**)" }, suggestions: [] });
    expect(decision.reason).toContain("could touch");
  });

  const kept = (effects: readonly Effect[], ...rules: readonly RuleSource[]) =>
    createPolicy({ workspace, rules, keepsReaders: (folder, { root }) => isWithin(root, folder) }).decide({
      ...{ tool: { name: "Bash", origin: "builtin" }, input: {}, effects },
    });
  const cat: Effect = { ...run({ argv: ["cat"], text: "cat", cwd: "/ws", opaque: false }), basis: "proved" };
  const RULES = [rule("deny", "Read(secrets/**)"), rule("ask", "Read(//ws/**/*.pem)")];

  it("F29 a fence that hides closed files lets a proved reader through without them", () => {
    const decision = kept([cat, tree("proved")], ...RULES);
    expect(decision.decision).toBe("allow");
    const isHole = (path: string) => decision.grant.holes.some((hole) => hole.do === "read" && hole.matches(path));
    expect(["/ws/sub/secrets/k", "/ws/a/b.pem", "/ws/a/b.ts"].map(isHole)).toEqual([true, true, false]);
    const notes = decision.trace.filter(({ outcome }) => outcome === "pass").map(({ note }) => note);
    expect(notes.join()).toMatch(/Files that the rule "Read\(secrets\/\*\*\)".* forbids are left out of .*\/ws/);
  });

  it("F29 a file that is named besides is judged by its name, and no longer left out", () => {
    const { decision, grant, rule: by } = kept([cat, tree("proved"), read("/ws/sub/a.pem")], ...RULES);
    expect([decision, by?.rule]).toEqual(["ask", "Read(//ws/**/*.pem)"]);
    expect(["/ws/sub/a.pem", "/ws/sub/b.pem"].map((path) => grant.holes.some((hole) => hole.matches(path)))).toEqual([
      false,
      true,
    ]);
    expect(kept([cat, tree("proved"), read("/ws/sub/secrets/k")], ...RULES).decision).toBe("deny");
  });

  it.each<[string, readonly Effect[]]>([
    ["a program that nobody can read", [{ ...cat, opaque: true } as Effect, tree("proved")]],
    ["a change", [cat, tree("proved"), { ...write("/ws/a"), basis: "proved" }]],
    ["a claim", [cat, { ...read("/ws/a"), basis: "claimed" }, tree("proved")]],
    ["former versions", [cat, { ...tree("proved"), shows: "versions" } as Effect]],
    ["a tree that nobody surveys", [cat, tree("proved"), tree("proved", "/")]],
  ])("F29 %s beside it: nothing is cut out, so it asks", (_, effects) => {
    const decision = kept(effects, ...RULES);
    expect(decision.decision).toBe("ask");
    expect(decision.trace.some(({ outcome, note }) => outcome === "ask" && note.includes("could touch"))).toBe(true);
  });

  it("F29 names are no content: a rule means a tree of which only names are told where it means the whole of it", () => {
    const names = (path: string, basis: Effect["basis"] = "proved") =>
      ({ ...tree(basis, path), shows: "names" }) as Effect;
    expect(kept([cat, names("/ws")], ...RULES)).toMatchObject({ decision: "allow", grant: { holes: [] } });
    expect(kept([cat, names("/ws/sub/secrets")], ...RULES).decision).toBe("deny");
    expect(judge([names("/ws", "claimed")], RULES).decision).toBe("ask");
  });

  it("F29 a rule that lies elsewhere is of no concern", () => {
    const elsewhere = [rule("deny", "Read(~/.ssh/**)"), rule("deny", "Read(//ws/other/x)")];
    const decision = judge([tree("proved", "/ws/sub")], elsewhere);
    expect(decision).toMatchObject({ decision: "allow", grant: { holes: [] } });
  });

  it("F29 a hole holds under the link by which the tree was reached", () => {
    const decision = judge(
      [{ ...tree("enforced", "/ws/real"), as: "/ws/sub/link" } as Effect],
      [rule("deny", "Read(link/key)")],
    );
    expect(decision.grant.holes.some((hole) => hole.matches("/ws/real/key"))).toBe(true);
  });

  it("F29 an allow rule covers a tree only when it covers all of it", () => {
    const outside = { ...read("/data/x", { tree: true }) };
    expect(judge([outside], [rule("allow", "Read(//data/x/**)")]).decision).toBe("allow");
    expect(judge([outside], [rule("allow", "Read(//data/x/*)")]).decision).toBe("ask");
    expect(judge([outside], [rule("allow", "Read(//data/x/y/**)")]).decision).toBe("ask");
  });

  it("F29 a path with a deny rule is also kept from a program that may change everything", () => {
    const decision = judge(
      [write("/ws", "modify", { tree: true })],
      [rule("deny", "delete(//ws/keep)"), rule("deny", "Read(//ws/.env)")],
      "acceptEdits",
    );
    const isHole = (path: string) => decision.grant.holes.some((hole) => hole.do === "write" && hole.matches(path));
    expect(decision.decision).toBe("allow");
    expect(["/ws/keep", "/ws/.env", "/ws/a"].map(isHole)).toEqual([true, true, false]);
  });
});

describe("G17 protected paths", () => {
  const paths = [
    ...PROTECTED_FOLDERS.flatMap((name) => [`/ws/${name}/x`, `/ws/deep/${name}/a/b`]),
    ...PROTECTED_FILES.map((name) => `/ws/deep/${name}`),
    "/ws/.git",
  ];

  it("G17 need a person inside the boundary, even if a rule allows it", () => {
    for (const path of paths) {
      const decision = judge([write(path)], [rule("allow", "Tool"), rule("allow", "Edit(//**)")], "acceptEdits");
      expect(decision, path).toMatchObject({ decision: "ask", suggestions: [] });
      expect(decision.trace.some((step) => step.step === "protected")).toBe(true);
    }
  });

  it("G17 may be read, and their look-alikes written", () => {
    const open = paths.filter((path) => !isPrivatePath(path));
    expect(judge(open.map((path) => read(path))).decision).toBe("allow");
    for (const path of ["/ws/.gitignore", "/ws/.claude/worktrees/a/x.ts", "/ws/git/config", "/ws/agents.txt"])
      expect(judge([write(path)], [], "acceptEdits").decision).toBe("allow");
  });

  it("G17 count by either name of a link, and in the spelling of the platform", () => {
    expect(judge([{ ...write("/ws/x"), as: "/ws/.git/hooks/x" }], [], "acceptEdits").decision).toBe("ask");
    expect(judge([write("/ws/.GIT/config")], [], "acceptEdits", { platform: "darwin" }).decision).toBe("ask");
    expect(judge([write("/ws/.git./config")], [], "acceptEdits", { platform: "win32" }).decision).toBe("ask");
  });

  it("G17 are held out of a program's writable tree, save what git itself writes", () => {
    const { holes } = judge([write("/ws", "modify", { tree: true })], [], "acceptEdits").grant;
    const isHole = (path: string) => holes.some((hole) => hole.do === "write" && hole.matches(path));
    expect(["/ws/.git/hooks/x", "/ws/.git/config", "/ws/a/.envrc", "/ws/.git/modules/m/hooks/x"].map(isHole)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(["/ws/.git/index", "/ws/.git/objects/a/b", "/ws/src/a.ts"].map(isHole)).toEqual([false, false, false]);
  });

  it("G17 nothing holds them out of the whole workspace without a boundary", () => {
    expect(judge([{ ...write("/ws", "modify", { tree: true }), basis: "proved" }], [], "acceptEdits").decision).toBe(
      "ask",
    );
    expect(judge([{ ...remove("/ws/build", { tree: true }), basis: "proved" }], [], "acceptEdits").decision).toBe(
      "allow",
    );
  });
});
