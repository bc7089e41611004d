import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { DEFAULT_MODELS, defaultModel } from "./default-model.ts";
import { listPrice } from "./prices.ts";

it("E24 a key alone chooses a model; a server of one's own has to be told", () => {
  expect(defaultModel({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })?.model).toMatch(/^anthropic\//);
  expect(defaultModel({ OPENAI_API_KEY: "k" })?.because).toBe("OPENAI_API_KEY");
  expect(defaultModel({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })).toBeUndefined();
  expect(defaultModel({ ANTHROPIC_API_KEY: "" })).toBeUndefined();
});

it.each(DEFAULT_MODELS)("E24 $model is known to its provider's package", ({ model }) => {
  const [provider = "", name] = model.split("/");
  const entry = createRequire(import.meta.url).resolve(`@ai-sdk/${provider}`);
  expect(readFileSync(entry, "utf8")).toContain(`"${name}"`);
});

it.each(DEFAULT_MODELS)("E25 $model has a list price, so that its costs are known", ({ model }) => {
  expect(listPrice(model)).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
});
