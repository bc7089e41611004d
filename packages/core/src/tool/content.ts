/** The content of a result for the model. Binary data is base64 text, as the wire format of every provider requires. */
export type Content =
  | {
      readonly type: "text";
      readonly text: string;
      /** The tool's own words in a result with untrusted content: they go outside the marks around that content. */
      readonly own?: true;
    }
  | { readonly type: "image"; readonly data: string; readonly mediaType: string; readonly path?: string }
  | { readonly type: "audio"; readonly data: string; readonly mediaType: string }
  | { readonly type: "document"; readonly data: string; readonly mediaType: string; readonly name?: string }
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mediaType?: string;
      readonly text?: string;
      readonly blob?: string;
      /** A link that was not read, with its description. The text says the same in words. */
      readonly link?: {
        readonly name: string;
        readonly title?: string;
        readonly description?: string;
        readonly size?: number;
      };
    }
  | { readonly type: "json"; readonly value: unknown };

/** One text block. */
export const text = (value: string): Content => ({ type: "text", text: value });

/** One text block with the tool's own words, in a result with untrusted content. */
export const ownText = (value: string): Content => ({ type: "text", text: value, own: true });

/** The text for a provider that does not support this kind of block. */
export function contentText(content: Content): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "json":
      return toJson(content.value);
    case "resource":
      return content.text ?? `[resource ${content.uri}${content.mediaType ? `, ${content.mediaType}` : ""}]`;
    default:
      return `[${content.type}, ${content.mediaType}]`;
  }
}

/** All blocks as one text, one block after the other. */
export const contentsText = (contents: readonly Content[]): string => contents.map(contentText).join("\n");

/**
 * JSON that never throws. The default indent is two spaces. `undefined` becomes `null`, a BigInt becomes its digits, a
 * cycle becomes the text `[circular]`.
 */
export function toJson(value: unknown, indent = 2): string {
  const above: object[] = [];
  function replace(this: unknown, _key: string, item: unknown): unknown {
    if (typeof item === "bigint") return item.toString();
    if (typeof item !== "object" || item === null) return item;
    // `this` is the holder: everything above it on the stack is an ancestor, so only real cycles are cut.
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(item)) return "[circular]";
    above.push(item);
    return item;
  }
  return JSON.stringify(value, replace, indent) ?? "null";
}

/**
 * A whole number with its thousands marked: 1234567 becomes "1,234,567". Written out here because the first use of
 * `toLocaleString` in a process costs some 30 ms.
 */
export const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** `1 file`, `2 files`, with thousands separated. */
export const counted = (amount: number, one: string, many = `${one}s`): string =>
  `${grouped(amount)} ${amount === 1 ? one : many}`;
