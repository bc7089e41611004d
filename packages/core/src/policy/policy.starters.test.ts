import { describe, expect, it } from "vitest";
import { type Effect, write } from "../tool/index.ts";
import { STARTERS } from "./guard/starters.ts";
import { createPolicy, type Mode, type RuleSource, type Workspace } from "./index.ts";

const root = "/ws";
const workspace: Workspace = { root, startedIn: root, cwd: root, home: "/home/me", additional: [], platform: "linux" };
const rule = (behavior: RuleSource["behavior"], text: string): RuleSource => ({ behavior, origin: "cli", text });
const judge = (effects: Effect[], rules: RuleSource[], mode: Mode) =>
  createPolicy({ workspace, rules, mode, trusted: true }).decide({
    tool: { name: "Tool", origin: "builtin" },
    input: {},
    effects,
  });

describe("files that others run or take orders from", () => {
  it("G17 a file that other programs run or obey is asked about in mode acceptEdits, and a rule can allow it", () => {
    const asked = STARTERS.filter(({ guard }) => guard === "asked" || guard === "programs");
    const names = asked.flatMap(({ folders = [], files = [], ends = [] }) => [
      ...folders.flatMap((name) => [`/ws/${name}/x`, `/ws/deep/${name}/a/b`]),
      ...files.map((name) => `/ws/deep/${name}`),
      ...ends.map((end) => `/ws/deep/x${end}`),
    ]);
    for (const path of [...names, ...names.map((name) => name.toUpperCase().replace("/WS", "/ws"))]) {
      const decision = judge([write(path)], [], "acceptEdits");
      expect(decision.decision, path).toBe("ask");
      expect(judge([{ ...write("/ws/x"), as: path }], [], "acceptEdits").decision, path).toBe("ask");
      expect(judge([write(path)], [rule("allow", `Edit(/${path})`)], "acceptEdits").decision, path).toBe("allow");
    }
    expect(judge([write("/ws/.cursor/mcp.json")], [], "acceptEdits").reason).toMatch(/agents read settings/);
  });

  it("G17 packages that are installed bring such files with them, and package.json is edited as ever", () => {
    const paths = ["/ws/node_modules/x/AGENTS.md", "/ws/node_modules/x/.github/y", "/ws/package.json"];
    for (const path of paths) expect(judge([write(path)], [], "acceptEdits").decision, path).toBe("allow");
    for (const path of ["/ws/node_modules/.bin/tsc", "/ws/node_modules/x/.npmrc", "/ws/node_modules/x/.git/config"])
      expect(judge([write(path)], [], "acceptEdits").decision, path).toBe("ask");
  });

  it.each([
    ...["/ws/.GIT/hooks/x", "/ws/.git./hooks/x", "/ws/.git /config", "/ws/.git::$INDEX_ALLOCATION/config"],
    ...["/ws/GIT~1/config", "/ws/git~12/hooks/x", "/ws/.g\u200cit/config", "/ws/ENVRC~1", "/ws/MCP~1.JSO"],
    ...["/ws/.bashrc.", "/ws/.npmrc:x", "/ws/VSCODE~1/tasks.json", "/ws/.HU\u017fKY/x"],
  ])("G17 %s is what some disk takes for a protected name", (path) => {
    expect(judge([write(path)], [], "acceptEdits").trace.some((step) => step.step === "protected")).toBe(true);
  });
});
