import type { Answer, Receipt } from "@haft/core/approval";
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

/** In the full run: 50 sessions, and 1,000 answers in each round. */
const SESSIONS = runs(50);
const ANSWERS = runs(1_000);

it("U18 three faces answer the questions of many sessions in any order: each gets exactly one answer", {
  timeout: 120_000,
}, async () => {
  let files = 0;
  server = await testServer(
    // An existing file would first have to be read.
    () =>
      scriptedModel([[calls("c1", "Write", { file_path: `${++files}.txt`, content: "x" }), finish()], says("Done.")]),
    { session: { settings: false, journal: false } },
  );
  const clients = [await server.connect(), await server.connect({ token: OTHER_TOKEN })];
  const overSocket = async (id: string, digest: string, answer: Answer, ref: string): Promise<boolean> => {
    clients[0]!.send({ type: "answer", id, digest, answer, ref });
    const { receipt } = await clients[0]!.next((message) => message.ref === ref);
    return (receipt as Receipt).accepted;
  };
  const overHttp = async (id: string, digest: string, answer: Answer): Promise<boolean> =>
    (await server.ask("POST", `/api/approvals/${id}/answer`, { digest, answer })).accepted === true;
  // A face in the process of the session, such as the terminal UI.
  const inProcess = async (id: string, answer: Answer, session: string): Promise<boolean> =>
    server.handle.parts.rooms.get(session)!.agent.haft.answer(id, answer, "cleo").accepted;
  let round = 0;
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.nat(SESSIONS - 1), fc.nat(2), fc.boolean()), { minLength: ANSWERS, maxLength: ANSWERS }),
    async (steps) => {
      round++;
      const ids = await Promise.all(
        Array.from({ length: SESSIONS }, async () =>
          String((await server.ask("POST", "/api/sessions", { prompt: "Go." })).id),
        ),
      );
      const asked = await Promise.all(clients.map((one) => Promise.all(ids.map((id) => question(one, id)))));
      expect(asked[1]).toEqual(asked[0]);
      // Somebody answers everything that the random steps leave out, so no question stays open.
      const last = ids.map((_, session) => [session, 0, true] as const);
      const given = [...steps, ...last].map(async ([session, face, allow], at) => {
        const { id, digest } = asked[0]![session]!;
        const ref = `${round}-${at}`;
        const answer: Answer = { behavior: allow ? "allow" : "deny", message: ref };
        const by = [overSocket, overHttp, (_id: string, _digest: string) => inProcess(id, answer, ids[session]!)];
        return { session, accepted: await by[face]!(id, digest, answer, ref) };
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
  await fc.assert(property, { numRuns: 1 });
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
