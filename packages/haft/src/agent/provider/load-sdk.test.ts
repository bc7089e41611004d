import { expect, it } from "vitest";
import { loadSdk } from "./load-sdk.ts";

const missing = () => Promise.reject(Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }));

it("names the packages to install", async () => {
  await expect(loadSdk("@ai-sdk/google", missing)).rejects.toMatchObject({
    code: "validation_failed",
    hint: "Run: npm install ai @ai-sdk/google",
  });
});

it("passes other failures on", async () => {
  await expect(loadSdk("ai", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});
