/** WebFetch of a page of 1 MB on this machine: the whole call, and how long it holds up the thread of the session. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { webWorkspace } from "../packages/haft/test/support/web.ts";
import { type Figure, p50 } from "./measure.ts";

const ROUNDS = 7;
const WORDS = "The harbour writes down each ship that sails at night, and which of its two lanterns is red. ".repeat(5);
const paragraphs = Array.from(
  { length: 1_850 },
  (_, at) =>
    `<p class="text" id="p-${at}">${WORDS}<a href="/ships/${at}">Ship ${at}</a> came back on <b>day ${at}</b>.</p>`,
);
const PAGE = `<title>Lanterns</title><article><h1>Lanterns</h1>${paragraphs.join("\n")}</article>`;

export async function fetchFigures(): Promise<Figure[]> {
  await using site = await webWorkspace({ "*": PAGE }, { rules: { allow: ["WebFetch"] } });
  const whole: number[] = [];
  const blocked: number[] = [];
  // The first round starts the thread that reads pages.
  for (let round = 0; round <= ROUNDS; round++) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const from = performance.now();
    const { error, content } = await site.haft.call("WebFetch", { url: `${site.server.origin}/${round}` });
    const took = performance.now() - from;
    delay.disable();
    if (error || !JSON.stringify(content).includes("# Lanterns"))
      throw new Error(error?.message ?? "Another page came.");
    whole.push(took);
    blocked.push(delay.max / 1e6);
  }
  const figure = (name: string, value: number, limit: number): Figure => ({ name, value, unit: "ms", limit });
  return [
    figure(`fetch: a page of ${(PAGE.length / 1e6).toFixed(2)} MB, the first of a session`, whole[0]!, 500),
    figure("fetch: the next ones, p50", p50(whole.slice(1)), 500),
    figure("fetch: longest block of the session's thread, p50", p50(blocked.slice(1)), 20),
  ];
}
