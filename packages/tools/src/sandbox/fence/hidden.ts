import { readdirSync } from "node:fs";
import { privateInHome } from "@haft/core/policy";
import { type BoundHole, fail, isWithin } from "@haft/core/tool";
import type { Guards } from "./guards.ts";
import { isReadable, namedSockets } from "./kernel.ts";
import { type RealPlace, realPlaces } from "./real.ts";
import { join } from "./tree.ts";

/** Of the machine. They matter where the caller is root: ids are mapped, rights on files stay. */
const SYSTEM: readonly string[] = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
  ...["/etc/ssl/private", "/etc/krb5.keytab", "/etc/security/opasswd", "/etc/wireguard", "/etc/NetworkManager"],
  ...["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key"],
  ...["/etc/docker", "/etc/rancher", "/etc/kubernetes", "/var/spool/cron", "/var/mail", "/var/lib/docker"],
  ...["/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/firmware", "/sys/fs/bpf"],
];

/** Places that programs may not read unless a grant names them; missing ones among them. */
const privatePlaces = (home: string): readonly string[] => [...privateInHome(home), ...SYSTEM];

/** Most sockets that are hidden: each is a mount. */
export const MAX_SOCKETS = 200;

export interface HiddenRequest {
  readonly home: string;
  readonly guards: Guards;
  /** What settings and the host hide besides. */
  readonly names: readonly string[];
  /** The workspace and what is writable: what lies there is found by the survey. */
  readonly open: readonly string[];
  /** Folders that are empty inside: nothing in them needs hiding, but where `seen` shows it. */
  readonly fresh: readonly string[];
  readonly seen: readonly string[];
  /** Whether the program could connect to a socket that has a name. */
  readonly mayConnect: boolean;
}

/** What outside the workspace has to be hidden: private places, sockets, and what rules take out of the home folder. */
export function hiddenOutside(request: HiddenRequest): readonly RealPlace[] {
  const { home, guards, names, open, fresh, seen, mayConnect } = request;
  const isIn = (folders: readonly string[], path: string) => folders.some((folder) => isWithin(folder, path));
  const isElsewhere = ({ path }: RealPlace) => !open.includes(path) && (!isIn(fresh, path) || isIn(seen, path));
  const places = realPlaces([...privatePlaces(home), ...names])
    .filter(isElsewhere)
    .filter(isWorthHiding);
  const named = mayConnect ? namedSockets(open) : [];
  const sockets = named.map((path) => ({ path, isFolder: false })).filter(isElsewhere);
  if (sockets.length > MAX_SOCKETS)
    fail(
      "sandbox_unavailable",
      `This machine has ${sockets.length} open sockets in its file system, more than can be hidden.`,
      `Close programs until there are at most ${MAX_SOCKETS}.`,
    );
  const holes = guards.holes.length === 0 ? [] : holesIn(home, guards.holes);
  return [
    // A folder stays hidden although something in it is opened: that is put back.
    ...places.filter(({ path, isFolder }) => !(isFolder ? guards.isNamed(path) : guards.isOpened(path))),
    ...sockets,
    ...holes.filter(({ path }) => !open.some((folder) => isWithin(path, folder) || isWithin(folder, path))),
  ];
}

/** What the caller may not read needs no mount, and a folder with nothing in it has nothing to hide. */
export function isWorthHiding({ path, isFolder }: RealPlace): boolean {
  if (!isReadable(path)) return false;
  if (!isFolder) return true;
  try {
    return readdirSync(path).length > 0;
  } catch {
    return false;
  }
}

/** What rules take out of the home folder and the folders in it. */
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
