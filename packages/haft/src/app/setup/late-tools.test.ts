import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, effects } from "@haft/core/tool";
import { expect, it } from "vitest";
import { z } from "zod";
import { createHaft } from "../create-haft.ts";

const tool = (name: string) =>
  defineTool({
    name,
    description: "Writes a note.",
    input: z.object({ file_path: z.string() }),
    can: ["write"],
    effects: ({ file_path }, { cwd }) => [effects.write(join(cwd, file_path))],
    run: () => "written",
  });

it.each(["early", "late"])("F04 a bare ask rule for Edit holds for a tool of one's own that comes %s", async (when) => {
  const cwd = mkdtempSync(join(tmpdir(), "haft-late-"));
  const asked: string[] = [];
  await using haft = await createHaft({
    cwd,
    mode: "acceptEdits",
    settings: { permissions: { ask: ["Edit"] } },
    tools: when === "early" ? [tool("Note")] : [],
    ask: async (request) => {
      asked.push(request.tool);
      return { behavior: "deny", message: "no" };
    },
  });
  if (when === "late") haft.registry.add({ origin: "plugin", name: "notes" }, [tool("Note")]);
  await haft.call("Note", { file_path: "a.txt" });
  expect(asked).toEqual(["Note"]);
  rmSync(cwd, { recursive: true, force: true });
});
