// Searches recorded tool lists for recorded queries and prints how often the right tool is found.
//   npm run search-cases -- PATH      PATH holds mcp-servers/*.json and toolsearch-dev.json
// The cross-validated figure says what the choice of the ranking owes to these very queries: for each fold the best of
// many neighbouring rankings on the other folds is rated on it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createToolIndex, RANKING } from "../packages/core/src/registry/search/index.ts";

const FOLDS = 10;
const NEIGHBOURS = 100;

const [root] = process.argv.slice(2);
if (root === undefined || !existsSync(join(root, "toolsearch-dev.json"))) {
  process.stderr.write("Usage: npm run search-cases -- PATH (a folder with mcp-servers/ and toolsearch-dev.json).\n");
  process.exit(2);
}

const { queries } = JSON.parse(readFileSync(join(root, "toolsearch-dev.json"), "utf8"));
const tools = readdirSync(join(root, "mcp-servers")).flatMap((file) => {
  const server = basename(file, ".json");
  const list = JSON.parse(readFileSync(join(root, "mcp-servers", file), "utf8")).tools;
  return list.map(({ name, description, inputSchema }) => ({ server, name, description, inputSchema }));
});

const own = placesWith(RANKING);
const neighbours = [own, ...Array.from({ length: NEIGHBOURS }, () => placesWith(shaken(RANKING)))];
print(`${queries.length} queries over ${tools.length} tools`, own);
print(`${FOLDS}-fold cross-validated over ${neighbours.length} rankings`, crossValidated(neighbours));

/** The place of the first right tool for each query: 1 to 5, or 0 where none is among the five. */
function placesWith(ranking) {
  const index = createToolIndex(tools, ranking);
  return queries.map(({ query, expected }) => {
    const found = index.search(query).hits.map(({ tool }) => `${tool.server}/${tool.name}`);
    return found.findIndex((name) => expected.includes(name)) + 1;
  });
}

function crossValidated(rankings) {
  const worth = (place) => (place === 1) + (place > 0);
  return queries.map((_, at) => {
    const rated = rankings.map((places) =>
      places.reduce((sum, place, other) => (other % FOLDS === at % FOLDS ? sum : sum + worth(place)), 0),
    );
    return rankings[rated.indexOf(Math.max(...rated))][at];
  });
}

/** The same ranking with every value up to a third more or less; values that stay below 1 do so. */
function shaken(value) {
  if (typeof value === "number") {
    const moved = value * (2 / 3 + random() * (2 / 3));
    return value < 1 ? Math.min(1, moved) : moved;
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shaken(one)]));
}

/** Always the same numbers between 0 and 1, so that two runs agree. */
function random() {
  random.state = ((random.state ?? 7) * 1_103_515_245 + 12_345) % 2_147_483_648;
  return random.state / 2_147_483_648;
}

function print(title, places) {
  const share = (most) => (places.filter((place) => place > 0 && place <= most).length / places.length).toFixed(3);
  process.stdout.write(`${title}: recall@1 ${share(1)}, recall@5 ${share(5)}\n`);
}
