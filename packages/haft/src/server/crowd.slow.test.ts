import { afterEach, expect, it } from "vitest";
import { type TestServer, testServer } from "../../test/support/console-server.ts";
import { says, scriptedModel } from "../../test/support/scripted-model.ts";

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

/** Many sessions, each with a prompt, and one client that watches all of them. */
async function crowd(count: number): Promise<void> {
  server = await testServer(() => scriptedModel([says("Done.")]), { session: { settings: false, journal: false } });
  const client = await server.connect();
  const start = async (): Promise<string> => String((await server.ask("POST", "/api/sessions", {})).id);
  const ids = await Promise.all(Array.from({ length: count }, start));
  for (const session of ids) client.send({ type: "watch", session, after: 0 });
  const ends = ids.map((id) =>
    client.next(
      ({ type, session, event }) => type === "event" && session === id && (event as { type: string }).type === "end",
    ),
  );
  for (const session of ids) client.send({ type: "prompt", session, text: "Go." });
  await Promise.all(ends);
  const { sessions } = await server.ask("GET", "/api/sessions");
  expect((sessions as { isOpen: boolean; status: string }[]).map(({ isOpen, status }) => [isOpen, status])).toEqual(
    ids.map(() => [true, "idle"]),
  );
}

it("U18 ten sessions work at the same time, and one client hears each of them", { tags: ["smoke"] }, () => crowd(10));

it("U18 100 sessions work at the same time, and one client hears each of them", { timeout: 60_000 }, () => crowd(100));
