import { expandTabs } from "../draw/style.ts";
import { type KeyPress, pressesOf } from "./input/key-press.ts";
import { extraRows } from "./screen/reflow.ts";
import type { Screen } from "./screen/screen.ts";

export type InkParts = typeof import("./ink.ts");

export interface AppOptions {
  readonly screen: Screen;
  /** The terminal, if it wraps the lines that it shows when it becomes narrower. */
  readonly reflowing: NodeJS.WriteStream | undefined;
  onKey(press: KeyPress): void;
  onPaste(text: string): void;
  /** Receives the function that lends the terminal to another program. */
  onReady(parts: { suspend(work: () => Promise<void>): Promise<void>; exit(): void }): void;
}

/** The screen as a component: finished text above, which is written once, and the live lines below it. */
export function appOf({
  createElement: h,
  Fragment,
  Static,
  Text,
  Box,
  useApp,
  useEffect,
  useInput,
  usePaste,
  useRef,
  useSyncExternalStore,
  useWindowSize,
}: InkParts) {
  return function App({ screen, reflowing, onKey, onPaste, onReady }: AppOptions) {
    useSyncExternalStore(
      (listener) => screen.onChange(listener),
      () => screen.version,
    );
    // Redraws when the window changes.
    useWindowSize();
    const { suspendTerminal, exit } = useApp();
    const drawn = useRef<readonly string[]>([]);
    const isLent = useRef(false);
    useEffect(() => {
      const suspend = async (work: () => Promise<void>): Promise<void> => {
        isLent.current = true;
        await suspendTerminal(work).finally(() => {
          isLent.current = false;
        });
      };
      onReady({ suspend, exit: () => exit() });
    }, [suspendTerminal, exit, onReady]);
    useEffect(() => {
      if (!reflowing) return;
      let { columns } = reflowing;
      // Ink erases as many rows as it has drawn. The terminal has wrapped them by then, and they take more.
      const eraseWrapped = (): void => {
        const extra = isLent.current ? 0 : extraRows(drawn.current, columns, reflowing.columns);
        ({ columns } = reflowing);
        if (extra > 0) reflowing.write("\u001b[2K\u001b[1A".repeat(extra));
      };
      // Before Ink redraws.
      reflowing.prependListener("resize", eraseWrapped);
      return () => void reflowing.off("resize", eraseWrapped);
    }, [reflowing]);
    useInput((input, key) => {
      for (const press of pressesOf({ input, key })) onKey(press);
    });
    usePaste(onPaste);
    const lines = screen.frame();
    drawn.current = lines;
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
