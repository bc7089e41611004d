import { fitsStarred } from "@haft/core/policy";
import { type Effect, effects, isWithin, parent, type RunOutcome, resolve } from "@haft/core/tool";
import { type Fence, isNeverWritable, STANDS_FOR_TMP } from "./fence/index.ts";
import type { Appeared } from "./leftovers/index.ts";

/** Characters checked at the end of stderr: programs report last what stopped them. */
const LOOK_CHARS = 8192;

const NETWORK =
  /network is unreachable|could not resolve host|temporary failure in name resolution|name or service not known|\b(?:EAI_AGAIN|ENETUNREACH|ENOTFOUND)\b|no address associated with hostname/i;
const READ_ONLY = /read-only file system|EROFS|\[Errno 30\]/i;
const FIXED = /device or resource busy|EBUSY|invalid cross-device link|EXDEV/i;
const REFUSED = /permission denied|EACCES/i;
const NOT_THERE = /no such file|ENOENT|permission denied|EACCES/i;
/** Messages in which programs name the path that they could not write. */
const WRITTEN: readonly RegExp[] = [
  /EROFS[^']*'([^']+)'/,
  /Errno 30\][^']*'([^']+)'/,
  /['‘"]([^'’"]+)['’"]: read-only file system/i,
  /: ([^\s:'"]+): read-only file system/i,
];
const HOSTS: readonly RegExp[] = [
  /could not resolve host:? ['"]?([a-z0-9][a-z0-9.-]*[a-z0-9])/i,
  /\b(?:EAI_AGAIN|ENOTFOUND) ([a-z0-9][a-z0-9.-]*[a-z0-9])/i,
  /unable to resolve host address ['‘"]?([a-z0-9][a-z0-9.-]*[a-z0-9])/i,
  /host='([a-z0-9][a-z0-9.-]*[a-z0-9])'/i,
  /lookup ([a-z0-9][a-z0-9.-]*[a-z0-9])\b/i,
  /resolve hostname ([a-z0-9][a-z0-9.-]*[a-z0-9])/i,
];

/** An apparent refusal of the fence. */
export interface Denied {
  /** A message for people and models, with a hint. */
  readonly text: string;
  /** Effects that the grant lacks, as far as known. */
  readonly missing: readonly Effect[];
}

/** Further facts about a run. */
interface Evidence {
  readonly cwd: string;
  readonly appeared: readonly Appeared[];
  /** New names in the session's folder for temporary files. */
  readonly left?: readonly string[];
  /** Granted writes that could not be opened. */
  readonly unopened?: readonly string[];
  /** The real path of a name outside the fence; `undefined` if it dangles. */
  readonly locate?: (path: string) => string | undefined;
  /** Hosts that the proxy refused, as `host:port`, with the reason. */
  readonly turnedAway?: ReadonlyMap<string, string>;
}

/** The examined parts of an outcome. `isWhole`: the process that held the program ended normally, so none of it is left. */
export type Ended = Pick<RunOutcome, "exitCode" | "output"> & {
  readonly stderr?: string;
  readonly isWhole?: boolean;
};

/**
 * Guesses from the last output of a failed program what the fence refused. A program can print anything, so use this only
 * for messages and offers.
 */
export function deniedBy(fence: Fence, outcome: Ended, evidence: Evidence): Denied | undefined {
  const refused = outcome.exitCode === 0 ? [] : refusals(fence, outcome, evidence);
  const lost = outcome.exitCode === 0 ? lostIn(fence, evidence) : [];
  const left = leftIn(fence.tmp, evidence.left ?? []);
  const parts = [...evidence.appeared.map(takenAway), ...left, ...lost, ...refused.map(({ text }) => text)];
  return parts.length === 0 ? undefined : { text: parts.join(" "), missing: refused.flatMap(({ missing }) => missing) };
}

function takenAway({ path, movedTo }: Appeared): string {
  const what = `The command made ${path}, which runs automatically, configures tools or is under a deny or ask rule.`;
  if (movedTo === undefined) return `${what} It could not be removed: look at it before you go on.`;
  return `${what} It was moved to ${movedTo}; if it is needed, ask for a write of exactly this path.`;
}

/** Limit on reported names of temporary files. */
const MOST_LEFT = 5;

function leftIn(tmp: string | undefined, names: readonly string[]): readonly string[] {
  if (tmp === undefined || names.length === 0) return [];
  const more = names.length > MOST_LEFT ? ` and ${names.length - MOST_LEFT} more` : "";
  return [
    `New in ${STANDS_FOR_TMP.join(" and ")} of the sandbox: ${names.slice(0, MOST_LEFT).join(", ")}${more}. Commands of this session find it there; outside the sandbox it is in ${tmp}. Write files for other programs in the workspace.`,
  ];
}

/** Writes into memory that is lost with its sandbox. Devices that the machine has too behave as they do there. */
function lostIn({ fresh, tmp }: Fence, { unopened = [], locate }: Evidence): readonly string[] {
  const kept = tmp === undefined ? [] : STANDS_FOR_TMP;
  const folders = ["/dev/shm", "/dev", ...fresh.filter((folder) => !kept.includes(folder))];
  return unopened.flatMap((path) => {
    const folder = folders.find((outer) => isWithin(outer, path));
    if (folder === undefined || (folder === "/dev" && locate?.(path) !== undefined)) return [];
    return `The sandbox has its own ${folder}: ${path} was deleted with it. Write it in the workspace.`;
  });
}

function refusals(fence: Fence, outcome: Ended, evidence: Evidence): Denied[] {
  const { cwd, turnedAway = new Map() } = evidence;
  const text = (outcome.stderr || outcome.output).slice(-LOOK_CHARS);
  const lines = text.split("\n");
  const about = (pattern: RegExp, places: readonly string[]) => {
    const line = lines.findLast((candidate) => pattern.test(candidate));
    if (line === undefined) return undefined;
    return { line, place: places.find((place) => line.includes(place)) ?? places.find((place) => names(line, place)) };
  };
  const found: Denied[] = [];
  const stuck = stuckAt(lines, evidence.unopened ?? []);
  if (stuck.length > 0) return stuck;
  const readOnly = about(READ_ONLY, fence.readOnly);
  const path = readOnly && (readOnly.place ?? pathIn(readOnly.line, cwd));
  if (path !== undefined && isNeverWritable(path))
    found.push({
      text: `A confined command can never write ${path}. Write in the workspace or in /tmp.`,
      missing: [],
    });
  else if (path !== undefined)
    found.push({
      text: `${path} is read-only in the sandbox. If it is needed, ask for a write of exactly this path.`,
      missing: [effects.write(path, "modify")],
    });
  else if (readOnly)
    found.push({
      text: "The sandbox refused a write of this command. Ask for a write of the path that the error names.",
      missing: [],
    });
  const fixed = about(FIXED, [...fence.readOnly, ...fence.anchored])?.place;
  if (fixed)
    found.push({
      text: `The sandbox does not let ${fixed} be moved or removed. If it is needed, ask for a write of exactly this path.`,
      missing: [effects.write(fixed, "modify")],
    });
  const hiddenAs = about(REFUSED, hiddenOf(fence))?.place;
  const isClosed = (place: string | undefined) => fence.hidden.some((one) => one.path === place && one.isClosed);
  const hidden = fence.hidden.find(({ path }) => path === hiddenAs)?.of ?? hiddenAs;
  if (hidden !== undefined && isClosed(hidden))
    found.push({
      text: `A deny or ask rule hides ${hidden} from commands that do not name it. If it is needed, name it in the command: then the rule decides.`,
      missing: [],
    });
  else if (hidden)
    found.push({
      text: `The sandbox hides ${hidden}${hidden === hiddenAs ? "" : `, also called ${hiddenAs}`}. If it is needed, ask for a read of exactly this path.`,
      missing: [effects.read(hidden)],
    });
  const meant = hidden === undefined ? meantBy(fence, lines) : undefined;
  if (meant)
    found.push({
      text: `A deny or ask rule hides ${meant.path}, which ${meant.word} may mean, from commands that do not name it. If it is needed, name the file: then the rule decides.`,
      missing: [],
    });
  return [...found, ...linkRefusals(fence, lines, evidence), ...hostRefusals(fence, text, turnedAway)];
}

/** Refusals of granted writes: asking again would change nothing. */
const stuckAt = (lines: readonly string[], unopened: readonly string[]): Denied[] =>
  unopened
    .filter((path) => !isNeverWritable(path))
    .filter((path) => lines.some((line) => (READ_ONLY.test(line) || NOT_THERE.test(line)) && names(line, path)))
    .map((path) => ({
      text: `${path} was granted, but it does not exist, and the sandbox could only open all of ${parent(path)}. Create it with a file tool, then run the command again.`,
      missing: [],
    }));

/** Limits on names to look up, and on names to offer. */
const MOST_NAMES = 50;
const MOST_LINKS = 5;

const WILDCARD = /[*?[]/;

/** A wildcard that matched nothing according to a program, and the place closed by a rule that it may mean. */
function meantBy({ hidden }: Fence, lines: readonly string[]) {
  const closed = hidden.filter(({ isClosed }) => isClosed);
  const words = closed.length === 0 ? [] : lines.filter((line) => NOT_THERE.test(line)).flatMap(wordsOf);
  for (const word of words.filter((one) => WILDCARD.test(one)).slice(0, MOST_NAMES)) {
    // The script's folder at that moment is unknown: accept any folder in which the names fit.
    const wanted = word.split("/").filter((name) => !["", ".", ".."].includes(name));
    const meant = closed.find(({ path, isFolder }) => leadsInto(wanted, path.split("/"), isFolder));
    if (meant) return { word, path: meant.path };
  }
  return undefined;
}

/** Whether the first wanted names fit the last names of a place. For a file, all wanted names must fit. */
const leadsInto = (wanted: readonly string[], place: readonly string[], isFolder: boolean): boolean =>
  wanted.some((_, index) => {
    const first = wanted.slice(0, index + 1);
    const isEnough = isFolder || first.length === wanted.length;
    return isEnough && first.every((pattern, at) => fits(pattern, place.at(at - first.length) ?? ""));
  });

/** Treats brackets as any character: this is only for a hint. */
const fits = (pattern: string, name: string): boolean =>
  fitsStarred(
    [...pattern.replace(/\[[^\]]+\]/g, "?")],
    name,
    "*",
    (token, character) => token === "?" || token === character,
  );

/** Names that lead to personal files without a grant: mostly links, since named paths are granted or asked about before. */
function linkRefusals(
  { emptied, readOnly, writable }: Fence,
  lines: readonly string[],
  { cwd, locate }: Evidence,
): Denied[] {
  if (!locate || emptied.length === 0) return [];
  const isIn = (folders: readonly string[], path: string) => folders.some((folder) => isWithin(folder, path));
  const words = lines.filter((line) => NOT_THERE.test(line)).flatMap(wordsOf);
  const found = [...new Set(words)].slice(0, MOST_NAMES).flatMap((word) => {
    const target = locate(resolve(cwd, word));
    const isLeft = target !== undefined && isIn(emptied, target) && !isIn([...readOnly, ...writable], target);
    return isLeft && !emptied.includes(target) ? [[target, word] as const] : [];
  });
  return [...new Map(found)].slice(0, MOST_LINKS).map(([target, word]) => ({
    text: `${word} leads to ${target}, which this command was not granted. If it is needed, ask for a read of exactly this path.`,
    missing: [effects.read(target)],
  }));
}

function hostRefusals(fence: Fence, text: string, turnedAway: ReadonlyMap<string, string>): Denied[] {
  if (turnedAway.size > 0)
    return [...turnedAway].map(([host, why]) => ({
      text: `The sandbox refused the connection to ${host}: ${why} If it is needed, ask for a connection to it.`,
      missing: [effects.connect(host)],
    }));
  if (fence.network === "host" || !NETWORK.test(text)) return [];
  const host = HOSTS.map((pattern) => pattern.exec(text)?.[1]).find((name) => name !== undefined);
  return [
    {
      text: `The sandbox has no network${host === undefined ? "" : ` for ${host}`}. Ask for a connection to the host if it is wanted.`,
      missing: host === undefined ? [] : [effects.connect(host)],
    },
  ];
}

/** The path in a message about a read-only place. */
function pathIn(line: string, cwd: string): string | undefined {
  const name = WRITTEN.map((pattern) => pattern.exec(line)?.[1]).find((match) => match !== undefined);
  return name === undefined ? undefined : resolve(cwd, name);
}

const hiddenOf = ({ hidden }: Fence): readonly string[] =>
  hidden.map(({ path }) => path).filter((path) => !path.startsWith("/proc/"));

const wordsOf = (line: string): readonly string[] => line.split(/[\s'"`‘’:,()]+/).filter((word) => word !== "");

/** Whether a message names a path by its last segments, as a program in a folder above it does. */
function names(line: string, path: string): boolean {
  return wordsOf(line).some((word) => word === path || path.endsWith(`/${word.replace(/^\.\//, "")}`));
}
