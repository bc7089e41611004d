import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalRequest } from "@haft/core/approval";
import { expect, it } from "vitest";
import { DEFAULT_MODELS } from "../packages/haft/src/agent/provider/default-model.ts";
import { EXIT } from "../packages/haft/src/cli/exit-code.ts";
import { drawQuestion } from "../packages/haft/src/draw/question.ts";
import { createHaft } from "../packages/haft/src/index.ts";
import { keyLines, promptOf } from "../packages/haft/src/terminal/approval/choice.ts";

const page = (name: string): string => readFileSync(`docs/${name}.md`, "utf8");

/** The first cells of the table rows that begin with one of these. */
const cells = (text: string, first: RegExp): string[][] =>
  text
    .split("\n")
    .filter((line) => first.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

it("docs/first-task.md shows the question that an edit brings", async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-guide-")));
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/price.js"), `${"\n".repeat(6)}return net * 1.19;\n`);
  const asked: ApprovalRequest[] = [];
  {
    await using haft = await createHaft({
      ...{ cwd, settings: false, stateDir: false },
      ask: async (request) => {
        asked.push(request);
        return { behavior: "deny", message: "Not now." };
      },
    });
    const passage = { old_string: "return net * 1.19;", new_string: "return Math.round(net * 119) / 100;" };
    await haft.call("Edit", { file_path: "src/price.js", ...passage });
  }
  rmSync(cwd, { recursive: true });
  const [request] = asked;
  const style = { color: false, width: Number.POSITIVE_INFINITY, cwd };
  const drawn = [drawQuestion(request!, style), ...keyLines(request!), promptOf(request!)].join("\n").split("\n");
  const [, shown = ""] = /```text\n(\? Edit[\s\S]*?)\n```/.exec(page("first-task")) ?? [];
  // The unchanged lines around the change are left out.
  const isBlank = (line: string) => /^ {2}│ \d+ {3}$/.test(line);
  expect(shown.split("\n")).toEqual(drawn.filter((line) => !isBlank(line)));
});

it("docs/models.md names the model for each key", () => {
  const table = cells(page("models"), /^\| `[A-Z_]+_API_KEY` \|/).map(([key = "", model = ""]) => ({
    because: key.replaceAll("`", ""),
    model: model.replaceAll("`", ""),
  }));
  expect(table).toEqual(DEFAULT_MODELS.map(({ because, model }) => ({ because, model })));
});

it("docs/scripts.md lists every exit code", () => {
  const codes = cells(page("scripts"), /^\| \d+ \|/).map(([code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT).toSorted((a, b) => a - b));
});
