import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import "../../../../test/support/seed.ts";
import { runs } from "../../../../test/support/runs.ts";
import {
  type Heard,
  OTHER_TOKEN,
  type TestServer,
  type TestSocket,
  testServer,
} from "../../test/support/console-server.ts";
import { calls, finish, says, scriptedModel } from "../../test/support/scripted-model.ts";

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

const SESSIONS = 6;

it("U18 three clients answer the questions of many sessions in any order: each gets exactly one answer", {
  timeout: 60_000,
}, async () => {
  let files = 0;
  server = await testServer(
    // An existing file would first have to be read.
    () =>
      scriptedModel([[calls("c1", "Write", { file_path: `${++files}.txt`, content: "x" }), finish()], says("Done.")]),
    { session: { settings: false, journal: false } },
  );
  const clients = [await server.connect(), await server.connect({ token: OTHER_TOKEN }), await server.connect()];
  let round = 0;
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.nat(SESSIONS - 1), fc.nat(2), fc.boolean()), { minLength: SESSIONS, maxLength: 40 }),
    async (steps) => {
      round++;
      const ids = await Promise.all(
        Array.from({ length: SESSIONS }, async () =>
          String((await server.ask("POST", "/api/sessions", { prompt: "Go." })).id),
        ),
      );
      const asked = await Promise.all(clients.map((one) => Promise.all(ids.map((id) => question(one, id)))));
      expect(asked.map((list) => list.map(({ id }) => id))).toEqual(Array(3).fill(asked[0]!.map(({ id }) => id)));
      // Everybody whom the random steps leave out answers at the end, so no question stays open.
      const last = ids.map((_, session) => [session, 0, true] as const);
      const given = [...steps, ...last].map(([session, by, allow], at) => {
        const { id, digest } = asked[by]![session]!;
        const ref = `${round}-${at}`;
        clients[by]!.send({
          type: "answer",
          id,
          digest,
          answer: { behavior: allow ? "allow" : "deny", message: ref },
          ref,
        });
        return clients[by]!.next((message) => message.ref === ref).then(({ receipt }) => ({
          ...{ session, accepted: (receipt as { accepted: boolean }).accepted },
        }));
      });
      const receipts = await Promise.all(given);
      for (const session of ids.keys())
        expect(receipts.filter((one) => one.session === session && one.accepted)).toHaveLength(1);
      await Promise.all(
        clients.flatMap((one) =>
          ids.map((id) => one.next(({ type, session }) => type === "settled" && session === id)),
        ),
      );
      expect(await server.ask("GET", "/api/approvals")).toEqual({ approvals: [] });
      await Promise.all(ids.map((id) => server.ask("POST", `/api/sessions/${id}/close`)));
      for (const { heard } of clients) heard.length = 0;
    },
  );
  await fc.assert(property, { numRuns: runs(10) });
});

async function question(
  client: TestSocket,
  session: string,
): Promise<{ readonly id: string; readonly digest: string }> {
  const { item } = await client.next((message) => message.type === "asked" && itemOf(message).session === session);
  const { request, digest } = item as { request: { id: string }; digest: string };
  return { id: request.id, digest };
}

const itemOf = ({ item }: Heard) => item as { readonly session: string };
