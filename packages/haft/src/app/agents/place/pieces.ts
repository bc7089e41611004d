import type { Pieces } from "@haft/core/executor";
import type { AgentNews } from "@haft/core/tool";
import { CONTEXT, inFolder, type Moved, moveText } from "./moved.ts";

/**
 * Moves the paths of a text that arrives in pieces, as if it came at once. It holds back no more than the beginning of a
 * path of the folder.
 */
export function piecesInFolder(move: Moved): Pieces {
  let before = "";
  let held = "";
  const take = (text: string): string => {
    const moved = moveText(move, text, before);
    before = (before + moved).slice(-CONTEXT);
    return moved;
  };
  return {
    next(piece) {
      const text = held + piece;
      const ready = readyLength(move.from, text);
      held = text.slice(ready);
      return take(text.slice(0, ready));
    },
    end: () => take(held),
  };
}

/** The length of the text before its last characters that may be, or may become, a path of the folder. */
function readyLength(folder: string, text: string): number {
  const last = text.length - folder.length - CONTEXT;
  let start = 0;
  for (let found = text.indexOf(folder); found >= 0 && found <= last; found = text.indexOf(folder, start))
    start = found + folder.length;
  for (let at = Math.max(start, last + 1); at < text.length; at += 1)
    if (folder.startsWith(text.slice(at, at + folder.length))) return at;
  return text.length;
}

/** Moves the paths in the news of an agent. Its words come in pieces, then as a whole. */
export function newsInFolder(move: Moved, tell: (news: AgentNews) => void): (news: AgentNews) => void {
  const streams = new Map<string, Pieces>();
  return (news) => {
    if (news.type !== "text" && news.type !== "thinking") return tell(inFolder(move, news));
    const stream = streams.get(news.type) ?? piecesInFolder(move);
    if (news.isWhole) streams.delete(news.type);
    else streams.set(news.type, stream);
    const text = news.isWhole ? stream.end() : stream.next(news.text);
    if (text !== "") tell({ type: news.type, text, isWhole: false });
    if (news.isWhole) tell(inFolder(move, news));
  };
}
