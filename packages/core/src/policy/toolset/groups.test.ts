import { describe, expect, it } from "vitest";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";
import { RESERVED_NAME } from "./gates.ts";
import {
  builtinToolNames,
  checkToolList,
  createToolNames,
  expandToolGroups,
  isToolAllowedByPolicy,
  normalizeToolName,
  toolGroups,
} from "./index.ts";
import { PLANNED_TOOLS } from "./planned-tools.ts";

const groups = toolGroups();
const members = (key: string) => [...(groups[key] ?? [])].sort();

describe("groups", () => {
  it("F01 the five groups hold exactly the tools that were agreed, in any spelling", () => {
    const agreed = (...names: string[]) => names.map((name) => normalizeToolName(name)).sort();
    expect(members("group:fs")).toEqual(agreed("read", "write", "edit", "apply_patch"));
    expect(members("group:runtime")).toEqual(agreed("exec", "process"));
    expect(members("group:web")).toEqual(agreed("web_search", "web_fetch"));
    expect(members("group:sessions")).toEqual(agreed("sessions_list", "sessions_send", "sessions_spawn"));
    expect(members("group:messaging")).toEqual(agreed("message"));
  });

  it("F01 every built-in tool is in a group, and no group names a tool that does not exist", () => {
    const grouped = new Set(Object.values(groups).flat());
    expect(builtinToolNames.all.filter((name) => !grouped.has(name) && name !== RESERVED_NAME)).toEqual([]);
    expect([...grouped].filter((name) => !builtinToolNames.all.includes(name))).toEqual([]);
  });

  it("F01 no planned tool exists already", () => {
    const shipped = new Set(BUILTIN_TOOLS.map(({ name }) => name));
    expect(PLANNED_TOOLS.filter(({ name }) => shipped.has(name))).toEqual([]);
  });

  it("F01 no two tools share a name or an alias, however it is written", () => {
    const claims = builtinToolNames.all.flatMap((name) =>
      [name, ...builtinToolNames.aliases(name)].map((word) => [word, name]),
    );
    const lost = claims.filter(([word = "", name]) => builtinToolNames.canonical(word) !== name);
    expect(lost).toEqual([]);
  });

  it("F02 expands groups and makes names canonical, each once", () => {
    expect(expandToolGroups(["group:runtime", "BASH", "apply-patch", "Group:FS"])).toEqual([
      "Bash",
      "process",
      "apply_patch",
      "Edit",
      "Read",
      "Write",
    ]);
  });

  it.each([["group:runtime"], ["Exec"], ["bash"], ["B*"], ["*"], ["shell"], ["run_shell_command"]])(
    "F02 deny %s removes Bash",
    (entry) => {
      expect(isToolAllowedByPolicy("Bash", { deny: [entry] })).toBe(false);
      expect(isToolAllowedByPolicy("exec", { deny: [entry], allow: ["Bash"] })).toBe(false);
    },
  );

  it("F02 an unknown name or group is an error with the nearest one, in both lists", () => {
    expect(() => expandToolGroups(["group:runtme"])).toThrow(/no group "group:runtme"/);
    expect(checkToolList(["group:runtme"])[0]?.cure).toContain('"group:runtime"');
    expect(checkToolList(["Raed"])[0]).toMatchObject({ severity: "error", cure: 'Did you mean "Read"?' });
    expect(() => isToolAllowedByPolicy("Bash", { deny: ["Bsh"] })).toThrow(/no tool "Bsh"/);
    expect(() => isToolAllowedByPolicy("Bash", { allow: ["Bash", ""] })).toThrow(/empty name/);
    expect(() => isToolAllowedByPolicy("Bash", { allow: ["Bash(git *)"] })).toThrow(/is a rule/);
  });

  it("F02 a glob that matches nothing known is pointed out; MCP names are never unknown", () => {
    expect(checkToolList(["zzz*"])).toMatchObject([{ severity: "warning" }]);
    expect(checkToolList(["mcp__later", "mcp__later__*", "mcp__x__y", "group:mcp", "web_*"])).toEqual([]);
  });

  it.each([
    [" read ", "Read"],
    ["READFILE", "Read"],
    ["Shell", "Bash"],
    ["apply-patch", "apply_patch"],
    ["ApplyPatch", "apply_patch"],
    ["WEB-FETCH", "WebFetch"],
    ["Task", "Agent"],
    ["TaskList", "TaskList"],
    ["write_todos", "TodoWrite"],
    ["MemoryTool", "Memory"],
    [" made up ", "made up"],
  ])("F03 %s is %s", (written, canonical) => {
    expect(normalizeToolName(written)).toBe(canonical);
  });

  it("F03 mixed case, dashes and spaces cannot dodge a deny", () => {
    for (const name of ["bAsH", " exec ", "EXEC", "Run-Shell-Command"])
      expect(isToolAllowedByPolicy(name, { deny: ["Bash"] })).toBe(false);
    expect(isToolAllowedByPolicy("MCP__GitHub__Push", { deny: ["mcp__github__push"] })).toBe(false);
  });

  it("F03 a tool keeps its own name when another claims it as an alias", () => {
    const names = createToolNames([{ name: "one", aliases: ["two"] }, { name: "two" }]);
    expect([names.canonical("one"), names.canonical("TWO"), names.canonical("three")]).toEqual([
      "one",
      "two",
      undefined,
    ]);
  });
});
