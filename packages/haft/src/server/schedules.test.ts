import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { OTHER_TOKEN, type TestServer, type TestSocket, testServer } from "../../test/support/console-server.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import type { Model } from "../agent/index.ts";
import { openSession } from "../session/index.ts";

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

/** Writes these files, and says what came of it. */
const writer = (...files: string[]): Model => ({
  name: "test/scripted",
  async *step({ messages }) {
    if (messages.at(-1)?.role === "results") return yield* says("Done.");
    for (const [n, file] of files.entries()) yield calls(`c${n}`, "Write", { file_path: file, content: "report" });
    yield finish();
  },
});

interface Asked {
  readonly session: string;
  readonly folder?: string;
  readonly from?: object;
  readonly isWaiting: boolean;
  readonly digest: string;
  readonly request: { readonly id: string; readonly tool: string; readonly effects: readonly { path?: string }[] };
}

const asked = async (socket: TestSocket): Promise<Asked> =>
  (await socket.next(({ type }) => type === "asked")).item as Asked;

const yes = ({ request, digest }: Asked) =>
  server.ask("POST", `/api/approvals/${request.id}/answer`, { digest, answer: { behavior: "allow" } });

it("U18 F31 the inbox has the questions of other folders, and its answer lets their call go on", async () => {
  server = await testServer(writer());
  const cwd = join(server.base, "elsewhere");
  mkdirSync(cwd);
  const [socket, other] = [await server.connect(), await server.connect({ token: OTHER_TOKEN })];
  await using session = await openSession({
    ...{ cwd, home: join(server.base, "home"), stateDir: join(server.base, "state"), env: {}, onNotice: () => {} },
    ...{ model: writer("a.txt"), ask: "host" },
  });
  const end = session.prompt("Write it.");
  const item = await asked(socket);
  expect(item).toMatchObject({ session: session.id, folder: cwd, isWaiting: true });
  await other.next(({ type }) => type === "asked");
  expect(await yes(item)).toEqual({ accepted: true });
  expect(await yes(item)).toMatchObject({ error: { code: "already_settled" } });
  for (const one of [socket, other])
    expect(await one.next(({ type }) => type === "settled")).toMatchObject({
      ...{ id: item.request.id, by: "ann", behavior: "allow" },
    });
  expect(await end).toMatchObject({ reason: "answered" });
  expect(existsSync(join(cwd, "a.txt"))).toBe(true);
});

it("N11 U18 a schedule is added, approved, fired and answered through the server", async () => {
  const files = ["report.txt"];
  server = await testServer(() => writer(...files));
  const socket = await server.connect();
  const draft = { expression: "0 3 * * *", zone: "UTC", prompt: "Write the report.", name: "nightly" };
  expect(await server.ask("POST", "/api/schedules", { ...draft, expression: "0 3" })).toMatchObject({
    error: { message: expect.stringContaining("five fields") },
  });
  expect(await server.ask("POST", "/api/schedules", draft)).toMatchObject({ state: "asked" });
  const question = await asked(socket);
  expect(question.request.tool).toBe("cron");
  await yes(question);
  await socket.next(({ type }) => type === "schedules");
  const listed = async () => ((await server.ask("GET", "/api/schedules")).schedules as { id: string }[])[0]!;
  const { id } = await listed();
  expect(await listed()).toMatchObject({ name: "nightly", grant: ["Edit(/report.txt)"], enabled: true, firings: [] });
  expect(JSON.stringify(await listed())).not.toContain("options");

  // The firing does more than was approved: the rest asks in the inbox, with the name of the schedule.
  files.push("other.txt");
  await server.ask("POST", `/api/schedules/${id}/run`);
  const deviation = await asked(socket);
  expect(deviation).toMatchObject({
    from: { kind: "schedule", label: "nightly" },
    isWaiting: true,
    request: { effects: [{ path: join(server.cwd, "other.txt") }] },
  });
  await yes(deviation);
  await expect.poll(async () => (await listed()) as object).toMatchObject({ firings: [{ status: "completed" }] });
  expect(readFileSync(join(server.cwd, "other.txt"), "utf8")).toBe("report");
  await server.ask("POST", `/api/schedules/${id}/pause`);
  expect(await listed()).toMatchObject({ enabled: false });
  await server.ask("POST", `/api/schedules/${id}/remove`);
  expect(await server.ask("GET", "/api/schedules")).toEqual({ schedules: [] });
  expect(await server.ask("POST", `/api/schedules/${id}/run`)).toMatchObject({ error: { code: "invalid_input" } });
});
