import { type Mode, modes } from "../decision.ts";

/** Other systems' names for a mode. They mean the same in settings and on the command line. */
export const MODE_ALIASES: Readonly<Record<string, Mode>> = {
  autoEdit: "acceptEdits",
  auto_edit: "acceptEdits",
  yolo: "bypassPermissions",
  bypass: "bypassPermissions",
};

/** The modes that need no particular sandbox tier. `undoable` is refused without views or copies of the workspace. */
export const PLAIN_MODES: readonly Mode[] = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"];

/** The mode for a name, either its own or another system's. */
export function modeNamed(name: string): Mode | undefined {
  const own = modes.find((mode) => mode === name);
  return own ?? (Object.hasOwn(MODE_ALIASES, name) ? MODE_ALIASES[name] : undefined);
}
