import { expandTabs } from "../draw/style.ts";
import { type KeyPress, pressesOf } from "./input/key-press.ts";
import type { Screen } from "./screen/screen.ts";

export type InkParts = typeof import("./ink.ts");

export interface AppOptions {
  readonly screen: Screen;
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
  useSyncExternalStore,
  useWindowSize,
}: InkParts) {
  return function App({ screen, onKey, onPaste, onReady }: AppOptions) {
    useSyncExternalStore(
      (listener) => screen.onChange(listener),
      () => screen.version,
    );
    // Draws anew when the window changes.
    useWindowSize();
    const { suspendTerminal, exit } = useApp();
    useEffect(() => {
      onReady({ suspend: suspendTerminal, exit: () => exit() });
    }, [suspendTerminal, exit, onReady]);
    useInput((input, key) => {
      for (const press of pressesOf({ input, key })) onKey(press);
    });
    usePaste(onPaste);
    const lines = screen.frame();
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
