import type { SearchQuery, SearchResult } from "@haft/core/tool";

/** A matching line, or a context line around one. */
export interface Hit {
  readonly line: number;
  readonly text: string;
  readonly context?: boolean;
}

/** Characters of a line to show; of a longer line, the part around its first match. */
const SHOWN_CHARS = 500;
/** Characters to keep before the match of a cut line. */
const LEAD_CHARS = 100;

/**
 * Gathers hits that arrive file by file in any order, and keeps the first ones by path: the same search gives the
 * same answer with any number of threads. Memory holds little more than the requested hits; the rest is only counted.
 */
export class Hits {
  /** Total number of hits. */
  total = 0;
  private readonly need: number;
  private readonly query: SearchQuery;
  private readonly groups = new Map<string, Hit[]>();
  private held = 0;
  private path = "";
  private group: Hit[] = [];
  private groupHits = 0;
  /** Paths from here on are dropped: enough hits come before them. */
  private ceiling: string | undefined;

  constructor(query: SearchQuery) {
    this.query = query;
    this.need = (query.offset ?? 0) + query.limit;
  }

  add(path: string, hit: Hit): void {
    if (!hit.context) this.total += 1;
    if (path !== this.path || this.groups.size === 0) this.open(path);
    if (this.ceiling !== undefined && path > this.ceiling) return;
    if (this.groupHits >= this.need && !this.isAfterLast(hit)) return;
    this.group.push(hit);
    if (hit.context) return;
    this.groupHits += 1;
    this.held += 1;
  }

  /** Whether to keep the text of the next hit: decoding a hit that is only counted would be wasted. */
  wants(path: string): boolean {
    if (this.ceiling !== undefined && path > this.ceiling) return false;
    return path !== this.path || this.groupHits < this.need || (this.query.after ?? 0) > 0;
  }

  /** The hits from `offset` on, at most `limit`, each with its context. */
  page(): SearchResult["matches"] {
    const matches: SearchResult["matches"][number][] = [];
    let skip = this.query.offset ?? 0;
    let left = this.query.limit;
    for (const path of [...this.groups.keys()].sort()) {
      const group = this.groups.get(path) ?? [];
      const hits = group.filter((hit) => !hit.context);
      const taken = hits.slice(skip, skip + left);
      skip = Math.max(0, skip - hits.length);
      left -= taken.length;
      const lines = new Set(taken.map((hit) => hit.line));
      for (const hit of group)
        if (lines.has(hit.line) || (hit.context && this.isNear(hit.line, taken))) matches.push({ path, ...hit });
      if (left === 0) break;
    }
    return matches;
  }

  private open(path: string): void {
    this.path = path;
    this.groupHits = 0;
    if (this.held > this.need * 2 + 1000) this.prune();
    if (this.ceiling !== undefined && path > this.ceiling) return;
    this.group = this.groups.get(path) ?? [];
    this.groupHits = this.group.filter((hit) => !hit.context).length;
    this.groups.set(path, this.group);
  }

  private prune(): void {
    let kept = 0;
    for (const path of [...this.groups.keys()].sort()) {
      const hits = this.groups.get(path)?.filter((hit) => !hit.context).length ?? 0;
      if (kept >= this.need) this.groups.delete(path);
      else {
        kept += hits;
        this.ceiling = path;
      }
    }
    if (kept < this.need) this.ceiling = undefined;
    this.held = kept;
  }

  /** Whether a line is context of the last kept hit of this file. */
  private isAfterLast(hit: Hit): boolean {
    const last = this.group.findLast((one) => !one.context);
    return hit.context === true && last !== undefined && hit.line <= last.line + (this.query.after ?? 0);
  }

  private isNear(line: number, hits: readonly Hit[]): boolean {
    const { before = 0, after = 0 } = this.query;
    return hits.some((hit) => line >= hit.line - before && line <= hit.line + after);
  }
}

/** A line for display: cuts a long one to the part around its match, which begins at `column` (from 0). */
export function shownLine(text: string, column: number): string {
  if (text.length <= SHOWN_CHARS) return text;
  const start = column + LEAD_CHARS < SHOWN_CHARS ? 0 : column - LEAD_CHARS;
  const end = start + SHOWN_CHARS;
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}
