// The text of a page without the parts around it: judged by the shape of its blocks, never by the site.
import type { Worker } from "node:worker_threads";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { webWorkspace } from "../../test/support/web.ts";

const sentence = (n: number) =>
  `<p>Ship ${n} sails at night and carries two lanterns, one of them red, so that others see where it goes.</p>`;
const prose = [1, 2, 3, 4, 5, 6, 7, 8].map(sentence).join("\n");
const links = (titles: readonly string[]) =>
  `<ul>${titles.map((title, at) => `<li><a href="/l${at}">${title}</a></li>`).join("")}</ul>`;
const NEWS = ["Harbour opens again after the storm", "Ten lanterns that every ship needs", "Pilots ask for more money"];

async function textOf(body: string): Promise<string> {
  const page = `<!doctype html><html><head><title>Lanterns</title></head><body><article><h1>Lanterns</h1>${body}</article></body></html>`;
  await using web = await webWorkspace({ "/": page });
  const { error, content } = await web.fetch("/");
  expect(error).toBeUndefined();
  return contentsText(content);
}

describe("the text around an article", () => {
  it.each([
    ["a label of an advertisement", `${prose}<p>Advertisement</p>${sentence(9)}`, /Advertisement/],
    ["a notice about cookies", `<p>We use cookies to improve your experience. Accept</p>${prose}`, /cookies/],
    ["an invitation to subscribe", `${prose}<p>Sign up for our newsletter and miss nothing.</p>`, /newsletter/],
    ["other articles below a heading", `${prose}<h3>Most read</h3>${links(NEWS)}${sentence(9)}`, /Most read|Pilots/],
    ["a list of articles after the text", `${prose}${links(NEWS)}`, /Pilots|Harbour/],
  ])("M01 leaves out %s", async (_, body, around) => {
    const text = await textOf(body);
    for (let ship = 1; ship <= 8; ship += 1) expect(text).toContain(`Ship ${ship} sails`);
    expect(text).not.toMatch(around);
  });

  it.each([
    ["sections named like buttons", `${prose}<h2>Close</h2>${sentence(10)}<h2>Subscribe</h2>${sentence(11)}`, "Close"],
    ["advice", `${prose}<p>Recommended: use two lanterns.</p>${sentence(9)}`, "Recommended: use two"],
    [
      "a sentence with a link",
      `${prose}<p>You may also find a red one <a href="/r">here</a>. It is old, and gives less light than others.</p>`,
      "You may also",
    ],
    [
      "a paragraph about cookies",
      `${prose}<p>The cookie is set in your browser with the flag HttpOnly.</p>${sentence(9)}`,
      "HttpOnly",
    ],
    ["references", `${prose}<h2>References</h2>${links(NEWS)}`, "Pilots ask"],
    [
      "a page that is a list",
      `${prose}<h2>Ships</h2>${links(Array.from({ length: 40 }, (_, n) => `The long and storied voyage of ship ${n}`))}`,
      "voyage of ship 39",
    ],
    ["a short page", `<p>We sell lanterns.</p>${links(NEWS)}`, "Pilots ask"],
  ])("M01 keeps %s", async (_, body, part) => {
    expect(await textOf(body)).toContain(part);
  });
});

it("M01 converts pages in one other thread, so this one is never blocked by a large page", async () => {
  await using web = await webWorkspace({ "*": `<html><body><article>${prose}</article></body></html>` });
  const converted: string[][] = [];
  const watch = (worker: Worker): void => {
    const pages: string[] = [];
    converted.push(pages);
    worker.on("message", ({ page }: { readonly page?: { readonly text: string } }) => {
      pages.push(page?.text.split("\n\n")[1]?.slice(0, 6) ?? "");
    });
  };
  process.on("worker", watch);
  try {
    const results = await Promise.all(["/1", "/2", "/3"].map((path) => web.fetch(path)));
    expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  } finally {
    process.off("worker", watch);
  }
  expect(converted).toEqual([["Ship 1", "Ship 1", "Ship 1"]]);
});
