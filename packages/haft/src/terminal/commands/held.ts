import type { Display } from "@haft/core/tool";
import { counted, HaftError } from "@haft/core/tool";
import { HELD_WHY, type HeldContent, type HostJournal } from "@haft/journal";
import { drawDisplay } from "../../draw/display.ts";
import { drawnPath } from "../../draw/place.ts";
import { oneLine } from "../../draw/sanitize.ts";
import { paint, type Style } from "../../draw/style.ts";
import { Picker } from "../screen/picker.ts";
import type { Screen } from "../screen/screen.ts";

/** Opens the journal for one piece of work. */
export type WithJournal = <T>(work: (journal: HostJournal) => Promise<T>) => Promise<T>;

const CHOICES = [
  { do: "later", label: "Decide later", about: "keep it held" },
  { do: "commit", label: "Apply it to the workspace", about: "can be undone" },
  { do: "discard", label: "Discard it", about: "nothing is changed" },
] as const;

/** Most held changes in a list. */
const MOST = 30;

/** Opens the changes that dry runs and cut-off commands have left aside. `of`: only those of these calls. */
export async function openHeld(
  withJournal: WithJournal,
  screen: Screen,
  style: () => Style,
  of?: ReadonlySet<string>,
): Promise<string | undefined> {
  const found = await withJournal(async (journal) => {
    const held = (await journal.held()).filter(({ call }) => of === undefined || of.has(call)).slice(-MOST);
    return Promise.all(held.toReversed().map(({ id }) => journal.showHeld(id)));
  });
  if (found.length === 0) return "  There are no held changes. A dry run creates them.";
  const [only] = found;
  if (only && found.length === 1) decide(withJournal, screen, style, only);
  else
    screen.open(
      new Picker({
        title: "Held changes",
        hint: "↑↓ Enter chooses · Esc keeps them held",
        items: found,
        item: ({ held, previews }) => ({
          label: `${held.tool}: ${HELD_WHY[held.reason]}`,
          about: `${counted(previews.length, "path")} · ${held.at.slice(0, 16).replace("T", " ")}`,
        }),
        preview: drawContent,
        done(content) {
          screen.open(undefined);
          if (content) decide(withJournal, screen, style, content);
        },
      }),
    );
  return undefined;
}

/** Asks what to do with one change. Enter alone does nothing to any file. */
function decide(withJournal: WithJournal, screen: Screen, style: () => Style, content: HeldContent): void {
  screen.open(
    new Picker({
      title: `Nothing has changed yet: ${counted(content.previews.length, "path")} held`,
      hint: "↑↓ Enter chooses · Esc decides later",
      items: CHOICES,
      item: ({ label, about }) => ({ label, about }),
      preview: (_, shown) => drawContent(content, shown),
      done(choice) {
        screen.open(undefined);
        if (choice && choice.do !== "later") void settle(withJournal, screen, style, content, choice.do);
      },
    }),
  );
}

async function settle(
  withJournal: WithJournal,
  screen: Screen,
  style: () => Style,
  { held: { id } }: HeldContent,
  action: "commit" | "discard",
): Promise<void> {
  try {
    if (action === "discard") {
      await withJournal((journal) => journal.discardHeld(id));
      return screen.say(`${paint(style(), "yellow", "○")} Discarded. Nothing has changed.`);
    }
    const { changed } = await withJournal((journal) => journal.commitHeld(id));
    const lines = changed.map(({ path }) => `  ${drawnPath(style(), path)}`);
    screen.say([`${paint(style(), "green", "●")} Applied.`, ...lines].join("\n"));
  } catch (thrown) {
    const { message, hint = "" } = HaftError.is(thrown) ? thrown : { message: String(thrown) };
    screen.say(`${paint(style(), "red", "!")} ${oneLine(`${message} ${hint}`)}`);
  }
}

function drawContent({ previews, conflicts }: HeldContent, style: Style): string {
  const blocks = previews.map(({ path, what, diff }) =>
    diff === undefined ? `  ${drawnPath(style, path)}: ${oneLine(what)}` : drawDisplay(diffOf(path, diff), style),
  );
  const warnings = conflicts.map((path) => `  ${drawnPath(style, path)}: others have changed it since.`);
  return [...warnings, ...(blocks.length === 0 ? ["  It would change nothing."] : blocks)].join("\n");
}

function diffOf(path: string, unified: string): Extract<Display, { kind: "diff" }> {
  const count = (mark: string): number =>
    unified.split("\n").filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3))).length;
  return { kind: "diff", path, before: "", after: "", added: count("+"), removed: count("-"), unified };
}
