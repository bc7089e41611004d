import { describe, expect, it } from "vitest";
import { testMachine } from "../../test/support/machine.ts";
import { Get, Put } from "../../test/support/tools.ts";
import { createExecutor } from "../executor/index.ts";
import type { Absent } from "../tool/index.ts";
import { createOffers } from "./index.ts";
import { BATCHING_PROMPT } from "./offer.ts";

function offering(tools: Parameters<typeof testMachine>[0], changes: Parameters<typeof testMachine>[1] = {}) {
  const built = testMachine(tools, changes);
  const { registry, available } = built.machine;
  const offers = createOffers({ registry, available, context: () => built.machine.offerContext() });
  return { ...built, offers };
}

describe("offer", () => {
  it("D06 the list is made anew each time: a tool that comes or goes counts at once", async () => {
    const { registry, offers } = offering([Get]);
    const first = await offers.current();
    registry.add({ origin: "custom", name: "host" }, [Put]);
    const second = await offers.current();
    registry.remove("Get");
    const third = await offers.current();
    expect([first, second, third].map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ["Get"],
      ["Get", "Put"],
      ["Put"],
    ]);
  });

  it("D08 D13 A11 an unavailable tool is absent from the list with its reason, and refused when called", async () => {
    let answer: true | Absent = { absent: "it is switched off" };
    const { machine, offers } = offering([Get, Put], {
      available: ({ tool }) => (tool.name === "Put" ? answer : true),
    });
    expect((await offers.current()).absent).toEqual([{ name: "Put", why: "it is switched off" }]);
    const call = { id: "1", tool: "Put", input: { path: "a", text: "b" } };
    const [refused] = await createExecutor(machine).run([call]);
    expect(refused?.result.error).toMatchObject({
      code: "tool_unavailable",
      message: expect.stringContaining("switched off"),
    });
    answer = true;
    expect((await offers.current()).absent).toEqual([]);
    expect((await createExecutor(machine).run([call]))[0]?.status).toBe("ok");
  });

  it("A11 an availability check that throws hides the tool and says so", async () => {
    const { offers } = offering([Get], {
      available: () => {
        throw new Error("no such port");
      },
    });
    expect((await offers.current()).absent[0]?.why).toContain("no such port");
  });

  it("A04 a description may be a function of what is offered beside it, at once or later", async () => {
    const { offers } = offering([
      { ...Get, description: ({ tools }) => `One of ${tools.size}.` },
      { ...Put, description: async () => "Later." },
    ]);
    expect((await offers.current()).tools.map(({ description }) => description)).toEqual(["One of 2.", "Later."]);
    expect(offers.now().tools[1]?.description).toBe("Later.");
  });

  it("A05 D11 the system prompt tells of batching, and carries the tools' own words in order", async () => {
    const { registry, offers } = offering([
      { ...Get, prompt: ({ tools }) => `Prefer Get over ${tools.size - 1} others.` },
      Put,
    ]);
    expect((await offers.current()).prompt).toEqual([BATCHING_PROMPT, "Prefer Get over 1 others."]);
    const quiet = createOffers({
      registry,
      available: () => true,
      batching: false,
      context: () => ({ cwd: "/w", agent: { id: "main" }, platform: "linux", ports: new Set(), mode: "default" }),
    });
    expect((await quiet.current()).prompt).toEqual(["Prefer Get over 1 others."]);
  });
});
