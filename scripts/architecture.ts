// Draws the house from its imports and puts the picture into docs/architecture.md: `node scripts/architecture.ts`.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dependencyGraph, isTest, packageFolders, readSources } from "../test/support/sources.ts";

const PAGE = "docs/architecture.md";
const BLOCK = /(<!-- block: skip node scripts\/architecture\.ts [^>]*-->\n```mermaid\n)([\s\S]*?)(\n```)/;
/** Packages whose folders are rooms of their own. */
const OPEN = ["core", "haft"];

/** A room of the house, such as `core/policy` or `journal`; nothing for a package's front door. */
function roomOf(path: string): string | undefined {
  const [, pkg = "", folder] = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(path) ?? [];
  if (!OPEN.includes(pkg)) return pkg;
  return folder === undefined ? undefined : `${pkg}/${folder}`;
}

/** Room → the rooms that its files import, doors of packages looked through. */
export function roomImports(): ReadonlyMap<string, ReadonlySet<string>> {
  const all = readSources(...packageFolders.map((name) => `packages/${name}/src`));
  const rooms = new Map<string, Set<string>>();
  for (const [file, targets] of dependencyGraph(new Map([...all].filter(([path]) => !isTest(path))))) {
    const room = roomOf(file);
    if (room === undefined) continue;
    const found = rooms.get(room) ?? new Set();
    for (const target of targets.map(roomOf)) if (target !== undefined && target !== room) found.add(target);
    rooms.set(room, found);
  }
  return new Map([...rooms].sort());
}

/** Only the arrows that no longer way replaces: a reader sees who stands on whom, not every line twice. */
function shortest(rooms: ReadonlyMap<string, ReadonlySet<string>>): [from: string, to: string][] {
  const below = new Map<string, ReadonlySet<string>>();
  const reach = (room: string): ReadonlySet<string> => {
    const known = below.get(room);
    if (known) return known;
    const found = new Set([...(rooms.get(room) ?? [])].flatMap((one) => [one, ...reach(one)]));
    below.set(room, found);
    return found;
  };
  return [...rooms].flatMap(([from, direct]) =>
    [...direct]
      .filter((to) => ![...direct].some((other) => other !== to && reach(other).has(to)))
      .sort()
      .map((to): [string, string] => [from, to]),
  );
}

/** The picture, as Mermaid. */
export function drawArchitecture(): string {
  const rooms = roomImports();
  const id = (room: string) => room.replace(/\W/g, "_");
  const node = (room: string) => `${id(room)}["${room.replace(/^.*\//, "")}"]`;
  const groups = OPEN.toReversed().flatMap((pkg) => [
    `  subgraph ${pkg}["${pkg === "core" ? "@haft/core" : pkg}"]`,
    ...[...rooms.keys()].filter((room) => room.startsWith(`${pkg}/`)).map((room) => `    ${node(room)}`),
    "  end",
  ]);
  const single = [...rooms.keys()].filter((room) => !room.includes("/")).map((room) => `  ${node(room)}`);
  const arrows = shortest(rooms).map(([from, to]) => `  ${id(from)} --> ${id(to)}`);
  return ["flowchart TD", ...groups, ...single, ...arrows].join("\n");
}

/** The picture on the page. */
export const drawnArchitecture = (): string | undefined => BLOCK.exec(readFileSync(PAGE, "utf8"))?.[2];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = readFileSync(PAGE, "utf8");
  const picture = drawArchitecture();
  writeFileSync(
    PAGE,
    page.replace(BLOCK, (_, head: string, __, tail: string) => head + picture + tail),
  );
}
