import { actionOfQuery, actionOfTool, actionTable } from "./action.ts";
import { looseName } from "../../schema/index.ts";
import { type Concept, conceptsOf } from "./concept.ts";
import { type Document, documentOf, localName, type SearchableTool } from "./document.ts";
import { type Postings, postingsOf } from "./postings.ts";
import { parseQuery, queryWords } from "./query.ts";
import { RANKING, type Ranking } from "./ranking.ts";
import { stem } from "./stem.ts";
import { createThesaurus } from "./thesaurus.ts";
import { wordsOf } from "./words.ts";

export interface SearchHit<T extends SearchableTool> { readonly tool: T; readonly score: number }
export interface SearchOptions<T> { readonly limit?: number; accept?(tool: T): boolean }

export function createToolIndex<T extends SearchableTool>(tools: readonly T[], ranking: Ranking = RANKING, made?: Document[]) {
  const stems = new Map<string, string>();
  const toStem = (word: string): string => {
    let known = stems.get(word);
    if (known === undefined) { known = stem(word); stems.set(word, known); }
    return known;
  };
  const documents = made ?? tools.map((tool) => documentOf(tool, toStem));
  const surfaces = tools.map((tool) => new Set(wordsOf(localName(tool.name))));
  const postings = postingsOf(documents, ranking);
  const table = actionTable();
  const acts = documents.map((document) => actionOfTool(document, table));
  const thesaurus = createThesaurus();
  const scores = new Float64Array(tools.length);
  const best = new Float64Array(tools.length);
  const answered = new Float64Array(tools.length);

  return {
    documents, postings,
    explain(query: string) { return conceptsOf(queryWords(parseQuery(query).text, thesaurus.phrase), { postings, thesaurus, ranking }); },
    search(query: string, { limit = 5 }: { limit?: number } = {}): SearchHit<T>[] {
      const words = queryWords(parseQuery(query).text, thesaurus.phrase);
      const concepts = conceptsOf(words, { postings, thesaurus, ranking });
      scores.fill(0); answered.fill(0);
      let total = 0;
      for (const concept of concepts) {
        total += concept.importance;
        best.fill(0);
        for (const { posting, worth } of concept.ways) {
          const factor = worth;
          const { documents: at, weights } = posting;
          for (let i = 0; i < at.length; i++) {
            const v = weights[i]! * factor;
            if (v > best[at[i]!]!) best[at[i]!] = v;
          }
        }
        for (let d = 0; d < best.length; d++) if (best[d]! > 0) { scores[d]! += best[d]! * concept.importance; answered[d]! += concept.importance * Math.min(1, best[d]! * 1.5); }
      }
      const wanted = actionOfQuery(words.map(({ word }) => word), query, table);
      const hits: { i: number; s: number }[] = [];
      for (let d = 0; d < scores.length; d++) {
        if (scores[d] === 0) continue;
        const cov = total ? answered[d]! / total : 0;
        const s = scores[d]! * (1 - ranking.queryCoverage + ranking.queryCoverage * cov) * (1 + ranking.nameCoverage * nameCoverage(documents[d]!, concepts, postings)) * (1 + ranking.server * serverNamed(documents[d]!, concepts)) * (1 + ranking.sameForm * sameForm(surfaces[d]!, concepts));
        const does = acts[d];
        hits.push({ i: d, s: wanted && does && wanted !== does ? s * (1 - ranking.otherAction) : s });
      }
      hits.sort((a, b) => b.s - a.s || a.i - b.i);
      return hits.slice(0, limit).map(({ i, s }) => ({ tool: tools[i]!, score: s }));
    },
  };
}

function nameCoverage(document: Document, concepts: readonly Concept[], postings: Postings): number {
  let whole = 0, covered = 0;
  for (const term of new Set(document.name)) {
    const rarity = postings.get(term)!.rarity;
    whole += rarity;
    let w = 0;
    for (const c of concepts) for (const way of c.ways) if (way.term === term && way.worth > w) w = way.worth;
    covered += rarity * w;
  }
  return whole ? covered / whole : 0;
}
function serverNamed(document: Document, concepts: readonly Concept[]): number {
  let best = 0;
  for (const c of concepts) if (c.asked.kind === "word") for (const way of c.ways) if (way.worth > best && document.server.includes(way.term)) best = way.worth;
  return best;
}
function sameForm(surface: ReadonlySet<string>, concepts: readonly Concept[]): number {
  let n = 0; for (const c of concepts) if (surface.has(c.asked.word)) n++;
  return n / Math.max(1, surface.size);
}
void looseName; void wordsOf;
