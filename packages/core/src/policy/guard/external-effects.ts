import type { RunEffect } from "../../tool/index.ts";
import { programName } from "../pattern/command-forms.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Programs that are useless without a network, or that do their work elsewhere. */
const NETWORK = words(
  "curl wget ssh scp sftp rsync ftp telnet nc ncat socat gh glab hub aws az gcloud kubectl helm terraform vercel netlify fly heroku mail sendmail ping dig nslookup twine",
);
/** Programs that delegate to a daemon outside every view and sandbox. */
const ELSEWHERE = words(
  "docker podman docker-compose podman-compose nerdctl buildah systemctl systemd-run crontab at batch launchctl mount umount",
);
/** Subcommands that need the network. */
const REMOTE: Readonly<Record<string, ReadonlySet<string>>> = {
  git: words("push pull fetch clone ls-remote send-email remote-update svn p4"),
  npm: words(
    "install i add ci update up upgrade publish unpublish view info login logout audit exec x create init dist-tag",
  ),
  pnpm: words("install i add update up publish dlx create audit fetch"),
  yarn: words("install add up upgrade publish dlx create npm"),
  bun: words("install i add update publish x create"),
  pip: words("install download wheel index search"),
  pip3: words("install download wheel index search"),
  uv: words("add sync lock pip publish tool python"),
  poetry: words("install add update lock publish"),
  cargo: words("install add update publish fetch search login yank"),
  go: words("get install mod"),
  gem: words("install update push fetch"),
  bundle: words("install update add"),
  composer: words("install update require"),
};
const ALWAYS_REMOTE = words("npx pnpx bunx uvx pipx yarnpkg");
/** Git commands that delete what other undo relies on. Captured, but large, and never run by accident. */
const GIT_LOSING = words("gc prune repack filter-branch filter-repo replace");

/**
 * Why a person is asked before a command runs: it needs the network, delegates to others, or deletes old versions. The
 * table only avoids runs that cannot succeed. The protection is the sandbox around the command, not this.
 */
export function externalReason({ argv, wrappers = [] }: RunEffect): string | undefined {
  const [program = "", ...rest] = argv;
  const name = programName(program, false);
  const [first = "", second = ""] = rest.filter((word) => !word.startsWith("-"));
  if ([name, ...wrappers.map((wrapper) => programName(wrapper, false))].some((one) => ELSEWHERE.has(one)))
    return "another program does its work, outside of any view";
  if (needsNetwork(argv)) return "it needs the network";
  if (name === "git" && isLosing(gitWords(rest), first, second)) return "it deletes old versions";
  return undefined;
}

/** Whether a command is useless without a network. */
export function needsNetwork([program = "", ...rest]: readonly string[]): boolean {
  const name = programName(program, false);
  const action = rest.find((word) => !word.startsWith("-")) ?? "";
  if (isNetClient(name) || ALWAYS_REMOTE.has(name) || REMOTE[name]?.has(action)) return true;
  return name === "git" && gitWords(rest).some((word) => REMOTE.git?.has(word));
}

/** Whether a program treats its operands as hosts and addresses. */
export const isNetClient = (name: string): boolean => NETWORK.has(name);

/** The subcommand of git after options with a value: `git -C dir push`. */
function gitWords(rest: readonly string[]): readonly string[] {
  const at = rest.findIndex(
    (word, index) => !word.startsWith("-") && !/^(?:-C|-c|--git-dir|--work-tree)$/.test(rest[index - 1] ?? ""),
  );
  return at < 0 ? [] : rest.slice(at, at + 1);
}

const isLosing = (subcommands: readonly string[], first: string, second: string): boolean =>
  subcommands.some((word) => GIT_LOSING.has(word)) || (first === "reflog" && /^(?:expire|delete)$/.test(second));
