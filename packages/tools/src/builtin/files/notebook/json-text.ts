/** The position of a value in a JSON text: offsets of its first character and of the one after its last. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** A member of an object; the span covers its value. */
interface JsonMember extends JsonSpan {
  readonly key: string;
}

/** The members of the object that begins at `start`, in order. The text must be valid JSON. */
export function membersOf(text: string, start: number): JsonMember[] {
  const members: JsonMember[] = [];
  for (let at = skipSpace(text, start + 1); text[at] !== "}" && at < text.length; ) {
    const keyEnd = valueEnd(text, at);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, value);
    members.push({ key: JSON.parse(text.slice(at, keyEnd)) as string, start: value, end });
    at = skipSeparator(text, end);
  }
  return members;
}

/** The values of the array that begins at `start`, in order. The text must be valid JSON. */
export function itemsOf(text: string, start: number): JsonSpan[] {
  const items: JsonSpan[] = [];
  for (let at = skipSpace(text, start + 1); text[at] !== "]" && at < text.length; ) {
    const end = valueEnd(text, at);
    items.push({ start: at, end });
    at = skipSeparator(text, end);
  }
  return items;
}

/** The member with that name; of several the last, which is the one that counts. */
export const memberOf = (members: readonly JsonMember[], key: string): JsonMember | undefined =>
  members.findLast((member) => member.key === key);

function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first !== "{" && first !== "[")
    return start + (/^[^\s,\]}]*/.exec(text.slice(start, start + 400))?.[0].length ?? 1);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text[at];
    if (code === '"') at = stringEnd(text, at) - 1;
    else if (code === "{" || code === "[") depth += 1;
    else if (code === "}" || code === "]") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function stringEnd(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (/\s/.test(text[at] ?? "")) at += 1;
  return at;
}

function skipSeparator(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text[at] === "," ? skipSpace(text, at + 1) : at;
}
