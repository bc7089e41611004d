import { expect, it } from "vitest";
import { call, connect, type Effect, run, write } from "../tool/index.ts";
import { confirmationDetails } from "./details.ts";
import { type Answer, type ApprovalRequest, type ConfirmationKind, confirmationOf } from "./index.ts";

const request = (effects: readonly Effect[], more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: "r1",
  callId: "c1",
  agent: { id: "sub", parent: "main" },
  tool: "Anything",
  title: "does it",
  input: { some: "input" },
  effects,
  show: { kind: "text", text: "shown" },
  why: "a rule asks",
  rule: { rule: "Bash(npm *)", behavior: "ask", origin: "project", file: "/w/.haft/settings.json", line: 4 },
  destructive: false,
  suggestions: [],
  ...more,
});
const npm = run({ argv: ["npm", "test"], text: "npm test", cwd: "/w" });

it.each<[ConfirmationKind, readonly Effect[]]>([
  ["edit", [write("/w/a.ts")]],
  ["execute", [npm]],
  ["execute", [npm, write("/w/log")]],
  ["mcp", [call("git", "log")]],
  ["info", [connect("https://example.com/x", { sends: false })]],
  ["info", []],
])("F15 F16 F17 F18 the kind is %s, with any name of the tool", (kind, effects) => {
  const details = confirmationDetails(request(effects));
  expect(details).toMatchObject({ kind, title: "does it", tool: "Anything", agentId: "sub" });
  expect(details.why).toBe("a rule asks (ask Bash(npm *), /w/.haft/settings.json:4)");
  expect(JSON.parse(JSON.stringify(details))).toEqual(details);
  expect(details.outcomes.some(({ outcome }) => outcome === "modify_with_editor")).toBe(
    kind === "edit" || kind === "execute",
  );
});

it("F15 an edit shows each file with name, path, diff, old and new content", () => {
  const diff = (path: string) =>
    ({ kind: "diff", path, before: "one\n", after: "two\n", added: 1, removed: 1, unified: "-one\n+two\n" }) as const;
  const one = { fileDiff: "-one\n+two\n", originalContent: "one\n", newContent: "two\n" };
  expect(confirmationDetails(request([write("/w/a.ts")], { show: diff("/w/a.ts") }))).toMatchObject({
    files: [{ fileName: "a.ts", filePath: "/w/a.ts", ...one }],
  });
  const show = { kind: "group", title: "patch", items: [diff("/w/a.ts"), diff("/w/b/c.ts")] } as const;
  expect(confirmationDetails(request([write("/w/a.ts"), write("/w/b/c.ts")], { show }))).toMatchObject({
    files: [{ fileName: "a.ts" }, { fileName: "c.ts", filePath: "/w/b/c.ts" }],
  });
  expect(confirmationDetails(request([write("/w/a.ts", "delete")]))).toMatchObject({
    files: [{ filePath: "/w/a.ts" }],
  });
});

it("F16 F17 F18 a command with its parts, a remote tool with its arguments, addresses", () => {
  const rm = run({ argv: ["rm", "x"], text: "rm x", cwd: "/w" });
  const show = { kind: "terminal", text: "", command: "npm test && rm x" } as const;
  expect(confirmationDetails(request([npm, rm], { show }))).toMatchObject({
    command: "npm test && rm x",
    commands: ["npm test", "rm x"],
  });
  expect(confirmationDetails(request([call("git", "log")]))).toMatchObject({
    serverName: "git",
    toolName: "log",
    arguments: { some: "input" },
  });
  expect(confirmationDetails(request([connect("https://example.com/x"), connect("b.org")]))).toMatchObject({
    prompt: "does it",
    urls: ["https://example.com/x", "b.org"],
  });
});

it("U10 each outcome says what it would keep, word for word", () => {
  const suggestions = [
    { label: "one", rules: ["mcp__git__log"], scope: "tool" },
    { label: "all", rules: ["mcp__git"], scope: "server" },
  ] as const;
  expect(confirmationDetails(request([call("git", "log")], { suggestions })).outcomes).toEqual([
    { outcome: "proceed_once", keeps: [] },
    { outcome: "proceed_always_server", keeps: ["mcp__git"] },
    { outcome: "proceed_always_tool", keeps: ["mcp__git__log"] },
    { outcome: "cancel", keeps: [] },
  ]);
});

it("F25 onConfirm gives the answer once; an invalid outcome leaves the question open, a second call is ignored", () => {
  const given: [string, Answer][] = [];
  const confirmation = confirmationOf(request([npm]), (id, answer) => {
    given.push([id, answer]);
    return { accepted: true };
  });
  expect(() => confirmation.onConfirm("yes")).toThrow(/no outcome/);
  expect(confirmation.onConfirm("cancel", { message: "not now" })).toEqual({ accepted: true });
  expect(confirmation.onConfirm("proceed_once")).toMatchObject({ accepted: false, reason: "already_settled" });
  expect(given).toEqual([["r1", { behavior: "deny", message: "not now" }]]);
});
