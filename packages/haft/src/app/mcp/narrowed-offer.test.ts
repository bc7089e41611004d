import { describe, expect, it } from "vitest";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";

describe("what a narrowed Haft offers", () => {
  it("D07 D08 Q06 a deny rule of its own for a whole tool takes its definition away, and refuses the call", async () => {
    using place = mcpWorkspace({
      [USER_SETTINGS]: { mcpServers: { git: serverEntry("rough", "flaky"), git_hub: serverEntry("rough", "flaky") } },
    });
    await using haft = await place.open({ rules: { allow: ["mcp__git", "mcp__git_hub"] } });
    await haft.mcp.settled();
    const agent = { id: "child", parent: "main" };
    const under = (deny: string) => haft.with({ agent, rules: { deny: [deny] } });
    const names = async (child: typeof haft) => new Set((await child.offer()).tools.map(({ name }) => name));
    for (const deny of ["mcp__git", "mcp__git__*", "mcp__git__p*", "mcp__git__pid", "call(git/*)", "call(git/pid)"]) {
      const child = under(deny);
      const offered = await names(child);
      expect([deny, offered.has("mcp__git__pid"), offered.has("mcp__git_hub__pid")]).toEqual([deny, false, true]);
      expect((await child.call("mcp__git__pid", {})).error?.code).toBe("denied_by_rule");
      expect((await child.call("mcp__git_hub__pid", {})).error).toBeUndefined();
    }
    const withoutBash = under("Bash");
    expect((await names(withoutBash)).has("Bash")).toBe(false);
    expect(await names(under("Bash(rm *)"))).toEqual(await names(haft));
    const grandchild = withoutBash.with({ agent, rules: { deny: ["Read"] } });
    expect([(await names(grandchild)).has("Bash"), (await names(grandchild)).has("Read")]).toEqual([false, false]);
    expect((await names(haft)).has("Bash")).toBe(true);
  });

  it("C04 D08 a name that nobody knows is answered with the tools that are offered, and no other", async () => {
    using place = mcpWorkspace({});
    await using haft = await place.open();
    const child = haft.with({ agent: { id: "child", parent: "main" }, tools: ["Read", "Grep"] });
    const { error } = await child.call("Wriet", {});
    expect([error?.code, error?.hint]).toEqual(["unknown_tool", expect.stringMatching(/Available: Read, Grep\.$/)]);
    expect(error?.hint).not.toContain("Write");
    const hint = (await haft.call("Wriet", {})).error?.hint;
    expect(hint).toContain("Did you mean Write?");
    // All of them: what loads others is not there as long as there is nothing to load.
    for (const deferred of [true, false]) {
      const offered = (await haft.offer({ deferred })).tools.map(({ name }) => name);
      expect(hint).toMatch(new RegExp(`Available: ${offered.join(", ")}\\.$`));
    }
  });
});
