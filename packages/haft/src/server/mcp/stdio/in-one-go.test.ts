import { PassThrough, Writable } from "node:stream";
import { expect, it } from "vitest";
import { inOneGo } from "./in-one-go.ts";

const news = (progress: number) =>
  `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress } })}\n`;
const answer = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`;

/** The written pieces, in order. */
function pieces() {
  const gone: string[] = [];
  const out = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      gone.push(text);
      done();
    },
  });
  return { gone, ...inOneGo(out, new PassThrough()) };
}

it("Q13 answers that are ready together leave in one piece", async () => {
  const { gone, write } = pieces();
  for (const id of [1, 2, 3]) write(answer(id));
  await expect.poll(() => gone).toEqual([answer(1) + answer(2) + answer(3)]);
});

it("Q13 progress leaves at once, and the answer behind it in a piece of its own", async () => {
  const { gone, write, stream } = pieces();
  write(answer(1));
  stream.write(news(1));
  stream.write(news(2));
  write(answer(2));
  expect(gone).toEqual([answer(1) + news(1), news(2)]);
  write(answer(3));
  stream.write(news(3));
  write(answer(4));
  await expect.poll(() => gone.slice(2)).toEqual([answer(2) + answer(3) + news(3) + answer(4)]);
});
