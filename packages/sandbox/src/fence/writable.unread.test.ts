import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bound, Effect } from "@haft/core/tool";
import { analyseShell } from "@haft/shell";
import { afterAll, beforeAll, expect, it } from "vitest";
import { guardsOf } from "./guards.ts";
import { writablePlaces } from "./writable.ts";

let top: string;
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "haft-unread-")));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const bound = (effects: readonly Effect[]): Bound => ({ effects, holes: [] });

it("G07 a known write of an unread command opens no place for it, and no protected file", async () => {
  const outside = join(top, "other/x");
  const open = (script: string) => {
    const { effects } = analyseShell(script, { cwd: "/w/p", home: "/home/u" });
    return writablePlaces(bound(effects), [], "/home/u");
  };
  expect(await open(`echo x > ${outside}`)).toEqual([top]);
  for (const command of [`curl -o ${outside} http://h`, `git clone http://h ${outside}`, `tar xf a -C ${outside}`])
    expect(await open(command)).toEqual([]);
  const { effects } = analyseShell("chmod +x .git/hooks/x", { cwd: "/w/p", home: "/home/u" });
  expect(effects).toContainEqual(expect.objectContaining({ do: "write", path: "/w/p/.git/hooks/x" }));
  expect(guardsOf(bound(effects)).isGranted("/w/p/.git/hooks/x")).toBe(false);
});
