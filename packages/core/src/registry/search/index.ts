/** @module Finding tools by words: a pure index over names, hints, descriptions, parameters and servers. */

export { type InSteps, withPauses } from "./cooperative-yield.ts";
export { localName, type SearchableTool } from "./document.ts";
export { RANKING, type Ranking } from "./ranking.ts";
export {
  buildToolIndex,
  createToolIndex,
  DEFAULT_HITS,
  type SearchAnswer,
  type SearchHit,
  type SearchOptions,
  type ToolIndex,
} from "./tool-index.ts";
