import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const PREFIX = "haft-browser-";

/** Creates a profile that nobody else uses, removed with the session. Also removes the profiles of killed sessions. */
export function newProfile(): { readonly folder: string; remove(): void } {
  removeOrphans();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

function removeOrphans(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) {
      try {
        rmSync(join(tmpdir(), name), { recursive: true, force: true });
      } catch {
        // It belongs to another user.
      }
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A cookie as the browser gives it. */
interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  readonly expires: number;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: "Strict" | "Lax" | "None";
}

/** Logins that the user wants kept: only cookies of the domains that they named. */
export interface Logins {
  load(): readonly Cookie[];
  save(cookies: readonly Cookie[]): Promise<void>;
}

/** Keeps logins in a file that only the user can read. */
export function openLogins(file: string, domains: readonly string[]): Logins {
  const isKept = ({ domain }: Cookie): boolean => {
    const host = domain.replace(/^\./, "").toLowerCase();
    return domains.map((one) => one.toLowerCase()).some((one) => host === one || host.endsWith(`.${one}`));
  };
  return {
    load() {
      try {
        return (JSON.parse(readFileSync(file, "utf8")) as Cookie[]).filter(isKept);
      } catch {
        return [];
      }
    },
    async save(cookies) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, JSON.stringify(cookies.filter(isKept)), { mode: 0o600 });
      await chmod(file, 0o600);
    },
  };
}
