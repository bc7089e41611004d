import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalRequest } from "@haft/core/approval";
import { contentsText, defineTool, type Result, type Schedule, state } from "@haft/core/tool";
import { stateFolder } from "@haft/service";
import { openSchedules } from "@haft/service/schedules";
import { describe, expect, it } from "vitest";
import { agentSessions } from "../../../test/support/agent-sessions.ts";
import { calls, finish, says } from "../../../test/support/scripted-model.ts";
import type { Model } from "../../agent/index.ts";
import { answerRecord } from "../../app/approval/answer.ts";
import { findApprovals } from "../../app/approval/find.ts";
import { createFire } from "./fire.ts";

const sessions = agentSessions("schedule");
const textOf = ({ content }: Result) => contentsText(content);

/** A model that makes these writes, and says what came of them. */
const writer = (...files: string[]): Model => ({
  name: "test/writer",
  async *step({ messages }) {
    if (messages.at(-1)?.role !== "results") {
      for (const [n, file] of files.entries())
        yield calls(`${messages.length}-${n}`, "Write", { file_path: file, content: "report" });
      yield finish();
    } else yield* says("The report is written.");
  },
});
const DRAFT = { action: "add", expression: "0 3 * * *", zone: "Europe/Berlin", prompt: "Write the report." };

function place() {
  const made = sessions.make();
  const state = stateFolder(join(made.base, "home"), { HAFT_STATE_DIR: join(made.base, "state") });
  return { ...made, state };
}

/** Adds a schedule with the rehearsal of a model; the person says yes. */
async function added(model: Model, input: object = DRAFT) {
  const at = place();
  const asked: ApprovalRequest[] = [];
  const { session } = await sessions.open([], {
    ...at.options,
    model,
    ask: async (request) => {
      asked.push(request);
      return { behavior: "allow" };
    },
  });
  const result = await session.haft.call("cron", input);
  const [schedule] = (result.output as { schedules: Schedule[] } | undefined)?.schedules ?? [];
  return { ...at, session, asked, result, id: schedule?.id ?? "" };
}

async function fired({ state, options, id }: Awaited<ReturnType<typeof added>>, model: Model) {
  const store = await openSchedules(state);
  try {
    const fire = createFire({ home: options.home!, env: {}, stateDir: options.stateDir!, model, onNotice: () => {} });
    return await fire(store.get(id), new AbortController().signal);
  } finally {
    store.close();
  }
}

describe("cron", () => {
  it("N11 rehearses a schedule with nothing becoming real; its rules are shown and approved once, in every mode", async () => {
    const { asked, result, cwd } = await added(writer("out/report.txt"));
    expect(existsSync(join(cwd, "out"))).toBe(false);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked[0]?.show)).toContain('[["Edit(/out/report.txt)"]]');
    expect(asked[0]?.why).toContain("It will run unattended later");
    expect(textOf(result)).toContain("may: Edit(/out/report.txt)");
    const { session } = await sessions.open([], { ...place().options, mode: "bypassPermissions", model: writer("x") });
    expect((await session.haft.call("cron", DRAFT)).error?.code).toBe("needs_approval");
  });

  it("N11 a firing does silently what was approved", async () => {
    const one = await added(writer("report.txt"));
    expect(await fired(one, writer("report.txt"))).toMatchObject({
      status: "completed",
      text: "The report is written.",
    });
    expect(readFileSync(join(one.cwd, "report.txt"), "utf8")).toBe("report");
    const listed = await one.session.haft.call("sessions_list", { kind: "schedule" });
    expect(textOf(listed)).toBe("No session matches.");
  });

  it("N11 a deviation waits in the inbox: a yes from elsewhere lets it go on", async () => {
    const one = await added(writer("report.txt"));
    const end = fired(one, writer("report.txt", "other.txt"));
    const [found] = await untilAsked(() =>
      findApprovals(one.state, one.cwd).filter(({ record }) => record.state === "open"),
    );
    expect(found!.record.request).toMatchObject({ tool: "Write", effects: [{ path: join(one.cwd, "other.txt") }] });
    answerRecord(found!.folder, found!.record.request.id, { behavior: "allow" }, "ada");
    expect(await end).toMatchObject({ status: "completed" });
    expect(existsSync(join(one.cwd, "other.txt"))).toBe(true);
  });

  it("N11 without an answer by the deadline the call is refused, the run goes on and ends needs_you", async () => {
    const one = await added(writer("report.txt"), { ...DRAFT, deadline_minutes: 1 });
    const store = await openSchedules(one.state);
    const schedule = { ...store.get(one.id), deadlineMinutes: 0.002 };
    store.close();
    const { options } = one;
    const fire = createFire({
      ...{ home: options.home!, env: {}, stateDir: options.stateDir!, onNotice: () => {} },
      model: writer("report.txt", "other.txt"),
    });
    const end = await fire(schedule, new AbortController().signal);
    expect(end).toMatchObject({ status: "needs_you", text: "The report is written." });
    expect(end.open).toEqual([expect.stringContaining("other.txt")]);
    expect(existsSync(join(one.cwd, "other.txt"))).toBe(false);
    expect(existsSync(join(one.cwd, "report.txt"))).toBe(true);
  });

  it("N11 a schedule whose tool is gone ends needs_you, and names the tool", async () => {
    const at = place();
    const Publish = defineTool({
      ...{ name: "Publish", description: "Publishes.", can: ["state"] as const },
      input: { type: "object", properties: {} } as const,
      effects: () => [state("site")],
      run: () => "published",
    });
    const publisher: Model = {
      name: "test/publisher",
      async *step({ messages }) {
        if (messages.at(-1)?.role !== "results") yield* [calls("p", "Publish", {}), finish()];
        else yield* says("Published.");
      },
    };
    const { session } = await sessions.open([], {
      ...at.options,
      ...{ model: publisher, tools: [Publish], ask: async () => ({ behavior: "allow" }) },
    });
    const result = await session.haft.call("cron", DRAFT);
    const [schedule] = (result.output as { schedules: Schedule[] }).schedules;
    expect(schedule?.grant).toEqual(["Publish"]);
    // The session that fires has no such tool.
    const end = await fired({ ...at, session, asked: [], result, id: schedule!.id }, publisher);
    expect(end).toMatchObject({ status: "needs_you", text: "Published.", open: ["Publish is gone"] });
  });

  it("N11 has its creator's rights and never more: a deny rule holds, an allow rule stays behind", async () => {
    const at = place();
    const { session } = await sessions.open([], {
      ...at.options,
      model: writer("free.txt"),
      rules: { deny: ["write(secret/**)"], allow: ["Write"] },
      ask: async () => ({ behavior: "allow" }),
    });
    const result = await session.haft.call("cron", DRAFT);
    const { id } = (result.output as { schedules: Schedule[] }).schedules[0]!;
    const store = await openSchedules(at.state);
    expect(store.get(id)).toMatchObject({
      grant: ["Edit(/free.txt)"],
      options: { rules: { deny: ["write(secret/**)"] } },
    });
    const schedule = { ...store.get(id), deadlineMinutes: 0.002 };
    store.close();
    const fire = createFire({
      ...{ home: at.options.home!, env: {}, stateDir: at.options.stateDir!, onNotice: () => {} },
      model: writer("free.txt", "secret/x", "more.txt"),
    });
    const end = await fire(schedule, new AbortController().signal);
    expect(end.open).toEqual([expect.stringContaining("more.txt")]);
    expect(existsSync(join(at.cwd, "secret"))).toBe(false);
  });

  it.each([
    [{ expression: "0 3 * *" }, "does not have five fields"],
    [{ expression: "61 3 * * *" }, "cannot be read"],
    [{ expression: "0 0 31 2 *" }, "never matches"],
    [{ zone: "Mars/Base" }, "is not a time zone"],
  ])("N11 refuses what cannot be planned: %o", async (wrong, words) => {
    const { result, asked } = await added(writer("x"), { ...DRAFT, ...wrong });
    expect(result.error?.message).toContain(words);
    expect(asked).toEqual([]);
  });

  it("N11 lists, pauses and removes; a changed file does not run", async () => {
    const one = await added(writer("x"));
    const { haft } = one.session;
    const act = async (action: string) => textOf(await haft.call("cron", { action, id: one.id }));
    expect(await act("list")).toMatch(/0 3 \* \* \* \(Europe\/Berlin\); next \d{4}-.*never run/);
    expect(await act("pause")).toContain("paused");
    expect(await act("resume")).toContain("next");
    const store = await openSchedules(one.state);
    expect(store.get(one.id).isApproved).toBe(true);
    store.close();
    const { DatabaseSync } = await import("node:sqlite");
    const raw = new DatabaseSync(join(one.state.root, "schedules.db"));
    raw.exec(`UPDATE schedule SET body = replace(body, 'Write the report.', 'Push to main.')`);
    raw.close();
    const again = await openSchedules(one.state);
    expect(again.get(one.id).isApproved).toBe(false);
    again.close();
    expect(await act("remove")).toContain(one.id);
    expect(await act("list")).toBe("There are no schedules in this folder.");
    writeFileSync(join(one.cwd, "done"), "");
  });
});

/** The open questions, as soon as there is one. */
async function untilAsked<T>(find: () => readonly T[]): Promise<readonly T[]> {
  for (;;) {
    const found = find();
    if (found.length > 0) return found;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}
