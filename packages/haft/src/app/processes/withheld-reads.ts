import { realpathSync, statSync } from "node:fs";
import { isPrivatePath, pathFold, type Workspace, workspaceArea } from "@haft/core/policy";
import { type Bound, effects, isWithin, type RunOutcome } from "@haft/core/tool";
import { closedIn, createTreeReader, guardsOf, type Tree, type TreeReader } from "@haft/sandbox";
import { deeplyRead, misreadNames, openedUnnamed, readThroughLinks, shownUnnamed } from "@haft/shell/shown";

/** Looks for reads of a command that nobody has agreed to. The outcome replaces that of the command, which is not run. */
export type WithheldReads = (bound: Bound) => Promise<RunOutcome | undefined>;

/** `keepsPrivate`: whether private files need approval. */
export function withheldReads(workspace: Workspace, keepsPrivate: () => boolean): WithheldReads {
  const trees = createTreeReader();
  return async (bound) => {
    const closed = await closedMet(bound, trees);
    if (closed.length > 0) return withheld(closed, "files under deny and ask rules");
    const secrets = keepsPrivate() ? await secretsMet(bound, workspace, trees) : [];
    return secrets.length > 0 ? withheld(secrets, "files that are private or outside the workspace") : undefined;
  };
}

/**
 * Private files, and outside files behind links or odd names, whose content a command would show although nobody named
 * them. A sandbox hides private files from the command. Here the command is held back, and a person is asked for exactly
 * these files.
 */
async function secretsMet(bound: Bound, workspace: Workspace, trees: TreeReader): Promise<readonly string[]> {
  const reading = new Map<string, Promise<Tree>>();
  const read = (root: string): Promise<Tree> => {
    const tree = reading.get(root) ?? trees.read(root, { maxAgeMs: 1000 });
    reading.set(root, tree);
    return tree;
  };
  const found = await Promise.all(deeplyRead(bound.effects).map(read));
  const { isReadable } = workspaceArea(workspace, pathFold(workspace.platform));
  const isOut = (target: string): boolean => isPrivatePath(target) || !isReadable(target);
  const linked = await Promise.all(
    readThroughLinks(bound.effects).map(async (links) => leadingTo(await read(links.root), links, isOut)),
  );
  const keys = await Promise.all(
    openedUnnamed(bound.effects).map(async ({ root, opens }) =>
      (await read(root)).keys.slice(0, MOST_KEYS).filter(opens),
    ),
  );
  const misread = await Promise.all(
    misreadNames(bound.effects).map(async ({ root, opens }) => namesIn(await read(root)).filter(opens)),
  );
  const isGranted = (path: string): boolean =>
    bound.effects.some((effect) => effect.do === "read" && !effect.tree && isWithin(effect.path, path));
  const secrets = found.flatMap((tree) => tree.secrets.map(({ path }) => path));
  const met = [...secrets, ...linked.flat(), ...keys.flat(), ...misread.flat()];
  return [...new Set(met)].filter((path) => !isGranted(path));
}

/** Files in the trees of a command that rules close and that it would open. Rules apply in every mode. */
async function closedMet(bound: Bound, trees: TreeReader): Promise<readonly string[]> {
  if (bound.holes.length === 0) return [];
  const guards = guardsOf(bound);
  const met = shownUnnamed(bound.effects).map(async ({ root, opens }) => {
    const tree = await trees.read(root, { whole: true });
    // A link's target has another name here. A folder that was not read counts as met.
    const isMet = ({ path, isFolder }: { path: string; isFolder: boolean }): boolean =>
      !isWithin(root, path) || (isFolder ? (filesBelow(tree, path)?.some(opens) ?? true) : opens(path));
    return (await closedIn(tree, guards)).filter(isMet);
  });
  const isClosed = (target: string): boolean =>
    !guards.isOpened(target) && guards.holes.some((hole) => hole.do === "read" && hole.matches(target));
  const linked = readThroughLinks(bound.effects).map(async (links) =>
    leadingTo(await trees.read(links.root, { whole: true }), links, isClosed),
  );
  return [
    ...new Set([...(await Promise.all(met)).flat().map(({ path }) => path), ...(await Promise.all(linked)).flat()]),
  ];
}

function filesBelow({ folders }: Tree, folder: string): readonly string[] | undefined {
  if (!folders.has(folder)) return undefined;
  return [...folders].flatMap(([outer, entries]) =>
    isWithin(folder, outer)
      ? entries.filter(({ kind }) => kind !== "folder").map(({ name }) => `${outer}/${name}`)
      : [],
  );
}

/** Every path of a tree, or those of one kind. */
const namesIn = (tree: Tree, wanted?: "link"): readonly string[] =>
  [...tree.folders].flatMap(([folder, entries]) =>
    entries
      .filter(({ kind }) => wanted === undefined || kind === wanted)
      .map(({ name }) => `${folder === "/" ? "" : folder}/${name}`),
  );

/** A tree with more files named like keys contains samples: only the nearest count, as in a sandbox. */
const MOST_KEYS = 100;

type LinkedTree = ReturnType<typeof readThroughLinks>[number];

/**
 * Targets of the links in a tree that the command opens, if they pass the test. Also folders elsewhere, which nobody has
 * read, if the command descends into them.
 */
function leadingTo(tree: Tree, { root, opens, goesOn }: LinkedTree, test: (target: string) => boolean) {
  return namesIn(tree, "link")
    .filter(opens)
    .flatMap((link): readonly string[] => {
      try {
        const target = realpathSync(link);
        const isElsewhere = goesOn === true && !isWithin(root, target) && statSync(target).isDirectory();
        return isElsewhere || test(target) ? [target] : [];
      } catch {
        return [];
      }
    });
}

/** Most paths listed one by one. */
const LISTED = 5;

function withheld(secrets: readonly string[], what: string): RunOutcome {
  const rest = secrets.length > LISTED ? ` and ${secrets.length - LISTED} more` : "";
  const denied =
    `The command did not run: without a sandbox it would read ${what}, ${secrets.slice(0, LISTED).join(", ")}${rest}. ` +
    "Leave it out (--exclude='.env*' --exclude='*.pem', -not -name '.env*'), or ask for a read of exactly these files if they are needed.";
  return {
    ...{ exitCode: 126, timedOut: false, cancelled: false, left: false, durationMs: 0 },
    ...{ output: "", stdout: "", stderr: "", denied, missing: secrets.map((path) => effects.read(path)) },
  };
}
