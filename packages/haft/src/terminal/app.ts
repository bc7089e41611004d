import type { Instance, RenderOptions } from "ink";
import { expandTabs } from "../draw/style.ts";
import { type KeyPress, pressesOf } from "./input/key-press.ts";
import { extraRows } from "./screen/reflow.ts";
import type { Screen } from "./screen/screen.ts";

export type InkParts = typeof import("./ink.ts");

export interface AppOptions {
  readonly screen: Screen;
  onKey(press: KeyPress): void;
  onPaste(text: string): void;
  /** Receives the function that lends the terminal to another program. */
  onReady(parts: { suspend(work: () => Promise<void>): Promise<void>; exit(): void }): void;
}

/** The present content of the terminal. */
interface Drawn {
  lines: readonly string[];
  /** Another program has the terminal. */
  isLent: boolean;
}

/** Draws the screen until it is unmounted. `wraps`: the terminal wraps what it shows when it becomes narrower. */
export function openApp(ink: InkParts, options: AppOptions, wraps: boolean, render: RenderOptions = {}): Instance {
  const stdout = (render.stdout ?? process.stdout) as NodeJS.WriteStream;
  const drawn: Drawn = { lines: [], isLent: false };
  const App = appOf(ink, drawn);
  let { columns } = stdout;
  // Before Ink, which would erase too few rows of what the terminal has wrapped, and then draw the lines of the old size.
  const follow = (): void => {
    const before = columns;
    ({ columns } = stdout);
    if (drawn.isLent || (columns >= before && drawn.lines.length < stdout.rows)) return;
    const extra = wraps ? extraRows(drawn.lines, before, columns) : 0;
    if (extra > 0) stdout.write("\u001b[2K\u001b[1A".repeat(extra));
    instance.clear();
    instance.rerender(ink.createElement(App, options));
  };
  const instance = ink.render(ink.createElement(App, options), render);
  stdout.prependListener("resize", follow);
  void instance.waitUntilExit().finally(() => stdout.off("resize", follow));
  return instance;
}

/** The screen as a component: finished text above, which is written once, and the live lines below it. */
function appOf(
  {
    createElement: h,
    Fragment,
    Static,
    Text,
    Box,
    useApp,
    useEffect,
    useInput,
    usePaste,
    useSyncExternalStore,
    useWindowSize,
  }: InkParts,
  drawn: Drawn,
) {
  return function App({ screen, onKey, onPaste, onReady }: AppOptions) {
    useSyncExternalStore(
      (listener) => screen.onChange(listener),
      () => screen.version,
    );
    // Redraws when the window changes.
    useWindowSize();
    const { suspendTerminal, exit } = useApp();
    useEffect(() => {
      const suspend = async (work: () => Promise<void>): Promise<void> => {
        drawn.isLent = true;
        await suspendTerminal(work).finally(() => {
          drawn.isLent = false;
        });
      };
      onReady({ suspend, exit: () => exit() });
    }, [suspendTerminal, exit, onReady]);
    useInput((input, key) => {
      for (const press of pressesOf({ input, key })) onKey(press);
    });
    usePaste(onPaste);
    const lines = screen.frame();
    drawn.lines = lines;
    const printed = h(Static<(typeof screen.printed)[number]>, {
      items: [...screen.printed],
      children: ({ id, text }) => h(Text, { key: id }, expandTabs(text)),
    });
    const live = lines.map((line, at) =>
      h(Text, { key: at, wrap: "truncate" as const }, line === "" ? " " : expandTabs(line)),
    );
    return h(Fragment, null, printed, h(Box, { flexDirection: "column" as const }, ...live));
  };
}
