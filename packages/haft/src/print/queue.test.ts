import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { printHost } from "../../test/support/print-host.ts";
import { calls, finish, type ScriptStep, says } from "../../test/support/scripted-model.ts";
import { sessionPlaces } from "../../test/support/session-places.ts";

const places = sessionPlaces("queue");
const patiently = { timeout: patience(10_000) };
const host = (turns: readonly (readonly ScriptStep[])[], args?: readonly string[]) => printHost(places, turns, args);
const user = (uuid: string, content: string) => ({
  ...{ type: "user", uuid, parent_tool_use_id: null, message: { role: "user", content } },
});
const look = (id: string): ScriptStep[] => [calls(id, "Glob", { pattern: "*" }), finish()];

/** A first message that works until it is let go, and two that wait. */
async function waiting() {
  const held = Promise.withResolvers<void>();
  const it = host([[() => held.promise, ...says("One.")], says("Next.")]);
  for (const [uuid, text] of [
    ["m1", "First."],
    ["m2", "Second."],
    ["m3", "Third."],
  ] as const)
    it.push(user(uuid, text));
  await expect.poll(() => it.model.requests.length, patiently).toBe(1);
  return { it, let: held.resolve };
}

describe("messages of a host that come while the agent works", () => {
  it("E16 each has a turn of its own, with one init and one result, also where turns are limited", async () => {
    const it = host([look("c1"), says("Two."), says("Three.")], ["--max-turns", "1"]);
    for (const [index, text] of ["First.", "Second.", "Third."].entries()) it.push(user(`m${index + 1}`, text));
    await expect.poll(() => it.of("result").length, patiently).toBe(3);
    await it.end();
    expect(it.of("result")).toMatchObject([
      { subtype: "error_max_turns", user_message_uuids: ["m1"], queued_turn_count: 2, result_index: 0 },
      { subtype: "success", result: "Two.", user_message_uuid: "m2", queued_turn_count: 1, result_index: 1 },
      { subtype: "success", result: "Three.", user_message_uuids: ["m3"], queued_turn_count: 0, result_index: 2 },
    ]);
    const order = it.said.map(({ type }) => String(type)).filter((type) => ["system", "result"].includes(type));
    expect(order).toEqual(["system", "result", "system", "result", "system", "result"]);
    expect(JSON.stringify(it.model.requests[1]!.messages)).not.toContain("Third.");
  });

  it("E16 outlive an interrupt of the first, which ends as an error, before theirs", async () => {
    const { it, let: go } = await waiting();
    expect(await it.ask({ subtype: "interrupt" })).toMatchObject({ response: { still_queued: ["m2", "m3"] } });
    go();
    await expect.poll(() => it.of("result").length, patiently).toBe(3);
    expect(it.of("result")).toMatchObject([
      { subtype: "error_during_execution", is_error: true, user_message_uuid: "m1", errors: ["interrupted"] },
      { subtype: "success", result: "Next.", user_message_uuid: "m2" },
      { subtype: "success", user_message_uuid: "m3" },
    ]);
    expect(await it.end()).toBe(true);
  });

  it("E16 are withdrawn where the host wishes: all with the interrupt, or one by its id", async () => {
    const { it, let: go } = await waiting();
    const cancel = async (message_uuid: string) => it.ask({ subtype: "cancel_async_message", message_uuid });
    expect(await cancel("m2")).toMatchObject({ response: { cancelled: true } });
    expect(await cancel("m1")).toMatchObject({ response: { cancelled: false } });
    expect(await it.ask({ subtype: "interrupt", cancel_queued: true })).toMatchObject({
      response: { still_queued: [], cancelled: ["m3"] },
    });
    go();
    await it.end();
    expect(it.of("result")).toMatchObject([{ subtype: "error_during_execution", user_message_uuid: "m1" }]);
    expect(it.model.requests).toHaveLength(1);
  });

  it("E16 an interrupt counts from the moment a message has come, and the next message goes on", async () => {
    const it = host([says("Again.")]);
    it.push(user("m1", "First."));
    it.push({ type: "control_request", request_id: "r1", request: { subtype: "interrupt" } });
    it.push(user("m2", "Second."));
    await expect.poll(() => it.of("result").length, patiently).toBe(2);
    await it.end();
    expect(it.of("result")).toMatchObject([
      { subtype: "error_during_execution", user_message_uuid: "m1" },
      { subtype: "success", result: "Again.", user_message_uuid: "m2" },
    ]);
  });

  it("E16 one that asks nothing (shouldQuery false) has no turn, and goes along with the next that asks", async () => {
    const it = host([says("Seen.")]);
    it.push({ ...user("m1", "The build is red."), shouldQuery: false });
    it.push(user("m2", "What is wrong?"));
    await expect.poll(() => it.of("result").length, patiently).toBe(1);
    await it.end();
    expect(it.of("result")).toMatchObject([{ result: "Seen.", user_message_uuid: "m2" }]);
    expect(it.model.requests).toHaveLength(1);
    const sent = JSON.stringify(it.model.requests[0]!.messages);
    expect(sent).toContain("The build is red.\\nWhat is wrong?");
  });
});
