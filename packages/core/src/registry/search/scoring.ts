import { actionOfTool, actionTable, type Meanings, unwantedBy } from "./action.ts";
import { type Concept, conceptsOf, type Lexicon } from "./concept.ts";
import { eachInSteps, type InSteps } from "./cooperative-yield.ts";
import { type Document, localName, type SearchableTool } from "./document.ts";
import { type Postings, postingsOf } from "./postings.ts";
import { askedWords } from "./query.ts";
import type { Ranking } from "./ranking.ts";
import { isPlural, stem } from "./stem.ts";
import { createThesaurus } from "./thesaurus.ts";
import { wordsOf } from "./words.ts";

/** Rates the tools of one list against free words. */
export interface Scorer {
  /** Parses a query. The rating is valid until the next call. */
  rate(text: string): Rating;
  /** Whether a tool has a term anywhere. */
  has(tool: number, term: string): boolean;
}

/** How tools fit one query, by their place in the list. */
export interface Rating {
  /** A cheap upper bound; 0 for a tool that does not fit at all. */
  atMost(tool: number): number;
  of(tool: number): number;
}

/** Data about a tool besides its postings. */
interface Profile {
  readonly name: readonly { readonly term: string; readonly rarity: number; readonly isPlural: boolean }[];
  readonly action: Meanings | undefined;
  readonly server: string;
}

/** Reads the documents once; rating then touches only the postings of the query's words. */
export function* createScorer(
  tools: readonly SearchableTool[],
  documents: readonly Document[],
  ranking: Ranking,
): InSteps<Scorer> {
  const postings = yield* postingsOf(documents, ranking);
  const thesaurus = createThesaurus();
  const actions = actionTable();
  const lexicon: Lexicon = { postings, byInitial: byInitialOf(postings.keys()), thesaurus, ranking };
  const servers = new Map<string, ReadonlySet<string>>();
  const profiles: Profile[] = [];
  yield* eachInSteps(tools, (tool, index) => {
    const document = documents[index]!;
    const server = tool.server ?? "";
    if (!servers.has(server)) servers.set(server, new Set(document.server));
    profiles.push({ name: nameOf(tool, document, postings), action: actionOfTool(document, actions), server });
  });
  const serverNumbers = new Map([...servers.keys()].map((name, number): [string, number] => [name, number]));
  const serverOf = Int32Array.from(profiles, ({ server }) => serverNumbers.get(server) ?? 0);
  const { scores, answered, addUp } = createSums(serverOf, serverNumbers.size, ranking);

  /** The share of a word's tools that belong to one server. */
  function ownedBy(server: string, term: string): number {
    const having = postings.get(term)?.documents ?? [];
    const number = serverNumbers.get(server);
    let own = 0;
    for (const tool of having) if (serverOf[tool] === number) own++;
    return having.length === 0 ? 0 : own / having.length;
  }

  return {
    has: (tool, term) => postings.get(term)?.documents.includes(tool) ?? false,
    rate(text) {
      const asked = askedWords(text, thesaurus, (term) => postings.get(term)?.isTopic ?? false);
      const concepts = conceptsOf(asked, lexicon);
      addUp(concepts);
      const all = concepts.reduce((sum, { importance }) => sum + importance, 0);
      const worths = worthsOf(concepts);
      const plurals = new Map(asked.map(({ word }) => [stem(word), isPlural(word)]));
      const named = namedServers(servers, concepts, ownedBy);
      const boosts = Float64Array.from(serverNumbers.keys(), (server) => 1 + ranking.server * (named.get(server) ?? 0));
      const isUnwanted = unwantedBy(asked, text, actions, thesaurus.related);
      const plain = (tool: number): number =>
        scores[tool]! * (1 - ranking.queryCoverage * (1 - answered[tool]! / all)) * boosts[serverOf[tool]!]!;
      return {
        atMost: (tool) => (answered[tool] === 0 ? 0 : plain(tool) * (1 + ranking.nameCoverage)),
        of(tool) {
          if (answered[tool] === 0) return 0;
          const { name, action } = profiles[tool]!;
          return (
            plain(tool) *
            (1 + ranking.nameCoverage * coverageOf(name, worths, plurals, ranking.otherNumber)) *
            (action && isUnwanted(action) ? 1 - ranking.otherAction : 1)
          );
        },
      };
    },
  };
}

/** Adds up how well concepts match each tool; `scores` and `answered` are valid until the next call. */
function createSums(serverOf: Int32Array, servers: number, ranking: Ranking) {
  const scores = new Float64Array(serverOf.length);
  const answered = new Float64Array(serverOf.length);
  const best = new Float64Array(serverOf.length);
  const sizes = new Float64Array(servers);
  for (const number of serverOf) sizes[number]!++;
  const shares = new Float64Array(servers);

  /** BM25 over concepts: each concept counts by its name that fits a tool best. */
  function addUp(concepts: readonly Concept[]): void {
    scores.fill(0);
    answered.fill(0);
    for (const { ways, importance } of concepts) {
      best.fill(0);
      for (const { posting, worth, isSynonym } of ways) {
        const mentioned = isSynonym ? ranking.mentionedSynonym : 1;
        for (let at = 0; at < posting.documents.length; at++) {
          const tool = posting.documents[at]!;
          const weight = mentioned * posting.weights[at]! + (1 - mentioned) * posting.topicWeights[at]!;
          best[tool] = Math.max(best[tool]!, weight * worth);
        }
      }
      shareAmongNeighbours();
      for (let tool = 0; tool < best.length; tool++) {
        scores[tool]! += (best[tool]! + ranking.neighbours * shares[serverOf[tool]!]!) * importance;
        answered[tool]! += importance * Math.min(1, best[tool]! * FULL_ANSWER);
      }
    }
  }

  /** How well the tools of each server match the current concept: a tool may lack a word that the others have. */
  function shareAmongNeighbours(): void {
    shares.fill(0);
    for (let tool = 0; tool < best.length; tool++) shares[serverOf[tool]!]! += best[tool]!;
    for (let server = 0; server < shares.length; server++) shares[server]! /= sizes[server]! + SMALL_SERVER;
  }
  return { scores, answered, addUp };
}

function nameOf({ name }: SearchableTool, document: Document, postings: Postings): Profile["name"] {
  const plurals = new Set(wordsOf(localName(name)).filter(isPlural).map(stem));
  return [...new Set(document.name)].map((term) => ({
    term,
    rarity: postings.get(term)?.rarity ?? 0,
    isPlural: plurals.has(term),
  }));
}

/** Keeps a server with one tool from being its own neighbourhood. */
const SMALL_SERVER = 2;
/** The factor for the share of its best that a concept must reach to count as fully matched. */
const FULL_ANSWER = 1.5;

/** The best weight of each term over all concepts of a query, except implied ones. */
function worthsOf(concepts: readonly Concept[]): Map<string, number> {
  const worths = new Map<string, number>();
  for (const { ways } of concepts)
    for (const { term, worth } of ways) if (worth > (worths.get(term) ?? 0)) worths.set(term, worth);
  return worths;
}

/** How much of a name the query covers, rare words first. Singular and plural count differently. */
function coverageOf(
  name: Profile["name"],
  worths: ReadonlyMap<string, number>,
  plurals: ReadonlyMap<string, boolean>,
  otherNumber: number,
): number {
  let whole = 0;
  let covered = 0;
  for (const { term, rarity, isPlural } of name) {
    whole += rarity;
    const isOtherNumber = (plurals.get(term) ?? isPlural) !== isPlural;
    covered += rarity * (worths.get(term) ?? 0) * (isOtherNumber ? otherNumber : 1);
  }
  return whole === 0 ? 0 : covered / whole;
}

/** The servers that a query names, with a certainty: a word that other servers also use counts less. */
function namedServers(
  servers: ReadonlyMap<string, ReadonlySet<string>>,
  concepts: readonly Concept[],
  ownedBy: (server: string, term: string) => number,
): Map<string, number> {
  const said = new Set(
    concepts.flatMap(({ ways }) => ways.flatMap(({ term, isSynonym }) => (isSynonym ? [] : [term]))),
  );
  const named = new Map<string, number>();
  for (const [server, terms] of servers) {
    const surest = Math.max(0, ...[...terms].filter((term) => said.has(term)).map((term) => ownedBy(server, term)));
    if (surest > 0) named.set(server, surest);
  }
  return named;
}

function byInitialOf(terms: Iterable<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const term of terms) {
    const initial = term.slice(0, 1);
    const group = groups.get(initial);
    if (group) group.push(term);
    else groups.set(initial, [term]);
  }
  return groups;
}
