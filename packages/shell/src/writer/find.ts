import type { Effect } from "@haft/core/tool";
import type { Standpoint } from "../place/place.ts";
import type { FoundCommand } from "../reader/names/find.ts";
import { only, text, type Value } from "../word/value.ts";
import { changed } from "./change.ts";

const WRITES = /^-(fprint0?|fls|fprintf)$/;
const RUNS = /^-(exec|execdir|ok|okdir)$/;

/** The files that `find` itself removes and writes. Removed files are below its starting points, or match a path pattern. */
export function changesByFind(args: readonly Value[], at: Standpoint): readonly Effect[] {
  const words = args.map((value) => only(value) ?? "");
  const written = words.flatMap((word, index) => (WRITES.test(word) ? (args[index + 1] ?? []) : []));
  const removed = words.includes("-delete") ? startsOf(args, words) : [];
  return [
    ...written.flatMap((value) => changed(value, at, "replace")),
    ...removed.flatMap((value) => changed(value, at, "modify", true)),
  ];
}

function startsOf(args: readonly Value[], words: readonly string[]): readonly Value[] {
  const begin = words.findIndex((word) => !/^-([HLP]|O\d|D)/.test(word));
  const end = words.findIndex((word, index) => index >= begin && /^(-.|[(),!])/.test(word));
  const starts = args.slice(begin, end < 0 ? undefined : end);
  return starts.length === 0 ? [text(".")] : starts;
}

/** The commands that `find` starts, if its expression as a whole is not known: they get some name below. */
export function commandsOfFind(args: readonly Value[]): readonly FoundCommand[] {
  const words = args.map((value) => only(value) ?? "");
  const starts = startsOf(args, words).flatMap((value) => only(value) ?? []);
  const found: Value = { kind: "name", heads: starts.map((start) => `${start.replace(/\/$/, "")}/`), rest: "*" };
  return words.flatMap((word, index) => {
    if (!RUNS.test(word)) return [];
    const length = words
      .slice(index + 1)
      .findIndex((one, place, all) => one === ";" || (one === "+" && all[place - 1] === "{}"));
    const argv = args.slice(index + 1, length < 0 ? undefined : index + 1 + length);
    return [{ argv: argv.map((value) => (only(value) === "{}" ? found : value)), inPlace: false }];
  });
}
