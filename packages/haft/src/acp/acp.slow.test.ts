import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { client, ndJsonStream, type RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { expect, it } from "vitest";
import { call, say, streamOf } from "../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { scratch } from "../../test/support/haft-process.ts";

// The program as editors start it, with the official client and a model on the wire.
it("E16 F28 an editor drives the program: a command is asked about in full, runs after the yes, and the end of input ends it", {
  tags: ["smoke"],
}, async () => {
  using place = scratch();
  const command = "touch made.txt && echo from the shell";
  await using server = await wireServer([
    { events: streamOf([call("t1", "Bash", { command })]) },
    { events: streamOf([say("Made it.")]) },
  ]);
  const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const child = place.start(["acp", "--model", "anthropic/claude-test"], env);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const asked: RequestPermissionRequest[] = [];
  let text = "";
  const connection = client()
    .onNotification("session/update", ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") text += update.content.text;
    })
    .onRequest("session/request_permission", ({ params }) => {
      expect(existsSync(join(place.cwd, "made.txt"))).toBe(false);
      asked.push(params);
      return { outcome: { outcome: "selected", optionId: "allow" } };
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  const { agent } = connection;
  await agent.request("initialize", { protocolVersion: 1 });
  const { sessionId } = await agent.request("session/new", { cwd: place.cwd, mcpServers: [] });
  const turn = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Make it." }] });
  expect(turn).toEqual({ stopReason: "end_turn" });
  expect(JSON.stringify(asked[0]!.toolCall.content)).toContain(command);
  expect(existsSync(join(place.cwd, "made.txt"))).toBe(true);
  expect(text).toContain("Made it.");
  child.stdin.end();
  expect(await ended).toBe(0);
  connection.close();
});
