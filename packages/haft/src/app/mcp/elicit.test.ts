import { contentsText } from "@haft/core/tool";
import { expect, it } from "vitest";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";

it.each([
  ["another kind", { size: 7 }],
  ["no choice of it", { size: "XXL" }],
  ["more than was asked for", { size: "S", password: "x" }],
  ["nothing of what is required", {}],
])(
  "Q07 an answer that is %s never reaches the server that asked; the person sees choices and proposals",
  async (_, input) => {
    using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly", "legacy") } } });
    const shown: string[] = [];
    const reasons: string[] = [];
    await using haft = await place.open({
      rules: { allow: ["mcp__pal"] },
      ask: async ({ show, why }) => {
        reasons.push(why);
        shown.push(JSON.stringify(show));
        return { behavior: "allow", input };
      },
    });
    const { content } = await haft.call("mcp__pal__confirm", {});
    expect(JSON.parse(contentsText(content))).toEqual({ action: "decline" });
    expect(shown[0]).toContain('one of S, M; \\"M\\" by default');
    // A wrong answer gets a message, and the question comes again.
    expect(reasons.map((why) => /The answer was not sent: .*\. Fill in the form and say yes/.test(why))).toEqual([
      false,
      true,
      true,
    ]);
  },
);

it.each(["legacy", "modern"])(
  "Q07 a server's question during a call is taken back when the call is cancelled (%s)",
  async (era) => {
    using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly", era) } } });
    const asked = Promise.withResolvers<AbortSignal>();
    await using haft = await place.open({
      rules: { allow: ["mcp__pal"] },
      ask(_request, signal) {
        asked.resolve(signal);
        return new Promise(() => {});
      },
    });
    const stop = new AbortController();
    const call = haft.call("mcp__pal__confirm", {}, { signal: stop.signal });
    const question = await asked.promise;
    expect([question.aborted, haft.pending().length]).toEqual([false, 1]);
    stop.abort();
    expect((await call).error?.code).toBe("cancelled");
    await expect.poll(() => [question.aborted, haft.pending().length]).toEqual([true, 0]);
  },
);

it("D09 a search at the very start waits for the servers that have not yet begun to start", async () => {
  using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly", "legacy") } } });
  await using haft = await place.open();
  expect(haft.mcp.list()[0]?.state).toBe("connecting");
  const { content } = await haft.call("ToolSearch", { query: "select:mcp__pal__confirm" });
  expect(contentsText(content)).toContain("Ask the person.");
});
