import { basename } from "../../tool/index.ts";
import type { PathFold } from "../pattern/path-fold.ts";

/** Folders and files of services that run what is in them as soon as it is pushed. */
const CI_FOLDERS: readonly string[] = [".github", ".gitea", ".forgejo", ".circleci", ".buildkite", ".woodpecker"];
const CI_FILES: readonly string[] = [
  ...[".gitlab-ci.yml", ".travis.yml", ".drone.yml", ".woodpecker.yml", ".cirrus.yml", "appveyor.yml", ".appveyor.yml"],
  ...["azure-pipelines.yml", "bitbucket-pipelines.yml", "Jenkinsfile", "cloudbuild.yaml", "buildspec.yml"],
];

/** Files that a program runs because they lie there, without anybody naming them. */
const LOADED_FILES: readonly string[] = [
  ...["conftest.py", "sitecustomize.py", "usercustomize.py", ".pythonrc", ".pythonstartup"],
  ...[".gdbinit", ".lldbinit", ".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".emacs", ".dir-locals.el"],
  ...[".irbrc", ".pryrc", ".Rprofile", ".psqlrc", ".sqliterc", ".inputrc", ".screenrc", ".tmux.conf", ".direnvrc"],
  ...[".xprofile", ".xinitrc", ".login", ".cshrc", ".tcshrc", ".kshrc", ".curlrc", ".wgetrc", ".mailcap"],
];

/** Ends of names of the same sort: Python reads `.pth` files at every start, desktops and init systems the others. */
const LOADED_ENDS = /\.(?:pth|desktop|service|timer)$/i;

/** A manifest whose life-cycle scripts run when packages are installed. Those of installed packages have run. */
const MANIFEST = "package.json";

/** The name under which a file runs by itself or governs tools, beyond what is protected; `undefined` for ordinary files. */
export type AutoRun = (path: string) => string | undefined;

/** Files that run later without anybody naming them, as the platform compares names. */
export function autoRunFiles(fold: PathFold): AutoRun {
  const folders = new Map(CI_FOLDERS.map((name) => [fold.path(name), name]));
  const files = new Map([...CI_FILES, ...LOADED_FILES, MANIFEST].map((name) => [fold.path(name), name]));
  return (path) => {
    const parts = fold.path(path).split("/");
    const name = files.get(parts.at(-1) ?? "");
    if (name === MANIFEST) return parts.includes("node_modules") ? undefined : name;
    if (name !== undefined) return name;
    const folder = parts.find((part) => folders.has(part));
    if (folder !== undefined) return folders.get(folder);
    return LOADED_ENDS.test(path) ? basename(path) : undefined;
  };
}
