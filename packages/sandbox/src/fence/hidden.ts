import { opendirSync, readdirSync } from "node:fs";
import { privateInHome } from "@haft/core/policy";
import { type BoundHole, fail, isWithin } from "@haft/core/tool";
import type { Guards } from "./guards.ts";
import { isReadable, namedSockets } from "./kernel.ts";
import { type RealPlace, realPlaces } from "./real.ts";
import { join } from "./tree.ts";

/**
 * Private places of the machine, which programs may not read unless a grant names them. They matter if the caller is root:
 * ids are mapped, but rights on files stay.
 */
const SYSTEM: readonly string[] = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
  ...["/etc/ssl/private", "/etc/krb5.keytab", "/etc/security/opasswd", "/etc/wireguard", "/etc/NetworkManager"],
  ...["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key"],
  ...["/etc/docker", "/etc/rancher", "/etc/kubernetes", "/var/spool/cron", "/var/mail", "/var/lib/docker"],
  ...["/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/firmware", "/sys/fs/bpf"],
];

/**
 * Private places of a home folder that exist. Most of the two hundred names do not: one listing of the folder tells that
 * faster than a look at each.
 */
export function privateAtHome(home: string): readonly RealPlace[] {
  const names = namesIn(home);
  const top = (path: string) => path.slice(home === "/" ? 1 : home.length + 1).split("/", 1)[0] ?? "";
  return realPlaces(privateInHome(home).filter((path) => names?.has(top(path).toLowerCase()) ?? true));
}

/** In lower case, since some file systems do not tell them apart. `undefined` for a folder that cannot be listed. */
function namesIn(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set(readdirSync(folder).map((name) => name.toLowerCase()));
  } catch {
    return undefined;
  }
}

/** Limit on hidden sockets: each is a mount. */
const MAX_SOCKETS = 200;

interface HiddenRequest {
  readonly home: string;
  /** The private places of the home folder. */
  readonly personal: readonly RealPlace[];
  readonly guards: Guards;
  /** Further paths that settings and the host hide. */
  readonly names: readonly string[];
  /** The workspace and writable places, which the survey covers. */
  readonly open: readonly string[];
  /** Folders that are empty inside: nothing in them needs hiding, unless `seen` shows it. */
  readonly fresh: readonly string[];
  readonly seen: readonly string[];
  /** Whether the program could connect to a named socket. */
  readonly mayConnect: boolean;
}

/** Places to hide outside the workspace: private places, sockets, and paths of the home folder that rules close. */
export function hiddenOutside(request: HiddenRequest): readonly RealPlace[] {
  const { home, personal, guards, names, open, fresh, seen, mayConnect } = request;
  const isIn = (folders: readonly string[], path: string) => folders.some((folder) => isWithin(folder, path));
  const isElsewhere = ({ path }: RealPlace) => !open.includes(path) && (!isIn(fresh, path) || isIn(seen, path));
  const places = [...personal, ...realPlaces([...SYSTEM, ...names])].filter(isElsewhere).filter(isWorthHiding);
  const named = mayConnect ? namedSockets(open) : [];
  const sockets = named.map((path) => ({ path, isFolder: false })).filter(isElsewhere);
  if (sockets.length > MAX_SOCKETS)
    fail(
      "sandbox_unavailable",
      `This machine has ${sockets.length} open sockets in its file system, too many to hide.`,
      `Close programs until there are at most ${MAX_SOCKETS}.`,
    );
  const holes = guards.holes.length === 0 ? [] : holesIn(home, guards.holes);
  return [
    // A folder stays hidden even if something in it is opened: that path is mounted again.
    ...places.filter(({ path, isFolder }) => !(isFolder ? guards.isNamed(path) : guards.isOpened(path))),
    ...sockets,
    ...holes.filter(({ path }) => !open.some((folder) => isWithin(path, folder) || isWithin(folder, path))),
  ];
}

/** A path that the caller cannot read needs no mount, and an empty folder has nothing to hide. */
export function isWorthHiding({ path, isFolder }: RealPlace): boolean {
  if (!isReadable(path)) return false;
  if (!isFolder) return true;
  try {
    // One entry is enough: /tmp may have thousands.
    const folder = opendirSync(path, { bufferSize: 1 });
    try {
      return folder.readSync() !== null;
    } finally {
      folder.closeSync();
    }
  } catch {
    return false;
  }
}

/** Paths that rules close in the home folder and the folders in it. */
function holesIn(home: string, holes: readonly BoundHole[]): readonly RealPlace[] {
  const isIn = (path: string) => holes.some((hole) => hole.do === "read" && hole.matches(path));
  const isHole = ({ path, isFolder }: RealPlace) => isIn(path) || (isFolder && isIn(join(path, "\u0001any")));
  const outer = placesIn(home);
  const inner = outer.flatMap(({ path, isFolder }) => (isFolder ? placesIn(path) : []));
  return [...outer, ...inner].filter(isHole);
}

function placesIn(folder: string): readonly RealPlace[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isSymbolicLink());
    return entries.map((entry) => ({ path: join(folder, entry.name), isFolder: entry.isDirectory() }));
  } catch {
    return [];
  }
}
