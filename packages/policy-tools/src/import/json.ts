import JSON5 from "json5";

export type Raw = Readonly<Record<string, unknown>>;

/** Reads JSON, JSONC or JSON5 that must be an object. Returns the reason if it is not. */
export function readObject(text: string): Raw | { readonly broken: string; readonly line?: number } {
  try {
    const value: unknown = JSON5.parse(text);
    return isObject(value) ? value : { broken: "The file must hold an object." };
  } catch (thrown) {
    const { message, lineNumber } = thrown as Error & { lineNumber?: number };
    return {
      broken: `This is not JSON: ${message.replace(/^JSON5: /, "")}.`,
      ...(lineNumber === undefined ? {} : { line: lineNumber }),
    };
  }
}

/** Whether `readObject` failed. A peer's file does not have exactly these two keys. */
export const isBroken = (value: object): value is { readonly broken: string; readonly line?: number } =>
  Object.keys(value).every((key) => key === "broken" || key === "line") && Object.hasOwn(value, "broken");

export const isObject = (value: unknown): value is Raw =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The texts of a list. `odd` if the value is not a list, or has other elements. */
export function textsOf(value: unknown): { readonly texts: readonly string[]; readonly odd: boolean } {
  if (value === undefined) return { texts: [], odd: false };
  if (!Array.isArray(value)) return { texts: [], odd: true };
  const texts = value.filter((item): item is string => typeof item === "string");
  return { texts, odd: texts.length < value.length };
}
