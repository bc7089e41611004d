import fc from "fast-check";
import { expect, it } from "vitest";
import "../../../../../test/support/seed.ts";
import { PastedTexts } from "../../terminal/input/pasted-texts.ts";
import { pasteReader } from "./paste.ts";

function read(chunks: readonly string[]) {
  const seen: (readonly [string, string])[] = [];
  const add = (kind: string) => (text: string) => {
    const last = seen.at(-1);
    if (kind === "keys" && last?.[0] === "keys") seen[seen.length - 1] = ["keys", last[1] + text];
    else seen.push([kind, text]);
  };
  const reader = pasteReader(add("keys"), add("paste"));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return seen;
}

it("E24 pasted text comes as a whole, in any pieces, and keys around it stay keys", () => {
  const whole = "ab\u001b[200~one\r\n!two\u001b[A\u001b[201~c\u001b[A";
  const expected = [
    ["keys", "ab"],
    ["paste", "one\n!two\u001b[A"],
    ["keys", "c\u001b[A"],
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length), { maxLength: 6 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      expect(read(places.slice(1).map((to, at) => whole.slice(places[at], to)))).toEqual(expected);
    }),
  );
});

it("E24 a pasted text of several lines is one line, and comes whole", () => {
  const pasted = new PastedTexts();
  const mark = pasted.insert("Error: boom\n    at x\n", false);
  expect(mark).toBe("[Pasted text 1: 2 lines]");
  expect(pasted.take(`look at ${mark}`)).toEqual({ text: "look at Error: boom\n    at x", beginsPasted: false });
  expect(pasted.take(`look at ${mark}`).text).toBe(`look at ${mark}`);
});

it("E24 a line that begins with pasted text is known, also when more is typed behind it", () => {
  const pasted = new PastedTexts();
  expect(pasted.insert("!rm -rf x\n", true)).toBe("!rm -rf x");
  expect(pasted.take("!rm -rf x now")).toEqual({ text: "!rm -rf x now", beginsPasted: true });
  expect(pasted.take("!ls")).toEqual({ text: "!ls", beginsPasted: false });
  const steering = pasted.insert("\u001b[2J!ls", true);
  expect(pasted.take(steering)).toEqual({ text: "\u001b[2J!ls", beginsPasted: true });
});
