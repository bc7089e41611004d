import { realpathSync } from "node:fs";
import { isWithin } from "@haft/core/tool";

/** Variables that a program gets from the user's environment: locations and languages, no secrets. */
const PASSED: readonly string[] = [
  ...[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
  ],
  ...["COLUMNS", "LINES", "CI", "NODE_ENV", "SOURCE_DATE_EPOCH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"],
  ...["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS"],
  ...[
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "RBENV_ROOT",
    "RBENV_VERSION",
    "NVM_DIR",
    "NVM_BIN",
  ],
  ...[
    "GOROOT",
    "GOPATH",
    "GOMODCACHE",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "JAVA_HOME",
    "ANDROID_HOME",
    "DENO_DIR",
    "PNPM_HOME",
  ],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "NIX_PROFILES", "NIX_PATH"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
];

interface ConfinedEnvironmentOptions {
  /** Further names that pass. */
  readonly added?: readonly string[];
  /** The folder for temporary files. Default `/tmp`. */
  readonly temporary?: string;
  /**
   * Real folders from which no program is used: a project's program may have the name of a reader. If such a folder is the
   * root, the machine's own program folders are still used: writing there needs permission.
   */
  readonly notFrom?: readonly string[];
}

/**
 * The environment of a confined program: an allow-list, and variables that the request or the settings add by name. Empty
 * or relative entries of PATH are left out: they would look for programs in the working directory.
 */
export function confinedEnvironment(
  full: Readonly<Record<string, string>>,
  { added = [], temporary = "/tmp", notFrom = [] }: ConfinedEnvironmentOptions = {},
): Record<string, string> {
  const isPassed = (name: string) => PASSED.includes(name) || name.startsWith("LC_") || added.includes(name);
  const kept = Object.fromEntries(Object.entries(full).filter(([name]) => isPassed(name)));
  const path = (kept.PATH ?? "/usr/local/bin:/usr/bin:/bin").split(":").filter((entry) => isTrusted(entry, notFrom));
  return { ...kept, PATH: path.join(":"), ...(added.includes("TMPDIR") ? {} : { TMPDIR: temporary }) };
}

/** Whether the machine keeps its programs in a folder. Even if the workspace is the root, writing there needs permission. */
export const isOfMachine = (folder: string): boolean => /^\/(?:usr\/(?:local\/)?)?s?bin$/.test(folder);

function isTrusted(entry: string, notFrom: readonly string[]): boolean {
  if (!entry.startsWith("/")) return false;
  if (notFrom.length === 0) return true;
  const place = realOrSame(entry);
  return isOfMachine(place) || !notFrom.some((folder) => isWithin(folder, place));
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
