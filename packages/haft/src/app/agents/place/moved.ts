/** The folder of an agent that works apart, and the folder that it stands for. Absolute, real. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

/** The same way back: from the agent's folder to the one that it stands for. */
export const back = ({ from, to }: Moved): Moved => ({ from: to, to: from });

/** Moves every path below `from` in a value of plain data. Parts without any stay the same objects. */
export const inFolder = <T>(move: Moved, value: T): T => moveAll(value, (text) => moveText(move, text)) as T;

/** Characters before and after a path that decide whether it is one of the folder. */
export const CONTEXT = 3;

/** Moves the paths in a text, of which `before` are the last moved characters. */
export function moveText({ from, to }: Moved, text: string, before = ""): string {
  const [first = "", ...rest] = text.split(from);
  return rest.reduce((moved, next) => {
    const isPath = BEFORE.test((before + moved).slice(-CONTEXT)) && !LONGER.test(next);
    return `${moved}${isPath ? to : from}${next}`;
  }, first);
}

/** After other characters, the same letters are the end of a longer path. A rule writes an absolute path as `//`. */
const BEFORE = /(?:^|[^\p{L}\p{N}_.~/$}:-])\/?$|:(?:\/\/)?$/u;

/** Before these characters, the path has a longer name. */
const LONGER = /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}_])/u;

function moveAll(value: unknown, move: (text: string) => string): unknown {
  if (typeof value === "string") return move(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => moveAll(item, move));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  // Instances of classes, such as buffers, hold no paths for people.
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null) return value;
  const entries = Object.entries(value).map(([key, item]) => [move(key), moveAll(item, move), key, item] as const);
  const isMoved = entries.some(([key, item, oldKey, old]) => key !== oldKey || item !== old);
  return isMoved ? Object.fromEntries(entries) : value;
}
