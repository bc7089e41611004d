import { findBwrap } from "@haft/sandbox/facts";
import { describe, expect, it } from "vitest";
import { type Scratch, scratch } from "../packages/haft/test/support/haft-process.ts";
import { consoles, type Step, shop, type } from "./support/console.ts";

const HELD = /\b[a-z0-9]{8}-[a-z0-9]{10}\b/g;

/** With the page's own folder and, for ids that are made anew each time, the page's. */
function asOnThePage(place: Scratch, seen: string, shown: string): string {
  const ids = shown.match(HELD) ?? [];
  let next = 0;
  return seen.replaceAll(place.cwd, "/home/me/shop").replaceAll(HELD, (id) => ids[next++] ?? id);
}

/** A typed line with the ids that this run has. */
function withIdsOf(line: string, lastSeen: string): string {
  const [id] = lastSeen.match(HELD) ?? [];
  return id === undefined ? line : line.replace(/\b[a-z0-9]{8}(?:-[a-z0-9]{10})?$/, id);
}

const hasViews = process.platform === "linux" && (await findBwrap([])) !== undefined;

describe.skipIf(!hasViews)("docs/undo.md", () => {
  const [taken, changed, late, dry, undoable] = consoles("docs/undo.md");
  const shows = (steps: readonly Step[]) => {
    using place = scratch();
    shop(place);
    let seen = "";
    for (const { typed, shown } of steps) {
      seen = type(place, typed.startsWith("haft held") ? withIdsOf(typed, seen) : typed);
      expect(`$ ${typed}\n${asOnThePage(place, seen, shown)}`).toBe(`$ ${typed}\n${shown}`);
    }
  };
  it.each([
    ["undo and redo, and what was changed since", [...taken!, ...changed!]],
    ["a command that ran out of time", late!],
    ["the mode undoable", undoable!],
  ])("W01 shows what is really seen: %s", { timeout: 60_000 }, (_, steps) => shows(steps));
  it("W04 shows what is really seen: a dry run", { tags: ["smoke"], timeout: 60_000 }, () => shows(dry!));
});
