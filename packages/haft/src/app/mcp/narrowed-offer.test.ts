import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";

describe("the offer of a narrowed Haft", () => {
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
    expect(await names(under("Bash(rm *)"))).toEqual(await names(haft.with({ agent })));
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
    const offered = (await haft.offer({ deferred: false })).tools.map(({ name }) => name);
    expect(hint).toMatch(new RegExp(`Available: ${offered.join(", ")}\\.$`));
  });

  it("Q08 D08 all servers that no rule forbids are listed, and nothing of the others shows", async () => {
    using place = mcpWorkspace({
      [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly"), secret: serverEntry("friendly") } },
    });
    await using haft = await place.open({ rules: { allow: ["ListMcpResources", "ReadMcpResource"] } });
    await haft.mcp.settled();
    const said = async (one: typeof haft, tool: string, input: object) => {
      const { content, error } = await one.call(tool, input);
      return { code: error?.code, text: `${contentsText(content)} ${JSON.stringify(error ?? {})}` };
    };
    expect((await said(haft, "ListMcpResources", {})).text).toContain("secret: test://note");
    const denials = ["mcp__secret", "call(secret/*)", "call(secret/resources/*)", "call(secret/resources/list)"];
    for (const deny of denials) {
      const child = haft.with({ agent: { id: "child" }, rules: { deny: [deny] } });
      const { code, text } = await said(child, "ListMcpResources", {});
      expect([deny, code, text]).toEqual([deny, undefined, expect.stringContaining("pal: test://note")]);
      expect(text).toContain("some servers are left out");
      expect(text).not.toContain("secret");
      expect((await said(child, "ListMcpResources", { server: "secret" })).code).toBe("denied_by_rule");
      for (const [tool, input] of [
        ["ReadMcpResource", { server: "nobody", uri: "test://note" }],
        ["ListMcpResources", { server: "nobody" }],
      ] as const) {
        const allowing = await said(child, tool, input);
        expect([tool, allowing.text]).toEqual([tool, expect.not.stringContaining("secret")]);
      }
    }
    const none = haft.with({ agent: { id: "child" }, rules: { deny: ["call(*)"] } });
    expect((await said(none, "ListMcpResources", {})).text).toMatch(/There are no resources.*left out/s);
  });

  it("Q08 a server that comes while a person thinks is not among those that they said yes to", async () => {
    using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly") } } });
    await using haft = await place.open({
      ask: async () => {
        haft.mcp.add({ name: "late", ...serverEntry("friendly") });
        await haft.mcp.settled();
        return { behavior: "allow" };
      },
    });
    await haft.mcp.settled();
    const text = contentsText((await haft.call("ListMcpResources", {})).content);
    expect(text).toContain("pal: test://note");
    expect(text).not.toContain("late:");
  });
});
