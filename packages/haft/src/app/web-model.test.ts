import { expect, it } from "vitest";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { webWorkspace } from "../../test/support/web.ts";

const chunk = (delta: object, finish: string | null = null) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const TEXT = "The red lantern stands on the left side of the ship. ".repeat(20);

it("M01 web.model: a small model answers the prompt from the page, in marks of its own; without one the page comes", async () => {
  await using model = await wireServer([
    { style: "openai", events: [chunk({ role: "assistant", content: "On the left." }), chunk({}, "stop")] },
  ]);
  const env = { PATH: process.env.PATH, OPENAI_BASE_URL: `${model.url}/v1` };
  const pages = { "/": `<html><body><article><p>${TEXT}</p></article></body></html>` };
  await using web = await webWorkspace(pages, { env }, { web: { model: "compatible/small" } });
  const asked = await web.fetch("/", { prompt: "Where is the lantern?" });
  expect(asked.output).toMatchObject({ text: "On the left.", answeredBy: "compatible/small" });
  expect(asked.labels?.integrity).toBe("stranger");
  expect(model.bodies[0]).toMatch(
    /<document-(\w+) source=[\s\S]*red lantern[\s\S]*<\/document-\1>[\s\S]*Where is the lantern\?/,
  );
  expect((await web.fetch("/")).output).toMatchObject({ text: expect.stringContaining("red lantern") });
  await using plain = await webWorkspace(pages, { env });
  expect((await plain.fetch("/", { prompt: "Where?" })).output).toMatchObject({
    text: expect.stringContaining("red lantern"),
  });
  expect(model.bodies.length).toBe(1);
});
