import { counted, HaftError } from "@haft/core/tool";
import { drawDisplay } from "../../draw/display.ts";
import { effectLine } from "../../draw/effect-line.ts";
import { drawnPath } from "../../draw/place.ts";
import { oneLine } from "../../draw/sanitize.ts";
import { paint, type Style } from "../../draw/style.ts";
import type { AgentSession } from "../../session/index.ts";
import type { CallRow, Row } from "../../view/index.ts";
import { Picker } from "../screen/picker.ts";
import type { Screen } from "../screen/screen.ts";

/** The calls that may have changed files, newest first. */
export function changingCalls(rows: readonly Row[]): readonly CallRow[] {
  const all = (row: CallRow): readonly CallRow[] => [row, ...row.children.flatMap(all)];
  return rows
    .flatMap((row) => (row.kind === "call" ? all(row) : []))
    .filter(
      ({ effects, isRead, isSearch, isDryRun = false, durationMs = 0 }) =>
        durationMs > 0 && !isRead && !isSearch && !isDryRun && effects.some(changes),
    )
    .reverse();
}

const changes = (effect: CallRow["effects"][number]): boolean =>
  effect.do === "write" || (effect.do === "run" && effect.opaque === true);

/** Opens the list of changes. A choice undoes its call and all later ones. */
export function openUndo(session: AgentSession, screen: Screen, style: () => Style): string | undefined {
  const calls = changingCalls(screen.view.rows).filter(({ id }) => !screen.undone.has(id));
  if (calls.length === 0)
    return "  Nothing has been changed in this conversation. `haft undo --preview` shows earlier sessions.";
  screen.open(
    new Picker({
      title: "Undo from here: the chosen call and everything after it",
      hint: "↑↓ Enter undoes from here · Esc cancels",
      items: calls,
      item: (row) => ({ label: row.label ?? row.title, ...aboutOf(row) }),
      preview: (row, shown) => previewOf(row, shown),
      done(row) {
        screen.open(undefined);
        if (row) void undoFrom(session, screen, calls.slice(0, calls.indexOf(row) + 1), style);
      },
    }),
  );
  return undefined;
}

const aboutOf = ({ display }: CallRow) =>
  display?.kind === "diff" ? { about: `+${display.added} -${display.removed}` } : {};

const previewOf = ({ display, effects }: CallRow, style: Style): string =>
  display?.kind === "diff"
    ? drawDisplay(display, style)
    : effects
        .filter(changes)
        .map((effect) => `  - ${effectLine(effect, style)}`)
        .join("\n");

/** Undoes calls, newest first. Stops where others have changed the same files since. */
async function undoFrom(
  { haft }: AgentSession,
  screen: Screen,
  calls: readonly CallRow[],
  style: () => Style,
): Promise<void> {
  const lines: string[] = [];
  let undone = 0;
  for (const { id, callId, label, title, effects } of calls) {
    try {
      const { changed, kept, losses } = await haft.undo(callId);
      undone += 1;
      screen.undone.add(id);
      for (const { path } of changed) lines.push(`  ${drawnPath(style(), path)}`);
      for (const { path, why } of [...kept, ...losses])
        lines.push(`  ${drawnPath(style(), path)}: not changed, ${oneLine(why)}`);
    } catch (thrown) {
      // The changes of a command are unknown; often there are none.
      if (!effects.some((effect) => effect.do === "write")) continue;
      const { message, hint = "" } = HaftError.is(thrown) ? thrown : { message: String(thrown) };
      lines.push(`  ${oneLine(label ?? title)}: not undone. ${oneLine(`${message} ${hint}`)}`);
      break;
    }
  }
  const head = undone === 0 ? "Nothing was undone." : `Undid ${counted(undone, "call")}.`;
  screen.say([`${paint(style(), undone > 0 ? "green" : "yellow", "↶")} ${head}`, ...new Set(lines)].join("\n"));
}
