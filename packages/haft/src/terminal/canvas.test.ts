import { stateFolder } from "@haft/service";
import { expect, it } from "vitest";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { TerminalCanvas } from "./canvas.ts";

const sessions = agentSessions("terminal-canvas");

it("M04 in the terminal the first page brings a link; the console behind it shows the session and answers", async () => {
  const { options } = sessions.make();
  let unseen = 0;
  const server = { version: "0", base: options, cwd: options.cwd!, state: stateFolder(options.home!, options.env) };
  const canvas = new TerminalCanvas(
    async () => server,
    () => unseen++,
  );
  const { session } = await sessions.open([], { ...options, canvas: canvas.board });
  canvas.attach(session);
  try {
    const { error } = await session.haft.call("canvas", { action: "present", title: "Plan", markdown: "# Plan" });
    expect([error?.code, unseen]).toEqual(["tool_unavailable", 1]);
    expect(error?.hint).toContain("/canvas");
    // The token is for the person: no word of it reaches the model.
    const link = new URL(await canvas.link());
    const token = /#token=([\w-]+)&page=\/s\/([\w-]+)\/canvas$/.exec(link.hash);
    expect(token?.[2]).toBe(session.id);
    expect(error?.hint).not.toContain(token![1]);
    const get = (path: string, init: RequestInit = {}) => fetch(`${link.origin}${path}`, init);
    expect((await get("/api/sessions")).status).toBe(401);
    const headers = { Authorization: `Bearer ${token![1]}` };
    const { sessions: known } = (await (await get("/api/sessions", { headers })).json()) as { sessions: object[] };
    expect(known).toMatchObject([{ id: session.id, isOpen: true }]);
    expect(await canvas.link()).toBe(link.href);
  } finally {
    await canvas.close();
  }
  // The server lends the session only: it goes on in the terminal.
  expect(await session.haft.call("canvas", { action: "hide" })).not.toHaveProperty("error");
});
