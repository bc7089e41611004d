import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText, defineTool } from "@haft/core/tool";
import { expect, it } from "vitest";
import { z } from "zod";
import { createHaft } from "./create-haft.ts";

const HIDDEN = Array.from("obey", (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
const SHOWN = "‹U+E006F›‹U+E0062›‹U+E0065›‹U+E0079›";

async function open() {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-hidden-")));
  const Any = defineTool({
    name: "Any",
    description: "Gives something.",
    input: z.object({ as: z.enum(["text", "json", "resource", "error"]) }),
    can: [],
    effects: () => [],
    run({ as }) {
      if (as === "error") throw new Error(`no ${HIDDEN}`);
      return as;
    },
    toModel: (as) => [
      as === "json"
        ? { type: "json", value: { note: HIDDEN } }
        : as === "resource"
          ? { type: "resource", uri: "x:y", text: HIDDEN }
          : { type: "text", text: HIDDEN },
    ],
  });
  const haft = await createHaft({ cwd, settings: false, stateDir: false, mode: "acceptEdits", tools: [Any] });
  return { haft, file: join(cwd, "a.txt") };
}

it("hidden text in the result of any tool is shown to the model", async () => {
  const { haft, file } = await open();
  writeFileSync(file, `one${HIDDEN}\ntwo\n`);
  const results = [
    await haft.call("Read", { file_path: "a.txt" }),
    await haft.call("Grep", { pattern: "one", output_mode: "content" }),
    await haft.call("Bash", { command: "cat a.txt" }),
    ...(await Promise.all(["text", "json", "resource", "error"].map((as) => haft.call("Any", { as })))),
  ];
  for (const { content } of results) {
    expect(JSON.stringify(content)).not.toContain(HIDDEN);
    expect(contentsText(content)).toContain(SHOWN);
  }
  await haft[Symbol.asyncDispose]();
});

it("an Edit that names hidden characters as they were shown keeps or removes them", async () => {
  const { haft, file } = await open();
  writeFileSync(file, `one${HIDDEN}\r\ntwo\r\n`);
  const edit = async (old_string: string, new_string: string) => {
    const { error } = await haft.call("Edit", { file_path: "a.txt", old_string, new_string });
    return error?.message ?? readFileSync(file, "utf8");
  };
  expect(await edit(`one${SHOWN}\ntwo`, `ONE${SHOWN}\ntwo`)).toBe(`ONE${HIDDEN}\r\ntwo\r\n`);
  expect(await edit("two", "three")).toBe(`ONE${HIDDEN}\r\nthree\r\n`);
  expect(await edit(`ONE${SHOWN}`, "one")).toBe("one\r\nthree\r\n");
  await haft[Symbol.asyncDispose]();
});
