/** A piece of a skill's text: words, or a command or file whose output or content takes its place. */
export type Piece = { readonly text: string } | { readonly command: string } | { readonly file: string };

/**
 * Splits the prompt of a Gemini CLI command at `!{command}` and `@{file}`. Braces inside a command count when they are
 * balanced. A brace that is never closed is text.
 */
export function bracePieces(body: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { index } of body.matchAll(/[!@]\{/g)) {
    if (index < from) continue;
    const end = closing(body, index + 2);
    if (end === undefined) continue;
    if (index > from) pieces.push({ text: body.slice(from, index) });
    const inner = body.slice(index + 2, end).trim();
    if (inner !== "") pieces.push(body[index] === "!" ? { command: inner } : { file: inner });
    from = end + 1;
  }
  if (from < body.length) pieces.push({ text: body.slice(from) });
  return pieces;
}

/** Puts arguments in for `{{args}}`: as one quoted word in a command, and as they are elsewhere. */
export const withBraceArguments = (text: string, args: string, isCommand: boolean): string =>
  text.replaceAll("{{args}}", () => (isCommand && args !== "" ? `'${args.replaceAll("'", "'\\''")}'` : args));

function closing(body: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < body.length; at++) {
    if (body[at] === "{") depth++;
    else if (body[at] === "}" && --depth === 0) return at;
  }
  return undefined;
}
