import type { ApprovalRequest, Form } from "@haft/core/approval";
import { expect, it } from "vitest";
import { headlessTerminal } from "../../../test/support/headless-terminal.ts";

const request: ApprovalRequest = {
  ...{ id: "q", callId: "c", agent: { id: "main" }, tool: "Ask", title: "A question", input: {}, effects: [] },
  ...{ show: { kind: "text", text: "Which colour?" }, why: "It asks.", destructive: false, suggestions: [] },
};
const colour: Form = {
  type: "object",
  properties: { colour: { type: "string", title: "Which colour?", enum: ["Red", "Blue"] } },
  required: ["colour"],
};
const several: Form = {
  type: "object",
  properties: { name: { type: "string", title: "Name" }, sure: { type: "boolean", title: "Sure?" } },
  required: ["name"],
};
const enter = { input: "", key: { return: true } };

it("U09 a form of one choice says its question once, and a number answers it", async () => {
  await using terminal = await headlessTerminal();
  const { screen } = terminal;
  const answer = screen.ask({ ...request, form: colour }, new AbortController().signal);
  const text = (await terminal.lines()).join("\n");
  expect(text.split("Which colour?")).toHaveLength(2);
  expect(text).toMatch(/1 {2}Red\n {2}2 {2}Blue/);
  screen.key({ input: "2", key: {} });
  expect(await answer).toEqual({ behavior: "allow", input: { colour: "Blue" } });
});

it("U09 a form of several fields is filled in field by field, and sent once all of it was seen", async () => {
  await using terminal = await headlessTerminal();
  const { screen } = terminal;
  const answer = screen.ask({ ...request, form: several }, new AbortController().signal);
  expect((await terminal.lines()).join("\n")).toContain("Field 1 of 2");
  screen.key(enter);
  expect((await terminal.lines()).join("\n")).toContain("Name is needed.");
  for (const letter of "Ann") screen.key({ input: letter, key: {} });
  screen.key(enter);
  expect((await terminal.lines()).join("\n")).toContain("Sure? (may stay empty)");
  screen.key({ input: "n", key: {} });
  expect((await terminal.lines()).join("\n")).toContain('name = "Ann"');
  screen.key({ input: "y", key: {} });
  expect(await answer).toEqual({ behavior: "allow", input: { name: "Ann", sure: false } });
});

it("U09 Escape declines a form", async () => {
  await using terminal = await headlessTerminal();
  const answer = terminal.screen.ask({ ...request, form: several }, new AbortController().signal);
  terminal.screen.key({ input: "", key: { escape: true } });
  expect(await answer).toEqual({ behavior: "deny" });
});
