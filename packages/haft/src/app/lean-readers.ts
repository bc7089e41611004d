import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { isPrivatePath, pathFold, type Workspace, workspaceArea } from "@haft/core/policy";
import { type Bound, effects, fail, isWithin, type Processes, type RunOutcome } from "@haft/core/tool";
import {
  closedIn,
  confinedEnvironment,
  createProcesses,
  createTreeReader,
  deeplyRead,
  type EnvironmentOptions,
  environmentOf,
  guardsOf,
  misreadNames,
  onlyReads,
  openedUnnamed,
  type ProcessesOptions,
  readThroughLinks,
  shownUnnamed,
  type Tree,
  type TreeReader,
} from "@haft/tools";

/** Programs of which those that only read get no more of the user's environment than they would in a sandbox. */
export interface LeanReaders extends Processes {
  /** Fails for a job that would be held back: nobody can be asked for what it lacks once it goes on by itself. */
  refuse(bound: Bound | undefined): Promise<undefined>;
  close(): Promise<void>;
}

export interface LeanReadersOptions {
  /** Variables that commands find besides. */
  readonly set: Readonly<Record<string, string>>;
  readonly workspace: Workspace;
  readonly around?: ProcessesOptions["around"];
  /** Whether private files are asked about: not in the mode that asks about nothing. */
  readonly keepsPrivate: () => boolean;
}

/** What programs that only read get of the user's environment, wherever they run: nothing secret, and no program of the workspace. */
export const leanEnvironment = (
  set: Readonly<Record<string, string>>,
  { root, additional }: Pick<Workspace, "root" | "additional">,
): EnvironmentOptions => ({
  base: confinedEnvironment(environmentOf(), { temporary: tmpdir(), notFrom: [root, ...additional] }),
  set,
});

/**
 * `plain`, for where no sandbox works or none is wanted. What only reads runs unasked and shows its output to the model: keys and
 * tokens of the user's environment must not be in it, nor programs that the workspace brings along.
 */
export function leanReaders(plain: Processes, options: LeanReadersOptions): LeanReaders {
  const { set, workspace, around, keepsPrivate } = options;
  const lean = createProcesses({ environment: leanEnvironment(set, workspace), ...(around ? { around } : {}) });
  const trees = createTreeReader();
  async function withholds(bound: Bound | undefined): Promise<RunOutcome | undefined> {
    if (!bound || !onlyReads(bound)) return undefined;
    const closed = await closedMet(bound, trees);
    if (closed.length > 0) return withheld(closed, "what deny and ask rules close");
    const secrets = keepsPrivate() ? await secretsMet(bound, workspace, trees) : [];
    return secrets.length > 0 ? withheld(secrets, "what is private or lies outside the workspace") : undefined;
  }

  return {
    ...plain,
    async refuse(bound) {
      const { denied } = (await withholds(bound)) ?? {};
      if (denied !== undefined)
        fail("sandbox_denied", denied, "Run it in the foreground, where a person can be asked.");
    },
    async run(request) {
      const { bound } = request;
      if (!bound || !onlyReads(bound)) return plain.run(request);
      return (await withholds(bound)) ?? lean.run(request);
    },
    close: () => lean.close(),
  };
}

/**
 * Private files, and those outside behind links or odd names, whose content a command would show although nobody named
 * them. In a sandbox what is private is hidden from it; here the command is held back and a person is asked for exactly these.
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

/** What rules close in the trees of a command, and it would open. What a rule means is asked about in every mode. */
async function closedMet(bound: Bound, trees: TreeReader): Promise<readonly string[]> {
  if (bound.holes.length === 0) return [];
  const guards = guardsOf(bound);
  const met = shownUnnamed(bound.effects).map(async ({ root, opens }) => {
    const tree = await trees.read(root, { whole: true });
    // What a link leads to has another name here, and of what was not looked into nothing is known.
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

/** Every name of a tree, as a path, or those of one kind. */
const namesIn = (tree: Tree, wanted?: "link"): readonly string[] =>
  [...tree.folders].flatMap(([folder, entries]) =>
    entries
      .filter(({ kind }) => wanted === undefined || kind === wanted)
      .map(({ name }) => `${folder === "/" ? "" : folder}/${name}`),
  );

/** Where there are more files with names of keys in a tree they are samples: the nearest count, as in a sandbox. */
const MOST_KEYS = 100;

type LinkedTree = ReturnType<typeof readThroughLinks>[number];

/**
 * Where those links of a tree that are opened lead to, as far as the test says so; and folders elsewhere, into which nobody looked, where
 * a command goes on in them.
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

/** More than these are not listed one by one. */
const LISTED = 5;

function withheld(secrets: readonly string[], what: string): RunOutcome {
  const rest = secrets.length > LISTED ? ` and ${secrets.length - LISTED} more` : "";
  const denied =
    `The command was not run: without a sandbox it would show ${what}, ${secrets.slice(0, LISTED).join(", ")}${rest}. ` +
    "Leave it out (--exclude='.env*' --exclude='*.pem', -not -name '.env*'), or ask for a read of exactly these if they are wanted.";
  return {
    ...{ exitCode: 126, timedOut: false, cancelled: false, left: false, durationMs: 0 },
    ...{ output: "", stdout: "", stderr: "", denied, missing: secrets.map((path) => effects.read(path)) },
  };
}
