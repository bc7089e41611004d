import type { SimpleCommand } from "../analysis.ts";
import { text, type Value } from "../word/value.ts";

/** The words that `echo` and `printf` pass to the next command, such as `xargs`, as far as they are literal. */
export function echoWords(command: SimpleCommand | undefined): readonly Value[] {
  const [program = "", ...words] = command?.argv ?? [];
  if (!/^(\/usr)?(\/bin\/)?(echo|printf)$/.test(program)) return [];
  return words
    .flatMap((word) => word.split(/\\[n0t]|\s+/))
    .filter((word) => word !== "" && !/^[-%]/.test(word))
    .map((word) => text(word));
}
