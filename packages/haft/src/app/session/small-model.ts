import type { SmallModel } from "@haft/core/tool";
import type { Environment } from "../../agent/index.ts";

/** Most characters of an answer; a longer one is stopped. */
const MOST_CHARS = 32_000;

/** The model that the user chose for small tasks of tools. It gets no tools itself. */
export const smallModel = (name: string, env: Environment): SmallModel => ({
  name,
  async ask({ system, prompt, signal }) {
    const { openModel } = await import("../../agent/index.ts");
    const model = await openModel(name, env);
    const stop = new AbortController();
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: prompt }] }];
    let answer = "";
    const either = AbortSignal.any([signal, stop.signal]);
    for await (const event of model.step({ system, messages, tools: [], signal: either })) {
      if (event.type === "delta" && event.of === "text") answer += event.text;
      if (event.type === "error" && !stop.signal.aborted) throw event.error;
      if (answer.length >= MOST_CHARS) stop.abort();
    }
    signal.throwIfAborted();
    return answer.slice(0, MOST_CHARS);
  },
});
