import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "@haft/service";
import { expect, it } from "vitest";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import { answerRecord } from "./answer.ts";
import { everyApproval } from "./find.ts";

const places = sessionPlaces("inbox");

it("F31 one inbox has the questions of every folder, with agent, effects, folder and expiry", async () => {
  const place = places.make("other");
  const state = stateFolder(join(place.base, "home"), { HAFT_STATE_DIR: join(place.base, "state") });
  const options = { ...place.options, ask: "host", approvalTimeoutMs: 600_000 } as const;
  const here = await places.open(options);
  const there = await places.open({ ...options, cwd: join(place.base, "other") });
  const agent = there.with({ agent: { id: "a1", parent: "main", path: ["main", "writer"] } });
  const ends = [
    here.call("Write", { file_path: "a.txt", content: "x" }),
    agent.call("Write", { file_path: "b.txt", content: "x" }),
  ];
  await expect.poll(() => everyApproval(state).length).toBe(2);
  const found = everyApproval(state);
  const of = (cwd: string) => found.find((one) => one.cwd === cwd)!;
  expect(of(place.cwd).record.request).toMatchObject({ effects: [{ path: join(place.cwd, "a.txt") }] });
  const other = of(join(place.base, "other"));
  expect(other.record.request).toMatchObject({ agent: { path: ["main", "writer"] }, expiresAt: expect.any(String) });
  for (const { folder, record } of found) {
    const yes = () => answerRecord(folder, record.request.id, { behavior: "allow" }, "ada");
    expect(yes()).toEqual({ accepted: true });
    // A repeated answer changes nothing.
    expect(yes()).toMatchObject({ accepted: false, reason: "already_settled" });
  }
  for (const end of ends) expect((await end).error).toBeUndefined();
});

it("F11 an answer to a process that was killed is taken up, also when another process has its id by now", async () => {
  const place = places.make();
  const state = stateFolder(join(place.base, "home"), { HAFT_STATE_DIR: join(place.base, "state") });
  const options = { ...place.options, session: "s1", ask: "host" } as const;
  const killed = await places.open(options);
  void killed.call("Write", { file_path: "a.txt", content: "x" }, { id: "c1" });
  await expect.poll(() => everyApproval(state).length).toBe(1);
  const [{ folder, record } = never()] = everyApproval(state);
  const file = join(folder, `${record.request.id}.json`);
  const written = JSON.parse(readFileSync(file, "utf8")) as { mark: string };
  await killed[Symbol.asyncDispose]();
  const other = spawn("sleep", ["60"]);
  const start = written.mark.split("-")[1];
  writeFileSync(file, JSON.stringify({ ...written, pid: other.pid, mark: `${other.pid}-${start}` }), { mode: 0o600 });
  expect(answerRecord(folder, record.request.id, { behavior: "allow" }, "ada")).toEqual({ accepted: true });
  const later = await places.open(options);
  const { error } = await later.call("Write", { file_path: "a.txt", content: "x" }, { id: "c1" });
  other.kill();
  expect(error).toBeUndefined();
  expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("x");
});

const never = (): never => {
  throw new Error("There is no question.");
};
