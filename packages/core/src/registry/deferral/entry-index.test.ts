import { expect, it } from "vitest";
import { defineTool } from "../../tool/index.ts";
import { createRegistry } from "../index.ts";
import { createSearches } from "./entry-index.ts";

/** A registry of many tools, and how often one of them was read for an index. */
function manyTools(count: number) {
  const registry = createRegistry();
  let reads = 0;
  const tools = Array.from({ length: count }, (_, at) =>
    defineTool({
      name: `tool_${at}`,
      description: `Opens umbrella ${at}.`,
      input: { type: "object", properties: {} } as const,
      effects: () => [],
      run: () => "",
    }),
  );
  registry.add({ origin: "plugin", name: "p" }, tools);
  const searches = createSearches(({ tool }) => {
    if (tool.name === "tool_0") reads += 1;
    return true;
  });
  return { registry, searches, reads: () => reads };
}

const breath = () => new Promise<void>((resolve) => setImmediate(resolve));

it("N13 a search during indexing waits for that index and makes no second one", async () => {
  const { registry, searches, reads } = manyTools(2_000);
  await Promise.all([searches.prepare(registry, breath), searches.prepare(registry, breath), breath()]);
  expect(searches(registry).search("umbrella 7").hits[0]?.tool.name).toBe("tool_7");
  expect(reads()).toBe(1);
});

it("N13 an index whose maker is stopped is made by who waits for it, without the maker's error", async () => {
  const { registry, searches, reads } = manyTools(2_000);
  let pauses = 0;
  const stopped = searches.prepare(registry, async () => {
    await breath();
    if (++pauses === 3) throw new Error("stopped");
  });
  const waiting = searches.prepare(registry, breath);
  await expect(stopped).rejects.toThrow("stopped");
  await waiting;
  expect(reads()).toBe(2);
  expect(searches(registry).search("umbrella").hits).toHaveLength(5);
  expect(reads()).toBe(2);
});
