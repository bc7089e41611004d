import { createBroker } from "@haft/core/approval";
import { contentsText, createClock } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { say, streamOf } from "../../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";
import { sampleThrough } from "./sample.ts";

const answer = { events: streamOf([say("A handle, of a knife or an axe.")]), style: "anthropic" as const };

describe.each(["legacy", "modern"])("servers that ask the model (%s)", (era) => {
  async function session(sampling: boolean, answers: readonly boolean[], given?: string) {
    const model = await wireServer([answer, answer]);
    const place = mcpWorkspace({
      [USER_SETTINGS]: {
        ...(given === undefined ? { model: "anthropic/claude-test" } : {}),
        mcpServers: { pal: { ...serverEntry("friendly", era), ...(sampling ? { sampling: true } : {}) } },
      },
    });
    const asked: string[] = [];
    const haft = await place.open({
      rules: { allow: ["mcp__pal"] },
      ...(given === undefined ? {} : { model: given }),
      env: { PATH: process.env.PATH, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${model.url}/v1` },
      ask: async ({ title, show }) => {
        asked.push(`${title} ${JSON.stringify(show)}`);
        return { behavior: answers[asked.length - 1] ? "allow" : "deny" };
      },
    });
    const think = async () => {
      const { content, error } = await haft.call("mcp__pal__think", {});
      return `${contentsText(content)}${error?.message ?? ""}`;
    };
    return {
      model,
      asked,
      think,
      async [Symbol.asyncDispose]() {
        await haft[Symbol.asyncDispose]();
        await model[Symbol.asyncDispose]();
        place[Symbol.dispose]();
      },
    };
  }

  it("Q07 the model is asked after a person has seen the question, and its answer is sent after they have seen that", async () => {
    await using place = await session(true, [true, true, false, true, false]);
    expect(JSON.parse(await place.think())).toMatchObject({
      model: "anthropic/claude-test",
      role: "assistant",
      stopReason: "maxTokens",
      content: { type: "text", text: "A handle, of a knife" },
    });
    expect(place.asked[0]).toContain("user:\\n| What is a haft?");
    expect(place.asked[1]).toMatch(/Send the answer .*answer:\\n\| A handle, of a knife"/);
    expect(place.model.bodies).toHaveLength(1);
    expect(await place.think()).toContain("declined the request to the model");
    expect([place.asked.length, place.model.bodies.length]).toEqual([3, 1]);
    const kept = await place.think();
    expect(kept).toContain("declined to send the model's answer");
    expect(kept).not.toContain("A handle");
    expect([place.asked.length, place.model.bodies.length]).toEqual([5, 2]);
  });

  it("Q07 the model of the session is the one that it was opened with, or that of the settings", async () => {
    await using place = await session(true, [true, true], "anthropic/claude-other");
    expect(JSON.parse(await place.think())).toMatchObject({ model: "anthropic/claude-other" });
    expect(place.model.bodies[0]).toContain("claude-other");
  });

  it("Q07 without the user's setting no server may ask, and nobody is bothered", async () => {
    await using place = await session(false, []);
    const said = await place.think();
    expect(said).not.toContain("A handle");
    expect([place.asked, place.model.bodies]).toEqual([[], []]);
  });
});

it("Q07 a person is asked at most twenty times a session, also about questions that come all at once", async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return { behavior: "deny" } as const;
  };
  let id = 0;
  const broker = createBroker({ askers: [{ name: "user", ask }], clock: createClock(), newId: () => `r${++id}` });
  const sample = sampleThrough(broker, "anthropic/claude-test", {});
  const wanted = { messages: [{ role: "user", content: { type: "text", text: "Hm?" } }], maxTokens: 10 } as const;
  const signal = new AbortController().signal;
  const one = () => sample("pal", { ...wanted, messages: [...wanted.messages] }, signal).catch(({ code }) => code);
  const ends = await Promise.all(Array.from({ length: 25 }, one));
  expect(asked).toBe(20);
  expect(ends.filter((code) => code === "denied_by_user")).toHaveLength(20);
  expect(ends.filter((code) => code === "limit_reached")).toHaveLength(5);
});
