import { testServer } from "../../haft/test/support/console-server.ts";
import { finish, type ScriptStep, scriptedModel } from "../../haft/test/support/scripted-model.ts";

const ROWS = 1_000;

/**
 * A server with a session of 10,000 events: texts of nine deltas and a part each. The functions run in the page.
 * `pieces`: how many the model writes when it speaks again.
 */
export async function longSession(consoleFolder: string, pieces = 20) {
  const text = (at: number) => `Row ${at}: the tests of this part pass, and here is why.`;
  const steps = Array.from({ length: ROWS }, (_, at): ScriptStep[] => {
    const [key, words] = [`t${at}`, text(at)];
    const deltas = Array.from({ length: 9 }, (_, part): ScriptStep => {
      const end = part === 8 ? undefined : part * 6 + 6;
      return { type: "delta", key, of: "text", text: words.slice(part * 6, end) };
    });
    return [...deltas, { type: "part", key, part: { type: "text", text: words } }];
  });
  const news = Array.from({ length: pieces }, (): ScriptStep[] => {
    const delta = { type: "delta" as const, key: "n", of: "text" as const, text: "" };
    return [() => new Promise((resolve) => setTimeout(resolve, 60)), () => said(delta), delta];
  });
  const server = await testServer(
    scriptedModel([
      [...steps.flat(), finish("stop")],
      [...news.flat(), finish("stop")],
    ]),
    { consoleFolder },
  );
  const { id } = await server.ask("POST", "/api/sessions", {});
  await server.ask("POST", `/api/sessions/${id}/prompt`, { text: "Look at everything.", wait: true });
  return {
    url: server.handle.url,
    rows: ROWS,
    open: `(async () => {
      const from = performance.now();
      location.hash = "#/s/${id}";
      for (;;) {
        const found = [...document.querySelectorAll(".stream-scroll")].flatMap((box) => box.textContent.match(/Row \\d+/g) ?? []).at(-1);
        if (found) return { ms: performance.now() - from, last: Number(found.slice(4)) };
        await new Promise(requestAnimationFrame);
      }
    })()`,
    /** Scrolls up by less than a window at a time, and notes each row that was in sight. */
    scrollUp: `(async () => {
      const box = document.querySelector(".stream-scroll");
      const seen = new Set();
      for (let still = 0; still < 30; ) {
        const { top, bottom } = box.getBoundingClientRect();
        const before = seen.size;
        for (const child of box.querySelectorAll(".row, .markdown, p")) {
          const place = child.getBoundingClientRect();
          const found = /^Row (\\d+):/.exec(child.textContent);
          if (found && place.bottom > top && place.top < bottom) seen.add(Number(found[1]));
        }
        still = seen.size > before ? 0 : still + 1;
        box.scrollTop -= box.clientHeight * 0.8;
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        if (seen.has(0)) break;
      }
      return [...seen].sort((a, b) => a - b);
    })()`,
    /**
     * Notes how many milliseconds each piece of news took from the model to the page, and how many frames passed between
     * its message and the text on the page. Needs `hearSockets`.
     */
    watchNews: `(() => {
      const box = document.querySelector(".stream-scroll");
      const [waits, frames, heard] = [[], [], []];
      let frame = 0;
      const count = () => requestAnimationFrame(() => { frame++; count(); });
      count();
      window.haftHeard = (data) => { if (/said at \\d+/.test(data)) heard.push(frame); };
      window.haftNews = new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          const said = box.textContent.match(/said at \\d+/g) ?? [];
          for (; waits.length < said.length; ) {
            frames.push(frame - heard[waits.length]);
            waits.push(Date.now() - Number(said[waits.length].slice(8)));
          }
          if (waits.length === ${pieces}) resolve({ waits, frames });
        });
        observer.observe(box, { subtree: true, childList: true, characterData: true });
      });
      return "ready";
    })()`,
    /** Makes the model speak again. */
    sayMore: () => server.ask("POST", `/api/sessions/${id}/prompt`, { text: "And now?", wait: true }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The time stands in the text when it is said, not when it is written down here. */
async function said(delta: { text: string }): Promise<void> {
  delta.text = `said at ${Date.now()}. `;
}
