import { afterEach, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { type TestServer, testServer } from "../../../test/support/console-server.ts";
import { calls, finish, says, scriptedModel } from "../../../test/support/scripted-model.ts";

let server: TestServer | undefined;
afterEach(async () => server?.[Symbol.asyncDispose]());

it("M04 D09 a model loads the canvas by its name, and a program calls it at once, again and again", async () => {
  const present = { action: "present", markdown: "# Plan" };
  const model = scriptedModel([
    [calls("m1", "canvas", present), finish()],
    [calls("m2", "ToolSearch", { query: "select:canvas" }), finish()],
    [calls("m3", "canvas", present), finish()],
    says("Done."),
  ]);
  server = await testServer(model);
  const id = String((await server.ask("POST", "/api/sessions", {})).id);
  const socket = await server.connect();
  socket.send({ type: "canvas", session: id, isShown: true });
  answer().catch(() => {});
  await server.ask("POST", `/api/sessions/${id}/prompt`, { text: "Show the plan." });
  await expect.poll(() => model.requests.length, { timeout: patience(10_000) }).toBe(4);
  const names = model.requests.map(({ tools }) => tools.map(({ name }) => name).includes("canvas"));
  expect(names).toEqual([false, false, true, true]);
  const texts = JSON.stringify(model.requests.at(-1)?.messages);
  expect(texts).toContain("canvas is not loaded");
  expect(texts).toContain("The canvas shows");

  for (let count = 0; count < 8; count++)
    for (const [toolId, input] of [
      ["canvas", { action: "snapshot" }],
      ["TaskList", {}],
    ] as const)
      expect(
        await server.ask("POST", `/api/sessions/${id}/calls`, {
          ...{ toolId, arguments: input, messageId: `${toolId}${count}` },
        }),
      ).toMatchObject({ success: true });

  /** A console whose page is always the same. */
  async function answer(): Promise<void> {
    for (;;) {
      const { question } = await socket.next(({ type }) => type === "canvas-question");
      const said = { text: "# Plan", title: "Plan", notes: [] };
      socket.send({ type: "canvas-answer", session: id, id: (question as { id: string }).id, answer: said });
    }
  }
});
