import type { RunOutcome } from "@haft/core/tool";
import type { Appeared } from "./appeared.ts";
import type { Fence } from "./fence/index.ts";

/** Characters of the end of stderr that are looked at: what stopped a program is said last. */
const LOOK_CHARS = 8192;

const NETWORK =
  /network is unreachable|could not resolve host|temporary failure in name resolution|name or service not known|EAI_AGAIN|ENETUNREACH|ENOTFOUND|no address associated with hostname/i;
const READ_ONLY = /read-only file system|EROFS|\[Errno 30\]/i;
const FIXED = /device or resource busy|EBUSY|invalid cross-device link|EXDEV/i;
const REFUSED = /permission denied|EACCES/i;

/**
 * What the fence seems to have refused, read from what a failed program said last. A program can say what it likes, so
 * this is for people and for offers only.
 */
export function deniedBy(fence: Fence, outcome: RunOutcome, appeared: readonly Appeared[]): string | undefined {
  const parts = [...appeared.map(takenAway), ...(outcome.exitCode === 0 ? [] : refusals(fence, outcome))];
  return parts.length === 0 ? undefined : parts.join(" ");
}

function takenAway({ path, movedTo }: Appeared): string {
  const what = `The command made ${path}, which runs by itself or governs tools.`;
  if (movedTo === undefined) return `${what} It could not be taken away: look at it before you go on.`;
  return `${what} It was moved to ${movedTo}; ask for a write of exactly this path if it is wanted.`;
}

function refusals(fence: Fence, outcome: RunOutcome): string[] {
  const text = (outcome.stderr || outcome.output).slice(-LOOK_CHARS);
  const lines = text.split("\n");
  const about = (pattern: RegExp, places: readonly string[]): string | undefined => {
    const line = lines.findLast((candidate) => pattern.test(candidate));
    if (line === undefined) return undefined;
    return places.find((place) => line.includes(place)) ?? places.find((place) => names(line, place)) ?? "";
  };
  const found: string[] = [];
  const readOnly = about(READ_ONLY, fence.readOnly);
  if (readOnly !== undefined)
    found.push(
      readOnly === ""
        ? "The sandbox lets this command write in fewer places than it tried. Ask for a write of the path that it names."
        : `The sandbox keeps ${readOnly} read-only. Ask for a write of exactly this path if it is wanted.`,
    );
  const fixed = about(FIXED, [...fence.readOnly, ...fence.anchored]);
  if (fixed)
    found.push(`The sandbox keeps ${fixed} in its place. Ask for a write of exactly this path if it is wanted.`);
  const hidden = about(REFUSED, hiddenOf(fence));
  if (hidden) found.push(`The sandbox hides ${hidden}. Ask for a read of exactly this path if it is wanted.`);
  if (fence.network === "none" && NETWORK.test(text))
    found.push("The sandbox has no network. Ask for a connection to the host if it is wanted.");
  return found;
}

const hiddenOf = ({ hidden }: Fence): readonly string[] =>
  hidden.map(({ path }) => path).filter((path) => !path.startsWith("/proc/"));

/** Whether a message names a path by its end: as a program does that stands above it. */
function names(line: string, path: string): boolean {
  const words = line.split(/[\s'"`‘’:,()]+/);
  return words.some((word) => word !== "" && path.endsWith(`/${word.replace(/^\.\//, "")}`));
}
