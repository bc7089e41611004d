import type { DialectTool, Input } from "./table.ts";

/** The first key in another naming; further keys of a dotted path stay. */
export function renamed(fields: Readonly<Record<string, string>>, path: string): string {
  const [first = "", ...rest] = path.split(".");
  return [fields[first] ?? first, ...rest].join(".");
}

/** A call's input in Haft's names. A parameter that is given under Haft's own name stays as it is. */
export function convertedInput({ fields = {}, convert = [] }: DialectTool, input: Input): Input {
  const ours = new Map(Object.entries(fields).map(([our, their]) => [their, our]));
  const handled = new Set(convert.flatMap(({ theirs }) => Object.keys(theirs)));
  const entries = Object.entries(input).flatMap(([key, value]): [string, unknown][] => {
    if (handled.has(key)) return [];
    const our = ours.get(key);
    return [[our === undefined || our in input ? key : our, value]];
  });
  const converted = convert.flatMap((one) =>
    Object.entries(one.toOurs(input)).filter(([key, value]) => value !== undefined && !(key in input)),
  );
  return Object.fromEntries([...entries, ...converted]);
}
