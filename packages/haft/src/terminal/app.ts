import type { Instance, RenderOptions } from "ink";
import { expandTabs } from "../draw/style.ts";
import { type KeyPress, pressesOf } from "./input/key-press.ts";
import { shiftedRows } from "./screen/reflow.ts";
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

/**
 * Draws the screen until it is unmounted. The cursor rests on the first live line: a terminal that becomes lower drops the
 * lines below its cursor, and moves only those above it into its history. `shifts`: it is xterm.js.
 */
export function openApp(ink: InkParts, options: AppOptions, shifts: boolean, render: RenderOptions = {}): Instance {
  const stdout = (render.stdout ?? process.stdout) as NodeJS.WriteStream;
  const drawn: Drawn = { lines: [], isLent: false };
  const App = appOf(ink, drawn);
  let { columns, rows } = stdout;
  // Before Ink, which would draw the lines of the old size.
  const follow = (): void => {
    const before = { columns, rows };
    ({ columns, rows } = stdout);
    if (drawn.isLent) return;
    const dropped = Math.max(0, before.rows - rows);
    const left = drawn.lines.slice(0, Math.max(1, drawn.lines.length + 1 - dropped));
    const shift = shifts ? shiftedRows(left, before.columns, columns) : 0;
    if (shift > 0) stdout.write(`\u001b[${shift}A`);
    instance.clear();
    instance.rerender(ink.createElement(App, options));
  };
  const instance = ink.render(ink.createElement(App, options), { ...render, stdout: withRestingCursor(stdout) });
  stdout.prependListener("resize", follow);
  void instance.waitUntilExit().finally(() => stdout.off("resize", follow));
  return instance;
}

const LINE_START = "\u001b[1G";
/** Ink shows the cursor that it has placed. The prompt draws its own. */
const SHOWN = `${LINE_START}\u001b[?25h`;
/** tmux moves the screen into its history when everything from its first cell on is erased at once. */
const ERASED = `${LINE_START}\u001b[J`;
const ERASED_IN_TWO = `${LINE_START}\u001b7\u001b[K\u001b[B\u001b[J\u001b8`;

/** The terminal, for a cursor that is hidden and rests on the first live line. */
function withRestingCursor(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = (data: string, ...rest: [never]): boolean =>
    stdout.write(data.replaceAll(SHOWN, LINE_START).replaceAll(ERASED, ERASED_IN_TWO), ...rest);
  return new Proxy(stdout, {
    get(target, key) {
      const value: unknown = key === "write" ? write : Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
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
    useCursor,
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
    const { setCursorPosition } = useCursor();
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
    setCursorPosition(lines.length > 0 ? { x: 0, y: 0 } : undefined);
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
