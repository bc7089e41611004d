import { fromToolDefine, Tool } from "@haft/core/compat/tool-define";
import { lazySchema } from "@haft/core/schema";
import { defineTool, type ToolLike } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createHaft } from "./create-haft.ts";

const boom = (): never => {
  throw new Error("boom");
};
const good = {
  name: "Good",
  description: ({ tools }) => `Beside ${["Bad", "Good"].filter((name) => tools.has(name)).join(" and ")}.`,
  input: z.object({}),
  run: () => "fine",
} satisfies ToolLike;
const bad = { ...good, name: "Bad", description: "Bad." };

const unborn = fromToolDefine(Tool.define("Bad", { name: "Bad", category: "custom" }, async () => boom()));

const broken: Readonly<Record<string, ToolLike>> = {
  "a description that throws": { ...bad, description: boom },
  "a description that rejects": { ...bad, description: async () => boom() },
  "words for the system prompt that throw": { ...bad, prompt: boom },
  "words for the system prompt that reject": { ...bad, prompt: async () => boom() },
  "an initialisation that rejects": unborn,
  "a schema that cannot be made": defineTool({ ...bad, input: lazySchema(boom, "tool Bad") }),
  "an availability check that throws": { ...bad, when: boom },
};

const only = { settings: false, stateDir: false } as const;

describe("one broken tool", () => {
  for (const [what, tool] of Object.entries(broken)) {
    it(`C09 A04 A05 with ${what} is absent with the reason, and costs no other tool`, async () => {
      await using haft = await createHaft({ ...only, tools: [tool, good] });
      const { tools, absent } = await haft.offer();
      expect(absent).toContainEqual({ name: "Bad", why: expect.stringContaining("boom") });
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["Read", "Good"]));
      expect(names).not.toContain("Bad");
      expect(tools.find(({ name }) => name === "Good")?.description).toBe("Beside Good.");
      expect(haft.for("anthropic").tools.map(({ name }) => name)).toEqual(names);
      expect(Object.keys(haft.for("ai-sdk").tools).toSorted()).toEqual(names.toSorted());
      const [outcome] = await haft.run([{ id: "1", tool: "Nope", input: {} }]);
      expect(outcome?.result.error?.code).toBe("unknown_tool");
    });
  }

  it("C09 is offered again as soon as it works", async () => {
    let works = false;
    const tool = { ...bad, description: async () => (works ? "Back." : boom()) };
    await using haft = await createHaft({ ...only, tools: [tool, good] });
    expect((await haft.offer()).absent.map(({ name }) => name)).toContain("Bad");
    works = true;
    const { tools } = await haft.offer();
    expect(tools.find(({ name }) => name === "Bad")?.description).toBe("Back.");
    expect(tools.find(({ name }) => name === "Good")?.description).toBe("Beside Bad and Good.");
  });
});
