import { describe, expect, it } from "vitest";
import type { Behavior } from "../decision.ts";
import { builtinToolNames, withBuiltinNames } from "../toolset/names.ts";
import { parseRule } from "./parse.ts";

const problem = (text: string, behavior: Behavior = "deny") => {
  const parsed = parseRule(text, behavior, builtinToolNames);
  return "problem" in parsed ? `${parsed.problem.message} ${parsed.problem.cure}` : undefined;
};
const warnings = (text: string, behavior: Behavior = "deny") => {
  const parsed = parseRule(text, behavior, builtinToolNames);
  return "rule" in parsed ? parsed.rule.warnings.map((warning) => warning.message) : ["error"];
};

describe("F29 rules that cannot be meant are errors at load time, each with its cure", () => {
  it.each<[string, Behavior, RegExp]>([
    ["", "deny", /empty.*Tool\(specifier\)/],
    ["Bash(ls", "deny", /not a rule/],
    ["Bash (ls)", "deny", /without spaces/],
    ["(ls)", "deny", /not a rule/],
    ["Bash()", "deny", /parentheses.*empty/],
    ["Bash(  )", "deny", /parentheses.*empty/],
    ["write", "deny", /is ambiguous.*Write Write for the tool.*write\(\*\*\)/],
    ["read", "allow", /Read for the tool.*read\(\*\*\)/],
    ["run", "deny", /Write run\(\*\)/],
    ["connect", "deny", /connect\(\*\)/],
    ["*", "allow", /is ignored as an allow rule.*mcp__server__\*/],
    ["B*", "allow", /is ignored as an allow rule/],
    ["mcp__*", "allow", /is ignored as an allow rule/],
    ["mcp__git*__x", "allow", /is ignored as an allow rule/],
    ["mcp__", "deny", /does not name a server/],
    ["mcp__srv__", "deny", /does not name a tool.*Write mcp__srv for/],
    ["Bash(:*)", "deny", /does not name a command.*Write Bash/],
    ["Edit(//)", "allow", /allows nothing.*Write \/\/\*\*/],
    ["Bsh", "deny", /never matches.*Bash/],
    ["Xyzzyq(a)", "deny", /never matches/],
    ["delegate(x)", "deny", /not a rule word.*Agent/],
    ["unknown(x)", "deny", /read, write, delete, run, connect, send, call/],
    ["Bash(command:rm *)", "deny", /written? the same thing|writing the same thing/],
    ["Read(file_path:/x)", "deny", /differently/],
    ["WebFetch(url:http*)", "deny", /domain:host/],
    ["Agent(model:opus)", "allow", /cannot allow/],
    ["mcp__s__t(a:b)", "allow", /cannot allow/],
    ["Agent(model:)", "deny", /has no value/],
    ["WebFetch(example.com)", "deny", /WebFetch\(domain:example.com\)/],
    ["WebFetch(domain:https://x.com/)", "deny", /never matches/],
    ["WebFetch(https://x.com)", "deny", /need a host.*domain:/],
    ["Edit(replace_al:true)", "deny", /no field "replace_al".*Did you mean replace_all/],
    ["Read(notes:2024.md)", "deny", /no field "notes".*Read\(\.\/notes:2024\.md\)/],
    ["group:files", "deny", /Groups only work in "policy"/],
    ["conect(x.org)", "deny", /Did you mean connect\?/],
    ["Red(x)", "deny", /Did you mean Read\?/],
    ["WebSearch(cats)", "deny", /has no specifier/],
    ["Bash(a && b)", "allow", /each command.*each command/],
    ["Bash(a | sh)", "deny", /each command/],
    ["Bash(echo x > y)", "allow", /Edit\(path\)/],
    ["Read(../x)", "deny", /"\.\."/],
    ["Read(!x)", "deny", /negated/],
    ["Edit(*.{a,b})", "allow", /one rule per alternative/],
    ["mcp__*(a:b)", "deny", /glob over tool names cannot have a specifier/],
    ["call(*)", "allow", /Spell out the server/],
    ["connect(http://x)", "allow", /never matches/],
  ])("F29 %s as %s", (text, behavior, words) => {
    expect(problem(text, behavior) ?? "").toMatch(words);
  });

  it.each([
    "Bash",
    "Bash(*)",
    "Bash(npm run test:*)",
    "Bash(npm run test:unit)",
    "Bash(timeout:*)",
    "Bash(tty:true)",
    "Edit(replace_all:true)",
    "Read(./notes:2024.md)",
    "Bash(run_in_background:true)",
    "Bash(echo 'a && b')",
    "Bash(find . -exec ls {} \\;)",
    "Bash(echo $(date; ls))",
    "run_shell_command(git *)",
    "Read(C:\\x\\**)",
    "Read(//c/**/.env)",
    "Agent(my-plugin:reviewer)",
    "Skill(plugin:pdf *)",
    "mcp__github",
    "mcp__github__get_*",
    "mcp__github__get(owner:me)",
    "my_custom_tool",
    "delete(//**)",
    "send(slack/#ops)",
    "call(github/get_*)",
    "connect(*.example.com:443)",
  ])("F29 %s is sound as a deny rule", (text) => {
    expect(problem(text)).toBeUndefined();
  });
});

describe("F29 warnings", () => {
  it("F29 rules that act otherwise than written say so", () => {
    for (const name of ["Write", "MultiEdit", "NotebookEdit", "apply_patch"]) {
      expect(warnings(`${name}(src/**)`)).toEqual([`${name}(...) is taken as Edit(...).`]);
      expect(warnings(`${name}(src/**)`, "allow")).toEqual([`${name}(...) is never consulted as an allow rule.`]);
    }
    for (const name of ["Glob", "Grep"])
      expect(warnings(`${name}(src/**)`, "ask")).toEqual([`${name}(...) is taken as Read(...).`]);
    expect(warnings("Write")).toEqual([]);
  });

  it("F29 a name that may still come is a warning, a known one nothing, and without a list nothing is unknown", () => {
    expect(warnings("jira_search")).toEqual(['There is no tool "jira_search" yet.']);
    const known = withBuiltinNames([{ name: "jira_search" }]);
    expect(parseRule("jira_search", "deny", known)).toMatchObject({ rule: { warnings: [] } });
    expect(parseRule("Deploy", "deny")).toMatchObject({ rule: { warnings: [] } });
    expect(parseRule("Deploy", "deny", known)).toHaveProperty("problem");
  });
});
