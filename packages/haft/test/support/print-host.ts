import { expect } from "vitest";
import { readFlags, runPrint } from "../../src/print/index.ts";
import type { AgentSessionOptions } from "../../src/session/index.ts";
import { type ScriptStep, scriptedModel } from "./scripted-model.ts";
import type { sessionPlaces } from "./session-places.ts";

type Message = Record<string, never>;
type Reply = (request: Record<string, unknown>) => object | Promise<object> | undefined;

/** A host that writes lines and answers requests, with Haft and a scripted model on the other side. */
export function printHost(
  places: ReturnType<typeof sessionPlaces>,
  turns: readonly (readonly ScriptStep[])[],
  args: readonly string[] = [],
  reply: Reply = () => undefined,
  more: AgentSessionOptions = {},
) {
  const place = places.make();
  const model = scriptedModel(turns);
  const said: Message[] = [];
  const warned: string[] = [];
  const queue: string[] = [];
  let wake = Promise.withResolvers<void>();
  let isOver = false;
  const push = (message: object | string) => {
    queue.push(typeof message === "string" ? message : JSON.stringify(message));
    wake.resolve();
  };
  async function* lines() {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) yield next;
      else if (isOver) return;
      else {
        await wake.promise;
        wake = Promise.withResolvers();
      }
    }
  }
  const stream = ["--output-format", "stream-json", "--input-format", "stream-json", "--verbose"];
  const done = runPrint({
    flags: readFlags([...stream, ...args]),
    session: { ...place.options, model, ...more },
    version: "0",
    lines: lines(),
    warn: (text) => void warned.push(text),
    write(text) {
      const message = JSON.parse(text);
      said.push(message);
      if (message.type !== "control_request") return;
      const { request_id, request } = message;
      void Promise.resolve(reply(request)).then((response) => {
        if (response) push({ type: "control_response", response: { subtype: "success", request_id, response } });
      });
    },
  });
  const end = () => {
    isOver = true;
    wake.resolve();
    return done;
  };
  const prompt = async (text: string, uuid?: string) => {
    const before = said.filter(({ type }) => type === "result").length;
    push({
      type: "user",
      message: { role: "user", content: [{ type: "text", text }] },
      parent_tool_use_id: null,
      uuid,
    });
    await expect.poll(() => said.filter(({ type }) => type === "result").length, { timeout: 10_000 }).toBe(before + 1);
    return said.findLast(({ type }) => type === "result") as unknown as Record<string, unknown>;
  };
  const ask = async (request: object) => {
    const request_id = `h${said.length}`;
    push({ type: "control_request", request_id, request });
    const answer = () => said.find((one) => (one as { response?: Message }).response?.request_id === request_id);
    await expect.poll(answer, { timeout: 10_000 }).toBeDefined();
    return (answer() as unknown as { response: Record<string, unknown> }).response;
  };
  const of = (type: string) => said.filter((one) => one.type === type) as unknown as Record<string, unknown>[];
  return { cwd: place.cwd, model, said, warned, push, prompt, ask, of, end };
}
