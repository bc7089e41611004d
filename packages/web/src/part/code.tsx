import { useEffect, useState } from "preact/hooks";
import type { CodeSpan } from "../../../haft/src/draw/rich/highlight.ts";
import { Store, useStore } from "../lib/store.ts";
import { clean } from "./bits.tsx";

type CodeLines = typeof import("../../../haft/src/draw/rich/highlight.ts").codeLines;

/** The grammars load once, when the first code is shown. */
const grammars = new Store<CodeLines | undefined>(undefined);
let isLoading = false;

/** The function that colours code, as soon as it is here. */
export function useCodeColours(): CodeLines | undefined {
  const lines = useStore(grammars);
  useEffect(() => {
    if (isLoading) return;
    isLoading = true;
    void import("../../../haft/src/draw/rich/highlight.ts").then(
      ({ codeLines }) => grammars.set(codeLines),
      () => {},
    );
  }, []);
  return lines;
}

/** The ending of a path, which names its language. */
export const languageOf = (path: string | undefined): string => /\.(\w+)$/.exec(path ?? "")?.[1] ?? "";

/** Code in the colours of its language. */
export function Code({ text, language }: { readonly text: string; readonly language: string }) {
  const colour = useCodeColours();
  const shown = clean(text);
  const [lines, setLines] = useState<ReturnType<CodeLines>>();
  useEffect(() => setLines(colour?.(shown, language)), [colour, shown, language]);
  return (
    <pre class="code-block">
      <code>
        {lines
          ? lines.map((line, at) => (
              <span key={at}>
                <Spans spans={line} />
                {"\n"}
              </span>
            ))
          : shown}
      </code>
    </pre>
  );
}

/** Coloured pieces of a line; the part between two places is marked. */
export function Spans({
  spans,
  marks,
}: {
  readonly spans: readonly CodeSpan[];
  readonly marks?: readonly [number, number];
}) {
  let from = 0;
  const parts = spans.flatMap((span) => {
    const start = from;
    from += span.text.length;
    return cut(span, start, marks);
  });
  return (
    <>
      {parts.map(({ text, ink, isMarked }, at) => {
        const inner = ink ? <span class={`ink-${ink}`}>{text}</span> : text;
        return isMarked ? <mark key={at}>{inner}</mark> : <span key={at}>{inner}</span>;
      })}
    </>
  );
}

/** A piece, divided where the marked part begins and ends. */
function cut({ text, ink }: CodeSpan, start: number, marks: readonly [number, number] = [0, 0]) {
  const places = [0, ...marks.map((place) => Math.min(text.length, Math.max(0, place - start))), text.length];
  return [0, 1, 2].flatMap((part) => {
    const piece = text.slice(places[part], places[part + 1]);
    return piece === "" ? [] : [{ text: piece, isMarked: part === 1, ...(ink ? { ink } : {}) }];
  });
}
