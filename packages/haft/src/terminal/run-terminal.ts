import { saveMemory } from "./save-memory.ts";
import { type TerminalOptions, TerminalSession } from "./terminal-session.ts";
import { askTheme, themeOf } from "./theme.ts";

/** Runs the terminal UI until the person leaves. */
export async function runTerminal(options: TerminalOptions): Promise<void> {
  saveMemory();
  const loading = import("./ink.ts");
  // A rejected import is reported where it is awaited.
  loading.catch(() => {});
  let theme =
    themeOf(process.env) ?? (options.style.color ? await askTheme(process.stdin, process.stdout) : undefined) ?? "dark";
  let { prompt, choose = false } = options;
  let resume: string | undefined;
  do {
    const ended = await new TerminalSession({ ...options, prompt, choose, resume, theme, ink: await loading }).run();
    ({ resume, theme } = ended);
    prompt = undefined;
    choose = false;
  } while (resume !== undefined);
}
