import type { Answer, Receipt } from "@haft/core/approval";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import "../../../../test/support/seed.ts";
import { patience } from "../../../../test/support/patience.ts";
import { runs } from "../../../../test/support/runs.ts";
import {
  type Heard,
  OTHER_TOKEN,
  type TestServer,
  type TestSocket,
  testServer,
} from "../../test/support/console-server.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import type { Model } from "../agent/index.ts";

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

/** In the full run: 50 sessions with 20 questions each, so 1,000 questions, each with an interleaving of its own. */
const SESSIONS = runs(50);
const ROUNDS = Math.min(20, runs(20));

/** An answer of one face, some turns of the event loop after the question. */
const attempt = fc.record({ face: fc.nat(2), allow: fc.boolean(), after: fc.nat(3) });
/** For each session the answers to its question: at least two faces try. */
const interleavings = fc.array(fc.array(attempt, { minLength: 2, maxLength: 5 }), {
  minLength: SESSIONS,
  maxLength: SESSIONS,
});

it("U18 three faces answer the questions of many sessions in any order: each gets exactly one answer", {
  timeout: patience(300_000),
}, async () => {
  let files = 0;
  const model: Model = {
    name: "test/writer",
    async *step({ messages }) {
      // An existing file would first have to be read.
      const write = () => [calls(`c${++files}`, "Write", { file_path: `${files}.txt`, content: "x" }), finish()];
      yield* messages.at(-1)?.role === "user" ? write() : says("Done.");
    },
  };
  server = await testServer(model, { session: { settings: false, journal: false } });
  const clients = [await server.connect(), await server.connect({ token: OTHER_TOKEN })];
  const start = async () => String((await server.ask("POST", "/api/sessions", {})).id);
  const ids = await Promise.all(Array.from({ length: SESSIONS }, start));
  let refs = 0;
  const faces: readonly Face[] = [
    async ({ id, digest }, answer) => {
      const ref = `r${++refs}`;
      clients[0]!.send({ type: "answer", id, digest, answer, ref });
      const { receipt } = await clients[0]!.next((message) => message.ref === ref);
      return (receipt as Receipt).accepted;
    },
    async ({ id, digest }, answer) =>
      (await server.ask("POST", `/api/approvals/${id}/answer`, { digest, answer })).accepted === true,
    // A face in the process of the session, such as the terminal UI.
    async ({ id }, answer, session) =>
      server.handle.parts.rooms.get(session)!.agent.haft.answer(id, answer, "cleo").accepted,
  ];

  async function round(attempts: readonly (readonly Attempt[])[]): Promise<void> {
    const prompted = ids.map((id) => server.ask("POST", `/api/sessions/${id}/prompt`, { text: "Go.", wait: true }));
    const asked = await Promise.all(clients.map((one) => Promise.all(ids.map((id) => question(one, id)))));
    expect(asked[1]).toEqual(asked[0]);
    const accepted = await Promise.all(
      ids.map((session, at) =>
        Promise.all(
          attempts[at]!.map(async ({ face, allow, after }) => {
            for (let turns = 0; turns < after; turns++) await new Promise(setImmediate);
            return faces[face]!(asked[0]![at]!, { behavior: allow ? "allow" : "deny" }, session);
          }),
        ),
      ),
    );
    expect(accepted.map((receipts) => receipts.filter(Boolean).length)).toEqual(ids.map(() => 1));
    await Promise.all(clients.flatMap((one) => ids.map((id) => one.next(isSettled(id)))));
    await Promise.all(prompted);
    expect(await server.ask("GET", "/api/approvals")).toEqual({ approvals: [] });
    for (const { heard } of clients) heard.length = 0;
  }

  await fc.assert(fc.asyncProperty(interleavings, round), { numRuns: ROUNDS, endOnFailure: true });
});

interface Attempt {
  readonly face: number;
  readonly allow: boolean;
  readonly after: number;
}

interface Asked {
  readonly id: string;
  readonly digest: string;
}

/** Gives an answer, and says whether it counted. */
type Face = (question: Asked, answer: Answer, session: string) => Promise<boolean>;

const isSettled = (id: string) => (message: Heard) => message.type === "settled" && message.session === id;

async function question(client: TestSocket, session: string): Promise<Asked> {
  const { item } = await client.next((message) => message.type === "asked" && itemOf(message).session === session);
  const { request, digest } = item as { request: { id: string }; digest: string };
  return { id: request.id, digest };
}

const itemOf = ({ item }: Heard) => item as { readonly session: string };
