import { fileURLToPath } from "node:url";
import { contentsText } from "@haft/core/tool";
import fc from "fast-check";
import { expect, it } from "vitest";
import "../../../../../test/support/seed.ts";
import { say, streamOf } from "../../../../../test/support/anthropic-wire.ts";
import { patience } from "../../../../../test/support/patience.ts";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { scratch } from "../../../test/support/haft-process.ts";
import { mcpWorkspace, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";
import { userMessage } from "../../agent/index.ts";
import { mentionsIn, withMentioned } from "./with-mentioned.ts";

const program = fileURLToPath(new URL("../../../test/support/watched-server.mjs", import.meta.url));
const mcpServers = { one: { command: process.execPath, args: [program, "one"] } };
const signal = new AbortController().signal;

it("Q09 words name resources of known servers, and nothing else that has an @ in it", () => {
  const one = (uri: string) => ({ server: "one", uri });
  const found = (words: string) => mentionsIn(words, ["one", "a.b"]);
  expect(found("See @one:note://shared, and (@a.b:file:///x/y).")).toEqual([
    one("note://shared"),
    { server: "a.b", uri: "file:///x/y" },
  ]);
  expect(found("@one:note://a @one:note://a?")).toEqual([one("note://a")]);
  for (const words of [
    "me@one:note://a",
    "@two:note://a",
    "@one",
    "@one:",
    "@one:plain",
    "git@one:x/y.git",
    "@ one:n:x",
  ])
    expect([words, found(words)]).toEqual([words, []]);
  const uri = fc.stringMatching(/^note:\/\/[a-z/]{1,20}$/);
  const around = fc.stringMatching(/^[a-z ,.]{0,20}$/);
  fc.assert(
    fc.property(fc.array(uri), around, (uris, filler) => {
      const words = uris.map((name) => ` @one:${name} ${filler}`).join("");
      expect(mentionsIn(words, ["one"])).toEqual([...new Set(uris)].map(one));
      expect(mentionsIn(words, [])).toEqual([]);
    }),
  );
});

it("Q09 a named resource goes along behind the words, as its server's; an unreadable one is not left out in silence", async () => {
  using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers, permissions: { allow: ["ReadMcpResource"] } } });
  await using haft = await place.open();
  const said = [userMessage("Before."), userMessage("Read @one:note://of-one please.")];
  const [before, last, ...more] = await withMentioned(haft, said, signal);
  expect([before, more]).toEqual([said[0], []]);
  const words = last?.role === "user" ? contentsText(last.content) : "";
  expect(words).toMatch(
    /^Read @one:note:\/\/of-one please\.\n\[note:\/\/of-one, from the MCP server "one"\..*\]\n.*text/s,
  );
  const plain = [userMessage("Mail me@one:note://x.")];
  expect(await withMentioned(haft, plain, signal)).toBe(plain);
  const careful = haft.with({ rules: { deny: ["call(one/*)"] } });
  await expect(withMentioned(careful, said, signal)).rejects.toMatchObject({ code: "denied_by_rule" });
  await using asking = await place.open({ rules: { ask: ["call(one/*)"] }, ask: async () => ({ behavior: "deny" }) });
  await expect(withMentioned(asking, said, signal)).rejects.toMatchObject({
    message: 'Nothing was sent, because note://of-one of the MCP server "one" could not be read.',
    hint: "Send it again without the @.",
  });
});

it("Q09 words wait for the servers that they name alone, until somebody has enough of it, and say why one is not there", async () => {
  const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
  const off = { command: process.execPath, args: ["-e", "0"], enabled: false };
  const settings = { mcpServers: { ...mcpServers, silent, off }, permissions: { allow: ["ReadMcpResource"] } };
  using place = mcpWorkspace({ [USER_SETTINGS]: settings });
  await using haft = await place.open();
  const send = (words: string, stop = signal) => withMentioned(haft, [userMessage(words)], stop);
  const [last] = await send("Read @one:note://of-one please.");
  expect(last?.role === "user" ? contentsText(last.content) : "").toContain("not the user's");
  expect(haft.mcp.list().find(({ server }) => server.name === "silent")?.state).toBe("connecting");
  await expect(send("@silent:note://x", AbortSignal.timeout(300))).rejects.toThrow(/timeout/);
  await expect(send("@off:note://x")).rejects.toMatchObject({ message: expect.stringContaining('"off" is') });
  // As long as it is, what looks like an address costs little.
  const started = performance.now();
  expect(mentionsIn(`@one:note:${".".repeat(200_000)}x`, ["one"])).toHaveLength(1);
  expect(performance.now() - started).toBeLessThan(patience(2_000));
});

it("Q09 haft run sends them, and sends nothing where a rule forbids to read them", { timeout: 30_000 }, async () => {
  using place = scratch();
  await using server = await wireServer([{ events: streamOf([say("Read.")]) }]);
  const settings = place.write("s.json", JSON.stringify({ mcpServers, permissions: { allow: ["ReadMcpResource"] } }));
  const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const args = ["run", "Read @one:note://of-one.", "--model", "anthropic/claude-test", "--settings", settings];
  const done = await place.haft(args, { env });
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("Read.")]);
  expect(server.bodies[0]).toContain("This is the server's text, not the user's");
  const refused = await place.haft([...args, "--deny", "call(one/*)"], { env });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("call(one/*)");
  expect(server.bodies).toHaveLength(1);
});
