import { expect, it } from "vitest";
import { openHistory } from "../input/history.ts";
import type { Typed } from "../input/pasted-texts.ts";
import { PromptInput } from "./prompt-input.ts";

const plain = { color: false, width: 60 };

function prompt(files: readonly string[]) {
  const submitted: Typed[] = [];
  const input = new PromptInput({
    history: openHistory(),
    proposals: ({ kind }) =>
      kind === "file"
        ? files.map((text) => ({ text }))
        : kind === "command"
          ? [
              { text: "mcp", about: "the servers" },
              { text: "permissions", about: "the rules" },
            ]
          : [],
    submit: (typed) => submitted.push(typed),
  });
  const type = (text: string) => [...text].forEach((letter) => void input.key({ input: letter, key: {} }));
  const enter = () => void input.key({ input: "", key: { return: true } });
  return { input, submitted, type, enter };
}

it("E24 Enter takes the proposed file, and sends a prompt whose file is typed out", () => {
  const { input, submitted, type, enter } = prompt(["price.js", "price.test.js"]);
  type("look at @pri");
  enter();
  expect([input.text, submitted.length]).toEqual(["look at @price.js ", 0]);
  enter();
  expect(submitted.map(({ text }) => text)).toEqual(["look at @price.js "]);
  type("and @price.js");
  enter();
  expect(submitted.at(-1)?.text.trim()).toBe("and @price.js");
});

it("U09 the descriptions of proposed commands begin in one column", () => {
  const { input, type } = prompt([]);
  type("/");
  const [, ...menu] = input.lines(plain, 10);
  expect(menu).toEqual(["❯ /mcp          the servers", "  /permissions  the rules"]);
});
