import { type Effect, resolve } from "@haft/core/tool";
import type { Standpoint } from "../place/place.ts";
import { only, text, type Value } from "../word/value.ts";
import { changesBy } from "./change.ts";
import { gitChangers } from "./git-tables.ts";
import { parseLoosely } from "./loose.ts";

const GLOBAL = "-C= -c= --git-dir= --work-tree= --namespace= --exec-path= --super-prefix= --config-env=";

/** The changes that a call of git makes at least in the working tree, or at a given output path. */
export function changesByGit(args: readonly Value[], from: Standpoint): readonly Effect[] {
  const { given, operands } = parseLoosely(args, GLOBAL, true);
  const folders = given
    .filter(({ name }) => name === "-C" || name === "--work-tree")
    .reduce((all, { value }) => all?.map((folder) => resolve(folder, only(value) ?? ".")), from.folders);
  const at = { ...from, folders };
  const [verb = "", next = ""] = operands.slice(0, 2).map((value) => only(value) ?? "");
  if (verb === "reset") return isHard(operands) ? changesBy({ folder: "always" }, [], at) : [];
  if (verb === "stash" && (next === "" || next.startsWith("-") || next === "push"))
    return changesBy({ folder: "always" }, [], at);
  const key = Object.hasOwn(gitChangers, `${verb} ${next}`) ? `${verb} ${next}` : verb;
  if (!Object.hasOwn(gitChangers, key)) return [];
  const rest = operands.slice(key === verb ? 1 : 2).map((value) => asPath(value, from));
  const dashes = rest.findIndex((value) => only(value) === "--");
  const named = rest.filter((value, index) => (dashes >= 0 && index >= dashes) || !isRevision(value));
  return gitChangers[key]!.flatMap((changer) => changesBy(changer, named, at));
}

const isHard = (args: readonly Value[]): boolean => args.some((value) => /^--(ha|ke|me)/.test(only(value) ?? ""));

/** Words that cannot be a file, so that `git checkout main` is not shown as a file change. */
const isRevision = (value: Value): boolean => /^(HEAD|main|master|[0-9a-f]{7,40})$|[~^]|@\{/.test(only(value) ?? "");

/** A pathspec as a path: its magic is removed, and for a pattern the folder remains. */
function asPath(value: Value, { start }: Standpoint): Value {
  const word = only(value);
  if (word === undefined || word.startsWith("-")) return value;
  const [magic, long = ""] = /^:(?:\(([^)]*)\)|[!^]*\/?[!^]*:?)/.exec(word) ?? [""];
  const left = word.slice(magic.length) || ".";
  // The top of the repository is most likely the session's folder.
  const path = long.includes("top") || magic.includes("/") ? `${start}/${left}` : left;
  const star = path.search(/[*?[]/);
  return star < 0 ? text(path) : { kind: "name", heads: [path.slice(0, star)], rest: path.slice(star) };
}
