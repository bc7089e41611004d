import { createHash } from "node:crypto";
import { type Dirent, readdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { basename, type FileContents, type Startable } from "@haft/core/tool";

/** Files that programs read and run on their own, from their folder or the nearest one above. */
const UNASKED: Readonly<Record<string, string>> = {
  ...forEach("npm npx pnpm pnpx yarn bun bunx lerna nx turbo vitest jest", "package.json"),
  ...forEach("make gmake", "GNUmakefile makefile Makefile"),
  ...forEach("deno", "deno.json deno.jsonc package.json"),
  ...forEach("just", "justfile Justfile .justfile"),
  ...forEach("task", "Taskfile.yml Taskfile.yaml"),
  ...forEach("rake", "Rakefile rakefile"),
  ...forEach("bundle", "Gemfile"),
  ...forEach("cargo", "Cargo.toml build.rs"),
  ...forEach("gradle gradlew", "build.gradle build.gradle.kts settings.gradle settings.gradle.kts"),
  ...forEach("mvn mvnw", "pom.xml"),
  ...forEach("ant", "build.xml"),
  ...forEach("cmake ctest", "CMakeLists.txt"),
  ...forEach("ninja", "build.ninja"),
  ...forEach("composer", "composer.json"),
  ...forEach("tox nox pytest py.test", "tox.ini noxfile.py pyproject.toml setup.cfg pytest.ini conftest.py"),
  ...forEach("pip pip3 uv poetry hatch pdm", "pyproject.toml setup.py setup.cfg"),
  ...forEach("invoke inv", "tasks.py"),
  ...forEach("docker podman docker-compose", "compose.yaml compose.yml docker-compose.yml Dockerfile"),
};

/** Larger files, and those after the first `MAX_FILES`, are identified by their change time. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 100;
/** Limit on folders to check above the working directory. */
const MAX_ABOVE = 40;

/** The files that determine what a command does, see `Processes.contents`. */
export async function contentsFor({ cwd, program, files }: Startable): Promise<FileContents> {
  // `--file=x` names a file too. `-C folder` and `--prefix folder` name the folder to look in.
  const words = [...new Set(files.flatMap((word) => [word, ...word.split("=").slice(1)]))].filter(isName);
  const named = words.map((word) => resolve(cwd, word));
  const unasked = names(UNASKED[basename(program ?? "")] ?? "");
  const places = unasked.length === 0 ? [] : [...named, cwd];
  const found = places.flatMap((place) => nearest(place, unasked));
  const paths = [...new Set([...named, ...found])];
  const marks = await Promise.all(paths.map(async (path, index) => [path, await markOf(path, index < MAX_FILES)]));
  return Object.fromEntries(marks.filter(([, mark]) => mark !== undefined));
}

const isName = (word: string): boolean => word !== "" && word.length < 4096 && !/[\0\n]/.test(word);

/** The wanted names in the nearest folder, this one or one above, that has any. */
function nearest(place: string, wanted: readonly string[]): readonly string[] {
  let folder = place;
  for (let above = 0; above < MAX_ABOVE; above++) {
    const here = entriesOf(folder).filter(({ name }) => wanted.includes(name));
    if (here.length > 0) return here.map(({ name }) => join(folder, name));
    if (folder === dirname(folder)) break;
    folder = dirname(folder);
  }
  return [];
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Only regular files can be read without waiting for a writer. */
async function markOf(path: string, isRead: boolean): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  const last = `${found.dev}:${found.ino}:${found.ctimeNs}`;
  if (!isRead || found.size > MAX_BYTES) return last;
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined ? last : createHash("sha256").update(bytes).digest("base64url");
}

function forEach(programs: string, files: string): Record<string, string> {
  return Object.fromEntries(names(programs).map((program) => [program, files]));
}

function names(list: string): readonly string[] {
  return list.split(" ").filter(Boolean);
}
